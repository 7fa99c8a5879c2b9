"""Sets of squares in two machine words of HALF bits each, the low one first; see `whole.py`. Never negative, so shifts are
plain.
"""

from damludo.engine.intrinsics import count_bits, count_zeros, reverse_bits
from damludo.engine.kernels.constants import WIDTH, Ints
from damludo.engine.kernels.constants import Pair as Set
from damludo.engine.layout import HALF, LOW, WORD


def some(squares: Set) -> bool:
    return (squares[0] | squares[1]) != 0


def bit(square: int) -> Set:
    if square < HALF:
        return (1 << square, 0)
    return (0, 1 << (square - HALF))


def has(squares: Set, square: int) -> bool:
    if square < HALF:
        return (squares[0] >> square) & 1 != 0
    return (squares[1] >> (square - HALF)) & 1 != 0


def first(squares: Set) -> int:
    if squares[0] != 0:
        return count_zeros(squares[0])
    return HALF + count_zeros(squares[1])


def rest(squares: Set) -> Set:
    if squares[0] != 0:
        return (squares[0] & (squares[0] - 1), squares[1])
    return (0, squares[1] & (squares[1] - 1))


def count(squares: Set) -> int:
    return count_bits(squares[0]) + count_bits(squares[1])


def toward(squares: Set, shift: int) -> Set:
    low, high = squares
    if shift > 0:
        return ((low >> shift) | ((high << (HALF - shift)) & LOW), high >> shift)
    return ((low << -shift) & LOW, ((high << -shift) | (low >> (HALF + shift))) & LOW)


def get(array: Ints, index: int) -> Set:
    return (array[index], array[index + 1])


def put(array: Ints, index: int, squares: Set) -> None:
    array[index] = squares[0]
    array[index + 1] = squares[1]


def window(squares: Set, at: int) -> int:
    if at >= HALF:
        return (squares[1] >> (at - HALF)) & 15
    if at + 4 > HALF:
        return ((squares[0] >> at) | (squares[1] << (HALF - at))) & 15
    return (squares[0] >> at) & 15


def turned(squares: Set) -> Set:
    low, high = squares
    # Each word is never negative, so its reverse has its HALF bits on top and zeros below.
    whole = ((reverse_bits(high) >> (WORD - HALF)) & LOW, (reverse_bits(low) >> (WORD - HALF)) & LOW)
    return toward(whole, 2 * HALF - WIDTH)
