"""Does the camera still stand where it stood? Told from the crossings of the board, which discs leave visible.

The crossings are followed from a reference picture by optical flow in log-brightness, so that a lamp is no motion. The lens does
not change when a camera is bumped: only its pose is fitted anew.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.board import find_candidates
from damludo.vision.frame import Image
from damludo.vision.sides import SIDES
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]
Points = NDArray[np.float32]

MOVED_SQUARES = 0.08
"""A corner of the field that lies this far off its place makes readings unsafe."""
SEEN_PART = 0.5
"""At least this part of the crossings must agree on where the camera is; a hand hides fewer, and moves otherwise."""
FEWEST = 8
BACK_AND_FORTH_PX = 0.7
"""A point that flow carries there and back must come home within this; else something hid it."""
AGREE_SQUARES = 0.06
"""Points within this of the common motion agree with it."""
WINDOW_PX, LEVELS = 21, 3
SMALL = 2
"""The check works on a picture reduced so many times."""

_LOG_BYTES = np.clip(48.0 * np.log((np.arange(256) + 8.0) / 8.0) + 0.5, 0, 255).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the camera seems to have moved.

    Attributes:
        squares: the greatest displacement of a corner of the field.
        seen: part of the crossings that agree.
    """

    squares: float
    seen: float

    @property
    def moved(self) -> bool:
        """The camera does not stand where it stood."""
        return self.squares > MOVED_SQUARES


class Station:
    """Where a camera stands, tied to one picture.

    Args:
        view: the pose in that picture.
        image: a picture taken from there, shape (h, w, 3); discs may stand on the board, no hand should be over it.
    """

    def __init__(self, view: BoardView, image: Image) -> None:
        self.view = view
        self._points_mm = _crossings_mm(view)
        self._at = view.project(self._points_mm).astype(np.float32)
        self._corners = view.project(view.outer_corners_mm())
        sides = np.linalg.norm(self._corners - np.roll(self._corners, 1, axis=0), axis=1)
        lines = view.grid.lines
        self._square_px = float(sides.sum()) / (2 * (view.grid.columns + view.grid.rows - 2 * lines))
        self._full = _log_gray(image)
        self._small = _reduced(self._full)

    def drift(self, image: Image) -> Drift | None:
        """Compare a picture with the reference; None if too little of the board is seen to tell."""
        found = self._motion(self._small, _reduced(_log_gray(image)), SMALL)
        return None if found is None else found[0]

    def locate(self, image: Image) -> BoardView | None:
        """Return the pose in a picture in which the camera may stand elsewhere; None if the board is not surely found."""
        tone = _log_gray(image)
        rough = self._motion(self._small, _reduced(tone), SMALL)
        start = self._at if rough is None else _carried(self._at, rough[1])
        found = self._motion(self._full, tone, 1, start)
        if found is not None:
            view = self._pose(found[2], found[3])
            if view is not None:
                return view
        return self._search(image)

    def _motion(
        self, before: Image, after: Image, scale: int, guess: Points | None = None
    ) -> tuple[Drift, Floats, Floats, Points] | None:
        """Return the drift, the common motion, shape (2, 3), and the points (mm) with the pixels where they are seen."""
        start = _scaled(self._at, scale)
        there, ok = _flow(before, after, start, None if guess is None else _scaled(guess, scale))
        if ok.sum() < max(FEWEST, SEEN_PART * len(start)):
            return None
        pixels = (there[ok] + 0.5) * scale - 0.5
        motion, agree = cv2.estimateAffine2D(
            self._at[ok], pixels, method=cv2.RANSAC, ransacReprojThreshold=AGREE_SQUARES * self._square_px
        )
        if motion is None:
            return None
        inliers = agree.ravel() > 0
        seen = float(inliers.sum()) / len(start)
        if seen < SEEN_PART:
            return None
        whole = np.asarray(motion, dtype=np.float64)
        away = np.linalg.norm(_carried(self._corners, whole) - self._corners, axis=1).max() / self._square_px
        return Drift(float(away), seen), whole, self._points_mm[ok][inliers], pixels[inliers].astype(np.float32)

    def _pose(self, points_mm: Floats, pixels: Points) -> BoardView | None:
        """Fit the pose alone; None if it does not explain the points."""
        old = self.view
        ok, rotation, translation = cv2.solvePnP(
            points_mm,
            pixels.astype(np.float64),
            old.camera_matrix,
            old.distortion,
            old.rotation_vector.reshape(3, 1).copy(),
            old.translation_mm.reshape(3, 1).copy(),
            True,
            cv2.SOLVEPNP_ITERATIVE,
        )
        if not ok or not (np.isfinite(rotation).all() and np.isfinite(translation).all()):
            return None
        view = replace(
            old,
            rotation_vector=np.asarray(rotation, dtype=np.float64).ravel(),
            translation_mm=np.asarray(translation, dtype=np.float64).ravel(),
        )
        error = np.linalg.norm(view.project(points_mm) - pixels, axis=1)
        residual = float(np.sqrt(np.mean(error**2)))
        if residual > AGREE_SQUARES * self._square_px:
            return None
        return replace(view, residual_px=residual)

    def _search(self, image: Image) -> BoardView | None:
        """Look for the board anew; of the possible turns the one nearest to the old place is meant."""
        grid, sizes = self.view.grid, self.view.sizes
        if grid.lines:
            return None
        nearest: tuple[float, BoardView] | None = None
        for side in SIDES:
            for found in find_candidates(image, grid, sizes, side)[:1]:
                corners = found.view.project(found.view.outer_corners_mm())
                away = float(np.linalg.norm(corners - self._corners, axis=1).max())
                if nearest is None or away < nearest[0]:
                    nearest = away, found.view
        if nearest is None:
            return None
        return self._pose(self._points_mm, nearest[1].project(self._points_mm).astype(np.float32))


def _crossings_mm(view: BoardView) -> Floats:
    """Return the inner crossings (all crossings of a line board), shape (n, 3)."""
    grid, side = view.grid, view.sizes.square_mm
    first, more = (0, 0) if grid.lines else (1, 0)
    y, x = np.mgrid[first : grid.rows + more, first : grid.columns + more]
    return np.column_stack([x.ravel() * side, y.ravel() * side, np.zeros(x.size)]).astype(np.float64)


def _log_gray(image: Image) -> Image:
    return np.asarray(cv2.LUT(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), _LOG_BYTES), dtype=np.uint8)


def _reduced(tone: Image) -> Image:
    height, width = tone.shape[0] // SMALL * SMALL, tone.shape[1] // SMALL * SMALL
    size = (width // SMALL, height // SMALL)
    return np.asarray(cv2.resize(tone[:height, :width], size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _scaled(points: Points, scale: int) -> Points:
    return np.asarray((points + 0.5) / scale - 0.5, dtype=np.float32)


def _carried(points: Floats | Points, motion: Floats) -> Points:
    return np.asarray(points @ motion[:, :2].T + motion[:, 2], dtype=np.float32)


def _flow(before: Image, after: Image, start: Points, guess: Points | None) -> tuple[Points, NDArray[np.bool_]]:
    """Carry points from one picture to another; True for those that come back when carried home."""
    window, at = (WINDOW_PX, WINDOW_PX), start.reshape(-1, 1, 2)
    flags = 0 if guess is None else cv2.OPTFLOW_USE_INITIAL_FLOW
    first = (start if guess is None else guess).reshape(-1, 1, 2).copy()
    there, there_ok, _ = cv2.calcOpticalFlowPyrLK(
        before, after, at, first, winSize=window, maxLevel=LEVELS, flags=flags
    )
    home = at.copy()
    back, back_ok, _ = cv2.calcOpticalFlowPyrLK(
        after, before, there, home, winSize=window, maxLevel=LEVELS, flags=cv2.OPTFLOW_USE_INITIAL_FLOW
    )
    error = np.linalg.norm((back - at).reshape(-1, 2), axis=1)
    ok = (there_ok.ravel() > 0) & (back_ok.ravel() > 0) & (error < BACK_AND_FORTH_PX)
    height, width = after.shape[:2]
    found = np.asarray(there, dtype=np.float32).reshape(-1, 2)
    inside = ((found >= 0) & (found < (width, height))).all(axis=1)
    return found, np.asarray(ok & inside, dtype=np.bool_)
