"""Counting the lines of play; see `rules.perft`."""

from damludo.engine.kernels.constants import OPENING, Ints, Set, Sets
from damludo.engine.kernels.moves import after, captures, capturers, count_quiet, generate
from damludo.engine.kernels.whole import get, some


def count_moves(
    own: Set,
    opp: Set,
    kings: Set,
    extra: Set,
    side: int,
    counting: int,
    state: Ints,
    moves: Ints,
    takens: Sets,
    orders: Ints,
    base: int,
) -> int:
    """The number of legal moves; those without capture are counted, not made."""
    if OPENING:
        return generate(own, opp, kings, extra, side, counting, state, moves, takens, orders, base) - base
    movers = capturers(own, opp, kings, extra, side)
    if some(movers):
        return captures(movers, own, opp, kings, extra, side, counting, state, moves, takens, orders, base) - base
    return count_quiet(own, opp, kings, extra, side)


def perft(
    own: Set,
    opp: Set,
    kings: Set,
    extra: Set,
    side: int,
    depth: int,
    counting: int,
    state: Ints,
    moves: Ints,
    takens: Sets,
    orders: Ints,
    base: int,
) -> int:
    """The number of lines of `depth` plies, at least one."""
    if depth == 1:
        return count_moves(own, opp, kings, extra, side, counting, state, moves, takens, orders, base)
    end = generate(own, opp, kings, extra, side, counting, state, moves, takens, orders, base)
    total = 0
    for index in range(base, end):
        mine, theirs, royal, third = after(own, opp, kings, extra, moves[index], get(takens, index))
        total += perft(
            mine, theirs, royal, third, 1 - side, depth - 1, counting, state, moves, takens, orders, end
        )
    return total
