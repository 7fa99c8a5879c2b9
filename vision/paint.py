"""The paint of the discs: by it, whose they are is told. Without a word about it the lighter ones are White's."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bgr = tuple[int, int, int]

NAMES: Mapping[str, Bgr] = {
    "white": (235, 238, 240),
    "ivory": (200, 228, 238),
    "cream": (185, 222, 240),
    "yellow": (70, 190, 228),
    "wood": (125, 175, 215),
    "orange": (40, 120, 225),
    "red": (32, 32, 172),
    "green": (60, 110, 50),
    "blue": (140, 80, 40),
    "brown": (38, 62, 98),
    "grey": (128, 128, 128),
    "gray": (128, 128, 128),
    "black": (34, 34, 36),
}
"""Usual paints of discs, as a camera sees them in plain white light."""
LUMA = np.array([0.114, 0.587, 0.299], dtype=np.float32)
"""Weights of blue, green and red in lightness (Rec. ITU-R BT.601)."""
CLEAR_LEAD = 0.2
"""By so much (natural logarithm) one side's discs must be lighter than the other's, or more of the paint that was told; else
nobody sees whose are White's. Black discs with a golden ring looked as light as red ones; red ones are lighter than plain black
ones by 0.6."""
OF_LUMA = 0.5
"""If the brightest channel prefers the other side by more than this part of the lead in luma, neither is called lighter."""
DARK = 10.0
"""Added before the logarithm: the colour of what is nearly black is the camera's noise."""


def colour_named(text: str) -> Bgr:
    """Return the colour of a name or of "#rrggbb".

    Raises:
        ValueError: it is neither.
    """
    name = text.strip().lower()
    if name in NAMES:
        return NAMES[name]
    if re.fullmatch("#[0-9a-f]{6}", name):
        red, green, blue = (int(name[k : k + 2], 16) for k in (1, 3, 5))
        return blue, green, red
    raise ValueError(f"{text!r} is no known colour; known are {', '.join(NAMES)}, and #rrggbb")


@dataclass(frozen=True, slots=True)
class Paints:
    """The paint of White's and of Black's discs, B, G, R."""

    white: Bgr
    black: Bgr

    def lead(self, white: Floats, black: Floats) -> float:
        """Return how much rather White's discs look so than Black's, natural logarithm; negative: the other way round.

        Only the difference of the two counts: the light, its colour and the exposure are those of both.

        Args:
            white, black: what discs look like that are taken for White's and for Black's: shape (3,), B, G, R.
        """
        told = _logarithm(self.white) - _logarithm(self.black)
        return float((_logarithm(white) - _logarithm(black)) @ told / max(float(np.linalg.norm(told)), 1e-6))


def lightness_lead(white: Floats, black: Floats) -> float:
    """Return by how much discs that are taken for White's are lighter than Black's: natural logarithm of their lumas' ratio.

    0 where a strong colour stands against a grey that is brighter by luma alone: a lamp mirrored in black discs makes them so.
    """
    luma = float(np.log(max(float(white @ LUMA), 1.0)) - np.log(max(float(black @ LUMA), 1.0)))
    brightest = float(np.log(max(float(white.max()), 1.0)) - np.log(max(float(black.max()), 1.0)))
    return 0.0 if luma * brightest < 0.0 and abs(brightest) > OF_LUMA * abs(luma) else luma


def _logarithm(colour: Floats | Bgr) -> Floats:
    return np.log(np.maximum(np.asarray(colour, dtype=np.float32), 0.0) + np.float32(DARK)).astype(np.float32)
