"""A camera that was bumped is noticed and found again; a lamp, an arm and moved men are no bump."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.registration import Station, seen_from
from damludo.vision.view import BoardView

Draw = Callable[..., Image]
Centre = Callable[[int], tuple[float, float]]
Board = dict[int, Content]
C3, D4, SQUARE_PX = 18, 27, 44


def bumped(image: Image, turn_deg: float, dx: float, dy: float) -> tuple[Image, np.ndarray]:
    """Turn and shift a picture; also the motion, shape (2, 3)."""
    motion = np.asarray(cv2.getRotationMatrix2D((319.5, 239.5), turn_deg, 1.0), dtype=np.float64)
    motion[:, 2] += np.array([dx, dy])
    moved = cv2.warpAffine(image, motion, (640, 480), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, dtype=np.uint8), motion


@pytest.fixture
def station(view_from_above: BoardView, draw: Draw, start: Board) -> Station:
    return Station(view_from_above, draw(start))


def test_a_camera_that_stands_still_has_not_moved(station: Station, draw: Draw, start: Board, at_px: Centre) -> None:
    light = np.tile(np.linspace(0.6, 1.2, 640), (480, 1))
    pictures = [
        draw(start, seed=1),
        draw(start, seed=2, light=light),
        draw(start | {C3: Content.EMPTY, D4: Content.WHITE_MAN}, seed=3),
        draw(start, seed=4, arm_to=at_px(D4)),
    ]
    for picture in pictures:
        drift = station.drift(picture)
        assert drift is not None
        assert drift.squares < 0.03


@pytest.mark.parametrize(
    ("turn", "dx", "dy"), [(0.0, 5.0, 2.0), (1.5, -12.0, 9.0), (-3.0, 20.0, -14.0), (0.0, 0.0, 30.0)]
)
def test_a_bumped_camera_is_found_again(
    station: Station, view_from_above: BoardView, draw: Draw, start: Board, turn: float, dx: float, dy: float
) -> None:
    picture, motion = bumped(draw(start, seed=5, light=0.9), turn, dx, dy)
    drift = station.drift(picture)
    assert drift is not None
    assert drift.moved
    assert_found(station, view_from_above, picture, motion)


@pytest.mark.parametrize(
    ("turn", "dx", "dy"), [(0.0, 0.0, 0.0), (1.5, -38.0, 21.0), (-1.5, 30.0, -42.0), (0.5, 44.0, 44.0)]
)
def test_a_camera_that_is_bumped_under_an_arm_is_found_on_a_nearly_empty_board(
    view_from_above: BoardView, draw: Draw, at_px: Centre, turn: float, dx: float, dy: float
) -> None:
    """The arm hides a third of the crossings, and most of those that are seen look the same one square off."""
    few = {C3: Content.WHITE_MAN, 45: Content.BLACK_MAN}
    picture, motion = bumped(draw(few, seed=5, arm_to=at_px(36)), turn, dx, dy)
    station = Station(view_from_above, draw(few))
    drift = station.drift(picture, closely=True)
    assert drift is not None
    assert drift.moved is (dx != 0)
    assert_found(station, view_from_above, picture, motion)


def test_a_board_one_square_off_along_both_sides_is_no_board_that_stands_still(
    view_from_above: BoardView, draw: Draw, at_px: Centre
) -> None:
    """Four of five crossings look as they did, and a large picture is followed from where they were."""
    few = {C3: Content.WHITE_MAN}
    view = replace(view_from_above, image_size=(1280, 960), focal_px=2 * view_from_above.focal_px)
    picture, _ = bumped(draw(few, seed=5, arm_to=at_px(36)), 0.5, SQUARE_PX, SQUARE_PX)
    here, there = (np.asarray(cv2.resize(one, view.image_size), np.uint8) for one in (draw(few), picture))
    station = Station(view, here)
    near, closely = station.drift(there), station.drift(there, closely=True)
    assert near is None or not near.sure
    assert closely is not None
    assert closely.squares == pytest.approx(1.44, abs=0.1)


def assert_found(station: Station, view_from_above: BoardView, picture: Image, motion: np.ndarray) -> None:
    view = station.locate(picture)
    assert view is not None
    corners = view_from_above.project(view_from_above.outer_corners_mm())
    wanted = corners @ motion[:, :2].T + motion[:, 2]
    assert np.linalg.norm(view.project(view.outer_corners_mm()) - wanted, axis=1).max() / SQUARE_PX < 0.05


def test_crossings_below_discs_are_followed_by_the_rims_of_the_discs(view_from_above: BoardView) -> None:
    """A disc's top alone is smooth, and on a board of lines every crossing may hold one."""
    grid = replace(view_from_above.grid, columns=9, rows=9, playable=tuple(range(81)), lines=True)
    view = replace(view_from_above, grid=grid)
    picture = np.full((480, 640, 3), (90, 120, 150), np.uint8)
    for x, y in view.project(np.array([[file * 50.0, rank * 50.0, 0.0] for rank in range(9) for file in range(9)])):
        cv2.circle(picture, (round(x), round(y)), 18, (40, 40, 60) if y < 240 else (150, 200, 230), -1, cv2.LINE_AA)
    rng = np.random.default_rng(3)

    def noisy(image: Image) -> Image:
        return np.clip(image + rng.normal(0.0, 2.0, image.shape), 0, 255).astype(np.uint8)

    there, motion = bumped(picture, 1.0, 17.0, -12.0)
    assert_found(Station(view, noisy(picture)), view, noisy(there), motion)


def test_a_picture_is_carried_to_where_the_camera_stands_now(
    station: Station, view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    """That is how a hand is seen that was over the board when the camera was bumped."""
    picture, _ = bumped(draw(start, seed=5), 1.5, -12.0, 9.0)
    view = station.locate(picture)
    assert view is not None
    drawn = seen_from(view, draw(start), view_from_above)
    board = np.s_[90:400, 160:480]
    assert np.abs(drawn[board].astype(float) - picture[board]).mean() < 6.0
    assert np.abs(draw(start)[board].astype(float) - picture[board]).mean() > 20.0


def test_a_picture_without_the_board_says_nothing(station: Station) -> None:
    nothing = np.full((480, 640, 3), 90, np.uint8)
    assert station.drift(nothing) is None
    assert station.drift(nothing, closely=True) is None
    assert station.locate(nothing) is None
