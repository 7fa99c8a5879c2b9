"""One controller at the other end of a conversation: who is there, single exchanges, reports, resets, faults as errors."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from damludo.robot.clock import Clock
from damludo.robot.conversation import Conversation
from damludo.robot.dialect import Dialect
from damludo.robot.errors import (
    ControllerAlarm,
    ControllerError,
    LineSilent,
    NotHomed,
    NotOurController,
    WrongSettings,
)
from damludo.robot.frames import GantryPoint
from damludo.robot.gcode import Answer, Banner, Message, Ok, Setting, Status, Unknown
from damludo.robot.line import Line
from damludo.robot.machine import MachineSettings, settings_of_grbl

BANNER_WAIT_S = 2.5
"""A boot loader keeps silent for up to two seconds after the port was opened."""
ANSWER_LIMIT_S = 2.0
"""A line that moves nothing is answered within this time."""
STANDING_STATES = frozenset({"Hold", "Door"})


@dataclass(frozen=True, slots=True)
class ControllerInfo:
    """What was found at the other end of the line.

    Attributes:
        greeting: the banner, "" if the controller had been running before.
        machine: its settings, or those of the profile where it tells none.
        warnings: sentences about settings that will make trouble.
    """

    greeting: str
    machine: MachineSettings
    warnings: tuple[str, ...] = ()


class Controller:
    """What the driver asks of a controller, short of motion. Every fault becomes an error with a sentence.

    Args:
        line, dialect, clock: as for the gantry.
        expected: settings of the profile; a controller with others is refused.

    Attributes:
        talk: the conversation.
        report_time_s: when the last report came.
    """

    def __init__(self, line: Line, dialect: Dialect, clock: Clock, expected: MachineSettings | None) -> None:
        self.talk = Conversation(line, dialect, clock)
        self.dialect = dialect
        self.report_time_s = 0.0
        self._clock = clock
        self._expected = expected
        self._machine = expected
        self._resets_seen = 0

    @property
    def machine(self) -> MachineSettings:
        """The settings of the machine; `WrongSettings` if they are not known yet."""
        if self._machine is None:
            raise WrongSettings("the machine's settings are not known; connect first, or give a profile")
        return self._machine

    # Who is there

    def connect(self) -> ControllerInfo:
        """Find out who is there and whether it is this machine. Nothing moves."""
        greeting = self.greet()
        found = settings_of_grbl(self.read_settings())
        if found is not None and self._expected is not None:
            self._expected.compare(found)
        self._machine = found or self._expected
        if self._machine is None:
            raise WrongSettings(
                "the controller does not tell its travel and speeds, and there is no profile; "
                "measure it with 'damludo calibrate gantry'"
            )
        return ControllerInfo(greeting, self._machine, tuple(_warnings(self._machine)))

    def greet(self) -> str:
        """Find out who is there, whatever its settings are; return the banner, or "" if the controller had been running.

        Raises:
            LineSilent: nobody answers.
            NotOurController: somebody else does, or at another speed.
        """
        greeting = self._greeting()
        self.talk.drain(quiet_s=0.2)
        self.calm_down()
        return greeting

    def read_settings(self) -> dict[int, str]:
        """Return the settings as the controller tells them, by number; only after `greet`."""
        return {a.number: a.value for a in self.exchange(self.dialect.settings) if isinstance(a, Setting)}

    def write_setting(self, number: int, value: str) -> None:
        """Change one setting, which the controller keeps without power; only after `greet`.

        Raises:
            ControllerError: there is no such setting, or it cannot have this value.
        """
        self.exchange(f"${number}={value}")

    def _greeting(self) -> str:
        """Wait for the banner, else knock; return the banner, or "" if the controller had been running."""
        noise: list[str] = []
        answer = self._first(Banner, within_s=BANNER_WAIT_S, noise=noise)
        if answer is None:
            self.talk.send("")
            self.talk.query()
            answer = self._first(Banner, Ok, Status, Message, within_s=ANSWER_LIMIT_S, noise=noise)
        if answer is not None:
            return answer.text if isinstance(answer, Banner) else ""
        if any("\N{REPLACEMENT CHARACTER}" in text for text in noise):
            raise NotOurController(
                "the controller sends characters that make no sense; its speed is not 115200 baud, or the cable is bad"
            )
        if noise:
            raise NotOurController(
                f"what answers on the port does not speak {self.dialect.name} (it says {noise[0][:40]!r}); "
                f"choose another port with --serial"
            )
        raise LineSilent(
            f"the controller sent nothing for {BANNER_WAIT_S + ANSWER_LIMIT_S:.1f} s; check its power and cable, "
            f"press its reset button, or choose another port with --serial"
        )

    def _first(self, *kinds: type[Answer], within_s: float, noise: list[str]) -> Answer | None:
        """Return the first answer of one of the kinds; unknown lines go to `noise`."""
        for answer in self._answers(within_s):
            if isinstance(answer, kinds):
                return answer
            if isinstance(answer, Unknown) and answer.text:
                if self.dialect.foreign.match(answer.text):
                    raise NotOurController(
                        f"the port belongs to another machine (it says {answer.text[:40]!r}); nothing moves, "
                        f"choose another port with --serial"
                    )
                noise.append(answer.text)
        return None

    def calm_down(self) -> None:
        """Reset a controller that still moves, holds or waits for a reset: nobody is there who knows why."""
        self.talk.report = None
        self.talk.query()
        answers = self.talk.drain(quiet_s=0.3)
        locked = any(isinstance(a, Message) and "Reset to continue" in a.text for a in answers)
        report = self.talk.report
        if locked or report is None or report.state not in ("Idle", "Alarm"):
            self.soft_reset()
        self.talk.forget_faults()
        self.accept_resets()

    # Single exchanges

    def exchange(self, text: str) -> list[Answer]:
        """Send a line that moves nothing and return the answers up to its `ok`."""
        self.talk.send(text)
        answers: list[Answer] = []
        for answer in self._answers(ANSWER_LIMIT_S):
            self.raise_faults(text)
            if isinstance(answer, Ok):
                return answers
            answers.append(answer)
        raise LineSilent(f"the line {text!r} was not answered within {ANSWER_LIMIT_S:.0f} s; check cable and power")

    def fresh_report(self) -> Status:
        """Ask for a report until one comes that was asked for now.

        A controller set to report work positions tells their offset with every 10th to 30th report only: it is asked on.
        """
        self.talk.report = None
        until_s = self._clock.now_s() + ANSWER_LIMIT_S
        while self._clock.now_s() < until_s:
            self.talk.query()
            for answer in self._answers(0.5):
                if isinstance(answer, Status):
                    break
            report = self.talk.report
            if report is not None and (report.work is None or report.machine is not None):
                return report
        raise LineSilent(f"no status report came within {ANSWER_LIMIT_S:.0f} s; check cable and power")

    def receive(self, timeout_s: float) -> Answer | None:
        """Return the next answer, None if nothing came; remembers when a report came."""
        answer = self.talk.receive(timeout_s)
        if isinstance(answer, Status):
            self.report_time_s = self._clock.now_s()
        return answer

    def _answers(self, within_s: float) -> Iterator[Answer]:
        until_s = self._clock.now_s() + within_s
        while (left_s := until_s - self._clock.now_s()) > 0:
            answer = self.receive(left_s)
            if answer is not None:
                yield answer

    def soft_reset(self) -> None:
        """Reset and throw away everything up to the banner. The magnet is off then, the position perhaps lost."""
        self.talk.forget_faults()
        resets = self.talk.counters.resets
        self.talk.realtime(self.dialect.reset_byte)
        for _ in self._answers(BANNER_WAIT_S):
            if self.talk.counters.resets != resets:
                break
        else:
            raise LineSilent("the controller does not answer a reset; switch it off and on, then connect again")
        self.talk.drain(quiet_s=0.2)
        self.talk.pending = 0
        self.accept_resets()

    # Where it is

    @property
    def stands(self) -> bool:
        """True if the last report says that motion is held, also by the controller's own buttons."""
        report = self.talk.report
        return report is not None and report.state in STANDING_STATES

    @property
    def place(self) -> GantryPoint | None:
        """Where the last report says the carriage is; None without one."""
        report = self.talk.report
        return self.machine.from_machine(report.machine) if report is not None and report.machine is not None else None

    def is_near(self, point: GantryPoint, tolerance_mm: float) -> bool:
        """True if the last report says so."""
        place = self.place
        return place is not None and place.distance_mm(point) <= tolerance_mm

    # Faults

    def accept_resets(self) -> None:
        """The resets up to this moment were expected."""
        self._resets_seen = self.talk.counters.resets

    def raise_losses(self) -> None:
        """Raise an alarm or a reset that came since the last time.

        An alarm goes before a reset: a failed homing sends both, and only the alarm says why.
        """
        if self.talk.alarm is not None:
            self.raise_alarm(self.talk.alarm)
        if self.talk.counters.resets != self._resets_seen:
            self.accept_resets()
            raise NotHomed(
                "the controller was reset (a power dip when the magnet switched?), so the position is not known; "
                "look at the board, then home with 'damludo gantry home'"
            )

    def raise_faults(self, sent: str = "") -> None:
        """Raise losses, and the refusal of a line; `sent` is the line that may have been refused."""
        self.raise_losses()
        if self.talk.error is not None:
            number, self.talk.error = self.talk.error, None
            # A refused setting says nothing of the state: what the controller has instead is in its list.
            shows = (
                "'damludo gantry settings' lists those it has"
                if sent.startswith("$") and "=" in sent
                else ("'damludo gantry status' shows its state")
            )
            raise ControllerError(
                f"the controller refused the line {sent!r} (error {number}: {self.dialect.error_text(number)}); {shows}",
                number,
            )
        report = self.talk.report
        if report is not None and report.state == "Alarm":
            self.raise_alarm(0)

    def raise_alarm(self, number: int) -> NoReturn:
        """Raise the alarm with its sentence."""
        if not number:
            raise ControllerAlarm("the controller is in alarm; home it with 'damludo gantry home'")
        raise ControllerAlarm(f"ALARM {number}: {self.dialect.alarm(number).text}", number)


def _warnings(machine: MachineSettings) -> Iterator[str]:
    if not machine.homing:
        yield (
            "homing is switched off in the controller ($22=0); the machine cannot be used without it: change that with "
            "'damludo gantry settings 22=1'"
        )
    if not machine.motors_stay_on:
        yield (
            "the motors are released after a move ($1 is not 255), so the carriage may drift: change that with "
            "'damludo gantry settings 1=255'"
        )
