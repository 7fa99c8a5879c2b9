"""The simulated set-ups: seeded, within the committed ranges, no easier than the photographs."""

import math
from dataclasses import fields, replace

import cv2
import numpy as np
import pytest

from damludo.robot.places import TableLayout
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.optics import Optics, Paint, Pose, difficulty, stand_camera
from damludo.simulation.table import Carriage, DiscColour, Table

LAYOUT = TableLayout()


def square_px(pose: Pose, layout: TableLayout) -> float:
    side = layout.width_mm
    corners = pose.project(np.array([[0, 0, 0], [side, 0, 0], [side, side, 0], [0, side, 0]], np.float64))
    return float(np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1).mean()) / layout.columns


def test_a_seed_gives_one_set_up_and_another_seed_another() -> None:
    assert Optics.seeded(4) == Optics.seeded(4)
    assert Optics.seeded(4) != Optics.seeded(5)


def test_the_side_changes_nothing_but_the_side() -> None:
    assert replace(Optics.seeded(4, DiscColour.BLACK), side=DiscColour.WHITE) == Optics.seeded(4)


def test_every_drawn_number_lies_in_its_committed_range() -> None:
    ranges = {**difficulty()["camera"], **difficulty()["light"]}
    named = {field.name for field in fields(Optics)} & ranges.keys()
    assert {"noise_sigma", "blur_px", "jpeg_quality", "gradient", "fill", "k1"} <= named
    for seed in range(40):
        optics = Optics.seeded(seed)
        for name in sorted(named):
            low, high = ranges[name]
            assert low <= getattr(optics, name) <= high, name
        low, high = ranges["tilt_deg"]
        assert math.radians(low) <= optics.tilt <= math.radians(high)


@pytest.mark.parametrize(("size", "median_of_the_photographs"), [(8, 43.0), (10, 34.0)])
def test_squares_are_no_larger_than_on_the_photographs(size: int, median_of_the_photographs: float) -> None:
    layout = TableLayout(size, size, rack_rows=size + 1)
    sizes = [square_px(stand_camera(Optics.seeded(seed), layout), layout) for seed in range(30)]
    assert min(sizes) > 26.0
    assert float(np.median(sizes)) <= median_of_the_photographs


def test_dark_discs_on_dark_squares_are_as_hard_as_on_the_photographs() -> None:
    """The wooden 8x8 photographs: median distance 11, lowest 3 (Lab, medians of the inner parts)."""
    board, discs = difficulty()["boards"]["beech_and_black"], difficulty()["paints"]["birch_and_wenge"]
    paint = Paint(dark=tuple(board["dark"][::-1]), black=tuple(discs["black"][::-1]), board_grain=board["grain"])
    table = Table(LAYOUT, carriage=Carriage(present=False))
    place = LAYOUT.square(18)
    camera = SimulatedCamera(table, LockstepClock(World()), replace(Optics.seeded(1), paint=paint))
    spot = camera.project(np.array([[place.x_mm, place.y_mm, LAYOUT.disc_height_mm]]))[0]
    bare = _lab(camera.render(table), spot)
    table.add_disc(DiscColour.BLACK, place.x_mm, place.y_mm)
    assert 1.0 < float(np.linalg.norm(_lab(camera.render(table), spot) - bare)) < 11.0


def _lab(picture: np.ndarray, spot: np.ndarray) -> np.ndarray:
    x, y = np.round(spot).astype(int)
    part = picture[y - 7 : y + 8, x - 7 : x + 8].astype(np.float32) / 255
    return np.median(cv2.cvtColor(part, cv2.COLOR_BGR2LAB).reshape(-1, 3), axis=0)


def test_projection_agrees_with_opencv() -> None:
    """The eyes use OpenCV's projection; this one is written independently."""
    pose = stand_camera(Optics.seeded(6), LAYOUT)
    points = np.array([[0, 0, 0], [400, 0, 0], [400, 400, 9], [-80, 120, 140], [210, 333, 18]], np.float64)
    matrix = np.array([[pose.focal_px, 0, 319.5], [0, pose.focal_px, 239.5], [0, 0, 1.0]])
    turn, shift = cv2.Rodrigues(pose.rotation)[0], -pose.rotation @ pose.position_mm
    theirs, _ = cv2.projectPoints(points, turn, shift, matrix, np.array([pose.k1, 0.0, 0.0, 0.0]))
    assert np.abs(theirs.reshape(-1, 2) - pose.project(points)).max() < 1e-6
    assert np.linalg.det(pose.rotation) == pytest.approx(1.0)


def test_a_ray_of_sight_meets_the_point_that_was_projected() -> None:
    pose = stand_camera(Optics.seeded(6), LAYOUT)
    points = np.array([[0, 0, 9], [400, 0, 9], [400, 400, 9], [-80, 120, 9]], np.float64)
    rays = pose.rays(pose.project(points).astype(np.float32))
    assert np.abs(pose.meet(rays, 9.0) - points[:, :2]).max() < 0.02
