"""Putting the parts of a match together: alike for a real table, the simulated one, and that behind real devices."""

from collections.abc import Callable
from dataclasses import dataclass

from damludo.calibration.board import set_up
from damludo.engine.levels import ladder_of, player_of_level
from damludo.engine.port import Limits, Player
from damludo.engine.search import AlphaBeta
from damludo.play.content import board_content, grid_of_board
from damludo.play.match.events import EventKind, Listener, MatchEvent
from damludo.play.match.ports import Clock, Eyes
from damludo.play.table.arm import GantryArm, HandGuard
from damludo.play.table.eyes import CameraEyes
from damludo.play.table.foresight import outlines_of_carriage
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry
from damludo.robot.machine import GantryLimits
from damludo.robot.places import TableLayout
from damludo.robot.planner import Handling, Planner
from damludo.rules.position import Position
from damludo.rules.traits import Variant
from damludo.vision.content import BoardSizes
from damludo.vision.frame import FrameSource
from damludo.vision.look import Look
from damludo.vision.squares import SquareReader
from damludo.vision.view import BoardView
from damludo.vision.watcher import BoardWatcher

CALIBRATION_FRAMES = 6
"""The board is looked for on this many pictures, which average the sensor's noise."""
HINT_NODES = 3_000
"""Positions that a hint is worth at least, whatever the machine's level; they need well below a second."""


@dataclass(frozen=True, slots=True)
class CalibratedEyes:
    """Eyes, and where they found the board.

    Attributes:
        white_at: the side of the picture where White's rank 1 lies.
        look: what squares and discs look like.
    """

    eyes: CameraEyes
    view: BoardView
    white_at: str
    look: Look


def calibrate_eyes(
    source: FrameSource,
    clock: Clock,
    variant: Variant,
    position: Position,
    sizes: BoardSizes,
    white_at: str | None = None,
) -> CalibratedEyes:
    """Find the board with the discs of a known position on it, and learn what they look like.

    Raises:
        BoardNotFound: it is not found, or does not look like the position; the sentence says what to do.
        CameraError: no pictures.
    """
    grid = grid_of_board(variant.board)
    frames = [source.read() for _ in range(CALIBRATION_FRAMES)]
    view, look, side = set_up(frames, grid, board_content(variant.board.playable, position), sizes, white_at)
    return eyes_with(source, clock, view, look, side)


def eyes_with(source: FrameSource, clock: Clock, view: BoardView, look: Look, white_at: str) -> CalibratedEyes:
    """Return eyes that know where the board is and what it looks like."""
    watcher = BoardWatcher(view, SquareReader(view, look), lambda moved: SquareReader(moved, look))
    return CalibratedEyes(CameraEyes(source, watcher, clock), view, white_at, look)


def planner_over(board: GantryMap, limits: GantryLimits, layout: TableLayout) -> Planner:
    """Return a planner that parks the beam out of the picture.

    Raises:
        OutOfReach: the board lies too high or too low for the gantry.
    """
    # Home lies beyond the board's far edge: with y at home the beam is out of the picture, wherever x is.
    middle = board.to_gantry(0.5 * layout.width_mm, 0.5 * layout.height_mm)
    park_mm = (middle.x_mm, limits.low_mm[1])
    return Planner(board, limits, Handling(disc_height_mm=layout.disc_height_mm), park_mm)


def guarded_arm(
    gantry: Gantry,
    board: GantryMap,
    layout: TableLayout,
    eyes: Eyes,
    clock: Clock,
    listener: Listener,
    overruled: Callable[[], bool],
) -> tuple[GantryArm, HandGuard]:
    """Return an arm that waits for hands, and its guard; `overruled` as in `HandGuard`.

    Raises:
        OutOfReach: the board does not lie within the gantry's travel.
    """

    def told(clear: bool) -> None:
        text = "Thank you, I go on." if clear else "I wait: take your hand off the board. If none is there, say 'go'."
        listener(MatchEvent(EventKind.WAITING_FOR_HAND, clock.now_s(), text, {"clear": clear}))

    guard = HandGuard(eyes, told, overruled)
    return GantryArm(gantry, planner_over(board, gantry.limits, layout), guard), guard


def show_carriage(
    seen: CalibratedEyes, guard: HandGuard, board: GantryMap, clock: Clock, *, hurried: bool = False
) -> None:
    """Let the eyes know where the carriage is, so that they do not take it for a hand; `hurried` as in `outlines_of_carriage`."""
    seen.eyes.ignore = outlines_of_carriage(guard, board, lambda: seen.eyes.view, clock.now_s, hurried=hurried)


def machine_player(level: int, seed: int) -> Player:
    """Return the engine at a level."""
    return player_of_level(level, seed)


def adviser(game: Variant, level: int) -> Player:
    """Return who chooses the moves of hints: it sees as much as the machine at a level, and misjudges nothing."""
    return AlphaBeta(Limits(nodes=max(HINT_NODES, ladder_of(game)[level - 1].nodes)))
