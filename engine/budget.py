"""How much of a clock to spend on one move."""

from dataclasses import dataclass

MOVES_LEFT = 30
"""A game without a move limit is taken to last so many more moves."""
RESERVE_S = 0.03
"""Kept back from every budget: the way of the answer to the other program."""
LEAST_S = 0.005
"""No move gets less, however little the clock shows."""
LAST_KEPT, LAST_KEPT_S = 0.2, 0.5
"""What the last move of a period leaves of its time: this part, at most so much."""
DIFFICULT = 1.5
"""A difficult move may take so many times its share."""


@dataclass(frozen=True, slots=True)
class Clock:
    """What a player has left.

    Attributes:
        time_s: for the rest of the game, or for the next `moves` moves.
        increment_s: what each further move brings, added before it.
        moves: until new time is given; None for the whole game.
    """

    time_s: float
    increment_s: float = 0.0
    moves: int | None = None


def seconds_for(clock: Clock) -> float:
    """Return the time for a usual move: an even share and most of the increment, never so much that the clock could run out."""
    return _spendable(clock, 1.0)


def most_seconds_for(clock: Clock) -> float:
    """Return the time for one move that turns out to be difficult."""
    return _spendable(clock, DIFFICULT)


def _spendable(clock: Clock, times: float) -> float:
    share = clock.time_s / (MOVES_LEFT if clock.moves is None else max(clock.moves, 1))
    wish = (share + 0.8 * clock.increment_s) * times
    # Half of all that is left at most: a share of the last moves must not hang on one slow answer. The very last move of a
    # period may take nearly all of it.
    most = 0.5 * clock.time_s + min(clock.increment_s, clock.time_s) * 0.4
    if clock.moves == 1:
        most = clock.time_s - min(LAST_KEPT * clock.time_s, LAST_KEPT_S)
    return max(min(wish, most) - RESERVE_S, LEAST_S)


class Margin:
    """How much sooner than allowed a search is to end: as much as earlier answers were late."""

    FIRST_S = 0.002
    FADES = 0.9

    def __init__(self) -> None:
        self._late_s = self.FIRST_S

    def within(self, seconds: float) -> float:
        """Return the time to search where the answer must be there after some time; half of it at least."""
        return max(seconds - self._late_s, seconds / 2)

    def learn(self, spent_s: float, allowed_s: float) -> None:
        """Take note of an answer: a late one counts at once, and is forgotten in some moves."""
        wanted_s = self._late_s + spent_s - allowed_s
        self._late_s = max(wanted_s, self._late_s * self.FADES, self.FIRST_S)


class Patience:
    """Decides after each depth whether to begin another one, where a search need not use all of its time.

    Args:
        enough_s: what it is to use; None for all that it is given.
    """

    BEGINS = 0.55
    """With so much of its time gone a search begins no further depth: it would not come to anything."""
    TROUBLE = 1.8
    """So many times longer it may take where the score has fallen since the depth before."""
    FALL = 20
    """Hundredths of a man that are a fall."""

    def __init__(self, enough_s: float | None) -> None:
        self._enough_s = enough_s
        self._score: int | None = None

    def ends(self, spent_s: float, score: int) -> bool:
        """Whether it was enough, after so much time and with the score of the depth that is done."""
        before, self._score = self._score, score
        if self._enough_s is None:
            return False
        fallen = before is not None and score <= before - self.FALL
        return spent_s > self.BEGINS * self._enough_s * (self.TROUBLE if fallen else 1.0)
