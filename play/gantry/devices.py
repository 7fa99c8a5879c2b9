"""The gantry alone, without a match: which port, which controller, which profile; real, or simulated behind a pseudo-terminal."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from damludo.calibration.profile import GantryProfile, gantry_path, load_gantry
from damludo.play.clock import WallClock
from damludo.play.console import CommandError, ExitCode, note
from damludo.play.content import layout_for
from damludo.play.folders import Folders
from damludo.play.match.ports import Clock
from damludo.play.settings import BoardSettings
from damludo.play.table.simulated import SimulatedTable, set_table
from damludo.robot.places import TableLayout
from damludo.robot.serial_line import Port, SerialLine, find_ports
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.simulation.clock import PacedClock
from damludo.simulation.realtime import RealTime
from damludo.simulation.transport import PseudoTerminal

SIMULATED = "simulated-"
"""Beginning of the names of simulated controllers."""
PORT = "tty"
"""Beginning of the names of controllers that have no serial number and are named after their port."""


@dataclass(frozen=True, slots=True)
class GantryChoice:
    """Which gantry is wanted, over which board.

    Attributes:
        port: of the controller; "" for the only USB controller that is plugged in.
        simulated: use the simulated table drawn from `seed`, `speed` times faster than real.
        calibration: file of the profile; None for the one that belongs to the controller.
    """

    variant: Variant
    board: BoardSettings
    where: Folders
    port: str = ""
    simulated: bool = False
    seed: int = 1
    speed: float = 1.0
    calibration: Path | None = None

    @property
    def layout(self) -> TableLayout:
        """The places of the board."""
        return layout_for(self.variant, self.board.square_mm, self.board.disc_diameter_mm, self.board.disc_height_mm)


@dataclass(frozen=True, slots=True)
class Reached:
    """An open line to a controller.

    Attributes:
        port: name that was opened.
        controller: name of the controller; it makes the name of the profile's file.
        layout: of the table.
        table: the simulated table, None for a real one.
    """

    line: SerialLine
    clock: Clock
    port: str
    controller: str
    layout: TableLayout
    table: SimulatedTable | None = None

    @property
    def simulated_table(self) -> SimulatedTable:
        """The simulated table; only where there is one."""
        if self.table is None:
            raise ValueError("this table is real")
        return self.table


@contextlib.contextmanager
def reach(choice: GantryChoice) -> Iterator[Reached]:
    """Open the line to the gantry's controller.

    Raises:
        CommandError: no port is named, and there is not exactly one USB controller.
        LineError: the port cannot be opened.
    """
    if not choice.simulated:
        port = choice.port or only_usb_port()
        with SerialLine(port) as line:
            yield Reached(line, WallClock(), port, controller_name(port), choice.layout)
        return
    note("SIMULATION: no real gantry moves.")
    table = set_table(choice.variant, choice.seed, Colour.WHITE)
    with (
        RealTime(table.world, choice.speed),
        PseudoTerminal(table.controller, table.world) as terminal,
        SerialLine(terminal.path) as line,
    ):
        name = f"{SIMULATED}{choice.seed}"
        yield Reached(line, PacedClock(table.world), terminal.path, name, table.layout, table)


def only_usb_port() -> str:
    """Return the only USB serial port.

    Raises:
        CommandError: there is none, or more than one.
    """
    ports = [port for port in find_ports() if port.vendor_id is not None]
    if len(ports) == 1:
        return ports[0].device
    if not ports:
        raise CommandError(
            "the gantry is missing: no USB serial port is plugged in; plug the controller in, name its port with --serial PORT, "
            "or try it without hardware with --sim ('damludo doctor' lists the ports)",
            ExitCode.NO_DEVICE,
        )
    names = ", ".join(f"{port.device} ({port.description})" for port in ports)
    raise CommandError(
        f"there are {len(ports)} USB serial ports: {names}; name the gantry's one with --serial PORT",
        ExitCode.NO_DEVICE,
    )


def controller_name(device: str) -> str:
    """Return the serial number of the USB device behind a port, else the port's own name: cheap bridges have no number."""
    real = os.path.realpath(device)
    found: Port | None = next((port for port in find_ports() if os.path.realpath(port.device) == real), None)
    if found is not None and found.serial_number:
        return found.serial_number
    return real.removeprefix("/dev/").replace("/", "-")


def profile_of(controller: str, where: Folders, calibration: Path | None = None) -> GantryProfile | None:
    """Return the profile given, else the controller's own, else None.

    A bridge without a serial number is named after its port, which depends on the order of plugging in: if it has no profile, but
    exactly one other such bridge has, that one is meant. The profile of a controller with a number is never lent to another:
    its board lies elsewhere.

    Raises:
        CalibrationError: a file is damaged, or the one given is missing.
    """
    if calibration is not None:
        return load_gantry(calibration)
    own = gantry_path(where.data, controller)
    if own.exists():
        return load_gantry(own)
    if not controller.startswith(PORT):
        return None
    others = list(where.calibration.glob(f"gantry-{PORT}*.json"))
    return load_gantry(others[0]) if len(others) == 1 else None


def profile_of_port(device: str, where: Folders, calibration: Path | None = None) -> GantryProfile:
    """Return the profile for the controller on a port; see `profile_of`.

    Raises:
        CommandError: there is none.
        CalibrationError: a file is damaged, or the one given is missing.
    """
    profile = profile_of(controller_name(device), where, calibration)
    if profile is None:
        raise no_profile(where)
    return profile


def no_profile(where: Folders) -> CommandError:
    """Return the error of a gantry that was not measured."""
    return CommandError(
        f"there is no profile of this gantry in {where.calibration}; make one with 'damludo calibrate gantry', or give one with "
        f"--calibration FILE",
        ExitCode.NOT_CALIBRATED,
    )
