"""What `damludo bench vision` measures: setting up on random views of the simulated table, and the time of a reading."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from damludo.calibration.board import set_up
from damludo.calibration.errors import CalibrationError
from damludo.calibration.quality import pose_quality, require_good
from damludo.play.content import board_content, grid_of_board, layout_for
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.furnish import furnished_table
from damludo.simulation.optics import Optics
from damludo.simulation.table import DiscColour
from damludo.vision.content import BoardSizes
from damludo.vision.errors import VisionError
from damludo.vision.labels import rows_of_content
from damludo.vision.sides import SIDES
from damludo.vision.squares import SquareReader
from damludo.vision.view import BoardView

FIRST_SEED = 910_000
"""Views from here on were not looked at during development."""
MOST_TILT_DEG = 40.0
CORNER_SQUARES = 0.05
"""A set-up whose worst corner is off by more than this is wrong."""
FRAMES = 4
READINGS = 30
READING_BARS_MS = {(640, 480): 12.0, (1280, 720): 25.0}
"""What a whole reading may take, heights included, by the size of the picture."""


@dataclass(frozen=True, slots=True)
class View:
    """The outcome of setting up on one random view.

    Attributes:
        key: the game.
        refused: the sentence with which it was refused; "" if it was accepted.
        corner_squares: error of the worst corner, NaN if refused; infinite if the board was taken for a turned one.
        cpu_s: processor time of the set-up.
    """

    seed: int
    key: str
    tilt_deg: float
    refused: str
    corner_squares: float
    cpu_s: float

    @property
    def right(self) -> bool:
        """Accepted, and within `CORNER_SQUARES`."""
        return not self.refused and self.corner_squares <= CORNER_SQUARES


def random_view(
    variant: Variant, seed: int, size: tuple[int, int] = (640, 480)
) -> tuple[SimulatedCamera, Optics, BoardSizes]:
    """Return a camera over a table with the start position: tilt 6 to 40 degrees, everything else by the committed difficulty."""
    layout = layout_for(variant)
    start = board_content(variant.board.playable, variant.start)
    table = furnished_table(layout, start, 4, np.random.default_rng(seed))
    table.carriage.present = False
    side = DiscColour.WHITE if seed % 2 == 0 else DiscColour.BLACK
    tilt = math.radians(np.random.default_rng([seed, 77]).uniform(6.0, MOST_TILT_DEG))
    optics = replace(Optics.seeded(seed, side, *size), tilt=tilt)
    sizes = BoardSizes(layout.square_mm, layout.disc_diameter_mm, layout.disc_height_mm)
    return SimulatedCamera(table, LockstepClock(World()), optics), optics, sizes


def set_up_on(variant: Variant, seed: int) -> View:
    """Set up on one random view, without help, and compare with the truth."""
    camera, optics, sizes = random_view(variant, seed)
    frames = [camera.read() for _ in range(FRAMES)]
    grid, start = grid_of_board(variant.board), board_content(variant.board.playable, variant.start)
    refused, corner = "", math.nan
    begin = time.process_time()
    try:
        view, _, side = set_up(frames, grid, start, sizes)
        require_good(pose_quality(view, [frames[0].image]))
    except (VisionError, CalibrationError) as error:
        refused = str(error)
    cpu_s = time.process_time() - begin
    if not refused:
        true_side = SIDES[0] if optics.side is DiscColour.WHITE else SIDES[2]
        # A start position that is its own half turn may be set up from either side.
        either = rows_of_content(start, grid, side) == rows_of_content(start, grid, true_side)
        corner = _worst_corner(view, camera, either)
    return View(seed, variant.key, math.degrees(optics.tilt), refused, corner, cpu_s)


def _worst_corner(view: BoardView, camera: SimulatedCamera, either_side: bool) -> float:
    truth, seen = camera.corners_px(), view.project(view.outer_corners_mm())
    lines = view.grid.lines
    perimeter = float(np.linalg.norm(truth - np.roll(truth, 1, axis=0), axis=1).sum())
    square_px = perimeter / (2 * (view.grid.columns + view.grid.rows - 2 * lines))
    errors = [float(np.linalg.norm(np.roll(seen, turn, axis=0) - truth, axis=1).max()) / square_px for turn in range(4)]
    best = min(range(4), key=lambda turn: errors[turn])
    return errors[best] if best == 0 or (either_side and best == 2) else math.inf


def views(count: int, first_seed: int = FIRST_SEED) -> Iterator[View]:
    """Set up on random views of all games in turn."""
    games = list(VARIANTS.values())
    for number in range(count):
        yield set_up_on(games[number % len(games)], first_seed + number)


def reading_ms(key: str, size: tuple[int, int]) -> tuple[float, float]:
    """Return the processor time of reading a game's start position, in ms: without heights, with them."""
    variant = VARIANTS[key]
    camera, _, sizes = random_view(variant, FIRST_SEED, size)
    frames = [camera.read() for _ in range(2)]
    start = board_content(variant.board.playable, variant.start)
    view, look, _ = set_up(frames, grid_of_board(variant.board), start, sizes)
    flat, high = (SquareReader(view, chosen) for chosen in (replace(look, stack=None), look))
    return _least_ms(flat, frames[0].image), _least_ms(high, frames[0].image)


def _least_ms(reader: SquareReader, image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> float:
    """Return the least of many: the others tell what else the machine had to do."""
    reader.read(image)
    least = math.inf
    for _ in range(READINGS):
        begin = time.process_time()
        reader.read(image)
        least = min(least, time.process_time() - begin)
    return 1000 * least


def calibration_figures(count: int) -> list[tuple[str, float, str, float | None, bool]]:
    """Measure; return name, value, unit, promise (None without one), and whether the promise is an upper bound."""
    cv2.setNumThreads(1)
    seen = list(views(count))
    accepted = [view for view in seen if not view.refused]
    corners = [view.corner_squares for view in accepted] or [math.nan]
    times = sorted(view.cpu_s for view in seen)
    rows: list[tuple[str, float, str, float | None, bool]] = [
        ("views set up", len(seen), "views", None, False),
        ("set up without help", 100 * sum(view.right for view in seen) / len(seen), "%", 97.0, False),
        ("refused", sum(bool(view.refused) for view in seen), "views", None, True),
        ("wrong and accepted", sum(not view.right for view in accepted), "views", 0.0, True),
        ("worst corner, median", float(np.median(corners)), "square", None, True),
        ("worst corner, largest", max(corners), "square", CORNER_SQUARES, True),
        ("set-up, median", times[len(times) // 2], "s", 2.0, True),
        ("set-up, slowest", times[-1], "s", 2.0, True),
    ]
    for size, bar in READING_BARS_MS.items():
        for key in ("english", "international"):
            plain, full = reading_ms(key, size)
            name = f"reading {size[0]}x{size[1]} {key}"
            rows.append((f"{name}, no heights", plain, "ms", bar, True))
            rows.append((name, full, "ms", bar, True))
    return rows
