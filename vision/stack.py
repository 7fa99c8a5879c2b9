"""How a stack of one or two discs on a square should look: its top, its wall and its shadow, painted sample by sample.

Brightness is linear (grey level over the light there), lengths are in squares on the board's surface, and everything that
stands up is seen where its line of sight meets the surface (see `Patches.lifted`). A disc between two heights then covers the
hull of two circles, and so does its shadow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.errors import BadPicture
from damludo.vision.frame import Image
from damludo.vision.light import LightField
from damludo.vision.patches import DARK, Patches

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]

SIDE = 25
"""Samples along a side of a patch."""
PITCH = 0.06
"""Distance of two samples, in squares: the patch spans 1.5 squares, room for a king's top and shadow."""
TOP_SIDE = 21
"""Samples along the side of the learnt picture of a disc's top."""
CONTACT_RADII = 1.1
"""The darkness at a disc's foot reaches so far."""
REACH = 0.16
"""Samples farther than this from all that a king in the middle covers or shades are left out, in squares."""
NEAR = 0.08
"""Samples nearer than this to what a neighbour's king would cover or shade are not trusted, in squares."""


@dataclass(frozen=True, eq=False, slots=True)
class StackLook:
    """What discs look like in one scene beyond their colour.

    Attributes:
        radius: of a disc, in squares.
        edge: half the width of a blurred edge, in squares.
        shadow: shape (2,), where the shadow of a point falls: squares along x and y for one square of height.
        soft: half the width of a shadow's edge, in squares.
        strength: part of the light that the shadow takes.
        contact: part of that which is missing just around a disc's foot.
        ground: shape (2, SIDE * SIDE), brightness of an even and an odd empty square with its surroundings.
        top: shape (2, TOP_SIDE, TOP_SIDE), White's and Black's discs from above, x and y in -1..1 of the radius.
        wall: shape (2, 2), a row for each side: brightness of the wall, and how much more where it looks along the shadow.
    """

    radius: float
    edge: float
    shadow: Floats
    soft: float
    strength: float
    contact: float
    ground: Floats
    top: Floats
    wall: Floats

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers for a profile."""
        numbers = {name: round(float(getattr(self, name)), 5) for name in _NUMBERS}
        return numbers | {name: np.round(getattr(self, name), 4).tolist() for name in _ARRAYS}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "StackLook":
        """Read what `to_dict` gave.

        Raises:
            BadPicture: entries are missing or have another shape.
        """
        try:
            arrays = {name: np.array(data[name], dtype=np.float32) for name in _ARRAYS}
            numbers = {name: float(data[name]) for name in _NUMBERS}
        except (KeyError, TypeError, ValueError) as error:
            raise BadPicture(f"the discs in the profile cannot be read ({error}); calibrate the board again") from error
        for name, shape in _ARRAYS.items():
            if arrays[name].shape != shape or not np.isfinite(arrays[name]).all():
                raise BadPicture(f"the discs in the profile have a wrong entry {name!r}; calibrate the board again")
        return cls(**numbers, **arrays)


_NUMBERS = ("radius", "edge", "soft", "strength", "contact")
_ARRAYS = {"shadow": (2,), "ground": (2, SIDE * SIDE), "top": (2, TOP_SIDE, TOP_SIDE), "wall": (2, 2)}


class StackField:
    """The samples of all places of one view.

    Args:
        patches: the places.
        look: if given, only the samples are kept that a stack may change.

    Attributes:
        x, y: samples relative to the places' centres, in squares, shape (p, n).
        number: shape (p, n), where in the whole patch of SIDE x SIDE they are.
        on_board: shape (p, n), False for samples beyond the board's edge and for padding.
    """

    def __init__(self, patches: Patches, look: StackLook | None = None) -> None:
        self.patches = patches
        self.height = patches.view.sizes.disc_height_mm / patches.view.sizes.square_mm
        line = (np.arange(SIDE, dtype=np.float32) - SIDE // 2) * np.float32(PITCH)
        every = np.stack([v.ravel() for v in np.meshgrid(line, line)], axis=1)
        self.number, kept = self._kept(every, look)
        self.x: Floats = np.ascontiguousarray(every[self.number, 0])
        self.y: Floats = np.ascontiguousarray(every[self.number, 1])
        grid, centres = patches.view.grid, patches.centres
        where = np.stack([self.x + centres[:, :1], self.y + centres[:, 1:]], axis=-1)
        size = np.array([grid.columns - grid.lines, grid.rows - grid.lines], dtype=np.float32)
        self.on_board = kept & ((where > 0.02) & (where < size - 0.02)).all(axis=2)
        flat = where.reshape(-1, 2) * patches.view.sizes.square_mm
        pixels = patches.view.project(np.column_stack([flat, np.zeros(len(flat))])).astype(np.float32)
        self._maps = tuple(np.ascontiguousarray(pixels[:, k].reshape(self.x.shape)) for k in (0, 1))
        corners = patches.view.project(patches.view.outer_corners_mm())
        side_px = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).sum()) / (2 * size.sum())
        self._sigma_px = max(0.6, 0.45 * PITCH * side_px)

    def _kept(self, every: Floats, look: StackLook | None) -> tuple[Rows, NDArray[np.bool_]]:
        places = len(self.patches.places)
        if look is None:
            number = np.repeat(np.arange(len(every))[None], places, axis=0)
            return number, np.ones(number.shape, dtype=bool)
        self.x, self.y = (np.repeat(every[None, :, k], places, axis=0) for k in (0, 1))
        rows = np.arange(places)
        reach = _of_king(self, look, rows, self.x, self.y)
        most = int((reach > -REACH).sum(axis=1).max())
        number = np.argsort(reach <= -REACH, axis=1, kind="stable")[:, :most]
        return number, np.take_along_axis(reach, number, axis=1) > -REACH

    def brightness(self, image: Image, light: LightField) -> Floats:
        """Return grey level over light of all samples, shape (p, n)."""
        grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (0, 0), self._sigma_px)
        seen = cv2.remap(grey, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
        here = self.patches.place_design @ light.coefficients + light.local
        return np.asarray((seen + np.float32(DARK)) * np.exp(-here[:, :1]))

    def floor(self, look: StackLook, rows: Rows) -> Floats:
        """Return the brightness of the empty places, shape (len(rows), n)."""
        return look.ground[self.patches.odd[rows][:, None], self.number[rows]]

    def neighbours(self, look: StackLook) -> list[list[tuple[int, NDArray[np.bool_]]]]:
        """Return for each place the places around it, each with the samples, shape (n,), that a stack there may spoil."""
        result = []
        for row, centre in enumerate(self.patches.centres):
            away = self.patches.centres - centre
            around = [int(other) for other in np.nonzero(np.abs(away).max(axis=1) < 1.6)[0] if other != row]
            pairs = []
            for other in around:
                x, y = self.x[row : row + 1] - away[other, 0], self.y[row : row + 1] - away[other, 1]
                spoilt = _of_king(self, look, np.array([other]), x, y)[0] > -NEAR
                if spoilt.any():
                    pairs.append((other, spoilt))
            result.append(pairs)
        return result

    def seen_at(self, rows: Rows, offset: Floats, height: float) -> tuple[Floats, float]:
        """Return where points at a height over centre + offset appear (relative to the centres), and how much things grow."""
        centres = self.patches.centres[rows]
        camera = self.patches.camera_at.astype(np.float32)
        growth = float(camera[2] / max(float(camera[2]) - height, 0.2))
        return camera[:2] + (centres + offset - camera[:2]) * np.float32(growth) - centres, growth


def _of_king(field: StackField, look: StackLook, rows: Rows, x: Floats, y: Floats) -> Floats:
    """Return how far samples lie inside of what a king in the middle of its place covers or shades."""
    middle = np.zeros((len(rows), 2), dtype=np.float32)
    tip, growth = field.seen_at(rows, middle, 2 * field.height)
    covers = hull_of_circles(x, y, middle, look.radius, tip, look.radius * growth)
    shades = hull_of_circles(x, y, middle, look.radius, middle + 2 * field.height * look.shadow, look.radius)
    return np.maximum(covers, shades)


def ramp(inside: Floats, width: float) -> Floats:
    """Return the cover, 0..1, of samples that lie so far inside an edge which is blurred over `width` each way."""
    t = np.clip(inside * np.float32(0.5 / width) + np.float32(0.5), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def hull_of_circles(x: Floats, y: Floats, one: Floats, one_radius: float, other: Floats, other_radius: float) -> Floats:
    """Return how far samples, shape (p, n), lie inside the hull of two circles whose centres have shape (p, 2)."""
    way = other - one
    x, y = x - one[:, :1], y - one[:, 1:]
    length = np.maximum((way * way).sum(axis=1), np.float32(1e-9))
    along = np.clip((x * way[:, :1] + y * way[:, 1:]) / length[:, None], 0, 1)
    x -= along * way[:, :1]
    y -= along * way[:, 1:]
    return np.asarray(np.float32(one_radius) + np.float32(other_radius - one_radius) * along - np.sqrt(x * x + y * y))


@dataclass(frozen=True, eq=False, slots=True)
class Painted:
    """Painted patches, all of shape (p, n).

    Attributes:
        floor, wall, face: the parts of the brightness that come from the board, the wall and the top; their sum is the whole.
        ground, wall_cover, top_cover: the parts of the area.
        shade: 0..1 of full shadow on the board.
        across: -1..1, which way the wall looks there: along the shadow or towards the light.
    """

    floor: Floats
    wall: Floats
    face: Floats
    ground: Floats
    wall_cover: Floats
    top_cover: Floats
    shade: Floats
    across: Floats

    @property
    def bright(self) -> Floats:
        """The whole brightness."""
        return self.floor + self.wall + self.face


def paint(field: StackField, look: StackLook, rows: Rows, side: Rows, feet: Floats) -> Painted:
    """Paint stacks of one or two discs.

    Args:
        rows: shape (p,), the places, as positions among the grid's playable ones.
        side: shape (p,), whose discs: 0 White's, 1 Black's.
        feet: shape (p, 2) for one disc, (p, 4) for two: offsets of the lower, then the upper disc.
    """
    h, r, x, y = field.height, look.radius, field.x[rows], field.y[rows]
    lower, upper = feet[:, :2], feet[:, -2:]
    discs = feet.shape[1] // 2
    tip, growth = field.seen_at(rows, upper, discs * h)
    waist, waist_growth = field.seen_at(rows, lower, h)
    solid = hull_of_circles(x, y, lower, r, waist, r * waist_growth)
    shift = look.shadow * np.float32(h)
    dark = hull_of_circles(x, y, lower, r, lower + shift, r)
    if discs == 2:
        base, base_growth = field.seen_at(rows, upper, h)
        solid = np.maximum(solid, hull_of_circles(x, y, base, r * base_growth, tip, r * growth))
        dark = np.maximum(dark, hull_of_circles(x, y, upper + shift, r, upper + 2 * shift, r))
    beside = np.float32(CONTACT_RADII * r) - np.hypot(x - lower[:, :1], y - lower[:, 1:])
    shade = np.maximum(ramp(dark, look.soft), np.float32(look.contact) * ramp(beside, look.soft))
    x, y = x - tip[:, :1], y - tip[:, 1:]
    away = np.sqrt(x * x + y * y)
    top = ramp(r * growth - away, look.edge)
    wall = np.maximum(ramp(solid, look.edge) - top, 0)
    unit = look.shadow / max(float(np.linalg.norm(look.shadow)), 1e-6)
    across = (x * unit[0] + y * unit[1]) / np.maximum(away, np.float32(0.1))
    ground = 1 - wall - top
    floor = field.floor(look, rows) * ground * (1 - np.float32(look.strength) * shade)
    colour = look.wall[side]
    face = top * _faces(look, side, x / np.float32(r * growth), y / np.float32(r * growth))
    return Painted(floor, wall * (colour[:, :1] + colour[:, 1:] * across), face, ground, wall, top, shade, across)


def _faces(look: StackLook, side: Rows, u: Floats, v: Floats) -> Floats:
    """Return the brightness of tops at points in -1..1, shape (p, n)."""
    both = look.top.reshape(2 * TOP_SIDE, TOP_SIDE)
    scale = np.float32((TOP_SIDE - 1) / 2)
    x = np.clip(u * scale + scale, 0, TOP_SIDE - 1)
    y = np.clip(v * scale + scale, 0, TOP_SIDE - 1) + (side * TOP_SIDE).astype(np.float32)[:, None]
    return np.asarray(cv2.remap(both, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
