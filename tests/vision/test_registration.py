"""A camera that was bumped is noticed and found again; a lamp, an arm and moved men are no bump."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.registration import Station
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
    view = station.locate(picture)
    assert view is not None
    corners = view_from_above.project(view_from_above.outer_corners_mm())
    wanted = corners @ motion[:, :2].T + motion[:, 2]
    error = np.linalg.norm(view.project(view.outer_corners_mm()) - wanted, axis=1).max()
    assert error / SQUARE_PX < 0.05


def test_a_picture_without_the_board_says_nothing(station: Station) -> None:
    nothing = np.full((480, 640, 3), 90, np.uint8)
    assert station.drift(nothing) is None
    assert station.locate(nothing) is None
