"""What a place holds by its likeness to others: black discs on nearly black squares, a disc in a reflection."""

from collections.abc import Callable, Mapping

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.vision.change import PatchSampler
from damludo.vision.content import Content
from damludo.vision.fellows import fellow_evidence
from damludo.vision.frame import Image
from damludo.vision.view import BoardView

Board = dict[int, Content]
Draw = Callable[..., Image]
TAKEN, PUT, UNTOUCHED = 43, 27, 54
"""A black man's place, an empty one and another black man's."""


def nearly_black(view: BoardView, content: Mapping[int, Content], seed: int) -> Image:
    """Draw discs of (40, 40, 44) on squares of (46, 48, 54) with a webcam's noise."""
    image = np.full((480, 640, 3), (46, 48, 54), np.float32)
    for place, what in content.items():
        if what is not Content.EMPTY:
            x, y = view.project(view.centre_mm(place, 0.0)[None])[0]
            centre = (round(float(x) * 8), round(float(y) * 8))
            paint = (40.0, 40.0, 44.0) if what.is_black else (150.0, 200.0, 230.0)
            cv2.circle(image, centre, 8 * 17, paint, -1, cv2.LINE_AA, 3)
    noise = np.random.default_rng(seed).normal(0.0, 1.5, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


def evidence(
    view: BoardView, image: Image, known: Mapping[int, Content], *places: int
) -> dict[int, NDArray[np.float64]]:
    sampler = PatchSampler(view)
    return fellow_evidence(sampler, sampler.sample(image), known, places)


def without(board: Board, *places: int) -> Board:
    return {place: what for place, what in board.items() if place not in places}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_black_disc_is_told_from_a_nearly_black_square(view_from_above: BoardView, start: Board, seed: int) -> None:
    after = start | {TAKEN: Content.EMPTY, PUT: Content.BLACK_MAN}
    found = evidence(
        view_from_above, nearly_black(view_from_above, after, seed), without(after, TAKEN, PUT), TAKEN, PUT
    )
    assert found[TAKEN][Content.BLACK_MAN] < -2.0
    assert found[PUT][Content.BLACK_MAN] > 2.0
    assert found[PUT][Content.BLACK_KING] == found[PUT][Content.BLACK_MAN]
    assert found[PUT][Content.EMPTY] == 0.0


def test_a_reflection_on_a_disc_hides_its_colour_but_not_its_rim(
    view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    after = start | {TAKEN: Content.EMPTY, PUT: Content.BLACK_MAN}
    image = draw(after).astype(np.float32)
    x, y = view_from_above.project(view_from_above.centre_mm(PUT, 0.0)[None])[0]
    spot = np.zeros((480, 640), np.float32)
    cv2.circle(spot, (round(float(x)), round(float(y))), 60, 120.0, -1)
    image += cv2.GaussianBlur(spot, (0, 0), 25.0)[..., None]
    shiny = np.clip(image, 0, 255).astype(np.uint8)
    found = evidence(view_from_above, shiny, without(after, TAKEN, PUT), PUT)
    assert found[PUT][Content.BLACK_MAN] > 1.0


def test_a_known_place_is_compared_with_all_others(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    """A man that is believed to stand, but was taken, does not vouch for itself."""
    after = start | {TAKEN: Content.EMPTY}
    found = evidence(view_from_above, draw(after), start, TAKEN, UNTOUCHED)
    assert found[TAKEN][Content.BLACK_MAN] < 0.0 < found[UNTOUCHED][Content.BLACK_MAN]


def test_two_fellows_prove_nothing(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    few = {place: what for place, what in start.items() if what is Content.EMPTY or place in (41, 43)}
    found = evidence(view_from_above, draw(start), few, UNTOUCHED)
    assert found[UNTOUCHED].tolist() == [0.0] * 5


def test_what_a_place_held_before_is_a_fellow_too(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    """Two black men are left, too few; as the taken ones looked before, there are four."""
    board = without(start, *(place for place, what in start.items() if what.is_black)) | dict.fromkeys(
        (41, TAKEN, 45, UNTOUCHED), Content.BLACK_MAN
    )
    board = dict.fromkeys(start, Content.EMPTY) | board
    after = board | {TAKEN: Content.EMPTY, 45: Content.EMPTY}
    sampler, held = PatchSampler(view_from_above), {TAKEN: Content.BLACK_MAN, 45: Content.BLACK_MAN}
    now, before = sampler.sample(draw(after, seed=1)), sampler.sample(draw(board))
    known = without(after, TAKEN, 45)
    assert not fellow_evidence(sampler, now, known, [TAKEN])[TAKEN][Content.BLACK_MAN]
    found = fellow_evidence(sampler, now, known, [TAKEN, UNTOUCHED], before, held)
    assert found[TAKEN][Content.BLACK_MAN] < -2.0
    assert found[UNTOUCHED][Content.BLACK_MAN] > 2.0
