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
    # A row for each term and for each channel: the few numbers of a spot side by side would be multiplied one by one.
    columns = (design,) if step is not None else (design, odd)
    full = np.ascontiguousarray(np.column_stack(columns).T)
    target = np.ascontiguousarray((colour - odd[:, None] * step if step is not None else colour).T)
    tie = 1e-3 * np.eye(len(full), dtype=np.float32)
    weighted = full
    for _ in range(ROUNDS):
        solution = np.linalg.solve(weighted @ full.T + tie, weighted @ target.T)
        residual = target - solution.T @ full
        size = np.sqrt((residual * residual).sum(axis=0))
        scale = np.float32(max(OUTLIER, 1.5 * float(_middle(size))))
        weighted = full * (1 / (1 + (size / scale) ** 2))
    beside = residual[:, around]
    local = np.float32(LOCAL_SHARE) * _middle(beside).T
    corners = beside[..., :4].transpose(1, 2, 0) - local[:, None]
    return LightField(solution[:6], step if step is not None else solution[6], local, corners)


def _middle(values: Floats) -> Floats:
    """Return the medians along the last axis, of finite values; `np.median` takes several times longer for few of them."""
    half = values.shape[-1] // 2
    if values.shape[-1] % 2:
        return np.asarray(np.partition(values, half, axis=-1)[..., half])
    pair = np.partition(values, (half - 1, half), axis=-1)[..., half - 1 : half + 1]
    return np.asarray(np.float32(0.5) * (pair[..., 0] + pair[..., 1]), dtype=np.float32)


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
