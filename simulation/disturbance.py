"""What disturbs the picture of a table, by name and seed: light that changes, shadows, reflections, a bump of the camera.

A disturbance acts on the picture before the sensor's noise, so that it looks like light and not like a filter. What hands do to
discs (`Push`, a slow `Pace`, a hand that rests beside the board) belongs to the hand.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from damludo.simulation.optics import Float32, Optics
from damludo.vision.frame import Image

CELL_PX = 16
"""Light varies smoothly: it is drawn on a grid of this pitch."""
UNIT_GAIN = 64.0
"""Gains are multiplied as bytes; 64 stands for 1, so that light may grow nearly fourfold."""

Field = Float32
"""Something at each point of the coarse grid: shape (h, w, 3), BGR."""


@dataclass(frozen=True, eq=False, slots=True)
class Light:
    """What a disturbance does at one moment: `gain` multiplies the picture, `glow` (grey levels) is added; None = nothing."""

    gain: Field | None = None
    glow: Field | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Disturbance:
    """One disturbance of the picture.

    Attributes:
        name: a key of `KINDS`.
        start_s: when it begins, on the camera's clock.
        light: what it does to the light so many seconds after it began.
        bumped: where the camera stands from then on; None if nobody touches it.
    """

    name: str
    start_s: float
    light: Callable[[float], Light]
    bumped: Optics | None = None

    def over(self, picture: Image, time_s: float) -> Image:
        """Return the picture as it is disturbed at a time; the given one is not written to."""
        if time_s < self.start_s:
            return picture
        light = self.light(time_s - self.start_s)
        if light.gain is not None:
            bytes_of_gain = np.clip(light.gain * UNIT_GAIN + 0.5, 0, 255).astype(np.uint8)
            picture = np.asarray(cv2.multiply(picture, _spread(bytes_of_gain, picture), scale=1 / UNIT_GAIN))
        if light.glow is not None:
            picture = np.asarray(cv2.add(picture, _spread(np.clip(light.glow, 0, 255).astype(np.uint8), picture)))
        return np.asarray(picture, dtype=np.uint8)


def _spread(field: Image, picture: Image) -> Image:
    height, width = picture.shape[:2]
    return np.asarray(cv2.resize(field, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def disturbance(name: str, seed: int, start_s: float, optics: Optics) -> Disturbance:
    """Return a disturbance of a kind; equal arguments give equal disturbances.

    Raises:
        ValueError: there is no such kind.
    """
    if name not in KINDS:
        raise ValueError(f"no disturbance is called {name!r}; use one of {', '.join(KINDS)}")
    random = np.random.default_rng([seed, list(KINDS).index(name), 0xD157])
    if name == "bump":
        return Disturbance(name, start_s, lambda _: Light(), _bumped(optics, random))
    return Disturbance(name, start_s, KINDS[name](random, optics))


Kind = Callable[[np.random.Generator, Optics], Callable[[float], Light]]


def _plane(optics: Optics) -> Float32:
    """Coordinates of the grid's points, -1..1 over the picture's width: shape (h, w, 2)."""
    columns, rows = -(-optics.width // CELL_PX) + 1, -(-optics.height // CELL_PX) + 1
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    half = np.float32(columns / 2)
    return np.stack([x / half - 1, (y - np.float32(rows / 2)) / half], axis=-1)


def _even(optics: Optics, log_gain: float, warmth: float = 0.0) -> Field:
    tint = np.array([-warmth / 2, 0.0, warmth / 2], np.float32)
    shape = (*_plane(optics).shape[:2], 3)
    return np.asarray(np.exp(np.broadcast_to(np.float32(log_gain) + tint, shape)), dtype=np.float32)


def _light_change(random: np.random.Generator, optics: Optics) -> Callable[[float], Light]:
    """A cloud, or the exposure set anew: everything is darker or brighter within a moment."""
    log_gain = float(random.choice([-1, 1]) * random.uniform(0.1, 0.25))
    return lambda since: Light(_even(optics, log_gain * min(1.0, since / 0.3)))


def _lamp_switched(random: np.random.Generator, optics: Optics) -> Callable[[float], Light]:
    """A lamp at one side goes on or off: brightness, its slope and its colour change at once."""
    angle = random.uniform(-math.pi, math.pi)
    toward = np.array([math.cos(angle), math.sin(angle)], np.float32)
    slope, level, warmth = random.uniform(0.15, 0.4), random.uniform(-0.3, 0.2), random.uniform(-0.12, 0.12)
    field = _even(optics, level, warmth) * np.exp(np.float32(slope) * np.tanh(_plane(optics) @ toward))[..., None]
    return lambda since: Light(np.asarray(field, dtype=np.float32))


def _sunset(random: np.random.Generator, optics: Optics) -> Callable[[float], Light]:
    """The light goes slowly, and red: to a half within some minutes."""
    half_life_s = random.uniform(60.0, 180.0)

    def light(since: float) -> Light:
        gone = min(1.0, since / half_life_s)
        return Light(_even(optics, -0.7 * gone, 0.15 * gone))

    return light


def _pumping(random: np.random.Generator, optics: Optics) -> Callable[[float], Light]:
    """The camera's exposure hunts for the right value."""
    depth, period_s = random.uniform(0.06, 0.14), random.uniform(1.5, 4.0)
    return lambda since: Light(_even(optics, depth * math.sin(2 * math.pi * since / period_s)))


def _head_shadow(random: np.random.Generator, optics: Optics) -> Callable[[float], Light]:
    """A head leans between lamp and board, stays a while, and goes."""
    plane, side = _plane(optics), float(random.choice([-1, 1]))
    far = np.array([side * random.uniform(0.3, 1.0), 1.6], np.float32)
    near = np.array([side * random.uniform(0.0, 0.6), random.uniform(0.1, 0.6)], np.float32)
    size, soft = random.uniform(0.3, 0.6), random.uniform(0.06, 0.15)
    strength, stay_s = random.uniform(0.25, 0.45), random.uniform(2.0, 6.0)

    def light(since: float) -> Light:
        there = np.clip(min(since, stay_s + 1.6 - since) / 0.8, 0.0, 1.0)
        if there <= 0.0:
            return Light()
        middle = far + np.float32(there * there * (3 - 2 * there)) * (near - far)
        away = np.hypot(plane[..., 0] - middle[0], (plane[..., 1] - middle[1]) * np.float32(0.8))
        shade = 1 / (1 + np.exp(np.clip((away - size) / soft, -30, 30)))
        return Light(np.repeat(np.asarray(1 - strength * shade, dtype=np.float32)[..., None], 3, axis=2))

    return light


def _glare(random: np.random.Generator, optics: Optics) -> Callable[[float], Light]:
    """A window or a telephone is mirrored in the varnish for a while."""
    away = _plane(optics) - random.uniform(-0.6, 0.6, 2).astype(np.float32)
    size, strength, stay_s = random.uniform(0.08, 0.2), random.uniform(40.0, 110.0), random.uniform(1.5, 8.0)
    spot = np.float32(strength) * np.exp(-0.5 * np.square(away / np.float32(size)).sum(axis=-1))
    field = np.repeat(spot[..., None], 3, axis=2).astype(np.float32)

    def light(since: float) -> Light:
        there = float(np.clip(min(since, stay_s + 0.8 - since) / 0.4, 0.0, 1.0))
        return Light(glow=np.float32(there) * field) if there > 0 else Light()

    return light


def _no_light(random: np.random.Generator, optics: Optics) -> Callable[[float], Light]:
    del random, optics
    return lambda since: Light()


def _bumped(optics: Optics, random: np.random.Generator) -> Optics:
    """Return where the camera stands after somebody knocked against it: a quarter to one square away in the picture."""
    angle, size = random.uniform(-math.pi, math.pi), random.uniform(0.03, 0.1)
    return replace(
        optics,
        aim_x=optics.aim_x + size * math.cos(angle),
        aim_y=optics.aim_y + size * math.sin(angle),
        fill=optics.fill * float(random.uniform(0.94, 0.99)),
        roll=optics.roll + float(random.uniform(-0.03, 0.03)),
        tilt=optics.tilt + float(random.uniform(-0.015, 0.015)),
    )


KINDS: Final[Mapping[str, Kind]] = {
    "light_change": _light_change,
    "lamp_switched": _lamp_switched,
    "sunset": _sunset,
    "pumping": _pumping,
    "head_shadow": _head_shadow,
    "glare": _glare,
    "bump": _no_light,
}
"""What can be asked for by name."""
