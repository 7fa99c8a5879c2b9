"""No arm leaves unseen: what came as an arm stays one until the border of the watched part changes where it crossed it.

A hand that comes to rest over the outermost squares is as small as a disc; one in the discs' own colour, a disc still in its
fingers, looks like discs beside the border. What a hand leaves behind looks the same, but the arm went before.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.hiding import Cover
from damludo.vision.region import Mask

CHANGED_PART, FREED_PART = 0.5, 0.25
"""An arm that left changed, or freed, at least this part of where it crossed the border. One that trembles changes its outlines
and frees hardly anything; the place beside the border that a disc was taken from stays as it is when the arm before it goes."""
LONGEST_GAP_S = 0.5
"""Pictures farther apart do not show how an arm left."""


class ArmInSight:
    """Remembers from frame to frame where an arm crosses the border.

    Args:
        near_border: the border of what is watched, reduced size, 1 there.
    """

    def __init__(self, near_border: Mask) -> None:
        self._near_border = near_border
        self._arms: Mask | None = None
        self._comes = self._went = False

    def crossing(
        self, mask: Mask, moving: NDArray[np.bool_], *, hand: bool, lies: bool, gap_s: float
    ) -> NDArray[np.int32] | None:
        """Return where arms that were seen in the frame before still cross the border, each with a number of its own, else 0.

        None if none does.

        Args:
            mask: what hides the board in this frame, reduced size, 1 there.
            moving: what changed since the frame before, reduced size.
            hand: a hand was over the board in the frame before.
            lies: nothing stirred for so long that a thing lies there.
            gap_s: since the frame before.
        """
        self._went = False
        if self._arms is None or not hand or lies or gap_s > LONGEST_GAP_S:
            return None
        # An arm and the place of a disc beside it that touches the border, too, are one part.
        count, labels = cv2.connectedComponents(self._arms, connectivity=8)
        labels[self._near_border == 0] = 0
        wide = np.bincount(labels.ravel(), minlength=count)
        moved = np.bincount(labels[moving], minlength=count)
        hidden = np.bincount(labels[mask > 0], minlength=count)
        self._went = bool(hidden[1:].sum() < CHANGED_PART * wide[1:].sum())
        stays = (moved < CHANGED_PART * wide) & (hidden > (1.0 - FREED_PART) * wide)
        stays[0] = False
        return np.asarray(labels * stays[labels], dtype=np.int32) if stays.any() else None

    def see(self, cover: Cover) -> None:
        """Take in what hides the board in this frame."""
        comes = bool((cover.arms & self._near_border).any())
        # An arm comes over the border for two frames at least; discs that lie elsewhere from one to the next were not seen moved.
        # In the frame in which it is gone, what it leaves there has changed like an arm.
        self._arms = cover.arms if comes and self._comes and not self._went else None
        self._comes = comes
