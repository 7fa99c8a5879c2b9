"""Boards of lines: found under the discs of a start, and not in noise."""

import numpy as np
import pytest

from damludo.play.benches.set_ups import random_view
from damludo.rules.variants import variant
from damludo.vision.content import BoardSizes, Grid
from damludo.vision.lines import find_line_boards, line_errors, refined_on_lines
from damludo.vision.sides import SIDES, turned
from damludo.vision.view import BoardView

GRID = Grid(5, 5, tuple(range(25)), lines=True)


def worst_corner(view: BoardView, truth: np.ndarray) -> float:
    """Error of the worst corner in squares, whichever side White sits at."""
    side = np.linalg.norm(truth - np.roll(truth, 1, axis=0), axis=1).mean() / 4
    seen = view.project(view.outer_corners_mm())
    return min(float(np.linalg.norm(np.roll(seen, k, axis=0) - truth, axis=1).max()) for k in range(4)) / float(side)


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [1101, 1104])
def test_lines_are_found_under_the_discs_of_a_start(seed: int) -> None:
    camera, _, sizes = random_view(variant("alquerque"), seed)
    image = camera.read().image
    best = find_line_boards(image, GRID, sizes)[0]
    assert best.alternation > 0.9
    assert worst_corner(best.view, camera.corners_px()) <= 0.05
    points, errors = line_errors(best.view, image)
    assert len(points) >= 28
    assert float(np.abs(errors).max()) < 3.0


@pytest.mark.simulation
def test_a_view_that_is_nearly_right_is_pulled_onto_the_lines() -> None:
    camera, _, sizes = random_view(variant("alquerque"), 1101)
    image = camera.read().image
    view = turned(find_line_boards(image, GRID, sizes)[0].view, SIDES[0], SIDES[2])
    shifted = BoardView(
        view.grid,
        view.sizes,
        view.image_size,
        view.focal_px,
        view.k1,
        view.rotation_vector,
        view.translation_mm + np.array([5.0, -4.0, 0.0]),
    )
    assert worst_corner(shifted, camera.corners_px()) > 0.1
    pulled = refined_on_lines(shifted, image)
    assert pulled is not None
    assert worst_corner(pulled, camera.corners_px()) <= 0.05


def test_a_plain_picture_holds_no_board_of_lines() -> None:
    assert find_line_boards(np.full((480, 640, 3), 120, np.uint8), GRID, BoardSizes()) == []
