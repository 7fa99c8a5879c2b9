"""The camera's picture for the page, and what is shown over it."""

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
import pytest

from damludo.play.page.pictures import (
    WIDEST_PX,
    Encoder,
    NewestFrame,
    ShownEyes,
    camera_json,
    ground_point,
    readings_json,
    reduced,
    table_json,
)
from damludo.play.table.simulated import set_table
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.vision.content import BoardSizes, Content, Grid
from damludo.vision.frame import Frame
from damludo.vision.motion import Scene
from damludo.vision.reading import BoardReading
from damludo.vision.view import BoardView, grid_of

VIEW = BoardView(
    grid_of(8, 8, tuple(s for s in range(64) if sum(divmod(s, 8)) % 2 == 0)),
    BoardSizes(),
    (640, 480),
    focal_px=620.0,
    k1=-0.12,
    rotation_vector=np.array([2.5, 0.1, -0.15]),
    translation_mm=np.array([-190.0, 160.0, 760.0]),
)


@pytest.mark.parametrize("point", [(0.0, 0.0), (25.0, 25.0), (199.0, 351.0), (400.0, 400.0), (-60.0, 200.0)])
@pytest.mark.parametrize("z_mm", [0.0, 9.0])
def test_a_point_of_the_picture_is_carried_back_to_the_board(point: tuple[float, float], z_mm: float) -> None:
    x, y = VIEW.project(np.array([[*point, z_mm]]))[0]
    assert ground_point(VIEW, (float(x), float(y)), z_mm) == pytest.approx(point, abs=0.05)


def test_the_page_learns_where_the_squares_are_in_the_picture() -> None:
    shown = camera_json(VIEW)
    assert (shown["width"], shown["height"], len(shown["squares"])) == (640, 480, 32)
    assert shown["squares"]["c3"] == pytest.approx(VIEW.project(np.array([[125.0, 125.0, 0.0]]))[0], abs=0.05)
    assert np.array(shown["corners"]) == pytest.approx(VIEW.project(VIEW.outer_corners_mm()), abs=0.05)


# --- encoding -------------------------------------------------------------------------------------------------------------------


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _frame(number: int, width: int = 64) -> Frame:
    return Frame(np.full((48, width, 3), number % 12 * 20, np.uint8), 0.1 * number, number)


def test_a_picture_is_encoded_once_for_everybody_and_at_most_ten_times_a_second() -> None:
    clock = _Clock()
    encoder = Encoder(clock)
    assert encoder.newest() == (0, b"")
    frames = iter(_frame(number) for number in range(1, 200))
    encoder.source = lambda: next(frames)
    numbers = []
    for step in range(100):
        clock.now = 0.01 * step
        numbers += [encoder.newest()[0] for _ in range(1)]
    assert numbers[-1] == 10


def test_without_a_new_picture_nothing_is_encoded() -> None:
    clock = _Clock()
    encoder, frame = Encoder(clock), _frame(1)
    encoder.source = lambda: frame
    first = encoder.newest()
    clock.now = 5.0
    assert encoder.newest() is first
    assert np.asarray(cv2.imdecode(np.frombuffer(first[1], np.uint8), cv2.IMREAD_COLOR)).shape == (48, 64, 3)


def test_a_wide_picture_is_reduced_and_a_small_one_is_not() -> None:
    small, wide = _frame(1).image, np.zeros((1080, 1920, 3), np.uint8)
    assert reduced(small) is small
    assert reduced(wide).shape == (540, WIDEST_PX, 3)


class _Source:
    closed = False

    def __init__(self) -> None:
        self._number = 0

    def read(self) -> Frame:
        self._number += 1
        return _frame(self._number)

    def close(self) -> None:
        self.closed = True


def test_the_newest_frame_is_kept_for_who_looks_on() -> None:
    source = _Source()
    newest = NewestFrame(source)
    assert newest.frame is None
    assert [newest.read().number, newest.read().number] == [1, 2]
    assert newest.frame is not None
    assert newest.frame.number == 2
    newest.close()
    assert source.closed


# --- over the picture -----------------------------------------------------------------------------------------------------------


class _Eyes:
    def __init__(self) -> None:
        self.time_s = 0.0
        self.hand = False

    def look(self, frame_rate_hz: float) -> Scene:
        self.time_s += 1.0 / frame_rate_hz
        return Scene(self.time_s, 1, self.hand, True, not self.hand, False, 0.0, 0.0, 0.0)

    def read(self) -> BoardReading:
        table = np.full((4, 5), -8.0)
        table[0, Content.WHITE_MAN] = table[1, Content.EMPTY] = table[2, Content.BLACK_KING] = 0.0
        table[3, Content.BLACK_MAN] = table[3, Content.BLACK_KING] = 0.0
        return BoardReading(Grid(2, 2, (0, 1, 2, 3)), table, self.time_s, 1)

    def believe(self, content: Mapping[int, Content]) -> None:
        self.believed = content


def test_what_is_seen_on_each_square_is_shown_with_its_confidence() -> None:
    shown = readings_json(_Eyes().read())
    assert {name: seen["content"] for name, seen in shown.items()} == {"a1": "w", "b1": ".", "a2": "B", "b2": "b"}
    assert shown["a1"]["confidence"] == pytest.approx(0.999, abs=0.001)
    assert shown["b2"]["confidence"] == pytest.approx(0.5, abs=0.001)


def test_an_overlay_is_shown_only_when_it_changes_and_at_most_ten_times_a_second() -> None:
    eyes, shown = _Eyes(), list[Mapping[str, Any]]()
    watched = ShownEyes(eyes, lambda: [[eyes.time_s, 0.0]], tuple, shown.append)
    for _ in range(30):
        watched.look(15.0)
    assert len(shown) == 1, "nothing but the first"
    eyes.hand = True
    for _ in range(30):
        watched.look(30.0)
    assert 7 <= len(shown) - 1 <= 10, "one second of a hand that moves"
    eyes.hand = False
    watched.look(5.0)
    assert shown[-1]["hand"] is None


def test_the_match_sees_through_shown_eyes_what_it_would_see_without() -> None:
    eyes = _Eyes()
    watched = ShownEyes(eyes, lambda: None, lambda: [np.zeros((4, 2))], lambda overlay: None)
    assert watched.look(10.0).time_s == pytest.approx(0.1)
    assert watched.read().grid == eyes.read().grid
    watched.believe({0: Content.EMPTY})
    assert eyes.believed == {0: Content.EMPTY}


@pytest.mark.simulation
def test_all_discs_of_a_simulated_table_are_shown() -> None:
    simulated = set_table(variant("damludo"), 1, Colour.WHITE)
    shown = table_json(simulated.table, simulated.world.lock)
    assert [disc[3] for disc in shown["discs"]].count("w") == 16
    assert shown["hand"] is None
    simulated.table.hand.present = True
    assert table_json(simulated.table, simulated.world.lock)["hand"] == [0.0, 0.0]
