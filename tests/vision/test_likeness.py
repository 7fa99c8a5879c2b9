"""A chequered board looks like itself whole squares off; with what surrounds it, it does not."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.likeness import Likeness
from damludo.vision.view import BoardView

Draw = Callable[..., Image]
SQUARE_PX, E4 = 44, 28
SQUARES_OFF = [(1, 1), (-1, 1), (2, 0), (0, -2)]


def tone(image: Image) -> Image:
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return np.asarray(48 * np.log1p(gray.astype(np.float32) / 8), np.uint8)


def by(x: float, y: float) -> NDArray[np.float64]:
    return np.array([[1.0, 0.0, x], [0.0, 1.0, y], [0.0, 0.0, 1.0]])


def moved(image: Image, x: float, y: float) -> Image:
    return np.asarray(cv2.warpAffine(image, by(x, y)[:2], (640, 480), borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.fixture
def empty(draw: Draw) -> Image:
    """A board with one man on it."""
    return draw({E4: Content.WHITE_MAN})


@pytest.fixture
def likeness(view_from_above: BoardView, empty: Image) -> Likeness:
    return Likeness(view_from_above, tone(empty), 1)


def test_a_picture_is_most_like_itself_whatever_the_lamp_does(likeness: Likeness, draw: Draw) -> None:
    light = np.tile(np.linspace(0.6, 1.2, 640), (480, 1))
    departures = likeness.departures(tone(draw({E4: Content.WHITE_MAN}, seed=3, light=light)))
    here = likeness.of(departures, np.eye(3))
    assert here > 0.9
    assert all(likeness.of(departures, by(x * SQUARE_PX, y * SQUARE_PX)) < here - 0.1 for x, y in SQUARES_OFF)


@pytest.mark.parametrize(("x", "y"), SQUARES_OFF)
def test_from_whole_squares_off_the_way_leads_back(likeness: Likeness, draw: Draw, x: int, y: int) -> None:
    picture = moved(draw({E4: Content.WHITE_MAN}, seed=3, arm_to=(300.0, 250.0)), 15.0, -9.0)
    departures = likeness.departures(tone(picture))
    found = likeness.best_near(departures, by(15.0 + x * SQUARE_PX, -9.0 + y * SQUARE_PX))
    assert np.abs(found - by(15.0, -9.0)).max() < 0.5


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (31.0, -22.0), (-60.0, 40.0)])
def test_a_shift_is_found_with_an_arm_over_the_board(likeness: Likeness, draw: Draw, x: float, y: float) -> None:
    picture = moved(draw({E4: Content.WHITE_MAN}, seed=3, arm_to=(300.0, 250.0)), x, y)
    found = likeness.shift(likeness.departures(tone(picture)))
    assert np.abs(found - by(x, y)).max() < 3.0
