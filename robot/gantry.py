"""The gantry's driver: connect, home, run plans under the eyes of a guard, stop."""

import contextlib
import threading
from collections import deque
from collections.abc import Iterator
from enum import Enum

from damludo.robot.clock import Clock
from damludo.robot.controller import Controller, ControllerInfo
from damludo.robot.conversation import LineCounters
from damludo.robot.dialect import Dialect
from damludo.robot.errors import (
    ControllerAlarm,
    ControllerError,
    LineError,
    LineSilent,
    NotHomed,
    RobotError,
    Stopped,
)
from damludo.robot.execution import DONE_EXTRA_S, DONE_FACTOR, Execution
from damludo.robot.frames import GantryPoint
from damludo.robot.gcode import Ok, Status, orders
from damludo.robot.guard import CarriageSight, Guard, NoGuard
from damludo.robot.line import Line
from damludo.robot.machine import GantryLimits, MachineSettings
from damludo.robot.motion import MotionPlan
from damludo.robot.planner import Planner

POLL_S = 0.1
"""Guard and report are asked at this interval while something moves."""
MUTE_QUERIES = 20
"""This many unanswered queries (two seconds) mean that the controller is gone."""
PLACE_TOLERANCE_MM = 0.1
START_TOLERANCE_MM = 0.5
HOME_TOLERANCE_MM = 0.5
STOP_LIMIT_S = 4.0
HOMING_TRIES = 5
LOCKING_ERRORS = frozenset({9, 10})
"""Refusals that say that the controller has lost its position."""


class State(Enum):
    """What the driver knows of the machine."""

    CLOSED = "closed"
    NOT_HOMED = "not homed"
    HOMING = "homing"
    READY = "ready"
    MOVING = "moving"
    HELD = "held"
    STOPPED = "stopped"
    ALARM = "alarm"


KNOWN_PLACE = frozenset({State.READY, State.MOVING, State.HELD, State.STOPPED})


class Gantry:
    """One machine behind one line. Use it with `with`: the magnet is off afterwards.

    One thread at a time runs it (others wait); `stop` may be called from any thread at any time.

    Args:
        line: to the controller; closed by `close`.
        dialect: of the controller.
        clock: all time limits are measured on it.
        expected: settings of the profile; a controller with others is refused.
        resume_after_s: how long the table must be clear before a held motion goes on.
    """

    def __init__(
        self,
        line: Line,
        dialect: Dialect,
        clock: Clock,
        expected: MachineSettings | None = None,
        resume_after_s: float = 0.8,
    ) -> None:
        self._controller = Controller(line, dialect, clock, expected)
        self._talk = self._controller.talk
        self._dialect = dialect
        self._clock = clock
        self._resume_after_s = resume_after_s
        self._busy = threading.RLock()
        self._stop = threading.Event()
        # A resume must not follow the hold of a STOP that came between "is STOP pressed?" and the resume byte.
        self._stop_lock = threading.Lock()
        self._state = State.CLOSED
        self._execution: Execution | None = None
        self._magnet_on = False

    # What is known

    @property
    def state(self) -> State:
        """What the driver knows of the machine."""
        return self._state

    @property
    def position(self) -> GantryPoint:
        """Where the carriage was at the last report, gantry frame.

        Raises:
            NotHomed: it is not known.
        """
        place = self._controller.place if self._state in KNOWN_PLACE else None
        if place is None:
            raise NotHomed(
                f"the carriage's position is not known (state: {self._state.value}); home it: 'damludo gantry home'"
            )
        return place

    @property
    def machine(self) -> MachineSettings:
        """The settings that the driver works with; `WrongSettings` before `connect` without a profile."""
        return self._controller.machine

    @property
    def limits(self) -> GantryLimits:
        """Range and speeds of the machine."""
        return self.machine.limits

    @property
    def magnet_on(self) -> bool:
        """What the magnet was told last."""
        return self._magnet_on

    @property
    def counters(self) -> LineCounters:
        """Faults of the cable so far."""
        return self._talk.counters

    def status(self) -> Status:
        """Ask for a fresh report.

        Raises:
            LineSilent: none came (so in the alarms of the end switches).
            NotHomed: the controller was reset meanwhile.
        """
        with self._busy, self._tracked():
            self._require_connected()
            report = self._controller.fresh_report()
            if self._state in KNOWN_PLACE:
                self._controller.raise_faults()
            return report

    # Connecting and homing

    def connect(self) -> ControllerInfo:
        """Find out who is there and whether it is this machine. Nothing moves; the position is unknown afterwards.

        Raises:
            LineSilent: nobody answers.
            NotOurController: somebody else does, or at another speed.
            WrongSettings: travel, steps or homing are not those expected.
        """
        with self._busy:
            self._state = State.CLOSED
            info = self._controller.connect()
            self._state = State.NOT_HOMED
            return info

    def home(self, guard: Guard | None = None) -> None:
        """Find the end switches; afterwards the position is known.

        Success is an `ok` without alarm before it and a report that says Idle at the expected place: a failed homing answers
        `ok` too.

        Raises:
            ControllerAlarm: a switch was not found or did not open.
            NotHomed: the carriage stands elsewhere afterwards, or hands were in the way again and again.
            LineSilent: no answer within the computed time.
            Stopped: STOP was pressed.
        """
        watch = guard if guard is not None else NoGuard()
        with self._busy, self._tracked():
            self._require_connected()
            self._raise_if_stopped()
            self._state = State.NOT_HOMED
            self._execution = None
            self._controller.calm_down()
            for _ in range(HOMING_TRIES):
                self._await_clear(watch)
                if self._home_once(watch):
                    self._check_home()
                    return
            raise NotHomed(
                f"homing was broken off {HOMING_TRIES} times because hands were in the way; keep them off the table"
            )

    def _home_once(self, guard: Guard) -> bool:
        """Return False if a hand came in and homing was broken off."""
        self._state = State.HOMING
        self._talk.send(self._dialect.home)
        limit_s = self.machine.homing_limit_s
        until_s = self._clock.now_s() + limit_s
        while self._clock.now_s() < until_s:
            answer = self._controller.receive(POLL_S)
            if self._stop.is_set():
                self._break_off()
                raise Stopped(
                    "STOP while homing: the position is not known; reset, then home with 'damludo gantry home'"
                )
            if self._talk.alarm is not None:
                # An `ok` that means nothing and a banner follow; none of it may answer the next line.
                self._talk.drain(quiet_s=1.0)
            self._controller.raise_faults(self._dialect.home)
            if isinstance(answer, Ok):
                return True
            if not guard.clear(self._sight()):
                # Homing cannot be held: the firmware ignores a feed hold there.
                self._break_off()
                return False
        self._break_off()
        raise LineSilent(
            f"homing was not answered within {limit_s:.0f} s; look whether the carriage is blocked, then try again"
        )

    def _break_off(self) -> None:
        self._controller.soft_reset()
        self._talk.forget_faults()
        self._magnet_on = False
        self._state = State.NOT_HOMED

    def _check_home(self) -> None:
        report = self._controller.fresh_report()
        expected = self.machine.home
        if report.state != "Idle" or not self._controller.is_near(expected, HOME_TOLERANCE_MM):
            raise NotHomed(
                f"after homing the controller says {report.state} at {_text(self._controller.place)} instead of Idle at "
                f"{_text(expected)}; check its homing settings ($22, $23, $27) with 'damludo gantry settings'"
            )
        self._state = State.READY

    # Motion

    def run(self, plan: MotionPlan, guard: Guard | None = None) -> None:
        """Carry out a plan; return when all of it is done and the carriage stands where it should.

        While the guard sees a hand the motion is held, for as long as it takes.

        Raises:
            NotHomed: the position is not known, or the controller was reset.
            ControllerAlarm, ControllerError: the controller stopped or refused; home again, or make a new plan.
            LineSilent, LineClosed: the controller cannot be reached; position unknown.
            Stopped: STOP was pressed; `go_on` or `reset`.
        """
        watch = guard if guard is not None else NoGuard()
        with self._busy, self._tracked():
            self._require_ready(plan)
            self._execution = Execution(deque(orders(plan, self._dialect, self.machine)), plan.end)
            self._await_clear(watch)
            self._drive(self._execution, watch)

    def go_on(self, guard: Guard | None = None) -> None:
        """After STOP: carry on with what was stopped, as soon as the guard sees nobody.

        Raises:
            NotHomed: there is nothing to go on with; and everything that `run` raises.
        """
        watch = guard if guard is not None else NoGuard()
        with self._busy, self._tracked():
            if self._state is not State.STOPPED and not (self._stop.is_set() and self._state is State.READY):
                raise ControllerError(
                    f"no motion was stopped (state: {self._state.value}); there is nothing to go on with"
                )
            self._stop.clear()
            self._await_clear(watch)
            self._resume()
            if self._execution is None:
                self._state = State.READY
            else:
                self._drive(self._execution, watch)

    def park(self, planner: Planner, guard: Guard | None = None) -> None:
        """Travel to the parking place, out of the camera's sight; raises what `run` raises."""
        with self._busy:
            self.run(planner.park(self.position), guard)

    def stop(self) -> None:
        """Stop all motion at once. The running call raises `Stopped`; a held disc stays held. Callable from any thread.

        Nothing runs afterwards until `go_on` or `reset`.

        Raises:
            LineClosed: the cable is gone.
        """
        with self._stop_lock:
            self._stop.set()
            self._talk.realtime(self._dialect.hold_byte)
            if self._state is State.HOMING:
                self._talk.realtime(self._dialect.reset_byte)

    def reset(self) -> None:
        """Give up what was stopped or failed: soft reset. The magnet goes off, a held disc falls.

        The position stays known if the carriage stood still, else `home` is next.
        """
        with self._busy, self._tracked():
            self._require_connected()
            before = self._controller.place if self._state in (State.READY, State.STOPPED) else None
            self._execution = None
            self._state = State.NOT_HOMED
            self._magnet_on = False
            self._controller.soft_reset()
            self._stop.clear()
            if before is None or self._talk.alarm is not None:
                return
            report = self._controller.fresh_report()
            if report.state == "Idle" and self._controller.is_near(before, PLACE_TOLERANCE_MM):
                self._state = State.READY

    def close(self) -> None:
        """Switch the magnet off and let go of the line. May be called more than once."""
        with self._busy:
            if self._state is not State.CLOSED:
                self._let_go()
            self._state = State.CLOSED
            self._talk.close()

    def __enter__(self) -> "Gantry":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _let_go(self) -> None:
        """Switch the magnet off: by a line if the controller listens to lines, else by a reset."""
        self._magnet_on = False
        if self._state is State.READY and not self._stop.is_set():
            with contextlib.suppress(RobotError):
                self._controller.exchange(self._dialect.magnet_off)
                return
        with contextlib.suppress(RobotError):
            self._talk.realtime(self._dialect.reset_byte)

    @contextlib.contextmanager
    def _tracked(self) -> Iterator[None]:
        """Keep the state true to the errors that leave the driver."""
        try:
            yield
        except Stopped:
            raise
        except ControllerAlarm:
            self._give_up(State.ALARM)
            raise
        except NotHomed:
            self._give_up(State.NOT_HOMED)
            raise
        except ControllerError as error:
            if error.number in LOCKING_ERRORS or self._state is State.HOMING:
                self._give_up(State.NOT_HOMED)
            elif self._state is State.MOVING:
                # The line was not obeyed, all before it were: the position is that of the reports.
                self._give_up(State.READY)
            raise
        except LineError:
            moving = self._state in (State.MOVING, State.HELD)
            self._give_up(State.NOT_HOMED)
            if moving:
                self._hold_quietly()
            raise

    def _give_up(self, state: State) -> None:
        if self._state is not State.CLOSED:
            self._state = state
        self._execution = None

    def _require_connected(self) -> None:
        if self._state is State.CLOSED:
            raise NotHomed("the gantry is not connected; connect and home it first")

    def _require_ready(self, plan: MotionPlan) -> None:
        self._require_connected()
        self._raise_if_stopped()
        if self._state is State.READY:
            # What came while nobody listened: a reset in between voids the position.
            self._talk.drain()
            self._controller.raise_faults()
        if self._state is not State.READY:
            raise NotHomed(f"the carriage cannot move now (state: {self._state.value}); home it: 'damludo gantry home'")
        self._controller.fresh_report()
        self._controller.raise_faults()
        if not self._controller.is_near(plan.start, START_TOLERANCE_MM):
            raise ControllerError(
                f"the plan starts at {_text(plan.start)} but the carriage stands at {_text(self._controller.place)}; "
                f"nothing was moved, plan again"
            )

    def _drive(self, execution: Execution, guard: Guard) -> None:
        self._state = State.MOVING
        try:
            self._loop(execution, guard)
        except RobotError as error:
            if isinstance(error, ControllerError):
                self._settle()
            raise
        except BaseException:
            # The guard failed, or the program is being ended: nobody watches the table any more.
            self._stop.set()
            self._hold_quietly()
            self._state = State.STOPPED
            raise
        self._execution = None
        self._state = State.READY

    def _loop(self, execution: Execution, guard: Guard) -> None:
        """Send, listen, watch until the plan is done."""
        last_s = self._clock.now_s()
        poll_s = last_s
        while True:
            now_s = self._clock.now_s()
            if not self._controller.stands:
                execution.active_s += now_s - last_s
            last_s = now_s
            self._raise_if_stopped()
            if self._talk.pending == 0 and not self._controller.stands:
                if execution.waiting:
                    self._send_next(execution)
                elif self._arrived(execution):
                    return
            if now_s >= poll_s:
                self._talk.query()
                poll_s = now_s + POLL_S
                if not guard.clear(self._sight()):
                    self._hold_until_clear(guard, execution)
                    last_s = poll_s = self._clock.now_s()
            timeout_s = min(max(0.0, poll_s - self._clock.now_s()), POLL_S)
            # All that has come is read: a guard that takes its time must not let answers queue up behind old reports.
            while self._listen(execution, timeout_s):
                timeout_s = 0.0

    def _send_next(self, execution: Execution) -> None:
        order = execution.take()
        if order.magnet is not None:
            self._magnet_on = order.magnet
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
                    f"the carriage stands at {_text(self._controller.place)} instead of {_text(execution.end)}: lines got lost; "
                    f"look at the board, then home with 'damludo gantry home'"
                )
        if execution.active_s > execution.limit_s + DONE_EXTRA_S:
            raise LineSilent("the controller does not say that it has finished; check the cable, then home the machine")
        self._talk.report = None
        self._talk.query()
        return False

    def _listen(self, execution: Execution, timeout_s: float) -> bool:
        """Take one answer and act on it; without one, see whether the time is over. Return whether there was one."""
        answer = self._controller.receive(timeout_s)
        self._controller.raise_faults(execution.sent_text)
        if isinstance(answer, Ok) and not execution.waiting:
            self._talk.report = None
        if isinstance(answer, Status) and self._talk.pending and execution.active_s > execution.suspect_s:
            self._judge_silence(execution, answer)
        if answer is not None:
            return True
        self._raise_if_mute()
        if self._talk.pending and execution.active_s > execution.limit_s:
            raise LineSilent(
                f"the line {execution.sent_text!r} was not answered within {DONE_FACTOR:.0f} times its time; "
                f"check the cable, then home the machine"
            )
        return False

    def _raise_if_mute(self) -> None:
        if self._talk.unanswered_queries > MUTE_QUERIES:
            raise LineSilent(
                f"the controller has not answered {MUTE_QUERIES} queries; check cable and power, then connect and home again"
            )

    def _judge_silence(self, execution: Execution, report: Status) -> None:
        """An `ok` is overdue: decide by the report whether it was lost on the way back, or the line on the way there."""
        order = execution.sent
        if report.state != "Idle" or order is None:
            return
        magnet_fits = order.magnet is None or (report.spindle is not None and (report.spindle > 0) == order.magnet)
        # No report shows whether the units were set, and a plan in inches would end in the frame.
        if self._controller.is_near(order.at, PLACE_TOLERANCE_MM) and magnet_fits and order.text != self._dialect.modes:
            self._talk.forgive()
            return
        raise LineSilent(
            f"the line {order.text!r} got lost: the carriage stands at {_text(self._controller.place)}, "
            f"expected {_text(order.at)}; check the cable, then home the machine"
        )

    # Holding and stopping

    def _sight(self) -> CarriageSight:
        place = self._controller.place if self._state in KNOWN_PLACE else None
        return CarriageSight(place, self._controller.report_time_s, self._magnet_on)

    def _await_clear(self, guard: Guard) -> None:
        """Wait, with nothing moving, until the guard sees nobody."""
        self._raise_if_stopped()
        while not guard.clear(self._sight()):
            self._clock.sleep(POLL_S)
            self._raise_if_stopped()

    def _hold_until_clear(self, guard: Guard, execution: Execution) -> None:
        self._state = State.HELD
        self._talk.realtime(self._dialect.hold_byte)
        clear_since_s: float | None = None
        while clear_since_s is None or self._clock.now_s() - clear_since_s < self._resume_after_s:
            self._tick(execution)
            report = self._talk.report
            if report is not None and report.state == "Run":
                # The byte got lost; a hold may be asked for again.
                self._talk.realtime(self._dialect.hold_byte)
            if not guard.clear(self._sight()):
                clear_since_s = None
            elif clear_since_s is None:
                clear_since_s = self._clock.now_s()
        self._resume()
        self._state = State.MOVING

    def _tick(self, execution: Execution | None) -> None:
        """Live for one poll interval while held: alarms, resets and STOP count; answers of lines are counted too."""
        until_s = self._clock.now_s() + POLL_S
        self._talk.query()
        while (left_s := until_s - self._clock.now_s()) > 0:
            self._controller.receive(left_s)
            self._controller.raise_faults(execution.sent_text if execution is not None else "")
            self._raise_if_stopped()
        self._raise_if_mute()

    def _resume(self) -> None:
        """Send `resume` until a report shows that it was taken: a carriage that still slows down ignores it."""
        for _ in range(int(STOP_LIMIT_S / POLL_S)):
            with self._stop_lock:
                if not self._stop.is_set():
                    self._talk.realtime(self._dialect.resume_byte)
            self._talk.report = None
            self._tick(self._execution)
            if self._talk.report is not None and not self._controller.stands:
                return
        raise LineSilent("the controller does not leave its hold; look whether its hold or door input is closed")

    def _raise_if_stopped(self) -> None:
        if not self._stop.is_set():
            return
        if self._state in (State.MOVING, State.HELD):
            self._settle()
            self._state = State.STOPPED
        raise Stopped(
            f"STOP: the carriage stands at {_text(self._controller.place)} and keeps what it holds; "
            f"go on, or reset (a held disc falls then)"
        )

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

    def _hold_quietly(self) -> None:
        with contextlib.suppress(RobotError):
            self._talk.realtime(self._dialect.hold_byte)


def _is_still(report: Status) -> bool:
    return report.state == "Idle" or (report.state in ("Hold", "Door") and report.detail in (None, 0))


def _text(point: GantryPoint | None) -> str:
    return "an unknown place" if point is None else f"({point.x_mm:.1f}, {point.y_mm:.1f}, {point.z_mm:.1f}) mm"
