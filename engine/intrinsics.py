"""What the machine can do with a word in one instruction, for compiled kernels."""

from collections.abc import Callable
from typing import Any, cast

from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic


@intrinsic
def _count_bits(context: Any, word: Any) -> Any:
    return types.int64(types.int64), lambda _, builder, __, arguments: builder.ctpop(arguments[0])


@intrinsic
def _count_zeros(context: Any, word: Any) -> Any:
    return types.int64(types.int64), lambda _, builder, __, arguments: builder.cttz(arguments[0], cgutils.true_bit)


@intrinsic
def _reverse_bits(context: Any, word: Any) -> Any:
    return types.int64(types.int64), lambda _, builder, __, arguments: builder.bitreverse(arguments[0])


count_bits = cast("Callable[[int], int]", _count_bits)
"""The number of bits set."""
count_zeros = cast("Callable[[int], int]", _count_zeros)
"""The number of zeros below the lowest bit set."""
reverse_bits = cast("Callable[[int], int]", _reverse_bits)
"""The word with its bits in the opposite order."""
