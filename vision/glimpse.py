"""What can be seen of the board beside a hand that is over it: places that became empty, places that were filled."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import Patches, relative_scores
from damludo.vision.content import Content, Grid

CHANGED_SCORE = 5.0
"""A place with this score, against those that the hand does not cover, is worth reading."""
CLEAR_NATS = 10.0
"""A single picture beside a hand has shadows: it must be this clear."""
ENOUGH_FRAMES = 6
"""What was seen in so many pictures needs no further one."""
FEWEST_FREE = 6
"""With fewer places free of the hand there is no usual score to compare with."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """Something seen on one place while a hand was over the board.

    Attributes:
        frames: in how many pictures.
        first, last: numbers of the first and the last of them.
        first_s: time of the first.
    """

    frames: int
    first: int
    last: int
    first_s: float

    def again(self, number: int) -> "Glimpse":
        """Return this, seen once more."""
        return Glimpse(self.frames + 1, self.first, number, self.first_s)


class Glimpses:
    """Collects what is seen beside a hand during one turn.

    Attributes:
        emptied: places that held a disc and were seen empty.
        filled: places that were empty and were seen to hold a disc.
        hand_s: times of the first and of the newest picture with a hand; None before there was one.
    """

    def __init__(self) -> None:
        self.emptied: dict[int, Glimpse] = {}
        self.filled: dict[int, Glimpse] = {}
        self.hand_s: tuple[float, float] | None = None

    def clear(self) -> None:
        """Begin a new turn."""
        self.emptied, self.filled, self.hand_s = {}, {}, None

    def see_hand(self, time_s: float) -> None:
        """Be told that a hand is over the board."""
        self.hand_s = (time_s if self.hand_s is None else self.hand_s[0], time_s)

    def open(self, places: list[int]) -> list[int]:
        """Return those of some changed places that are not surely known yet."""
        return [
            place
            for place in places
            if all(place not in seen or seen[place].frames < ENOUGH_FRAMES for seen in (self.emptied, self.filled))
        ]

    def note(
        self, table: NDArray[np.float64], places: list[int], believed: Mapping[int, Content], number: int, time_s: float
    ) -> None:
        """Take in an absolute reading, shape (rows * columns, 5), of places that look changed."""
        for place in places:
            row = table[place]
            lead = float(row[Content.EMPTY] - row[1:].max())
            was_empty = believed[place] is Content.EMPTY
            if not was_empty and lead > CLEAR_NATS:
                _count(self.emptied, place, number, time_s)
            elif was_empty and lead < -CLEAR_NATS:
                _count(self.filled, place, number, time_s)


def _count(seen: dict[int, Glimpse], place: int, number: int, time_s: float) -> None:
    before = seen.get(place)
    seen[place] = Glimpse(1, number, number, time_s) if before is None else before.again(number)


def changed_beside(
    before: Patches, after: Patches, grid: Grid, covered: NDArray[np.bool_], believed: Mapping[int, Content]
) -> list[int]:
    """Return the places that the hand does not cover and that look changed.

    Args:
        before, after: patches of the quiet board and of the picture with the hand.
        covered: True for places under the hand, shape (rows * columns,).
        believed: what stood where in the quiet picture.
    """
    playable = np.array(grid.playable)
    free = np.flatnonzero(~covered[playable])
    if len(free) < FEWEST_FREE:
        return []
    flat = [patches[free].reshape(len(free), -1, 3)[:, ::3] for patches in (before, after)]
    score = relative_scores(flat[0], flat[1])
    return [int(place) for place in playable[free[score > CHANGED_SCORE]] if int(place) in believed]
