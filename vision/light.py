"""The light on the board: a smooth field of log colour, fitted on the corners of the squares, where no disc stands.

A picture's log colour is albedo + light. The albedo is known up to the two colours of the squares, so the corners of all squares
measure the light everywhere on the board, whatever stands on it. Discs and empty squares are then compared in
"normalised colour" = log colour - light, which neither a lamp nor the exposure changes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

ROUNDS = 4
"""Reweighted rounds of the robust fit."""
OUTLIER = 0.12
"""Residual in log colour at which a spot loses half its weight (shadows, glare, an overhanging disc)."""
LOCAL_SHARE = 0.8
"""Part of the median residual around a square that is taken as light, too: the edge of a sun patch is no polynomial."""
LEAST_REFLECTION = 0.1
"""Log-brightness that a reflection adds to all corners of a square; less is grain and noise."""
SAME_LIGHT = 0.15
"""A pixel whose log-brightness differs less than this from another picture's shows the same thing in the same light."""
LAMP_SHARE = 0.85
"""A plane of light that explains this part of the picture is a lamp's; one that explains less may be bent by an arm."""
PLANE_ROUNDS = 5
"""Each round fits the plane to the pixels that the last one explains, as long as they grow in number."""


@dataclass(frozen=True, eq=False, slots=True)
class LightField:
    """Light on the board.

    Attributes:
        coefficients: shape (6, 3): 1, x, y, x*x, x*y, y*y (x, y in -1..1 over the board) by log-colour channel.
        step: shape (3,): albedo of odd squares minus albedo of even ones; even squares have albedo 0 by definition.
        local: shape (places, 3): what the polynomial misses around each place.
        corners: shape (places, 4, 3): what both of them miss at the corners of each place's own square.
    """

    coefficients: Floats
    step: Floats
    local: Floats
    corners: Floats

    @property
    def reflected(self) -> Floats:
        """By how much each place's own square is brighter than the light explains, shape (places, 3).

        A lamp that is mirrored adds light, which is much on a dark square and hardly any on the light ones beside it. All four
        corners show at least this much, so no disc that hides some of them is taken for it.
        """
        least = self.corners[np.arange(len(self.corners)), self.corners[..., 0].argmin(axis=1)]
        return np.asarray(np.where(least[:, :1] > LEAST_REFLECTION, least, np.float32(0.0)), dtype=np.float32)


def terms(xy: Floats) -> Floats:
    """Return the polynomial's terms at points, shape (n, 2) in -1..1; shape (n, 6)."""
    x, y = xy[:, 0], xy[:, 1]
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


def fit_light(
    design: Floats, colour: Floats, odd: Floats, around: NDArray[np.intp], step: Floats | None = None
) -> LightField:
    """Fit the light to spots near the corners of the squares.

    Args:
        design: shape (n, 6), `terms` of the spots.
        colour: shape (n, 3), log colour of the spots.
        odd: shape (n,), 1 on odd squares (rank + file odd), 0 on even ones.
        around: shape (places, k), the spots around each place, nearest first: those of its own square.
        step: albedo step of the squares if it is known from teaching; else it is fitted, too.
    """
    full = design if step is not None else np.column_stack([design, odd])
    target = colour - odd[:, None] * step if step is not None else colour
    weight = np.ones(len(full), dtype=np.float32)
    solution = np.zeros((full.shape[1], 3), dtype=np.float32)
    residual = target
    for _ in range(ROUNDS):
        weighted = full * weight[:, None]
        normal = weighted.T @ full + 1e-3 * np.eye(full.shape[1], dtype=np.float32)
        solution = np.linalg.solve(normal, weighted.T @ target)
        residual = target - full @ solution
        size = np.sqrt((residual * residual).sum(axis=1))
        scale = max(OUTLIER, 1.5 * float(np.median(size)))
        weight = 1.0 / (1.0 + (size / scale) ** 2)
    local = LOCAL_SHARE * np.median(residual[around], axis=1)
    corners = residual[around[:, :4]] - local[:, None]
    known = step if step is not None else solution[6]
    return LightField(solution[:6], known, local.astype(np.float32), corners.astype(np.float32))


def light_plane(ratio: Floats) -> tuple[Floats, float]:
    """Return the plane that most of a log-brightness ratio lies on, of the same shape: what a lamp at one side does.

    Also returns the part of the picture that lies on it.
    """
    height, width = ratio.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    columns = np.stack([np.ones_like(x), x / np.float32(width), y / np.float32(height)], axis=-1)
    few, seen = columns[::4, ::4].reshape(-1, 3), ratio[::4, ::4].ravel()
    level = np.array([np.median(seen), 0.0, 0.0], dtype=np.float32)
    plane, most = level, 0
    for _ in range(PLANE_ROUNDS):
        inside = np.abs(seen - few @ level) < SAME_LIGHT
        if np.count_nonzero(inside) <= most:
            break
        plane, most = level, int(np.count_nonzero(inside))
        normal = few[inside].T @ few[inside] + 1e-3 * np.eye(3, dtype=np.float32)
        level = np.linalg.solve(normal, few[inside].T @ seen[inside])
    return np.asarray(columns @ plane, dtype=np.float32), most / len(seen)
