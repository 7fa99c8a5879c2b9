"""How the simulated camera stands, and what light, paint and lens do: one seeded draw from `difficulty.toml`."""

import math
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from damludo.robot.places import TableLayout
from damludo.simulation.render_texture import rack_box
from damludo.simulation.table import DiscColour

Float = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bgr = tuple[int, int, int]
"""A colour as OpenCV orders it, 0..255, lit by plain white light."""


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours of the wooden things.

    Attributes:
        light, dark: the squares (on a line board: plate and lines).
        frame, table: the board's frame and the table top.
        white, black: the discs of the two sides.
        board_grain, disc_grain: relative contrast of the grain.
        gloss: strength of the discs' highlight, 0..1.
        a1_dark: whether a1 is a dark square.
    """

    light: Bgr = (152, 200, 222)
    dark: Bgr = (44, 46, 52)
    frame: Bgr = (130, 182, 214)
    table: Bgr = (76, 112, 150)
    white: Bgr = (138, 182, 212)
    black: Bgr = (50, 54, 66)
    board_grain: float = 0.05
    disc_grain: float = 0.06
    gloss: float = 0.1
    a1_dark: bool = True

    def disc(self, colour: DiscColour) -> Bgr:
        """Return the paint of a side's discs."""
        return self.white if colour is DiscColour.WHITE else self.black


@dataclass(frozen=True, slots=True)
class Optics:
    """Everything about the picture that is not on the table. Angles in rad, lengths in px where the name says so.

    Attributes:
        seed: of the noise, the grain, and (by `seeded`) of everything else.
        side: where the human sits: the camera stands there, so this side's edge is at the bottom of the picture.
        width, height: of the picture in px.
        focal: focal length divided by the picture's width.
        k1: first radial coefficient of OpenCV's lens model.
        tilt, azimuth, roll: of the optical axis from the vertical; of the camera around the board; around the optical axis.
        fill: part of the picture that board and racks take up; it determines the camera's distance.
        aim_x, aim_y: aimed-at point minus the board's middle, in parts of the field's sides.
        exposure: gain on everything.
        gradient, gradient_direction: ln of the ratio of light across the field; where it is brighter (0 = along x).
        warmth: red gain minus blue gain.
        vignette: loss of light in the picture's corners.
        glare: strength of the lamp's reflection on the board's varnish, part of full scale.
        shadow_strength: part of the light that a shadow takes away.
        shadow_direction, shadow_length: where shadows fall (0 = along x); mm of shadow a mm of height.
        noise_sigma: of the sensor noise, grey levels.
        blur_px: sigma of the lens blur.
        jpeg_quality: of the camera's own compression; 0 = none.
        left_handed: which hand reaches in.
        skin, sleeve: colours of the hand's owner.
    """

    seed: int = 0
    side: DiscColour = DiscColour.WHITE
    width: int = 640
    height: int = 480
    focal: float = 0.9
    k1: float = -0.06
    tilt: float = 0.35
    azimuth: float = 0.0
    roll: float = 0.0
    fill: float = 0.94
    aim_x: float = 0.0
    aim_y: float = 0.0
    exposure: float = 0.95
    gradient: float = 0.25
    gradient_direction: float = 0.8
    warmth: float = 0.05
    vignette: float = 0.18
    glare: float = 0.06
    shadow_strength: float = 0.38
    shadow_direction: float = -2.3
    shadow_length: float = 0.7
    noise_sigma: float = 1.8
    blur_px: float = 0.7
    jpeg_quality: int = 85
    left_handed: bool = False
    skin: Bgr = (128, 158, 206)
    sleeve: Bgr = (92, 66, 52)
    paint: Paint = field(default_factory=Paint)

    @classmethod
    def seeded(cls, seed: int, side: DiscColour = DiscColour.WHITE, width: int = 640, height: int = 480) -> "Optics":
        """Draw a plausible set-up within the ranges of `difficulty.toml`; equal arguments give equal optics."""
        draw = _Draw(seed)
        return cls(
            seed=seed,
            side=side,
            width=width,
            height=height,
            focal=draw.within("camera", "focal"),
            k1=draw.within("camera", "k1"),
            tilt=math.radians(draw.within("camera", "tilt_deg")),
            azimuth=math.radians(draw.within("camera", "azimuth_deg")),
            roll=math.radians(draw.within("camera", "roll_deg")),
            fill=draw.within("camera", "fill"),
            aim_x=draw.within("camera", "aim"),
            aim_y=draw.within("camera", "aim"),
            exposure=draw.within("light", "exposure"),
            gradient=draw.within("light", "gradient"),
            gradient_direction=draw.angle(),
            warmth=draw.within("light", "warmth"),
            vignette=draw.within("camera", "vignette"),
            glare=draw.within("light", "glare"),
            shadow_strength=draw.within("light", "shadow_strength"),
            shadow_direction=draw.angle(),
            shadow_length=draw.within("light", "shadow_length"),
            noise_sigma=draw.within("camera", "noise_sigma"),
            blur_px=draw.within("camera", "blur_px") * width / 640,
            jpeg_quality=round(draw.within("camera", "jpeg_quality")),
            left_handed=draw.chance(0.2),
            skin=draw.one_of(SKINS),
            sleeve=draw.one_of(SLEEVES),
            paint=draw.paint(),
        )

    @property
    def shadow_mm(self) -> tuple[float, float]:
        """Where the shadow of a point 1 mm above the board falls: offset in x and y, mm."""
        return (
            self.shadow_length * math.cos(self.shadow_direction),
            self.shadow_length * math.sin(self.shadow_direction),
        )


SKINS: Final[tuple[Bgr, ...]] = ((128, 158, 206), (108, 138, 188), (86, 116, 164), (60, 82, 124))
SLEEVES: Final[tuple[Bgr, ...]] = ((92, 66, 52), (58, 58, 62), (70, 84, 60), (60, 56, 120), (150, 146, 142))


@cache
def difficulty() -> dict[str, Any]:
    """Return the committed difficulty: ranges and paints, as in `difficulty.toml`."""
    return tomllib.loads(files("damludo.simulation").joinpath("difficulty.toml").read_text(encoding="utf-8"))


class _Draw:
    """Random choices of one seed, within the committed difficulty."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng([seed, 0xD1FF])
        self._ranges = difficulty()

    def within(self, section: str, key: str) -> float:
        low, high = self._ranges[section][key]
        return float(self._random.uniform(low, high))

    def angle(self) -> float:
        return float(self._random.uniform(-math.pi, math.pi))

    def chance(self, probability: float) -> bool:
        return bool(self._random.random() < probability)

    def one_of(self, choices: tuple[Bgr, ...]) -> Bgr:
        return choices[int(self._random.integers(len(choices)))]

    def paint(self) -> Paint:
        boards, paints, tables = (self._ranges[key] for key in ("boards", "paints", "tables"))
        board = boards[self._name(list(boards))]
        discs = paints[self._name(board["discs"])]
        return Paint(
            light=_bgr(board["light"]),
            dark=_bgr(board["dark"]),
            frame=_bgr(board["frame"]),
            table=_bgr(tables[self._name(list(tables))]),
            white=_bgr(discs["white"]),
            black=_bgr(discs["black"]),
            board_grain=board["grain"],
            disc_grain=discs["grain"],
            gloss=discs["gloss"],
        )

    def _name(self, names: list[str]) -> str:
        return names[int(self._random.integers(len(names)))]


def _bgr(rgb: list[int]) -> Bgr:
    red, green, blue = rgb
    return blue, green, red


@dataclass(frozen=True, eq=False, slots=True)
class Pose:
    """A pin-hole camera with one radial term.

    Attributes:
        width, height: of the picture, px; the principal point is ((width - 1) / 2, (height - 1) / 2).
        focal_px, k1: lens.
        rotation: shape (3, 3), camera_from_board; camera axes are x right, y down, z forward.
        position_mm: shape (3,), the camera in the board frame.
    """

    width: int
    height: int
    focal_px: float
    k1: float
    rotation: Float
    position_mm: Float

    def project(self, points_mm: Float) -> Float:
        """Carry points of the board frame, shape (..., 3) in mm, into the picture, shape (..., 2) in px.

        Source: the radial model of OpenCV, x' (1 + k1 r^2).
        """
        seen = (np.asarray(points_mm, dtype=np.float64) - self.position_mm) @ self.rotation.T
        plane = seen[..., :2] / seen[..., 2:]
        x, y = plane[..., 0], plane[..., 1]
        scale = self.focal_px * (1.0 + self.k1 * (x * x + y * y))
        return np.asarray(plane * scale[..., None] + self._middle(), dtype=np.float64)

    def rays(self, pixels: Float32) -> Float32:
        """Carry pixels, shape (..., 2), to directions of sight in the board frame, shape (..., 3), not normalised."""
        bent = (pixels - self._middle().astype(np.float32)) / np.float32(self.focal_px)
        x, y = bent[..., 0], bent[..., 1]
        radial = np.ones(x.shape, np.float32)
        # |k1| r^2 < 0.1 in the picture, so each round of this fixed point gains a digit.
        for _ in range(6):
            radial = 1 + np.float32(self.k1) * (x * x + y * y) / (radial * radial)
        turn = self.rotation.astype(np.float32)
        return np.asarray(bent / radial[..., None] @ turn[:2] + turn[2], dtype=np.float32)

    def meet(self, rays: Float32, z_mm: float = 0.0) -> Float32:
        """Return where rays, shape (..., 3), meet the plane at height `z_mm`: x and y, shape (..., 2) in mm."""
        reach = np.float32(z_mm - self.position_mm[2]) / np.minimum(rays[..., 2], np.float32(-1e-3))
        return np.asarray(rays[..., :2] * reach[..., None] + self.position_mm[:2], dtype=np.float32)

    def _middle(self) -> Float:
        return np.array([(self.width - 1) / 2, (self.height - 1) / 2])


def stand_camera(optics: Optics, layout: TableLayout) -> Pose:
    """Place the camera so that board and racks take up `optics.fill` of the picture."""
    rotation, backward = _orientation(optics)
    aim = np.array([layout.width_mm * (0.5 + optics.aim_x), layout.height_mm * (0.5 + optics.aim_y), 0.0])
    must_see = _extent(layout)
    half = 0.5 * optics.fill * np.array([optics.width, optics.height])
    middle = np.array([(optics.width - 1) / 2, (optics.height - 1) / 2])

    def at(distance_mm: float) -> Pose:
        focal_px = optics.focal * optics.width
        return Pose(optics.width, optics.height, focal_px, optics.k1, rotation, aim + distance_mm * backward)

    near, far = 0.5 * layout.height_mm + 200.0, 20.0 * (layout.width_mm + layout.height_mm)
    for _ in range(40):
        distance = 0.5 * (near + far)
        if (np.abs(at(distance).project(must_see) - middle) > half).any():
            near = distance
        else:
            far = distance
    return at(far)


def _orientation(optics: Optics) -> tuple[Float, Float]:
    """Return camera_from_board, shape (3, 3), and the unit vector from the board to the camera."""
    turn = optics.azimuth + (0.0 if optics.side is DiscColour.WHITE else math.pi)
    right = np.array([math.cos(turn), math.sin(turn), 0.0])
    to_human = np.array([math.sin(turn), -math.cos(turn), 0.0])
    backward = math.sin(optics.tilt) * to_human + math.cos(optics.tilt) * np.array([0.0, 0.0, 1.0])
    down = np.cross(-backward, right)
    c, s = math.cos(optics.roll), math.sin(optics.roll)
    return np.array([c * right + s * down, c * down - s * right, -backward]), backward


def _extent(layout: TableLayout) -> Float:
    """Corners of the board with frame and of the racks, shape (n, 3)."""
    edge = layout.border_mm
    low, high = rack_box(layout, white=True), rack_box(layout, white=False)
    boxes = ((-edge, -edge, layout.width_mm + edge, layout.height_mm + edge), low, high)
    return np.array([[x, y, 0.0] for x0, y0, x1, y1 in boxes for x in (x0, x1) for y in (y0, y1)])
