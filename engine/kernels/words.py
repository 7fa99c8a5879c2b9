"""Sets of squares in one machine word: what it does better than `whole.py`, whose other functions serve as they are."""

from damludo.engine.intrinsics import count_bits, count_zeros, reverse_bits
from damludo.engine.kernels.constants import BOARD, WIDTH, Set
from damludo.engine.layout import WORD


def first(squares: Set) -> int:
    return count_zeros(squares)


def count(squares: Set) -> int:
    return count_bits(squares)


def turned(squares: Set) -> Set:
    # The shift may spread the sign.
    return (reverse_bits(squares) >> (WORD - WIDTH)) & BOARD
