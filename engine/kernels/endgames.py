"""Reading endgame tables.

The entries of the tables are bytes, eight in each place of `memory` from a given place on. 0 is a draw (or, while the
tables are made, not known yet); otherwise the entry is 1 + the number of plies to the end. The side without a move ends the
game, so odd entries are those where the side to move ends as it does: lost in most games, won where the stuck player wins.

Positions with the same *balance* have their entries side by side. A balance says how many men and kings the side to move
has, and how many the other:

    bits  0-1 own men    2-3 own kings    4-5 the other's men    6-7 the other's kings

Within a balance an entry's number has four digits, one for each of these sets of pieces: the set's number among all sets of
its size, s1 < s2 < ... < sn being numbered C(s1, 1) + C(s2, 2) + ... + C(sn, n). Squares are counted within a *group*: 0 and
1 are those where men of White and of Black can stand, which is nowhere that they would be kings, 2 are all squares. Entries
whose sets overlap mean nothing and stay 0.

Where Black is to move the board is turned by half a turn; in games that are not the same for both sides Black has entries of
its own.
"""

from damludo.engine.kernels.constants import BALANCE_FROM, BINOMIAL, NUMBERS, SYMMETRIC, WAYS, WIDTH, Ints, Set
from damludo.engine.kernels.whole import count, first, rest, some, turned


def number_of(squares: Set, group: int) -> int:
    """The number of a set among the sets of its size on the squares of a group."""
    number = 0
    chosen = 0
    while some(squares):
        chosen += 1
        number += BINOMIAL[NUMBERS[group * WIDTH + first(squares)] * 8 + chosen]
        squares = rest(squares)
    return number


def entry_of_mover(own: Set, opp: Set, kings: Set, side: int) -> int:
    """The number of a position's entry; the board is turned already where that is to be."""
    men = own & ~kings
    royal = own & kings
    their_men = opp & ~kings
    their_royal = opp & kings
    balance = count(men) | (count(royal) << 2) | (count(their_men) << 4) | (count(their_royal) << 6)
    entry = number_of(men, side)
    entry = entry * WAYS[16 + count(royal)] + number_of(royal, 2)
    entry = entry * WAYS[(1 - side) * 8 + count(their_men)] + number_of(their_men, 1 - side)
    entry = entry * WAYS[16 + count(their_royal)] + number_of(their_royal, 2)
    return BALANCE_FROM[side * 256 + balance] + entry


def entry_of(own: Set, opp: Set, kings: Set, side: int) -> int:
    """The number of a position's entry; both sides have pieces, no man stands where it would be a king."""
    if SYMMETRIC and side == 1:
        return entry_of_mover(turned(own), turned(opp), turned(kings), 0)
    return entry_of_mover(own, opp, kings, side)


def look_up(entry: int, start: int, memory: Ints) -> int:
    """An entry of the tables that begin at a place."""
    return (memory[start + (entry >> 3)] >> ((entry & 7) * 8)) & 255
