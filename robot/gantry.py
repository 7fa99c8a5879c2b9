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
from damludo.robot.drive import PLACE_TOLERANCE_MM, POLL_S, Drive, text_of
from damludo.robot.errors import (
    ControllerAlarm,
    ControllerError,
    LineError,
    LineSilent,
    NotHomed,
    RobotError,
    Stopped,
)
from damludo.robot.execution import Execution
from damludo.robot.frames import GantryPoint
from damludo.robot.gcode import Ok, Status, orders
from damludo.robot.guard import Guard, NoGuard
from damludo.robot.line import Line
from damludo.robot.machine import GantryLimits, MachineSettings
from damludo.robot.motion import MotionPlan
from damludo.robot.planner import Planner

START_TOLERANCE_MM = 0.5
"""A plan may begin this far from where the carriage stands: its first step is straight to the travel height."""
HOME_TOLERANCE_MM = 0.5
"""After homing the reported place may differ by so much from where the settings put the home corner."""
HOMING_TRIES = 5
"""So often homing begins anew after a hand broke it off; then it is left to the person."""
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
        self._motion = Drive(self._controller, clock, resume_after_s)
        self._busy = threading.RLock()
        self._state = State.CLOSED
        self._execution: Execution | None = None

    # What is known

    @property
    def state(self) -> State:
        """What the driver knows of the machine."""
        if self._state is State.MOVING and self._motion.held:
            return State.HELD
        if self._state is State.READY and self._motion.stopped:
            return State.STOPPED
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
        return self._motion.magnet_on

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
            self._become(State.CLOSED)
            info = self._controller.connect()
            self._become(State.NOT_HOMED)
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
            self._motion.raise_if_stopped()
            self._become(State.NOT_HOMED)
            self._execution = None
            self._controller.calm_down()
            for _ in range(HOMING_TRIES):
                self._motion.await_clear(watch)
                if self._home_once(watch):
                    self._check_home()
                    return
            raise NotHomed(
                f"homing was broken off {HOMING_TRIES} times because hands were in the way; keep them off the table"
            )

    def _home_once(self, guard: Guard) -> bool:
        """Return False if a hand came in and homing was broken off."""
        self._become(State.HOMING)
        self._talk.send(self._dialect.home)
        limit_s = self.machine.homing_limit_s
        until_s = self._clock.now_s() + limit_s
        while self._clock.now_s() < until_s:
            answer = self._controller.receive(POLL_S)
            if self._motion.stopped:
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
            if not guard.clear(self._motion.sight()):
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
        self._motion.magnet_on = False
        self._become(State.NOT_HOMED)

    def _check_home(self) -> None:
        report = self._controller.fresh_report()
        expected = self.machine.home
        if report.state != "Idle" or not self._controller.is_near(expected, HOME_TOLERANCE_MM):
            raise NotHomed(
                f"after homing the controller says {report.state} at {text_of(self._controller.place)} instead of Idle at "
                f"{text_of(expected)}; check its homing settings ($22, $23, $27) with 'damludo gantry settings'"
            )
        self._become(State.READY)

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
            self._motion.await_clear(watch)
            self._drive(self._execution, watch)

    def go_on(self, guard: Guard | None = None) -> None:
        """After STOP: carry on with what was stopped, as soon as the guard sees nobody.

        Raises:
            NotHomed: there is nothing to go on with; and everything that `run` raises.
        """
        watch = guard if guard is not None else NoGuard()
        with self._busy, self._tracked():
            if self.state is not State.STOPPED:
                raise ControllerError(
                    f"no motion was stopped (state: {self._state.value}); there is nothing to go on with"
                )
            self._motion.lift_stop()
            self._motion.await_clear(watch)
            self._motion.resume(self._execution)
            if self._execution is None:
                self._become(State.READY)
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
        self._motion.stop(homing=self._state is State.HOMING)

    def reset(self) -> None:
        """Give up what was stopped or failed: soft reset. The magnet goes off, a held disc falls.

        The position stays known if the carriage stood still, else `home` is next.
        """
        with self._busy, self._tracked():
            self._require_connected()
            before = self._controller.place if self._state in (State.READY, State.STOPPED) else None
            self._execution = None
            self._become(State.NOT_HOMED)
            self._motion.magnet_on = False
            self._controller.soft_reset()
            self._motion.lift_stop()
            if before is None or self._talk.alarm is not None:
                return
            report = self._controller.fresh_report()
            if report.state == "Idle" and self._controller.is_near(before, PLACE_TOLERANCE_MM):
                self._become(State.READY)

    def close(self) -> None:
        """Switch the magnet off and let go of the line. May be called more than once."""
        with self._busy:
            if self._state is not State.CLOSED:
                self._let_go()
            self._become(State.CLOSED)
            self._talk.close()

    def __enter__(self) -> "Gantry":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _let_go(self) -> None:
        """Switch the magnet off: by a line if the controller listens to lines, else by a reset."""
        self._motion.magnet_on = False
        if self._state is State.READY and not self._motion.stopped:
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
            if self._state is State.MOVING:
                self._become(State.STOPPED)
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
            moving = self._state is State.MOVING
            self._give_up(State.NOT_HOMED)
            if moving:
                self._motion.hold_quietly()
            raise
        except BaseException:
            # The guard failed in mid-move: the motion is held, and nothing was lost.
            if self._state is State.MOVING:
                self._become(State.STOPPED)
            raise

    def _become(self, state: State) -> None:
        self._state = state
        self._motion.place_known = state in KNOWN_PLACE

    def _give_up(self, state: State) -> None:
        if self._state is not State.CLOSED:
            self._become(state)
        self._execution = None

    def _require_connected(self) -> None:
        if self._state is State.CLOSED:
            raise NotHomed("the gantry is not connected; connect and home it first")

    def _require_ready(self, plan: MotionPlan) -> None:
        self._require_connected()
        self._motion.raise_if_stopped()
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
                f"the plan starts at {text_of(plan.start)} but the carriage stands at {text_of(self._controller.place)}; "
                f"nothing was moved, plan again"
            )

    def _drive(self, execution: Execution, guard: Guard) -> None:
        self._become(State.MOVING)
        self._motion.run(execution, guard)
        self._execution = None
        self._become(State.READY)
