"""The physics of the simulated table without any gantry."""

import pytest

from damludo.robot.places import Rack, TableLayout
from damludo.simulation.table import Disc, DiscColour, Table
from damludo.vision.content import Content


@pytest.fixture
def table() -> Table:
    return Table(TableLayout())


def _take(table: Table, x_mm: float, y_mm: float, top_mm: float) -> Disc:
    table.set_magnet(False)
    table.move_carriage(x_mm, y_mm, 60.0)
    table.move_carriage(x_mm, y_mm, top_mm)
    table.set_magnet(True)
    disc = table.held_disc("carriage")
    assert disc is not None
    return disc


def test_discs_put_on_one_point_stack(table: Table) -> None:
    heights = [table.add_disc(DiscColour.WHITE, 25, 25).z_mm for _ in range(3)]
    assert heights == [0, 9, 18]


def test_two_discs_of_a_colour_are_a_king(table: Table) -> None:
    for x in (25, 75, 75, 125, 175, 175):
        table.add_disc(DiscColour.BLACK if x > 100 else DiscColour.WHITE, x, 25)
    assert table.content() == {0: Content.WHITE_MAN, 1: Content.WHITE_KING, 2: Content.BLACK_MAN, 3: Content.BLACK_KING}


def test_a_held_disc_stands_nowhere(table: Table) -> None:
    table.add_disc(DiscColour.WHITE, 25, 25)
    _take(table, 25, 25, 9)
    assert table.content() == {}


def test_a_disc_beside_the_board_is_on_no_square(table: Table) -> None:
    assert table.square_of(table.add_disc(DiscColour.WHITE, -1, 25)) is None
    assert table.square_of(table.add_disc(DiscColour.WHITE, 399, 399)) == 63


def test_on_a_board_of_lines_discs_stand_on_crossings() -> None:
    table = Table(TableLayout(columns=5, rows=5, square_mm=80, lines=True))
    assert table.square_of(table.add_disc(DiscColour.WHITE, -20, 0)) == 0
    assert table.square_of(table.add_disc(DiscColour.WHITE, 330, 310)) == 24


def test_racks_count_their_discs(table: Table) -> None:
    for number in (1, 2, 18):
        slot = table.layout.rack_slot(Rack.BLACK, number)
        table.add_disc(DiscColour.WHITE, slot.x_mm, slot.y_mm)
    assert (table.rack_count(Rack.BLACK), table.rack_count(Rack.WHITE)) == (3, 0)


def test_the_magnet_does_not_centre_what_it_takes(table: Table) -> None:
    disc = table.add_disc(DiscColour.WHITE, 28, 21)
    _take(table, 25, 25, 9)
    table.move_carriage(225, 225, 60)
    assert (disc.x_mm, disc.y_mm, disc.z_mm) == (228, 221, 51)


@pytest.mark.parametrize(
    ("x_mm", "z_mm"), [pytest.param(35, 9, id="too far aside"), pytest.param(25, 11, id="too high")]
)
def test_the_magnet_reaches_only_so_far(table: Table, x_mm: float, z_mm: float) -> None:
    table.add_disc(DiscColour.WHITE, 25, 25)
    table.move_carriage(x_mm, 25, z_mm)
    table.set_magnet(True)
    assert table.held_disc("carriage") is None


def test_a_magnet_that_is_on_takes_what_it_comes_down_on(table: Table) -> None:
    disc = table.add_disc(DiscColour.WHITE, 25, 25)
    table.move_carriage(25, 25, 60)
    table.set_magnet(True)
    table.move_carriage(25, 25, 9.5)
    assert disc.held_by == "carriage"


def test_a_disc_let_go_on_the_board_is_no_mishap_and_from_high_is_one(table: Table) -> None:
    disc = table.add_disc(DiscColour.WHITE, 25, 25)
    _take(table, 25, 25, 9)
    table.set_magnet(False)
    assert table.mishaps == []
    _take(table, 25, 25, 9)
    table.move_carriage(25, 25, 60)
    table.set_magnet(False)
    assert [mishap.kind for mishap in table.mishaps] == ["dropped"]
    assert (disc.z_mm, disc.held_by) == (0, None)


def test_a_held_disc_is_judged_where_it_hangs_not_where_the_magnet_is(table: Table) -> None:
    """The disc hangs 8 mm towards a neighbour that it can just pass."""
    table.add_disc(DiscColour.WHITE, 33, 25)
    table.add_disc(DiscColour.WHITE, 71.5, 25)
    _take(table, 25, 25, 9)
    table.move_carriage(25, 25, 10)
    assert table.mishaps == []


def test_one_long_crush_counts_once_and_a_later_one_again(table: Table) -> None:
    for step in range(10):
        table.time_s = 0.1 * step
        table.move_carriage(25 + step, 25, -4)
    assert len(table.mishaps) == 1
    table.time_s = 2.0
    table.move_carriage(125, 25, -4)
    assert len(table.mishaps) == 2


def test_the_version_grows_when_a_lying_disc_changes(table: Table) -> None:
    before = table.version
    table.add_disc(DiscColour.WHITE, 25, 25)
    _take(table, 25, 25, 9)
    lifted = table.version
    table.move_carriage(125, 25, 60)
    assert before < lifted == table.version
