"""When a camera counts as moved, when it is looked for, and where it is found again."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from damludo.vision.content import Content
from damludo.vision.frame import Frame, Image
from damludo.vision.motion import Scene
from damludo.vision.registration import Drift, Station
from damludo.vision.view import BoardView
from damludo.vision.whereabouts import Whereabouts

Draw = Callable[..., Image]
Board = dict[int, Content]
SQUARE_PX = 44
STILL = Scene(0.0, 0, False, True, True, False, 0.0, 0.0, 0.0)
HIDDEN = replace(STILL, hand=True, still=False, quiet=False, mask_squares=50.0)


def at(time_s: float, scene: Scene = STILL) -> Scene:
    return replace(scene, time_s=time_s)


def bumped(image: Image) -> Image:
    shift = np.array([[1.0, 0.0, 18.0], [0.0, 1.0, -12.0]])
    return np.asarray(cv2.warpAffine(image, shift, (640, 480), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def corners(view: BoardView) -> np.ndarray:
    return view.project(view.outer_corners_mm())


@pytest.fixture
def whereabouts(view_from_above: BoardView, draw: Draw, start: Board) -> Whereabouts:
    found = Whereabouts(view_from_above.grid)
    found.stand(view_from_above, draw(start))
    found.check(Frame(draw(start, seed=1), 0.0, 0), STILL)
    return found


def test_nothing_is_doubted_before_the_first_picture(view_from_above: BoardView) -> None:
    assert not Whereabouts(view_from_above.grid).doubtful(STILL)


@pytest.mark.parametrize(
    ("scene", "doubtful"),
    [
        (at(0.5), False),
        (at(1.1), True),
        (replace(at(0.5), moving_squares=20.0), True),
        (replace(at(0.5, HIDDEN), mask_squares=25.0), False),
        (at(0.5, HIDDEN), True),
    ],
    ids=["calm", "calm for a second", "much stirs", "an arm", "more than an arm"],
)
def test_the_place_is_doubted_when_much_changes(whereabouts: Whereabouts, scene: Scene, doubtful: bool) -> None:
    assert whereabouts.doubtful(scene) is doubtful


def test_a_camera_is_found_again_in_the_third_picture(
    whereabouts: Whereabouts, view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    told = [whereabouts.check(Frame(bumped(draw(start, seed=n)), 1.0 + n / 10, n), HIDDEN) for n in range(3)]
    assert [moved for moved, _ in told] == [True, True, True]
    assert [view is None for _, view in told] == [True, True, False]
    view = told[-1][1]
    assert view is not None
    assert np.abs(corners(view) - corners(view_from_above) - (18.0, -12.0)).max() < 0.05 * SQUARE_PX


def test_who_leans_over_the_board_for_long_is_looked_at_closely_four_times_a_second(
    whereabouts: Whereabouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    close: list[bool] = []

    def drift(station: Station, image: Image, *, closely: bool = False) -> Drift | None:
        close.append(closely)
        return None

    monkeypatch.setattr(Station, "drift", drift)
    for n in range(60):
        whereabouts.check(Frame(np.zeros((480, 640, 3), np.uint8), 1.0 + n / 30, n), HIDDEN)
    assert 7 <= sum(close) <= 9


def test_a_pose_that_was_found_under_a_hand_is_mended_once(
    whereabouts: Whereabouts, view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    picture = bumped(draw(start, seed=7))
    view = [whereabouts.check(Frame(picture, 1.0 + n / 10, n), HIDDEN)[1] for n in range(3)][-1]
    assert view is not None
    whereabouts.stand(replace(view, translation_mm=np.add(view.translation_mm, (2.0, 0.0, 0.0))), picture)
    better = whereabouts.mended(picture)
    assert better is not None
    assert np.abs(corners(better) - corners(view)).max() < 0.01 * SQUARE_PX
    assert whereabouts.mended(picture) is None


def test_a_pose_that_was_found_well_is_left_as_it_is(whereabouts: Whereabouts, draw: Draw, start: Board) -> None:
    picture = bumped(draw(start, seed=7))
    view = [whereabouts.check(Frame(picture, 1.0 + n / 10, n), HIDDEN)[1] for n in range(3)][-1]
    assert view is not None
    whereabouts.stand(view, picture)
    assert whereabouts.mended(bumped(draw(start, seed=8))) is None
