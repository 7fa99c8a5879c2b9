"""Values to G-code lines, and lines of the controller to values. The one place that knows mm/min."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from damludo.robot.dialect import Dialect
from damludo.robot.errors import RobotError
from damludo.robot.frames import GantryPoint
from damludo.robot.machine import SECONDS_PER_MINUTE, MachineSettings, Triple
from damludo.robot.motion import Dwell, Magnet, MotionPlan, Step, Travel


@dataclass(frozen=True, slots=True)
class Ok:
    """A line was taken."""


@dataclass(frozen=True, slots=True)
class Error:
    """A line was refused."""

    number: int


@dataclass(frozen=True, slots=True)
class Alarm:
    """The controller stopped by itself."""

    number: int


@dataclass(frozen=True, slots=True)
class Status:
    """A status report.

    Attributes:
        state: first word, such as "Idle", "Run", "Hold", "Alarm", "Home".
        detail: number after the state: `Hold:0` stands, `Hold:1` still slows down; None if there is none.
        machine: MPos, machine coordinates in mm; None if the report has WPos.
        work: WPos; None if the report has MPos.
        offset: WCO, which comes only now and then; MPos = WPos + WCO.
        spindle: second number of FS: the magnet's power, 0 when off; None if the firmware does not say.
        pins: letters of the inputs that are active.
    """

    state: str
    detail: int | None = None
    machine: Triple | None = None
    work: Triple | None = None
    offset: Triple | None = None
    spindle: float | None = None
    pins: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A line in square brackets."""

    text: str


@dataclass(frozen=True, slots=True)
class Banner:
    """The greeting of a controller that has just started: whatever was known of it is void."""

    text: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the settings."""

    number: int
    value: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything else: empty lines, noise, another firmware's talk."""

    text: str = field(default="")


Answer = Ok | Error | Alarm | Status | Message | Banner | Setting | Unknown

_ERROR = re.compile(r"^error:(\d{1,4})$")
_ALARM = re.compile(r"^ALARM:(\d{1,4})$")
_SETTING = re.compile(r"^\$(\d{1,4})=(.{1,80}?)(\s*\(.*\))?$")
# Two reports may be torn into each other; the last whole one counts.
_REPORT = re.compile(r"<([^<>]*)>")
_STATE = re.compile(r"^([A-Z][a-z]{1,11})(?::(\d))?$")


def parse(line: str, dialect: Dialect) -> Answer:
    """Sort a line of the controller by its kind; never raises."""
    text = line.strip()
    if text == "ok":
        return Ok()
    if dialect.greeting.match(text):
        return Banner(text)
    for pattern, kind in ((_ERROR, Error), (_ALARM, Alarm)):
        found = pattern.match(text)
        if found:
            return kind(int(found[1]))
    setting = _SETTING.match(text)
    if setting:
        return Setting(int(setting[1]), setting[2].strip())
    if text.startswith("[") and text.endswith("]"):
        return Message(text[1:-1])
    reports = _REPORT.findall(text)
    status = _status(reports[-1]) if reports else None
    return status if status is not None else Unknown(text)


def _status(body: str) -> Status | None:
    """Read what stands between `<` and `>`; None if it is no report. Unknown fields are skipped."""
    first, *rest = body.split("|")
    state = _STATE.match(first)
    if state is None:
        return None
    fields = dict(part.split(":", 1) for part in rest if ":" in part)
    speeds = _numbers(fields.get("FS", ""))
    return Status(
        state=state[1],
        detail=int(state[2]) if state[2] else None,
        machine=_triple(fields.get("MPos")),
        work=_triple(fields.get("WPos")),
        offset=_triple(fields.get("WCO")),
        spindle=speeds[1] if len(speeds) == 2 else None,
        pins=fields.get("Pn", ""),
    )


_DECIMAL = re.compile(r"^-?[0-9]{1,7}(\.[0-9]{1,6})?$")


def _numbers(text: str) -> list[float]:
    """Return the numbers of a comma list; empty if one of them is none (a byte was lost)."""
    parts = text.split(",")
    return [float(part) for part in parts] if all(_DECIMAL.match(part) for part in parts) else []


def _triple(text: str | None) -> Triple | None:
    numbers = _numbers(text) if text is not None else []
    # A fourth axis of a relative is not ours.
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) >= 3 else None


def number(value: float, decimals: int = 3) -> str:
    """Write a number in fixed point.

    Raises:
        RobotError: the value is not finite.
    """
    if not math.isfinite(value):
        raise RobotError(
            f"a coordinate is {value}, which is no number; this is a fault of the program, nothing was sent"
        )
    text = f"{value:.{decimals}f}"
    return text[1:] if float(text) == 0 and text.startswith("-") else text


def line_of(step: Step, at: GantryPoint, dialect: Dialect, machine: MachineSettings) -> str:
    """Write one step as a line; `at` is where the carriage stands after it.

    G53 makes the coordinates those of the machine, whatever work offsets the controller remembers.
    """
    if isinstance(step, Magnet):
        return dialect.magnet_on if step.on else dialect.magnet_off
    if isinstance(step, Dwell):
        return f"G4 P{number(step.duration_s)}"
    x, y, z = machine.to_machine(at)
    target = f"X{number(x)} Y{number(y)}" if isinstance(step, Travel) else f"Z{number(z)}"
    feed_mm_per_min = step.speed_mm_per_s * SECONDS_PER_MINUTE
    return f"G53 G1 {target} F{number(feed_mm_per_min, 1)}"


class Order(NamedTuple):
    """One line with what is known when it is done."""

    text: str
    at: GantryPoint
    duration_s: float
    blocks: bool  # answered only after all motion before it, and after its own time
    magnet: bool | None  # what the magnet is after it; None: unchanged


def orders(plan: MotionPlan, dialect: Dialect, machine: MachineSettings) -> Iterator[Order]:
    """Write a whole plan: modes, the steps, the barrier."""
    yield Order(dialect.modes, plan.start, 0.0, False, None)
    for step, at in plan.walk():
        blocks = isinstance(step, Magnet | Dwell)
        magnet = step.on if isinstance(step, Magnet) else None
        yield Order(line_of(step, at, dialect, machine), at, step.duration_s, blocks, magnet)
    yield Order(dialect.barrier, plan.end, 0.0, True, None)


def program(plan: MotionPlan, dialect: Dialect, machine: MachineSettings) -> tuple[str, ...]:
    """Return all lines of a plan."""
    return tuple(order.text for order in orders(plan, dialect, machine))
