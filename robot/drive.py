"""A plan in motion: send, listen, watch, hold, stop. What the driver does while anything moves."""

import contextlib
import threading

from damludo.robot.clock import Clock
from damludo.robot.controller import Controller
from damludo.robot.errors import ControllerError, LineSilent, NotHomed, RobotError, Stopped
from damludo.robot.execution import DONE_EXTRA_S, DONE_FACTOR, Execution
from damludo.robot.frames import GantryPoint
from damludo.robot.gcode import Ok, Status
from damludo.robot.guard import CarriageSight, Guard

POLL_S = 0.1
"""Guard and report are asked at this interval while something moves."""
MUTE_QUERIES = 20
"""This many unanswered queries (two seconds) mean that the controller is gone."""
MOST_ANSWERS = 64
"""Answers read before the guard is asked again: a controller that floods must not keep it from looking."""
MOST_FLOODS = 20
"""So often in a row there may be more than that."""
PLACE_TOLERANCE_MM = 0.1
"""A report within this of a place tells that place: reports have 0.001 mm, steps 0.0125 mm (80 steps/mm)."""
STOP_LIMIT_S = 4.0
"""The carriage stands or goes on within this after the byte for it: braking from full speed takes a fraction of a second."""


class Drive:
    """Carries plans out, one at a time, in the thread that calls; only `stop` may be called from others.

    Args:
        controller: the other end.
        clock: all time limits are measured on it.
        resume_after_s: how long the table must be clear before a held motion goes on.

    Attributes:
        held: the motion waits for the guard.
        place_known: reports tell the true place; set by the owner.
        magnet_on: what the magnet was told last.
    """

    def __init__(self, controller: Controller, clock: Clock, resume_after_s: float) -> None:
        self.held = False
        self.place_known = False
        self.magnet_on = False
        self._controller = controller
        self._talk = controller.talk
        self._dialect = controller.dialect
        self._clock = clock
        self._resume_after_s = resume_after_s
        self._stop = threading.Event()
        # A resume must not follow the hold of a STOP that came between "is STOP pressed?" and the resume byte.
        self._stop_lock = threading.Lock()

    # STOP

    @property
    def stopped(self) -> bool:
        """STOP was pressed and not lifted."""
        return self._stop.is_set()

    def stop(self, homing: bool) -> None:
        """Stop all motion at once; homing knows no hold, so it is reset."""
        with self._stop_lock:
            self._stop.set()
            self._talk.realtime(self._dialect.hold_byte)
            if homing:
                self._talk.realtime(self._dialect.reset_byte)

    def lift_stop(self) -> None:
        """Let motion be possible again."""
        self._stop.clear()

    def raise_if_stopped(self) -> None:
        """Raise `Stopped` if STOP was pressed."""
        if self._stop.is_set():
            raise Stopped(
                f"STOP: the carriage stands at {text_of(self._controller.place)} and keeps what it holds; "
                f"go on, or reset (a held disc falls then)"
            )

    def hold_quietly(self) -> None:
        """Ask for a hold; a line that is gone is not worth another error."""
        with contextlib.suppress(RobotError):
            self._talk.realtime(self._dialect.hold_byte)

    # Watching

    def sight(self) -> CarriageSight:
        """Return what the guard is told."""
        place = self._controller.place if self.place_known else None
        return CarriageSight(place, self._controller.report_time_s, self.magnet_on)

    def await_clear(self, guard: Guard) -> None:
        """Wait, with nothing moving, until the guard sees nobody."""
        self.raise_if_stopped()
        while not guard.clear(self.sight()):
            self._clock.sleep(POLL_S)
            self.raise_if_stopped()

    # Motion

    def run(self, execution: Execution, guard: Guard) -> None:
        """Carry an execution out to its end; a failure leaves the carriage standing, as far as the controller obeys."""
        try:
            self._loop(execution, guard)
        except (Stopped, ControllerError):
            self._settle()
            # Only now does the report tell where the carriage stands, and so does the sentence.
            self.raise_if_stopped()
            raise
        except RobotError:
            raise
        except BaseException:
            # The guard failed, or the program is being ended: nobody watches the table any more.
            self._stop.set()
            self.hold_quietly()
            raise
        finally:
            self.held = False

    def _loop(self, execution: Execution, guard: Guard) -> None:
        """Send, listen, watch until the plan is done."""
        last_s = self._clock.now_s()
        poll_s = last_s
        while True:
            now_s = self._clock.now_s()
            if not self._controller.stands:
                execution.active_s += now_s - last_s
            last_s = now_s
            self.raise_if_stopped()
            if self._talk.pending == 0 and not self._controller.stands:
                if execution.waiting:
                    self._send_next(execution)
                elif self._arrived(execution):
                    return
            if now_s >= poll_s:
                self._talk.query()
                poll_s = now_s + POLL_S
                if not guard.clear(self.sight()):
                    self._hold_until_clear(guard, execution)
                    last_s = poll_s = self._clock.now_s()
            self._listen(execution, min(max(0.0, poll_s - self._clock.now_s()), POLL_S))

    def _send_next(self, execution: Execution) -> None:
        order = execution.take()
        if order.magnet is not None:
            self.magnet_on = order.magnet
        self._talk.send(order.text)

    def _arrived(self, execution: Execution) -> bool:
        """Return True once a report of after the barrier says Idle at the end of the plan."""
        report = self._talk.report
        if report is not None and report.state == "Idle":
            if self._controller.is_near(execution.end, PLACE_TOLERANCE_MM):
                return True
            # One such report may have been made before the barrier was answered.
            execution.astray += 1
            if execution.astray > 2:
                raise NotHomed(
                    f"the carriage stands at {text_of(self._controller.place)} instead of {text_of(execution.end)}, so lines "
                    f"got lost; look at the board, then home with 'damludo gantry home'"
                )
        if execution.active_s > execution.limit_s + DONE_EXTRA_S:
            raise LineSilent("the controller does not say that it has finished; check the cable, then home the machine")
        self._talk.report = None
        self._talk.query()
        return False

    def _listen(self, execution: Execution, timeout_s: float) -> None:
        """Read all that has come, waiting only for the first; then judge what is overdue.

        An `ok` may lie behind a report that seems to say that it got lost, so nothing is judged before all is read.
        """
        reports = self._talk.reports
        answer = self._controller.receive(timeout_s)
        for _ in range(MOST_ANSWERS):
            self._controller.raise_faults(execution.sent_text)
            if answer is None:
                break
            if isinstance(answer, Ok) and not execution.waiting:
                # Only what is reported after the barrier tells where the plan has ended.
                self._talk.report = None
            answer = self._controller.receive(0.0)
        execution.floods = execution.floods + 1 if answer is not None else 0
        if execution.floods > MOST_FLOODS:
            raise LineSilent(
                "the controller floods the line with text that means nothing; switch it off and on, then home the machine"
            )
        report = self._talk.report
        if self._talk.pending and report is not None and self._talk.reports != reports:
            self._judge_silence(execution, report)
        self._raise_if_mute()
        if self._talk.pending and answer is None and execution.active_s > execution.limit_s:
            raise LineSilent(
                f"the line {execution.sent_text!r} was not answered within {DONE_FACTOR:.0f} times its time; "
                f"check the cable, then home the machine"
            )

    def _raise_if_mute(self) -> None:
        if self._talk.unanswered_queries > MUTE_QUERIES:
            raise LineSilent(
                f"the controller has not answered {MUTE_QUERIES} queries; check cable and power, then connect and home again"
            )

    def _judge_silence(self, execution: Execution, report: Status) -> None:
        """If an `ok` is overdue, decide by the report whether it was lost on the way back, or the line on the way there."""
        order = execution.sent
        if report.state != "Idle" or order is None or execution.active_s <= execution.suspect_s:
            return
        magnet_fits = order.magnet is None or (report.spindle is not None and (report.spindle > 0) == order.magnet)
        # No report shows whether the units were set, and a plan in inches would end in the frame.
        if self._controller.is_near(order.at, PLACE_TOLERANCE_MM) and magnet_fits and order.text != self._dialect.modes:
            self._talk.forgive()
            return
        raise LineSilent(
            f"the line {order.text!r} got lost: the carriage stands at {text_of(self._controller.place)}, "
            f"expected {text_of(order.at)}; check the cable, then home the machine"
        )

    # Holding

    def _hold_until_clear(self, guard: Guard, execution: Execution) -> None:
        self.held = True
        self._talk.realtime(self._dialect.hold_byte)
        clear_since_s: float | None = None
        while clear_since_s is None or self._clock.now_s() - clear_since_s < self._resume_after_s:
            self._tick(execution)
            report = self._talk.report
            if report is not None and report.state == "Run":
                # The byte got lost; a hold may be asked for again.
                self._talk.realtime(self._dialect.hold_byte)
            if not guard.clear(self.sight()):
                clear_since_s = None
            elif clear_since_s is None:
                clear_since_s = self._clock.now_s()
        self.resume(execution)
        self.held = False

    def _tick(self, execution: Execution | None) -> None:
        """Live for one poll interval while held: alarms, resets and STOP count; answers of lines are counted too."""
        until_s = self._clock.now_s() + POLL_S
        self._talk.query()
        while (left_s := until_s - self._clock.now_s()) > 0:
            self._controller.receive(left_s)
            self._controller.raise_faults(execution.sent_text if execution is not None else "")
            self.raise_if_stopped()
        self._raise_if_mute()

    def resume(self, execution: Execution | None) -> None:
        """Send `resume` until a report shows that it was taken: a carriage that still slows down ignores it."""
        for _ in range(int(STOP_LIMIT_S / POLL_S)):
            with self._stop_lock:
                if not self._stop.is_set():
                    self._talk.realtime(self._dialect.resume_byte)
            self._talk.report = None
            self._tick(execution)
            if self._talk.report is not None and not self._controller.stands:
                return
        raise LineSilent("the controller does not leave its hold; look whether its hold or door input is closed")

    def _settle(self) -> None:
        """Wait until the carriage stands: hold complete, or idle."""
        until_s = self._clock.now_s() + STOP_LIMIT_S
        while self._clock.now_s() < until_s:
            self._talk.report = None
            self._talk.query()
            self._talk.drain(quiet_s=POLL_S, limit_s=POLL_S)
            self._controller.raise_losses()
            report = self._talk.report
            if report is not None and _is_still(report):
                return
            if self._stop.is_set() and report is not None and report.state == "Run":
                self._talk.realtime(self._dialect.hold_byte)


def _is_still(report: Status) -> bool:
    return report.state == "Idle" or (report.state in ("Hold", "Door") and report.detail in (None, 0))


def text_of(point: GantryPoint | None) -> str:
    """Return a place for a message."""
    return "an unknown place" if point is None else f"({point.x_mm:.1f}, {point.y_mm:.1f}, {point.z_mm:.1f}) mm"
