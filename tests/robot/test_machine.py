"""Settings of the controller: what follows from them, and what cannot be."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damludo.robot.errors import WrongSettings
from damludo.robot.frames import GantryMap, GantryPoint
from damludo.robot.machine import MachineSettings, grbl_of_settings, settings_of_grbl

DUMP = {
    1: "255", 13: "0", 22: "1", 23: "3", 24: "300.000", 25: "2400.000", 26: "25", 27: "1.000",
    100: "80.000", 101: "80.000", 102: "400.000", 110: "12000.000", 111: "12000.000", 112: "3000.000",
    120: "1000.000", 121: "1000.000", 122: "400.000", 130: "600.000", 131: "500.000", 132: "80.000",
}  # fmt: skip


def test_a_dump_in_minutes_becomes_settings_in_seconds() -> None:
    assert settings_of_grbl(DUMP) == MachineSettings()


def test_settings_become_the_dump_they_came_from() -> None:
    written = grbl_of_settings(MachineSettings())

    assert {key: float(value) for key, value in written.items()} == {key: float(value) for key, value in DUMP.items()}


@pytest.mark.parametrize("changed", [{23: "0"}, {23: "5"}, {22: "0"}, {130: "612.345"}, {110: "11999.5"}, {26: "250"}])
def test_the_way_there_and_back_changes_nothing(changed: dict[int, str]) -> None:
    machine = settings_of_grbl({**DUMP, **changed})

    assert machine is not None
    assert settings_of_grbl(grbl_of_settings(machine)) == machine


@pytest.mark.parametrize("missing", [100, 112, 122, 131])
def test_an_incomplete_dump_is_none(missing: int) -> None:
    assert settings_of_grbl({key: value for key, value in DUMP.items() if key != missing}) is None


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (13, "1", r"settings 13=0"),
        (130, "0", "cannot be"),
        (100, "nan", "cannot be"),
        (110, "-5", "cannot be"),
        (27, "90", "cannot be"),
    ],
)
def test_settings_that_cannot_be_are_refused(key: int, value: str, words: str) -> None:
    with pytest.raises(WrongSettings, match=words):
        settings_of_grbl({**DUMP, key: value})


@pytest.mark.parametrize(
    ("homes_low", "home"),
    [
        ((True, True, False), (-599.0, -499.0, -1.0)),
        ((True, True, True), (-599.0, -499.0, -79.0)),
        ((False, False, False), (-1.0, -1.0, -1.0)),
    ],
)
def test_home_is_the_pull_off_from_the_switches(
    homes_low: tuple[bool, bool, bool], home: tuple[float, float, float]
) -> None:
    machine = MachineSettings(homes_low=homes_low)
    assert machine.to_machine(machine.home) == home


@settings(deadline=None)
@given(st.tuples(st.booleans(), st.booleans(), st.booleans()), st.floats(0, 600), st.floats(0, 500), st.floats(0, 80))
def test_machine_coordinates_come_back(homes_low: tuple[bool, bool, bool], x: float, y: float, z: float) -> None:
    machine = MachineSettings(homes_low=homes_low)
    point = GantryPoint(x, y, z)
    there = machine.to_machine(point)
    assert all(-1e-9 <= -value <= travel + 1e-9 for value, travel in zip(there, machine.travel_mm, strict=True))
    assert machine.from_machine(there).distance_mm(point) < 1e-9


def test_a_small_difference_of_settings_is_let_pass() -> None:
    MachineSettings().compare(MachineSettings(steps_per_mm=(80.4, 80.0, 400.0)))


def test_other_homing_ends_are_refused() -> None:
    with pytest.raises(WrongSettings, match="homes to other ends"):
        MachineSettings().compare(MachineSettings(homes_low=(False, True, False)))


def test_a_map_that_flattens_the_board_is_refused() -> None:
    with pytest.raises(Exception, match="damludo calibrate gantry"):
        GantryMap(1.0, 1.0, 1.0, 1.0)
