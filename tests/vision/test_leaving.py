"""An arm that comes to rest in the shape of discs stays an arm."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.vision.hiding import Cover, Patch, hand_evidence
from damludo.vision.leaving import ArmInSight
from damludo.vision.region import Mask

SURELY_IN = 3.5
BORDER = np.zeros((20, 20), dtype=np.uint8)
BORDER[:2] = 1
ARM = np.zeros((20, 20), dtype=np.uint8)
ARM[:12, 4:12] = 1
STILL, TREMBLES, MOVES = np.zeros((3, 20, 20), dtype=np.bool_)
TREMBLES[:12, 4:6] = True
MOVES[:12, 4:12] = True
LIKE_DISCS = Patch(3.7, 3.4, 2.6, 0.27, 0.0, near_border=True, explained=True, side_squares=0.27)
LIKE_A_DISC = Patch(1.5, 0.9, 1.45, 1.09, 0.0, near_border=True, side_squares=1.09)


def crossed(
    moving: NDArray[np.bool_], mask: Mask = ARM, *, hand: bool = True, lies: bool = False, gap_s: float = 0.1
) -> NDArray[np.int32] | None:
    """Return where an arm that was seen still crosses the border one frame later."""
    arm = ArmInSight(BORDER)
    for _ in range(2):
        arm.see(Cover(ARM, np.zeros_like(ARM), (), ARM))
    return arm.crossing(mask, moving, hand=hand, lies=lies, gap_s=gap_s)


@pytest.mark.parametrize("moving", [STILL, TREMBLES], ids=["still", "trembling"])
def test_an_arm_whose_border_does_not_change_is_still_there(moving: NDArray[np.bool_]) -> None:
    seen = crossed(moving)
    assert seen is not None
    assert np.array_equal(seen > 0, (ARM & BORDER) > 0)


def test_an_arm_is_gone_when_the_border_changed_where_it_crossed() -> None:
    assert crossed(MOVES) is None
    assert crossed(STILL, np.asarray(ARM * (BORDER == 0), dtype=np.uint8)) is None


def test_an_arm_is_gone_though_the_wider_place_of_a_disc_beside_it_still_differs() -> None:
    """A king was taken from the corner: its place touches the border along more than the finger did."""
    place = np.zeros_like(ARM)
    place[:6, 7:12] = 1
    finger = np.zeros((20, 20), dtype=np.bool_)
    finger[:12, 4:7] = True
    assert crossed(finger, place) is None


def test_what_lies_at_the_border_in_the_frame_in_which_the_arm_is_gone_is_no_arm() -> None:
    """A king was set down beside the border, and the arm's shadow went from it: it changed as an arm does."""
    arm, king = ArmInSight(BORDER), np.zeros_like(ARM)
    king[:5, 9:12] = 1
    arm.see(Cover(ARM, np.zeros_like(ARM), (), ARM))
    for _ in range(2):
        assert arm.crossing(ARM, MOVES, hand=True, lies=False, gap_s=0.1) is None
        arm.see(Cover(ARM, np.zeros_like(ARM), (), ARM))
    assert arm.crossing(king, MOVES, hand=True, lies=False, gap_s=0.1) is None
    arm.see(Cover(king, np.zeros_like(ARM), (), king))
    assert arm.crossing(king, STILL, hand=True, lies=False, gap_s=0.1) is None


def test_nothing_is_known_of_an_arm_that_was_none_that_lies_or_that_had_time_to_go() -> None:
    assert crossed(STILL, hand=False) is None
    assert crossed(STILL, lies=True) is None
    assert crossed(STILL, gap_s=1.0) is None


def test_what_does_not_come_to_the_border_crosses_nothing() -> None:
    arm = ArmInSight(BORDER)
    inside = np.zeros_like(ARM)
    inside[5:9, 5:9] = 1
    for _ in range(2):
        arm.see(Cover(inside, inside, (), inside))
    assert arm.crossing(inside, STILL, hand=True, lies=False, gap_s=0.1) is None


@pytest.mark.parametrize("looks_like", [LIKE_DISCS, LIKE_A_DISC])
def test_a_known_arm_is_no_disc_whatever_it_looks_like(looks_like: Patch) -> None:
    """A white glove over white discs that holds a man in the air; a hand that grasps a man on the second rank."""
    arm = replace(looks_like, arm=True)
    none = np.zeros_like(ARM)
    assert hand_evidence(Cover(none, none, (looks_like,), none), SURELY_IN, machine=False) < 0.0
    assert hand_evidence(Cover(none, none, (arm,), none), SURELY_IN, machine=False) > 0.0
    assert arm.reaches_out


def test_of_two_arms_one_may_leave() -> None:
    arm, other = ArmInSight(BORDER), np.zeros_like(ARM)
    other[:12, 15:19] = 1
    for _ in range(2):
        arm.see(Cover(ARM, ARM, (), np.asarray(ARM | other, dtype=np.uint8)))
    seen = arm.crossing(np.asarray(ARM | other, dtype=np.uint8), MOVES, hand=True, lies=False, gap_s=0.1)
    assert seen is not None
    assert np.array_equal(seen > 0, (other & BORDER) > 0)


def test_discs_that_lie_elsewhere_from_one_frame_to_the_next_are_no_arm() -> None:
    arm = ArmInSight(BORDER)
    arm.see(Cover(ARM, np.zeros_like(ARM), (), ARM))
    assert arm.crossing(ARM, STILL, hand=True, lies=False, gap_s=0.1) is None
