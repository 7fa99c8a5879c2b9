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
BLUR = 0.45
"""Blur (sigma) before sampling, of the distance of two samples."""
EDGE = 0.02
"""Samples nearer than this to the edge of the board are not used, in squares."""
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
        return cls(
            numbers["radius"],
            numbers["edge"],
            arrays["shadow"],
            numbers["soft"],
            numbers["strength"],
            numbers["contact"],
            arrays["ground"],
            arrays["top"],
            arrays["wall"],
        )


_NUMBERS = ("radius", "edge", "soft", "strength", "contact")
_ARRAYS = {"shadow": (2,), "ground": (2, SIDE * SIDE), "top": (2, TOP_SIDE, TOP_SIDE), "wall": (2, 2)}


class StackField:
    """The samples of all places of one view.

    Args:
        patches: the places.
        number: shape (p, n), which samples of each whole patch to use, counted row by row; all of them if not given.

    Attributes:
        x, y: samples relative to the places' centres, in squares, shape (p, n).
        number: as given.
        on_board: shape (p, n), False for samples beyond the board's edge.
    """

    def __init__(self, patches: Patches, number: Rows | None = None) -> None:
        self.patches = patches
        self.height = patches.view.sizes.disc_height_mm / patches.view.sizes.square_mm
        if number is None:
            number = np.repeat(np.arange(SIDE * SIDE)[None], len(patches.places), axis=0)
        self.number = number
        line = (np.arange(SIDE, dtype=np.float32) - SIDE // 2) * np.float32(PITCH)
        x, y = np.meshgrid(line, line)
        self.x: Floats = np.ascontiguousarray(x.ravel()[number])
        self.y: Floats = np.ascontiguousarray(y.ravel()[number])
        grid, centres = patches.view.grid, patches.centres
        where = np.stack([self.x + centres[:, :1], self.y + centres[:, 1:]], axis=-1)
        size = np.array([grid.columns - grid.lines, grid.rows - grid.lines], dtype=np.float32)
        self.on_board = np.asarray(((where > EDGE) & (where < size - EDGE)).all(axis=2))
        flat = where.reshape(-1, 2) * patches.view.sizes.square_mm
        pixels = patches.view.project(np.column_stack([flat, np.zeros(len(flat))])).astype(np.float32)
        self._map_x, self._map_y = (np.ascontiguousarray(pixels[:, k].reshape(self.x.shape)) for k in (0, 1))
        corners = patches.view.project(patches.view.outer_corners_mm())
        side_px = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).sum() / (2 * size.sum()))
        self._sigma_px = max(0.6, BLUR * PITCH * side_px)

    def brightness(self, image: Image, light: LightField, rows: Rows | None = None) -> Floats:
        """Return grey level over light of the samples of all places, or of some, shape (p, n)."""
        at = slice(None) if rows is None else rows
        grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (0, 0), self._sigma_px)
        map_x, map_y = self._map_x[at], self._map_y[at]
        seen = cv2.remap(grey, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
        here = (self.patches.place_design @ light.coefficients + light.local)[at]
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
    covers = _hull_of_circles(x, y, middle, look.radius, tip, look.radius * growth)
    shades = _hull_of_circles(x, y, middle, look.radius, middle + 2 * field.height * look.shadow, look.radius)
    return np.maximum(covers.inside, shades.inside)


def ramp(inside: Floats, width: float) -> Floats:
    """Return the cover, 0..1, of samples that lie so far inside an edge which is blurred over `width` each way."""
    t = np.clip(inside * np.float32(0.5 / width) + np.float32(0.5), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def _steep_ramp(inside: Floats, width: float) -> tuple[Floats, Floats]:
    """Return `ramp` and its derivative."""
    scale = np.float32(0.5 / width)
    t = np.minimum(np.maximum(inside * scale + np.float32(0.5), 0), 1)
    square = t * t
    return square * (3 - 2 * t), (6 * scale) * (t - square)


@dataclass(frozen=True, eq=False, slots=True)
class _Hull:
    """How far samples lie inside the hull of two circles, and in which direction from its axis; all of shape (p, n)."""

    inside: Floats
    x: Floats
    y: Floats

    def joined(self, other: "_Hull") -> tuple[Floats, Floats]:
        """Return how far samples lie inside of either, and where (1 or 0) that is the other one."""
        return np.maximum(self.inside, other.inside), (other.inside > self.inside).astype(np.float32)


def _hull_of_circles(x: Floats, y: Floats, one: Floats, one_radius: float, other: Floats, other_radius: float) -> _Hull:
    """Return where samples, shape (p, n), lie in the hull of two circles whose centres have shape (p, 2)."""
    way = other - one
    x, y = x - one[:, :1], y - one[:, 1:]
    unit = way / np.maximum((way * way).sum(axis=1, keepdims=True), np.float32(1e-9))
    along = x * unit[:, :1]
    along += y * unit[:, 1:]
    np.clip(along, 0, 1, out=along)
    x -= along * way[:, :1]
    y -= along * way[:, 1:]
    distance = np.sqrt(x * x + y * y)
    far = np.float32(1) / np.maximum(distance, np.float32(1e-3))
    along *= np.float32(other_radius - one_radius)
    along += np.float32(one_radius)
    along -= distance
    return _Hull(along, np.asarray(x * far), np.asarray(y * far))


@dataclass(frozen=True, eq=False, slots=True)
class Painted:
    """Painted patches, all of shape (p, n) if nothing else is said.

    Attributes:
        floor, wall, face: the parts of the brightness that come from the board, the wall and the top; their sum is the whole.
        wall_cover, top_cover: the parts of the area.
        shade: 0..1 of full shadow on the board.
        across: -1..1, which way the wall looks there: along the shadow or towards the light.
        slopes: derivatives of the brightness by the offsets, shape (p, 2 or 4, n); the pattern of the top is left out.
    """

    floor: Floats
    wall: Floats
    face: Floats
    wall_cover: Floats
    top_cover: Floats
    shade: Floats
    across: Floats
    slopes: Floats

    @property
    def bright(self) -> Floats:
        """The whole brightness."""
        return self.floor + self.wall + self.face


@dataclass(frozen=True, eq=False, slots=True)
class _Outline:
    """Something that stacks cover, 0..1, with the derivatives by the offsets of the lower and the upper disc (x, y)."""

    cover: Floats
    slopes: tuple[Floats, ...]


def _outline(hulls: tuple[_Hull, ...], width: float) -> _Outline:
    """Return what the hulls of a man, or of a king's lower and upper disc, cover."""
    if len(hulls) == 1:
        cover, steep = _steep_ramp(hulls[0].inside, width)
        return _Outline(cover, (steep * hulls[0].x, steep * hulls[0].y))
    inside, upper = hulls[0].joined(hulls[1])
    cover, steep = _steep_ramp(inside, width)
    of_upper = steep * upper
    of_lower = steep - of_upper
    return _Outline(cover, (of_lower * hulls[0].x, of_lower * hulls[0].y, of_upper * hulls[1].x, of_upper * hulls[1].y))


def paint(field: StackField, look: StackLook, rows: Rows, side: Rows, feet: Floats) -> Painted:
    """Paint stacks of one or two discs.

    Args:
        rows: shape (p,), the places, as positions among the grid's playable ones.
        side: shape (p,), whose discs: 0 White's, 1 Black's.
        feet: shape (p, 2) for one disc, (p, 4) for two: offsets of the lower, then the upper disc.
    """
    x, y = field.x[rows], field.y[rows]
    tip, growth = field.seen_at(rows, feet[:, -2:], feet.shape[1] // 2 * field.height)
    solid = _outline(_bodies(field, look, rows, feet, x, y), look.edge)
    shade = _shade(field, look, feet, x, y)
    x, y = x - tip[:, :1], y - tip[:, 1:]
    away = np.sqrt(x * x + y * y)
    far = 1 / np.maximum(away, np.float32(0.1))
    top, steep = _steep_ramp(np.float32(look.radius * growth) - away, look.edge)
    unit = look.shadow / max(float(np.linalg.norm(look.shadow)), 1e-6)
    across = (x * unit[0] + y * unit[1]) * far
    wall_cover = np.maximum(solid.cover - top, 0)
    lit = field.floor(look, rows) * (1 - np.float32(look.strength) * shade.cover)
    ground = 1 - wall_cover - top
    colour = look.wall[side][:, :1] + look.wall[side][:, 1:] * across
    top_colour = _faces(look, side, x, y, np.float32(look.radius * growth))
    # A bit more of body, of top, of shade: the board gives way to wall, wall to top, light to shade.
    by_body, by_top = colour - lit, (top_colour - colour) * steep * far
    by_shade = field.floor(look, rows) * ground * np.float32(-look.strength)
    slopes = [a * by_body + b * by_shade for a, b in zip(solid.slopes, shade.slopes, strict=True)]
    slopes[-2] += by_top * x
    slopes[-1] += by_top * y
    return Painted(
        lit * ground,
        wall_cover * colour,
        top * top_colour,
        wall_cover,
        top,
        shade.cover,
        across,
        np.stack(slopes, axis=1),
    )


def _bodies(field: StackField, look: StackLook, rows: Rows, feet: Floats, x: Floats, y: Floats) -> tuple[_Hull, ...]:
    """Return what each disc of the stack hides."""
    hulls = []
    for level in range(feet.shape[1] // 2):
        foot = feet[:, 2 * level : 2 * level + 2]
        low, low_growth = field.seen_at(rows, foot, level * field.height)
        high, high_growth = field.seen_at(rows, foot, (level + 1) * field.height)
        hulls.append(_hull_of_circles(x, y, low, look.radius * low_growth, high, look.radius * high_growth))
    return tuple(hulls)


def _shade(field: StackField, look: StackLook, feet: Floats, x: Floats, y: Floats) -> _Outline:
    """Return what the stack shades on the board."""
    shift, radius, hulls = look.shadow * np.float32(field.height), look.radius, []
    for level in range(feet.shape[1] // 2):
        foot = feet[:, 2 * level : 2 * level + 2] + level * shift
        hulls.append(_hull_of_circles(x, y, foot, radius, foot + shift, radius))
    cast = _outline(tuple(hulls), look.soft)
    x, y = x - feet[:, :1], y - feet[:, 1:2]
    away = np.sqrt(x * x + y * y)
    beside, steep = _steep_ramp(np.float32(CONTACT_RADII * radius) - away, look.soft)
    beside *= np.float32(look.contact)
    darker = beside > cast.cover
    steep *= np.float32(look.contact) / np.maximum(away, np.float32(0.1))
    slopes = [np.where(darker, 0, slope) for slope in cast.slopes]
    slopes[0] = np.where(darker, steep * x, slopes[0])
    slopes[1] = np.where(darker, steep * y, slopes[1])
    return _Outline(np.maximum(cast.cover, beside), tuple(slopes))


def _faces(look: StackLook, side: Rows, x: Floats, y: Floats, radius: np.float32) -> Floats:
    """Return the brightness of tops at points relative to their middles, shape (p, n)."""
    both = look.top.reshape(2 * TOP_SIDE, TOP_SIDE)
    middle = np.float32((TOP_SIDE - 1) / 2)
    across = np.clip(x * (middle / radius) + middle, 0, TOP_SIDE - 1)
    down = np.clip(y * (middle / radius) + middle, 0, TOP_SIDE - 1) + (side * TOP_SIDE).astype(np.float32)[:, None]
    return np.asarray(cv2.remap(both, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
