"""How much each part of the picture changes by itself: the noise of a cheap camera in the dark, a lamp that flickers."""

import numpy as np
from numpy.typing import NDArray

from damludo.vision.region import Gray, Mask

USUAL_CHANGE = 0.06
"""Local change of log-brightness between two frames that counts as motion, however calm the picture is."""
MOST_CHANGE = 0.15
"""... and however restless it is: a hand changes 0.2 and more."""
TIMES_USUAL = 4.0
"""A change counts as motion if it is so many times the median one of its place (noise of one place: 1 in 1,000 is 3 times it)."""
STEP = 0.001
"""The median follows by so much in each frame: a hand that passes in a dozen frames leaves no trace."""


class Unrest:
    """The running median of the changes from frame to frame, for each pixel.

    Args:
        shape: of the reduced picture.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._median = np.zeros(shape, dtype=np.float32)

    @property
    def limit(self) -> Gray:
        """The change of log-brightness that counts as motion, shape of the picture."""
        return np.asarray(np.clip(TIMES_USUAL * self._median, USUAL_CHANGE, MOST_CHANGE), dtype=np.float32)

    def learn(self, change: Gray, seen: Mask) -> None:
        """Take in the change between two frames without a hand, where 1 in `seen`: what the machine does is no unrest."""
        step = np.where(change > self._median, np.float32(STEP), np.float32(-STEP))
        self._median += step * seen

    def moving(self, change: Gray) -> NDArray[np.bool_]:
        """Return where something moves."""
        return np.asarray(change > self.limit)
