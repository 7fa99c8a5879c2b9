"""A simulated table behind a serial port, twenty times faster than real: the commands open it as they open a real one."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from damludo.play.cli import main
from damludo.play.table.simulated import SimulatedTable, set_table
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.realtime import RealTime
from damludo.simulation.transport import PseudoTerminal

SPEED = 20.0


@dataclass(frozen=True)
class Device:
    """A table that looks like a real one to the command line.

    Attributes:
        run: runs a command on its port with typed lines as input; returns the exit code.
    """

    simulated: SimulatedTable
    port: str
    home: Path
    run: Callable[..., int]

    @property
    def profiles(self) -> list[Path]:
        """The profiles kept so far."""
        return sorted((self.home / "data" / "calibration").glob("*"))


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """A gantry over the start position of damludo."""
    simulated = set_table(variant("damludo"), 5, Colour.WHITE)
    with (
        RealTime(simulated.world, SPEED),
        PseudoTerminal(simulated.controller, simulated.world) as port,
    ):

        def run(*words: str, typed: str = "") -> int:
            monkeypatch.setattr("sys.stdin", io.StringIO(typed))
            return main(["--home", str(tmp_path), *words, "--serial", port.path])

        yield Device(simulated, port.path, tmp_path, run)
