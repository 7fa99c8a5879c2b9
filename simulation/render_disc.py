"""Turned wooden discs: a top with rings and bevel, a side wall, and a soft shadow."""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.robot.places import TableLayout
from damludo.simulation.optics import Float, Optics, Pose
from damludo.simulation.render_ground import Light
from damludo.simulation.render_texture import SHEET, SHEETS, Bgr, Float32, grain_sheet, stain
from damludo.simulation.table import DiscColour
from damludo.vision.frame import Image

TOP = 128
"""Side of the picture of a disc's top, texels."""
TOP_RADIUS = 60.0
FINE = 4
"""Discs are drawn this many times finer than the picture, in both directions."""
FACETS = 28
SOFT_PX = 1.9
"""Blur (sigma) of the shadow of a disc on the board, in a picture 640 px wide."""
KINDS = 5
"""Different pieces of wood for each side's discs."""


FEW = 6
"""When at most so many discs came or went, only their part of the picture is drawn again."""

Part = tuple[int, int, int, int]
"""A part of the picture: x0, y0, x1, y1 in px."""


def overlap(a: Part, b: Part) -> bool:
    """Tell whether two parts share a pixel."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def grown(part: Part, margin: int, pose: Pose) -> Part:
    """Return a part with a margin around it, within the picture."""
    x0, y0, x1, y1 = part
    x0, y0 = min(max(x0 - margin, 0), pose.width - 1), min(max(y0 - margin, 0), pose.height - 1)
    return x0, y0, max(min(x1 + margin, pose.width), x0 + 1), max(min(y1 + margin, pose.height), y0 + 1)


@dataclass(frozen=True, slots=True)
class Lying:
    """A disc at a place, as it is drawn (see `Disc`)."""

    number: int
    colour: DiscColour
    x_mm: float
    y_mm: float
    z_mm: float


@dataclass(frozen=True, eq=False, slots=True)
class Sprite:
    """A drawn thing: `colour` (h, w, 3) is already weighted with its cover; `clear` (h, w, 1) is 1 minus the cover."""

    x: int
    y: int
    colour: Float32
    clear: Float32

    def paint_on(self, canvas: Image, part: Part | None = None) -> None:
        """Lay the sprite over a picture that it lies wholly inside of; if told so, over a part of it alone."""
        x0, y0, x1, y1 = self.x, self.y, self.x + self.clear.shape[1], self.y + self.clear.shape[0]
        if part is not None:
            x0, y0, x1, y1 = max(x0, part[0]), max(y0, part[1]), min(x1, part[2]), min(y1, part[3])
        if x0 < x1 and y0 < y1:
            rows, columns = slice(y0 - self.y, y1 - self.y), slice(x0 - self.x, x1 - self.x)
            spot = canvas[y0:y1, x0:x1]
            spot[...] = spot * self.clear[rows, columns] + self.colour[rows, columns]


@dataclass(frozen=True, eq=False, slots=True)
class _Drawn:
    """A disc that lies still: its picture, and the outlines of the two parts of its shadow (sixteenths of a pixel).

    `part` is where in the picture all this can be seen.
    """

    sprite: Sprite | None
    contact: NDArray[np.int32] | None
    cast: NDArray[np.int32]
    part: Part


class DiscPainter:
    """Draws discs for one camera; keeps the pictures of those that lie still."""

    def __init__(self, optics: Optics, pose: Pose, layout: TableLayout, light: Light) -> None:
        self._optics, self._pose, self._layout, self._light = optics, pose, layout, light
        angles = np.arange(FACETS) * (2 * np.pi / FACETS)
        self._outward = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        self._tops = {colour: [_top(optics, colour, kind) for kind in range(KINDS)] for colour in DiscColour}
        self._kept: dict[Lying, _Drawn] = {}

    def far_to_near(self, discs: Iterable[Lying]) -> list[Lying]:
        """Sort discs so that each may cover those before it.

        A line of sight falls as it goes away from the camera. So a disc never hides what lies higher than its own top:
        levels first, and far to near within a level.
        """
        eye, level = self._pose.position_mm, self._layout.disc_height_mm
        return sorted(
            discs,
            key=lambda d: (round(d.z_mm / level), -float(np.hypot(d.x_mm - eye[0], d.y_mm - eye[1])), d.number),
        )

    def touched(self, before: tuple[Lying, ...], after: tuple[Lying, ...]) -> Part | None:
        """Return the part of the picture that differs between two sets of discs; None: too much to be worth it."""
        changed = set(before) ^ set(after)
        if not 0 < len(changed) <= FEW or not self._kept.keys() >= set(before):
            return None
        for disc in after:
            if disc not in self._kept:
                self._kept[disc] = self._drawn(disc)
        parts = np.array([self._kept[disc].part for disc in changed])
        low, high = parts[:, :2].min(axis=0), parts[:, 2:].max(axis=0)
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def paint_lying(self, canvas: Image, empty: Image, discs: tuple[Lying, ...], part: Part) -> None:
        """Draw, in a part of the picture, the empty table and all discs that lie on it, with their shadows."""
        self._kept = {disc: self._kept.get(disc) or self._drawn(disc) for disc in discs}
        near = [disc for disc in discs if overlap(self._kept[disc].part, part)]
        x0, y0, x1, y1 = part
        gain = cv2.merge([self._shadows(near, part)] * 3)
        canvas[y0:y1, x0:x1] = cv2.multiply(empty[y0:y1, x0:x1], gain, scale=1 / 255)
        for disc in self.far_to_near(near):
            sprite = self._kept[disc].sprite
            if sprite is not None:
                sprite.paint_on(canvas, part)

    def _shadows(self, discs: list[Lying], part: Part) -> Image:
        """Return the light, 0..255, that lying discs leave to a part of the board: shape (h, w)."""
        sigma = SOFT_PX * self._pose.width / 640
        wide = grown(part, int(4 * sigma) + 2, self._pose)
        corner, strength = 16 * np.array(wide[:2], np.int32), self._optics.shadow_strength
        mask = np.full((wide[3] - wide[1], wide[2] - wide[0]), 255, np.uint8)
        drawn = [self._kept[disc] for disc in discs]
        for contact in (one.contact for one in drawn if one.contact is not None):
            cv2.fillConvexPoly(mask, contact - corner, (255 * (1 - 0.5 * strength),), cv2.LINE_AA, 4)
        for one in drawn:
            cv2.fillConvexPoly(mask, one.cast - corner, (255 * (1 - strength),), cv2.LINE_AA, 4)
        soft = cv2.GaussianBlur(mask, (0, 0), sigma)
        left, above = part[0] - wide[0], part[1] - wide[1]
        return np.ascontiguousarray(soft[above : above + part[3] - part[1], left : left + part[2] - part[0]])

    def _drawn(self, disc: Lying) -> _Drawn:
        lies_low = disc.z_mm < 2.0
        contact = _hull(self._pose.project(self._ring(disc, 0.0, 1.1))) if lies_low else None
        cast, sprite = _hull(self._pose.project(self._fallen(disc))), self._draw(disc)
        spots = np.vstack([cast.reshape(-1, 2)] + ([] if contact is None else [contact.reshape(-1, 2)])) / 16
        if sprite is not None:
            low = np.array([sprite.x, sprite.y])
            spots = np.vstack([spots, low, low + np.array(sprite.clear.shape[1::-1])])
        low, high = np.floor(spots.min(axis=0)).astype(int), np.ceil(spots.max(axis=0)).astype(int) + 1
        around = (int(low[0]), int(low[1]), int(high[0]), int(high[1]))
        return _Drawn(sprite, contact, cast, grown(around, int(4 * SOFT_PX * self._pose.width / 640) + 2, self._pose))

    def _ring(self, disc: Lying, z_mm: float, scale: float = 1.0) -> Float:
        """Points around a disc at a height, shape (FACETS, 3) in mm."""
        ring = np.empty((FACETS, 3))
        ring[:, :2] = self._outward * (0.5 * self._layout.disc_diameter_mm * scale) + (disc.x_mm, disc.y_mm)
        ring[:, 2] = z_mm
        return ring

    def _fallen(self, disc: Lying) -> Float:
        """Points around a disc's shadow on the board, shape (2 FACETS, 3) in mm."""
        foot, shift = self._ring(disc, 0.0), np.array([*self._optics.shadow_mm, 0.0])
        top = disc.z_mm + self._layout.disc_height_mm
        return np.concatenate([foot + shift * disc.z_mm, foot + shift * top])

    def paint_moving(self, canvas: Image, disc: Lying) -> Part | None:
        """Draw a disc that is carried, with its shadow; returns the touched part (x0, y0, x1, y1)."""
        blur = (SOFT_PX + 0.05 * disc.z_mm) * self._pose.width / 640
        fallen, top = self._fallen(disc), disc.z_mm + self._layout.disc_height_mm
        outline = np.concatenate([fallen, self._ring(disc, disc.z_mm), self._ring(disc, top)])
        seen = self._pose.project(outline)
        low = np.maximum(np.floor(seen.min(axis=0) - 3 * blur - 2), 0).astype(int)
        high = np.minimum(np.ceil(seen.max(axis=0) + 3 * blur + 2), (self._pose.width, self._pose.height)).astype(int)
        if (low >= high).any():
            return None
        mask = np.full((high[1] - low[1], high[0] - low[0]), 255, np.uint8)
        shade = 255 * (1 - self._optics.shadow_strength)
        cv2.fillConvexPoly(mask, _hull(seen[: len(fallen)] - low), (shade,), cv2.LINE_AA, 4)
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), blur), dtype=np.uint8)
        view = canvas[low[1] : high[1], low[0] : high[0]]
        view[...] = cv2.multiply(view, cv2.merge([mask, mask, mask]), scale=1 / 255)
        sprite = self._draw(disc)
        if sprite is not None:
            sprite.paint_on(canvas)
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def _draw(self, disc: Lying) -> Sprite | None:
        pose, height = self._pose, self._layout.disc_height_mm
        upper, lower = self._ring(disc, disc.z_mm + height), self._ring(disc, disc.z_mm)
        upper_px, lower_px = pose.project(upper), pose.project(lower)
        outline = np.concatenate([upper_px, lower_px])
        x0, y0 = (np.floor(outline.min(axis=0)) - 1).astype(int)
        x1, y1 = (np.ceil(outline.max(axis=0)) + 2).astype(int)
        corner, size = np.array([x0, y0]), (int(x1 - x0), int(y1 - y0))
        wall = self._wall(disc, _fine(upper_px, corner), _fine(lower_px, corner), size)
        top = self._top(disc, corner, size)
        return self._cut(wall * (1 - top[..., 3:] / np.float32(255)) + top, x0, y0)

    def _wall(self, disc: Lying, upper: Float, lower: Float, size: tuple[int, int]) -> Float32:
        """Draw the side; the top's place is filled too, so that nothing shines through between them."""
        patch = np.zeros((size[1] * FINE, size[0] * FINE, 4), np.uint8)
        to_eye = self._pose.position_mm[:2] - (disc.x_mm, disc.y_mm)
        paint = np.array(self._optics.paint.disc(disc.colour), np.float64)
        middle = 0.5 * (self._outward + np.roll(self._outward, -1, axis=0))
        shades = np.clip(0.60 - 0.22 * middle @ np.array(self._optics.shadow_mm), 0.35, 0.95)
        colours = np.column_stack([paint * shades[:, None], np.full(FACETS, 255.0)])
        following = np.roll(np.arange(FACETS), -1)
        quads = _fixed(np.stack([upper, upper[following], lower[following], lower], axis=1))
        cv2.fillConvexPoly(patch, _fixed(upper), colours[0].tolist(), cv2.LINE_8, 4)
        seen = np.flatnonzero(middle @ to_eye > 0)
        for k in seen:
            cv2.fillConvexPoly(patch, quads[k], colours[k].tolist(), cv2.LINE_8, 4)
        dim = colours[seen].mean(axis=0)
        # The facets' order is round the disc; start behind the gap so that the seam is one stroke.
        start = int(np.argmax(np.diff(np.append(seen, seen[0] + FACETS)))) + 1 if len(seen) else 0
        stroke = np.roll(seen, -start)
        for share, factor in ((0.5, 0.80), (0.04, 0.6)):
            seam = _fixed((share * upper + (1 - share) * lower)[stroke])
            cv2.polylines(patch, [seam], False, (*(dim[:3] * factor).tolist(), 255.0), 1, cv2.LINE_8, 4)
        return np.asarray(cv2.resize(patch, size, interpolation=cv2.INTER_AREA), dtype=np.float32)

    def _top(self, disc: Lying, corner: NDArray[np.int64], size: tuple[int, int]) -> Float32:
        top = self._tops[disc.colour][disc.number % KINDS]
        reach = 0.5 * self._layout.disc_diameter_mm * (TOP / 2) / TOP_RADIUS
        z = disc.z_mm + self._layout.disc_height_mm
        square = np.array([[-reach, reach], [reach, reach], [reach, -reach], [-reach, -reach]])
        where = np.column_stack([square + np.array([disc.x_mm, disc.y_mm]), np.full(4, z)])
        texels = np.array([[0, 0], [TOP, 0], [TOP, TOP], [0, TOP]], np.float32) - np.float32(0.5)
        carry = cv2.getPerspectiveTransform(texels, _fine(self._pose.project(where), corner).astype(np.float32))
        fine = (size[0] * FINE, size[1] * FINE)
        seen = cv2.warpPerspective(top, carry, fine, flags=cv2.INTER_LINEAR)
        return np.asarray(cv2.resize(seen, size, interpolation=cv2.INTER_AREA), dtype=np.float32)

    def _cut(self, small: Float32, x0: int, y0: int) -> Sprite | None:
        """Light a patch, shape (h, w, 4), and cut off what lies outside the picture."""
        left, above = max(0, -x0), max(0, -y0)
        right, below = min(small.shape[1], self._pose.width - x0), min(small.shape[0], self._pose.height - y0)
        if left >= right or above >= below:
            return None
        small = small[above:below, left:right]
        gain = self._light.gain[y0 + above : y0 + below, x0 + left : x0 + right]
        colour = np.minimum(small[..., :3] * gain, small[..., 3:]) + np.float32(0.5)
        return Sprite(x0 + left, y0 + above, colour, 1 - small[..., 3:] / np.float32(255))


def _fine(pixels: Float, corner: NDArray[np.int64]) -> Float:
    return (pixels - corner + 0.5) * FINE - 0.5


def _fixed(points: Float) -> NDArray[np.int32]:
    return np.round(points * 16).astype(np.int32)


def _hull(pixels: Float) -> NDArray[np.int32]:
    """Return the convex hull in sixteenths of a pixel."""
    return np.asarray(cv2.convexHull(_fixed(pixels)), dtype=np.int32)


def _top(optics: Optics, colour: DiscColour, kind: int) -> Image:
    """Draw a disc's top from above, y upwards: shape (TOP, TOP, 4), colour weighted with its cover."""
    random = np.random.default_rng([optics.seed, kind, colour is DiscColour.WHITE, 0xD15C])
    paint: Bgr = optics.paint.disc(colour)
    wood = stain(_round_grain(random), paint, optics.paint.disc_grain) * np.float32(random.normal(1.0, 0.025))
    y, x = np.mgrid[0:TOP, 0:TOP].astype(np.float32) - np.float32((TOP - 1) / 2)
    distance = np.hypot(x, y)
    radius = distance / np.float32(TOP_RADIUS)
    slope = _profile_slope(radius)
    lamp = -np.array([optics.shadow_mm[0], -optics.shadow_mm[1]], np.float32)
    toward = (x * lamp[0] + y * lamp[1]) / np.maximum(distance, 1e-3)
    lit = np.clip(1.0 - slope * toward * 0.55 - 0.25 * np.abs(slope), 0.35, 1.5)
    shine = np.exp(-0.5 * np.square((slope * toward + 0.55) / 0.16)) + 0.35 * np.exp(-0.5 * np.square(slope / 0.05))
    glow = np.clip((toward / 1.5 + 1) / 2, 0, 1) * shine * np.float32(150 * optics.paint.gloss)
    cover = np.clip(np.float32(TOP_RADIUS) - distance + 0.5, 0, 1)[..., None]
    face = np.clip(wood * lit[..., None] + glow[..., None], 0, 255) * cover
    return np.asarray(np.dstack([face, cover * 255]) + 0.5, dtype=np.uint8)


def _profile_slope(radius: Float32) -> Float32:
    """Slope of the turned profile: falling is negative. A bevelled edge, two grooves, a dished middle."""
    slope = np.asarray(-0.75 * np.clip((radius - 0.9) / 0.08, 0, 1), dtype=np.float64)
    for ring, depth in ((0.74, 0.5), (0.46, 0.4)):
        at = (radius - ring) / 0.026
        slope = slope + depth * at * np.exp(0.5 - 0.5 * at * at)
    return np.asarray(slope + 0.10 * np.clip(1 - radius / 0.4, 0, 1) * radius / 0.4, dtype=np.float32)


def _round_grain(random: np.random.Generator) -> Float32:
    """Cut a round piece of grain with its own direction: shape (TOP, TOP)."""
    sheet = grain_sheet(int(random.integers(SHEETS)))
    middle = random.uniform(150, SHEET - 150, 2)
    turn = cv2.getRotationMatrix2D((float(middle[0]), float(middle[1])), float(random.uniform(0, 360)), 1.6)
    turn = np.asarray(turn, dtype=np.float64) + np.column_stack([np.zeros((2, 2)), TOP / 2 - middle])
    return np.asarray(cv2.warpAffine(sheet, turn, (TOP, TOP), flags=cv2.INTER_LINEAR), dtype=np.float32)
