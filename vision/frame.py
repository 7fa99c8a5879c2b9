"""One picture with its time, and the port that gives pictures."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""A picture, shape (h, w, 3), BGR as OpenCV gives it."""


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """One picture of a camera.

    Attributes:
        image: shape (h, w, 3), uint8, BGR. Never written to after the frame was made.
        time_s: when it was taken, on the monotonic clock of its source.
        number: counts the pictures of one source; a later picture has a greater number.
    """

    image: Image
    time_s: float
    number: int


class FrameSource(Protocol):
    """A camera, a recording or a simulated camera."""

    def read(self) -> Frame:
        """Return the newest picture, waiting for the next one; never the same picture twice, never one from a queue of old ones.

        Raises:
            CameraLost: no picture came in time.
            EndOfFrames: a recording is over.
        """

    def close(self) -> None:
        """Let go of the device. May be called more than once."""
