"""What a match is played with: the parts of a real table, or of the simulated one behind a real serial port."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from damludo.calibration.profile import is_camera_profile
from damludo.play.calibration.known_camera import KnownCamera, known_camera
from damludo.play.calibration.pictures import setting_notes, settled
from damludo.play.clock import WallClock
from damludo.play.console import note
from damludo.play.content import layout_for
from damludo.play.folders import Folders
from damludo.play.gantry.devices import profile_of_port
from damludo.play.match.choreography import Racks
from damludo.play.match.ports import Clock, NewGame
from damludo.play.match.setting_up import SPARE_RACKS
from damludo.play.page.pictures import table_json
from damludo.play.records.record import Record
from damludo.play.settings import BoardSettings
from damludo.play.table.simulated import measured_map, set_table
from damludo.play.table.typed_moves import TypedMoves
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry
from damludo.robot.places import TableLayout
from damludo.robot.serial_line import SerialLine
from damludo.rules.game import Game
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.rules.variants import variant
from damludo.simulation.clock import PacedClock
from damludo.simulation.guided import GuidedHand
from damludo.simulation.realtime import RealTime
from damludo.simulation.transport import PseudoTerminal
from damludo.vision.camera import open_source
from damludo.vision.frame import FrameSource


@dataclass(frozen=True, slots=True)
class Sitting:
    """What is to be played: a game that begins, or one that was cut off (`record`)."""

    wanted: NewGame
    record: Record | None = None

    @classmethod
    def going_on(cls, record: Record) -> "Sitting":
        """Return the sitting that goes on with a stored game."""
        return cls(NewGame(record.game.variant.key, record.level, record.machine, record.clock), record)

    @property
    def variant(self) -> Variant:
        """What is played."""
        return variant(self.wanted.game)

    @property
    def human(self) -> Colour:
        """The person's side."""
        return self.wanted.machine.other

    @property
    def game(self) -> Game:
        """The game as far as it was played."""
        return Game.new(self.variant) if self.record is None else self.record.game

    @property
    def racks(self) -> Racks:
        """Discs that are believed to lie in the racks."""
        return SPARE_RACKS if self.record is None else self.record.racks


@dataclass(frozen=True, slots=True)
class TableParts:
    """What a match is played with.

    Attributes:
        board_map: gives the map from board to gantry, once the gantry has told its settings.
        white_at: the side of the picture where White's rank 1 lies, None: found from the start position.
        typed, guided: carry out what is typed, or led on the page, where there is no hand; None on a real table.
        time: lets a simulated table live; None on a real one.
        truth: tells the page where the things of a simulated table are; None on a real one.
        about: what the journal tells of the table.
        known: the camera's profile, None if it was never calibrated.
        ponders: the machine may think while the person does; not at a simulated table, which plays the same game again.
    """

    layout: TableLayout
    source: FrameSource
    gantry: Gantry
    clock: Clock
    board_map: Callable[[Gantry], GantryMap]
    white_at: str | None = None
    typed: TypedMoves | None = None
    guided: GuidedHand | None = None
    time: RealTime | None = None
    truth: Callable[[], Mapping[str, Any]] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    known: KnownCamera | None = None
    ponders: bool = False


@contextlib.contextmanager
def simulated_parts(sitting: Sitting, seed: int, speed: float, controller: str = "python") -> Iterator[TableParts]:
    """The simulated table, at the pace of the clock on the wall, its controller behind a pseudo-terminal."""
    table = set_table(sitting.variant, seed, sitting.human, controller, sitting.game.position, sitting.racks)
    clock = PacedClock(table.world)
    typed = TypedMoves(table)
    guided = GuidedHand(typed.hand, table.table)
    table.world.add(guided)
    typed.led_elsewhere = lambda: guided.in_charge
    with (
        contextlib.closing(table.controller),
        RealTime(table.world, speed) as living,
        PseudoTerminal(table.controller, table.world) as port,
        Gantry(SerialLine(port.path), GRBL, clock) as gantry,
    ):
        yield TableParts(
            table.layout,
            table.camera(clock),
            gantry,
            clock,
            lambda gantry: measured_map(table, gantry),
            typed=typed,
            guided=guided,
            time=living,
            truth=lambda: table_json(table.table, table.world.lock),
            about={"simulated": {"seed": seed, "controller": controller}},
        )


@contextlib.contextmanager
def real_parts(
    sitting: Sitting,
    where: Folders,
    board: BoardSettings,
    camera: str,
    port: str,
    calibration: Sequence[str],
    white_at: str | None,
    ponders: bool = True,
) -> Iterator[TableParts]:
    """A real table: a camera and a controller on a serial port, and the profiles of both; those given count."""
    of_camera = [Path(file) for file in calibration if is_camera_profile(Path(file))]
    of_gantry = [Path(file) for file in calibration if Path(file) not in of_camera]
    profile = profile_of_port(port, where, of_gantry[-1] if of_gantry else None)
    known = known_camera(camera, sitting.variant, where, of_camera[-1] if of_camera else None)
    clock = WallClock()
    layout = layout_for(sitting.variant, board.square_mm, board.disc_diameter_mm, board.disc_height_mm)
    with (
        contextlib.closing(open_source(camera, clock=clock)) as source,
        Gantry(SerialLine(port), GRBL, clock, profile.machine) as gantry,
    ):
        for sentence in setting_notes(settled(source)):
            note(f"Note: {sentence}.")
        yield TableParts(layout, source, gantry, clock, lambda _: profile.board, white_at, known=known, ponders=ponders)


OpenTable = Callable[[Sitting], contextlib.AbstractContextManager[TableParts]]
"""Opens a table for what is to be played."""
