"""The finder on rendered pictures with known truth, and on pictures without a board."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.robot.places import TableLayout
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.furnish import furnished_table
from damludo.simulation.optics import Optics
from damludo.simulation.table import DiscColour
from damludo.vision import board
from damludo.vision.board import find_board, find_candidates, view_from_corners
from damludo.vision.content import Content
from damludo.vision.errors import BadPose, BoardNotFound
from damludo.vision.frame import Image
from damludo.vision.pose import Camera, fit_camera
from damludo.vision.sides import SIDES, corners_of, places_in_picture, turned
from damludo.vision.view import BoardView, grid_of

Draw = Callable[..., Image]


def worst_corner(view: BoardView, truth: np.ndarray) -> float:
    """Largest error of the four outer corners, in squares."""
    side = np.linalg.norm(truth - np.roll(truth, 1, axis=0), axis=1).sum() / (2 * (view.grid.columns + view.grid.rows))
    return float(np.linalg.norm(view.project(view.outer_corners_mm()) - truth, axis=1).max() / side)


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [0, 1, 5, 6])
def test_board_with_discs_is_found_within_a_twentieth_square(seed: int) -> None:
    layout = TableLayout()
    start = {p: Content.WHITE_MAN if p < 24 else Content.BLACK_MAN for p in (*range(0, 24, 2), *range(41, 64, 2))}
    table = furnished_table(layout, start, 2, np.random.default_rng(seed))
    table.carriage.present = False
    camera = SimulatedCamera(table, LockstepClock(World()), Optics.seeded(seed, DiscColour.WHITE))
    finding = find_board(camera.render(table), grid_of(8, 8))
    assert worst_corner(finding.view, camera.corners_px()) <= 0.05


@pytest.mark.parametrize("scale", [0.5, 1.0, 4.0])
def test_board_is_found_in_small_and_large_pictures(
    draw: Draw, start: Mapping[int, Content], view_from_above: BoardView, scale: float
) -> None:
    import cv2

    image = cv2.resize(draw(start), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    finding = find_board(np.asarray(image, dtype=np.uint8), grid_of(8, 8))
    truth = (view_from_above.project(view_from_above.outer_corners_mm()) + 0.5) * scale - 0.5
    assert worst_corner(finding.view, truth) <= 0.05


def test_turned_views_put_a1_at_whites_left(draw: Draw, start: Mapping[int, Content]) -> None:
    finding = find_board(draw(start), grid_of(8, 8))
    a1 = [turned(finding.view, "bottom", side).project(np.zeros((1, 3)))[0] for side in SIDES]
    expected = finding.view.project(finding.view.outer_corners_mm())
    np.testing.assert_allclose(np.array(a1), expected, atol=1e-6)


def test_places_follow_the_side_where_white_sits() -> None:
    grid = grid_of(3, 2)
    assert places_in_picture(grid, "bottom").tolist() == [[3, 4, 5], [0, 1, 2]]
    assert places_in_picture(grid, "right").tolist() == [[5, 2], [4, 1], [3, 0]]
    assert places_in_picture(grid, "top").tolist() == [[2, 1, 0], [5, 4, 3]]
    assert places_in_picture(grid, "left").tolist() == [[0, 3], [1, 4], [2, 5]]


def test_an_unknown_side_is_named() -> None:
    with pytest.raises(BadPose, match="use one of bottom, right, top, left"):
        places_in_picture(grid_of(8, 8), "north")


def test_a_picture_without_a_board_is_refused() -> None:
    noise = np.random.default_rng(3).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    with pytest.raises(BoardNotFound, match="no board of 8 x 8 squares"):
        find_board(noise, grid_of(8, 8))


def test_a_board_of_ten_is_not_found_on_a_board_of_eight(draw: Draw, start: Mapping[int, Content]) -> None:
    assert find_candidates(draw(start), grid_of(10, 10)) == []


def test_four_clicks_are_refined_to_the_crossings(
    draw: Draw, start: Mapping[int, Content], view_from_above: BoardView
) -> None:
    truth = view_from_above.project(corners_of(view_from_above.grid, view_from_above.sizes, "bottom"))
    clicks = truth + np.array([[9.0, -8.0], [-10.0, 7.0], [8.0, 9.0], [-9.0, -10.0]])
    view = view_from_corners(clicks, (640, 480), view_from_above.grid, refine=draw(start))
    assert worst_corner(view, view_from_above.project(view_from_above.outer_corners_mm())) <= 0.05


def test_a_picture_of_noise_is_given_up_before_much_is_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    fits: list[int] = []
    fit = fit_camera

    def counted(
        points: NDArray[np.float64], pixels: NDArray[np.float64], image_size: tuple[int, int], near: Camera | None
    ) -> Camera:
        fits.append(len(points))
        return fit(points, pixels, image_size, near)

    monkeypatch.setattr("damludo.vision.lattice.fit_camera", counted)
    for seed in range(3):
        noise = np.random.default_rng(seed).integers(0, 256, (480, 640, 3), dtype=np.uint8)
        assert find_candidates(noise, grid_of(8, 8)) == []
    assert len(fits) < 60


def test_a_picture_that_is_noise_is_looked_at_in_its_brightness_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three looks instead of six; a board of one brightness in two colours needs the other three."""
    looked: list[int] = []

    def none_found(tone: NDArray[np.float32], *_: object, must_end: bool) -> list[object]:
        looked.append(tone.shape[1])
        return []

    monkeypatch.setattr(board, "_find_in_tone", none_found)
    random = np.random.default_rng(5)
    noise = random.integers(0, 256, (1080, 1920, 3), dtype=np.uint8)
    assert board.find_candidates(noise, grid_of(8, 8)) == []
    assert looked == [960, 520, 1500]
    looked.clear()
    y, x = np.mgrid[0:1080, 0:1920] // 40
    blue_and_green = np.stack([(x + y) % 2, 1 - (x + y) % 2, 0 * x], axis=-1) * 40 + 100
    small = (np.abs(x - 24) < 8) & (np.abs(y - 13) < 8)
    assert board.find_candidates(np.where(small[..., None], blue_and_green, 100).astype(np.uint8), grid_of(8, 8)) == []
    assert looked == [960, 520, 1500, 960, 960, 960]
