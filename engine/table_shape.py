"""The shape of a game's endgame tables as constants: see `kernels/endgames.py`."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import comb, prod

from damludo.engine.layout import NOWHERE, Constants, Table, layout_of
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import Variant

MOST_PIECES = 4


@dataclass(frozen=True, slots=True)
class Stretch:
    """The entries of one balance of pieces, side by side.

    Attributes:
        side: who is to move; always 0 in games that are the same for both sides.
        balance: as the kernels write it.
        pieces: their number, both sides together.
        start, entries: of the stretch.
    """

    side: int
    balance: int
    pieces: int
    start: int
    entries: int


@cache
def stretches(variant: Variant) -> tuple[Stretch, ...]:
    """Return the stretches of a game's tables in their order: tables with fewer pieces are the beginning of larger ones."""
    found: list[Stretch] = []
    start = 0
    for pieces in range(2, MOST_PIECES + 1):
        for side in (0,) if is_symmetric(variant) else (0, 1):
            for men, kings, their_men, their_kings in _balances(pieces):
                entries = prod(
                    comb(len(squares), size)
                    for squares, size in (
                        (men_squares(variant, Colour(side)), men),
                        (_king_squares(variant), kings),
                        (men_squares(variant, Colour(side).other), their_men),
                        (_king_squares(variant), their_kings),
                    )
                )
                balance = men | kings << 2 | their_men << 4 | their_kings << 6
                found.append(Stretch(side, balance, pieces, start, entries))
                start += entries
    return tuple(found)


def _balances(pieces: int) -> Iterator[tuple[int, int, int, int]]:
    for men, kings, their_men in product(range(pieces), repeat=3):
        their_kings = pieces - men - kings - their_men
        if men + kings > 0 and their_kings >= 0 and their_men + their_kings > 0:
            yield men, kings, their_men, their_kings


def men_squares(variant: Variant, colour: Colour) -> tuple[int, ...]:
    """Return where men can stand: where they would be crowned they are no men."""
    promotion = variant.promotions.get(Kind.MAN)
    crowning = promotion.squares[colour] if promotion else ()
    return tuple(square for square in variant.board.playable if square not in crowning)


def _king_squares(variant: Variant) -> tuple[int, ...]:
    return variant.board.playable if Kind.KING in variant.movers else ()


def table_shape(variant: Variant) -> Constants:
    """Return the constants of the tables."""
    layout = layout_of(variant.board)
    squares = len(variant.board.playable)
    numbers: list[int] = []
    places: list[int] = []
    ways: list[int] = []
    for group in (men_squares(variant, Colour.WHITE), men_squares(variant, Colour.BLACK), _king_squares(variant)):
        bits = sorted(layout.bit_of[square] for square in group)
        numbers += [bits.index(bit) if bit in bits else NOWHERE for bit in range(layout.width)]
        places += bits + [NOWHERE] * (squares - len(bits))
        ways += [comb(len(bits), size) for size in range(8)]
    starts = [NOWHERE] * 512
    for stretch in stretches(variant):
        starts[256 * stretch.side + stretch.balance] = stretch.start
    return {
        "SQUARES": squares,
        "SYMMETRIC": is_symmetric(variant),
        "NUMBERS": Table(tuple(numbers)),
        "PLACE_OF": Table(tuple(places)),
        "WAYS": Table(tuple(ways)),
        "BINOMIAL": Table(tuple(comb(n, k) for n in range(squares) for k in range(8))),
        "BALANCE_FROM": Table(tuple(starts)),
    }


def is_symmetric(variant: Variant) -> bool:
    """Return whether a game is the same for both sides when the board is turned."""
    last = variant.board.columns * variant.board.rows - 1
    playable = set(variant.board.playable)
    crowns = all(
        {last - square for square in promotion.squares[Colour.WHITE]} == promotion.squares[Colour.BLACK]
        for promotion in variant.promotions.values()
    )
    return crowns and variant.forward == (1, -1) and {last - square for square in playable} == playable
