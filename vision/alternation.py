"""How squares alternate along a lattice: what tells the board's window from a frame, and from a chequered cloth."""

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.lattice import Lattice

Floats = NDArray[np.float64]


def alternation_maps(lattice: Lattice, tone: NDArray[np.float32], low: int, high: int) -> tuple[Floats, Floats]:
    """Measure how the squares alternate.

    Args:
        lattice: the crossings; cell (u, v) lies between the crossings u, u + 1 and v, v + 1.
        tone: log brightness, shape (h, w).
        low, high: cells low..high - 1 are looked at, in both directions.

    Returns:
        Two arrays, shape (m, m), index [v, u]: alternation across the edge to the right neighbour and to the lower one. 1: the
        cells differ as neighbours on a board do; -1: the other way round; 0: alike, or outside the picture.
    """
    m = high - low
    v, u = np.mgrid[low:high, low:high].astype(np.float64)
    inset = 0.14  # near the corners of a square, where no disc stands
    spots = np.array([[inset, inset], [1 - inset, inset], [inset, 1 - inset], [1 - inset, 1 - inset]])
    uv = (np.stack([u, v], axis=-1)[:, :, None, :] + spots).reshape(-1, 2)
    value = _sample(tone, lattice.project(uv)).reshape(m, m, 4)
    sign = np.where((u + v) % 2 == 0, 1.0, -1.0)
    right = (
        np.stack([value[:, :-1, 1] - value[:, 1:, 0], value[:, :-1, 3] - value[:, 1:, 2]], axis=-1) * sign[:, :-1, None]
    )
    down = (
        np.stack([value[:-1, :, 2] - value[1:, :, 0], value[:-1, :, 3] - value[1:, :, 1]], axis=-1) * sign[:-1, :, None]
    )
    inner = _inner_edges(lattice, low, high)
    typical = np.concatenate([right[inner[:, :-1]].ravel(), down[inner[:-1]].ravel()])
    typical = typical[np.isfinite(typical)]
    contrast = float(np.median(typical)) if len(typical) else 0.0
    unit = 0.6 * contrast if abs(contrast) > 1e-3 else 1.0
    across = np.zeros((m, m))
    along = np.zeros((m, m))
    across[:, :-1] = np.clip(np.nan_to_num(right / unit), -1, 1).mean(axis=-1)
    along[:-1, :] = np.clip(np.nan_to_num(down / unit), -1, 1).mean(axis=-1)
    return across, along


def _inner_edges(lattice: Lattice, low: int, high: int) -> NDArray[np.bool_]:
    """Return which cells [v, u] have all four crossings seen."""
    seen = np.zeros((high - low + 1, high - low + 1), dtype=bool)
    at = lattice.indices - low
    at = at[((at >= 0) & (at <= high - low)).all(axis=1)]
    seen[at[:, 1], at[:, 0]] = True
    return np.asarray(seen[:-1, :-1] & seen[1:, :-1] & seen[:-1, 1:] & seen[1:, 1:])


def _sample(tone: NDArray[np.float32], pixels: Floats) -> Floats:
    """Return a smoothed tone at pixels, shape (n,); NaN outside the picture."""
    smooth = cv2.GaussianBlur(tone, (0, 0), 1.0)
    height, width = tone.shape
    x, y = np.rint(pixels[:, 0]), np.rint(pixels[:, 1])
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    values = np.full(len(pixels), np.nan)
    values[inside] = smooth[y[inside].astype(np.intp), x[inside].astype(np.intp)]
    return values


def window_sums(values: Floats, columns: int, rows: int) -> Floats:
    """Return the sum of each window [v:v + rows, u:u + columns], same shape, zero where it does not fit."""
    m = values.shape[0]
    table = np.zeros((m + 1, m + 1))
    table[1:, 1:] = values.cumsum(0).cumsum(1)
    sums = np.zeros_like(values)
    inner = table[rows:, columns:] - table[:-rows, columns:] - table[rows:, :-columns] + table[:-rows, :-columns]
    sums[: inner.shape[0], : inner.shape[1]] = inner
    return sums


def weakest_side(across: Floats, along: Floats, columns: int, rows: int) -> Floats:
    """Return for each window [v, u] the mean alternation along the least alternating of its four outer rows."""
    in_row = window_sums(across, columns - 1, 1) / (columns - 1)
    in_column = window_sums(along, 1, rows - 1) / (rows - 1)
    last_row = np.roll(in_row, -(rows - 1), axis=0)
    last_column = np.roll(in_column, -(columns - 1), axis=1)
    return np.asarray(np.min([in_row, last_row, in_column, last_column], axis=0))


def continued(across: Floats, along: Floats, u: slice, v: slice) -> float:
    """Return how much the row beyond a window's side alternates, within itself and against the window: the least of both.

    The side where it does most counts; what lies outside the picture does not alternate.
    """
    across, along = np.pad(across, 1), np.pad(along, 1)
    u, v = slice(u.start + 1, u.stop + 1), slice(v.start + 1, v.stop + 1)
    in_row, in_column = slice(u.start, u.stop - 1), slice(v.start, v.stop - 1)
    sides = [
        (across[v.start - 1, in_row], along[v.start - 1, u]),
        (across[v.stop, in_row], along[v.stop - 1, u]),
        (along[in_column, u.start - 1], across[v, u.start - 1]),
        (along[in_column, u.stop], across[v, u.stop - 1]),
    ]
    return max(min(float(within.mean()), float(against.mean())) for within, against in sides)
