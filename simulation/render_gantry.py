"""The gantry above the board: a beam along x that travels along y, a head on it, a rod with the magnet."""

import itertools
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.robot.places import TableLayout
from damludo.simulation.optics import Bgr, Float, Optics, Pose
from damludo.simulation.render_disc import Part
from damludo.simulation.render_ground import Light
from damludo.simulation.render_texture import rack_box
from damludo.simulation.table import Carriage, DiscColour
from damludo.vision.frame import Image

BEAM_MM = 120.0
"""Height of the beam's lower side above the board."""
BEAM_SIDE_MM = 20.0
RAIL_GAP_MM = 45.0
"""From the racks' outer edges to the rails that the beam runs on."""
PIECES = 6
"""The beam is drawn in this many pieces, so that it bends with the lens and takes the light of each place."""
ALUMINIUM: Bgr = (178, 176, 172)
PLASTIC: Bgr = (40, 92, 206)
STEEL: Bgr = (150, 150, 150)
MAGNET: Bgr = (70, 66, 64)

Face = tuple[list[list[float]], Bgr, float]
"""Four corners in mm, paint, shade."""


@dataclass(frozen=True, slots=True)
class Block:
    """An upright box: two opposite corners in mm, and its paint."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    paint: Bgr


class GantryPainter:
    """Draws the gantry and its shadow for one camera."""

    def __init__(self, optics: Optics, pose: Pose, layout: TableLayout, light: Light) -> None:
        self._optics, self._pose, self._light = optics, pose, light
        self._left = rack_box(layout, white=True)[0] - RAIL_GAP_MM
        self._right = rack_box(layout, white=False)[2] + RAIL_GAP_MM
        beyond = 400.0
        white = optics.side is DiscColour.WHITE
        self._rail_ends = (0.0, layout.height_mm + beyond) if white else (-beyond, layout.height_mm)

    def touched(self, carriage: Carriage, shadow: bool = True) -> Part | None:
        """Return the part of the picture that the gantry (and its shadow) can touch, None if none."""
        steps = np.linspace(self._left, self._right, PIECES + 1)
        beam = [
            np.column_stack([steps, np.full(PIECES + 1, carriage.y_mm + side), np.full(PIECES + 1, BEAM_MM + 20)])
            for side in (-BEAM_SIDE_MM, BEAM_SIDE_MM)
        ]
        corners = np.vstack([_corners(self.blocks(carriage)).reshape(-1, 3), *beam])
        seen = self._pose.project(np.vstack([corners, self._fallen(corners)]) if shadow else corners)
        margin = 10 * self._pose.width / 640
        low = np.maximum(np.floor(seen.min(axis=0) - margin), 0).astype(int)
        high = np.minimum(np.ceil(seen.max(axis=0) + margin), (self._pose.width, self._pose.height)).astype(int)
        if (low >= high).any():
            return None
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def _fallen(self, points_mm: Float) -> Float:
        """Return where the shadows of points fall on the board, shape (..., 3)."""
        return np.asarray(points_mm + points_mm[..., 2:] * np.array([*self._optics.shadow_mm, -1.0]))

    def blocks(self, carriage: Carriage) -> list[Block]:
        """Return the gantry's boxes, in painter's order for a camera in front of the beam and above it."""
        x, y, z = carriage.x_mm, carriage.y_mm, carriage.z_mm
        toward = -1.0 if self._pose.position_mm[1] < y else 1.0
        near = y + toward * 0.5 * BEAM_SIDE_MM
        low, high = sorted((near, near + toward * 14.0))
        half, top = 0.5 * BEAM_SIDE_MM, BEAM_MM + BEAM_SIDE_MM
        return [
            Block((x - 6, y - 6, z), (x + 6, y + 6, z + 12), MAGNET),
            Block((x - 3, y - 3, z + 12), (x + 3, y + 3, BEAM_MM + 20), STEEL),
            Block((self._left, y - half, BEAM_MM), (self._right, y + half, top), ALUMINIUM),
            Block((x - 24, low, BEAM_MM - 14), (x + 24, high, top + 12), PLASTIC),
            Block((x - 16, y - half, top), (x + 16, y + half, top + 10), (46, 44, 44)),
        ]

    def shade(self, canvas: Image, carriage: Carriage, part: Part) -> None:
        """Darken a picture by the gantry's shadow on the board."""
        x0, y0, x1, y1 = part
        mask = np.full(((y1 - y0 + 1) // 2, (x1 - x0 + 1) // 2), 255, np.uint8)
        shade = 255 * (1 - 0.8 * self._optics.shadow_strength)
        for seen in self._pose.project(self._fallen(_corners(self.blocks(carriage)))) - (x0, y0):
            hull = cv2.convexHull(np.round(seen * 8).astype(np.int32))
            cv2.fillConvexPoly(mask, hull, (shade,), cv2.LINE_AA, 4)
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), 2.4 * self._pose.width / 640), dtype=np.uint8)
        wide = cv2.resize(mask, (mask.shape[1] * 2, mask.shape[0] * 2), interpolation=cv2.INTER_LINEAR)
        gain = cv2.merge([np.ascontiguousarray(wide[: y1 - y0, : x1 - x0])] * 3)
        view = canvas[y0:y1, x0:x1]
        view[...] = cv2.multiply(view, gain, scale=1 / 255)

    def paint_rails(self, canvas: Image) -> None:
        """Draw the two rails that carry the beam; they never move."""
        steps = np.linspace(*self._rail_ends, PIECES + 1)
        faces: list[Face] = []
        for x in (self._left, self._right):
            for start, end in itertools.pairwise(steps):
                low, high = (x - 10, float(start), BEAM_MM - 24), (x + 10, float(end), BEAM_MM - 4)
                faces += self._faces(Block(low, high, ALUMINIUM), open_y=True)
        self._paint(canvas, faces)

    def paint(self, canvas: Image, carriage: Carriage) -> None:
        """Draw beam, head and rod."""
        steps = np.linspace(self._left, self._right, PIECES + 1)
        for block in self.blocks(carriage):
            if block.paint is not ALUMINIUM:
                self._paint(canvas, self._faces(block))
                continue
            pieces: list[Face] = []
            for start, end in itertools.pairwise(steps):
                low, high = (float(start), *block.low[1:]), (float(end), *block.high[1:])
                pieces += self._faces(Block(low, high, ALUMINIUM), open_x=True)
            self._paint(canvas, pieces)
            self._paint_slots(canvas, block, steps)

    def _paint_slots(self, canvas: Image, beam: Block, steps: Float) -> None:
        """Draw the slots of the aluminium profile, on the upper and on the near side."""
        (_, y0, z0), (_, y1, z1) = beam.low, beam.high
        near = y0 if self._pose.position_mm[1] < y0 else y1
        width = max(1, round(self._pose.width / 320))
        for share, y, z in ((0.42, 0.5 * (y0 + y1), z1), (0.36, near, 0.5 * (z0 + z1))):
            line = self._pose.project(np.column_stack([steps, np.full(len(steps), y), np.full(len(steps), z)]))
            colour = np.array(ALUMINIUM) * share * self._light.gain.mean()
            cv2.polylines(canvas, [_fixed(line)], False, colour.tolist(), width, cv2.LINE_AA, 4)

    def _faces(self, block: Block, open_x: bool = False, open_y: bool = False) -> list[Face]:
        """Return the sides of a box that face the camera; a piece of something longer is open at its ends."""
        (x0, y0, z0), (x1, y1, z1) = block.low, block.high
        eye = self._pose.position_mm
        faces: list[Face] = []
        if not open_y and not y0 <= eye[1] <= y1:
            y = y0 if eye[1] < y0 else y1
            faces.append(([[x0, y, z0], [x1, y, z0], [x1, y, z1], [x0, y, z1]], block.paint, 0.62))
        if not open_x and not x0 <= eye[0] <= x1:
            x = x0 if eye[0] < x0 else x1
            faces.append(([[x, y0, z0], [x, y1, z0], [x, y1, z1], [x, y0, z1]], block.paint, 0.74))
        faces.append(([[x0, y0, z1], [x1, y0, z1], [x1, y1, z1], [x0, y1, z1]], block.paint, 0.98))
        return faces

    def _paint(self, canvas: Image, faces: list[Face]) -> None:
        seen = self._pose.project(np.array([corners for corners, _, _ in faces]))
        paint = np.array([np.array(colour) * shade for _, colour, shade in faces])
        colours = np.clip(paint * self._light.at(seen.mean(axis=1)), 0, 255)
        for corners, colour in zip(_fixed(seen), colours.tolist(), strict=True):
            cv2.fillConvexPoly(canvas, corners, colour, cv2.LINE_AA, 4)


def _fixed(points_px: Float) -> NDArray[np.int32]:
    return np.round(points_px * 16).astype(np.int32)


def _corners(blocks: list[Block]) -> Float:
    """Return the corners of boxes, shape (n, 8, 3)."""
    return np.array(
        [list(itertools.product(*zip(block.low, block.high, strict=True))) for block in blocks], dtype=np.float64
    )
