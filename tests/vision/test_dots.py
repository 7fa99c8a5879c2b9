"""Boards that show a printed dot on every square and no crossings."""

import cv2
import numpy as np
import pytest

from damludo.vision.board import view_from_corners
from damludo.vision.dots import refined_on_dots
from damludo.vision.frame import Image
from damludo.vision.sides import corners_of
from damludo.vision.view import BoardView

MISSED = 0.3
"""How far the clicks miss the corners, in squares."""


def dotted(view: BoardView) -> Image:
    """Draw a dark board with red and blue dots, and white discs on four of them."""
    image = np.full((480, 640, 3), (45, 30, 25), dtype=np.uint8)
    side = view.sizes.square_mm
    turn = np.linspace(0, 2 * np.pi, 40)
    for row in range(8):
        for column in range(8):
            colour = (230, 235, 240) if (row, column) in {(2, 4), (3, 1), (5, 5), (6, 2)} else (40, 30, 230)
            colour = (190, 70, 10) if (row + column) % 2 else colour
            x, y = (column + 0.5 + 0.36 * np.cos(turn)) * side, (row + 0.5 + 0.36 * np.sin(turn)) * side
            rim = view.project(np.column_stack([x, y, np.zeros(40)]))
            cv2.fillPoly(image, [np.rint(rim * 16).astype(np.int32)], colour, cv2.LINE_AA, shift=4)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.0), dtype=np.uint8)


def off_by(view: BoardView, corners: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """Return how far the worst corner lies from its true place, in squares."""
    truth = view.project(corners_of(view.grid, view.sizes, "bottom"))
    side = np.linalg.norm(truth[0] - truth[1]) / view.grid.columns
    return float(np.linalg.norm(corners - truth, axis=1).max() / side)


@pytest.mark.parametrize("seed", range(5))
def test_rough_corners_are_refined_to_the_dots_wherever_the_clicks_fell(view_from_above: BoardView, seed: int) -> None:
    """Between dots of two colours chance makes saddles, and a pose through some of them is no better than the clicks."""
    truth = view_from_above.project(corners_of(view_from_above.grid, view_from_above.sizes, "bottom"))
    angle = np.random.default_rng(seed).uniform(0, 2 * np.pi, 4)
    off = MISSED * np.column_stack([np.cos(angle), np.sin(angle)])
    clicks = truth + off * np.linalg.norm(truth[0] - truth[1]) / 8
    view = view_from_corners(clicks, (640, 480), view_from_above.grid, refine=dotted(view_from_above))
    assert off_by(view_from_above, clicks) > 0.25
    assert off_by(view_from_above, view.project(corners_of(view.grid, view.sizes, "bottom"))) < 0.07


def test_in_noise_no_dots_are_found(view_from_above: BoardView) -> None:
    noise = np.random.default_rng(5).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    assert refined_on_dots(view_from_above, noise) is None


def test_dots_on_half_of_the_squares_are_discs(view_from_above: BoardView) -> None:
    image = dotted(view_from_above)
    image[image.argmax(axis=2) == 0] = (45, 30, 25)
    assert refined_on_dots(view_from_above, image) is None
