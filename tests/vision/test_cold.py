"""Reading without teaching: what all squares of one picture tell together."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from damludo.vision.cold import _as_one_sample, _together, cold_reading
from damludo.vision.content import BoardSizes, Content
from damludo.vision.frame import Image
from damludo.vision.look import Look
from damludo.vision.mixture import explain
from damludo.vision.patches import PATCH
from damludo.vision.traits import traits_of
from damludo.vision.view import BoardView, grid_of

Draw = Callable[..., Image]
NEARLY_AS_DARK = (52, 62, 80)
"""Paint of a disc whose dark squares are (60, 80, 110), BGR."""


WHITE, DISC, RED, RIM = (226, 232, 236), (206, 222, 232), (40, 40, 170), (90, 100, 110)


def white_discs_on_white_squares(rows: int, marks: bool = False) -> tuple[Image, BoardView, dict[int, Content]]:
    """A board of so many rows of 40 px, set up on its light squares: White's discs show by little but their rims.

    With `marks` each dark square has a dot in its middle.
    """
    grid, side = grid_of(rows, rows), 40
    image = np.full((side * (rows + 2), side * (rows + 2), 3), (90, 120, 150), np.uint8)
    content = dict.fromkeys(grid.playable, Content.EMPTY)
    for place in grid.playable:
        rank, file = divmod(place, rows)
        x, y = side * (file + 1), side * (rows - rank)
        light = (rank + file) % 2 == 1
        cv2.rectangle(image, (x, y), (x + side - 1, y + side - 1), WHITE if light else (110, 60, 40), -1)
        middle = (x + side // 2, y + side // 2)
        if light and (rank < rows // 2 - 1 or rank > rows // 2):
            content[place] = Content.WHITE_MAN if rank < rows // 2 else Content.BLACK_MAN
            cv2.circle(image, middle, 14, DISC if rank < rows // 2 else RED, -1, cv2.LINE_AA)
            cv2.circle(image, middle, 14, RIM if rank < rows // 2 else RED, 1, cv2.LINE_AA)
        elif marks and not light:
            cv2.circle(image, middle, 5, (90, 46, 30), -1, cv2.LINE_AA)
    noise = np.random.default_rng(5).normal(0, 2, image.shape)
    soft = np.clip(cv2.GaussianBlur(image, (0, 0), 1.2) + noise, 0, 255).astype(np.uint8)
    square_mm, focal, middle_mm = 50.0, 800.0, 25.0 * rows
    size = (image.shape[1], image.shape[0])
    place_mm = np.array([-middle_mm, middle_mm, focal * square_mm / side])
    view = BoardView(grid, BoardSizes(square_mm, 35.0, 0.0), size, focal, 0.0, np.array([np.pi, 0.0, 0.0]), place_mm)
    return soft, view, content


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


def test_a_pictures_own_look_says_no_more_of_a_place_than_one_sample_could(
    draw: Draw, at_px: Callable[[int], tuple[float, float]], start: dict[int, Content], view_from_above: BoardView
) -> None:
    """Black's paint and the dark square's are less than three spreads apart: 4.5 nats, whatever all samples together say."""
    image = draw({place: what if what is Content.WHITE_MAN else Content.EMPTY for place, what in start.items()})
    dark = [place for place, what in start.items() if what is Content.BLACK_MAN]
    for place in dark:
        x, y = at_px(place)
        cv2.circle(image, (round(x), round(y)), 17, NEARLY_AS_DARK, -1, cv2.LINE_AA)
    read = cold_reading(image, view_from_above)[dark]
    alone = _together(image, view_from_above, None)[[list(start).index(place) for place in dark]]
    own = (read[:, Content.BLACK_MAN] - read[:, Content.EMPTY]) - (alone[:, 2] - alone[:, 0])
    assert own.max() < 4.5


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


@pytest.mark.parametrize(("rows", "marks"), [(12, False), (10, True)])
def test_white_discs_on_white_squares_are_told_by_their_rims(rows: int, marks: bool) -> None:
    """All but a sixth or a fifth of the light squares hold a disc, so few show what is plain; dark ones may carry marks."""
    image, view, content = white_discs_on_white_squares(rows, marks)
    assert sides_of(cold_reading(image, view), content) == wanted(content)


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
