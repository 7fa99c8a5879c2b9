"""Whether a disc still lies where it lay, by what its going would take of the picture."""

from collections.abc import Callable, Mapping

import cv2
import numpy as np
import pytest

from damludo.vision.change import PatchSampler
from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.joining import unsettled_discs, with_stays
from damludo.vision.staying import MOST_STAY_NATS, stay_evidence
from damludo.vision.view import BoardView

Board = dict[int, Content]
Draw = Callable[..., Image]
TAKEN, PUT, UNTOUCHED = 43, 27, 54
"""A black man's place, an empty one and another black man's."""


def evidence(
    view: BoardView, believed: Mapping[int, Content], before: Image, after: Image, *places: int
) -> dict[int, float]:
    sampler = PatchSampler(view)
    old, new = sampler.sample(before), sampler.sample(after)
    return stay_evidence(sampler, old, new, places, believed, sampler.compare(old, new))


def painted(view: BoardView, content: Mapping[int, Content], seed: int, contrast: float) -> Image:
    """Draw black discs that are so many grey levels darker than their squares, with a webcam's noise."""
    image = np.full((480, 640, 3), (46, 48, 54), np.float32)
    for place, what in content.items():
        if what is not Content.EMPTY:
            x, y = view.project(view.centre_mm(place, 0.0)[None])[0]
            grey = tuple(level - contrast if what.is_black else level + 100.0 for level in (46.0, 48.0, 54.0))
            cv2.circle(image, (round(float(x) * 8), round(float(y) * 8)), 8 * 17, grey, -1, cv2.LINE_AA, 3)
    noise = np.random.default_rng(seed).normal(0.0, 1.5, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("tilt", [0.0, 0.5, -0.4])
def test_a_disc_that_stays_is_told_from_one_that_is_gone(
    view_from_above: BoardView, draw: Draw, start: Board, tilt: float
) -> None:
    """Also when a lamp was switched on one side."""
    light = np.tile(np.linspace(1.0 - tilt / 2, 1.0 + tilt / 2, 640), (480, 1))
    after = draw(start | {TAKEN: Content.EMPTY, PUT: Content.BLACK_MAN}, light=light, seed=1)
    found = evidence(view_from_above, start, draw(start), after, TAKEN, UNTOUCHED)
    assert found[TAKEN] == -MOST_STAY_NATS
    assert found[UNTOUCHED] > 3.0


def hardly_seen(view: BoardView, start: Board, seed: int, differs: float) -> Mapping[int, float]:
    """Return the evidence of a disc taken and one that stayed, both painted so many grey levels off their squares."""
    after = start | {TAKEN: Content.EMPTY, PUT: Content.BLACK_MAN}
    before, now = (painted(view, board, s, differs) for board, s in ((start, 9), (after, seed)))
    return evidence(view, start, before, now, TAKEN, UNTOUCHED)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_disc_that_hardly_differs_from_its_square_is_told_by_what_little_there_is(
    view_from_above: BoardView, start: Board, seed: int
) -> None:
    found = hardly_seen(view_from_above, start, seed, 8.0)
    assert found[TAKEN] < -3.0
    assert found[UNTOUCHED] > 3.0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_disc_that_looks_just_like_its_square_gives_no_proof(
    view_from_above: BoardView, start: Board, seed: int
) -> None:
    found = hardly_seen(view_from_above, start, seed, 0.0)
    assert max(map(abs, found.values())) < 1.5


def test_two_bare_squares_do_not_tell_what_a_disc_would_leave(
    view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    bare = [place for place, what in start.items() if what is Content.EMPTY][2:]
    board = start | dict.fromkeys(bare, Content.WHITE_MAN)
    assert evidence(view_from_above, board, draw(board), draw(board, seed=1), UNTOUCHED) == {}


def test_a_veil_over_the_board_makes_no_disc_disappear(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    """It takes a third of the contrast on the discs of one corner."""
    before, after = draw(start), draw(start, seed=1).astype(np.float32)
    y, x = np.mgrid[0:480, 0:640]
    after += 30.0 * np.exp(-((x - 430.0) ** 2 + (y - 120.0) ** 2) / (2 * 60.0**2))[..., None]
    discs = [place for place, what in start.items() if what is not Content.EMPTY]
    found = evidence(view_from_above, start, before, np.clip(after, 0, 255).astype(np.uint8), *discs)
    assert min(found.values()) > -1.0


@pytest.mark.parametrize(("lead", "asked"), [(7.8, True), (-2.2, True), (20.0, False), (-20.0, False)])
def test_only_a_disc_of_which_too_little_tells_is_looked_at(lead: float, asked: bool) -> None:
    table = np.full((64, 5), -30.0)
    table[TAKEN, [Content.EMPTY, Content.BLACK_MAN]] = -lead, 0.0
    believed = {TAKEN: Content.BLACK_MAN, PUT: Content.EMPTY}
    assert unsettled_discs(table, believed) == ([TAKEN] if asked else [])


def test_what_speaks_for_a_disc_speaks_against_an_empty_place_alone() -> None:
    heard = with_stays(np.zeros((64, 5)), {TAKEN: 3.5, PUT: -2.0})
    assert heard[TAKEN].tolist() == [-3.5, 0.0, 0.0, 0.0, 0.0]
    assert heard[PUT].tolist() == [2.0, 0.0, 0.0, 0.0, 0.0]
    assert not np.delete(heard, [TAKEN, PUT], axis=0).any()
