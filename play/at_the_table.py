"""`damludo play`: one game with a person, over a real table or over the simulated one behind a real serial port."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from damludo.play.choreography import Racks
from damludo.play.clock import WallClock
from damludo.play.console import CommandError, ExitCode
from damludo.play.content import SPARE_DISCS, layout_for
from damludo.play.devices import profile_of_port
from damludo.play.events import Listener, fan_out
from damludo.play.folders import Folders
from damludo.play.journal import open_journal
from damludo.play.match import Match, MatchSettings
from damludo.play.ports import Clock
from damludo.play.settings import BoardSettings, PlaySettings
from damludo.play.setup import calibrate_eyes, guarded_arm, machine_player, show_carriage
from damludo.play.simulated import measured_map, set_table
from damludo.play.terminal import Terminal
from damludo.play.typed_moves import TypedMoves
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry
from damludo.robot.places import TableLayout
from damludo.robot.serial_line import SerialLine
from damludo.rules.game import Game
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.simulation.clock import PacedClock
from damludo.simulation.realtime import RealTime
from damludo.simulation.transport import PseudoTerminal
from damludo.vision.camera import open_source
from damludo.vision.content import BoardSizes
from damludo.vision.frame import FrameSource


@dataclass(frozen=True, slots=True)
class TableParts:
    """What a match is played with.

    Attributes:
        board_map: gives the map from board to gantry, once the gantry has told its settings.
        white_at: the side of the picture where White's rank 1 lies, None: found from the start position.
        typed: carries out typed moves where there is no hand; None on a real table.
    """

    layout: TableLayout
    source: FrameSource
    gantry: Gantry
    clock: Clock
    board_map: Callable[[Gantry], GantryMap]
    white_at: str | None = None
    typed: TypedMoves | None = None


@contextlib.contextmanager
def simulated_parts(
    variant: Variant, human: Colour, seed: int, speed: float, controller: str = "python"
) -> Iterator[TableParts]:
    """The simulated table, at the pace of the clock on the wall, its controller behind a pseudo-terminal."""
    table = set_table(variant, seed, human, controller)
    clock = PacedClock(table.world)
    typed = TypedMoves(table)
    with (
        contextlib.closing(table.controller),
        RealTime(table.world, speed),
        PseudoTerminal(table.controller, table.world) as port,
        Gantry(SerialLine(port.path), GRBL, clock) as gantry,
    ):
        yield TableParts(
            table.layout, table.camera(clock), gantry, clock, lambda gantry: measured_map(table, gantry), None, typed
        )


@contextlib.contextmanager
def real_parts(
    variant: Variant,
    where: Folders,
    board: BoardSettings,
    camera: str,
    port: str,
    calibration: str | None,
    white_at: str | None,
) -> Iterator[TableParts]:
    """A real table: a camera and a controller on a serial port."""
    profile = profile_of_port(port, where, Path(calibration) if calibration else None)
    clock = WallClock()
    layout = layout_for(variant, board.square_mm, board.disc_diameter_mm, board.disc_height_mm)
    with (
        contextlib.closing(open_source(camera, clock=clock)) as source,
        Gantry(SerialLine(port), GRBL, clock, profile.machine) as gantry,
    ):
        yield TableParts(layout, source, gantry, clock, lambda _: profile.board, white_at)


def play_simulated(
    variant: Variant, settings: PlaySettings, where: Folders, seed: int, speed: float, controller: str = "python"
) -> int:
    """Play in the terminal over the simulated table: typed moves are carried out by the simulated hand, and then seen."""
    human = _human(settings)
    print(f"SIMULATION of {variant.names['en']}: camera, gantry and your hand are simulated. You play {human.word}.")
    with simulated_parts(variant, human, seed, speed, controller) as parts:
        return _play(variant, settings, where, parts)


def play_real(
    variant: Variant,
    settings: PlaySettings,
    where: Folders,
    board: BoardSettings,
    camera: str,
    port: str,
    calibration: str | None,
    white_at: str | None,
) -> int:
    """Play over a real table."""
    print(f"{variant.names['en']}: you play {_human(settings).word}.")
    with real_parts(variant, where, board, camera, port, calibration, white_at) as parts:
        return _play(variant, settings, where, parts)


def _play(variant: Variant, settings: PlaySettings, where: Folders, parts: TableParts) -> int:
    game, human = Game.new(variant), _human(settings)
    player = machine_player(settings.level, seed=0)  # first: a level that does not exist is said before anything moves
    print("The gantry finds its home: keep your hands off the table.", flush=True)
    parts.gantry.connect()
    parts.gantry.home()
    sizes = BoardSizes(parts.layout.square_mm, parts.layout.disc_diameter_mm, parts.layout.disc_height_mm)
    seen = calibrate_eyes(parts.source, parts.clock, variant, game.position, sizes, parts.white_at)
    print(f"The camera sees the board; White's first rank is at the {seen.white_at} of the picture.", flush=True)
    board = parts.board_map(parts.gantry)
    terminal = Terminal(lambda: match.game, human)
    path = where.journals / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{variant.key}.jsonl"
    with contextlib.closing(open_journal(path)) as journal:
        listeners: list[Listener] = [journal, terminal]
        if parts.typed is not None:
            parts.typed.follow(lambda: match.game)
            terminal.type_move = parts.typed
            # The hand hears first: whoever answers the very line "Your move" must not be told to wait.
            listeners.insert(1, parts.typed.hear)
        listener = fan_out(listeners)
        arm, guard = guarded_arm(parts.gantry, board, parts.layout, seen.eyes, parts.clock, listener, terminal.said_go)
        show_carriage(seen, guard, board)
        terminal.stop = arm.stop
        match = Match(
            MatchSettings(game, human.other, parts.layout, Racks(SPARE_DISCS, SPARE_DISCS)),
            seen.eyes,
            player,
            arm,
            parts.clock,
            terminal,
            listener,
        )
        terminal.read_lines(sys.stdin)
        match.run()
    print(f"The game is kept in {path}")
    return ExitCode.STOPPED if match.stopped else ExitCode.FINE


def _human(settings: PlaySettings) -> Colour:
    if settings.machine not in ("white", "black"):
        raise CommandError(f"play.machine = '{settings.machine}' must be 'white' or 'black'", ExitCode.BAD_INPUT)
    return Colour.WHITE if settings.machine == "black" else Colour.BLACK
