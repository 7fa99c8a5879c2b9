"""What a hurried simulated table's eyes must not take for a hand: the carriage wherever it may be since its last report."""

from collections.abc import Callable

import numpy as np
import pytest

from damludo.play.table.arm import HandGuard
from damludo.play.table.carriage import CarriageShape, carriage_outlines
from damludo.play.table.foresight import outlines_of_carriage
from damludo.play.table.simulated import measured_map, set_table
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry
from damludo.robot.guard import CarriageSight
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock
from damludo.simulation.transport import MemoryLine
from damludo.vision.view import BoardView

Inside = Callable[[np.ndarray, tuple[float, float, float]], bool]
Seen = Callable[..., list[np.ndarray]]


@pytest.fixture(scope="module")
def board() -> GantryMap:
    table = set_table(variant("english"), 1, Colour.WHITE)
    clock = LockstepClock(table.world)
    with Gantry(MemoryLine(table.world, table.controller), GRBL, clock) as gantry:
        gantry.connect()
        return measured_map(table, gantry)


@pytest.fixture
def seen(board: GantryMap, slanted_view: BoardView) -> Seen:
    """The outlines after some reports (time, place on the board)."""

    def outlines(
        reports: list[tuple[float, tuple[float, float]]], now_s: float, hurried: bool = True
    ) -> list[np.ndarray]:
        no_eyes: HandGuard = HandGuard(None, lambda _: None, lambda: False)  # type: ignore[arg-type]
        for time_s, (x, y) in reports:
            no_eyes.sight_before = no_eyes.sight
            no_eyes.sight = CarriageSight(board.to_gantry(x, y, 33.0), time_s, magnet_on=True)
        told = outlines_of_carriage(no_eyes, board, lambda: slanted_view, lambda: now_s, hurried=hurried)
        return [np.asarray(outline) for outline in told()]

    return outlines


def test_a_carriage_that_starts_may_be_far_ahead_of_its_old_report(seen: Seen, inside: Inside) -> None:
    """As measured at five times the pace: 4 mm between two reports, 71 mm more when the picture was taken."""
    _, head = seen([(37.63, (275.1, 175.1)), (37.81, (270.5, 196.4))], 38.02)
    assert inside(head, (270.5, 196.4, 33.0))
    assert inside(head, (254.9, 268.0, 33.0))


def test_it_is_not_looked_for_beside_or_behind_its_way(seen: Seen, inside: Inside) -> None:
    _, head = seen([(37.63, (275.1, 175.1)), (37.81, (270.5, 196.4))], 38.02)
    assert not inside(head, (350.0, 230.0, 33.0))
    assert not inside(head, (285.0, 120.0, 33.0))


def test_fresh_reports_reach_as_far_as_the_last_stretch_of_way(seen: Seen, inside: Inside) -> None:
    _, head = seen([(1.0, (100.0, 100.0)), (1.1, (100.0, 140.0))], 1.1)
    assert inside(head, (100.0, 180.0, 33.0))
    assert not inside(head, (100.0, 330.0, 33.0))


def test_a_parked_carriage_hides_nothing(seen: Seen) -> None:
    assert seen([], 1.0) == []


REPORTS = [(1.0, (100.0, 100.0)), (1.1, (100.0, 130.0))]
"""300 mm/s."""


@pytest.mark.parametrize(
    ("now_s", "to_mm"),
    [
        pytest.param(1.1, 160.0, id="fresh"),
        pytest.param(1.2, 160.0, id="as old as a report becomes: one stretch of way ahead"),
        # 30 mm on in the next 0.1 s, then 450 mm/s at most.
        pytest.param(1.5, 295.0, id="a busy computer: as far as it can have come"),
    ],
)
def test_at_a_real_table_the_reports_age_tells_how_far_ahead_to_look(
    now_s: float, to_mm: float, seen: Seen, slanted_view: BoardView
) -> None:
    way = [(100.0, 130.0, 33.0), (100.0, to_mm, 33.0)]
    for outline, expected in zip(
        seen(REPORTS, now_s, hurried=False), carriage_outlines(slanted_view, CarriageShape(), way), strict=True
    ):
        assert sorted(map(tuple, np.round(outline, 1))) == sorted(map(tuple, np.round(expected, 1)))
