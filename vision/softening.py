"""Grey, blurred and shrunk: as much of a picture as samples that stand for their surroundings need."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.frame import Image

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Softening:
    """Grey and blurred, as little of a picture as its samples need, and shrunk where the blur leaves no detail.

    Attributes:
        left, top, right, bottom: the part of the picture that is used, px.
        shrink: it is shrunk to one part in so many.
        sigma_px: blur of the shrunk picture.
    """

    left: int
    top: int
    right: int
    bottom: int
    shrink: int
    sigma_px: float

    @classmethod
    def of(cls, pixels: Floats, sigma_px: float, image_size: tuple[int, int]) -> "Softening":
        """Lay out for samples, shape (n, 2), and the blur that they want.

        Averaging f pixels and interpolating between these averages blurs, too: variances f * f / 12 and f * f / 6, of which
        a twelfth and a sixth are there without shrinking.
        """
        shrink = max(1, math.floor(math.sqrt(2 * sigma_px**2 + 0.5)))
        rest = math.sqrt(sigma_px**2 - (shrink**2 - 1) / 4) / shrink
        margin = 4 * sigma_px + 2 * shrink
        size = np.array(image_size)
        low = np.clip(np.floor(pixels.min(axis=0) - margin), 0, size - shrink).astype(int)
        parts = np.ceil((pixels.max(axis=0) + margin - low) / shrink).astype(int)
        high = low + shrink * np.clip(parts, 1, (size - low) // shrink)
        return cls(int(low[0]), int(low[1]), int(high[0]), int(high[1]), shrink, rest)

    def carried(self, pixels: Floats) -> Floats:
        """Carry points of the picture, shape (n, 2), to the softened one."""
        return np.asarray((pixels - (self.left, self.top) + 0.5) / self.shrink - 0.5, dtype=np.float32)

    def softened(self, image: Image) -> NDArray[np.uint8]:
        """Return the softened part of a picture."""
        grey = cv2.cvtColor(image[self.top : self.bottom, self.left : self.right], cv2.COLOR_BGR2GRAY)
        if self.shrink > 1:
            size = grey.shape[1] // self.shrink, grey.shape[0] // self.shrink
            grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(grey, (0, 0), self.sigma_px), dtype=np.uint8)
