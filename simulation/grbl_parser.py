"""G-code of the simulated controller: words, modal groups, refusals. A dialect of its own hand, not the driver's.

Behaviour and error numbers are those of GRBL 1.1. Arcs, probing, G28/G30 and inverse time are refused as unsupported (20).
"""

from dataclasses import dataclass, field, replace
from enum import Enum

from damludo.simulation.grbl_settings import AXES, Refused, Vector

INCH_MM = 25.4

_NEGATIVE_FORBIDDEN = frozenset("FNPTS")
_KNOWN_WORDS = frozenset("FIJKLNPRSTXYZ")
_MODAL_GROUP = {
    **dict.fromkeys((0, 1, 2, 3, 80), "motion"),
    **dict.fromkeys((4, 10, 53, 92), "once"),
    **dict.fromkeys((17, 18, 19), "plane"),
    **dict.fromkeys((90, 91), "distance"),
    **dict.fromkeys((94,), "feed"),
    **dict.fromkeys((20, 21), "units"),
    **dict.fromkeys((40,), "cutter"),
    **dict.fromkeys((49,), "tool"),
    **dict.fromkeys(range(54, 60), "system"),
    **dict.fromkeys((61,), "control"),
}
_ARC_DISTANCE = (91, 10)
"""G91.1, which is the only way arcs could go; there are none."""
_M_GROUP = {0: "flow", 1: "flow", 2: "flow", 30: "flow", 3: "spindle", 4: "spindle", 5: "spindle", 8: "cool", 9: "cool"}
_TAKES_AXES = frozenset({0, 1, 2, 3, 10, 80, 92})


class Action(Enum):
    """What a block does with its axis words."""

    NONE = "none"
    MOVE = "move"
    SET_OFFSET = "G10"
    SHIFT = "G92"
    UNSHIFT = "G92.1"


@dataclass(frozen=True, slots=True)
class Modal:
    """The modes that last from line to line. `feed_mm_s` is 0 until the first F."""

    motion: int = 0
    system: int = 0  # 0 = G54
    plane: int = 17
    inches: bool = False
    relative: bool = False
    spindle: int = 5
    cool: int = 9
    feed_mm_s: float = 0.0
    power: float = 0.0
    tool: int = 0
    flow: int | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One understood line.

    Attributes:
        modal: the modes after it.
        action: what its axis words are for.
        axes: axis words in mm (missing axes are absent).
        machine: G53, the axis words are machine coordinates.
        dwell_s: of G4, None without.
        offset_index, offset_is_position: of G10: which system, and L20 (True) or L2.
    """

    modal: Modal
    action: Action = Action.NONE
    axes: dict[int, float] = field(default_factory=dict)
    machine: bool = False
    dwell_s: float | None = None
    offset_index: int = 0
    offset_is_position: bool = False


def clean(raw: str) -> str:
    """Drop blanks, control characters and comments, and write in capitals: what the parser gets to see."""
    out: list[str] = []
    inside = False
    for letter in raw:
        if inside:
            inside = letter != ")"
        elif letter == "(":
            inside = True
        elif letter == ";":
            break
        elif letter > " " and letter != "/":
            out.append(letter.upper())
    return "".join(out)


def read_number(text: str, at: int) -> tuple[float, int]:
    """Read a decimal number; return it and the place behind it.

    Raises:
        Refused: 2, there is none.
    """
    end = at
    if end < len(text) and text[end] in "+-":
        end += 1
    digits = end
    while end < len(text) and (text[end].isdigit() or (text[end] == "." and "." not in text[digits:end])):
        end += 1
    if not any(letter.isdigit() for letter in text[digits:end]):
        raise Refused(2)
    return float(text[at:end]), end


@dataclass(slots=True)
class _Words:
    """The words of one line, sorted into commands and values."""

    groups: dict[str, int] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    axis_command: int | None = None
    unshift: bool = False

    def add(self, letter: str, value: float) -> None:
        if letter == "G":
            self._command(value)
        elif letter == "M":
            whole, rest = _split(value)
            if rest:
                raise Refused(23)
            self._claim(_M_GROUP, whole)
        elif letter not in _KNOWN_WORDS:
            raise Refused(20)
        elif letter in self.values:
            raise Refused(25)
        elif letter in _NEGATIVE_FORBIDDEN and value < 0:
            raise Refused(4)
        else:
            self.values[letter] = value

    def _command(self, value: float) -> None:
        whole, rest = _split(value)
        if (whole, rest) == _ARC_DISTANCE:
            return
        self.unshift |= whole == 92 and rest == 10
        if whole in _TAKES_AXES and not self.unshift:
            if self.axis_command is not None:
                raise Refused(24 if _MODAL_GROUP[whole] != _MODAL_GROUP[self.axis_command] else 21)
            self.axis_command = whole
        self._claim(_MODAL_GROUP, whole)
        if rest and not self.unshift:
            raise Refused(23 if whole != 92 else 20)

    def _claim(self, groups: dict[int, str], code: int) -> None:
        group = groups.get(code)
        if group is None:
            raise Refused(20)
        if group in self.groups:
            raise Refused(21)
        self.groups[group] = code


def _split(value: float) -> tuple[int, int]:
    # The command number is one byte wide on the controller: M400 becomes 144 with a rest, hence error 23 and not 20.
    whole = int(value) & 255
    return whole, round(100 * (value - whole))


def _read_words(text: str) -> _Words:
    words = _Words()
    at = 0
    while at < len(text):
        letter = text[at]
        if not "A" <= letter <= "Z":
            raise Refused(1)
        value, at = read_number(text, at + 1)
        words.add(letter, value)
    return words


def parse(text: str, modal: Modal) -> Block:
    """Understand one cleaned line.

    Raises:
        Refused: the number GRBL gives.
    """
    words = _read_words(text)
    after = _modes(words, modal)
    values = words.values
    scale = INCH_MM if after.inches else 1.0
    axes = {i: values.pop(name) * scale for i, name in enumerate(AXES) if name in values}
    action = _action(words, axes)
    dwell = None
    offset_index, is_position = after.system, False
    once = words.groups.get("once")
    if once == 4:
        dwell = _take(values, "P")
    elif once == 10:
        offset_index, is_position = _offset_words(values, axes, after.system)
    if once == 53 and (action is not Action.MOVE or after.motion not in (0, 1)) and axes:
        raise Refused(30)
    if action is Action.MOVE:
        action = _check_move(words, axes, after)
    values.pop("N", None)
    if values:
        raise Refused(36)
    return Block(after, action, axes, once == 53, dwell, offset_index, is_position)


def _modes(words: _Words, modal: Modal) -> Modal:
    groups, values = words.groups, words.values
    if values.get("N", 0) > 10_000_000:
        raise Refused(27)
    tool = values.pop("T", float(modal.tool))
    if tool > 255:
        raise Refused(38)
    inches = groups["units"] == 20 if "units" in groups else modal.inches
    feed = values.pop("F") * (INCH_MM if inches else 1.0) / 60.0 if "F" in values else modal.feed_mm_s
    return Modal(
        motion=groups.get("motion", modal.motion),
        system=groups["system"] - 54 if "system" in groups else modal.system,
        plane=groups.get("plane", modal.plane),
        inches=inches,
        relative=groups["distance"] == 91 if "distance" in groups else modal.relative,
        spindle=groups.get("spindle", modal.spindle),
        cool=groups.get("cool", modal.cool),
        feed_mm_s=feed,
        power=values.pop("S", modal.power),
        tool=int(tool),
        flow=groups.get("flow"),
    )


def _action(words: _Words, axes: dict[int, float]) -> Action:
    command = words.axis_command
    if words.unshift:
        return Action.UNSHIFT
    if command == 10:
        return Action.SET_OFFSET
    if command == 92:
        if not axes:
            raise Refused(26)
        return Action.SHIFT
    return Action.MOVE if command is not None or axes else Action.NONE


def _take(values: dict[str, float], letter: str) -> float:
    if letter not in values:
        raise Refused(28)
    return values.pop(letter)


def _offset_words(values: dict[str, float], axes: dict[int, float], system: int) -> tuple[int, bool]:
    if not axes:
        raise Refused(26)
    number, kind = int(_take(values, "P")), int(_take(values, "L"))
    if number > 6:
        raise Refused(29)
    if kind not in (2, 20) or "R" in values:
        raise Refused(20)
    return (number - 1 if number else system), kind == 20


def _check_move(words: _Words, axes: dict[int, float], after: Modal) -> Action:
    if after.motion == 80:
        if axes:
            raise Refused(31)
        return Action.NONE
    if after.motion != 0 and after.feed_mm_s == 0:
        raise Refused(22)
    if after.motion in (2, 3):
        raise Refused(20 if axes else 26)
    return Action.MOVE if axes else Action.NONE


def parse_jog(text: str, modal: Modal) -> Block:
    """Understand what follows `$J=`; the modes stay as they were.

    Raises:
        Refused: 16 for words that a jog must not have, 22 without F.
    """
    words = _read_words(text)
    foreign = set(words.groups) - {"units", "distance", "once"}
    if foreign or words.groups.get("once", 53) != 53:
        raise Refused(16)
    if "F" not in words.values or not words.values["F"]:
        raise Refused(22)
    after = replace(_modes(words, modal), motion=1)
    scale = INCH_MM if after.inches else 1.0
    axes = {i: words.values.pop(name) * scale for i, name in enumerate(AXES) if name in words.values}
    words.values.pop("N", None)
    if words.values:
        raise Refused(36)
    if not axes:
        raise Refused(26)
    return Block(after, Action.MOVE, axes, words.groups.get("once") == 53)


def move_target(block: Block, position: Vector, work_offset: Vector) -> Vector:
    """Return where a motion block leads, machine mm. `position` is where the previous one leads."""
    target = list(position)
    for axis, value in block.axes.items():
        if block.machine:
            target[axis] = value
        elif block.modal.relative:
            target[axis] = position[axis] + value
        else:
            target[axis] = value + work_offset[axis]
    return target[0], target[1], target[2]
