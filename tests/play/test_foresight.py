"""What a hurried simulated table's eyes must not take for a hand: the carriage wherever it may be since its last report."""

import cv2
import numpy as np
import pytest

from damludo.play.arm import HandGuard
from damludo.play.foresight import outlines_ahead
from damludo.play.simulated import measured_map, set_table
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry
from damludo.robot.guard import CarriageSight
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock
from damludo.simulation.transport import MemoryLine
from damludo.vision.content import BoardSizes
from damludo.vision.view import BoardView, grid_of

VIEW = BoardView(
    grid_of(8, 8),
    BoardSizes(),
    (640, 480),
    800.0,
    0.0,
    np.array([np.pi - 0.3, 0.0, 0.0]),
    np.array([-200.0, 200.0, 900.0]),
)


@pytest.fixture(scope="module")
def board() -> GantryMap:
    table = set_table(variant("english"), 1, Colour.WHITE)
    clock = LockstepClock(table.world)
    with Gantry(MemoryLine(table.world, table.controller), GRBL, clock) as gantry:
        gantry.connect()
        return measured_map(table, gantry)


def _seen(board: GantryMap, reports: list[tuple[float, tuple[float, float]]], now_s: float) -> list[np.ndarray]:
    """Return the outlines after some reports (time, place on the board)."""
    no_eyes: HandGuard = HandGuard(None, lambda _: None, lambda: False)  # type: ignore[arg-type]
    for time_s, (x, y) in reports:
        no_eyes.sight_before = no_eyes.sight
        no_eyes.sight = CarriageSight(board.to_gantry(x, y, 33.0), time_s, magnet_on=True)
    return [np.asarray(outline) for outline in outlines_ahead(no_eyes, board, lambda: VIEW, lambda: now_s)()]


def _inside(outline: np.ndarray, x: float, y: float) -> bool:
    px, py = VIEW.project(np.array([(x, y, 33.0)]))[0]
    return cv2.pointPolygonTest(outline.astype(np.float32), (float(px), float(py)), False) >= 0


def test_a_carriage_that_starts_may_be_far_ahead_of_its_old_report(board: GantryMap) -> None:
    """As measured at five times the pace: 4 mm between two reports, 71 mm more when the picture was taken."""
    _, head = _seen(board, [(37.63, (275.1, 175.1)), (37.81, (270.5, 196.4))], now_s=38.02)
    assert _inside(head, 270.5, 196.4)
    assert _inside(head, 254.9, 268.0)


def test_it_is_not_looked_for_beside_or_behind_its_way(board: GantryMap) -> None:
    _, head = _seen(board, [(37.63, (275.1, 175.1)), (37.81, (270.5, 196.4))], now_s=38.02)
    assert not _inside(head, 350.0, 230.0)
    assert not _inside(head, 285.0, 120.0)


def test_fresh_reports_reach_as_far_as_the_last_stretch_of_way(board: GantryMap) -> None:
    _, head = _seen(board, [(1.0, (100.0, 100.0)), (1.1, (100.0, 140.0))], now_s=1.1)
    assert _inside(head, 100.0, 180.0)
    assert not _inside(head, 100.0, 330.0)


def test_a_parked_carriage_hides_nothing(board: GantryMap) -> None:
    assert _seen(board, [], now_s=1.0) == []
