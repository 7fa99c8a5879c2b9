"""The draw rules along a line: moves without progress, repetition, too few pieces."""

from damludo.engine.kernels.constants import BARE, MAN_RETURNS, RULES, Ints, Set
from damludo.engine.kernels.places import COMING, COUNTERS, PATH, ROOT
from damludo.engine.kernels.whole import count, some


def balance_stands(
    own: Set, opp: Set, kings: Set, low: int, high: int, weak_low: int, weak_high: int, kings_low: int,
    kings_high: int, weak_kings: int, within: Set, weak_within: Set,
) -> bool:  # fmt: skip
    """Whether `own` has what the strong side of a draw rule has, and `opp` what the weak side has."""
    strong = count(own)
    weak = count(opp)
    if strong < low or strong > high or weak < weak_low or weak > weak_high:
        return False
    if some(own & ~within) or some(opp & ~weak_within):
        return False
    strong_kings = count(own & kings)
    return strong_kings >= kings_low and strong_kings <= kings_high and count(opp & kings) >= weak_kings


def count_plies(own: Set, opp: Set, kings: Set, side: int, ply: int, memory: Ints) -> bool:
    """Bring the counters of the draw rules up to a ply; return whether one of them makes a draw.

    A counter holds 4 * plies + who is the strong side: 1 White, 2 Black, 3 in rules without a balance, 0 where none stands.
    """
    move = memory[COMING + ply]
    here = COUNTERS + ply * 8
    events = 0
    if move >> 18 > 0:
        events = 1
    if (move >> 14) & 3 != 1:
        events = events | 2
    if (move >> 14) & 3 != (move >> 16) & 3:
        events = events | 4
    lasts = events == 0
    if MAN_RETURNS:
        lasts = events & 5 == 0
    memory[here + 7] = memory[here - 1] + 1 if lasts else 0
    white = own
    black = opp
    if side == 1:
        white = opp
        black = own
    drawn = False
    left = 1000
    total = count(own) + count(opp)
    for rule, plies, resets, strong_only, balanced, low, high, sl, sh, kl, kh, wl, wh, wk, within, weak_within in RULES:
        strong = 3
        if balanced:
            strong = 0
            if some(kings) and total >= low and total <= high:
                if balance_stands(white, black, kings, sl, sh, wl, wh, kl, kh, wk, within, weak_within):
                    strong = 1
                elif balance_stands(black, white, kings, sl, sh, wl, wh, kl, kh, wk, within, weak_within):
                    strong = 2
        before = memory[here - 8 + rule]
        counted = 0
        if events & resets == 0 and before & 3 == strong and strong != 0:
            # The mover was the other side than the one to move here.
            counted = (before >> 2) + (1 if not strong_only or strong == 2 - side else 0)
        memory[here + rule] = counted * 4 + strong
        if strong != 0 and (plies - counted) * (2 if strong_only else 1) < left:
            left = (plies - counted) * (2 if strong_only else 1)
        if counted >= plies:
            drawn = True
    memory[here + 6] = left
    return drawn


def repeats(key: int, ply: int, memory: Ints) -> bool:
    """Whether the position has been there before, in the game or in the line being searched."""
    here = PATH + memory[ROOT] + ply
    back = 4
    reach = memory[COUNTERS + ply * 8 + 7]
    if reach > memory[ROOT] + ply:
        reach = memory[ROOT] + ply
    while back <= reach:
        if memory[here - back] == key:
            return True
        back += 2
    return False


def bare_draw(own: Set, opp: Set) -> bool:
    """Whether so few are left that the game is drawn if nothing can be captured."""
    found = False
    for low, high, weak_low, weak_high in BARE:
        mine = count(own)
        theirs = count(opp)
        if mine >= low and mine <= high and theirs >= weak_low and theirs <= weak_high:
            found = True
        if theirs >= low and theirs <= high and mine >= weak_low and mine <= weak_high:
            found = True
    return found
