"""The overlay: on a copy, where the board is."""

from collections.abc import Callable

import numpy as np

from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.overlay import GRID, HIDDEN, draw_overlay
from damludo.vision.reading import BoardReading
from damludo.vision.region import Region
from damludo.vision.view import BoardView

Draw = Callable[..., Image]


def near(colour: tuple[int, int, int], pixel: np.ndarray) -> bool:
    return bool(np.abs(pixel.astype(int) - colour).max() < 60)


def test_the_grid_lies_on_the_crossings_of_the_board(view_from_above: BoardView) -> None:
    black = np.zeros((480, 640, 3), np.uint8)
    drawn = draw_overlay(black, view_from_above)
    for x, y in view_from_above.project(np.array([[100.0, 150.0, 0.0], [200.0, 300.0, 0.0]])):
        assert near(GRID, drawn[round(y), round(x)])
    assert not black.any()


def test_what_hides_the_board_is_tinted(view_from_above: BoardView) -> None:
    region = Region.of_view(view_from_above)
    mask = np.zeros(region.size[::-1], np.uint8)
    mask[: mask.shape[0] // 2] = 1
    grey = np.full((480, 640, 3), 100, np.uint8)
    drawn = draw_overlay(grey, view_from_above, mask=mask, region=region)
    upper = drawn[region.y0 + 6, region.x0 + 6].astype(int)
    assert tuple(upper) == tuple((0.5 * 100 + 0.5 * np.array(HIDDEN)).astype(int))
    assert tuple(drawn[region.y1 - 6, region.x0 + 6]) == (100, 100, 100)


def test_readings_are_written_on_the_places_that_hold_something(
    view_from_above: BoardView, start: dict[int, Content]
) -> None:
    likelihood = np.full((64, 5), -20.0)
    for place in view_from_above.grid.playable:
        likelihood[place, start[place]] = 0.0
    black = np.zeros((480, 640, 3), np.uint8)
    plain = draw_overlay(black, view_from_above)
    drawn = draw_overlay(black, view_from_above, BoardReading(view_from_above.grid, likelihood, 0.0, 0))
    changed = (drawn != plain).any(axis=2)
    for place in view_from_above.grid.playable:
        x, y = view_from_above.project(view_from_above.centre_mm(place)[None])[0]
        part = changed[round(y) - 12 : round(y) + 12, round(x) - 15 : round(x) + 15]
        assert part.any() == (start[place] is not Content.EMPTY)
