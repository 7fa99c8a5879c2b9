"""Does the camera still stand where it stood? Told from the crossings of the board, which discs leave visible.

The crossings are followed from a reference picture by optical flow in log-brightness, so that a lamp is no motion. The lens does
not change when a camera is bumped: only its pose is fitted anew.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.board import find_candidates
from damludo.vision.frame import Image
from damludo.vision.likeness import Likeness
from damludo.vision.sides import SIDES
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]
Points = NDArray[np.float32]

MOVED_SQUARES = 0.08
"""A corner of the field that lies this far off its place makes readings unsafe."""
SEEN_PART = 0.5
"""At least this part of the crossings must agree on where the camera is; a hand hides fewer, and moves otherwise."""
SURE_PART = 0.85
"""If so many agree no other place is meant: of a chequered board a square off along both sides 4 of 5 look as they did."""
CLOSE_PART = 0.35
"""... and this part, where no place whole squares off looks more alike."""
FEWEST = 8
FEW_PART = 0.2
"""So many that agree say where to look closely."""
BACK_AND_FORTH_PX = 0.7
"""A point that flow carries there and back must come home within this; else something hid it."""
AGREE_SQUARES = 0.06
"""Points within this of the common motion agree with it."""
WINDOW_PX, LEVELS = 21, 3
NEAR_PX = 30
"""From a good guess on, a square is reduced to no fewer pixels than about so many: a hand beside a crossing does not mislead."""
SMALL = 2
"""The check works on a picture reduced so many times."""
COARSE_PX = 12
"""Whole pictures are compared so far reduced that a square keeps this many pixels."""

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

    @property
    def sure(self) -> bool:
        """So many crossings agree that the board cannot be whole squares off."""
        return self.seen >= SURE_PART


@dataclass(frozen=True, eq=False, slots=True)
class _Found:
    """Crossings that agree on a motion, shape (2, 3), px: their places on the board, mm, and where they are seen, px."""

    drift: Drift
    motion: Floats
    points_mm: Floats
    pixels: Points


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

    @cached_property
    def _likeness(self) -> Likeness:
        return Likeness(self.view, _reduced(self._small, self._coarse), SMALL * self._coarse)

    @property
    def _coarse(self) -> int:
        return max(1, int(self._square_px / SMALL / COARSE_PX))

    def drift(self, image: Image, *, closely: bool = False) -> Drift | None:
        """Compare a picture with the reference; None if too little of the board is seen to tell.

        Args:
            image: shape (h, w, 3).
            closely: a hand may hide much, and the camera may stand whole squares off, where most crossings look the same: takes
                several times as long.
        """
        tone = _log_gray(image)
        small = _reduced(tone)
        found = self._followed(self._small, small, SMALL, None, FEW_PART if closely else SEEN_PART)
        if closely:
            found = self._searched(tone, small, found)
        return None if found is None else found.drift

    def locate(self, image: Image) -> BoardView | None:
        """Return the pose in a picture in which the camera may stand elsewhere; None if the board is not surely found."""
        tone = _log_gray(image)
        small = _reduced(tone)
        rough = self._searched(tone, small, self._followed(self._small, small, SMALL, None, FEW_PART))
        if rough is None:
            return self._search(image)
        fine = self._followed(self._full, tone, 1, rough.motion)
        for found in (fine, rough):
            # A disc's top alone is smooth: there the reduced picture, whose windows reach over its rim, shows more.
            view = None if found is None else self._pose(found.points_mm, found.pixels)
            if view is not None:
                return view
        return self._search(image)

    def _searched(self, tone: Image, small: Image, few: "_Found | None") -> "_Found | None":
        """Follow the crossings to where the whole picture looks most alike; None if too few of them agree there.

        Args:
            tone: the picture, as `_log_gray` gives it.
            small: the same, reduced.
            few: what was found from the old place, were it but a few crossings.
        """
        likeness = self._likeness
        departures = likeness.departures(_reduced(small, self._coarse))
        starts = [np.eye(3), likeness.shift(departures), *([] if few is None else [few.motion])]
        near = [self._followed(self._small, small, SMALL, start, FEW_PART) for start in starts]
        likely = [one.motion for one in near if one is not None]
        if not likely:
            return None
        best = likeness.best_near(departures, max(likely, key=lambda motion: likeness.of(departures, motion)))
        # The small windows of the whole picture see past a hand, those of the reduced one over the rims of discs.
        found = [
            self._followed(before, after, scale, best, CLOSE_PART)
            for before, after, scale in ((self._small, small, SMALL), (self._full, tone, 1))
        ]
        return max((one for one in found if one is not None), key=lambda one: one.drift.seen, default=None)

    def _followed(
        self, before: Image, after: Image, scale: int, start: Floats | None, least: float = SEEN_PART
    ) -> "_Found | None":
        """Follow the crossings between pictures that are reduced `scale` times; None if fewer than the part `least` agree.

        Args:
            start: the motion to begin from, shape (2, 3) or (3, 3); None if it may be far.
        """
        guess = None if start is None else _scaled(_carried(self._at, start), scale)
        levels = LEVELS if start is None else max(0, round(math.log2(self._square_px / scale / NEAR_PX)))
        there, ok = _flow(before, after, _scaled(self._at, scale), guess, levels)
        enough = max(FEWEST, least * len(self._at))
        if ok.sum() < enough:
            return None
        pixels = (there[ok] + 0.5) * scale - 0.5
        motion, agree = cv2.estimateAffine2D(
            self._at[ok], pixels, method=cv2.RANSAC, ransacReprojThreshold=AGREE_SQUARES * self._square_px
        )
        if motion is None or agree.sum() < enough:
            return None
        inliers = agree.ravel() > 0
        whole = np.asarray(motion, dtype=np.float64)
        away = np.linalg.norm(_carried(self._corners, whole) - self._corners, axis=1).max() / self._square_px
        drift = Drift(float(away), float(inliers.sum()) / len(self._at))
        return _Found(drift, whole, self._points_mm[ok][inliers], pixels[inliers].astype(np.float32))

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


def seen_from(view: BoardView, image: Image, before: BoardView) -> Image:
    """Return a picture, shape (h, w, 3), as the board would look in it from another pose of the same camera."""
    here, there = (one.project(one.outer_corners_mm()).astype(np.float32) for one in (before, view))
    motion = cv2.getPerspectiveTransform(here, there)
    carried = cv2.warpPerspective(image, motion, view.image_size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(carried, dtype=np.uint8)


def _crossings_mm(view: BoardView) -> Floats:
    """Return the inner crossings (all crossings of a line board), shape (n, 3)."""
    grid, side = view.grid, view.sizes.square_mm
    first, more = (0, 0) if grid.lines else (1, 0)
    y, x = np.mgrid[first : grid.rows + more, first : grid.columns + more]
    return np.column_stack([x.ravel() * side, y.ravel() * side, np.zeros(x.size)]).astype(np.float64)


def _log_gray(image: Image) -> Image:
    return np.asarray(cv2.LUT(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), _LOG_BYTES), dtype=np.uint8)


def _reduced(tone: Image, times: int = SMALL) -> Image:
    height, width = tone.shape[0] // times * times, tone.shape[1] // times * times
    size = (width // times, height // times)
    return np.asarray(cv2.resize(tone[:height, :width], size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _scaled(points: Points, scale: int) -> Points:
    return np.asarray((points + 0.5) / scale - 0.5, dtype=np.float32)


def _carried(points: Floats | Points, motion: Floats) -> Points:
    if motion.shape[0] == 3:
        there = cv2.perspectiveTransform(np.asarray(points, dtype=np.float64).reshape(-1, 1, 2), motion)
        return np.asarray(there, dtype=np.float32).reshape(-1, 2)
    return np.asarray(points @ motion[:, :2].T + motion[:, 2], dtype=np.float32)


def _flow(
    before: Image, after: Image, start: Points, guess: Points | None, levels: int
) -> tuple[Points, NDArray[np.bool_]]:
    """Carry points from one picture to another; True for those that come back when carried home."""
    window, at = (WINDOW_PX, WINDOW_PX), start.reshape(-1, 1, 2)
    flags = 0 if guess is None else cv2.OPTFLOW_USE_INITIAL_FLOW
    first = (start if guess is None else guess).reshape(-1, 1, 2).copy()
    there, there_ok, _ = cv2.calcOpticalFlowPyrLK(
        before, after, at, first, winSize=window, maxLevel=levels, flags=flags
    )
    home = at.copy()
    back, back_ok, _ = cv2.calcOpticalFlowPyrLK(
        after, before, there, home, winSize=window, maxLevel=levels, flags=cv2.OPTFLOW_USE_INITIAL_FLOW
    )
    error = np.linalg.norm((back - at).reshape(-1, 2), axis=1)
    ok = (there_ok.ravel() > 0) & (back_ok.ravel() > 0) & (error < BACK_AND_FORTH_PX)
    height, width = after.shape[:2]
    found = np.asarray(there, dtype=np.float32).reshape(-1, 2)
    inside = ((found >= 0) & (found < (width, height))).all(axis=1)
    return found, np.asarray(ok & inside, dtype=np.bool_)
