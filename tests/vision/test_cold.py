"""Reading without teaching: what all squares of one picture tell together."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from damludo.vision.cold import _as_one_sample, cold_reading
from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.look import Look
from damludo.vision.mixture import explain
from damludo.vision.patches import PATCH
from damludo.vision.traits import traits_of
from damludo.vision.view import BoardView, grid_of

Draw = Callable[..., Image]
NEARLY_AS_DARK = (52, 62, 80)
"""Paint of a disc whose dark squares are (60, 80, 110), BGR."""


def sides_of(table: np.ndarray, content: dict[int, Content]) -> list[int]:
    """0 empty, 1 White, 2 Black, for the places of a content."""
    best = table[list(content)].argmax(axis=1)
    return [(int(k) + 1) // 2 for k in best]


def wanted(content: dict[int, Content]) -> list[int]:
    return [(int(k) + 1) // 2 for k in content.values()]


def test_dark_discs_on_dark_squares_are_read_without_teaching(
    draw: Draw, at_px: Callable[[int], tuple[float, float]], start: dict[int, Content], view_from_above: BoardView
) -> None:
    white = {place: what if what is Content.WHITE_MAN else Content.EMPTY for place, what in start.items()}
    image = draw(white)
    for place, what in start.items():
        if what is Content.BLACK_MAN:
            x, y = at_px(place)
            cv2.circle(image, (round(x), round(y)), 17, NEARLY_AS_DARK, -1, cv2.LINE_AA)
    assert sides_of(cold_reading(image, view_from_above), start) == wanted(start)


def test_no_disc_is_invented_on_an_empty_board(
    draw: Draw, start: dict[int, Content], view_from_above: BoardView
) -> None:
    empty = dict.fromkeys(start, Content.EMPTY)
    assert sides_of(cold_reading(draw(empty), view_from_above), empty) == wanted(empty)


def test_a_mark_on_each_square_is_no_disc(
    draw: Draw, at_px: Callable[[int], tuple[float, float]], start: dict[int, Content], view_from_above: BoardView
) -> None:
    marked = draw(dict.fromkeys(start, Content.EMPTY))
    for place in start:
        x, y = at_px(place)
        cv2.circle(marked, (round(x), round(y)), 16, (30, 30, 170), -1, cv2.LINE_AA)
    share = explain(traits_of(marked, view_from_above)).probability
    assert share[:, 0].min() > 0.5


@pytest.mark.parametrize("seed", [1, 2])
def test_a_slope_of_light_changes_no_cold_reading(
    seed: int, draw: Draw, start: dict[int, Content], view_from_above: BoardView
) -> None:
    slope = np.linspace(0.6, 1.3, 640)[None].repeat(480, axis=0)
    assert sides_of(cold_reading(draw(start, light=slope, seed=seed), view_from_above), start) == wanted(start)


def test_a_taught_look_says_no_more_of_a_place_than_one_sample_could(view_from_above: BoardView) -> None:
    """Even squares are 0, odd ones -1.2; Black's discs -1.4, White's 0.9 away in colour; all spread by 0.1."""
    empty = np.zeros((2, PATCH * PATCH, 3), dtype=np.float32)
    empty[1, :, 0] = -1.2
    tenth = np.full((2, 3), 0.1, dtype=np.float32)
    discs = np.array([[-1.2, 0.9, 0.0], [-1.4, 0.0, 0.0]], dtype=np.float32)
    step = np.array([-1.2, 0.0, 0.0], dtype=np.float32)
    look = Look(step, empty, np.full_like(empty, 0.1), discs, tenth, 0.3, np.zeros(2, dtype=np.float32))
    view = BoardView(
        grid_of(8, 8),
        view_from_above.sizes,
        view_from_above.image_size,
        view_from_above.focal_px,
        0.0,
        view_from_above.rotation_vector,
        view_from_above.translation_mm,
    )
    sides = np.tile([0.0, -30.0, -25.0], (64, 1))
    sides[1::2] = [-0.5, -30.0, 0.0]
    limited = _as_one_sample(sides, look, view)
    # Place 1 is odd: the dark square and the dark disc upon it are two spreads apart, 0.2^2 / (2 * 0.02) = 1 nat.
    assert limited[1] == pytest.approx([-0.5, -(0.04 + 0.81) / 0.04, 0.0], abs=1e-4)
    # Place 0 is even: no disc has the colour of a light square.
    assert limited[0] == pytest.approx([0.0, -30.0, -25.0])
