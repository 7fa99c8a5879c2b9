"""Everything that never moves: table top, board and racks in the light of the room, through the lens."""

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.robot.places import TableLayout
from damludo.simulation.optics import Optics, Pose, stand_camera
from damludo.simulation.render_texture import (
    SHEET,
    SHEETS,
    TEXELS_PER_MM,
    Bgr,
    Box,
    Float32,
    Woods,
    board_box,
    furniture,
    grain_sheet,
    rack_box,
    stain,
)
from damludo.vision.frame import Image

BOARD_THICKNESS_MM = 16.0
"""The board's and the racks' upper sides lie this much above the table top."""

FINE = 2
"""The ground is sampled this many times finer than the picture, in both directions."""


@dataclass(frozen=True, eq=False, slots=True)
class Light:
    """What the light of the room and the lens do to each pixel of a thing painted white.

    Attributes:
        gain: shape (h, w, 3), float32; multiplies paint.
    """

    gain: Float32

    def at(self, pixels: NDArray[np.float64]) -> Float32:
        """Return the gain, shape (n, 3), at pixels, shape (n, 2); outside the picture that of its edge."""
        height, width = self.gain.shape[:2]
        x = np.clip(np.round(pixels[:, 0]), 0, width - 1).astype(int)
        y = np.clip(np.round(pixels[:, 1]), 0, height - 1).astype(int)
        return np.asarray(self.gain[y, x], dtype=np.float32)


COARSE_PX = 4
"""What varies smoothly over the picture is computed at every fourth pixel and interpolated with cubics."""


def _coarse_pixels(pose: Pose) -> Float32:
    """Positions for `_spread`, in px of the picture: shape (h, w, 2); they reach two steps beyond its edges."""
    columns, rows = -(-pose.width // COARSE_PX) + 4, -(-pose.height // COARSE_PX) + 4
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    return (np.stack([x, y], axis=-1) - np.float32(1.5)) * np.float32(COARSE_PX) - np.float32(0.5)


def _spread(values: Float32, pose: Pose, fine: int) -> Float32:
    """Interpolate values known at the coarse pixels to a picture sampled `fine` times finer: shape (h, w[, n])."""
    scale = COARSE_PX * fine
    size = (values.shape[1] * scale, values.shape[0] * scale)
    wide = cv2.resize(values, size, interpolation=cv2.INTER_CUBIC)
    cut = wide[2 * scale : 2 * scale + pose.height * fine, 2 * scale : 2 * scale + pose.width * fine]
    return np.ascontiguousarray(cut, dtype=np.float32)


def room_light(optics: Optics, pose: Pose, layout: TableLayout) -> Light:
    """Return the room's light as the camera sees it: a gradient over the field, its colour, the lens's loss of light."""
    pixels = _coarse_pixels(pose)
    place = pose.meet(pose.rays(pixels))
    size = np.float32(max(layout.width_mm, layout.height_mm))
    away = (place - np.array([layout.width_mm, layout.height_mm], np.float32) / 2) / size
    toward = np.array([np.cos(optics.gradient_direction), np.sin(optics.gradient_direction)], np.float32)
    # Beyond the table the lamp's cone ends: the gradient saturates.
    slope = np.float32(optics.gradient) * np.tanh(away @ toward)
    middle = np.array([pose.width - 1, pose.height - 1], np.float32) / 2
    off = (pixels - middle) / np.float32(0.5 * np.hypot(pose.width, pose.height))
    corner = np.square(off).sum(axis=-1)
    brightness = np.float32(optics.exposure) * np.exp(slope) * (1 - np.float32(optics.vignette) * corner)
    tint = np.array([1 - optics.warmth / 2, 1.0, 1 + optics.warmth / 2], np.float32)
    return Light(_spread(np.asarray(brightness[..., None] * tint, dtype=np.float32), pose, 1))


@dataclass(frozen=True, eq=False, slots=True)
class Stage:
    """What a camera sees of a table on which nothing lies, and what it needs to draw more.

    Attributes:
        pose: of the camera.
        light: on each pixel.
        empty: the empty table, unblurred and without noise, shape (h, w, 3).
    """

    pose: Pose
    light: Light
    empty: Image


def set_stage(optics: Optics, layout: TableLayout) -> Stage:
    """Return the stage of a camera. `empty` must not be written to: equal arguments share it."""
    return _set_stage(replace(optics, noise_sigma=0.0, jpeg_quality=0, blur_px=0.0), layout)


@lru_cache(maxsize=8)
def _set_stage(optics: Optics, layout: TableLayout) -> Stage:
    pose = stand_camera(optics, layout)
    light = room_light(optics, pose, layout)
    return Stage(pose, light, render_ground(optics, pose, layout, light))


def render_ground(optics: Optics, pose: Pose, layout: TableLayout, light: Light) -> Image:
    """Return the empty table as the camera sees it, unblurred and without noise: shape (h, w, 3)."""
    rays = pose.rays(_coarse_pixels(pose))
    scene = _table_top(optics, pose, rays)
    shadow = _furniture_shadow(optics, pose, layout)
    scene = np.asarray(cv2.multiply(scene, cv2.merge([shadow, shadow, shadow]), scale=1 / 255), dtype=np.uint8)
    _draw_walls(scene, optics, pose, layout)
    scene = _lay_furniture(scene, optics, layout, pose, rays)
    size = (pose.width, pose.height)
    coarse = np.asarray(cv2.resize(scene, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
    coarse = coarse * light.gain
    coarse += _sheen(optics, pose, layout, rays)
    return np.asarray(np.clip(coarse + 0.5, 0, 255), dtype=np.uint8)


def _table_top(optics: Optics, pose: Pose, rays: Float32) -> Image:
    place = pose.meet(rays, -BOARD_THICKNESS_MM)
    turned = place @ np.array([[0.9986, 0.0523], [-0.0523, 0.9986]], np.float32)
    texels = _spread(turned * np.float32(1.6) + np.array([311, 173], np.float32), pose, FINE)
    top = _planks(SHEETS + optics.seed % 2, optics.paint.table)
    x, y = cv2.split(texels)
    seen = cv2.remap(top, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(seen, dtype=np.uint8)


@lru_cache(maxsize=4)
def _planks(sheet: int, paint: Bgr) -> Image:
    """Return a table top of glued planks, shape (SHEET, SHEET, 3)."""
    top = stain(grain_sheet(sheet), paint, 0.09)
    planks = (np.arange(SHEET) // 300) % 4
    top *= (1.0 + 0.05 * np.array([0.0, 0.7, -1.0, 0.3], np.float32)[planks])[:, None, None]
    top[np.arange(0, SHEET, 300)] *= np.float32(0.55)
    return np.asarray(np.clip(top + 0.5, 0, 255), dtype=np.uint8)


def _boxes(layout: TableLayout) -> tuple[Box, ...]:
    return rack_box(layout, white=True), rack_box(layout, white=False), board_box(layout)


def _corners(box: Box, z_mm: float) -> NDArray[np.float64]:
    x0, y0, x1, y1 = box
    return np.array([[x0, y0, z_mm], [x1, y0, z_mm], [x1, y1, z_mm], [x0, y1, z_mm]])


def _fill(target: Image, points_px: NDArray[np.float64], colour: tuple[float, ...], fine: int) -> None:
    """Fill a convex polygon given in px of the picture on a canvas that is `fine` times finer."""
    fixed = np.round(((points_px + 0.5) * fine - 0.5) * 16).astype(np.int32)
    cv2.fillConvexPoly(target, fixed, colour, cv2.LINE_AA, 4)


def _furniture_shadow(optics: Optics, pose: Pose, layout: TableLayout) -> Image:
    """Return the part of the light, 0..255, that board and racks leave to the table top; `FINE` times finer."""
    mask = np.full((pose.height, pose.width), 255, np.uint8)
    shift = np.array([*optics.shadow_mm, 0.0]) * BOARD_THICKNESS_MM
    for box in _boxes(layout):
        foot = _corners(box, -BOARD_THICKNESS_MM)
        hull = cv2.convexHull(np.concatenate([foot, foot + shift])[:, :2].astype(np.float32)).reshape(-1, 2)
        level = np.full((len(hull), 1), -BOARD_THICKNESS_MM)
        _fill(mask, pose.project(np.hstack([hull, level])), (255 * (1 - 0.75 * optics.shadow_strength),), 1)
    soft = cv2.GaussianBlur(mask, (0, 0), 6.0 * pose.width / 640)
    size = (pose.width * FINE, pose.height * FINE)
    return np.asarray(cv2.resize(soft, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _draw_walls(scene: Image, optics: Optics, pose: Pose, layout: TableLayout) -> None:
    """Draw the outer walls of board and racks, which the oblique camera sees on its own side."""
    frame = np.array(optics.paint.frame, np.float64)
    for box in _boxes(layout):
        top, foot = _corners(box, 0.0), _corners(box, -BOARD_THICKNESS_MM)
        for k in range(4):
            following = (k + 1) % 4
            along = top[following] - top[k]
            outward = np.array([along[1], -along[0]]) / np.hypot(along[0], along[1])
            shade = 0.62 - 0.18 * float(outward @ np.array(optics.shadow_mm))
            quad = pose.project(np.array([top[k], top[following], foot[following], foot[k]]))
            _fill(scene, quad, tuple((frame * min(max(shade, 0.4), 0.85)).tolist()), FINE)


def _lay_furniture(scene: Image, optics: Optics, layout: TableLayout, pose: Pose, rays: Float32) -> Image:
    paint = optics.paint
    woods = Woods(paint.light, paint.dark, paint.frame, paint.board_grain, paint.a1_dark, optics.seed)
    texture = furniture(layout, woods)
    from_corner = pose.meet(rays) - np.array([texture.x0_mm, texture.y1_mm], np.float32)
    texels = _spread(from_corner * np.array([TEXELS_PER_MM, -TEXELS_PER_MM], np.float32) - np.float32(0.5), pose, FINE)
    x, y = cv2.split(texels)
    seen = cv2.remap(texture.layers(), x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    blue, green, red, cover = cv2.split(seen)
    clear = cv2.bitwise_not(cover)
    # Where the cover is partial the colour was mixed with nothing, so it is already weighted.
    around = cv2.multiply(scene, cv2.merge([clear, clear, clear]), scale=1 / 255)
    return np.asarray(cv2.add(around, cv2.merge([blue, green, red])), dtype=np.uint8)


def _sheen(optics: Optics, pose: Pose, layout: TableLayout, rays: Float32) -> Float32:
    """A lamp mirrored softly in the varnish: grey levels to add, shape (h, w, 1)."""
    random = np.random.default_rng([optics.seed, 0x51EE])
    middle = random.uniform(0.1, 0.9, 2) * (layout.width_mm, layout.height_mm)
    spread = random.uniform(0.15, 0.4, 2) * layout.width_mm
    angle = random.uniform(0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], np.float32)
    off = ((pose.meet(rays) - middle.astype(np.float32)) @ turn) / spread.astype(np.float32)
    spot = np.exp(-0.5 * np.square(off).sum(axis=-1)) * np.float32(255 * optics.glare)
    return _spread(np.asarray(spot, dtype=np.float32), pose, 1)[..., None]
