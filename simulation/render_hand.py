"""A hand that reaches in: modelled once as a field of heights, then laid into the picture as a tilted, shaded sheet."""

import itertools
from functools import cached_property, lru_cache
from typing import Final

import cv2
import numpy as np

from damludo.simulation.optics import Float, Optics, Pose
from damludo.simulation.render_disc import Part
from damludo.simulation.render_ground import Light
from damludo.simulation.render_texture import Float32
from damludo.simulation.table import Hand
from damludo.vision.frame import Image

# The sheet: 1 texel = 1 mm, the finger tips at (TIP_X, MIDDLE_Y), the arm towards x = 0.
LENGTH, WIDTH = 960, 180
TIP_X, MIDDLE_Y = 940.0, 88.0
CUFF_X = -232.0
ELBOW_RISE_MM = 95.0
"""The elbow is this much higher above the board than the finger tips."""

Stroke = tuple[float, float, float, float]
"""x, y from the finger tips, radius, height of the axis; mm. The thumb's side is y < 0 in the sheet of a right hand."""

FINGERS: Final[tuple[tuple[Stroke, ...], ...]] = (
    ((-96, 36, 12, 40), (-62, 45, 8.5, 44), (-44, 41, 7.5, 30), (-36, 36, 7, 20)),  # little
    ((-86, 20, 13, 44), (-48, 25, 9.5, 50), (-27, 20, 8.5, 34), (-20, 16, 7.5, 22)),  # ring
    ((-78, 2, 13.5, 46), (-38, 5, 10, 53), (-13, 6, 9, 34), (1, 5, 7.5, 18)),  # middle
    ((-82, -20, 13, 45), (-42, -21, 9.8, 50), (-17, -13, 8.8, 33), (0, -5, 7.5, 17)),  # index
    ((-140, -28, 17, 22), (-88, -47, 12.5, 24), (-48, -42, 10.5, 22), (-16, -27, 9.5, 16), (-6, -20, 8, 12)),  # thumb
)
BACK: Final[tuple[tuple[Stroke, ...], ...]] = (
    ((-168, 0, 25, 26), (-112, 28, 18, 32), (-96, 36, 12, 40)),
    ((-168, 0, 26, 26), (-112, 14, 20, 34), (-86, 20, 13, 42)),
    ((-168, 0, 26, 26), (-112, 0, 21, 35), (-78, 2, 13.5, 44)),
    ((-168, 0, 25, 26), (-112, -15, 20, 34), (-82, -20, 13, 43)),
    ((-168, -6, 22, 24), (-140, -28, 17, 24)),
    ((-260, 0, 31, 24), (-200, 0, 27, 24), (-168, 0, 26, 26)),  # wrist
)
SLEEVE: Final[tuple[tuple[Stroke, ...], ...]] = (
    ((-940, 0, 56, 20), (-520, 0, 53, 22), (-330, 0, 45, 24), (CUFF_X - 12, 0, 37, 26)),
)
NAILS: Final = ((-2, 5, 10.0, 5.0, 5.0), (-5, -7, 10.0, 5.0, 20.0), (-14, -25, 11.0, 6.0, 35.0))
"""x, y, length, width in mm, turn in degrees."""


class HandPainter:
    """Draws the hand, its arm and its shadow for one camera."""

    def __init__(self, optics: Optics, pose: Pose, light: Light) -> None:
        self._optics, self._pose, self._light = optics, pose, light

    @cached_property
    def _sheet(self) -> Image:
        return hand_sheet(self._optics.skin, self._optics.sleeve, self._optics.left_handed)

    @cached_property
    def _cover(self) -> Image:
        return np.ascontiguousarray(self._sheet[..., 3])

    def carry(self, hand: Hand, shadow: bool = False) -> Float:
        """Return the matrix that carries the sheet into the picture; or its shadow on the board, shape (3, 3)."""
        along = np.array([hand.x_mm - hand.elbow_x_mm, hand.y_mm - hand.elbow_y_mm])
        reach = max(float(np.hypot(*along)), 1.0)
        along = along / reach
        thumb = np.array([-along[1], along[0]])
        rise = ELBOW_RISE_MM / reach
        # The palm's own thickness: the sheet passes through the finger tips, not through the knuckles.
        spots = np.array([[0.0, -40.0], [0.0, 40.0], [-300.0, 40.0], [-300.0, -40.0]])
        plane = np.array([hand.x_mm, hand.y_mm]) + spots[:, :1] * along - spots[:, 1:] * thumb
        height = hand.z_mm + 4.0 - spots[:, 0] * rise
        if shadow:
            # Wrist and knuckles are higher than the sheet: their shadow falls further.
            high = height + 14.0
            plane = plane + high[:, None] * np.array(self._optics.shadow_mm)
            height = np.zeros(4)
        seen = self._pose.project(np.column_stack([plane, height])).astype(np.float32)
        texels = (spots + np.array([TIP_X, MIDDLE_Y])).astype(np.float32)
        return np.asarray(cv2.getPerspectiveTransform(texels, seen), dtype=np.float64)

    def reach_px(self, carry: Float, margin: int) -> Part | None:
        """Return the part of the picture (x0, y0, x1, y1) that a carried sheet can touch, None if none."""
        edge = np.array([[x, y] for x in np.linspace(0, LENGTH, 17) for y in (30.0, WIDTH - 30.0)])
        edge = np.vstack(
            [edge, [[LENGTH - 120.0, 4.0], [LENGTH - 120.0, WIDTH - 4.0], [LENGTH, 4], [LENGTH, WIDTH - 4]]]
        )
        seen = np.column_stack([edge, np.ones(len(edge))]) @ carry.T
        ahead = seen[:, 2] > 0.05 * seen[-1, 2]
        if not ahead.any():
            return None  # an arm bent so far that all of it lies beyond the camera's horizon
        points = seen[ahead, :2] / seen[ahead, 2:]
        low = np.maximum(np.floor(points.min(axis=0)) - margin, 0).astype(int)
        high = np.minimum(np.ceil(points.max(axis=0)) + margin, (self._pose.width, self._pose.height)).astype(int)
        if (low >= high).any():
            return None
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def shade(self, canvas: Image, hand: Hand) -> Part | None:
        """Darken a picture by the hand's shadow; returns the touched part."""
        carry = self.carry(hand, shadow=True)
        blur = max(3.0, 0.07 * hand.z_mm + 4.0) * self._pose.width / 640
        part = self.reach_px(carry, margin=int(2.5 * blur))
        if part is None:
            return None
        x0, y0, x1, y1 = part
        # A quarter of the resolution is enough for something this soft.
        small = np.diag([0.25, 0.25, 1.0]) @ np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ carry
        size = ((x1 - x0 + 3) // 4, (y1 - y0 + 3) // 4)
        mask = cv2.warpPerspective(self._cover, small, size, flags=cv2.INTER_LINEAR)
        mask = cv2.GaussianBlur(mask, (0, 0), blur / 4)
        light = 255 - mask * np.float32(self._optics.shadow_strength)
        wide = cv2.resize(light.astype(np.uint8), (size[0] * 4, size[1] * 4), interpolation=cv2.INTER_LINEAR)
        view = canvas[y0:y1, x0:x1]
        gain = cv2.merge([np.ascontiguousarray(wide[: y1 - y0, : x1 - x0])] * 3)
        view[...] = cv2.multiply(view, gain, scale=1 / 255)
        return part

    def paint(self, canvas: Image, hand: Hand) -> Part | None:
        """Draw the hand; returns the touched part."""
        carry = self.carry(hand)
        part = self.reach_px(carry, margin=2)
        if part is None:
            return None
        x0, y0, x1, y1 = part
        moved = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ carry
        seen = cv2.warpPerspective(self._sheet, moved, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        blue, green, red, cover = cv2.split(seen)
        clear = cv2.bitwise_not(cover)
        lit = cv2.multiply(cv2.merge([blue, green, red]), self._light.gain[y0:y1, x0:x1], dtype=cv2.CV_8U)
        view = canvas[y0:y1, x0:x1]
        view[...] = cv2.add(cv2.multiply(view, cv2.merge([clear, clear, clear]), scale=1 / 255), lit)
        return part


@lru_cache(maxsize=8)
def hand_sheet(skin: tuple[int, int, int], sleeve: tuple[int, int, int], left_handed: bool) -> Image:
    """Return hand and forearm from above: shape (WIDTH, LENGTH, 4), colour weighted with the cover."""
    flesh, fingers_cover = _heights(BACK + FINGERS, 3.0)
    arm, arm_cover = _heights(SLEEVE, 2.0)
    random = np.random.default_rng(0x4A2D)
    skin_colour = _skin(flesh, fingers_cover, skin, random)
    arm = arm + np.float32(1.6) * _folds(random)
    cloth = _cloth(arm, sleeve, random)
    cuff = np.clip((TIP_X + CUFF_X - np.arange(LENGTH, dtype=np.float32)) / 1.5 + 0.5, 0, 1)[None, :]
    arm_cover = arm_cover * cuff
    rim = np.clip(1 - np.abs(np.arange(LENGTH) - (TIP_X + CUFF_X + 5)) / 9.0, 0, 1).astype(np.float32)[None, :, None]
    skin_colour *= 1 - 0.45 * rim
    share = arm_cover[..., None]
    colour = cloth * share + skin_colour * (1 - share)
    cover = np.maximum(arm_cover, fingers_cover)[..., None]
    sheet = np.dstack([np.clip(colour, 0, 255) * cover, cover * 255])
    if left_handed:
        sheet = cv2.warpAffine(
            sheet, np.array([[1, 0, 0], [0, -1, 2 * MIDDLE_Y]], np.float64), (LENGTH, WIDTH), flags=cv2.INTER_LINEAR
        )
    return np.asarray(sheet + 0.5, dtype=np.uint8)


@lru_cache(maxsize=2)
def _heights(limbs: tuple[tuple[Stroke, ...], ...], soft: float) -> tuple[Float32, Float32]:
    """Return the height above the sheet's plane, and the cover, of round limbs: shape (WIDTH, LENGTH) each."""
    y, x = np.mgrid[0:WIDTH, 0:LENGTH].astype(np.float32) - np.array([MIDDLE_Y, TIP_X], np.float32)[:, None, None]
    height = np.full((WIDTH, LENGTH), -100.0, np.float32)
    cover = np.zeros((WIDTH, LENGTH), np.float32)
    for limb in limbs:
        for (ax, ay, ar, az), (bx, by, br, bz) in itertools.pairwise(limb):
            length = (bx - ax) ** 2 + (by - ay) ** 2
            share = np.clip(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0, 1)
            away = np.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay))
            radius = ar + share * (br - ar)
            round_up = np.sqrt(np.maximum(radius * radius - away * away, 0.0))
            height = np.where(away < radius, np.maximum(height, az + share * (bz - az) + round_up), height)
            cover = np.maximum(cover, np.clip(radius - away + 0.5, 0, 1))
    ground = np.where(height > -50, height, 0).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(ground, (0, 0), soft), dtype=np.float32), cover


def _shading(height: Float32, detail: float) -> Float32:
    """Light from above and a little from the side; hollows are darker: shape (h, w)."""
    down, right = cv2.Sobel(height, cv2.CV_32F, 0, 1, scale=0.125), cv2.Sobel(height, cv2.CV_32F, 1, 0, scale=0.125)
    normal = 1.0 / np.sqrt(1.0 + down * down + right * right)
    lambert = normal * (1.0 + detail * (0.30 * down - 0.18 * right))
    hollow = np.clip((cv2.GaussianBlur(height, (0, 0), 7.0) - height) / 14.0, -0.25, 0.6)
    return np.asarray(0.30 + 0.72 * np.clip(lambert, 0, 1.25) - 0.55 * hollow, dtype=np.float32)


def _noise(random: np.random.Generator, sigma: float) -> Float32:
    values = cv2.GaussianBlur(random.standard_normal((WIDTH, LENGTH)).astype(np.float32), (0, 0), sigma)
    return np.asarray(values / values.std(), dtype=np.float32)


def _skin(height: Float32, cover: Float32, skin: tuple[int, int, int], random: np.random.Generator) -> Float32:
    rough = height + 0.12 * _noise(random, 1.0) + 0.35 * _noise(random, 3.0)
    light = _shading(rough, 1.0)
    blotches = _noise(random, 12.0)[..., None] * np.array([-0.030, -0.025, 0.012], np.float32)
    colour = np.array(skin, np.float32) * (1 + blotches)
    # Light that went through the skin comes out red: shaded parts lose blue and green first.
    dim = np.clip(1 - light, 0, 1)[..., None]
    colour = colour * light[..., None] * (1 - dim * np.array([0.35, 0.25, 0.0], np.float32))
    for x, y, length, width, turn in NAILS:
        nail = np.zeros((WIDTH, LENGTH), np.uint8)
        centre = (round((x + TIP_X) * 16), round((y + MIDDLE_Y) * 16))
        cv2.ellipse(nail, centre, (round(length * 8), round(width * 8)), turn, 0, 360, 255, -1, cv2.LINE_AA, 4)
        share = (nail.astype(np.float32) / 255 * 0.5)[..., None]
        colour = colour * (1 - share) + share * np.minimum(np.array(skin, np.float32) * 1.22, 245)
    return np.asarray(colour, dtype=np.float32)


def _folds(random: np.random.Generator) -> Float32:
    """Folds of cloth across the arm."""
    noise = random.standard_normal((WIDTH, LENGTH)).astype(np.float32)
    folds = cv2.GaussianBlur(noise, (0, 0), sigmaX=9, sigmaY=26)
    bent = cv2.warpAffine(folds, np.array([[1, 0.35, -30], [0, 1, 0]], np.float64), (LENGTH, WIDTH), borderMode=4)
    return np.asarray(bent / bent.std(), dtype=np.float32)


def _cloth(height: Float32, sleeve: tuple[int, int, int], random: np.random.Generator) -> Float32:
    weave = 1 + 0.05 * _noise(random, 0.7) + 0.03 * _noise(random, 5.0)
    light = _shading(height, 1.3) * weave
    seam = np.abs(np.arange(LENGTH) - (TIP_X + CUFF_X - 14)) < 1.2
    light[:, seam] *= 0.75
    return np.asarray(np.array(sleeve, np.float32) * light[..., None], dtype=np.float32)
