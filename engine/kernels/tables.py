"""Making endgame tables, by working back from the ends; their form is said in `endgames.py`."""

from damludo.engine.kernels.constants import (
    CAST,
    CASTS,
    EMPTY,
    ENTRIES_FROM,
    PLACE_OF,
    STUCK_WINS,
    SYMMETRIC,
    Ints,
    Set,
)
from damludo.engine.kernels.endgames import entry_of, look_up
from damludo.engine.kernels.moves import after, generate
from damludo.engine.kernels.places import PICKED, STRIDE, TAKEN
from damludo.engine.kernels.whole import bit, get, some


def write_down(entry: int, value: int, start: int, memory: Ints) -> None:
    """Set an entry that is 0."""
    memory[start + (entry >> 3)] = memory[start + (entry >> 3)] | (value << ((entry & 7) * 8))


def derive(own: Set, opp: Set, kings: Set, side: int, wanted: int, start: int, base: int, memory: Ints) -> int:
    """The entry that follows from those of the positions after each move.

    With `wanted` not 0 the answer is only good for whether it is that value: most positions are done with sooner.
    """
    end = generate(own, opp, kings, EMPTY, side, 0, base, memory)
    if end == base:
        return 1
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
    if shortest < 256:
        return shortest + 1
    return longest + 1 if all_won else 0


def pick_next(size: int, memory: Ints) -> None:
    """Go on to the squares of the next rank."""
    place = 0
    while place + 1 < size and memory[PICKED + place] + 1 == memory[PICKED + place + 1]:
        memory[PICKED + place] = place
        place += 1
    memory[PICKED + place] += 1


def work_back(
    size: int, wanted: int, side: int, from_rank: int, until_rank: int, start: int, base: int, memory: Ints
) -> int:
    """Write down the entries of one value among those of `size` pieces; return how many.

    With `wanted` 0 every entry is derived once more; returned is how many differ. The squares of rank `from_rank` stand in
    PICKED.
    """
    found = 0
    for rank in range(from_rank, until_rank):
        for digits in range(1 << (2 * size)):
            cast = CAST[size * 256 + digits]
            if cast >= 0:
                entry = ENTRIES_FROM[size] + rank * CASTS[size] + cast
                if not SYMMETRIC and side == 1:
                    entry += ENTRIES_FROM[7]
                known = look_up(entry, start, memory)
                if known == 0 or wanted == 0:
                    own = EMPTY
                    opp = EMPTY
                    kings = EMPTY
                    for place in range(size):
                        digit = (digits >> (2 * place)) & 3
                        here = bit(PLACE_OF[memory[PICKED + place]])
                        if digit < 2:
                            own = own | here
                        else:
                            opp = opp | here
                        if digit & 1 == 1:
                            kings = kings | here
                    value = derive(own, opp, kings, side, wanted, start, base, memory)
                    if wanted == 0:
                        found += 1 if value != known else 0
                    elif value == wanted:
                        write_down(entry, value, start, memory)
                        found += 1
        pick_next(size, memory)
    return found
