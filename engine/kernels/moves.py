"""Legal moves on sets of squares.

A position is five values: `own` and `opp`, the pieces of the side to move and of the other; `kings` and `extra`, those of
both that are kings or of the third kind; `side`. A move is one number and the set of captured squares:

    bits  0-6  origin    7-13 target    14-15 kind before    16-17 kind after    18-23 pieces taken

Everything that is written lies in one flat array, `memory`, because each array costs a call seven arguments. A move takes
STRIDE places from a multiple of STRIDE on: the number, a place that tells orders of capture apart and later holds the
move's score, the set. The first places of `memory` say how far the writing has come.
"""

from damludo.engine.kernels.constants import (
    AFAR_JUMPS,
    AT_ONCE,
    BECOMES,
    BOARD,
    CROWN_GOES_ON,
    CROWN_STOPS,
    EMPTY,
    HAS_EXTRA,
    LINE_AFAR,
    LINE_FAR,
    LINE_VICTIMS,
    LINE_WAY,
    LINES,
    LINES_FROM,
    MAY_STOP,
    NEIGHBOUR_WAYS,
    NEXT,
    NO_REVERSAL,
    OPENING,
    OPENING_FIRST,
    OPPOSITE,
    PREFERENCE,
    RANKS_KINGS,
    SELECTIVE,
    SHORT_JUMPS,
    SHORT_STEPS,
    SLIDES,
    STRAIGHT,
    WIDTH,
    Ints,
    Set,
)
from damludo.engine.kernels.places import BEST, COUNTING, END, LIMIT, ORIGIN_FROM, SCORE, START, STRIDE, TAKEN
from damludo.engine.kernels.whole import bit, count, first, get, has, put, rest, some, toward


def of_kind(pieces: Set, kings: Set, extra: Set, kind: int) -> Set:
    """Those of the pieces that are of a kind."""
    if kind == 1:
        return pieces & kings
    if kind == 2:
        return pieces & extra
    if HAS_EXTRA:
        return pieces & ~(kings | extra)
    return pieces & ~kings


def among(pieces: Set, kings: Set, extra: Set, kinds: int) -> Set:
    """Those of the pieces whose kind is in a mask of kinds."""
    found = EMPTY
    if kinds & 1 != 0:
        found = found | of_kind(pieces, kings, extra, 0)
    if kinds & 2 != 0:
        found = found | of_kind(pieces, kings, extra, 1)
    if kinds & 4 != 0:
        found = found | of_kind(pieces, kings, extra, 2)
    return found


def kind_at(square: int, kings: Set, extra: Set) -> int:
    """The kind of the piece on a square."""
    if has(kings, square):
        return 1
    if HAS_EXTRA and has(extra, square):
        return 2
    return 0


def sees(at: int, way: int, empty: Set, prey: Set) -> bool:
    """Whether the first piece along a way is prey with an empty square behind it."""
    row = way * WIDTH
    over = NEXT[row + at]
    while over >= 0 and has(empty, over):
        over = NEXT[row + over]
    if over < 0 or not has(prey, over):
        return False
    beyond = NEXT[row + over]
    return beyond >= 0 and has(empty, beyond)


def capturers(own: Set, opp: Set, kings: Set, extra: Set, side: int) -> Set:
    """The pieces that can capture."""
    empty = BOARD & ~(own | opp)
    found = EMPTY
    for colour, kind, jumps in SHORT_JUMPS:
        if colour == 2 or side == colour:
            movers = of_kind(own, kings, extra, kind)
            for shift, mask, victims in jumps:
                prey = opp if victims == 0 else among(opp, kings, extra, victims)
                found = found | (movers & mask & toward(prey, shift) & toward(empty, 2 * shift))
    for colour, kind, far_jumps in AFAR_JUMPS:
        if colour == 2 or side == colour:
            movers = of_kind(own, kings, extra, kind)
            while some(movers):
                at = first(movers)
                movers = rest(movers)
                seen = False
                for way, victims in far_jumps:
                    prey = opp if victims == 0 else among(opp, kings, extra, victims)
                    seen = seen or sees(at, way, empty, prey)
                if seen:
                    found = found | bit(at)
    return found


def rank_of(kind: int, size: int, royal: int) -> int:
    """The rank of a capture; of two captures the one with the greater rank has precedence.

    `royal` holds the number of kings taken in its low 8 bits and above, from bit 31 down, when they were met.
    """
    rank = 0
    for measure in PREFERENCE:
        if measure == 0:
            rank = (rank << 6) | size
        if measure == 1:
            rank = (rank << 1) | (1 if kind == 1 else 0)
        if measure == 2:
            rank = (rank << 6) | (royal & 255)
        if measure == 3:
            rank = (rank << 24) | (royal >> 8)
        if measure == 4:
            rank = (rank << 13) | ((size + (royal & 255)) << 6) | (63 - (royal & 255))
    return rank


def record(move: int, taken: Set, royal: int, order: int, memory: Ints) -> None:
    """Keep a complete capture if none of those kept has precedence over it and it is not among them."""
    end = memory[END]
    if len(PREFERENCE) > 0:
        rank = rank_of((move >> 14) & 3, move >> 18, royal)
        if rank < memory[BEST]:
            return
        if rank > memory[BEST]:
            memory[BEST] = rank
            end = memory[START]
            memory[ORIGIN_FROM] = end
    if move >> 18 > 1 and memory[COUNTING] < 2:
        for index in range(memory[ORIGIN_FROM], end, STRIDE):
            same_order = memory[COUNTING] == 0 or memory[index + SCORE] == order
            if memory[index] == move and same_order and not some(get(memory, index + TAKEN) ^ taken):
                return
    if end < memory[LIMIT]:
        memory[end] = move
        put(memory, end + TAKEN, taken)
        memory[end + SCORE] = order
        end += STRIDE
    memory[END] = end


def victim(line: int, at: int, came: int, standing: Set, prey: Set, kings: Set, extra: Set) -> int:
    """The square of the piece that is jumped along a line, -1 if none can be."""
    way = LINE_WAY[line]
    if NO_REVERSAL and came >= 0 and way == OPPOSITE[came]:
        return -1
    if STRAIGHT and came >= 0 and way != came:
        return -1
    row = way * WIDTH
    over = NEXT[row + at]
    if LINE_AFAR[line] != 0:
        while over >= 0 and not has(standing, over):
            over = NEXT[row + over]
    if over < 0 or not has(prey, over):
        return -1
    if SELECTIVE and (LINE_VICTIMS[line] >> kind_at(over, kings, extra)) & 1 == 0:
        return -1
    landing = NEXT[row + over]
    if landing < 0 or has(standing, landing):
        return -1
    return over


def jump(
    at: int, kind: int, came: int, standing: Set, prey: Set, taken: Set, kings: Set, extra: Set, side: int,
    move: int, royal: int, order: int, memory: Ints,
) -> bool:  # fmt: skip
    """Follow all jumps of a piece from a square and keep the captures that end; return whether there is a jump.

    `standing` holds all that is in the way, `prey` what may still be taken; `came` is the way of the jump before, -1 for
    none. Of several landing squares one must be chosen from which the capture goes on, if there is such a one.
    """
    jumped = False
    row = ((2 if came >= 0 else 0) + side) * 3 + kind
    crowns = (side * 3 + kind) * WIDTH
    for index in range(LINES_FROM[row], LINES_FROM[row + 1]):
        line = LINES[index]
        over = victim(line, at, came, standing, prey, kings, extra)
        if over < 0:
            continue
        jumped = True
        way = LINE_WAY[line]
        left = standing & ~bit(over) if AT_ONCE else standing
        met = royal
        if RANKS_KINGS and has(kings, over):
            met = royal + 1 + (1 << (31 - (move >> 18)))
        longer = move + (1 << 18)
        sequence = (order * 131 + over + 1) & 0xFFFFFFFFFFFFFF
        goes_on = False
        square = NEXT[way * WIDTH + over]
        while square >= 0 and not has(standing, square):
            becomes = BECOMES[crowns + square]
            if becomes == kind or CROWN_STOPS[kind] == 0:
                rider = becomes if CROWN_GOES_ON[kind] != 0 else kind
                # No literal among the arguments: numba would compile the call for that literal, and lose it in its cache.
                if jump(
                    square, rider, way, left, prey & ~bit(over), taken | bit(over), kings, extra, side,
                    longer, met, sequence, memory,
                ):  # fmt: skip
                    goes_on = True
            square = NEXT[way * WIDTH + square] if LINE_FAR[line] != 0 else -1
        if MAY_STOP or not goes_on:
            square = NEXT[way * WIDTH + over]
            while square >= 0 and not has(standing, square):
                whole = longer | (square << 7) | (BECOMES[crowns + square] << 16)
                record(whole, taken | bit(over), met, sequence, memory)
                square = NEXT[way * WIDTH + square] if LINE_FAR[line] != 0 else -1
    return jumped


def captures(
    movers: Set, own: Set, opp: Set, kings: Set, extra: Set, side: int, counting: int, base: int, memory: Ints,
) -> int:  # fmt: skip
    """Write the legal captures of some pieces; return the index behind them."""
    memory[END] = base
    memory[BEST] = -1
    memory[START] = base
    memory[COUNTING] = counting
    while some(movers):
        at = first(movers)
        movers = rest(movers)
        kind = kind_at(at, kings, extra)
        memory[ORIGIN_FROM] = memory[END]
        standing = (own | opp) & ~bit(at)
        move = at | (kind << 14)
        jump(at, kind, -1, standing, opp, EMPTY, kings, extra, side, move, 0, 0, memory)
    return memory[END]


def quiet(own: Set, opp: Set, kings: Set, extra: Set, side: int, base: int, memory: Ints) -> int:
    """Write the moves without capture; return the index behind them."""
    empty = BOARD & ~(own | opp)
    end = base
    limit = memory[LIMIT]
    for colour, kind, steps in SHORT_STEPS:
        if colour == 2 or side == colour:
            movers = of_kind(own, kings, extra, kind)
            for shift, mask, leaps in steps:
                starts = movers & mask & toward(empty, shift)
                reach = shift
                while some(starts):
                    ready = starts
                    while some(ready):
                        at = first(ready)
                        ready = rest(ready)
                        if end < limit:
                            becomes = BECOMES[(side * 3 + kind) * WIDTH + at + reach]
                            memory[end] = at | ((at + reach) << 7) | (kind << 14) | (becomes << 16)
                            put(memory, end + TAKEN, EMPTY)
                            end += STRIDE
                    if leaps:
                        # Behind a man that can step forward, or leap there, the next man of the line can leap over it.
                        starts = movers & mask & toward(starts, shift)
                        reach = reach + shift
                    else:
                        starts = EMPTY
    for colour, kind, ways in SLIDES:
        if colour == 2 or side == colour:
            movers = of_kind(own, kings, extra, kind)
            while some(movers):
                at = first(movers)
                movers = rest(movers)
                for way in ways:
                    to = NEXT[way * WIDTH + at]
                    while to >= 0 and has(empty, to):
                        if end < limit:
                            becomes = BECOMES[(side * 3 + kind) * WIDTH + to]
                            memory[end] = at | (to << 7) | (kind << 14) | (becomes << 16)
                            put(memory, end + TAKEN, EMPTY)
                            end += STRIDE
                        to = NEXT[way * WIDTH + to]
    return end


def count_quiet(own: Set, opp: Set, kings: Set, extra: Set, side: int) -> int:
    """The number of moves without capture."""
    empty = BOARD & ~(own | opp)
    total = 0
    for colour, kind, steps in SHORT_STEPS:
        if colour == 2 or side == colour:
            movers = of_kind(own, kings, extra, kind)
            for shift, mask, leaps in steps:
                starts = movers & mask & toward(empty, shift)
                total += count(starts)
                if leaps:
                    while some(starts):
                        starts = movers & mask & toward(starts, shift)
                        total += count(starts)
    for colour, kind, ways in SLIDES:
        if colour == 2 or side == colour:
            movers = of_kind(own, kings, extra, kind)
            while some(movers):
                at = first(movers)
                movers = rest(movers)
                for way in ways:
                    to = NEXT[way * WIDTH + at]
                    while to >= 0 and has(empty, to):
                        total += 1
                        to = NEXT[way * WIDTH + to]
    return total


def removals(own: Set, opp: Set, kings: Set, extra: Set) -> Set:
    """The pieces of which one is to be taken off, if the opening of the game is still to be made."""
    holes = BOARD & ~(own | opp)
    if not some(holes):
        return own & OPENING_FIRST
    if count(holes) > 1:
        return EMPTY
    hole = first(holes)
    around = EMPTY
    for way in NEIGHBOUR_WAYS:
        if NEXT[way * WIDTH + hole] >= 0:
            around = around | bit(NEXT[way * WIDTH + hole])
    return own & around


def generate(
    own: Set, opp: Set, kings: Set, extra: Set, side: int, counting: int, base: int, memory: Ints,
) -> int:  # fmt: skip
    """Write the legal moves from index `base` on; return the index behind them."""
    if OPENING:
        loose = removals(own, opp, kings, extra)
        if some(loose):
            end = base
            while some(loose):
                at = first(loose)
                loose = rest(loose)
                kind = kind_at(at, kings, extra)
                memory[end] = at | (at << 7) | (kind << 14) | (kind << 16) | (1 << 18)
                put(memory, end + TAKEN, bit(at))
                end += STRIDE
            return end
    movers = capturers(own, opp, kings, extra, side)
    if some(movers):
        return captures(movers, own, opp, kings, extra, side, counting, base, memory)
    return quiet(own, opp, kings, extra, side, base, memory)


def after(own: Set, opp: Set, kings: Set, extra: Set, move: int, taken: Set) -> tuple[Set, Set, Set, Set]:
    """The four sets after a move, for the other side to move."""
    there = bit((move >> 7) & 127)
    here = bit(move & 127)
    gone = taken | here
    mine = (own & ~here) | there
    if OPENING:
        # A piece that is taken off in the opening is one of the mover's own.
        mine = mine & ~taken
    becomes = (move >> 16) & 3
    royal = kings & ~gone
    if becomes == 1:
        royal = royal | there
    third = extra
    if HAS_EXTRA:
        third = extra & ~gone
        if becomes == 2:
            third = third | there
    return opp & ~taken, mine, royal, third
