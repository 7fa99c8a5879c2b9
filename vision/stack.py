"""How a stack of one or two discs on a square should look: its top, its wall and its shadow, painted sample by sample.

Brightness is linear (grey level over the light there), lengths are in squares on the board's surface, and everything that
stands up is seen where its line of sight meets the surface (see `Patches.lifted`). A disc between two heights then covers the
hull of two circles, and so does its shadow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.errors import BadPicture
from damludo.vision.frame import Image
from damludo.vision.light import LightField
from damludo.vision.patches import DARK, Patches
from damludo.vision.softening import Softening

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
TOLD = 11
"""Numbers that all stacks of a scene share."""
TINY = np.float32(1e-6)
"""Added to squared lengths, so that they have a direction everywhere."""
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
        told: shape (11, 11), precision of what men told of the numbers that all share (see `stack_numbers`); 0 = nothing.
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
    told: NDArray[np.float64] = field(default_factory=lambda: np.zeros((TOLD, TOLD)))

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
            # Profiles of older versions do not say how well the numbers are known.
            known = {"told": np.zeros((TOLD, TOLD))} | dict(data)
            arrays = {name: np.array(known[name], dtype=np.float32) for name in _ARRAYS}
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
            arrays["told"].astype(np.float64),
        )


_NUMBERS = ("radius", "edge", "soft", "strength", "contact")
_ARRAYS = {
    "shadow": (2,),
    "ground": (2, SIDE * SIDE),
    "top": (2, TOP_SIDE, TOP_SIDE),
    "wall": (2, 2),
    "told": (TOLD, TOLD),
}


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
        camera = patches.camera_at.astype(np.float32)
        self._from_camera, self._camera_height = patches.centres - camera[:2], float(camera[2])
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
        corners = patches.view.project(patches.view.outer_corners_mm())
        side_px = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).sum() / (2 * size.sum()))
        self._softening = Softening.of(pixels, max(0.6, BLUR * PITCH * side_px), patches.view.image_size)
        pixels = self._softening.carried(pixels)
        self._map_x, self._map_y = (np.ascontiguousarray(pixels[:, k].reshape(self.x.shape)) for k in (0, 1))

    def brightness(self, image: Image, light: LightField, rows: Rows | None = None) -> Floats:
        """Return grey level over light of the samples of all places, or of some, shape (p, n)."""
        at = slice(None) if rows is None else rows
        grey = self._softening.softened(image)
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
        growth = self._camera_height / max(self._camera_height - height, 0.2)
        return offset * np.float32(growth) + self._from_camera[rows] * np.float32(growth - 1), growth


def _of_king(field: StackField, look: StackLook, rows: Rows, x: Floats, y: Floats) -> Floats:
    """Return how far samples lie inside of what a king in the middle of its place covers or shades."""
    middle = np.zeros((len(rows), 2), dtype=np.float32)
    tip, growth = field.seen_at(rows, middle, 2 * field.height)
    covers = _hull_of_circles(x, y, tip, look.radius, look.radius * growth)
    shades = _hull_of_circles(x, y, middle + 2 * field.height * look.shadow, look.radius, look.radius)
    return np.maximum(covers.inside, shades.inside)


def ramp(inside: Floats, width: float) -> Floats:
    """Return the cover, 0..1, of samples that lie so far inside an edge which is blurred over `width` each way."""
    t = np.clip(inside * np.float32(0.5 / width) + np.float32(0.5), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def _steep_ramp(inside: Floats, width: float | Floats) -> tuple[Floats, Floats]:
    """Return `ramp` and its derivative."""
    scale = np.float32(0.5 / width)
    t = inside * scale
    t += np.float32(0.5)
    t.clip(0, 1, out=t)
    square = t * t
    slope = t - square
    slope *= 6 * scale
    t *= -2
    t += 3
    t *= square
    return t, slope


@dataclass(frozen=True, eq=False, slots=True)
class Canvas:
    """The samples of some places, and what stays the same there whatever stack is painted.

    Attributes:
        field: the samples of all places.
        rows: shape (p,), the places, as positions among the grid's playable ones.
        x, y: samples relative to the places' centres, in squares, shape (p, n).
        floor: brightness of the empty places, shape (p, n).
    """

    field: StackField
    rows: Rows
    x: Floats
    y: Floats
    floor: Floats

    @classmethod
    def of(cls, field: StackField, look: StackLook, rows: Rows) -> "Canvas":
        """Gather the samples of some places."""
        return cls(field, rows, field.x[rows], field.y[rows], field.floor(look, rows))

    def part(self, numbers: Rows) -> "Canvas":
        """Return some of these places, given as positions in `rows`."""
        return Canvas(self.field, self.rows[numbers], self.x[numbers], self.y[numbers], self.floor[numbers])


@dataclass(frozen=True, eq=False, slots=True)
class _Hull:
    """How far samples lie inside the hull of two circles, and in which direction from its axis; all of shape (p, n)."""

    inside: Floats
    x: Floats
    y: Floats


def _hull_of_circles(
    x: Floats, y: Floats, way: Floats, one_radius: float | Floats, other_radius: float | Floats
) -> _Hull:
    """Return where samples, shape (p, n), lie in the hull of two circles.

    Args:
        x, y: relative to the middle of the one circle.
        way: from there to the middle of the other, shape (p, 2), or (1, 2) if it is everywhere the same.
        one_radius, other_radius: of the circles.
    """
    unit = way / np.maximum((way * way).sum(axis=1, keepdims=True), np.float32(1e-9))
    along = x * unit[:, :1]
    part = y * unit[:, 1:]
    along += part
    along.clip(0, 1, out=along)
    x = x - np.multiply(along, way[:, :1], out=part)
    y = y - np.multiply(along, way[:, 1:], out=part)
    distance = _length(x, y)
    x /= distance
    y /= distance
    if other_radius is one_radius:
        return _Hull(np.subtract(np.float32(one_radius), distance, out=distance), x, y)
    along *= np.float32(other_radius - one_radius)
    along += np.float32(one_radius)
    along -= distance
    return _Hull(along, x, y)


def _length(x: Floats, y: Floats) -> Floats:
    """Return the lengths of vectors, never 0; `np.hypot` takes many times longer, as it guards against overflow."""
    square = x * x
    square += y * y
    square += TINY
    return np.asarray(np.sqrt(square, out=square))


@dataclass(frozen=True, eq=False, slots=True)
class Painted:
    """Painted patches, all of shape (p, n) if nothing else is said.

    Attributes:
        floor, wall, face: the parts of the brightness that come from the board, the wall and the top; their sum is the whole.
        wall_cover, top_cover: the parts of the area.
        shade: 0..1 of full shadow on the board.
        across: -1..1, which way the wall looks there: along the shadow or towards the light.
        design: derivatives of the brightness by the offsets, then by the gain of the disc and by that of the board, shape
            (4 or 6, p, n): planes that lie in one piece are much faster to fill. The pattern of the top is left out.
    """

    floor: Floats
    wall: Floats
    face: Floats
    wall_cover: Floats
    top_cover: Floats
    shade: Floats
    across: Floats
    design: Floats

    @property
    def bright(self) -> Floats:
        """The whole brightness."""
        return self.floor + self.wall + self.face

    def with_gains(self, gains: Floats) -> Floats:
        """Return the brightness where disc and board depart from theirs by such parts, shape (p, 2)."""
        return np.asarray((self.wall + self.face) * (1 + gains[:, :1]) + self.floor * (1 + gains[:, 1:]))

    @property
    def slopes(self) -> Floats:
        """The derivatives by the offsets, shape (p, 2 or 4, n)."""
        return self.design[:-2].transpose(1, 0, 2)


@dataclass(frozen=True, eq=False, slots=True)
class _Outline:
    """Something that stacks cover.

    Attributes:
        cover: 0..1, shape (p, n).
        steep: how the cover grows when the edge moves outwards, shape (p, n).
        hulls: of a man, or of a king's lower and upper disc.
        upper: 1 where the upper disc makes the edge, else 0, shape (p, n); None for a man.
    """

    cover: Floats
    steep: Floats
    hulls: tuple[_Hull, ...]
    upper: Floats | None

    @classmethod
    def of(cls, hulls: tuple[_Hull, ...], width: float | Floats) -> "_Outline":
        """Return what the hulls cover together."""
        if len(hulls) == 1:
            return cls(*_steep_ramp(hulls[0].inside, width), hulls, None)
        lower, upper = (hull.inside for hull in hulls)
        return cls(*_steep_ramp(np.maximum(lower, upper), width), hulls, (upper > lower).astype(np.float32))

    def add_slopes(self, by_cover: Floats, slopes: Floats) -> None:
        """Add the derivatives by the offsets, where a bit more of cover changes the brightness by `by_cover`."""
        change = self.steep * by_cover
        changes = [change]
        if self.upper is not None:
            of_upper = change * self.upper
            change -= of_upper
            changes.append(of_upper)
        for level, (part, hull) in enumerate(zip(changes, self.hulls, strict=True)):
            slopes[2 * level] += part * hull.x
            slopes[2 * level + 1] += np.multiply(part, hull.y, out=part)


@dataclass(frozen=True, eq=False, slots=True)
class Shared:
    """The numbers of a `StackLook` that all stacks share, as they are painted: one each, or shape (p, 1) for each place its own.

    Attributes:
        radius, edge, soft, strength, contact: as in `StackLook`.
        shadow: shape (1 or p, 2).
        wall: shape (p, 2).
    """

    radius: float | Floats
    edge: float | Floats
    soft: float | Floats
    strength: float | Floats
    contact: float | Floats
    shadow: Floats
    wall: Floats

    @classmethod
    def of(cls, look: StackLook, side: Rows) -> "Shared":
        """Return those that were learnt."""
        return cls(look.radius, look.edge, look.soft, look.strength, look.contact, look.shadow[None], look.wall[side])


def paint(field: StackField, look: StackLook, rows: Rows, side: Rows, feet: Floats) -> Painted:
    """Paint stacks of one or two discs.

    Args:
        rows: shape (p,), the places, as positions among the grid's playable ones.
        side: shape (p,), whose discs: 0 White's, 1 Black's.
        feet: shape (p, 2) for one disc, (p, 4) for two: offsets of the lower, then the upper disc.
    """
    return paint_on(Canvas.of(field, look, rows), look, side, feet)


def paint_on(canvas: Canvas, look: StackLook, side: Rows, feet: Floats, shared: Shared | None = None) -> Painted:
    """Paint stacks as `paint` does, on places whose samples are gathered already."""
    field, its = canvas.field, shared or Shared.of(look, side)
    tip, growth = field.seen_at(canvas.rows, feet[:, -2:], feet.shape[1] // 2 * field.height)
    foot = canvas.x - feet[:, :1], canvas.y - feet[:, 1:2]
    solid = _Outline.of(_bodies(canvas, its, feet, foot), its.edge)
    x, y = canvas.x - tip[:, :1], canvas.y - tip[:, 1:]
    away, radius = _length(x, y), np.float32(its.radius * growth)
    top, steep = _steep_ramp(radius - away, its.edge)
    across = _along(x, y, its.shadow)
    across /= away
    wall_cover = solid.cover - top
    wall_cover.clip(0, 1, out=wall_cover)
    colour = its.wall[:, 1:] * across
    colour += its.wall[:, :1]
    top_colour = _faces(look, side, x, y, radius)
    ground = 1 - wall_cover
    ground -= top
    design = np.zeros((feet.shape[1] + 2, *x.shape), dtype=np.float32)
    shade = _shade(canvas, its, feet, foot, ground, design)
    lit = shade * np.float32(-its.strength)
    lit += 1
    lit *= canvas.floor
    # A bit more of body, of top: the board gives way to wall, wall to top.
    solid.add_slopes(colour - lit, design)
    steep *= top_colour - colour
    steep /= away
    design[-4] += np.multiply(steep, x, out=x)
    design[-3] += np.multiply(steep, y, out=y)
    wall, face = wall_cover * colour, top * top_colour
    np.add(wall, face, out=design[-2])
    np.multiply(lit, ground, out=design[-1])
    return Painted(design[-1], wall, face, wall_cover, top, shade, across, design)


def _along(x: Floats, y: Floats, way: Floats) -> Floats:
    """Return how far points, shape (p, n), lie along a way, shape (p or 1, 2), whatever its length."""
    unit = way / np.maximum(np.sqrt((way * way).sum(axis=1, keepdims=True)), np.float32(1e-6))
    along = x * unit[:, :1]
    along += y * unit[:, 1:]
    return np.asarray(along)


def _bodies(canvas: Canvas, its: Shared, feet: Floats, foot: tuple[Floats, Floats]) -> tuple[_Hull, ...]:
    """Return what each disc of the stack hides; `foot`: the samples relative to the lower one's foot."""
    hulls, (x, y), low, low_growth = [], foot, feet[:, :2], 1.0
    for level in range(feet.shape[1] // 2):
        if level:
            low, low_growth = canvas.field.seen_at(canvas.rows, feet[:, 2:], canvas.field.height)
            x, y = canvas.x - low[:, :1], canvas.y - low[:, 1:]
        at = feet[:, 2 * level : 2 * level + 2]
        high, high_growth = canvas.field.seen_at(canvas.rows, at, (level + 1) * canvas.field.height)
        hulls.append(_hull_of_circles(x, y, high - low, its.radius * low_growth, its.radius * high_growth))
    return tuple(hulls)


def _shade(
    canvas: Canvas, its: Shared, feet: Floats, foot: tuple[Floats, Floats], ground: Floats, slopes: Floats
) -> Floats:
    """Return what the stack shades on the board, 0..1; add the derivatives where so much of the `ground` is seen."""
    shift, radius, (x, y) = its.shadow * np.float32(canvas.field.height), its.radius, foot
    hulls = [_hull_of_circles(x, y, shift, radius, radius)]
    if feet.shape[1] == 4:
        upper = feet[:, 2:] + shift
        hulls.append(_hull_of_circles(canvas.x - upper[:, :1], canvas.y - upper[:, 1:], shift, radius, radius))
    cast = _Outline.of(tuple(hulls), its.soft)
    away = _length(x, y)
    beside, steep = _steep_ramp(np.float32(CONTACT_RADII * radius) - away, its.soft)
    beside *= np.float32(its.contact)
    by_shade = canvas.floor * ground
    by_shade *= np.float32(-its.strength)
    by_contact = by_shade * (beside > cast.cover)
    by_shade -= by_contact
    cast.add_slopes(by_shade, slopes)
    by_contact *= steep
    by_contact *= np.float32(its.contact)
    by_contact /= away
    slopes[0] += np.multiply(by_contact, x, out=x)
    slopes[1] += np.multiply(by_contact, y, out=y)
    return np.asarray(np.maximum(cast.cover, beside, out=beside))


def _faces(look: StackLook, side: Rows, x: Floats, y: Floats, radius: np.float32 | Floats) -> Floats:
    """Return the brightness of tops at points relative to their middles, shape (p, n)."""
    both = look.top.reshape(2 * TOP_SIDE, TOP_SIDE)
    middle = np.float32((TOP_SIDE - 1) / 2)
    across, down = x * (middle / radius), y * (middle / radius)
    for along in (across, down):
        along += middle
        along.clip(0, TOP_SIDE - 1, out=along)
    down += (side * TOP_SIDE).astype(np.float32)[:, None]
    return np.asarray(cv2.remap(both, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
