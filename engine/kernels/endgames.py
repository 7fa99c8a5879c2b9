"""Reading endgame tables.

The entries of the tables are bytes, eight in each place of `memory` from a given place on. 0 is a draw (or, while the
tables are made, not known yet); otherwise the entry is 1 + the number of plies to the end. The side without a move ends the
game, so odd entries are those where the side to move ends as it does: lost in most games, won where the stuck player wins.

An entry's number is made of the occupied squares and of what stands on them, both seen by the side to move: the board is
turned by half a turn where Black is to move (in games that are not the same for both sides Black has entries of its own).

    squares s1 < s2 < ... < sn          rank  = C(s1, 1) + C(s2, 2) + ... + C(sn, n)
    digits in base 4, one each piece    0 own man, 1 own king, 2 the other's man, 3 the other's king

Digits that give one side nothing are left out: CAST numbers the others.
"""

from damludo.engine.kernels.constants import (
    BINOMIAL,
    CAST,
    CASTS,
    DENSE,
    ENTRIES_FROM,
    SQUARES,
    SYMMETRIC,
    Ints,
    Set,
)
from damludo.engine.kernels.whole import count, first, has, rest, some


def entry_of(own: Set, opp: Set, kings: Set, side: int) -> int:
    """The number of a position's entry; both sides have pieces, and none is of the third kind."""
    pieces = own | opp
    size = count(pieces)
    turned = SYMMETRIC and side == 1
    rank = 0
    digits = 0
    place = 0
    while some(pieces):
        at = first(pieces)
        pieces = rest(pieces)
        digit = (0 if has(own, at) else 2) + (1 if has(kings, at) else 0)
        square = DENSE[at]
        if turned:
            # The last square becomes the first one, so its digit is the highest.
            rank += BINOMIAL[(SQUARES - 1 - square) * 8 + size - place]
            digits = digits | (digit << (2 * (size - 1 - place)))
        else:
            rank += BINOMIAL[square * 8 + place + 1]
            digits = digits | (digit << (2 * place))
        place += 1
    entry = ENTRIES_FROM[size] + rank * CASTS[size] + CAST[size * 256 + digits]
    if not SYMMETRIC and side == 1:
        entry += ENTRIES_FROM[7]
    return entry


def look_up(entry: int, start: int, memory: Ints) -> int:
    """An entry of the tables that begin at a place."""
    return (memory[start + (entry >> 3)] >> ((entry & 7) * 8)) & 255
