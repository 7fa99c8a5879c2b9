"""`damludo play`: one game with a person, over the real table or over the simulated one behind real devices."""

import contextlib
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from damludo.calibration.profile import GantryProfile, load_gantry_profile
from damludo.play.choreography import Racks, board_content
from damludo.play.console import CommandError, ExitCode, note
from damludo.play.events import EventKind, Listener, MatchEvent
from damludo.play.folders import Folders
from damludo.play.journal import Journal
from damludo.play.match import Match, MatchSettings
from damludo.play.ports import Clock
from damludo.play.settings import BoardSettings, PlaySettings
from damludo.play.setup import calibrate_eyes, fan_out, guarded_arm, machine_player, show_carriage
from damludo.play.simulated import SimulatedTable, layout_for, measured_map, set_table
from damludo.play.terminal import Terminal
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry
from damludo.robot.places import TableLayout
from damludo.robot.serial_line import SerialLine
from damludo.rules.errors import BadMove, IllegalMove
from damludo.rules.game import Game
from damludo.rules.moves import play
from damludo.rules.notation import parse_move, parse_squares
from damludo.rules.position import Colour, Piece
from damludo.rules.traits import Variant
from damludo.simulation.clock import PacedClock
from damludo.simulation.furnish import SPARE_DISCS
from damludo.simulation.gestures import gestures_to
from damludo.simulation.hand import Pace, SimulatedHand, Withdraw
from damludo.simulation.realtime import RealTime
from damludo.simulation.transport import PseudoTerminal
from damludo.vision.camera import open_source
from damludo.vision.content import BoardSizes, Content
from damludo.vision.frame import FrameSource


def play_simulated(variant: Variant, settings: PlaySettings, where: Folders, seed: int, speed: float) -> int:
    """Play in the terminal over the simulated table: typed moves are carried out by the simulated hand, and then seen."""
    human = Colour.WHITE if settings.machine == "black" else Colour.BLACK
    table = set_table(variant, seed, human)
    clock = PacedClock(table.world)
    hand = SimulatedHand(table.table, 1.0 if human is Colour.BLACK else -1.0, Pace(), np.random.default_rng((seed, 2)))
    table.world.add(hand)
    print(f"SIMULATION  {variant.names['en']}: you play {human.word}. Nothing real moves; pictures, camera and gantry are simulated.")
    with RealTime(table.world, speed), PseudoTerminal(table.controller, table.world) as port:
        source = table.camera(clock)

        def typed(terminal: Terminal, game: Callable[[], Game]) -> None:
            terminal.type_move = TypedMoves(table, hand, game)

        return _play(variant, settings, where, table.layout, source, SerialLine(port.path), clock, lambda g: measured_map(table, g), typed)


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
    profile = _gantry_profile(where, calibration)
    layout = layout_for(variant) if board == BoardSettings() else _layout_of(variant, board)
    line = SerialLine(port)
    with contextlib.closing(open_source(camera)) as source:
        return _play(variant, settings, where, layout, source, line, _wall_clock(), lambda _: profile.board, None, profile, white_at)
