"""`damludo simulate --serve`: the simulated table as a device, for `damludo play --serial ... --camera ...`."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from damludo.calibration.profile import GantryProfile, gantry_path, save_gantry
from damludo.play.console import ExitCode, cannot_write, print_json
from damludo.play.folders import folders
from damludo.play.table.humans import HumanSpec, seated_human
from damludo.play.table.simulated import SimulatedTable, measured_map, set_table
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.gantry import Gantry
from damludo.rules.game import Game
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.simulation.clock import LockstepClock, PacedClock
from damludo.simulation.realtime import RealTime
from damludo.simulation.stream import serve_pictures
from damludo.simulation.transport import MemoryLine, PseudoTerminal

PATIENCE_S = 3.0
"""The person at a served table cannot hear the machine: he moves when its carriage has rested for so long."""


@dataclass(frozen=True, slots=True)
class ServedTable:
    """Where a served table is found."""

    serial: str
    camera: str
    calibration: Path


@contextlib.contextmanager
def served_table(
    variant: Variant, spec: HumanSpec, seed: int, data: Path, speed: float = 1.0, controller: str = "python"
) -> Iterator[ServedTable]:
    """Offer a simulated table with a scripted person (White) at wall-clock pace."""
    simulated = set_table(variant, seed, Colour.WHITE, controller)
    with contextlib.closing(simulated.controller):
        yield from _offer(variant, spec, seed, data, speed, simulated)


def _offer(
    variant: Variant, spec: HumanSpec, seed: int, data: Path, speed: float, simulated: SimulatedTable
) -> Iterator[ServedTable]:
    with Gantry(MemoryLine(simulated.world, simulated.controller), GRBL, LockstepClock(simulated.world)) as gantry:
        gantry.connect()
        profile = GantryProfile(f"simulated-{seed}", measured_map(simulated, gantry), gantry.machine)
    path = gantry_path(data, profile.controller)
    try:
        save_gantry(profile, path)
    except OSError as error:
        raise cannot_write(path, error) from error
    deaf = replace(spec, habits=replace(spec.habits, patience_s=PATIENCE_S * speed))
    simulated.world.add(seated_human(simulated.table, Game.new(variant), Colour.WHITE, deaf, seed))
    with (
        PseudoTerminal(simulated.controller, simulated.world) as port,
        RealTime(simulated.world, speed),
        serve_pictures(simulated.camera(PacedClock(simulated.world))) as stream,
    ):
        yield ServedTable(port.path, stream.url, path)


def serve(
    variant: Variant,
    spec: HumanSpec,
    seed: int,
    speed: float,
    home: str | None,
    as_json: bool,
    controller: str = "python",
) -> int:
    """Serve a table until interrupted."""
    with served_table(variant, spec, seed, folders(home).data, speed, controller) as served:
        if as_json:
            print_json(
                {
                    "serial": served.serial,
                    "camera": served.camera,
                    "calibration": str(served.calibration),
                    "game": variant.key,
                }
            )
        else:
            print(f"SIMULATION of {variant.names['en']}; the scripted person plays white. In another terminal:")
            print(
                f"  damludo play --game {variant.key} --machine black --serial {served.serial} --camera {served.camera} "
                f"--calibration {served.calibration}",
                flush=True,
            )
        # Started in the background by a shell we would ignore interrupts; a service manager sends SIGTERM. Both end us in order.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        threading.Event().wait()
    return ExitCode.INTERRUPTED
