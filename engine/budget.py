"""How much of a clock to spend on one move."""

from dataclasses import dataclass

MOVES_LEFT = 30
"""A game without a move limit is taken to last so many more moves."""
RESERVE_S = 0.03
"""Kept back from every budget: the way of the answer to the other program."""
LEAST_S = 0.005


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
    """Return the time for one move: an even share and most of the increment, never so much that the clock could run out."""
    share = clock.time_s / (MOVES_LEFT if clock.moves is None else max(clock.moves, 1))
    wish = share + 0.8 * clock.increment_s
    # Half of all that is left at most: a share of the last moves must not hang on one slow answer. The very last move of a
    # period may take all of it.
    most = clock.time_s if clock.moves == 1 else 0.5 * clock.time_s + min(clock.increment_s, clock.time_s) * 0.4
    return max(min(wish, most) - RESERVE_S, LEAST_S)
