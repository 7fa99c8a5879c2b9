"""Alpha-beta over the kernels of moves and evaluation. All scores are for the side to move, in hundredths of a man.

Everything a search remembers lies in `memory`; the places below say where. The caller fills ROOT, the path up to the root,
the counters of the root, the zobrist numbers and the limits, and may set STOP from another thread at any time.
"""

from damludo.engine.kernels.constants import (
    BOARD,
    HAS_STEPS,
    OPENING,
    SHORT_STEPS,
    STUCK_WINS,
    WIDTH,
    Ints,
    Set,
    Smalls,
)
from damludo.engine.kernels.drawing import bare_draw, count_plies, repeats
from damludo.engine.kernels.endgames import entry_of, look_up
from damludo.engine.kernels.evaluation import evaluate
from damludo.engine.kernels.moves import after, capturers, captures, generate, kind_at, quiet, removals
from damludo.engine.kernels.ordering import bring_best, praise, rate, reduced, to_front
from damludo.engine.kernels.places import (
    AT_LEAST,
    AT_MOST,
    COMING,
    COUNTERS,
    DEEPEST,
    ENDGAMES,
    ENDS,
    ENTRIES,
    EXACT,
    FIRST_SCORE,
    GENERATION,
    MATE,
    NODE_LIMIT,
    NODES,
    PATH,
    PROVED,
    ROOT,
    SCORE,
    STOP,
    STRIDE,
    TABLE,
    TAKEN,
    UNKNOWN,
    WHOLE,
    ZOBRIST,
)
from damludo.engine.kernels.whole import count, first, get, rest, some, toward


def key_after(key: int, kings: Set, extra: Set, side: int, move: int, taken: Set, memory: Ints) -> int:
    """The key of the position after a move."""
    own = ZOBRIST + side * 3 * WIDTH
    opp = ZOBRIST + (1 - side) * 3 * WIDTH
    key = key ^ memory[own + ((move >> 14) & 3) * WIDTH + (move & 127)]
    key = key ^ memory[own + ((move >> 16) & 3) * WIDTH + ((move >> 7) & 127)]
    while some(taken):
        at = first(taken)
        taken = rest(taken)
        key = key ^ memory[opp + kind_at(at, kings, extra) * WIDTH + at]
    return key ^ memory[ZOBRIST + 511]


def is_stuck(own: Set, opp: Set, kings: Set, extra: Set, side: int, base: int, memory: Ints) -> bool:
    """Whether a side that cannot capture has no move at all."""
    empty = BOARD & ~(own | opp)
    men = own & ~kings
    for colour, kind, steps in SHORT_STEPS:
        if kind == 0 and (colour == 2 or side == colour):
            for shift, mask, _leaps in steps:
                if some(men & ~extra & mask & toward(empty, shift)):
                    return False
    return quiet(own, opp, kings, extra, side, base, memory) == base


def find(key: int, memory: Ints) -> int:
    """What the table knows of a position, 0 for nothing."""
    entry = TABLE + 2 * (key & (memory[ENTRIES] - 1))
    if memory[entry] == key:
        return memory[entry + 1]
    entry = TABLE + 2 * ((key & (memory[ENTRIES] - 1)) ^ 1)
    if memory[entry] == key:
        return memory[entry + 1]
    return 0


def keep(key: int, move: int, depth: int, bound: int, score: int, ply: int, memory: Ints) -> None:
    """Put into the table what was found out about a position; a deeper entry gives way only to its own position or in
    time.
    """
    if score >= PROVED:
        score += ply
    elif score <= -PROVED:
        score -= ply
    packed = (move & 16383) | ((depth + 1) << 14) | (bound << 22) | ((score + 32768) << 24) | (memory[GENERATION] << 41)
    index = key & (memory[ENTRIES] - 1)
    entry = TABLE + 2 * index
    if memory[entry] != key:
        old = memory[entry + 1]
        if old >> 41 == memory[GENERATION] and (old >> 14) & 255 > depth + 1:
            entry = TABLE + 2 * (index ^ 1)
    memory[entry] = key
    memory[entry + 1] = packed


def known(hint: int, depth: int, alpha: int, beta: int, ply: int, memory: Ints) -> int:
    """The score that the table gives, UNKNOWN if what it knows is not enough here."""
    score = ((hint >> 24) & 131071) - 32768
    left = memory[COUNTERS + ply * 8 + 6]
    if score >= PROVED:
        # The table has not counted moves without progress: a win that comes too late is none.
        if MATE - score > left:
            return UNKNOWN
        score -= ply
    elif score <= -PROVED:
        if MATE + score > left:
            return UNKNOWN
        score += ply
    if ((hint >> 14) & 255) <= depth or depth >= left:
        return UNKNOWN
    bound = (hint >> 22) & 3
    # Of what was found by searching some moves less deep only that a side wins within so many plies can be relied upon.
    relied_upon = (bound == AT_LEAST and score >= PROVED) or (bound == AT_MOST and score <= -PROVED)
    if memory[WHOLE] != 0 and hint >> 41 != memory[GENERATION] and not relied_upon:
        return UNKNOWN
    if bound == EXACT or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha):
        return score
    return UNKNOWN


def from_tables(own: Set, opp: Set, kings: Set, side: int, ply: int, memory: Ints) -> int:
    """The score that the endgame tables give; a win that comes after the draw rules have ended the game is none."""
    value = look_up(entry_of(own, opp, kings, side), memory[ENDGAMES], memory)
    if value == 0 or value > memory[COUNTERS + ply * 8 + 6]:
        return 0
    score = MATE - ply - (value - 1)
    ends_lost = value & 1 == 1
    if STUCK_WINS:
        ends_lost = not ends_lost
    return -score if ends_lost else score


def settle(
    own: Set, opp: Set, kings: Set, extra: Set, side: int, key: int, depth: int, alpha: int, beta: int, ply: int,
    base: int, memory: Ints, weights: Smalls,
) -> int:  # fmt: skip
    """The score of a position that needs no trying; otherwise UNKNOWN, and the rated moves stand from `base` to ENDS +
    ply.
    """
    memory[PATH + memory[ROOT] + ply] = key
    drawn = count_plies(own, opp, kings, side, ply, memory)
    if repeats(key, ply, memory):
        return 0
    both = some(own) and some(opp) and not some(extra)
    if both and memory[ENDGAMES] != 0 and count(own | opp) <= memory[ENDGAMES + 1]:
        return 0 if drawn else from_tables(own, opp, kings, side, ply, memory)
    lost = MATE - ply if STUCK_WINS else ply - MATE
    movers = capturers(own, opp, kings, extra, side)
    end = base
    if OPENING and some(removals(own, opp, kings, extra)):
        movers = own
    if not some(movers):
        if depth <= 0 or ply >= DEEPEST or drawn or bare_draw(own, opp):
            if not HAS_STEPS:
                return lost
            if is_stuck(own, opp, kings, extra, side, base, memory):
                return lost
            if drawn or bare_draw(own, opp):
                return 0
            # Where the other side threatens to capture the position is not quiet: it is looked at a ply further, once.
            if depth < 0 or ply >= DEEPEST or not some(capturers(opp, own, kings, extra, 1 - side)):
                return evaluate(own, opp, kings, extra, side, weights)
    elif drawn:
        return 0
    elif ply >= DEEPEST or (depth <= 0 and not HAS_STEPS):
        return evaluate(own, opp, kings, extra, side, weights)
    hint = find(key, memory)
    if hint != 0:
        score = known(hint, depth, alpha, beta, ply, memory)
        if score != UNKNOWN:
            return score
    if OPENING:
        end = generate(own, opp, kings, extra, side, 0, base, memory)
    elif some(movers):
        end = captures(movers, own, opp, kings, extra, side, 0, base, memory)
    else:
        end = quiet(own, opp, kings, extra, side, base, memory)
    if end == base:
        return lost
    rate(base, end, hint & 16383 if hint != 0 else -1, side, ply, memory)
    memory[ENDS + ply] = end
    return UNKNOWN


def halted(memory: Ints) -> bool:
    """Count a position; whether the search is to end."""
    if memory[STOP] == 0:
        memory[NODES] += 1
        if memory[NODES] >= memory[NODE_LIMIT]:
            memory[STOP] = 1
    return memory[STOP] != 0


def child(
    own: Set, opp: Set, kings: Set, extra: Set, side: int, key: int, index: int, ply: int, memory: Ints
) -> tuple[Set, Set, Set, Set, int]:
    """The four sets and the key after the move that stands at a place."""
    move = memory[index]
    taken = get(memory, index + TAKEN)
    memory[COMING + ply + 1] = move
    mine, theirs, royal, third = after(own, opp, kings, extra, move, taken)
    return mine, theirs, royal, third, key_after(key, kings, extra, side, move, taken, memory)


def visit(
    own: Set, opp: Set, kings: Set, extra: Set, side: int, key: int, depth: int, alpha: int, beta: int, ply: int,
    base: int, memory: Ints, weights: Smalls,
) -> int:  # fmt: skip
    """The score of a position: exact between alpha and beta, else a bound (fail soft). Captures are followed to their end."""
    if halted(memory):
        return 0
    level = max(depth, -1)
    settled = settle(own, opp, kings, extra, side, key, level, alpha, beta, ply, base, memory, weights)
    if settled != UNKNOWN:
        return settled
    narrow = beta - alpha == 1
    if narrow and level >= 4 and memory[base] >> 18 == 0 and -PROVED < beta < PROVED and memory[WHOLE] == 0:
        # What is much better than needed at less than half the depth will be good enough at the whole depth.
        better = beta + 10 * level
        less = (level * 2) // 5
        score = visit(own, opp, kings, extra, side, key, less, better - 1, better, ply, base, memory, weights)
        if score >= better:
            return score
        if memory[STOP] != 0:
            return 0
        settle(own, opp, kings, extra, side, key, level, alpha, beta, ply, base, memory, weights)
    end = memory[ENDS + ply]
    # A forced answer costs no depth: an exchange is seen to its end.
    forced = memory[base] >> 18 > 0 and level > 0 and end == base + STRIDE
    further = level if forced else level - 1
    best = -MATE
    best_move = 0
    floor = alpha
    for index in range(base, end, STRIDE):
        bring_best(index, end, memory)
        mine, theirs, royal, third, key_there = child(own, opp, kings, extra, side, key, index, ply, memory)
        score = UNKNOWN
        if index > base:
            less = reduced(further, level, (index - base) // STRIDE, narrow, index, memory)
            score = -visit(
                mine, theirs, royal, third, 1 - side, key_there, less, -floor - 1, -floor, ply + 1, end, memory, weights
            )  # fmt: skip
            if score > floor and less < further:
                score = UNKNOWN
        if score == UNKNOWN or floor < score < beta:
            score = -visit(
                mine, theirs, royal, third, 1 - side, key_there, further, -beta, -floor, ply + 1, end, memory, weights
            )  # fmt: skip
        if memory[STOP] != 0:
            return 0
        if score > best:
            best = score
            best_move = memory[index]
            floor = max(floor, score)
            if score >= beta:
                praise(base, index, side, level, ply, memory)
                break
    bound = AT_LEAST if best >= beta else AT_MOST if best <= alpha else EXACT
    keep(key, best_move, level, bound, best, ply, memory)
    return best


def first_moves(
    own: Set, opp: Set, kings: Set, extra: Set, side: int, key: int, depth: int, alpha: int, beta: int, start: int,
    end: int, memory: Ints, weights: Smalls,
) -> int:  # fmt: skip
    """Try the moves that stand from `start` to `end`, in their order; return the worth of the best: exact between alpha and
    beta, else a bound.

    In the place of its score each move has a blur, which is added to its score before it is compared. Whenever a better move
    is found it goes to the front and its true score to FIRST_SCORE, so both are good also where the search is ended.
    """
    best = -2 * MATE
    floor = alpha
    for index in range(start, end, STRIDE):
        blur = memory[index + SCORE]
        # Only a move that beats the floor after its own blur counts, so the window moves by the blur.
        low = max(floor - blur, -MATE)
        mine, theirs, royal, third, key_there = child(own, opp, kings, extra, side, key, index, 0, memory)
        score = UNKNOWN
        if index > start:
            less = reduced(depth - 1, depth if depth > 3 else 0, (index - start) // STRIDE, False, index, memory)
            score = -visit(
                mine, theirs, royal, third, 1 - side, key_there, less, -low - 1, -low, 1, end, memory, weights
            )  # fmt: skip
            if score > low and less < depth - 1:
                score = UNKNOWN
        if score == UNKNOWN or low < score < beta:
            score = -visit(
                mine, theirs, royal, third, 1 - side, key_there, depth - 1, -beta, -low, 1, end, memory, weights
            )  # fmt: skip
        if memory[STOP] != 0:
            return best
        # A proved end is seen at every level: nobody overlooks the last move of a game.
        worth = score if abs(score) >= PROVED else score + blur
        if worth > best:
            best = worth
            if index == start or worth > floor:
                memory[FIRST_SCORE] = score
                to_front(start, index, memory)
            floor = max(floor, worth)
            if best >= beta:
                return best
    return best
