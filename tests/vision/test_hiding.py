"""What hides the board, part by part: discs explain some parts, arms stay arms."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.vision.content import BoardSizes
from damludo.vision.hiding import OVERHANG_SQUARES, Cover, Looks, Patch, components, hand_evidence
from damludo.vision.region import Gray, Mask, Region
from damludo.vision.view import BoardView, grid_of

D4, E5, E6, F6, G6, H6, A7, E7, F7, G7, H7, B8, F8, G8, H8 = 27, 36, 44, 45, 46, 47, 48, 52, 53, 54, 55, 57, 61, 62, 63
SURELY_IN = 3.5
NO_MOTION = False


def leant(view: BoardView, degrees: float, everywhere: bool = False, corner: bool = False) -> BoardView:
    """Return a view from the side, or over a corner: stacks on the far edges overhang the frame."""
    from_above, _ = cv2.Rodrigues(view.rotation_vector)
    axis = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0) if corner else np.array([1.0, 0.0, 0.0])
    lean, _ = cv2.Rodrigues(np.radians(-degrees) * axis)
    there = lean @ from_above
    return replace(
        view,
        grid=grid_of(8, 8) if everywhere else view.grid,
        sizes=BoardSizes(50.0, 38.0, 9.0),
        rotation_vector=np.asarray(cv2.Rodrigues(there)[0], dtype=np.float64).ravel(),
        translation_mm=np.array([0.0, 0.0, 950.0]) - there @ np.array([200.0, 200.0, 0.0]),
    )


def stacks(view: BoardView, region: Region, *places: int) -> Mask:
    """Return what two discs on each place change in the picture, and its blurred edge."""
    mask = np.zeros_like(region.inside)
    turn = np.linspace(0.0, 6.28, 30)
    for place in places:
        for z_mm in np.linspace(0.0, 18.0, 5):
            ring = np.column_stack([19.0 * np.cos(turn), 19.0 * np.sin(turn), np.zeros(30)])
            mask |= region.polygon(view.project(view.centre_mm(place, float(z_mm)) + ring))
    return np.asarray(cv2.bitwise_and(cv2.dilate(mask, region.kernel(0.55)), region.inside), dtype=np.uint8)


def arm(view: BoardView, region: Region, file: float, wide: float, deep: float) -> Mask:
    """Return an arm that comes over the last rank, in squares."""
    outline = np.array(
        [[file - wide / 2, 9.0], [file + wide / 2, 9.0], [file + wide / 2, 8 - deep], [file - wide / 2, 8 - deep]]
    )
    points = np.column_stack([50.0 * outline, np.zeros(4)])
    return np.asarray(region.polygon(view.project(points)) & region.inside, dtype=np.uint8)


def cover_of(
    mask: Mask, region: Region, moving: NDArray[np.bool_] | bool = NO_MOTION, looks: Looks | None = None
) -> Cover:
    return components(mask, np.broadcast_to(np.asarray(moving), mask.shape).copy(), region, None, looks)


def brightness(view: BoardView, region: Region, places: tuple[int, int], values: tuple[float, float]) -> Gray:
    """Return a picture of wood with two places of their own log-brightness."""
    picture = np.full(region.inside.shape, 4.6, dtype=np.float32)
    for place, value in zip(places, values, strict=True):
        picture[region.spots[view.grid.playable.index(place)].foot > 0] = value
    return picture


def only(cover: Cover) -> Patch:
    assert len(cover.patches) == 1
    return cover.patches[0]


@pytest.mark.parametrize("degrees", [28.0, 36.0])
def test_a_kings_step_beside_the_border_is_no_hand(view_from_above: BoardView, degrees: float) -> None:
    """Both places meet at a corner, and the stack overhangs the frame up to the border of what is watched."""
    view = leant(view_from_above, degrees)
    region = Region.of_view(view)
    cover = cover_of(stacks(view, region, E7, F8), region)
    patch = only(cover)
    assert patch.border_squares >= 0.25
    assert not patch.may_be_a_disc
    assert not patch.may_be_a_place_at_rest
    assert patch.explained
    assert hand_evidence(cover, SURELY_IN, machine=False) < 0.0
    assert cover.discs.sum() == cover.mask.sum()


@pytest.mark.parametrize("degrees", [36.0, 45.0, 55.0])
def test_a_king_in_the_corner_overhangs_two_sides(view_from_above: BoardView, degrees: float) -> None:
    view = leant(view_from_above, degrees, corner=True)
    region = Region.of_view(view)
    king = cover_of(stacks(view, region, H8), region)
    assert only(king).border_squares > OVERHANG_SQUARES >= only(king).side_squares
    assert only(king).explained
    assert only(king).may_be_a_place_at_rest
    arm_over_the_corner = cover_of(
        stacks(view, region, H8) | stacks(leant(view_from_above, degrees, True, True), region, H7, G8), region
    )
    assert only(arm_over_the_corner).reaches_out


@pytest.mark.parametrize(
    ("now", "explained"),
    [
        pytest.param((3.64, 4.49), True, id="black man came, white king left his dark square"),
        pytest.param((4.80, 4.90), False, id="hand over both"),
        pytest.param((3.70, 3.64), False, id="dark sleeve over both"),
    ],
)
def test_two_discs_side_by_side_overhang_the_border_side_by_side(
    view_from_above: BoardView, now: tuple[float, float], explained: bool
) -> None:
    """A man took the king beside the square it went to, along the far edge; the hand seemed to stay for three seconds."""
    view = leant(view_from_above, 40.0, everywhere=True)
    region = Region.of_view(view)
    before, after = (brightness(view, region, (F8, G8), values) for values in ((5.09, 5.14), now))
    patch = only(cover_of(stacks(view, region, F8, G8), region, looks=Looks(before, after)))
    assert patch.side_squares > OVERHANG_SQUARES
    assert patch.explained == explained


@pytest.mark.parametrize("degrees", [36.0, 45.0, 52.0])
@pytest.mark.parametrize("places", [(A7, B8), (E7, F8)])
@pytest.mark.parametrize(
    ("before", "now", "explained"),
    [
        pytest.param((3.66, 5.02), (5.01, 3.67), True, id="black king stepped"),
        pytest.param((3.66, 5.02), (4.80, 4.80), False, id="arm over both"),
        pytest.param((3.66, 5.02), (3.67, 3.67), False, id="black sleeve over both"),
        pytest.param((5.02, 5.02), (5.01, 3.67), False, id="nothing left its place"),
        pytest.param((4.70, 5.02), (5.01, 4.71), False, id="hardly any contrast"),
    ],
)
def test_discs_that_exchanged_their_places_may_be_wide_at_the_border(
    view_from_above: BoardView,
    degrees: float,
    places: tuple[int, int],
    before: tuple[float, float],
    now: tuple[float, float],
    explained: bool,
) -> None:
    """With shadow, and from aside, a stack crosses the border as wide as an arm; a black king's step was not read for 3 s."""
    view = leant(view_from_above, degrees)
    region = Region.of_view(view)
    wide = cv2.dilate(stacks(view, region, *places), region.kernel(0.25))
    mask = np.asarray(cv2.bitwise_and(wide, region.inside), dtype=np.uint8)
    brighter = np.float32(0.21)
    looks = Looks(brightness(view, region, places, before), brightness(view, region, places, now) + brighter)
    cover = cover_of(mask, region, looks=looks)
    assert only(cover).border_squares > OVERHANG_SQUARES
    assert only(cover).explained == explained
    assert (hand_evidence(cover, SURELY_IN, machine=False) < 0.0) == explained
    assert only(cover_of(mask, region)).reaches_out


@pytest.mark.parametrize(
    ("now", "explained"),
    [
        pytest.param((5.15, 3.69), True, id="black man stepped"),
        pytest.param((4.80, 4.80), False, id="arm over both"),
        pytest.param((5.15, 5.15), False, id="nothing came"),
    ],
)
def test_a_place_that_exchanged_its_looks_may_show_less_of_its_change(
    view_from_above: BoardView, now: tuple[float, float], explained: bool
) -> None:
    """A black man went from the edge to a light square of which 61 % of the foot seemed to change; it passed for an arm."""
    view = leant(view_from_above, 36.0)
    region = Region.of_view(view)
    left = stacks(view, region, E7)
    foot = region.spots[view.grid.playable.index(E7)].foot > 0
    columns = np.cumsum(foot.sum(axis=0)) / foot.sum()
    left[:, columns < 0.4] = 0
    came = cv2.dilate(stacks(view, region, F8), region.kernel(0.1))
    mask = left | np.asarray(cv2.bitwise_and(came, region.inside), dtype=np.uint8)
    assert 0.5 < mask[foot].mean() < 0.65
    looks = Looks(brightness(view, region, (F8, E7), (3.64, 5.27)), brightness(view, region, (F8, E7), now))
    cover = cover_of(mask, region, looks=looks)
    assert only(cover).border_squares >= 0.25
    assert only(cover).explained == explained
    assert (hand_evidence(cover, SURELY_IN, machine=False) < 0.0) == explained


@pytest.mark.parametrize(
    ("shadow", "now", "explained"),
    [
        pytest.param(0.5, (4.92, 3.68), True, id="king left its shadow"),
        pytest.param(0.5, (4.80, 5.16), False, id="nothing came elsewhere"),
        pytest.param(0.9, (4.92, 3.68), False, id="longer than a shadow"),
    ],
)
def test_a_disc_that_surely_left_had_a_shadow(
    view_from_above: BoardView, shadow: float, now: tuple[float, float], explained: bool
) -> None:
    """A black king went from the corner of the board; what its shadow had darkened beside the place passed for an arm."""
    view = leant(view_from_above, 20.0)
    region = Region.of_view(view)
    seen = stacks(view, region, H8)
    y, x = (int(at.mean()) for at in np.nonzero(seen))
    dark, half = np.zeros_like(seen), round(0.5 * region.square_px)
    cv2.rectangle(dark, (x - half, y), (x + half, y + round((0.76 + shadow) * region.square_px)), (1.0,), -1)
    mask = np.asarray(cv2.bitwise_and(seen | dark, region.inside), dtype=np.uint8)
    looks = Looks(brightness(view, region, (H8, D4), (3.56, 5.16)), brightness(view, region, (H8, D4), now))
    cover = cover_of(mask, region, looks=looks)
    assert not only(cover).may_be_a_place_at_rest
    assert only(cover).explained == explained
    assert not only(cover_of(mask, region)).explained


@pytest.mark.parametrize("lamp", [pytest.param(0.0, id="brighter"), pytest.param(0.6, id="a lamp at one side")])
@pytest.mark.parametrize(
    ("now", "exchanged"),
    [
        pytest.param((4.32, 3.56), True, id="black king left a darker square"),
        pytest.param((4.80, 4.80), False, id="arm over both"),
        pytest.param((4.10, 4.10), False, id="dark arm over both"),
    ],
)
def test_places_exchange_what_they_show_in_another_light(
    view_from_above: BoardView, now: tuple[float, float], exchanged: bool, lamp: float
) -> None:
    """The light changed while a black king left the corner, whose wood is darker; the place passed for an arm."""
    region = Region.of_view(view_from_above)
    light = 0.22 + np.linspace(lamp, -lamp, region.inside.shape[1], dtype=np.float32)
    before, after = (brightness(view_from_above, region, (H8, D4), values) for values in ((3.47, 4.60), now))
    found = Looks(before, np.asarray(after + light, dtype=np.float32)).exchanged(region.spots)
    places = [region.spots[k].place for k in np.flatnonzero(found)]
    assert places == ([D4, H8] if exchanged else [])


@pytest.mark.parametrize(
    ("now", "went"),
    [
        pytest.param((5.24, 3.64), True, id="black king from a light square to the dark one beside it"),
        pytest.param((5.24, 4.36), False, id="nothing came"),
        pytest.param((5.90, 3.64), False, id="brighter than any light square"),
        pytest.param((4.90, 4.90), False, id="arm over both"),
        pytest.param((3.64, 3.64), False, id="dark sleeve over both"),
    ],
)
def test_a_disc_went_to_a_square_of_the_other_colour(
    view_from_above: BoardView, now: tuple[float, float], went: bool
) -> None:
    """A black king left the white corner for the brown square beside it; both together touched the border like an arm."""
    view = leant(view_from_above, 10.0, everywhere=True)
    region = Region.of_view(view)
    squares = np.full(region.inside.shape, 4.6, dtype=np.float32)
    for spot in region.spots:
        squares[spot.foot > 0] = 4.36 if spot.odd else 5.2
    feet = [region.spots[place].foot > 0 for place in (H8, H7)]
    before, after = squares.copy(), squares.copy()
    before[feet[0]] = 3.61
    for foot, value in zip(feet, now, strict=True):
        after[foot] = value
    places = [region.spots[k].place for k in np.flatnonzero(Looks(before, after).exchanged(region.spots))]
    assert places == ([H7, H8] if went else [])


def test_a_hand_that_looks_like_some_other_disc_exchanged_nothing(view_from_above: BoardView) -> None:
    """Skin over an empty square looked like a white man elsewhere, and the black man below a finger like that square."""
    view = leant(view_from_above, 28.0)
    region = Region.of_view(view)
    spots = {spot.place: spot.foot > 0 for spot in region.spots}
    before = np.full(region.inside.shape, 4.62, dtype=np.float32)
    before[spots[F6]], before[spots[D4]] = 4.11, 5.15
    after = before.copy()
    after[spots[F6]], after[spots[F8]] = 4.86, 5.15
    assert not Looks(before, after).exchanged(region.spots).any()


@pytest.mark.parametrize(
    ("now", "went"),
    [
        pytest.param((4.86, 5.21), True, id="white king went"),
        pytest.param((4.86, 4.66), False, id="nothing came"),
        pytest.param((5.31, 5.21), False, id="nothing left"),
        pytest.param((5.86, 5.21), False, id="hand over both"),
    ],
)
def test_a_disc_went_between_squares_of_one_colour_that_are_not_alike(
    view_from_above: BoardView, now: tuple[float, float], went: bool
) -> None:
    """What a king's square showed once he had gone was bare wood, but lighter than the wood that he went to had been."""
    view = leant(view_from_above, 28.0)
    region = Region.of_view(view)
    spots = {spot.place: spot.foot > 0 for spot in region.spots}
    before = np.full(region.inside.shape, 4.86, dtype=np.float32)
    before[spots[F8]], before[spots[H6]] = 5.31, 4.66
    after = before.copy()
    after[spots[F8]], after[spots[H6]] = now
    places = [region.spots[k].place for k in np.flatnonzero(Looks(before, after).exchanged(region.spots))]
    assert places == ([H6, F8] if went else [])


def test_what_lies_inside_the_field_is_no_hand(view_from_above: BoardView) -> None:
    """A red disc was taken off a brown square of the same brightness: too little of its place shows to be explained."""
    view = leant(view_from_above, 28.0)
    region = Region.of_view(view)
    faint = stacks(view, region, E5) & (np.cumsum(stacks(view, region, E5), axis=1) < 6).astype(np.uint8)
    mask = cv2.dilate(stacks(view, region, D4) | faint, region.kernel(0.3))
    cover = cover_of(np.asarray(mask, dtype=np.uint8), region)
    patch = only(cover)
    assert patch.squares > 2.2
    assert not patch.explained
    assert patch.lies_inside
    assert hand_evidence(cover, SURELY_IN, machine=False) < 0.0
    assert cover.discs.sum() == cover.mask.sum()


@pytest.mark.parametrize("wide", [1.6, 1.75])
def test_a_black_disc_that_left_a_light_square_is_no_hand(view_from_above: BoardView, wide: float) -> None:
    """The ring around it that looks changed is wider than that of other discs; it kept a board from being read for ever."""
    view = leant(view_from_above, 30.0, everywhere=True)
    region = Region.of_view(view)
    turn = np.linspace(0.0, 6.28, 30)
    ring = 25.0 * wide * np.column_stack([np.cos(turn), np.sin(turn), np.zeros(30)])
    cover = cover_of(region.polygon(view.project(view.centre_mm(E7, 4.5) + ring)), region)
    assert only(cover).border_squares == 0.0
    assert hand_evidence(cover, SURELY_IN, machine=False) < 0.0
    assert cover.discs.sum() == cover.mask.sum()


def test_a_disc_of_its_squares_brightness_explains_what_shows_of_it(view_from_above: BoardView) -> None:
    """A white king went from the corner to a light square: the old place shows wholly, the new one by rim and shadow."""
    view = leant(view_from_above, 20.0)
    region = Region.of_view(view)
    seen = stacks(view, region, G7)
    rim = seen & (np.cumsum(seen, axis=1) > 0.6 * seen.sum(axis=1).max()).astype(np.uint8)
    mask = np.asarray(cv2.dilate(stacks(view, region, H8) | rim, region.kernel(0.3)), dtype=np.uint8)
    mask[region.place_of_pixel == 64] = 0
    cover = cover_of(mask, region)
    assert not only(cover).inside
    assert only(cover).explained


def test_what_stirs_inside_the_field_may_be_a_hand(view_from_above: BoardView) -> None:
    view = leant(view_from_above, 28.0)
    region = Region.of_view(view)
    cover = cover_of(stacks(view, region, D4, E5), region, moving=True)
    assert only(cover).inside
    assert not only(cover).lies_inside
    assert cover.discs.sum() == 0


def test_what_moves_is_explained_by_no_disc(view_from_above: BoardView) -> None:
    view = leant(view_from_above, 36.0)
    region = Region.of_view(view)
    cover = cover_of(stacks(view, region, E7, F8), region, moving=True)
    assert not only(cover).explained
    assert hand_evidence(cover, SURELY_IN, machine=False) > 0.0


@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize("degrees", [0.0, 20.0, 36.0])
@pytest.mark.parametrize("deep", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("file", [5.0, 5.5, 6.5])
def test_an_arm_that_lies_still_is_not_explained(
    view_from_above: BoardView, everywhere: bool, degrees: float, deep: float, file: float
) -> None:
    """Also where discs may stand on all squares, so that a row of them is as long as the arm."""
    view = leant(view_from_above, degrees, everywhere)
    region = Region.of_view(view)
    cover = cover_of(arm(view, region, file, 1.4, deep), region)
    assert only(cover).reaches_out
    assert hand_evidence(cover, SURELY_IN, machine=False) > 0.0


@pytest.mark.parametrize("deep", [2.0, 3.0, 4.0])
def test_an_arm_as_slim_as_a_row_of_discs_crosses_the_margin(view_from_above: BoardView, deep: float) -> None:
    view = leant(view_from_above, 0.0, everywhere=True)
    region = Region.of_view(view)
    assert only(cover_of(arm(view, region, 5.5, 0.9, deep), region)).reaches_out


@pytest.mark.parametrize("places", [(F8, F7, E7, F6, E6), (F8, F7, G7, F6, G6)])
def test_a_hand_with_a_slim_wrist_is_no_row_of_discs(view_from_above: BoardView, places: tuple[int, ...]) -> None:
    """Where discs may stand on all squares, a hand fills places on both sides of a line; no turn changes such a block."""
    view = leant(view_from_above, 20.0, everywhere=True)
    region = Region.of_view(view)
    cover = cover_of(stacks(view, region, *places), region)
    assert only(cover).border_squares <= OVERHANG_SQUARES
    assert only(cover).reaches_out
    assert hand_evidence(cover, SURELY_IN, machine=False) > 0.0


@pytest.mark.parametrize("degrees", [0.0, 20.0])
def test_a_hand_over_four_squares_around_another_is_no_turn(view_from_above: BoardView, degrees: float) -> None:
    """A slim finger that had come sideways over the border rested there and was taken into the calm picture."""
    region = Region.of_view(leant(view_from_above, degrees))
    four = cover_of(stacks(leant(view_from_above, degrees), region, F8, E7, G7, F6), region)
    assert not only(four).explained
    assert hand_evidence(four, SURELY_IN, machine=False) > 0.0
    assert only(cover_of(stacks(leant(view_from_above, degrees), region, F8, E7, F6), region)).explained


@pytest.mark.parametrize("places", [(F8, F7), (F8, F7, F6), (F8, F7, E7)])
def test_a_turns_places_on_all_squares_are_no_hand(view_from_above: BoardView, places: tuple[int, ...]) -> None:
    view = leant(view_from_above, 20.0, everywhere=True)
    region = Region.of_view(view)
    assert only(cover_of(stacks(view, region, *places), region)).explained


def test_an_arm_that_looks_like_the_frame_is_still_an_arm_over_the_squares(view_from_above: BoardView) -> None:
    """Skin over wood: where it crosses the frame, nothing is seen of it."""
    region = Region.of_view(leant(view_from_above, 20.0))
    mask = arm(leant(view_from_above, 20.0), region, 5.0, 1.4, 4.0)
    mask[region.place_of_pixel == 64] = 0
    cover = cover_of(mask, region)
    assert not only(cover).inside
    assert only(cover).border_squares == 0.0
    assert hand_evidence(cover, SURELY_IN, machine=False) > 0.0


def test_without_a_pose_nothing_is_explained(view_from_above: BoardView) -> None:
    view = leant(view_from_above, 36.0)
    blind = Region(view.project(view.outer_corners_mm()), 8, 8, view.image_size)
    assert not only(cover_of(stacks(view, blind, E7, F8), blind)).explained


def test_the_part_that_touches_where_an_arm_crosses_the_border_is_that_arm(view_from_above: BoardView) -> None:
    """It lies still and is as small as a disc at the edge; the disc beside it is none the less a disc."""
    region = Region.of_view(view_from_above)
    tip, disc = arm(view_from_above, region, 2.5, 0.9, 0.7), stacks(view_from_above, region, F8)
    mask = np.asarray(tip | disc, dtype=np.uint8)
    still = np.zeros(mask.shape, dtype=np.bool_)
    assert hand_evidence(cover_of(mask, region), SURELY_IN, machine=False) < 0.0
    # A finger's breadth beside it the arm no longer hides the border.
    wider = (cv2.dilate(tip, np.ones((3, 3), np.uint8)) > 0) & (region.near_border > 0)
    crossing = wider.astype(np.int32)
    cover = components(mask, still, region, None, None, crossing)
    assert sorted(patch.arm for patch in cover.patches) == [False, True]
    assert hand_evidence(cover, SURELY_IN, machine=False) > 0.0
    assert np.array_equal(cover.arms > 0, tip > 0)
    assert np.array_equal(cover.discs, disc)


def test_what_parts_from_an_arm_is_the_place_of_a_disc_and_not_an_arm_that_stays(view_from_above: BoardView) -> None:
    """A king was lifted off the far edge; its place went on to pass for an arm for three seconds after the hand had gone."""
    view = leant(view_from_above, 20.0)
    region = Region.of_view(view)
    hand, place = arm(view, region, 2.0, 1.5, 4.0), stacks(view, region, H8)
    alone = cover_of(place, region, moving=True)
    assert np.array_equal(alone.arms, place)
    both = cover_of(np.asarray(hand | place, dtype=np.uint8), region, moving=True)
    assert len(both.patches) == 2
    assert np.array_equal(both.arms, hand)


def test_an_arm_goes_on_as_its_largest_part(view_from_above: BoardView) -> None:
    """The place of a king that was lifted beside the arm parts from it; of two arms each goes on as its own."""
    view = leant(view_from_above, 20.0)
    region = Region.of_view(view)
    hand, place = arm(view, region, 2.0, 1.5, 4.0), stacks(view, region, H8)
    mask, still = np.asarray(hand | place, dtype=np.uint8), np.zeros(hand.shape, dtype=np.bool_)
    border = (mask > 0) & (region.near_border > 0)
    one = components(mask, still, region, None, None, border.astype(np.int32))
    assert np.array_equal(one.arms, hand)
    numbers = np.where(hand > 0, 1, 2) * border
    two = components(mask, still, region, None, None, np.asarray(numbers, dtype=np.int32))
    assert np.array_equal(two.arms, mask)


@pytest.mark.parametrize("places", [(F8, E7), (F8, D4)], ids=["beside", "far away"])
@pytest.mark.parametrize(
    ("now", "is_arm"),
    [
        pytest.param((5.34, 4.18), False, id="black man went"),
        pytest.param((5.34, 5.34), True, id="nothing came"),
        pytest.param((4.80, 4.80), True, id="hand over both"),
    ],
)
def test_where_an_arm_was_a_disc_that_surely_went_is_no_arm_that_stays(
    view_from_above: BoardView, places: tuple[int, int], now: tuple[float, float], is_arm: bool
) -> None:
    """It came to no more than the edge and left two thirds of where it crossed the border hidden: by the place of the man."""
    view = leant(view_from_above, 36.0)
    region = Region.of_view(view)
    mask = stacks(view, region, *places)
    crossing = ((mask > 0) & (region.near_border > 0)).astype(np.int32)
    assert crossing.any()
    looks = Looks(brightness(view, region, places, (4.15, 5.39)), brightness(view, region, places, now))
    still = np.zeros(mask.shape, dtype=np.bool_)
    cover = components(mask, still, region, None, looks, crossing)
    assert any(patch.arm for patch in cover.patches) == is_arm
    assert (hand_evidence(cover, SURELY_IN, machine=False) > 0.0) == is_arm
    assert any(patch.arm for patch in components(mask, still, region, None, None, crossing).patches)


@pytest.mark.parametrize(("gap_s", "comes"), [(0.1, False), (1 / 30, True)], ids=["10 frames a second", "30"])
def test_an_arm_comes_at_a_speed_and_what_it_leaves_beside_the_border_stirs_less(
    view_from_above: BoardView, gap_s: float, comes: bool
) -> None:
    """A seventh of a king at the border changed in each frame as the hand went: too little for an arm, but not at 30 a second."""
    region = Region.of_view(leant(view_from_above, 20.0))
    king = arm(leant(view_from_above, 20.0), region, 3.0, 1.5, 1.4)
    moving = king.astype(bool) & (np.cumsum(king.sum(axis=0))[None] < 0.17 * king.sum())
    cover = components(king, moving, region, None, gap_s=gap_s)
    assert only(cover).reaches_out
    assert cover.arms.any() == comes
