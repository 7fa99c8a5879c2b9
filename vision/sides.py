"""Picture order and board order: which place is where in the picture, for each side at which White may sit."""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import BoardSizes, Grid
from damludo.vision.errors import BadPose
from damludo.vision.view import BoardView

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


def turned(view: BoardView, white_at: str, new_white_at: str) -> BoardView:
    """Return the same pose with the board frame of a White who sits at another side of the picture."""
    old, new = (corners_of(view.grid, view.sizes, side)[[0, 1, 3]].T for side in (white_at, new_white_at))
    old_edges, new_edges = old[:2, 1:] - old[:2, :1], new[:2, 1:] - new[:2, :1]
    turn = np.eye(3)
    turn[:2, :2] = old_edges @ np.linalg.inv(new_edges)  # old_from_new
    shift = old[:, 0] - turn @ new[:, 0]
    rotation, _ = cv2.Rodrigues(view.rotation_vector)
    vector, _ = cv2.Rodrigues(rotation @ turn)
    return replace(
        view,
        rotation_vector=np.asarray(vector, dtype=np.float64).ravel(),
        translation_mm=rotation @ shift + view.translation_mm,
    )
