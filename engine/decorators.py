"""The decorators of the modules that `writing` writes."""

from collections.abc import Callable
from typing import Any

from numba import njit

Decorator = Callable[[str], Callable[[Any], Any]]

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
"""`_nrt`: references to arrays are not counted, for the caller holds all of them while a kernel runs, and none is made there."""


def decorators(ready: bool) -> tuple[Decorator, Decorator]:
    """Return the decorators of functions that Python calls and of those that only other compiled functions call.

    Args:
        ready: all was compiled before; then the latter functions need not be loaded.
    """

    def entry(signature: str) -> Callable[[Any], Any]:
        compiler: Callable[[Any], Any] = njit(signature, **OPTIONS)
        return compiler

    def inner(signature: str) -> Callable[[Any], Any]:
        return (lambda function: function) if ready else entry(signature)

    return entry, inner
