"""Endgame tables: the value of every position with few pieces, found backwards from the ends of the game.

White is always to move; a position with Black to move is turned round. A value is 0 for a draw, else the plies to the end of the
game plus one: who is to move knows by its parity whether that is won, for the last position, value 1, is the same for all. While
a table is made, a value below 0 is one that will be right unless a smaller one is found; 0 is unknown.
"""

from damludo.engine.kernels.constants import BARE, EMPTY, HAS_EXTRA, STUCK_WINS, WIDTH, Ints, Set, Smalls
from damludo.engine.kernels.moves import after, generate, kind_at
from damludo.engine.kernels.places import (
    CHOOSE,
    CLASS_AT,
    LATEST,
    MOST_PIECES,
    ORDINAL,
    SETS_AT,
    SIZES,
    STRAYED,
    STRIDE,
    TABLE_MOVES,
    TAKEN,
    UNSTEPS,
)
from damludo.engine.kernels.whole import bit, count, first, get, has, rest, some


def rank_in_group(squares: Set, group: int, side: int, memory: Ints) -> int:
    """The number of a set among the sets of its size of a group, -1 if a square is not of the group."""
    rank = 0
    size = count(squares)
    taken = 0
    while some(squares):
        at = first(squares)
        squares = rest(squares)
        # Turned round the lowest square is the highest one.
        place = memory[ORDINAL + group * 128 + (WIDTH - 1 - at if side == 1 else at)]
        if place < 0:
            return -1
        taken += 1
        rank += memory[CHOOSE + place * 8 + (size + 1 - taken if side == 1 else taken)]
    return rank


def place_of(own: Set, opp: Set, kings: Set, extra: Set, side: int, memory: Ints) -> int:
    """The place of a position among the values, -1 if there is none."""
    if count(own | opp) > memory[MOST_PIECES]:
        return -1
    men = own & ~(kings | extra)
    their_men = opp & ~(kings | extra)
    key = count(men) + 5 * count(own & kings) + 125 * count(their_men) + 625 * count(opp & kings)
    if HAS_EXTRA:
        key = key + 25 * count(own & extra) + 3125 * count(opp & extra)
    start = memory[CLASS_AT + key]
    if start == 0:
        return -1
    mine = rank_in_group(men, 0, side, memory)
    theirs = rank_in_group(their_men, 3, side, memory)
    if mine < 0 or theirs < 0:
        return -1
    local = mine * memory[SIZES + 8 + count(own & kings)] + rank_in_group(own & kings, 1, side, memory)
    if HAS_EXTRA:
        local = local * memory[SIZES + 16 + count(own & extra)] + rank_in_group(own & extra, 2, side, memory)
    local = local * memory[SIZES + 24 + count(their_men)] + theirs
    local = local * memory[SIZES + 32 + count(opp & kings)] + rank_in_group(opp & kings, 4, side, memory)
    if HAS_EXTRA:
        local = local * memory[SIZES + 40 + count(opp & extra)] + rank_in_group(opp & extra, 5, side, memory)
    return start - 1 + local


def position_at(local: int, key: int, memory: Ints) -> tuple[Set, Set, Set, Set]:
    """The position of a place in its class, White to move; without own pieces if two pieces were on one square."""
    own = EMPTY
    opp = EMPTY
    kings = EMPTY
    extra = EMPTY
    total = 0
    group = 5
    unit = 3125
    while group >= 0:
        size = key // unit % 5
        ways = memory[SIZES + group * 8 + size]
        squares = get(memory, memory[SETS_AT + group * 8 + size] + 2 * (local % ways))
        local = local // ways
        total += size
        if group < 3:
            own = own | squares
        else:
            opp = opp | squares
        if group % 3 == 1:
            kings = kings | squares
        if group % 3 == 2:
            extra = extra | squares
        group -= 1
        unit = unit // 5
    if count(own | opp) != total:
        own = EMPTY
    return own, opp, kings, extra


def value_of(own: Set, opp: Set, kings: Set, extra: Set, side: int, values: Smalls, memory: Ints) -> int:
    """The value of a position, 0 also where no table holds it."""
    if not some(own):
        return 1
    place = place_of(own, opp, kings, extra, side, memory)
    if place < 0:
        memory[STRAYED] += 1
        return 0
    return values[place]


def is_bare(own: Set, opp: Set) -> bool:
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


def judged(own: Set, opp: Set, kings: Set, extra: Set, values: Smalls, memory: Ints) -> int:
    """The value of a position with White to move by those of its successors, 0 for a draw or if they do not decide it yet."""
    side = 0
    end = generate(own, opp, kings, extra, side, 0, TABLE_MOVES, memory)
    if end == TABLE_MOVES:
        return 1
    if memory[TABLE_MOVES] >> 18 == 0 and is_bare(own, opp):
        return 0
    lost = 0 if STUCK_WINS else 1
    soonest = 0
    latest = 0
    is_open = False
    for index in range(TABLE_MOVES, end, STRIDE):
        mine, theirs, royal, third = after(own, opp, kings, extra, memory[index], get(memory, index + TAKEN))
        value = value_of(mine, theirs, royal, third, 1 - side, values, memory)
        if value <= 0:
            is_open = True
        elif value & 1 == lost:
            if soonest == 0 or value < soonest:
                soonest = value
        elif value > latest:
            latest = value
    if soonest > 0:
        return soonest + 1
    return 0 if is_open else latest + 1


def turned(squares: Set) -> Set:
    """A set on the board turned round."""
    result = EMPTY
    while some(squares):
        result = result | bit(WIDTH - 1 - first(squares))
        squares = rest(squares)
    return result


def first_values(start: int, stop: int, key: int, values: Smalls, memory: Ints) -> None:
    """Value the positions of a class, of whose places from `start` on, as far as other classes decide them."""
    for place in range(start, stop):
        own, opp, kings, extra = position_at(place - start, key, memory)
        if some(own):
            value = judged(own, opp, kings, extra, values, memory)
            if value > 0:
                values[place] = -value
                if value > memory[LATEST]:
                    memory[LATEST] = value


def look_again(own: Set, opp: Set, kings: Set, extra: Set, step: int, values: Smalls, memory: Ints) -> None:
    """Value the positions from which a quiet move of Black may have led to one that has got the value `step`."""
    movers = opp
    while some(movers):
        at = first(movers)
        movers = rest(movers)
        kind = kind_at(at, kings, extra)
        for index in range(memory[UNSTEPS + kind * 128 + at], memory[UNSTEPS + kind * 128 + at + 1], STRIDE):
            origin = memory[index]
            if has(own | opp, origin) or some(get(memory, index + 2) & (own | opp)):
                continue
            back = (opp & ~bit(at)) | bit(origin)
            royal = kings
            if kind == 1:
                royal = (kings & ~bit(at)) | bit(origin)
            place = place_of(back, own, royal, extra, 1, memory)
            if place < 0 or values[place] > 0 or (values[place] < 0 and values[place] >= -step - 1):
                continue
            value = judged(turned(back), turned(own), turned(royal), turned(extra), values, memory)
            if value > 0 and (values[place] == 0 or value < -values[place]):
                values[place] = -value
                if value > memory[LATEST]:
                    memory[LATEST] = value


def spread(step: int, start: int, stop: int, key: int, values: Smalls, memory: Ints) -> None:
    """Make the value `step` final in a class and carry on what follows from it."""
    for place in range(start, stop):
        if values[place] == -step:
            values[place] = step
            own, opp, kings, extra = position_at(place - start, key, memory)
            look_again(own, opp, kings, extra, step, values, memory)


def count_wrong(start: int, stop: int, key: int, values: Smalls, memory: Ints) -> int:
    """The number of positions of a class whose value does not follow from those of their successors."""
    wrong = 0
    for place in range(start, stop):
        own, opp, kings, extra = position_at(place - start, key, memory)
        if some(own) and judged(own, opp, kings, extra, values, memory) != values[place]:
            wrong += 1
    return wrong
