"""Sets of squares as whole numbers: of any size in plain Python, of one word where `words.py` takes the place of some."""

from damludo.engine.kernels.constants import WIDTH, Ints, Set


def some(squares: Set) -> bool:
    """Whether there is a square in the set."""
    return squares != 0


def bit(square: int) -> Set:
    """The set of one square."""
    return 1 << square


def has(squares: Set, square: int) -> bool:
    """Whether the square is in the set."""
    return squares >> square & 1 != 0


def first(squares: Set) -> int:
    """The lowest square of a set that has one."""
    return (squares & -squares).bit_length() - 1


def rest(squares: Set) -> Set:
    """The set without its lowest square."""
    return squares & (squares - 1)


def count(squares: Set) -> int:
    """The number of squares."""
    return squares.bit_count()


def toward(squares: Set, shift: int) -> Set:
    """The places from which a step of `shift` leads into the set; only meaningful where there is such a step."""
    return squares >> shift if shift > 0 else squares << -shift


def get(array: Ints, index: int) -> Set:
    """Read a set."""
    return array[index]


def put(array: Ints, index: int, squares: Set) -> None:
    """Write a set."""
    array[index] = squares


def window(squares: Set, at: int) -> int:
    """Four bits of a set, from bit `at` on."""
    return squares >> at & 15


def turned(squares: Set) -> Set:
    """The set on the board turned by half a turn."""
    return int(f"{squares:0{WIDTH}b}"[::-1], 2)
