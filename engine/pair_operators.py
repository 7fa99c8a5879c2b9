"""Teaches the compiler the set operators for sets in two words. Importing this module is enough."""

import operator
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.extending import overload

from damludo.engine.layout import LOW

PAIR: Any = types.UniTuple(types.int64, 2)  # type: ignore[no-untyped-call]


@overload(operator.and_, strict=False)  # its lambdas carry no annotations
def _both(left: Any, right: Any) -> Callable[..., Any] | None:
    if left == PAIR and right == PAIR:
        return lambda left, right: (left[0] & right[0], left[1] & right[1])
    return None


@overload(operator.or_, strict=False)  # its lambdas carry no annotations
def _either(left: Any, right: Any) -> Callable[..., Any] | None:
    if left == PAIR and right == PAIR:
        return lambda left, right: (left[0] | right[0], left[1] | right[1])
    return None


@overload(operator.xor, strict=False)  # its lambdas carry no annotations
def _one(left: Any, right: Any) -> Callable[..., Any] | None:
    if left == PAIR and right == PAIR:
        return lambda left, right: (left[0] ^ right[0], left[1] ^ right[1])
    return None


@overload(operator.invert, strict=False)  # its lambdas carry no annotations
def _none(squares: Any) -> Callable[..., Any] | None:
    if squares == PAIR:
        return lambda squares: (LOW & ~squares[0], LOW & ~squares[1])
    return None
