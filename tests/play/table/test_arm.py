"""The arm after STOP: what was promised is carried out once, whenever STOP was pressed."""

import numpy as np
import pytest

from damludo.play.content import board_content, grid_of_board
from damludo.play.table.arm import GantryArm
from damludo.play.table.setup import guarded_arm
from damludo.play.table.simulated import SimulatedTable, measured_map, set_table
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import Stopped
from damludo.robot.gantry import Gantry
from damludo.robot.places import Transfer
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock
from damludo.simulation.readings import ModelledEyes
from damludo.simulation.transport import MemoryLine
from damludo.vision.content import Content

pytestmark = pytest.mark.simulation


@pytest.fixture
def table() -> SimulatedTable:
    return set_table(variant("english"), 1, Colour.WHITE)


@pytest.fixture
def arm(table: SimulatedTable) -> GantryArm:
    clock = LockstepClock(table.world)
    gantry = Gantry(MemoryLine(table.world, table.controller), GRBL, clock)
    gantry.connect()
    gantry.home()
    eyes = ModelledEyes(table.table, clock, grid_of_board(table.variant.board), np.random.default_rng(1))
    arm, _ = guarded_arm(gantry, measured_map(table, gantry), table.layout, eyes, clock, lambda _: None, lambda: False)
    return arm


def _b6_to_a5(table: SimulatedTable) -> list[Transfer]:
    board = table.variant.board
    return [Transfer(table.layout.square(board.square("b6")), table.layout.square(board.square("a5")))]


def _a5(table: SimulatedTable) -> Content | None:
    return table.table.content().get(table.variant.board.square("a5"))


def test_a_carrying_that_met_stop_before_it_began_is_carried_out_after_go(
    table: SimulatedTable, arm: GantryArm
) -> None:
    arm.stop()
    with pytest.raises(Stopped, match="before the carriage moved"):
        arm.carry(_b6_to_a5(table))
    assert _a5(table) is None
    arm.go_on()
    assert _a5(table) is Content.BLACK_MAN


def test_a_stop_at_rest_is_lifted_by_go_and_forgotten(table: SimulatedTable, arm: GantryArm) -> None:
    arm.stop()
    arm.go_on()
    arm.carry(_b6_to_a5(table))
    assert _a5(table) is Content.BLACK_MAN


def test_go_without_stop_moves_nothing(table: SimulatedTable, arm: GantryArm) -> None:
    before = board_content(table.variant.board.playable, table.variant.start)
    arm.go_on()
    assert table.table.content() == {square: piece for square, piece in before.items() if piece.discs}
