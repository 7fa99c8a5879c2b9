"""The sides of the field, seen in drawn boards whose outer rows are narrower than the inner ones."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.vision.board import find_board, view_from_corners
from damludo.vision.view import grid_of

SIDE, FRAME = 60, 50


def drawn(narrower: float, frame: int = 120, line: int = 0) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return a board of 8 x 8 seen from above, its outer rows narrower by a part of a square, and the field's corners."""
    cut = round(narrower * SIDE)
    size = 8 * SIDE - 2 * cut
    y, x = (np.mgrid[0:size, 0:size] + cut) // SIDE
    field = np.where((x + y) % 2 == 0, 210, 60).astype(np.uint8)
    image = np.full((size + 2 * FRAME, size + 2 * FRAME), frame, dtype=np.uint8)
    image[FRAME - line : FRAME + size + line, FRAME - line : FRAME + size + line] = 60
    image[FRAME : FRAME + size, FRAME : FRAME + size] = field
    noise = np.random.default_rng(7).normal(0, 3, image.shape)
    soft = cv2.GaussianBlur(image.astype(np.float64), (0, 0), 1.2) + noise
    low, high = FRAME - 0.5, FRAME + size - 0.5
    colour = np.repeat(np.clip(soft, 0, 255).astype(np.uint8)[:, :, None], 3, axis=2)
    return colour, np.array([[low, low], [high, low], [high, high], [low, high]])


def error(found: NDArray[np.float64], corners: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(found - corners, axis=1).max() / SIDE)


@pytest.mark.parametrize("narrower", [0.0, 0.03, 0.05])
def test_corners_follow_outer_rows_that_are_cut_narrower(narrower: float) -> None:
    image, corners = drawn(narrower)
    view = find_board(image, grid_of(8, 8)).view
    # The crossings alone would miss by the diagonal of what was cut off.
    assert error(view.project(view.outer_corners_mm())[[3, 2, 1, 0]], corners) < 0.01 + 0.75 * narrower


def test_the_corners_that_are_told_are_those_of_equal_squares() -> None:
    image, corners = drawn(0.05)
    outward = 0.05 * SIDE * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    assert error(find_board(image, grid_of(8, 8)).corners, corners + outward) < 0.01


def test_rough_corners_are_drawn_to_the_sides_of_the_field() -> None:
    image, corners = drawn(0.05)
    rough = corners + 0.3 * SIDE * np.array([[0.6, 0.8], [-1.0, 0.0], [0.0, 1.0], [0.8, -0.6]])
    view = view_from_corners(rough, (image.shape[1], image.shape[0]), grid_of(8, 8), refine=image)
    assert error(view.project(view.outer_corners_mm())[[3, 2, 1, 0]], corners) < 0.05


def test_a_line_around_the_field_does_not_belong_to_it() -> None:
    image, corners = drawn(0.0, frame=200, line=5)
    assert error(find_board(image, grid_of(8, 8)).corners, corners) < 0.02
