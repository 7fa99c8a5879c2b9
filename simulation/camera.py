"""A camera that looks at the simulated table.

The picture for the documentation is made by `python -m damludo.simulation.camera PATH`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.simulation.clock import World
from damludo.simulation.disturbance import Disturbance
from damludo.simulation.optics import Float, Optics, Pose
from damludo.simulation.render_disc import DiscPainter, Lying, Part, overlap
from damludo.simulation.render_gantry import GantryPainter
from damludo.simulation.render_ground import set_stage
from damludo.simulation.render_hand import HandPainter
from damludo.simulation.table import Carriage, Hand, Table
from damludo.vision.clock import Clock
from damludo.vision.frame import Frame, Image

FRAME_S = 1 / 30
"""Time between two frames."""
NOISE_MARGIN = 64
"""The noise tile is this much larger than the picture, so that it can be shifted."""
NOISE_TILES = 2
GRIP_MM = 6.0
"""The finger tips are this much above the lower side of the disc that they hold."""


@dataclass(frozen=True, slots=True)
class _Scene:
    """What of the table can be seen, copied in one moment."""

    lying: tuple[Lying, ...]
    in_hand: Lying | None
    on_magnet: Lying | None
    carriage: Carriage
    hand: Hand


@dataclass(frozen=True, eq=False, slots=True)
class _Still:
    """The table with the discs that lie on it, before and after the blur of the lens."""

    lying: tuple[Lying, ...]
    rails: bool
    sharp: Image
    blurred: Image


@dataclass(frozen=True, eq=False, slots=True)
class _UnderGantry:
    """The same with the gantry above it."""

    still: _Still
    carriage: Carriage
    on_magnet: Lying | None
    sharp: Image
    blurred: Image


class SimulatedCamera:
    """A `FrameSource` that draws the table as it is.

    Args:
        table: what it looks at.
        clock: its time; `read` waits on it.
        optics: where it stands and what it sees like.
        world: if given, the table is read under its lock.
        disturbances: of the light and of the camera itself, in the order in which they act.

    Attributes:
        disturbances: the same; may be changed between two frames.
    """

    def __init__(
        self,
        table: Table,
        clock: Clock,
        optics: Optics,
        world: World | None = None,
        disturbances: Sequence[Disturbance] = (),
    ) -> None:
        self._table, self._clock, self._world = table, clock, world
        self.disturbances = list(disturbances)
        self._stand(optics)
        self._noise = _noise_tiles(optics.noise_sigma, optics.width, optics.height)
        self._number = 0
        self._last_s: float | None = None

    def _stand(self, optics: Optics) -> None:
        """Look from where these optics are."""
        layout = self._table.layout
        stage = set_stage(optics, layout)
        self._optics = optics
        self.pose: Pose = stage.pose
        self._empty = stage.empty
        self._discs = DiscPainter(optics, stage.pose, layout, stage.light)
        self._hand = HandPainter(optics, stage.pose, stage.light)
        self._gantry = GantryPainter(optics, stage.pose, layout, stage.light)
        self._still: _Still | None = None
        self._under_gantry: _UnderGantry | None = None
        self._rails: Image | None = None

    @property
    def optics(self) -> Optics:
        """Where the camera stands, and what it sees like."""
        return self._optics

    def read(self) -> Frame:
        """Return the table as it is now; waits until 1/30 s after the last frame."""
        if self._last_s is not None:
            self._clock.sleep(self._last_s + FRAME_S - self._clock.now_s())
        now_s = self._clock.now_s()
        self._take_bumps(now_s)
        scene = self._look(self._table)
        self._last_s, number = now_s, self._number
        self._number += 1
        picture = self._compose(scene)
        for disturbance in self.disturbances:
            picture = disturbance.over(picture, now_s)
        return Frame(self._develop(picture, number), now_s, number)

    def _take_bumps(self, now_s: float) -> None:
        """Stand where the last bump that is over left the camera."""
        bumps = [d.bumped for d in self.disturbances if d.bumped is not None and d.start_s <= now_s]
        if bumps and bumps[-1] != self._optics:
            self._stand(bumps[-1])

    def close(self) -> None:
        """Do nothing: there is no device."""

    def render(self, table: Table, number: int = 0) -> Image:
        """Return a picture of a table that has this camera's layout, with the noise of frame `number`."""
        return self._develop(self._compose(self._look(table)), number)

    def project(self, points_mm: Float) -> Float:
        """Carry points of the board frame, shape (n, 3) in mm, into the picture, shape (n, 2) in px: the truth."""
        return self.pose.project(np.asarray(points_mm, dtype=np.float64).reshape(-1, 3))

    def corners_px(self) -> Float:
        """Return where the playing field's outer corners are: at a1, the last file, opposite, the last rank; (4, 2)."""
        width, height = self._table.layout.width_mm, self._table.layout.height_mm
        return self.project(np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]], np.float64))

    def _look(self, table: Table) -> _Scene:
        if self._world is None:
            return _copy(table)
        with self._world.lock:
            return _copy(table)

    def _draw_still(self, scene: _Scene) -> _Still:
        """Return the table with the discs that lie on it; where only a few changed, only they are drawn again."""
        still, rails = self._still, scene.carriage.present
        if still is not None and still.lying == scene.lying and still.rails == rails:
            return still
        same = still is not None and still.rails == rails
        part = self._discs.touched(still.lying, scene.lying) if still is not None and same else None
        empty = self._empty_with_rails() if rails else self._empty
        if still is None or part is None:
            canvas = empty.copy()
            self._discs.paint_lying(canvas, empty, scene.lying, (0, 0, canvas.shape[1], canvas.shape[0]))
            blurred = self._blur(canvas)
        else:
            canvas = still.sharp.copy()
            self._discs.paint_lying(canvas, empty, scene.lying, part)
            blurred = self._through_lens(canvas, still.blurred, [part])
        self._still = _Still(scene.lying, rails, canvas, blurred)
        return self._still

    def _empty_with_rails(self) -> Image:
        if self._rails is None:
            self._rails = self._empty.copy()
            self._gantry.paint_rails(self._rails)
        return self._rails

    def _draw_gantry(self, scene: _Scene) -> _Still | _UnderGantry:
        """Return the table under the gantry; a gantry at rest is drawn once."""
        still, carriage = self._draw_still(scene), scene.carriage
        kept = self._under_gantry
        if kept is None or kept.still is not still or (kept.carriage, kept.on_magnet) != (carriage, scene.on_magnet):
            part = self._gantry.touched(carriage) if carriage.present else None
            if part is None:
                return still
            canvas = still.sharp.copy()
            self._gantry.shade(canvas, carriage, part)
            parts = [part]
            if scene.on_magnet is not None:
                held = self._discs.paint_moving(canvas, scene.on_magnet)
                parts += [] if held is None else [held]
            self._gantry.paint(canvas, carriage)
            blurred = self._through_lens(canvas, still.blurred, parts)
            kept = self._under_gantry = _UnderGantry(still, carriage, scene.on_magnet, canvas, blurred)
        return kept

    def _compose(self, scene: _Scene) -> Image:
        """Return the picture without noise; it may be one that is kept."""
        base = self._draw_gantry(scene)
        if not scene.hand.present:
            return base.blurred
        canvas = base.sharp.copy()
        parts = [self._hand.shade(canvas, scene.hand)]
        if scene.in_hand is not None:
            parts.append(self._discs.paint_moving(canvas, scene.in_hand))
        parts.append(self._hand.paint(canvas, scene.hand))
        touched = [part for part in parts if part is not None]
        beam = self._gantry.touched(scene.carriage, shadow=False) if scene.carriage.present else None
        if beam is not None and any(overlap(beam, part) for part in touched):
            # The beam is above the hand.
            self._gantry.paint(canvas, scene.carriage)
        return self._through_lens(canvas, base.blurred, touched)

    def _through_lens(self, canvas: Image, before: Image, parts: list[Part]) -> Image:
        """Return a blurred picture with the changed parts of a sharp canvas, seen through the lens, put in."""
        picture = before.copy()
        edge = int(np.ceil(4 * self._optics.blur_px)) + 1
        height, width = canvas.shape[:2]
        for x0, y0, x1, y1 in _joined(parts):
            left, above = max(x0 - edge, 0), max(y0 - edge, 0)
            right, below = min(x1 + edge, width), min(y1 + edge, height)
            # Only what lies an edge inside the window is exact; the window is an edge larger than what changed.
            wide_left, wide_above = max(left - edge, 0), max(above - edge, 0)
            window = canvas[wide_above : min(below + edge, height), wide_left : min(right + edge, width)]
            soft = self._blur(window)
            picture[above:below, left:right] = soft[
                above - wide_above : below - wide_above, left - wide_left : right - wide_left
            ]
        return picture

    def _blur(self, image: Image) -> Image:
        if self._optics.blur_px <= 0:
            return image
        return np.asarray(cv2.GaussianBlur(image, (0, 0), self._optics.blur_px), dtype=np.uint8)

    def _develop(self, picture: Image, number: int) -> Image:
        """Add the noise of one frame and the camera's own compression."""
        if self._optics.noise_sigma > 0:
            random = np.random.default_rng([self._optics.seed, number, 0xF7A3E])
            tile = self._noise[int(random.integers(NOISE_TILES))]
            y, x = (int(at) for at in random.integers(NOISE_MARGIN + 1, size=2))
            height, width = picture.shape[:2]
            grain = tile[y : y + height, x : x + width]
            picture = np.asarray(cv2.add(picture, grain, dtype=cv2.CV_8U), dtype=np.uint8)
        if self._optics.jpeg_quality > 0:
            _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, self._optics.jpeg_quality])
            picture = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)
        kept = self._optics.noise_sigma <= 0 and self._optics.jpeg_quality <= 0
        return picture.copy() if kept else picture


def _joined(parts: list[Part]) -> list[Part]:
    """Return one rectangle around all parts that overlap the others, so that no pixel is blurred from two windows."""
    boxes = list(parts)
    for k in range(len(boxes) - 1, 0, -1):
        for other in range(k):
            if overlap(boxes[k], boxes[other]):
                boxes[other] = _around(boxes[k], boxes[other])
                del boxes[k]
                break
    return boxes


def _around(a: Part, b: Part) -> Part:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _copy(table: Table) -> _Scene:
    hand = table.hand
    lying: list[Lying] = []
    in_hand = on_magnet = None
    for disc in table.discs:
        seen = Lying(disc.number, disc.colour, disc.x_mm, disc.y_mm, disc.z_mm)
        if disc.held_by is None:
            lying.append(seen)
        elif disc.held_by == "carriage":
            on_magnet = seen
        else:
            in_hand = replace(seen, x_mm=hand.x_mm, y_mm=hand.y_mm, z_mm=max(hand.z_mm - GRIP_MM, 0.0))
    return _Scene(tuple(lying), in_hand, on_magnet, replace(table.carriage), replace(hand))


@lru_cache(maxsize=4)
def _noise_tiles(sigma: float, width: int, height: int) -> tuple[NDArray[np.int16], ...]:
    # Rounding to whole grey levels adds a variance of 1/12.
    strength = np.float32(np.sqrt(max(sigma * sigma - 1 / 12, 0.0)))
    return tuple(np.rint(tile * strength).astype(np.int16) for tile in _unit_noise(width, height))


@lru_cache(maxsize=2)
def _unit_noise(width: int, height: int) -> tuple[NDArray[np.float32], ...]:
    """Sensor noise: every pixel its own, and a little of it as blotches of colour, as cheap webcams have."""
    random = np.random.default_rng(0x4015E)
    size = (height + NOISE_MARGIN, width + NOISE_MARGIN)
    tiles = []
    for _ in range(NOISE_TILES):
        grey = random.standard_normal((*size, 1), dtype=np.float32)
        colour = random.standard_normal((*size, 3), dtype=np.float32)
        blotch = np.asarray(cv2.GaussianBlur(np.roll(colour, 101, axis=0), (0, 0), 2.0), dtype=np.float32)
        blotch /= blotch.std()
        tiles.append(np.float32(0.74) * grey + np.float32(0.59) * colour + np.float32(0.32) * blotch)
    return tuple(tiles)
