"""Alpha-beta over the kernels of moves and evaluation. All scores are for the side to move, in hundredths of a man.

Everything a search remembers lies in `memory`; the places below say where. The caller fills ROOT, the path up to the root,
the counters of the root, the zobrist numbers and the limits, and may set STOP from another thread at any time.
"""

from damludo.engine.kernels.constants import (
    BARE,
    BOARD,
    HAS_STEPS,
    MAN_RETURNS,
    OPENING,
    RULES,
    SHORT_STEPS,
    STUCK_WINS,
    WIDTH,
    Ints,
    Set,
    Smalls,
)
from damludo.engine.kernels.endgames import entry_of, look_up
from damludo.engine.kernels.evaluation import evaluate
from damludo.engine.kernels.moves import after, capturers, generate, kind_at, quiet, removals
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
    GENERATION,
    HISTORY,
    KILLERS,
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


def rate(base: int, end: int, hint: int, side: int, ply: int, memory: Ints) -> None:
    """Score the moves for their order: the table's, captures by size, killers, then what was good elsewhere."""
    for index in range(base, end, STRIDE):
        move = memory[index]
        way = move & 16383
        if way == hint:
            score = 1 << 40
        elif move >> 18 > 0:
            score = (1 << 30) + (move >> 18)
        elif move & 0x3FFFF == memory[KILLERS + 2 * ply]:
            score = 1 << 29
        elif move & 0x3FFFF == memory[KILLERS + 2 * ply + 1]:
            score = 1 << 28
        else:
            score = memory[HISTORY + (side * 128 + (move & 127)) * 128 + ((move >> 7) & 127)]
            if (move >> 14) & 3 != (move >> 16) & 3:
                score += 1 << 27
        memory[index + SCORE] = score


def bring_best(index: int, end: int, memory: Ints) -> None:
    """Swap the best rated of the moves from `index` on to the front."""
    best = index
    for other in range(index + STRIDE, end, STRIDE):
        if memory[other + SCORE] > memory[best + SCORE]:
            best = other
    if best != index:
        for place in range(STRIDE):
            value = memory[index + place]
            memory[index + place] = memory[best + place]
            memory[best + place] = value


def praise(move: int, side: int, depth: int, ply: int, memory: Ints) -> None:
    """Remember a quiet move that refuted a line."""
    if move >> 18 > 0:
        return
    if memory[KILLERS + 2 * ply] != move:
        memory[KILLERS + 2 * ply + 1] = memory[KILLERS + 2 * ply]
        memory[KILLERS + 2 * ply] = move
    place = HISTORY + (side * 128 + (move & 127)) * 128 + ((move >> 7) & 127)
    memory[place] += depth * depth
    if memory[place] > 1 << 26:
        for index in range(HISTORY, HISTORY + 32768):
            memory[index] = memory[index] >> 1


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
    end = generate(own, opp, kings, extra, side, 0, base, memory)
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


def reduced(depth: int, level: int, number: int, narrow: bool, index: int, memory: Ints) -> int:
    """The depth for a move that comes late in the order: less than `depth`, the full one, for what is seldom good."""
    if level < 2 or memory[index] >> 18 > 0 or memory[index + SCORE] >= 1 << 27:
        return depth
    if number >= 6 and level >= 4:
        return depth - level // 3
    return depth - 1 if number >= (2 if narrow else 4) else depth


def visit(
    own: Set, opp: Set, kings: Set, extra: Set, side: int, key: int, depth: int, alpha: int, beta: int, ply: int,
    base: int, memory: Ints, weights: Smalls,
) -> int:  # fmt: skip
    """The score of a position: exact between alpha and beta, else a bound (fail soft). Captures are followed to their end."""
    if halted(memory):
        return 0
    level = depth if depth > 0 else 0
    settled = settle(own, opp, kings, extra, side, key, level, alpha, beta, ply, base, memory, weights)
    if settled != UNKNOWN:
        return settled
    narrow = beta - alpha == 1
    if narrow and level >= 4 and memory[base] >> 18 == 0 and -PROVED < beta < PROVED:
        # What is much better than needed at less than half the depth will be good enough at the whole depth.
        better = beta + 10 * level
        less = (level * 2) // 5
        score = visit(own, opp, kings, extra, side, key, less, better - 1, better, ply, base, memory, weights)
        if score >= better:
            return score
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
                praise(best_move, side, level, ply, memory)
                break
    bound = AT_LEAST if best >= beta else AT_MOST if best <= alpha else EXACT
    keep(key, best_move, level, bound, best, ply, memory)
    return best
