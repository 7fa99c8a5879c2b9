"""Hands and the carriage on rendered frames, with the table's own truth."""

import itertools
from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from damludo.robot.places import TableLayout
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.hand import Pace, Put, SimulatedHand, Take, Withdraw
from damludo.simulation.optics import Optics
from damludo.simulation.table import Carriage, DiscColour, Table
from damludo.vision.content import BoardSizes, Grid
from damludo.vision.motion import MotionWatch, Outline, Scene
from damludo.vision.pose import fit_view
from damludo.vision.region import Region
from damludo.vision.view import BoardView

LAYOUT = TableLayout()
GRID = Grid(8, 8, tuple(place for place in range(64) if (place // 8 + place % 8) % 2 == 0))


class Rendered:
    """A set-up table under a camera with a seeded look."""

    def __init__(self, seed: int, gantry: bool) -> None:
        self.table = Table(LAYOUT, carriage=Carriage(present=gantry))
        for place in GRID.playable:
            if place // 8 in (0, 1, 2, 5, 6, 7):
                at = LAYOUT.square(place)
                self.table.add_disc(DiscColour.WHITE if place < 24 else DiscColour.BLACK, at.x_mm, at.y_mm)
        world = World()
        self.clock = LockstepClock(world)
        self.hand = SimulatedHand(self.table, -1.0, Pace(), np.random.default_rng(seed))
        world.add(self.hand)
        optics = Optics.seeded(seed)
        self.camera = SimulatedCamera(self.table, self.clock, optics, world)
        crossings = np.array([[x, y, 0.0] for x in range(0, 401, 50) for y in range(0, 401, 50)])
        size = (optics.width, optics.height)
        self.view: BoardView = fit_view(GRID, BoardSizes(), crossings, self.camera.project(crossings), size)
        self.watch = MotionWatch(Region.of_view(self.view))

    def look(self, ignore: Sequence[Outline] = ()) -> Scene:
        frame = self.camera.read()
        self.clock.sleep(0.1 - 1 / 30)
        return self.watch.update(frame, ignore)

    def finger_is_over_the_field(self) -> bool:
        """Well over it: two thirds of a square from its edge."""
        hand = self.table.hand
        return hand.present and all(33 < value < 367 for value in (hand.x_mm, hand.y_mm))


def outlines(view: BoardView, x_mm: float, y_mm: float, z_mm: float) -> list[Outline]:
    """Hulls of a beam across the board and of a head, as a gantry would tell them."""
    boxes = [
        ((-120.0, 520.0), (y_mm - 30, y_mm + 30), (60.0, 130.0)),
        ((x_mm - 45, x_mm + 45), (y_mm - 45, y_mm + 45), (z_mm - 9, 140.0)),
    ]
    found = []
    for xs, ys, zs in boxes:
        corners = np.array([(x, y, z) for x in xs for y in ys for z in zs])
        hull = cv2.convexHull(view.project(corners).astype(np.float32))
        found.append(np.asarray(hull, dtype=np.float64).reshape(-1, 2))
    return found


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [0, 3, 4])
def test_a_hand_that_moves_a_man_is_seen_in_every_frame(seed: int) -> None:
    scene = Rendered(seed, gantry=False)
    for _ in range(7):
        assert not scene.look().hand
    a, b = LAYOUT.square(18), LAYOUT.square(27)
    scene.hand.do([Take(a.x_mm, a.y_mm), Put(b.x_mm, b.y_mm), Withdraw()])
    frames = 0
    while scene.hand.busy:
        over = scene.finger_is_over_the_field()
        seen = scene.look()
        # The hand moves while the camera waits for its next frame: it must be over the field before and after.
        if over and scene.finger_is_over_the_field():
            frames += 1
            assert seen.hand
            assert not seen.quiet
    assert frames >= 8
    after = [scene.look() for _ in range(12)]
    assert not any(s.hand for s in after[3:])
    assert after[-1].quiet


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [1, 2])
def test_a_carriage_that_carries_a_disc_is_no_hand(seed: int) -> None:
    scene = Rendered(seed, gantry=True)
    source, target = LAYOUT.square(18), LAYOUT.square(27)
    points = [(-30.0, -40.0, 60.0), (source.x_mm, source.y_mm, 60.0), (source.x_mm, source.y_mm, 9.0)]
    points += [(source.x_mm, source.y_mm, 60.0), (target.x_mm, target.y_mm, 60.0), (target.x_mm, target.y_mm, 9.0)]
    points += [(target.x_mm, target.y_mm, 60.0), (200.0, 460.0, 60.0)]
    for (x0, y0, z0), (x1, y1, z1) in itertools.pairwise(points):
        for part in np.linspace(0.0, 1.0, 7)[1:]:
            at = (x0 + part * (x1 - x0), y0 + part * (y1 - y0), z0 + part * (z1 - z0))
            scene.table.move_carriage(*at)
            assert not scene.look(outlines(scene.view, *at)).hand
        if (x1, y1, z1) == (source.x_mm, source.y_mm, 9.0):
            scene.table.set_magnet(True)
        if (x1, y1, z1) == (target.x_mm, target.y_mm, 9.0):
            scene.table.set_magnet(False)
    assert scene.table.content()[27].is_white


@pytest.mark.simulation
def test_a_hand_is_seen_while_the_carriage_moves() -> None:
    scene = Rendered(0, gantry=True)
    scene.table.move_carriage(200.0, 430.0, 60.0)
    for _ in range(6):
        scene.look(outlines(scene.view, 200.0, 430.0, 60.0))
    a = LAYOUT.square(18)
    scene.hand.do([Take(a.x_mm, a.y_mm), Withdraw()])
    frames, step = 0, 0
    while scene.hand.busy:
        step += 1
        x = 200.0 + 100.0 * np.sin(step / 4)
        scene.table.move_carriage(x, 380.0, 60.0)
        over = scene.finger_is_over_the_field()
        seen = scene.look(outlines(scene.view, x, 380.0, 60.0))
        if over and scene.finger_is_over_the_field():
            frames += 1
            assert seen.hand
    assert frames >= 5
