"""The table follows what the firmware really does, and the firmware feels what happens to the table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from damludo.robot.places import TableLayout
from damludo.simulation.clock import World
from damludo.simulation.controllers import make_controller, native_command
from damludo.simulation.errors import ControllerCrashed, ToolMissing
from damludo.simulation.gantry import HARD_STOP_MM, MAGNET_ON_S, SimulatedGantry, stand_beside
from damludo.simulation.grbl_settings import Settings
from damludo.simulation.process_controller import ProcessController
from damludo.simulation.table import Table
from damludo.simulation.transport import MemoryLine

pytestmark = pytest.mark.simulation

STEP_MM = 1 / 80


@dataclass
class Machine:
    """The firmware, compiled for this computer, as the controller of a gantry."""

    world: World
    gantry: SimulatedGantry
    controller: ProcessController
    line: MemoryLine

    def ask(self, text: str) -> list[str]:
        """Send a line; return everything up to its answer."""
        self.line.send(text)
        lines = [self.line.receive(60.0)]
        while not lines[-1].startswith(("ok", "error:")):
            lines.append(self.line.receive(60.0))
        return lines

    def status(self) -> str:
        """Return a status report, whatever else was said before it."""
        self.line.realtime(ord("?"))
        while not (line := self.line.receive(1.0)).startswith("<"):
            pass
        return line


@pytest.fixture
def make_machine() -> Iterator[Callable[..., Machine]]:
    made: list[Machine] = []

    def make(settings: Settings | None = None) -> Machine:
        world, table = World(), Table(TableLayout())
        gantry = SimulatedGantry(table, stand_beside(table.layout, 3), seed=3)
        controller = make_controller("native", gantry, settings or gantry.geometry.settings)
        assert isinstance(controller, ProcessController)
        world.add(controller)
        made.append(Machine(world, gantry, controller, MemoryLine(world, controller)))
        assert [made[-1].line.receive(5.0) for _ in range(3)][1] == "Grbl 1.1h ['$' for help]"
        return made[-1]

    yield make
    for machine in made:
        machine.controller.close()


@pytest.fixture
def homed(make_machine: Callable[..., Machine]) -> Machine:
    machine = make_machine()
    assert machine.ask("$H") == ["ok"]
    return machine


def test_the_settings_of_the_gantry_are_in_its_memory(make_machine: Callable[..., Machine]) -> None:
    machine = make_machine()

    assert machine.ask("$$")[:-1] == list(machine.gantry.geometry.settings.lines())


def test_after_homing_the_axes_stand_by_the_pull_off_from_the_switches(homed: Machine) -> None:
    # Homing is slow at the end, and a switch counts after 6 ms.
    assert homed.gantry.position == pytest.approx((-2.0, -2.0, -2.0), abs=0.05)
    assert homed.status().startswith("<Idle|MPos:-2.000,-2.000,-2.000|")


def test_the_carriage_goes_where_the_controller_says(homed: Machine) -> None:
    before = homed.gantry.position
    homed.ask("G53 G0 X-300 Y-200 Z-30")
    assert homed.ask("G4 P0") == ["ok"]

    moved = [there - here for there, here in zip(homed.gantry.position, before, strict=True)]
    assert moved == pytest.approx([-298.0, -198.0, -28.0], abs=1e-6)


def test_the_magnet_takes_hold_after_the_edge_of_the_pin(homed: Machine) -> None:
    homed.ask("M3 S1000")
    edge_s = homed.controller.report.magnet_edge_ns / 1e9
    assert not homed.gantry.table.carriage.magnet_on

    homed.world.advance_to(homed.world.time_s + MAGNET_ON_S)
    assert homed.gantry.table.carriage.magnet_on
    assert edge_s > 0


def test_lost_steps_are_found_at_the_switch(homed: Machine) -> None:
    homed.controller.faults.ask("slip_x", 3.0)
    homed.ask("G53 G0 X-100")
    homed.ask("G4 P0")
    assert homed.gantry.position[0] == pytest.approx(-103.0, abs=0.06)
    assert homed.status().startswith("<Idle|MPos:-100.000,")

    assert homed.ask("$H") == ["ok"]
    assert homed.gantry.position[0] == pytest.approx(-2.0, abs=0.05)


def test_the_end_of_the_frame_stops_an_axis_whatever_is_counted(homed: Machine) -> None:
    assert homed.ask("$20=0") == ["ok"]
    homed.controller.faults.ask("switch_open_x")
    homed.ask("G53 G1 X20 F3000")
    homed.ask("G4 P0")

    assert homed.status().startswith("<Idle|MPos:20.000,")
    assert homed.gantry.position[0] == pytest.approx(HARD_STOP_MM)
    homed.ask("G53 G1 X10 F3000")
    homed.ask("G4 P0")
    assert homed.gantry.position[0] == pytest.approx(HARD_STOP_MM - 10.0, abs=2 * STEP_MM)


def test_a_switch_that_closes_stops_the_machine(homed: Machine) -> None:
    homed.ask("G53 G1 X-300 F6000")
    homed.world.advance_to(homed.world.time_s + 0.5)
    homed.controller.faults.ask("switch_closed_z")

    assert [homed.line.receive(1.0) for _ in range(2)] == ["ALARM:1", "[MSG:Reset to continue]"]


def test_a_dead_stop_lets_a_fast_axis_run_on(homed: Machine) -> None:
    counted_before, true_before = homed.controller.report.steps[0], homed.gantry.position[0]
    homed.ask("G53 G1 X-400 F18000")
    homed.world.advance_to(homed.world.time_s + 0.7)
    homed.line.realtime(0x18)
    homed.world.advance_to(homed.world.time_s + 0.2)

    assert homed.line.receive(1.0) == "ALARM:3"
    moved = homed.gantry.position[0] - true_before
    # 300 mm/s for 4 ms more than the motors were stepped; the process knows where it truly stands.
    assert moved == pytest.approx((homed.controller.report.steps[0] - counted_before) * STEP_MM, abs=2 * STEP_MM)
    place = float(homed.status().split("MPos:")[1].split(",")[0])
    assert -2.0 + moved - place == pytest.approx(-1.2, abs=0.15)


def test_a_blank_memory_is_complained_of_and_the_place_stays(homed: Machine) -> None:
    place = homed.gantry.position
    homed.controller.faults.ask("blank_eeprom")
    line = MemoryLine(homed.world, homed.controller)

    assert [line.receive(5.0) for _ in range(3)] == ["error:7", "", "Grbl 1.1h ['$' for help]"]
    assert homed.gantry.position == place


def test_a_process_that_dies_is_an_error_with_a_sentence(homed: Machine) -> None:
    homed.controller.close()

    with pytest.raises(ControllerCrashed, match="the simulated controller ended by itself"):
        homed.world.advance_to(homed.world.time_s + 1.0)


def test_a_missing_compiler_is_named_before_anything_starts(
    make_machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(ToolMissing, match=r"sudo apt-get install g\+\+"):
        native_command()
