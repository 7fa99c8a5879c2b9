"""Disturbances by name and seed: the same twice, nothing before their time, each doing what its name says."""

import cv2
import numpy as np
import pytest

from damludo.robot.places import TableLayout
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.disturbance import KINDS, Disturbance, disturbance
from damludo.simulation.hand import Pace, Push, SimulatedHand, Withdraw
from damludo.simulation.optics import Optics
from damludo.simulation.table import Carriage, DiscColour, Table
from damludo.vision.frame import Image

LAYOUT = TableLayout()
OPTICS = Optics(noise_sigma=0.0, jpeg_quality=0)


def pictures(*disturbances: Disturbance, at_s: tuple[float, ...]) -> list[Image]:
    """Return what a camera sees of an empty table at some times."""
    clock = LockstepClock(World())
    camera = SimulatedCamera(Table(LAYOUT, carriage=Carriage(present=False)), clock, OPTICS, disturbances=disturbances)
    seen = []
    for time_s in at_s:
        clock.sleep(time_s - clock.now_s())
        seen.append(camera.read().image)
    return seen


@pytest.mark.simulation
@pytest.mark.parametrize("name", KINDS)
def test_each_kind_changes_the_picture_from_its_time_on_and_is_the_same_twice(name: str) -> None:
    shown_s = 40.0 if name == "sunset" else 2.0
    one, two = (pictures(disturbance(name, 3, 1.0, OPTICS), at_s=(0.5, shown_s)) for _ in range(2))
    (calm,) = pictures(at_s=(0.5,))
    assert (one[0] == calm).all()
    assert cv2.absdiff(one[1], calm).mean() > 0.3
    assert (one[1] == two[1]).all()


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="head_shadow"):
        disturbance("earthquake", 0, 0.0, OPTICS)


@pytest.mark.simulation
@pytest.mark.parametrize("name", ["head_shadow", "glare"])
def test_what_comes_goes_again(name: str) -> None:
    before, after = pictures(disturbance(name, 5, 1.0, OPTICS), at_s=(0.5, 20.0))
    assert (before == after).all()


def test_a_bump_moves_the_camera_by_up_to_a_square() -> None:
    for seed in range(20):
        bumped = disturbance("bump", seed, 0.0, OPTICS).bumped
        assert bumped is not None
        away = np.hypot(bumped.aim_x - OPTICS.aim_x, bumped.aim_y - OPTICS.aim_y) * LAYOUT.columns
        assert 0.2 < away < 0.9


@pytest.mark.simulation
def test_a_push_moves_a_whole_stack_and_nothing_else() -> None:
    table = Table(LAYOUT, carriage=Carriage(present=False))
    for x in (25.0, 25.0, 125.0):
        table.add_disc(DiscColour.WHITE, x, 25.0)
    hand = SimulatedHand(table, -1.0, Pace(), np.random.default_rng(0))
    hand.do([Push(25.0, 25.0, 3.0, -2.0), Withdraw()])
    hand.advance_to(10.0)
    assert [(disc.x_mm, disc.y_mm) for disc in table.discs] == [(28.0, 23.0), (28.0, 23.0), (125.0, 25.0)]
    assert not table.hand.present
