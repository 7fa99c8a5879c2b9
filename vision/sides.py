"""Picture order and board order: which place is where in the picture, for each side at which White may sit."""

import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import BoardSizes, Grid
from damludo.vision.errors import BadPose

SIDES = ("bottom", "right", "top", "left")
"""Sides of the picture where White's rank 1 may lie, each a quarter turn on."""


def turns_of(white_at: str) -> int:
    """Return how many quarter turns a side is from "bottom".

    Raises:
        BadPose: there is no such side.
    """
    if white_at not in SIDES:
        raise BadPose(f"White cannot sit at {white_at!r}; use one of {', '.join(SIDES)}")
    return SIDES.index(white_at)


def places_in_picture(grid: Grid, white_at: str) -> NDArray[np.int64]:
    """Return the places as they lie in the picture, shape (rows, columns) of the picture, from corner 1.

    White sits at `white_at` and has file a at the left hand.
    """
    board = np.arange(grid.rows * grid.columns).reshape(grid.rows, grid.columns)[::-1]
    return np.asarray(np.rot90(board, turns_of(white_at)))


def corners_of(grid: Grid, sizes: BoardSizes, white_at: str) -> NDArray[np.float64]:
    """Return the outer corners in picture order, shape (4, 3), mm of the board frame."""
    width = (grid.columns - grid.lines) * sizes.square_mm
    height = (grid.rows - grid.lines) * sizes.square_mm
    seen_from_white = np.array([[0.0, height, 0.0], [width, height, 0.0], [width, 0.0, 0.0], [0.0, 0.0, 0.0]])
    return np.roll(seen_from_white, -turns_of(white_at), axis=0)
