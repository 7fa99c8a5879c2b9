"""What the tests of the simulated machine share: a table with a gantry, and a way to talk to its controller."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from damludo.robot.places import TableLayout
from damludo.simulation.clock import World
from damludo.simulation.controller import Controller
from damludo.simulation.gantry import SimulatedGantry, install_gantry
from damludo.simulation.grbl_settings import Settings
from damludo.simulation.table import Table
from damludo.simulation.transport import MemoryLine


@dataclass(frozen=True)
class Machine:
    """A table, a gantry over it and an open line."""

    world: World
    table: Table
    gantry: SimulatedGantry
    controller: Controller
    line: MemoryLine

    def ask(self, text: str, timeout_s: float = 60.0) -> list[str]:
        """Send a line; return everything up to its answer."""
        self.line.send(text)
        lines = [self.line.receive(timeout_s)]
        while not lines[-1].startswith(("ok", "error:")):
            lines.append(self.line.receive(timeout_s))
        return lines

    def run(self, *program: str) -> None:
        """Send lines that must be accepted, and wait until all is done."""
        for text in (*program, "G4 P0"):
            assert self.ask(text) == ["ok"], text

    def status(self) -> str:
        """Return a status report."""
        self.line.realtime(ord("?"))
        return self.line.receive(1.0)

    def goto(self, x_mm: float, y_mm: float) -> str:
        """Return the line that leads over a board point."""
        x, y = self.gantry.geometry.to_gantry(x_mm, y_mm)
        return f"G0 X{x:.3f} Y{y:.3f}"

    def height(self, z_mm: float) -> str:
        """Return the line that brings the magnet's face to a height above the board."""
        return f"G0 Z{z_mm - self.gantry.geometry.clearance_mm:.3f}"


@pytest.fixture
def make_machine() -> Callable[..., Machine]:
    """A machine as after opening the port: the greeting waits to be read."""

    def make(
        faults: Mapping[str, float] | None = None, seed: int = 7, human_at_black: bool = False, boot_s: float = 0.0
    ) -> Machine:
        world, table = World(), Table(TableLayout())
        gantry, controller = install_gantry(world, table, seed, human_at_black, faults, boot_s)
        # The dialogues and formulas speak of the controller's defaults, however the gantry itself is tuned.
        controller.core.settings.values.update(Settings().values)
        return Machine(world, table, gantry, controller, MemoryLine(world, controller))

    return make


@pytest.fixture
def homed(make_machine: Callable[..., Machine]) -> Machine:
    """A homed machine."""
    machine = make_machine()
    assert machine.ask("$H")[-1] == "ok"
    return machine
