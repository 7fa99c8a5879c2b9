"""An arm that comes to rest in the shape of discs stays an arm."""

import numpy as np
import pytest

from damludo.vision.hiding import Cover, Patch, hand_evidence
from damludo.vision.leaving import ArmInSight

SURELY_IN = 3.5
ARM = Patch(3.7, 3.4, 2.6, 0.27, 0.6, near_border=True)
LIKE_DISCS = Patch(3.7, 3.4, 2.6, 0.27, 0.0, near_border=True, explained=True)
SLIM_LIKE_DISCS = Patch(3.7, 3.4, 2.6, 0.18, 0.0, near_border=True, explained=True)


def cover(*patches: Patch) -> Cover:
    none = np.zeros((4, 4), dtype=np.uint8)
    return Cover(none, none, patches)


def evidence(arm: ArmInSight, patch: Patch, *, stirs: bool = False, lies: bool = False, hand: bool = True) -> float:
    judged = arm.judged(cover(patch), hand=hand, stirs_at_border=stirs, lies=lies)
    return hand_evidence(judged, SURELY_IN, machine=False)


@pytest.mark.parametrize("rests", [LIKE_DISCS, SLIM_LIKE_DISCS])
def test_an_arm_that_comes_to_rest_in_the_shape_of_discs_stays_one(rests: Patch) -> None:
    """A white glove over white discs that holds a man in the air for half a second."""
    arm = ArmInSight()
    assert evidence(arm, ARM, stirs=True) > 0.0
    assert all(evidence(arm, rests) > 0.0 for _ in range(15))


def test_what_is_left_when_something_moved_at_the_border_may_be_discs() -> None:
    arm = ArmInSight()
    evidence(arm, ARM, stirs=True)
    assert evidence(arm, LIKE_DISCS, stirs=True) < 0.0
    assert evidence(arm, LIKE_DISCS) < 0.0


def test_what_lies_long_may_be_discs() -> None:
    arm = ArmInSight()
    evidence(arm, ARM, stirs=True)
    assert evidence(arm, LIKE_DISCS, lies=True) < 0.0


def test_without_an_arm_discs_beside_the_border_are_discs() -> None:
    assert evidence(ArmInSight(), LIKE_DISCS, hand=False) < 0.0
