"""The order in which moves are tried, and how deep."""

from damludo.engine.kernels.constants import Ints
from damludo.engine.kernels.places import HISTORY, KILLERS, REDUCTIONS, SCORE, STRIDE, WHOLE


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


def to_front(start: int, index: int, memory: Ints) -> None:
    """Bring a move to the front; those before it keep their order."""
    while index > start:
        index -= STRIDE
        for place in range(index, index + STRIDE):
            value = memory[place]
            memory[place] = memory[place + STRIDE]
            memory[place + STRIDE] = value


def remember(place: int, worth: int, memory: Ints) -> None:
    """Move what is known of a quiet move a little towards what it was worth; it stays within 2 ** 14."""
    memory[place] += worth - memory[place] * abs(worth) // 16384


def praise(base: int, index: int, side: int, depth: int, ply: int, memory: Ints) -> None:
    """Remember a quiet move that refuted a line."""
    move = memory[index]
    if move >> 18 > 0:
        return
    if memory[KILLERS + 2 * ply] != move:
        memory[KILLERS + 2 * ply + 1] = memory[KILLERS + 2 * ply]
        memory[KILLERS + 2 * ply] = move
    worth = min(depth * depth + 1, 400) * 4
    remember(HISTORY + (side * 128 + (move & 127)) * 128 + ((move >> 7) & 127), worth, memory)
    for earlier in range(base, index, STRIDE):
        other = memory[earlier]
        remember(HISTORY + (side * 128 + (other & 127)) * 128 + ((other >> 7) & 127), -worth, memory)


def reduced(depth: int, level: int, number: int, narrow: bool, index: int, memory: Ints) -> int:
    """The depth for a move that comes late in the order: less than `depth`, the full one, for what is seldom good."""
    if level < 2 or memory[index] >> 18 > 0 or memory[WHOLE] != 0:
        return depth
    less = memory[REDUCTIONS + (256 if narrow else 0) + min(level, 15) * 16 + min(number, 15)]
    if memory[index + SCORE] >= 1 << 27:
        less -= 1
    return depth - max(less, 0)
