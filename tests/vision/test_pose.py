"""The camera fit against cameras that are known."""

import numpy as np
import pytest

from damludo.vision.board import find_board
from damludo.vision.content import BoardSizes
from damludo.vision.errors import BadPose, BoardNotFound
from damludo.vision.pose import fit_camera, fit_view
from damludo.vision.view import BoardView, grid_of


def known_view(tilt: float) -> BoardView:
    turn = np.pi - tilt
    return BoardView(
        grid_of(8, 8),
        BoardSizes(),
        (640, 480),
        620.0,
        -0.08,
        np.array([turn, 0.0, 0.0]),
        np.array([-200.0, 190.0, 640.0]),
    )


def crossings() -> np.ndarray:
    y, x = np.mgrid[1:8, 1:8] * 50.0
    return np.column_stack([x.ravel(), y.ravel(), np.zeros(49)])


@pytest.mark.parametrize("tilt", [0.3, 0.6])
def test_focal_length_and_distortion_come_back_from_a_tilted_view(tilt: float) -> None:
    view = known_view(tilt)
    fitted = fit_view(view.grid, view.sizes, crossings(), view.project(crossings()), view.image_size)
    assert fitted.focal_px == pytest.approx(620.0, rel=0.02)
    assert fitted.k1 == pytest.approx(-0.08, abs=0.01)
    assert fitted.residual_px < 0.02


def test_one_wild_crossing_moves_the_corners_little() -> None:
    view = known_view(0.4)
    seen = view.project(crossings())
    seen[10] += 15.0
    fitted = fit_view(view.grid, view.sizes, crossings(), seen, view.image_size)
    corners = view.outer_corners_mm()
    assert np.abs(fitted.project(corners) - view.project(corners)).max() < 1.0


def test_points_on_a_line_are_refused() -> None:
    line = np.column_stack([np.arange(5) * 50.0, np.zeros(5), np.zeros(5)])
    with pytest.raises((BadPose, np.linalg.LinAlgError)):
        fit_view(grid_of(8, 8), BoardSizes(), line, line[:, :2], (640, 480))


def test_no_points_are_seen_nowhere() -> None:
    """A lattice that is wider than any board expects nothing more; OpenCV 5 gives no derivatives then, OpenCV 4 raises."""
    camera = fit_camera(crossings(), known_view(0.4).project(crossings()), (640, 480))
    assert camera.project(np.zeros((0, 3))).shape == (0, 2)


def test_a_chequered_cloth_is_refused_and_a_board_upon_it_is_no_crash() -> None:
    """The cloth's lattice is wider than that of any board."""
    y, x = np.mgrid[0:480, 0:640]
    for side, board in ((20, False), (24, True), (31, True)):
        cloth = np.where((x // side + y // side) % 2, 200, 90)
        if board:
            rank, file = (y - 80) // 40, (x - 160) // 40
            on_board = (rank >= 0) & (rank < 8) & (file >= 0) & (file < 8)
            cloth = np.where(on_board, np.where((rank + file) % 2, 60, 220), cloth)
        noise = np.random.default_rng(side).normal(0, 3, (480, 640, 3))
        image = np.clip(cloth[..., None] + noise, 0, 255).astype(np.uint8)
        try:
            corners = find_board(image, grid_of(8, 8)).corners
        except BoardNotFound:
            continue
        assert board
        assert np.abs(corners - [[159.5, 79.5], [479.5, 79.5], [479.5, 399.5], [159.5, 399.5]]).max() < 2.0
