"""Which pictures of a camera are sound: torn, black and old ones are held back, each only as long as that is the exception.

A driver that lost bytes gives half of a new picture over half of the old one, or over plain grey. A driver that starts anew may
give a black one. After a stall it hands out what queued up meanwhile. Such pictures show moves that nobody made.
"""

import statistics
from collections import deque

import numpy as np

from damludo.vision.frame import Image

TORN_PART = 1 / 16
"""A picture is torn if at least this part of its rows is old or empty, and the rest is not."""
MOST_TORN = 3
"""So many in a row at most are held back: a source that always shows bars or still parts is like that."""
BLACKEST = 8
"""No pixel of a black picture is brighter; a webcam's noise in a dark room is."""
BLACK_S = 1.0
"""A camera that is black for longer is in the dark: its pictures are shown, so that it can be told."""
INTERVALS = 15
STALL, HURRY = 2.5, 0.6
"""A wait of more than so many usual intervals is a stall; a picture that comes after less than so much of one was waiting."""
LONGEST_QUEUE_S = 8.0


class Soundness:
    """Judges pictures one after the other, all of them, in the order in which they come.

    Attributes:
        torn, black, late: how many were held back.
        doubt: why the last picture was held back: "torn", "black", "late", or "" for a sound one.
        same_s: for how long the same bytes have come: the driver repeats its last picture.
    """

    def __init__(self) -> None:
        self.torn = self.black = self.late = 0
        self.doubt = ""
        self.same_s = 0.0
        self._changed_s: float | None = None
        self._last: Image | None = None
        self._torn_in_a_row = 0
        self._bars = 0
        self._black_since_s: float | None = None
        self._at_s: float | None = None
        self._intervals: deque[float] = deque(maxlen=INTERVALS)
        self._behind_s = 0.0

    @property
    def held_back(self) -> dict[str, int]:
        """How many pictures were held back, by the reason."""
        return {"torn": self.torn, "black": self.black, "late": self.late}

    def accepts(self, image: Image, now_s: float) -> bool:
        """Return whether a picture, shape (h, w, 3), that came at `now_s` may be looked at."""
        late = self._is_late(now_s)
        black = self._is_black(image, now_s)
        torn = not black and self._is_torn(image)
        if self._changed_s is None or self._last is None or not np.array_equal(self._last, image):
            self._changed_s = now_s
        self.same_s = now_s - self._changed_s
        self._last = image
        self.doubt = "late" if late else "black" if black else "torn" if torn else ""
        self.late += late
        self.black += black and not late
        self.torn += torn and not late and not black
        return not self.doubt

    def _is_late(self, now_s: float) -> bool:
        """Say whether a picture waited in a queue: it comes faster than the camera takes them, after a stall.

        A stall of 2 s at 30 pictures a second leaves up to 60 behind. Each that comes at once works off one interval of what is
        behind; one for which we had to wait shows that the queue is empty.
        """
        before, self._at_s = self._at_s, now_s
        if before is None:
            return False
        interval = now_s - before
        if len(self._intervals) < INTERVALS:
            self._intervals.append(interval)
            return False
        usual = statistics.median(self._intervals)
        if interval > STALL * usual:
            self._behind_s = min(interval - usual, LONGEST_QUEUE_S)
            return False
        if self._behind_s <= 0.0 or interval > HURRY * usual:
            self._behind_s = 0.0
            self._intervals.append(interval)
            return False
        self._behind_s -= usual - interval
        return True

    def _is_black(self, image: Image, now_s: float) -> bool:
        # A coarse look settles it for all pictures but black ones.
        if int(image[::8, ::8].max()) > BLACKEST or int(image.max()) > BLACKEST:
            self._black_since_s = None
            return False
        if self._black_since_s is None:
            self._black_since_s = now_s
        return now_s - self._black_since_s < BLACK_S

    def _is_torn(self, image: Image) -> bool:
        rows = image.shape[0]
        least = max(1, round(TORN_PART * rows))
        bars = _plain_rows(image)
        empty = least <= bars < rows and bars > self._bars + least // 2
        old = self._last is not None and self._last.shape == image.shape and _half_old(image, self._last, least)
        if not (empty or old):
            self._torn_in_a_row = 0
            self._bars = bars
            return False
        self._torn_in_a_row += 1
        if self._torn_in_a_row <= MOST_TORN:
            return True
        self._bars = bars
        return False


def _half_old(image: Image, last: Image, least: int) -> bool:
    """Return whether the lower rows are those of the last picture, byte for byte, and others are not.

    A sensor's noise never repeats itself; the last row is compared first, so that sound pictures cost nothing.
    """
    if not np.array_equal(image[-1], last[-1]) or not np.array_equal(image[-least:], last[-least:]):
        return False
    return not np.array_equal(image, last)


def _plain_rows(image: Image) -> int:
    """Return how many rows at the lower edge have one and the same colour."""
    colour = image[-1, 0]
    if not (image[-1] == colour).all():
        return 0
    plain = (image == colour).all(axis=(1, 2))[::-1]
    return int(len(plain) if plain.all() else plain.argmin())
