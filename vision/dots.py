"""Boards without crossings: a figure on every square, such as a printed dot, tells where the squares are.

Where no light square touches a dark one, nothing is seen at the crossings. What repeats from square to square then is what is
printed in their middles. It is only looked for near corners that somebody gave.
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
Tone = NDArray[np.float32]

SIDE = 20
"""Px of a square in the flattened picture that figures are looked for in."""
RADII = (0.18, 0.27, 0.36)
"""Radii of figures that are looked for, in squares."""
COMMON = 0.3
"""All figures together lie no farther off than this, in squares: the gaps between them make a board, too, 0.7 squares off."""
REACHES = (0.3, 0.25, 0.18, 0.14)
"""Round by round: how far beside its expected place a figure is looked for, in squares."""
MOST_MOVED = 0.6
"""The corners were given by a person, who misses them by no more than this, in squares."""
FIGURE_NOISE = 0.04
"""Error expected of a figure's middle, in squares: what stands on some squares hides theirs."""
CLEAR = 0.4
"""A figure stands out at least so much as the middle one does."""
LEAST_FIGURES = 0.75
"""Part of the squares that must show the figure where it belongs: discs of a game stand on half of them at most."""
LEAST_AT_FIRST = 0.3
"""The same while the view is still rough."""
IN_PLACE = 0.1
"""A figure this near to where the fit expects it belongs there, in squares."""


def refined_on_dots(view: BoardView, image: Image) -> BoardView | None:
    """Return a view that is half a square right at most, fitted to figures in the middles of the squares; None if there are none.

    Args:
        view: of a board with squares.
        image: shape (h, w, 3).
    """
    # Coloured figures on a dark board are light in one channel at least, those on a light board dark in one.
    light, dark = (np.log(channel.astype(np.float32) + 12.0) for channel in (image.max(axis=2), image.min(axis=2)))
    fits = [_fitted(view, tone, radius) for radius in RADII for tone in (light, -dark)]
    near = [fitted for fitted in fits if fitted is not None and _moved(view, fitted[1]) < MOST_MOVED]
    return max(near, key=lambda fitted: fitted[0])[1] if near else None


def _fitted(view: BoardView, tone: Tone, radius: float) -> tuple[float, BoardView] | None:
    """Return how well the squares' light figures lie in place, and the view fitted to them; None if too few do.

    How well is the part that does, less how far they miss it in squares: rims of larger figures lie in place as well, but worse.
    """
    middles = _middles(view)
    part = 0.0
    for round_, reach in enumerate(REACHES):
        bend = _bend(view, tone, radius)
        found, height = _peaks(bend, view, np.zeros(2) if round_ else _common_shift(bend, view), reach)
        clear = height > CLEAR * max(float(np.median(height)), 1e-6)
        pixels = view.project(found)
        side = _square_px(view)
        try:
            view = fit_view(view.grid, view.sizes, middles[clear], pixels[clear], view.image_size, FIGURE_NOISE * side)
        except (BadPose, np.linalg.LinAlgError):
            return None
        part = float((clear & (np.linalg.norm(view.project(middles) - pixels, axis=1) < IN_PLACE * side)).mean())
        if part < (LEAST_FIGURES if round_ == len(REACHES) - 1 else LEAST_AT_FIRST):
            return None
    return part - view.residual_px / _square_px(view), view


def _square_px(view: BoardView) -> float:
    return square_px(view.project(view.outer_corners_mm()), view.grid.columns, view.grid.rows)


def _moved(before: BoardView, after: BoardView) -> float:
    """Return how far the worst corner lies from where it was, in squares."""
    corners = before.outer_corners_mm()
    return float(np.linalg.norm(after.project(corners) - before.project(corners), axis=1).max() / _square_px(before))


def _middles(view: BoardView) -> Floats:
    """Return the middles of all squares, row by row, shape (n, 3), mm."""
    y, x = np.mgrid[0 : view.grid.rows, 0 : view.grid.columns]
    flat = np.column_stack([x.ravel() + 0.5, y.ravel() + 0.5, np.zeros(x.size)])
    return np.asarray(flat * view.sizes.square_mm, dtype=np.float64)


def _bend(view: BoardView, tone: Tone, radius: float) -> Tone:
    """Return how much lighter than its surroundings each spot of the flattened board is, with one square around the board."""
    height, width = (view.grid.rows + 2) * SIDE, (view.grid.columns + 2) * SIDE
    y, x = np.mgrid[0:height, 0:width]
    flat = np.column_stack([(x.ravel() + 0.5) / SIDE - 1, (y.ravel() + 0.5) / SIDE - 1, np.zeros(x.size)])
    maps = view.project(flat * view.sizes.square_mm).astype(np.float32).reshape(height, width, 2)
    seen = cv2.remap(tone, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    sigma = radius * SIDE / 1.414
    return np.asarray(-cv2.Laplacian(cv2.GaussianBlur(seen, (0, 0), sigma), cv2.CV_32F), dtype=np.float32)


def _common_shift(bend: Tone, view: BoardView) -> Floats:
    """Return where in their squares the figures lie in the mean, from the middle, shape (2,), in squares."""
    rows, columns = view.grid.rows, view.grid.columns
    inner = bend[SIDE:-SIDE, SIDE:-SIDE].reshape(rows, SIDE, columns, SIDE)
    folded = np.clip(inner, 0, np.percentile(inner, 95)).mean(axis=(0, 2))
    at = (np.arange(SIDE) + 0.5) / SIDE - 0.5
    near = np.hypot(at[:, None], at[None]) <= COMMON
    y, x = np.unravel_index(int(np.where(near, folded, -np.inf).argmax()), folded.shape)
    return np.array([at[x], at[y]])


def _peaks(bend: Tone, view: BoardView, shift: Floats, reach: float) -> tuple[Floats, Floats]:
    """Return the lightest spot of each square, shape (n, 3) in mm, and how light it is, shape (n,)."""
    spots, heights = [], []
    half = round(reach * SIDE)
    for row in range(view.grid.rows):
        for column in range(view.grid.columns):
            x0, y0 = (round((v + 1.5 + s) * SIDE) - half for v, s in ((column, shift[0]), (row, shift[1])))
            part = bend[max(y0, 0) : y0 + 2 * half, max(x0, 0) : x0 + 2 * half]
            y, x = np.unravel_index(int(part.argmax()), part.shape)
            x, y = int(x) + max(x0, 0), int(y) + max(y0, 0)
            heights.append(float(bend[y, x]))
            x_top, y_top = x + _top(bend[y, x - 1 : x + 2]), y + _top(bend[y - 1 : y + 2, x])
            spots.append(((x_top + 0.5) / SIDE - 1, (y_top + 0.5) / SIDE - 1, 0.0))
    return np.array(spots) * view.sizes.square_mm, np.array(heights)


def _top(three: Tone) -> float:
    """Return where the parabola through three neighbours has its top, from the middle one, at most half a step away."""
    if len(three) < 3:
        return 0.0
    curvature = float(three[0] - 2 * three[1] + three[2])
    return float(np.clip(0.5 * float(three[0] - three[2]) / curvature, -0.5, 0.5)) if curvature < 0 else 0.0
