"""Making endgame tables, by working back from the ends; their form is said in `endgames.py`.

First come the positions whose value does not hang on others with as many pieces: those without a move and, as captures are
compulsory, those with a capture. From then on each value, in rising order, is carried back to the positions one quiet move
before those that have it. A position before is looked at with all its moves, so which are looked at is only a matter of time.
"""

from damludo.engine.kernels.constants import (
    BALANCE_FROM,
    BARE,
    BECOMES,
    BINOMIAL,
    BOARD,
    EMPTY,
    NEXT,
    NUMBERS,
    OPPOSITE,
    PLACE_OF,
    SHORT_STEPS,
    SLIDES,
    SQUARES,
    STUCK_WINS,
    WAYS,
    WIDTH,
    Ints,
    Set,
)
from damludo.engine.kernels.drawing import bare_draw
from damludo.engine.kernels.endgames import entry_of, look_up
from damludo.engine.kernels.moves import after, capturers, count_quiet, generate
from damludo.engine.kernels.places import LATEST, STRIDE, TAKEN
from damludo.engine.kernels.whole import bit, count, first, get, has, rest, some, toward


def write_down(entry: int, value: int, start: int, memory: Ints) -> None:
    """Set an entry that is 0."""
    memory[start + (entry >> 3)] = memory[start + (entry >> 3)] | (value << ((entry & 7) * 8))
    if value > memory[LATEST]:
        memory[LATEST] = value


def set_of(number: int, size: int, group: int) -> Set:
    """The set with a number among those of its size, the inverse of `number_of`."""
    squares = EMPTY
    place = SQUARES
    for chosen in range(size, 0, -1):
        place -= 1
        while BINOMIAL[place * 8 + chosen] > number:
            place -= 1
        number -= BINOMIAL[place * 8 + chosen]
        squares = squares | bit(PLACE_OF[group * SQUARES + place])
    return squares


def position_of(number: int, balance: int, side: int) -> tuple[Set, Set, Set]:
    """The own pieces, the other's and the kings of an entry with a balance; all empty if two pieces would share a square."""
    ways = WAYS[16 + (balance >> 6)]
    their_royal = set_of(number % ways, balance >> 6, 2)
    number = number // ways
    ways = WAYS[(1 - side) * 8 + ((balance >> 4) & 3)]
    their_men = set_of(number % ways, (balance >> 4) & 3, 1 - side)
    number = number // ways
    ways = WAYS[16 + ((balance >> 2) & 3)]
    royal = set_of(number % ways, (balance >> 2) & 3, 2)
    men = set_of(number // ways, balance & 3, side)
    pieces = (balance & 3) + ((balance >> 2) & 3) + ((balance >> 4) & 3) + (balance >> 6)
    if count(men | royal | their_men | their_royal) < pieces:
        return EMPTY, EMPTY, EMPTY
    return men | royal, their_men | their_royal, royal | their_royal


def derive(own: Set, opp: Set, kings: Set, side: int, wanted: int, start: int, base: int, memory: Ints) -> int:
    """The entry that follows from those of the positions after each move.

    With `wanted` not 0 the answer is only good for whether it is that value: most positions are done with sooner.
    """
    end = generate(own, opp, kings, EMPTY, side, 0, base, memory)
    if end == base:
        return 1
    if len(BARE) > 0 and memory[base] >> 18 == 0 and bare_draw(own, opp):
        return 0
    shortest = 256
    longest = 0
    all_won = True
    losing = 0 if STUCK_WINS else 1
    for index in range(base, end, STRIDE):
        mine, theirs, royal, _third = after(own, opp, kings, EMPTY, memory[index], get(memory, index + TAKEN))
        # A side without pieces has no move.
        value = 1
        if some(mine):
            value = look_up(entry_of(mine, theirs, royal, 1 - side), start, memory)
        if value == 0:
            all_won = False
            if wanted & 1 == losing and wanted != 0:
                return 0
        elif value & 1 == losing:
            if wanted == value + 1:
                return wanted
            if value < shortest:
                shortest = value
            if wanted & 1 == losing and wanted != 0:
                return 0
        elif value > longest:
            longest = value
    value = longest + 1 if all_won else 0
    if shortest < 256:
        value = shortest + 1
    # An end so far away has no place in a byte.
    return value if value < 256 else 0


def came_from(at: int, kind: int, side: int, empty: Set) -> Set:
    """The squares from which a piece of a kind may have come by a quiet move, and perhaps some more."""
    found = EMPTY
    for colour, mover, steps in SHORT_STEPS:
        if (colour == 2 or side == colour) and kind == mover:
            for shift, mask, leaps in steps:
                reached = bit(at)
                while some(reached):
                    reached = BOARD & mask & toward(reached, shift)
                    found = found | reached
                    if not leaps:
                        reached = EMPTY
    for colour, mover, ways in SLIDES:
        if (colour == 2 or side == colour) and kind == mover:
            for way in ways:
                row = OPPOSITE[way] * WIDTH
                square = NEXT[row + at]
                while square >= 0 and has(empty, square):
                    found = found | bit(square)
                    square = NEXT[row + square]
    return found & empty


def carry_back(own: Set, opp: Set, kings: Set, side: int, value: int, start: int, base: int, memory: Ints) -> int:
    """Write down which positions one quiet move before this one have a value; return how many."""
    other = 1 - side
    empty = BOARD & ~(own | opp)
    found = 0
    moved = opp
    while some(moved):
        at = first(moved)
        moved = rest(moved)
        is_kind = 1 if has(kings, at) else 0
        for kind in range(2):
            if BECOMES[(other * 3 + kind) * WIDTH + at] != is_kind:
                continue
            origins = came_from(at, kind, other, empty)
            while some(origins):
                origin = first(origins)
                origins = rest(origins)
                if kind == 0 and NUMBERS[other * WIDTH + origin] < 0:
                    continue
                before = (opp & ~bit(at)) | bit(origin)
                royal = kings & ~bit(at)
                if kind == 1:
                    royal = royal | bit(origin)
                entry = entry_of(before, own, royal, other)
                is_open = look_up(entry, start, memory) == 0
                if is_open and derive(before, own, royal, other, value, start, base, memory) == value:
                    write_down(entry, value, start, memory)
                    found += 1
    return found


def first_values(balance: int, side: int, number: int, until: int, start: int, base: int, memory: Ints) -> int:
    """Write down the entries of a balance, from a number on, that hang on no others with as many pieces; return how many."""
    found = 0
    for place in range(number, until):
        own, opp, kings = position_of(place, balance, side)
        if not some(own):
            continue
        if some(capturers(own, opp, kings, EMPTY, side)) or count_quiet(own, opp, kings, EMPTY, side) == 0:
            value = derive(own, opp, kings, side, 0, start, base, memory)
            if value > 0:
                write_down(BALANCE_FROM[side * 256 + balance] + place, value, start, memory)
                found += 1
    return found


def look_back(
    balance: int, side: int, number: int, until: int, value: int, start: int, base: int, memory: Ints
) -> int:  # fmt: skip
    """Carry a value back from where it stands among the entries of a balance; return how many entries got the next one."""
    found = 0
    first_entry = BALANCE_FROM[side * 256 + balance]
    for place in range(number, until):
        if look_up(first_entry + place, start, memory) == value:
            own, opp, kings = position_of(place, balance, side)
            found += carry_back(own, opp, kings, side, value + 1, start, base, memory)
    return found


def count_wrong(balance: int, side: int, number: int, until: int, start: int, base: int, memory: Ints) -> int:
    """Derive the entries of a balance once more; return how many differ."""
    wrong = 0
    for place in range(number, until):
        own, opp, kings = position_of(place, balance, side)
        value = 0
        if some(own):
            value = derive(own, opp, kings, side, 0, start, base, memory)
        if value != look_up(BALANCE_FROM[side * 256 + balance] + place, start, memory):
            wrong += 1
    return wrong
