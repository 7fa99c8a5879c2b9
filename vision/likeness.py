"""How much a picture looks like another one that was taken from elsewhere: whole squares off, a chequered board looks alike.

Points of the board that are followed agree with a motion that is a whole square off, too, all but those at the edge. What lies
beside the board and the men on it do not. So the pictures are compared over the board and what surrounds it, by their local
departures in log-brightness: light that is scaled changes nothing, and what a hand hides is missed at every place alike.
"""

from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.frame import Image
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]
Departures = NDArray[np.float32]

BESIDE_SQUARES = 1.3
"""So much around the field is compared: its frame, and what stands beside it."""
BLUR_SQUARES = 0.3
"""Departures are those from surroundings of this spread, in squares: edges of squares and discs remain, light does not."""
MOST_DEPARTURE = 20.0
"""A highlight has no more say than the edge of a square."""
OFF_SQUARES = 2
"""So many squares off along each side another place is tried."""
ROUNDS = 3
"""So often the best of the places around is gone to."""
COARSE = 2
"""Where nothing is known the pictures are compared once more reduced."""


class Likeness:
    """Compares pictures with a reference picture.

    Args:
        view: the pose in the reference picture.
        tone: the reference picture, log-brightness as bytes, shape (h, w).
        scale: so many pixels of the pose are one of `tone`.
    """

    def __init__(self, view: BoardView, tone: Image, scale: int) -> None:
        self._tone, self._scale = tone, scale
        side = view.sizes.square_mm
        corners = view.outer_corners_mm()
        away = np.sign(corners - corners.mean(axis=0)) * BESIDE_SQUARES * side
        self._outline = (view.project(corners + away) + 0.5) / scale - 0.5
        px = view.project(corners)
        self._sigma = (
            BLUR_SQUARES * float(np.linalg.norm(px[1] - px[0])) / (view.grid.columns - view.grid.lines) / scale
        )
        more = [side * np.array([x, y, 0.0]) for x, y in _around(OFF_SQUARES)]
        self._off = [(px.astype(np.float32), view.project(corners + step).astype(np.float32)) for step in more]

    @cached_property
    def _part(self) -> tuple[NDArray[np.bool_], Departures, float]:
        mask = np.zeros(self._tone.shape, dtype=np.uint8)
        cv2.fillPoly(mask, [np.round(self._outline).astype(np.int32)], (1.0,))
        inside = mask > 0
        here = self.departures(self._tone)[inside]
        return inside, here, float(np.square(here).sum())

    def departures(self, tone: Image) -> Departures:
        """Return how a picture departs from its surroundings, shape (h, w)."""
        values = tone.astype(np.float32)
        return np.asarray(
            np.clip(values - cv2.GaussianBlur(values, (0, 0), self._sigma), -MOST_DEPARTURE, MOST_DEPARTURE),
            dtype=np.float32,
        )

    def of(self, departures: Departures, motion: Floats) -> float:
        """Return the correlation, -1..1, with another picture, if the board moved like this.

        Args:
            departures: of the other picture, as `departures` gives them.
            motion: carries pixels of the reference picture into the other one, in the pose's pixels; shape (2, 3) or (3, 3).
        """
        inside, here, energy = self._part
        to_px = np.array(
            [[self._scale, 0.0, (self._scale - 1) / 2], [0.0, self._scale, (self._scale - 1) / 2], [0.0, 0.0, 1.0]]
        )
        whole = np.linalg.inv(to_px) @ _square(motion) @ to_px
        size = departures.shape[1], departures.shape[0]
        there = cv2.warpPerspective(departures, whole, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)[inside]
        return float((here * there).sum()) / float(np.sqrt(energy * np.square(there).sum()) + 1e-6)

    def best_near(self, departures: Departures, motion: Floats) -> Floats:
        """Return the motion, shape (3, 3), that is the best of those whole squares off, as far as they lead uphill."""
        best, most = _square(motion), self.of(departures, motion)
        for _ in range(ROUNDS):
            around = [best @ cv2.getPerspectiveTransform(here, there) for here, there in self._off]
            likeness = [self.of(departures, step) for step in around]
            if max(likeness) <= most:
                break
            best, most = around[int(np.argmax(likeness))], max(likeness)
        return np.asarray(best, dtype=np.float64)

    def shift(self, departures: Departures) -> Floats:
        """Return the motion, shape (3, 3), that carries the reference to where it looks most alike, without turning it."""
        inside, _, _ = self._part
        y, x = np.nonzero(inside)
        top, bottom, left, right = y.min(), y.max() + 1, x.min(), x.max() + 1
        reference = self.departures(self._tone) * inside
        pattern = _halved(np.asarray(reference[top:bottom, left:right], dtype=np.float32))
        room = OFF_SQUARES * round(self._sigma / BLUR_SQUARES)
        wide = cv2.copyMakeBorder(departures, room, room, room, room, cv2.BORDER_CONSTANT, value=(0.0,))
        field = wide[top : bottom + 2 * room, left : right + 2 * room]
        _, _, _, at = cv2.minMaxLoc(cv2.matchTemplate(_halved(np.asarray(field)), pattern, cv2.TM_CCORR))
        moved = (np.array(at, dtype=np.float64) * COARSE - room) * self._scale
        return np.array([[1.0, 0.0, moved[0]], [0.0, 1.0, moved[1]], [0.0, 0.0, 1.0]])


def _around(reach: int) -> list[tuple[int, int]]:
    line = range(-reach, reach + 1)
    return [(x, y) for x in line for y in line if x or y]


def _square(motion: Floats) -> Floats:
    return np.vstack([motion, [0.0, 0.0, 1.0]]) if motion.shape[0] == 2 else motion


def _halved(values: Departures) -> Departures:
    return np.asarray(
        cv2.resize(values, (values.shape[1] // COARSE, values.shape[0] // COARSE), interpolation=cv2.INTER_AREA),
        dtype=np.float32,
    )
