"""What the machine can do with a word in one instruction, for compiled kernels."""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic

HALF = 39
"""Bits in each word of a pair: two words hold the 12x12 board."""
LOW = (1 << HALF) - 1


@intrinsic
def count_bits(context: Any, word: Any) -> Any:
    """The number of bits set."""
    return types.int64(types.int64), lambda _, builder, __, arguments: builder.ctpop(arguments[0])


@intrinsic
def count_zeros(context: Any, word: Any) -> Any:
    """The number of zeros below the lowest bit set."""
    return types.int64(types.int64), lambda _, builder, __, arguments: builder.cttz(arguments[0], cgutils.true_bit)
