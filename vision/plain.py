"""The four corners of the plain grid: what a person means who gives a board by four points.

Four points and a perspective make a grid of straight lines and equal squares. A lens bends the true lines, makers cut outer rows
narrower, and a picture that was cut has its middle elsewhere: a `BoardView` knows the first of these and sees the second. But
who tells a board by four corners, to a program or to a person, tells the straight grid that meets the crossings best. Its corners
are these, and they lie some hundredths of a square (a bent lens: up to a tenth) beside the corners that are seen. Where a lens
bends the field so much that the straight grid's corners lie visibly beside it, nobody would mean them: then the seen ones count.
"""

import numpy as np
from numpy.typing import NDArray

from damludo.vision.finding import square_px
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]

CROSSING, VIEW = 0.01, 0.1
"""A seen crossing misses the plain grid by so much, in squares (one standard deviation), the view's own grid by so much: it
decides only where no crossings are seen."""
STRAY = 3.0
"""A point that misses by so many standard deviations counts half."""
ROUNDS = 6
MOST_BESIDE = 0.15
"""A straight grid whose corner lies farther beside the field's, in squares, is nobody's: of 91 labelled photographs, wide lenses
among them, 0.13 at most."""


def plain_corners(view: BoardView, board: Floats, points: Floats, pixels: Floats) -> Floats:
    """Return where the corners of the straight grid of equal squares lie that meets the seen crossings best.

    Args:
        view: the pose; it stands in for crossings that are not seen.
        board: the corners, shape (4, 3), mm.
        points: the crossings, shape (n, 3), mm.
        pixels: where they are seen, shape (n, 2).

    Returns:
        Shape (4, 2), px: the field's own corners where a lens bends it by more than MOST_BESIDE.
    """
    grid, side = view.grid, view.sizes.square_mm
    y, x = np.mgrid[0 : grid.rows + 1 - grid.lines, 0 : grid.columns + 1 - grid.lines]
    every = np.column_stack([x.ravel() * side, y.ravel() * side, np.zeros(x.size)])
    at = square_px(view.project(view.outer_corners_mm()), grid.columns - grid.lines, grid.rows - grid.lines)
    error = np.concatenate([np.full(len(points), CROSSING * at), np.full(len(every), VIEW * at)])
    from_plane = np.concatenate([points, every])[:, :2] / side
    straight = _carried(_plane(from_plane, np.concatenate([pixels, view.project(every)]), error), board[:, :2] / side)
    seen = view.project(board)
    beside = float(np.linalg.norm(straight - seen, axis=1).max())
    return straight if beside <= MOST_BESIDE * at else seen


def _carried(plane: Floats, points: Floats) -> Floats:
    seen = np.column_stack([points, np.ones(len(points))]) @ plane.T
    return np.asarray(seen[:, :2] / seen[:, 2:], dtype=np.float64)


def _plane(points: Floats, pixels: Floats, error: Floats) -> Floats:
    """Return the homography, shape (3, 3), that carries points to pixels, each weighted by its expected error in px.

    Linear least squares, each equation divided by the last round's depth, so that errors are those in the picture.
    """
    middle, size = pixels.mean(axis=0), float(pixels.std())
    x, y = (points - points.mean(axis=0)).T
    u, v = ((pixels - middle) / size).T
    one, none = np.ones(len(points)), np.zeros(len(points))
    across = np.stack([x, y, one, none, none, none, -u * x, -u * y], axis=1)
    down = np.stack([none, none, none, x, y, one, -v * x, -v * y], axis=1)
    weight, depth = size / error, one
    plane = np.eye(3)
    for _ in range(ROUNDS):
        scale = np.concatenate([weight / depth] * 2)
        full = np.concatenate([across, down]) * scale[:, None]
        solution, *_ = np.linalg.lstsq(full, np.concatenate([u, v]) * scale, rcond=None)
        plane = np.append(solution, 1.0).reshape(3, 3)
        seen = np.stack([x, y, one], axis=1) @ plane.T
        depth = seen[:, 2]
        missed = np.hypot(seen[:, 0] / depth - u, seen[:, 1] / depth - v) * size / error
        weight = size / error / np.sqrt(1 + (missed / STRAY) ** 2)
    to_pixels = np.array([[size, 0, middle[0]], [0, size, middle[1]], [0, 0, 1.0]])
    centred = np.eye(3)
    centred[:2, 2] = -points.mean(axis=0)
    return np.asarray(to_pixels @ plane @ centred, dtype=np.float64)
