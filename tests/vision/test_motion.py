"""Hands and stillness: what counts as a hand, and what must not."""

from collections.abc import Callable, Iterator

import cv2
import numpy as np
import pytest

from damludo.vision.content import Content
from damludo.vision.frame import Frame, Image
from damludo.vision.light import light_plane
from damludo.vision.motion import MotionWatch, Scene
from damludo.vision.region import Region
from damludo.vision.view import BoardView

Draw = Callable[..., Image]
Board = dict[int, Content]
A3, C3, D4, E5, H8 = 16, 18, 27, 36, 63


@pytest.fixture
def watch(view_from_above: BoardView) -> MotionWatch:
    return MotionWatch(Region.of_view(view_from_above))


def see(watch: MotionWatch, images: "list[Image] | Iterator[Image]", from_s: float = 0.0) -> list[Scene]:
    """Show pictures, ten a second."""
    return [watch.update(Frame(image, from_s + 0.1 * n, n)) for n, image in enumerate(images)]


def test_a_scene_is_still_after_four_tenths_of_a_second(watch: MotionWatch, draw: Draw, start: Board) -> None:
    scenes = see(watch, [draw(start, seed=n) for n in range(7)])
    assert [scene.still for scene in scenes] == [False] * 4 + [True] * 3
    assert [scene.quiet for scene in scenes] == [False] * 4 + [True] * 3


def test_an_arm_over_the_board_is_a_hand_at_once_and_until_it_is_gone(
    watch: MotionWatch, draw: Draw, start: Board
) -> None:
    ys = [470, 375, 330, 330, 330, 375, 470]
    arms = [draw(start, seed=9 + n, arm_to=(350.0, y)) for n, y in enumerate(ys)]
    scenes = see(watch, [draw(start, seed=n) for n in range(6)] + arms + [draw(start, seed=30 + n) for n in range(6)])
    hand = [scene.hand for scene in scenes]
    assert hand[:6] == [False] * 6
    assert hand[7:12] == [True] * 5
    assert hand[13:] == [False] * 6
    assert not any(scene.quiet for scene in scenes[7:15])


def test_a_resting_hand_stays_a_hand(watch: MotionWatch, draw: Draw, start: Board) -> None:
    see(watch, [draw(start, seed=n) for n in range(6)])
    scenes = see(watch, [draw(start, seed=9 + n, arm_to=(350.0, 300.0)) for n in range(60)], from_s=1.0)
    assert all(scene.hand for scene in scenes)
    assert not any(scene.quiet for scene in scenes)


@pytest.mark.parametrize(("origin", "target"), [(C3, D4), (A3, E5), (H8, D4)])
def test_a_moved_man_is_no_hand(watch: MotionWatch, draw: Draw, start: Board, origin: int, target: int) -> None:
    """Also on the edge of the board."""
    after = start | {origin: Content.EMPTY, target: start[origin]}
    before = see(watch, [draw(start, seed=n) for n in range(6)])
    scenes = before + see(watch, [draw(after, seed=9 + n) for n in range(8)], from_s=0.6)
    assert not any(scene.hand for scene in scenes)
    assert scenes[-1].quiet


@pytest.mark.parametrize("taken", [(18, 27, 36, 45), (0, 9, 18, 27), (9, 18, 27, 36, 45, 54)])
def test_the_chain_of_a_capture_is_no_hand(
    watch: MotionWatch, draw: Draw, start: Board, taken: tuple[int, ...]
) -> None:
    """Squares that touch at their corners, also when a hand was there just before."""
    before = start | dict.fromkeys(taken, Content.BLACK_MAN)
    after = before | dict.fromkeys(taken, Content.EMPTY)
    see(watch, [draw(before, seed=n) for n in range(6)])
    assert see(watch, [draw(before, seed=9 + n, arm_to=(350.0, 300.0 + n)) for n in range(3)], from_s=0.6)[-1].hand
    scenes = see(watch, [draw(after, seed=20 + n) for n in range(8)], from_s=0.9)
    assert not any(scene.hand for scene in scenes[2:])
    assert scenes[-1].quiet


@pytest.mark.parametrize("gain", [0.4, 0.7, 1.3])
def test_a_lamp_is_no_hand(watch: MotionWatch, draw: Draw, start: Board, gain: float) -> None:
    side = np.tile(np.linspace(1.0, gain, 640), (480, 1))
    see(watch, [draw(start, seed=n) for n in range(6)])
    scenes = see(watch, [draw(start, light=side, seed=9 + n) for n in range(8)], from_s=0.6)
    assert not any(scene.hand for scene in scenes)
    assert scenes[-1].quiet
    assert scenes[0].light_changed


def test_a_shadow_that_passes_is_no_hand(watch: MotionWatch, draw: Draw, start: Board) -> None:
    shadows = []
    for n in range(8):
        light = np.ones((480, 640))
        light[:, 60 * n : 60 * n + 150] = 0.45
        shadows.append(draw(start, light=cv2.GaussianBlur(light, (0, 0), 6.0), seed=9 + n))
    see(watch, [draw(start, seed=n) for n in range(6)])
    scenes = see(watch, shadows, from_s=0.6)
    assert not any(scene.hand for scene in scenes)
    assert not scenes[4].still


def test_the_machines_own_part_is_no_hand_where_it_is_known(watch: MotionWatch, draw: Draw, start: Board) -> None:
    see(watch, [draw(start, seed=n) for n in range(6)])
    for n in range(6):
        image, x = draw(start, seed=9 + n), 150 + 40 * n
        image[:, x : x + 60] = 90
        outline = np.array([[x, 0], [x + 60, 0], [x + 60, 480], [x, 480]], dtype=np.float64)
        scene = watch.update(Frame(image, 0.6 + 0.1 * n, n), [outline])
        assert not scene.hand
        assert not scene.quiet


def test_a_hand_is_seen_beside_the_machines_part(watch: MotionWatch, draw: Draw, start: Board) -> None:
    see(watch, [draw(start, seed=n) for n in range(6)])
    hands = []
    for n in range(5):
        image = draw(start, seed=9 + n, arm_to=(420.0, 400.0 - 20 * n))
        image[:, 150:230] = 90
        outline = np.array([[150, 0], [230, 0], [230, 480], [150, 480]], dtype=np.float64)
        hands.append(watch.update(Frame(image, 0.6 + 0.1 * n, n), [outline]).hand)
    assert hands[1:] == [True] * 4


def test_what_the_machine_hid_at_the_beginning_is_learned_later(watch: MotionWatch, draw: Draw, start: Board) -> None:
    outline = np.array([[150, 0], [260, 0], [260, 480], [150, 480]], dtype=np.float64)
    for n in range(6):
        image = draw(start, seed=n)
        image[:, 150:260] = 90
        watch.update(Frame(image, 0.1 * n, n), [outline])
    assert not any(scene.hand for scene in see(watch, [draw(start, seed=9 + n) for n in range(8)], from_s=0.6))


def test_a_watch_that_began_with_a_hand_recovers(watch: MotionWatch, draw: Draw, start: Board) -> None:
    moving = [draw(start, seed=n, arm_to=(350.0, 300.0 + 20 * n)) for n in range(4)]
    scenes = see(watch, moving + [draw(start, seed=9 + n) for n in range(8)])
    assert scenes[-1].quiet


def test_a_thing_that_was_laid_down_is_no_hand_for_ever(watch: MotionWatch, draw: Draw, start: Board) -> None:
    lying = []
    for n in range(60):
        image = draw(start, seed=9 + n)
        image[395:440, 300:380] = (60, 160, 60)
        lying.append(image)
    see(watch, [draw(start, seed=n) for n in range(6)])
    scenes = see(watch, lying, from_s=0.6)
    assert scenes[-1].quiet


@pytest.mark.parametrize(("bottom_y", "is_hand"), [(414, False), (440, True)])
def test_what_no_arm_comes_to_is_no_hand_once_it_lies_still_for_a_second(
    watch: MotionWatch, draw: Draw, start: Board, bottom_y: int, is_hand: bool
) -> None:
    """A long capture along the edge that discs alone do not explain; over the border it may be an arm."""

    def capture(seed: int) -> Image:
        image = draw(start, seed=seed)
        image[300:bottom_y, 230:330] = (60, 160, 60)
        return image

    see(watch, [draw(start, seed=n) for n in range(6)])
    assert see(watch, [draw(start, seed=9 + n, arm_to=(280.0, 360.0 - 20 * n)) for n in range(4)], from_s=0.6)[-1].hand
    scenes = see(watch, [capture(20 + n) for n in range(40)], from_s=1.0)
    assert scenes[5].hand
    assert scenes[12].hand == scenes[-1].hand == is_hand


def wooden_margin(image: Image, arm_from_y: int | None = None, sleeve: tuple[int, int, int] = (120, 150, 190)) -> Image:
    """Give the frame of the drawn board a grain, and lay an arm over it."""
    image[416:, ::6] //= 2
    image[416:, 1::6] //= 2
    if arm_from_y is not None:
        image[arm_from_y:, 315:385] = sleeve
    return image


def test_an_arm_that_waits_in_the_margin_stays_out_of_the_calm_picture(
    watch: MotionWatch, draw: Draw, start: Board
) -> None:
    """Taken for a part of the board, it would look like a hand once it is gone; but a thing may lie there."""
    see(watch, [wooden_margin(draw(start, seed=n)) for n in range(14)])
    see(watch, [wooden_margin(draw(start, seed=20 + n), 440 - 15 * n) for n in range(3)], from_s=1.4)
    waiting = see(watch, [wooden_margin(draw(start, seed=30 + n), 410) for n in range(40)], from_s=1.7)
    assert min(scene.mask_squares for scene in waiting[:25]) > 0.8
    assert waiting[-1].mask_squares == 0.0
    assert waiting[-1].quiet


def test_the_tip_of_an_arm_that_was_taken_for_a_disc_leaves_no_ghost(
    watch: MotionWatch, draw: Draw, start: Board
) -> None:
    """It stops at the border between two reaches, for two pictures; where the board shows as it last lay still, it is gone."""
    see(watch, [wooden_margin(draw(start, seed=n)) for n in range(8)])
    tips = (440, 380, 330, 300, 330, 400, 400, 400, 380, 330, 300, 330)
    arm = see(watch, [wooden_margin(draw(start, seed=9 + n), y, (40, 50, 60)) for n, y in enumerate(tips)], from_s=0.8)
    assert arm[-1].hand
    gone = see(watch, [wooden_margin(draw(start, seed=40 + n)) for n in range(6)], from_s=2.0)
    assert [scene.mask_squares for scene in gone] == [0.0] * 6
    assert not any(scene.hand for scene in gone[1:])


def test_a_finger_tip_that_rested_at_the_edge_leaves_no_ghost(watch: MotionWatch, draw: Draw, start: Board) -> None:
    """It is as small as a disc, so the calm picture takes it; then the hand goes on."""
    see(watch, [wooden_margin(draw(start, seed=n)) for n in range(8)])
    resting = see(watch, [wooden_margin(draw(start, seed=9 + n), 405, (40, 50, 60)) for n in range(9)], from_s=0.8)
    assert resting[-1].quiet
    ys = (380, 330, 300, 300, 330, 380)
    see(watch, [wooden_margin(draw(start, seed=20 + n), y, (40, 50, 60)) for n, y in enumerate(ys)], from_s=1.7)
    gone = see(watch, [wooden_margin(draw(start, seed=40 + n)) for n in range(6)], from_s=2.3)
    assert [scene.mask_squares for scene in gone] == [0.0] * 6
    assert gone[-1].quiet


def test_a_finger_tip_that_hid_all_of_a_place_at_the_edge_leaves_no_ghost(
    watch: MotionWatch, draw: Draw, start: Board
) -> None:
    """It looks like a disc that left; but no hand was seen, so none did."""

    def finger(seed: int, y: int, rests: bool) -> Image:
        image = wooden_margin(draw(start, seed=seed))
        image[y:, 322 : 362 if rests else 392] = (40, 50, 60)
        return image

    see(watch, [wooden_margin(draw(start, seed=n)) for n in range(8)])
    resting = see(watch, [finger(9 + n, 380, True) for n in range(12)], from_s=0.8)
    assert resting[-1].quiet
    see(watch, [finger(30 + n, y, False) for n, y in enumerate((340, 300, 260, 260, 300, 340))], from_s=2.0)
    gone = see(watch, [wooden_margin(draw(start, seed=40 + n)) for n in range(6)], from_s=2.6)
    assert [scene.mask_squares for scene in gone] == [0.0] * 6
    assert gone[-1].quiet


def test_the_places_under_the_hand_are_covered_until_forgotten(
    watch: MotionWatch, draw: Draw, start: Board, at_px: Callable[[int], tuple[float, float]]
) -> None:
    x, y = at_px(2 + 8)
    see(watch, [draw(start, seed=n) for n in range(6)])
    see(watch, [draw(start, seed=9 + n, arm_to=(x, y)) for n in range(3)], from_s=0.6)
    covered = {int(place) for place in np.flatnonzero(watch.covered)}
    assert {2, 10} <= covered
    assert not covered & {7, 15, 40, 56, 63}
    watch.forget_cover()
    assert not watch.covered.any()


def test_a_lamp_switched_while_an_arm_comes_in_hides_nothing(
    view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    """The lamp stands at one side: what is bright enough to pass for the old light ends at a line across the board."""
    lamp = np.tile(np.exp(np.linspace(-0.7, -0.1, 640)), (480, 1))
    hidden = []
    for light in (1.0, lamp):
        watch = MotionWatch(Region.of_view(view_from_above))
        arm = [draw(start, seed=9 + n, light=light, arm_to=(350.0, y)) for n, y in enumerate((438.0, 330.0))]
        hidden.append(see(watch, [draw(start, seed=n) for n in range(6)] + arm)[-1].mask_squares)
    assert hidden[1] == pytest.approx(hidden[0], abs=0.15)


def test_the_light_of_a_lamp_at_one_side_is_a_plane_beside_an_arm() -> None:
    y, x = np.mgrid[0:100, 0:120].astype(np.float32)
    plane = -0.4 + 0.006 * x - 0.001 * y
    ratio = plane.copy()
    ratio[40:, 50:75] = 0.8
    found, share = light_plane(ratio)
    assert np.abs(found - plane).max() < 0.02
    assert share == pytest.approx(0.875, abs=0.01)


def test_a_finger_tip_rests_where_the_arm_ends_and_nowhere_while_it_moves(
    watch: MotionWatch, draw: Draw, start: Board, at_px: Callable[[int], tuple[float, float]]
) -> None:
    x, y = at_px(C3)
    see(watch, [draw(start, seed=n) for n in range(6)])
    coming = [draw(start, seed=9 + n, arm_to=(x, y + 120.0 - 40.0 * n)) for n in range(3)]
    see(watch, coming, from_s=0.6)
    assert watch.rests == {}
    see(watch, [draw(start, seed=20 + n, arm_to=(x, y + 8.0)) for n in range(5)], from_s=0.9)
    assert list(watch.rests) == [C3]
    assert watch.rests[C3] in (4, 5)
    watch.forget_cover()
    assert watch.rests == {}


def test_equal_frames_give_equal_scenes(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    images = [draw(start, seed=n, arm_to=(350.0, 460.0 - 30 * n)) for n in range(5)]
    region = Region.of_view(view_from_above)
    assert see(MotionWatch(region), images) == see(MotionWatch(region), images)
