"""The weights file of a game: small enough for the package."""

import io

import numpy as np
from numpy.typing import NDArray

from damludo.engine.errors import EngineError

MOST_BYTES = 300_000
"""Of the weights file of a game."""
STEPS = (8, 16, 32, 64, 128)
"""Weights of patterns that were never met are rounded to multiples of the first of these that makes the file small enough."""


class TooManyWeights(EngineError):
    """A weights file is larger than the package allows."""


def packed(weights: NDArray[np.int16]) -> bytes:
    """Return the weights as the package keeps them.

    Raises:
        TooManyWeights: they take more than the package allows.
    """
    found = _compressed(weights)
    if len(found) > MOST_BYTES:
        raise TooManyWeights(f"the weights take {len(found)} bytes, at most {MOST_BYTES}; learn from fewer games")
    return found


def coarsened(weights: NDArray[np.int16], rare: NDArray[np.bool_]) -> NDArray[np.int16]:
    """Return weights that can be packed: where they are too many, the rare ones are rounded, as little as is needed.

    What is learnt for parts of a pattern gives a worth to patterns that no game has shown. More than four of five are
    such, and they need not be exact.
    """
    found = weights
    for step in STEPS:
        if len(_compressed(found)) <= MOST_BYTES:
            break
        found = np.where(rare, np.rint(weights / step) * step, weights).astype(np.int16)
    return found


def _compressed(weights: NDArray[np.int16]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, weights=weights)
    return buffer.getvalue()
