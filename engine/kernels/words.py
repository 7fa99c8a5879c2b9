"""Sets of squares in one machine word; see `whole.py`."""

from damludo.engine.intrinsics import count_bits, count_zeros, reverse_bits
from damludo.engine.kernels.constants import BOARD, WIDTH, Ints, Set
from damludo.engine.layout import WORD


def some(squares: Set) -> bool:
    return squares != 0


def bit(square: int) -> Set:
    return 1 << square


def has(squares: Set, square: int) -> bool:
    return (squares >> square) & 1 != 0


def first(squares: Set) -> int:
    return count_zeros(squares)


def rest(squares: Set) -> Set:
    return squares & (squares - 1)


def count(squares: Set) -> int:
    return count_bits(squares)


def toward(squares: Set, shift: int) -> Set:
    return squares >> shift if shift > 0 else squares << -shift


def get(array: Ints, index: int) -> Set:
    return array[index]


def put(array: Ints, index: int, squares: Set) -> None:
    array[index] = squares


def window(squares: Set, at: int) -> int:
    return (squares >> at) & 15


def turned(squares: Set) -> Set:
    # The shift may spread the sign.
    return (reverse_bits(squares) >> (WORD - WIDTH)) & BOARD
