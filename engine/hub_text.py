"""Lines, positions and moves as the Hub protocols write them; the two sides of a dialogue share this.

A line of Hub 2 is a word with `name=value` and bare names behind it; a value with a space, with "=" or with nothing in it stands
in double quotes. A position is a letter for the side to move and one for each field in the order of the game's field numbers.
Hub knows draughts on 50 fields alone: longer and shorter strings, and `x` `y` for parachutists, are our extension.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from damludo.engine.errors import BadHubLine
from damludo.rules.moves import Move
from damludo.rules.position import Colour, Position
from damludo.rules.traits import Variant

LONGEST_LINE = 65_536
"""More characters of a line are not read."""
FIELD_LETTERS = "ewWbBxy"
"""What stands on a field, in the order of `rules.position.Piece`."""
SIDES = "WB"

_ARGUMENT = re.compile(r'\s+(?:(?P<name>[A-Za-z][\w-]*)=(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]*))|(?P<flag>[^\s="]+))')


@dataclass(frozen=True, slots=True)
class Line:
    """One line of Hub 2.

    Attributes:
        word: what it is about.
        values: the named arguments; of two with one name the last.
        flags: the arguments without a value.
    """

    word: str
    values: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def read_line(text: str) -> Line:
    """Return what a line says.

    Raises:
        BadHubLine: a quote has no end, or something is no argument.
    """
    text = text.strip()
    word, at = text.split(maxsplit=1)[0] if text else "", 0
    at = len(word)
    values: dict[str, str] = {}
    flags: list[str] = []
    while at < len(text):
        found = _ARGUMENT.match(text, at)
        if found is None:
            raise BadHubLine(
                f"{text[at : at + 30].strip()!r} is not name=value; write a value with spaces in double quotes"
            )
        if found["name"] is None:
            flags.append(found["flag"])
        else:
            values[found["name"]] = found["bare"] if found["quoted"] is None else found["quoted"]
        at = found.end()
    return Line(word, values, tuple(flags))


def write_line(word: str, values: Mapping[str, object] | None = None, flags: Sequence[str] = ()) -> str:
    """Return the text of a line."""
    named = [f"{name}={_quoted(str(value))}" for name, value in (values or {}).items()]
    return " ".join((word, *flags, *named))


def _quoted(value: str) -> str:
    clean = value.replace('"', "'").replace("\n", " ")
    return f'"{clean}"' if not clean or " " in clean or "=" in clean else clean


def write_position(variant: Variant, position: Position, lower_side: bool = False) -> str:
    """Return a position's string; Hub 1 wants the side in lower case."""
    side = SIDES[position.side]
    fields = "".join(FIELD_LETTERS[position.cells[square]] for square in variant.board.numbers)
    return (side.lower() if lower_side else side) + fields


def read_position(variant: Variant, text: str) -> Position:
    """Return the position of a string, of either Hub.

    Raises:
        BadHubLine: its length is not that of the game's board, or a letter stands for nothing in this game.
    """
    numbers = variant.board.numbers
    if len(text) != len(numbers) + 1:
        raise BadHubLine(
            f"the position has {len(text)} characters, {variant.key} needs {len(numbers) + 1}: the side to move and "
            f"{len(numbers)} fields; set the parameter 'variant' before the position"
        )
    side = SIDES.find(text[0].upper())
    if side < 0:
        raise BadHubLine(f"the position begins with {text[0]!r}; W or B must say who is to move")
    cells = bytearray(variant.board.columns * variant.board.rows)
    for number, (square, letter) in enumerate(zip(numbers, text[1:], strict=True), 1):
        code = FIELD_LETTERS.find(letter)
        if code < 0:
            raise BadHubLine(f"{letter!r} on field {number} stands for nothing; fields hold w b W B x y or e")
        cells[square] = code
    position = Position(bytes(cells), Colour(side))
    missing = next((square for square in numbers if not _exists(variant, position, square)), None)
    if missing is not None:
        raise BadHubLine(f"field {variant.board.number(missing)} holds a piece that {variant.key} does not have")
    return position


def _exists(variant: Variant, position: Position, square: int) -> bool:
    kind = position.at(square).kind
    return kind is None or kind in variant.movers


def write_move(variant: Variant, move: Move) -> str:
    """Return a move: "32-28"; a capture with every captured field, "28x19x23"."""
    number = variant.board.number
    ends = (number(move.origin), number(move.target))
    if not move.captures:
        return f"{ends[0]}-{ends[1]}"
    return "x".join(str(field_) for field_ in (*ends, *sorted(number(square) for square in move.captures)))


_MOVE = re.compile(r"\d{1,3}(?:-\d{1,3}|(?:x\d{1,3})+)")


def find_move(variant: Variant, text: str, legal: Sequence[Move]) -> Move | None:
    """Return the legal move that a text means; None if none does, or the short form "28x19" can mean several.

    Moves that differ only in what the piece becomes are written alike: the first of them is meant.
    """
    if len(text) > 500 or _MOVE.fullmatch(text) is None:
        return None
    origin, target, *taken = (int(number) for number in re.split("[-x]", text))
    number = variant.board.number
    ends = [move for move in legal if (number(move.origin), number(move.target)) == (origin, target)]
    fitting = [move for move in ends if ("x" in text) == bool(move.captures)]
    if taken:
        return next((move for move in fitting if sorted(map(number, move.captures)) == sorted(taken)), None)
    return fitting[0] if len({frozenset(move.captures) for move in fitting}) == 1 else None
