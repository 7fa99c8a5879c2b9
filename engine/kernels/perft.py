"""Counting the lines of play; see `rules.perft`."""

from damludo.engine.kernels.constants import (
    AFAR_JUMPS,
    BOARD,
    CROWNING_GOES_ON,
    EMPTY,
    FOLLOWED_JUMPS,
    MAY_STOP,
    OPENING,
    PREFERENCE,
    Ints,
    Set,
)
from damludo.engine.kernels.moves import after, among, capturers, captures, count_quiet, generate, of_kind
from damludo.engine.kernels.places import STRIDE, TAKEN
from damludo.engine.kernels.whole import count, get, some, toward


def count_single(own: Set, opp: Set, kings: Set, extra: Set, side: int, movers: Set) -> int:
    """The number of captures if each of them is one short jump and none has precedence, -1 if that cannot be told at once.

    `movers` are the pieces that can capture. Whether a jump goes on is asked of the board as it stands, with the movers'
    squares empty: that finds every second jump there is, and perhaps one too many, which costs only time.
    """
    if MAY_STOP or CROWNING_GOES_ON:
        return -1
    if (len(PREFERENCE) > 0 or len(AFAR_JUMPS) > 0) and some(movers & kings):
        return -1
    if len(PREFERENCE) > 1 and some(opp & kings):
        return -1
    empty = BOARD & ~(own | opp)
    freed = empty | movers
    total = 0
    for colour, kind, jumps, later in FOLLOWED_JUMPS:
        if colour == 2 or side == colour:
            pieces = of_kind(own, kings, extra, kind)
            onward = EMPTY
            for shift, mask, victims in later:
                prey = opp if victims == 0 else among(opp, kings, extra, victims)
                onward = onward | (mask & BOARD & toward(prey, shift) & toward(freed, 2 * shift))
            for shift, mask, victims in jumps:
                prey = opp if victims == 0 else among(opp, kings, extra, victims)
                jumpers = pieces & mask & toward(prey, shift) & toward(empty, 2 * shift)
                if some(jumpers & toward(onward, 2 * shift)):
                    return -1
                total += count(jumpers)
    return total


def count_moves(
    own: Set, opp: Set, kings: Set, extra: Set, side: int, counting: int, base: int, memory: Ints,
) -> int:  # fmt: skip
    """The number of legal moves; those without capture are counted, not made."""
    if OPENING:
        return (generate(own, opp, kings, extra, side, counting, base, memory) - base) // STRIDE
    movers = capturers(own, opp, kings, extra, side)
    if some(movers):
        total = count_single(own, opp, kings, extra, side, movers)
        if total >= 0:
            return total
        return (captures(movers, own, opp, kings, extra, side, counting, base, memory) - base) // STRIDE
    return count_quiet(own, opp, kings, extra, side)


def perft(
    own: Set, opp: Set, kings: Set, extra: Set, side: int, depth: int, counting: int, base: int, memory: Ints,
) -> int:  # fmt: skip
    """The number of lines of `depth` plies, at least one."""
    if depth == 1:
        return count_moves(own, opp, kings, extra, side, counting, base, memory)
    end = generate(own, opp, kings, extra, side, counting, base, memory)
    total = 0
    if depth == 2:
        for index in range(base, end, STRIDE):
            mine, theirs, royal, third = after(own, opp, kings, extra, memory[index], get(memory, index + TAKEN))
            total += count_moves(mine, theirs, royal, third, 1 - side, counting, end, memory)
        return total
    for index in range(base, end, STRIDE):
        mine, theirs, royal, third = after(own, opp, kings, extra, memory[index], get(memory, index + TAKEN))
        total += perft(mine, theirs, royal, third, 1 - side, depth - 1, counting, end, memory)
    return total
