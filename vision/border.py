"""The edge of the playing field: seen where the outer squares end, not only foretold from the crossings inside.

Inner crossings leave the outer corners one square away from what was measured. A little error of the lens's bend grows there, and
makers cut the outer rows narrower. So the four sides are looked for where the view expects them, and count in the fit.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.errors import BadPose
from damludo.vision.finding import square_px
from damludo.vision.frame import Image
from damludo.vision.pose import fit_view
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]

ALONG = np.array([0.07, 0.12, 0.88, 0.93])
"""Where along each outer square its edge is looked at: near its corners, which discs leave free."""
INWARD, OUTWARD, STEP = 0.12, 0.16, 0.005
"""How far across the expected edge, in squares, and in what steps."""
BLUR = 3.0
"""Smoothing across the edge, in steps: an edge is seen through a lens."""
CLEAR_STEP, OF_STRONGEST = 10.0, 0.5
"""A change of colour from which a sample says that here is an edge, 0..255: logarithms would move a blurred edge to its dark
side; also, a part of what the side's clear samples show."""
LEAST_PART = 0.2
"""At least this part of a side's samples must show one edge: beside a frame of one colour half of the squares show none."""
FORETOLD = 0.08
"""The crossings foretell the sides so well, in squares (one standard deviation)."""
NEARLY_AS_MANY = 0.6
"""The innermost of the edges that are this likely against the best one is the field's: an inlaid line has an outer edge, too."""
SAME_EDGE = 0.03
"""Samples this near to a side's edge belong to it, in squares."""
SCATTER, TILT = 0.01, 0.003
"""Samples of one edge scatter so much, in squares; the crossings foretell its direction so well, in squares a square."""
ROUNDS = 3
MOST_WORSE = 0.006
"""Sides of the field make the crossings miss by no more than this farther, in squares; else the most distant one is left out."""
OF_MISS, LEAST_WORSE = 0.25, 0.0025
"""The same for a side seen outward of its place: makers cut the outer rows narrower, hardly wider, so it may be a frame's edge,
and crossings that agree with one another outvote it: a part of what they missed by, but not less than so many squares."""
BORDER_COUNTS = 2
"""A point of a side, which many samples tell, counts as so many crossings."""


def fitted_to_border(view: BoardView, image: Image, points: Floats, pixels: Floats) -> BoardView:
    """Return a view fitted to the crossings and to the edges of the field that a picture shows.

    Args:
        view: fitted to the crossings alone.
        image: shape (h, w, 3).
        points: the crossings, shape (n, 3), mm.
        pixels: where they are seen, shape (n, 2).

    Returns:
        The same view if no edge is clearly seen.
    """
    colours = image.astype(np.float32)
    # The first fit makes the sides straight in the view, so that the second look at them meets all of their samples.
    once = _fitted(view, _lines(view, colours), points, pixels)
    return _fitted(once, _lines(once, colours), points, pixels)


def _fitted(view: BoardView, lines: list[tuple[float, float] | None], points: Floats, pixels: Floats) -> BoardView:
    """Return the view fitted to the crossings and to those sides that agree with them."""
    corners = view.project(view.outer_corners_mm())
    side, miss = square_px(corners, view.grid.columns, view.grid.rows), _miss(view, points, pixels)
    inward = miss + MOST_WORSE * side
    outward = miss + max(LEAST_WORSE * side, min(MOST_WORSE * side, OF_MISS * miss))
    while any(line is not None for line in lines):
        where, seen = _border(view, lines)
        both = np.concatenate([points, *[where] * BORDER_COUNTS])
        both_seen = np.concatenate([pixels, *[seen] * BORDER_COUNTS])
        try:
            fitted = fit_view(view.grid, view.sizes, both, both_seen, view.image_size)
        except (BadPose, np.linalg.LinAlgError):
            return view
        offsets = [0.0 if line is None else line[0] for line in lines]
        farthest = int(np.argmax(np.abs(offsets)))
        if _miss(fitted, points, pixels) <= (outward if offsets[farthest] > 0 else inward):
            return fitted
        lines[farthest] = None
    return view


def _miss(view: BoardView, points: Floats, pixels: Floats) -> float:
    """Return by how much the view misses the crossings, in px, without the strays."""
    return float(np.median(np.linalg.norm(view.project(points) - pixels, axis=1)))


def _sides(view: BoardView) -> list[tuple[Floats, Floats, Floats, int]]:
    """Return the sides below, above, left and right: start, unit vectors along and outward, and length, in squares."""
    width, height = view.grid.columns, view.grid.rows
    right, up = np.eye(2)
    origin = np.zeros(2)
    return [
        (origin, right, -up, width),
        (height * up, right, up, width),
        (origin, up, -right, height),
        (width * right, up, right, height),
    ]


def _lines(view: BoardView, colours: NDArray[np.float32]) -> list[tuple[float, float] | None]:
    return [_edge_line(view, colours, *side) for side in _sides(view)]


def _border(view: BoardView, lines: list[tuple[float, float] | None]) -> tuple[Floats, Floats]:
    """Return points of the field's sides, shape (n, 3) in mm, at the grid's lines, and where they are seen, shape (n, 2)."""
    at_ends = ((2, 3), (2, 3), (0, 1), (0, 1))
    points, seen = [np.zeros((0, 3))], [np.zeros((0, 2))]
    for (start, along, out, length), line, (before, after) in zip(_sides(view), lines, at_ends, strict=True):
        if line is None:
            continue
        at = np.arange(length + 1.0)
        # Only the part across the side was seen: along it the points go with the sides at its two ends.
        first, last = (found[0] if (found := lines[end]) is not None else 0.0 for end in (before, after))
        stretched = at - first + (first + last) * at / length
        moved = start + stretched[:, None] * along + (line[0] + line[1] * at)[:, None] * out
        points.append(_mm(start + at[:, None] * along, view.sizes.square_mm))
        seen.append(view.project(_mm(moved, view.sizes.square_mm)))
    return np.concatenate(points), np.concatenate(seen)


def _mm(squares: Floats, side: float) -> Floats:
    return np.column_stack([squares * side, np.zeros(len(squares))])


def _edge_line(
    view: BoardView, colours: NDArray[np.float32], start: Floats, along: Floats, out: Floats, squares: int
) -> tuple[float, float] | None:
    """Return how far outward of its expected place a side is seen, in squares: at its start, and the growth a square."""
    at = (np.arange(squares)[:, None] + ALONG).ravel()
    across = np.arange(-INWARD - 4 * BLUR * STEP, OUTWARD + 4 * BLUR * STEP, STEP)
    spots = start + at[:, None, None] * along + across[None, :, None] * out
    pixels = view.project(_mm(spots.reshape(-1, 2), view.sizes.square_mm)).astype(np.float32)
    maps = pixels.reshape(len(at), len(across), 2)
    profile = cv2.remap(colours, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    size = np.array([colours.shape[1], colours.shape[0]]) - 1
    inside = ((maps > 0) & (maps < size)).all(axis=(1, 2))
    steep = _steepness(np.asarray(profile, dtype=np.float32))
    steep, across = steep[:, int(4 * BLUR) : -int(4 * BLUR)], across[int(4 * BLUR) : -int(4 * BLUR)]
    if not inside.any():
        return None
    clear_step = max(CLEAR_STEP, OF_STRONGEST * float(np.percentile(steep[inside].max(axis=1), 75)))
    top = (steep > clear_step) & (steep >= np.roll(steep, 1, axis=1)) & (steep > np.roll(steep, -1, axis=1))
    spread = np.exp(-((np.arange(-4 * BLUR, 4 * BLUR + 1) / BLUR) ** 2) / 2)
    votes = np.convolve(top[inside].sum(axis=0), spread, mode="same")
    peak = (votes >= np.roll(votes, 1)) & (votes >= np.roll(votes, -1))
    peak[[0, -1]] = False
    peak &= votes >= LEAST_PART * len(at)
    likely = np.where(peak, votes * np.exp(-((across / FORETOLD) ** 2) / 2), 0.0)
    peak &= likely >= NEARLY_AS_MANY * float(likely.max())
    if not peak.any():
        return None
    near = np.abs(across - across[np.nonzero(peak)[0][0]]) < SAME_EDGE
    height = np.where(near, steep, 0.0)
    clear = inside & (height.max(axis=1) > clear_step)
    if clear.sum() < LEAST_PART * len(at):
        return None
    found = across[height.argmax(axis=1)]
    return _line(at[clear], found[clear])


def _line(at: Floats, found: Floats) -> tuple[float, float]:
    """Return value at 0 and slope of the line through most of the samples; the feet of discs and men are outliers."""
    weight = np.ones(len(at))
    first, slope = float(np.median(found)), 0.0
    for _ in range(ROUNDS):
        weight = 1 / (1 + ((found - first - slope * at) / SCATTER) ** 2)
        design = np.column_stack([np.ones(len(at)), at]) * np.sqrt(weight)[:, None]
        straight = np.array([0.0, SCATTER / TILT])
        normal = design.T @ design + np.diag(straight**2)
        first, slope = map(float, np.linalg.solve(normal, design.T @ (found * np.sqrt(weight))))
    return first, slope


def _steepness(profile: NDArray[np.float32]) -> Floats:
    """Return how much the colour changes within about the blur across each sample, shape (n, steps)."""
    smooth = cv2.GaussianBlur(profile, (0, 0), sigmaX=BLUR, sigmaY=1e-3)
    change = np.gradient(smooth, axis=1) * 2.5 * BLUR
    return np.asarray(np.linalg.norm(change, axis=2), dtype=np.float64)
