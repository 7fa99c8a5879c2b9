"""A board on a chequered cloth: the board ends on four sides, a window of the cloth does not."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.vision.alternation import continued
from damludo.vision.board import find_board
from damludo.vision.frame import Image
from damludo.vision.view import grid_of


def board_on_a_cloth(turn: float) -> tuple[Image, NDArray[np.float64]]:
    """Return a framed board of 30 px a square, turned by degrees, on a cloth of 26 px a square, and its corners."""
    y, x = np.mgrid[0:480, 0:640].astype(np.float64)
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    file, rank = ((cos * (x - 350) + sin * (y - 240)) / 30 + 4, (cos * (y - 240) - sin * (x - 350)) / 30 + 4)
    cloth = np.where((x // 26 + y // 26) % 2 == 0, 190, 90)
    field = np.where((np.floor(file) + np.floor(rank)) % 2 == 0, 225, 70)
    near = np.maximum(np.abs(file - 4), np.abs(rank - 4))
    tone = np.where(near < 4, field, np.where(near < 4.5, 60, cloth)).astype(np.float64)
    soft = cv2.GaussianBlur(tone, (0, 0), 0.9)[..., None] + np.random.default_rng(2).normal(0, 2, (480, 640, 3))
    around = 120 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    return np.clip(soft, 0, 255).astype(np.uint8), around @ np.array([[cos, sin], [-sin, cos]]) + [350, 240]


@pytest.mark.parametrize("turn", [-25.0, 12.0, 40.0])
def test_the_board_is_found_on_a_chequered_cloth(turn: float) -> None:
    """The cloth has more crossings than the board, but no window of it ends on four sides."""
    image, corners = board_on_a_cloth(turn)
    finding = find_board(image, grid_of(8, 8))
    away = np.linalg.norm(finding.corners[:, None] - corners[None], axis=2).min(axis=1)
    assert away.max() < 1.5
    assert finding.continued < 0.15


def test_squares_that_go_on_beyond_one_side_are_told() -> None:
    """Beyond the right side one column goes on, against the window and within itself; beyond the upper one only against it."""
    across, along = np.zeros((9, 9)), np.zeros((9, 9))
    across[2:6, 2:5], along[2:5, 2:6] = 1, 1
    window = slice(2, 6), slice(2, 6)
    assert continued(across, along, *window) == 0.0
    along[1, 2:6] = 1
    assert continued(across, along, *window) == 0.0
    across[2:6, 5], along[2:5, 6] = 0.8, 0.6
    assert continued(across, along, *window) == pytest.approx(0.6)
