"""The camera fit against cameras that are known."""

import numpy as np
import pytest

from damludo.vision.content import BoardSizes
from damludo.vision.errors import BadPose
from damludo.vision.pose import fit_view
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
