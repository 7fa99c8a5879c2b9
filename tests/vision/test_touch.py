"""Shifts of discs between two quiet pictures: measured where there are some, none where only the light changed."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from damludo.vision.change import PatchSampler
from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.shift import MOST_FOREIGN, Shift, ShiftMeter
from damludo.vision.touch import contact_confidence, lift_confidence, shift_confidence
from damludo.vision.view import BoardView

Draw = Callable[..., Image]
Board = dict[int, Content]
C3, D6, SQUARE_PX = 18, 43, 44


def shifts(view: BoardView, before: Image, after: Image, places: list[int]) -> dict[int, Shift]:
    sampler = PatchSampler(view)
    patches = [sampler.sample(image) for image in (before, after)]
    return ShiftMeter(sampler).measure(patches[0], patches[1], places)


@pytest.mark.parametrize("place", [C3, D6], ids=["a light man", "a dark man"])
@pytest.mark.parametrize("squares", [0.03, 0.06, 0.15])
def test_a_shift_is_measured_along_the_boards_axes(
    view_from_above: BoardView, draw: Draw, start: Board, place: int, squares: float
) -> None:
    """The picture's y runs down, the board's y up."""
    pushed = draw(start, seed=1, offsets={place: (squares * SQUARE_PX, -squares * SQUARE_PX)})
    shift = shifts(view_from_above, draw(start), pushed, [place])[place]
    assert (shift.x, shift.y) == pytest.approx((squares, squares), abs=0.012)
    assert shift_confidence(shift) > 0.99


@pytest.mark.parametrize(("place", "least"), [(C3, 0.052), (D6, 0.03)], ids=["a light man", "a dark man"])
def test_a_shift_is_told_in_a_soft_picture_beside_the_border_of_a_square(
    view_from_above: BoardView, draw: Draw, start: Board, place: int, least: float
) -> None:
    """The disc reaches over the border, which stays, and light could do nearly what its soft rim does."""
    men = [place for place, what in start.items() if what is not Content.EMPTY]
    before, after = (
        np.asarray(cv2.GaussianBlur(draw(start, seed=seed, offsets={place: (way * SQUARE_PX, 0.0)}), (0, 0), 3.0))
        for seed, way in enumerate((0.12, 0.06))
    )
    measured = shifts(view_from_above, before.astype(np.uint8), after.astype(np.uint8), men)
    assert -0.068 < measured[place].x < -least
    assert shift_confidence(measured[place]) > 0.99
    assert max(measured[other].size for other in men if other != place) < 0.008


def reflection(strength: float) -> Image:
    """A spot as wide as a square beside the middle of d6, grey levels to add."""
    y, x = np.mgrid[0:480, 0:640]
    spot = strength * np.exp(-0.5 * ((x - 320) ** 2 + (y - 190) ** 2) / SQUARE_PX**2)
    return np.repeat(spot[..., None], 3, axis=2).astype(np.uint8)


@pytest.mark.parametrize("strength", [40.0, 110.0])
def test_neither_a_lamp_nor_a_reflection_is_a_shift(
    view_from_above: BoardView, draw: Draw, start: Board, strength: float
) -> None:
    """Four pictures; a lamp at one side is switched and something bright is mirrored in the varnish."""
    lamp = np.tile(np.linspace(0.8, 1.2, 640), (480, 1))
    men = [place for place, what in start.items() if what is not Content.EMPTY]
    for seed in range(1, 5):
        after = np.asarray(cv2.add(draw(start, light=lamp, seed=seed), reflection(strength)), dtype=np.uint8)
        measured = shifts(view_from_above, draw(start), after, men)
        assert max(shift_confidence(shift) for shift in measured.values()) < 0.5


def test_a_shift_is_found_under_a_reflection(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    men = [place for place, what in start.items() if what is not Content.EMPTY]
    pushed = draw(start, seed=1, offsets={D6: (0.06 * SQUARE_PX, 0.0)})
    bright = np.asarray(cv2.add(pushed, reflection(80.0)), dtype=np.uint8)
    measured = shifts(view_from_above, draw(start), bright, men)
    assert [place for place in men if shift_confidence(measured[place]) > 0.5] == [D6]
    assert measured[D6].x == pytest.approx(0.06, abs=0.012)


def test_what_all_discs_did_together_was_the_camera(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    """The whole picture lies half a pixel further."""
    men = [place for place, what in start.items() if what is not Content.EMPTY]
    way = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]])
    trembled = np.asarray(cv2.warpAffine(draw(start, seed=1), way, (640, 480)), dtype=np.uint8)
    measured = shifts(view_from_above, draw(start), trembled, men)
    assert max(shift_confidence(shift) for shift in measured.values()) < 0.5


def finger(image: Image, place_px: tuple[int, int], colour: tuple[int, int, int]) -> Image:
    """A finger tip from above, 12 px wide, whose end lies at `place_px`."""
    seen = image.copy()
    x, y = place_px
    cv2.line(seen, (x, y), (x, y - 60), colour, 12, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(seen, (0, 0), 0.8), dtype=np.uint8)


@pytest.mark.parametrize("colour", [(150, 180, 220), (60, 90, 150)], ids=["light skin", "brown skin"])
@pytest.mark.parametrize("into_px", [4, 8])
def test_a_finger_over_the_rim_shifts_nothing_when_it_comes_nor_when_it_goes(
    view_from_above: BoardView, draw: Draw, start: Board, colour: tuple[int, int, int], into_px: int
) -> None:
    men = [place for place, what in start.items() if what is not Content.EMPTY]
    free = np.asarray(cv2.GaussianBlur(draw(start), (0, 0), 0.8), dtype=np.uint8)
    x, y = view_from_above.project(view_from_above.centre_mm(D6, view_from_above.sizes.disc_height_mm))[0]
    radius_px = view_from_above.sizes.disc_diameter_mm / view_from_above.sizes.square_mm * SQUARE_PX / 2
    rested = finger(draw(start, seed=1), (round(x), round(y - radius_px - 6 + into_px)), colour)
    for before, after in ((free, rested), (rested, free)):
        assert shift_confidence(shifts(view_from_above, before, after, men)[D6]) < 0.1


def test_what_darkens_one_disc_alone_hangs_over_it(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    """A lamp may dim for all of them, and the disc may be told to have moved then."""
    men = [place for place, what in start.items() if what is not Content.EMPTY]
    x, y = view_from_above.project(view_from_above.centre_mm(D6, view_from_above.sizes.disc_height_mm))[0]
    pushed = draw(start, seed=1, offsets={D6: (0.08 * SQUARE_PX, 0.0)})
    shade = np.ones((480, 640))
    cv2.circle(shade, (round(x), round(y)), SQUARE_PX, 0.6, -1)
    shadowed, dimmed = (
        np.asarray(pushed * light[..., None], dtype=np.uint8) for light in (shade, 0.6 * np.ones_like(shade))
    )
    assert shift_confidence(shifts(view_from_above, draw(start), shadowed, men)[D6]) < 0.1
    assert shift_confidence(shifts(view_from_above, draw(start), dimmed, men)[D6]) > 0.95


def test_a_neighbour_that_leaves_takes_its_shadow_with_it(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    """The shadow of a neighbour on the left lay on the rim; what the rest of the rim shows counts, of a shift as of none."""
    men = [place for place, what in start.items() if what is not Content.EMPTY]
    x, y = view_from_above.project(view_from_above.centre_mm(C3, view_from_above.sizes.disc_height_mm))[0]
    shadow = np.zeros((480, 640))
    cv2.circle(shadow, (round(x) - SQUARE_PX, round(y)), 34, 1.0, -1)
    dark = 1.0 - 0.8 * cv2.GaussianBlur(shadow, (0, 0), 3.0)
    sampler = PatchSampler(view_from_above)
    meter, before = ShiftMeter(sampler), sampler.sample(np.asarray(draw(start) * dark[..., None], dtype=np.uint8))
    stayed = sampler.sample(draw(start, seed=1))
    seen, told = meter.measure(before, stayed, men)[C3], meter.measure(before, stayed, men, [C3 - 1])[C3]
    assert seen.foreign > 10.0 > 4.0 > told.foreign
    assert told.agreed < 0.002
    pushed = sampler.sample(draw(start, seed=1, offsets={C3: (0.0, 0.02 * SQUARE_PX)}))
    assert meter.measure(before, pushed, men)[C3].foreign > 3.0
    shift = meter.measure(before, pushed, men, [C3 - 1])[C3]
    assert shift.foreign < 1.0
    assert shift_confidence(shift) > 0.95


def test_a_shift_of_a_disc_that_something_hides_never_binds() -> None:
    hidden = Shift(0.1, 0.0, 0.001, 0.1, foreign=MOST_FOREIGN + 1.0)
    assert shift_confidence(hidden) < 0.1
    assert lift_confidence(20, hidden) <= 0.9


def test_a_lift_without_a_shift_is_never_sure_enough_to_bind() -> None:
    assert lift_confidence(20, Shift(0.0, 0.0, 0.001, 0.0)) <= 0.9
    assert lift_confidence(3, Shift(0.03, 0.0, 0.001, 0.03)) == pytest.approx(1 - 0.5**6)
    assert lift_confidence(20, Shift(0.03, 0.0, 0.001, 0.03)) == pytest.approx(0.998)


def test_confidence_rises_with_the_shift_and_never_reaches_one() -> None:
    sure = [shift_confidence(Shift(size, 0.0, 0.001, size)) for size in (0.001, 0.005, 0.01, 0.02, 0.05, 0.3)]
    assert sure == sorted(sure)
    assert sure[0] < 0.01
    assert 0.99 < sure[-1] < 1.0


def test_a_shift_that_half_of_the_rim_denies_is_none() -> None:
    assert shift_confidence(Shift(0.03, 0.0, 0.001, 0.03)) > 0.99
    assert shift_confidence(Shift(0.03, 0.0, 0.001, -0.01)) < 0.01


def test_a_shift_within_its_error_proves_nothing() -> None:
    """Measured on a white disc on a light square in the last light of a day: 0.031 squares, known to 0.028."""
    unknown, known = (Shift(0.0142, -0.0275, error, 0.0261, usual=0.0010) for error in (0.0280, 0.0060))
    assert shift_confidence(unknown) < 0.06
    assert lift_confidence(20, unknown) == 0.9
    assert shift_confidence(known) > 0.99
    assert lift_confidence(20, known) == 0.998


def test_a_shift_that_light_alone_explains_as_well_is_less_likely() -> None:
    shift = Shift(0.0123, 0.0, 0.003, 0.0118, usual=0.0011, confirmed=False)
    assert 0.5 < shift_confidence(shift) < 0.9
    assert shift_confidence(Shift(0.0123, 0.0, 0.003, 0.0118, usual=0.0011)) > 0.95


def test_a_disc_that_no_hand_was_over_was_less_likely_touched() -> None:
    shift = Shift(0.012, 0.0, 0.001, 0.012)
    assert shift_confidence(shift, covered=False) < 0.9 < shift_confidence(shift)


def test_a_finger_that_stays_is_never_likely_to_have_touched() -> None:
    assert contact_confidence(3) < contact_confidence(30) < 0.31
