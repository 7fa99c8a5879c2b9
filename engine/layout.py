"""A game's board on bits, and the game's traits as constants for the kernels.

Every square gets a bit number, linear in file and rank, so that one step in a direction is one shift. On boards where the dark
squares alone are used two rows and a bit that stays empty share the width of one row of the full board, so a step over the rim
falls on a bit that is no square; where a board has no room for such bits, masks say which squares have a step at all.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from damludo.rules.geometry import ORTHOGONALS, Board, Step
from damludo.rules.position import Colour, Kind, piece_of
from damludo.rules.tables import tables_of
from damludo.rules.traits import InCapture, Jump, Mover, Preference, Removal, Turning, Variant

KINDS = (Kind.MAN, Kind.KING, Kind.PARACHUTIST)
"""A kind's number in the kernels is its place here."""
MAN, KING, EXTRA = range(3)
WORD = 64
HALF = 39
"""Bits in each word of a pair: two words hold the 12x12 board."""
LOW = (1 << HALF) - 1
NOWHERE = -1
EITHER = 2
"""Stands for both sides."""


class Bits(int):
    """A set of squares, one bit each: how it is written down depends on the width of the machine's words."""


Value = int | bool | Bits | tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A constant that is looked up with a computed index."""

    values: tuple[int, ...]


_Entry = tuple[int, int, tuple[Value, ...]] | tuple[int, int, tuple[Value, ...], tuple[Value, ...]]
"""Side (or EITHER), kind, and what such a piece can do."""

Constants = dict[str, Value | Table]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the squares of a board lie in a word.

    Attributes:
        bit_of: bit number of each square of `rules`.
        square_of: the square of each bit number; NOWHERE for bits that are no square.
        per_file, per_rank: what a step to the right and a step up add to twice the bit number.
    """

    bit_of: tuple[int, ...]
    square_of: tuple[int, ...]
    per_file: int
    per_rank: int

    @property
    def width(self) -> int:
        """Number of bits, unused ones among them included."""
        return len(self.square_of)

    def shift(self, step: Step) -> int:
        """Return what a step adds to the bit number."""
        return (step[0] * self.per_file + step[1] * self.per_rank) // 2

    def bits(self, squares: Iterable[int]) -> Bits:
        """Return the set of some squares."""
        return Bits(sum(1 << self.bit_of[square] for square in squares))


@cache
def layout_of(board: Board) -> Layout:
    """Return the layout of a board."""
    columns, rows = board.columns, board.rows
    parities = {sum(divmod(square, columns)) % 2 for square in board.playable}
    if len(parities) == 1:
        per_file, per_rank = 1, columns + 1
    else:
        spare = 1 if (columns + 1) * rows <= WORD else 0
        per_file, per_rank = 2, 2 * (columns + spare)
    lowest = min(_twice_the_bit(square, columns, per_file, per_rank) // 2 for square in board.playable)
    bit_of = [NOWHERE] * (columns * rows)
    for square in board.playable:
        bit_of[square] = _twice_the_bit(square, columns, per_file, per_rank) // 2 - lowest
    square_of = [NOWHERE] * (max(bit_of) + 1)
    for square in board.playable:
        square_of[bit_of[square]] = square
    return Layout(tuple(bit_of), tuple(square_of), per_file, per_rank)


def _twice_the_bit(square: int, columns: int, per_file: int, per_rank: int) -> int:
    rank, file = divmod(square, columns)
    return file * per_file + rank * per_rank


@cache
def constants_of(variant: Variant) -> Constants:
    """Return everything the kernels know of a game; `kernels/constants.py` says what each name means."""
    return _Traits(variant).constants()


@dataclass(frozen=True, slots=True)
class _Line:
    """A way to capture along: the step as White sees it, and the jump's properties."""

    step: Step
    jump: Jump


class _Traits:
    """Turns the traits of a variant into numbers."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.layout = layout_of(variant.board)
        self.board = self.layout.bits(variant.board.playable)
        self.ways = sorted({self._turned(colour, step) for colour in Colour for step in self._all_steps()})

    def constants(self) -> Constants:
        variant, layout = self.variant, self.layout
        kings = variant.movers.get(Kind.KING)
        constants: Constants = {
            "WIDTH": layout.width,
            "BOARD": self.board,
            "EMPTY": Bits(0),
            "HAS_EXTRA": Kind.PARACHUTIST in variant.movers,
            "HAS_KINGS": kings is not None,
            "AT_ONCE": variant.removal is Removal.AT_ONCE,
            "MAY_STOP": variant.may_stop,
            "NO_REVERSAL": variant.turning is Turning.NO_REVERSAL,
            "STRAIGHT": variant.turning is Turning.STRAIGHT,
            "PREFERENCE": tuple(list(Preference).index(property_) for property_ in variant.preference),
            "RANKS_KINGS": bool(set(variant.preference) - {Preference.MOST_PIECES, Preference.BY_KING}),
            "OPENING": variant.opening is not None,
            "OPENING_FIRST": layout.bits(variant.opening.first if variant.opening else ()),
            "STUCK_WINS": variant.stuck_player_wins,
            "CROWN_STOPS": self._in_capture(InCapture.STOP),
            "CROWN_GOES_ON": self._in_capture(InCapture.GO_ON),
            "BECOMES": self._becomes(),
            "CROWNING_GOES_ON": any(
                promotion.in_capture is InCapture.GO_ON for promotion in variant.promotions.values()
            ),
            "NEXT": self._next(),
            "OPPOSITE": self._opposite(),
            "NEIGHBOUR_WAYS": tuple(self.ways.index(step) for step in ORTHOGONALS) if variant.opening else (),
        }
        constants.update(self._quiet())
        constants.update(self._captures())
        return constants

    def _all_steps(self) -> set[Step]:
        movers = self.variant.movers.values()
        jumps = [jump for mover in movers for jump in (*mover.jumps, *(mover.later_jumps or ()))]
        steps = {step for mover in movers for step in mover.steps} | {
            step for jump in jumps for step in jump.directions
        }
        return steps | {(-x, -y) for x, y in steps} | (set(ORTHOGONALS) if self.variant.opening else set())

    def _turned(self, colour: Colour, step: Step) -> Step:
        return step[0], step[1] * self.variant.forward[colour]

    def _kinds(self) -> list[tuple[int, Mover]]:
        return [(number, self.variant.movers[kind]) for number, kind in enumerate(KINDS) if kind in self.variant.movers]

    def _mask(self, squares: frozenset[int], step: Step, length: int) -> Bits:
        """The squares with that many steps before the rim; everything where a step over the rim falls on no square anyway."""
        shift = self.layout.shift(step)
        inside = {square for square in squares if len(self.variant.board.ray(square, step)) >= length}
        outside = frozenset(self.variant.board.playable) - inside
        targets = {self.layout.bit_of[square] + shift for square in outside}
        # A word that is full has its sign at the last square, and a shift to the right would spread it.
        falls_on_a_square = any(0 <= target < self.layout.width and self.board >> target & 1 for target in targets)
        if self.layout.width != WORD and not falls_on_a_square:
            return Bits(-1)
        return self.layout.bits(inside)

    def _quiet(self) -> Constants:
        short: list[_Entry] = []
        slides: list[_Entry] = []
        for colour in Colour:
            for number, mover in self._kinds():
                steps = sorted(self._turned(colour, step) for step in mover.steps)
                starts = frozenset(
                    square
                    for square in self.variant.board.playable
                    if mover.steps_from_last_row or self.variant.board.ray(square, self._turned(colour, (0, 1)))
                )
                if mover.far_steps:
                    slides.append((int(colour), number, tuple(self.ways.index(step) for step in steps)))
                elif steps:
                    pairs = tuple(
                        (self.layout.shift(step), self._mask(starts, step, 1), mover.linear) for step in steps
                    )
                    short.append((int(colour), number, pairs))
        return {"SHORT_STEPS": _merged(short), "SLIDES": _merged(slides)}

    def _captures(self) -> Constants:
        lines: list[_Line] = []
        used: list[int] = []
        starts = [0]
        short: list[_Entry] = []
        followed: list[_Entry] = []
        afar: list[_Entry] = []
        for later in (False, True):
            for colour in Colour:
                for kind in KINDS:
                    mover = self.variant.movers.get(kind)
                    jumps = ((mover.later_jumps if later else None) or mover.jumps) if mover else ()
                    for line in (_Line(self._turned(colour, step), jump) for jump in jumps for step in jump.directions):
                        if line not in lines:
                            lines.append(line)
                        used.append(lines.index(line))
                    starts.append(len(used))
                    if not later and mover:
                        near, far = self._first_jumps(colour, mover)
                        short += [(int(colour), KINDS.index(kind), near)] if near else []
                        followed += (
                            [(int(colour), KINDS.index(kind), near, self._next_jumps(colour, mover))] if near else []
                        )
                        afar += [(int(colour), KINDS.index(kind), far)] if far else []
        return {
            "SHORT_JUMPS": _merged(short),
            "FOLLOWED_JUMPS": _merged(followed),
            "AFAR_JUMPS": _merged(afar),
            "LINES_FROM": Table(tuple(starts)),
            "LINES": Table(tuple(used)),
            "LINE_WAY": Table(tuple(self.ways.index(line.step) for line in lines)),
            "LINE_AFAR": Table(tuple(int(line.jump.from_afar) for line in lines)),
            "LINE_FAR": Table(tuple(int(line.jump.lands_far) for line in lines)),
            "LINE_VICTIMS": Table(tuple(_victims(line.jump) for line in lines)),
            "SELECTIVE": any(_victims(line.jump) != self._everything() for line in lines),
        }

    def _everything(self) -> int:
        return _victims(Jump(()))

    def _next_jumps(self, colour: Colour, mover: Mover) -> tuple[Value, ...]:
        return self._jumps(colour, mover.later_jumps or mover.jumps)[0]

    def _first_jumps(self, colour: Colour, mover: Mover) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        return self._jumps(colour, mover.jumps)

    def _jumps(self, colour: Colour, jumps: tuple[Jump, ...]) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        """The short jumps as (shift, mask, victims) and those from afar as (way, victims)."""
        near: list[tuple[int, Bits, int]] = []
        far: list[tuple[int, int]] = []
        everywhere = frozenset(self.variant.board.playable)
        for jump in jumps:
            for step in (self._turned(colour, step) for step in jump.directions):
                victims = _victims(jump)
                code = 0 if victims == self._everything() else victims
                if jump.from_afar:
                    far.append((self.ways.index(step), code))
                else:
                    near.append((self.layout.shift(step), self._mask(everywhere, step, 2), code))
        return tuple(sorted(near)), tuple(sorted(far))

    def _next(self) -> Table:
        bit_of, square_of = self.layout.bit_of, self.layout.square_of
        values = []
        for way in self.ways:
            for square in square_of:
                ray = self.variant.board.ray(square, way) if square != NOWHERE else ()
                values.append(bit_of[ray[0]] if ray else NOWHERE)
        return Table(tuple(values))

    def _opposite(self) -> Table:
        return Table(tuple(self.ways.index((-x, -y)) for x, y in self.ways))

    def _becomes(self) -> Table:
        """What a piece is after landing, index (side * 3 + kind) * WIDTH + bit."""
        crown = tables_of(self.variant).crown
        values = []
        for colour in Colour:
            for number, kind in enumerate(KINDS):
                row = crown[piece_of(colour, kind)]
                promotion = self.variant.promotions.get(kind)
                after = KINDS.index(promotion.becomes) if promotion else number
                values += [after if square != NOWHERE and row[square] else number for square in self.layout.square_of]
        return Table(tuple(values))

    def _in_capture(self, what: InCapture) -> Table:
        promotions = (self.variant.promotions.get(kind) for kind in KINDS)
        return Table(tuple(int(promotion is not None and promotion.in_capture is what) for promotion in promotions))


def _merged(entries: list[_Entry]) -> tuple[_Entry, ...]:
    """Give what is the same for both sides once."""
    both = {entry[1:] for entry in entries if entry[0] == 0} & {entry[1:] for entry in entries if entry[0] == 1}
    shared = [(EITHER, *entry[1:]) for entry in entries if entry[0] == 0 and entry[1:] in both]
    return (*(entry for entry in entries if entry[1:] not in both), *shared)


def _victims(jump: Jump) -> int:
    """The kinds a jump may take, one bit each."""
    return sum(1 << number for number, kind in enumerate(KINDS) if kind in jump.victims)
