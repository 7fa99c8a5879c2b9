"""Whole games in simulated time: one thread, one virtual clock, everything of a game drawn from its seed."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np

from damludo.calibration.gantry import GantryFit, PointPair, fit_gantry
from damludo.play.console import ExitCode, counted, note, print_json
from damludo.play.content import board_content, grid_of_board, layout_for
from damludo.play.match.choreography import Racks
from damludo.play.match.events import Listener, fan_out
from damludo.play.match.loop import Match
from damludo.play.match.orders import OrderTray
from damludo.play.match.ports import Clock, Eyes
from damludo.play.match.setting_up import SPARE_RACKS
from damludo.play.match.settings import MatchSettings
from damludo.play.match.touching import TouchMode, TouchRule
from damludo.play.records.journal import open_journal
from damludo.play.records.record import SUFFIX, Record
from damludo.play.table.eyes_again import find_again
from damludo.play.table.faults import PlannedFault, SuffersFaults
from damludo.play.table.humans import HumanSpec, hearing, seated_human
from damludo.play.table.score import Score, Scorekeeper
from damludo.play.table.setup import (
    CalibratedEyes,
    calibrate_eyes,
    guarded_arm,
    machine_player,
    show_carriage,
)
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry
from damludo.robot.places import TableLayout
from damludo.rules.game import Game
from damludo.rules.position import Colour, Position
from damludo.rules.traits import Variant
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.controllers import make_controller
from damludo.simulation.furnish import furnished_table
from damludo.simulation.gantry import CLEARANCE_MM, SimulatedGantry, stand_beside
from damludo.simulation.human import ScriptedHuman
from damludo.simulation.optics import Optics
from damludo.simulation.readings import ModelledEyes
from damludo.simulation.table import DiscColour, Table
from damludo.simulation.transport import MemoryLine, Peer
from damludo.vision.content import BoardSizes
from damludo.vision.frame import FrameSource

PATIENCE_S = 240.0
"""Simulated time without progress after which a game counts as not finished."""


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """What is simulated; `modelled` replaces picture and reading by a noisy model, `controller` is one of `CONTROLLERS`, `faults`
    act on the camera of every game."""

    variant: Variant
    seed: int
    human: HumanSpec
    level: int
    modelled: bool = False
    journals: Path | None = None
    controller: str = "python"
    faults: tuple[PlannedFault, ...] = ()


@dataclass(frozen=True, slots=True)
class SimulatedTable:
    """The simulated world of one game: everything that is not the product."""

    variant: Variant
    world: World
    table: Table
    controller: Peer
    mechanics: SimulatedGantry
    optics: Optics
    layout: TableLayout
    human_colour: Colour

    def camera(self, clock: Clock | None = None) -> SimulatedCamera:
        """Return a camera that looks at the table, on the world's own time or on another clock."""
        return SimulatedCamera(self.table, clock or LockstepClock(self.world), self.optics, self.world)


def set_table(
    variant: Variant,
    seed: int,
    human: Colour,
    controller: str = "python",
    position: Position | None = None,
    racks: Racks = SPARE_RACKS,
) -> SimulatedTable:
    """Return a table with a game set up, a gantry beside it and a camera above the human's side.

    Args:
        variant, seed, human: the game, what is drawn by chance, the human's side.
        controller: one of `simulation.controllers.CONTROLLERS`; whoever takes another than "python" must close it.
        position, racks: what stands on the board (None: the start position) and lies in the racks.

    Raises:
        ToolMissing: what this controller is made of is not on this computer.
    """
    world, layout = World(), layout_for(variant)
    random = np.random.default_rng((seed, 1))
    content = board_content(variant.board.playable, position or variant.start)
    table = furnished_table(layout, content, (racks.white, racks.black), random)
    at_black = human is Colour.BLACK
    mechanics = SimulatedGantry(table, stand_beside(layout, seed, at_black), seed=seed)
    peer = make_controller(controller, mechanics, mechanics.geometry.settings)
    world.add(peer)
    optics = Optics.seeded(seed, DiscColour.BLACK if at_black else DiscColour.WHITE)
    return SimulatedTable(variant, world, table, peer, mechanics, optics, layout, human)


def measured_map(simulated: SimulatedTable, gantry: Gantry) -> GantryMap:
    """Return the map of `measured_fit`."""
    return measured_fit(simulated, gantry).board


def measured_fit(simulated: SimulatedTable, gantry: Gantry) -> GantryFit:
    """Return what a person measures who jogs the magnet over nine crossings and down to the board."""
    layout = simulated.layout
    board = [(x * layout.width_mm, y * layout.height_mm) for x in (0.0, 0.5, 1.0) for y in (0.0, 0.5, 1.0)]
    surface = gantry.machine.from_machine((0.0, 0.0, -CLEARANCE_MM)).z_mm
    pairs = []
    for (x, y), (machine_x, machine_y) in zip(board, simulated.mechanics.measured_points(board), strict=True):
        point = gantry.machine.from_machine((float(machine_x), float(machine_y), 0.0))
        pairs.append(PointPair(x, y, point.x_mm, point.y_mm))
    return fit_gantry(pairs, surface_z_mm=surface)


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """One simulated game."""

    finished: bool
    result: str | None
    score: Score
    simulated_seconds: float
    faults: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class SeatedGame:
    """A simulated game that is ready to be run; who is added to `listeners` hears it too, the first one first.

    Attributes:
        seen: where the eyes found the board; None where readings are modelled.
        suffering: the camera that suffers the faults that were asked for, if some were.
    """

    match: Match
    human: ScriptedHuman
    simulated: SimulatedTable
    keeper: Scorekeeper
    clock: LockstepClock
    listeners: list[Listener]
    seen: CalibratedEyes | None
    suffering: SuffersFaults | None = None


@contextlib.contextmanager
def seated_game(
    options: SimulationOptions,
    number: int,
    record: Record | None = None,
    disturb: Callable[[SimulatedTable], None] = lambda _: None,
) -> Iterator[SeatedGame]:
    """Seat machine and scripted person at a simulated table for game `number` (from 0) of a run.

    Args:
        options, number: what is drawn by chance, and how; colours change from game to game.
        record: a game that goes on; None for one that begins.
        disturb: may change the table before anybody looks at it.
    """
    seed = options.seed * 10_007 + number
    variant = options.variant
    human_colour = Colour.WHITE if number % 2 == 0 else Colour.BLACK
    game, racks, cut_off = Game.new(variant), SPARE_RACKS, None
    if record is not None:
        human_colour, game, racks, cut_off = record.machine.other, record.game, record.racks, record.cut_off
    simulated = set_table(variant, seed, human_colour, options.controller, game.position, racks)
    disturb(simulated)
    clock = LockstepClock(simulated.world)
    with contextlib.ExitStack() as stack:
        stack.callback(simulated.controller.close)
        gantry = stack.enter_context(Gantry(MemoryLine(simulated.world, simulated.controller), GRBL, clock))
        gantry.connect()
        gantry.home()
        board = measured_map(simulated, gantry)
        human = seated_human(simulated.table, game, human_colour, options.human, seed)
        simulated.world.add(human)
        orders = OrderTray()
        listeners: list[Listener] = [hearing(human, variant, human_colour, orders.put)]
        listener = fan_out(listeners)
        suffering = SuffersFaults(simulated.camera(), clock, options.faults) if options.faults else None
        eyes, seen = _eyes(options, simulated, clock, seed, game, record, suffering)
        arm, guard = guarded_arm(gantry, board, simulated.layout, eyes, clock, listener, human.says_go)
        if seen is not None:
            show_carriage(seen, guard, board, clock)
        settings = MatchSettings(
            game,
            human_colour.other,
            simulated.layout,
            racks,
            PATIENCE_S,
            touch=_touch_rule(seen, record),
            cut_off=cut_off,
            earlier=() if record is None else record.course.earlier,
        )
        match = Match(settings, eyes, machine_player(options.level, seed), arm, clock, orders, listener)
        keeper = Scorekeeper(simulated.table, human, lambda: match.game)
        listeners.insert(0, keeper)
        if suffering is not None:
            listeners.append(lambda _: suffering.plies_made(len(match.game.moves)))
        yield SeatedGame(match, human, simulated, keeper, clock, listeners, seen, suffering)


def play_game(options: SimulationOptions, number: int) -> PlayedGame:
    """Play game `number` (from 0) of a run; colours change from game to game."""
    with contextlib.ExitStack() as stack:
        seated = stack.enter_context(seated_game(options, number))
        if options.journals is not None:
            name = f"{options.variant.key}-{options.seed}-{number + 1}{SUFFIX}"
            journal = stack.enter_context(contextlib.closing(open_journal(options.journals / name)))
            seated.listeners.insert(0, journal)
        result = seated.match.run()
    text = result.text if result else None
    faults = seated.suffering.told() if seated.suffering is not None else {}
    return PlayedGame(result is not None, text, seated.keeper.finish(), seated.clock.now_s(), faults)


def _eyes(
    options: SimulationOptions,
    simulated: SimulatedTable,
    clock: LockstepClock,
    seed: int,
    game: Game,
    record: Record | None,
    suffering: SuffersFaults | None,
) -> tuple[Eyes, CalibratedEyes | None]:
    variant, layout = options.variant, simulated.layout
    if options.modelled:
        random = np.random.default_rng((seed, 4))
        return ModelledEyes(simulated.table, clock, grid_of_board(variant.board), random), None
    sizes = BoardSizes(layout.square_mm, layout.disc_diameter_mm, layout.disc_height_mm)
    camera: FrameSource = simulated.camera() if suffering is None else suffering.source
    if record is None:
        seen = calibrate_eyes(camera, clock, variant, game.position, sizes)
    else:
        seen = find_again(camera, clock, game, sizes, record.camera_path)
    return seen.eyes, seen


def _touch_rule(seen: CalibratedEyes | None, record: Record | None) -> TouchRule:
    """Return the rule as `play` has it; modelled readings tell of no touches."""
    if seen is None:
        return TouchRule()
    return TouchRule(TouchMode.ASK, seen.eyes.touches, None if record is None else record.agreed)


def simulate(options: SimulationOptions, games: int, as_json: bool) -> int:
    """Play games one after the other and print the counts."""
    cv2.setNumThreads(1)  # CPU seconds mean something, and a run is the same on every machine
    total, finished, simulated_seconds, begin = Score(), 0, 0.0, time.process_time()
    faults: dict[str, dict[str, int]] = {}
    for number in range(games):
        played = play_game(options, number)
        total.add(played.score)
        finished += played.finished
        simulated_seconds += played.simulated_seconds
        for name, counts in played.faults.items():
            sums = faults.setdefault(name, dict.fromkeys(counts, 0))
            for what, count in counts.items():
                sums[what] += count
        note(
            f"game {number + 1} of {games}: {counted(played.score.plies, 'ply', 'plies')}, {played.result or 'not finished'}"
        )
    document = {
        "game": options.variant.key,
        "games": games,
        "finished": finished,
        **asdict(total),
        "faults": faults,
        "camera": "readings" if options.modelled else "rendered",
        "controller": options.controller,
        "cpu_seconds": round(time.process_time() - begin, 2),
        "simulated_seconds": round(simulated_seconds, 1),
    }
    if as_json:
        print_json(document)
    else:
        for name, value in document.items():
            print(f"{name:>18}  {value if value != {} else 'none'}")
    return ExitCode.FINE
