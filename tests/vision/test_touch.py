"""Shifts of discs between two quiet pictures: measured where there are some, none where only the light changed."""

from collections.abc import Callable

import numpy as np
import pytest

from damludo.vision.change import PatchSampler
from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.touch import Shift, ShiftMeter, lift_confidence, shift_confidence
from damludo.vision.view import BoardView

Draw = Callable[..., Image]
Board = dict[int, Content]
C3, D6, SQUARE_PX = 18, 43, 44


def shifts_and_scores(
    view: BoardView, before: Image, after: Image, places: list[int]
) -> tuple[dict[int, Shift], dict[int, float]]:
    sampler = PatchSampler(view)
    patches = [sampler.sample(image) for image in (before, after)]
    score = sampler.compare(patches[0], patches[1]).score
    return ShiftMeter(sampler).measure(patches[0], patches[1], places), {place: float(score[place]) for place in places}


@pytest.mark.parametrize("place", [C3, D6], ids=["a light man", "a dark man"])
@pytest.mark.parametrize("squares", [0.03, 0.06, 0.15])
def test_a_shift_is_measured_along_the_boards_axes(
    view_from_above: BoardView, draw: Draw, start: Board, place: int, squares: float
) -> None:
    """The picture's y runs down, the board's y up. Beyond 0.25 square only the score tells."""
    pushed = draw(start, seed=1, offsets={place: (squares * SQUARE_PX, -squares * SQUARE_PX)})
    shifts, scores = shifts_and_scores(view_from_above, draw(start), pushed, [place])
    assert (shifts[place].x, shifts[place].y) == pytest.approx((squares, squares), abs=0.012)
    assert shift_confidence(shifts[place], scores[place]) > 0.99


def test_no_disc_that_lies_as_it_lay_counts_as_touched(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    """Twelve pictures, a lamp at one side switched between them."""
    light = np.tile(np.linspace(0.8, 1.2, 640), (480, 1))
    men = [place for place, what in start.items() if what is not Content.EMPTY]
    for seed in range(1, 13):
        shifts, scores = shifts_and_scores(view_from_above, draw(start), draw(start, light=light, seed=seed), men)
        assert max(shift.size for shift in shifts.values()) < 0.012
        assert max(shift_confidence(shifts[place], scores[place]) for place in men) < 0.5


def test_a_lift_without_a_shift_is_never_sure_enough_to_bind() -> None:
    assert lift_confidence(20, Shift(0.0, 0.0, 0.001)) <= 0.9
    assert lift_confidence(3, Shift(0.03, 0.0, 0.001)) == pytest.approx(1 - 0.5**6)
    assert lift_confidence(20, Shift(0.03, 0.0, 0.001)) == pytest.approx(0.998)


def test_confidence_rises_with_the_shift_and_never_reaches_one() -> None:
    sure = [shift_confidence(Shift(size, 0.0, 0.001), 5.0) for size in (0.001, 0.005, 0.01, 0.02, 0.05, 0.3)]
    assert sure == sorted(sure)
    assert sure[0] < 0.01
    assert 0.99 < sure[-1] < 1.0
