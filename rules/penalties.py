"""What an offence against the touch rules costs: nothing at first, a warning next, then what the players have agreed.

Source: Vikipedio, article Damludo: touching discs of which none can move has no consequence, its repetition is punishable. How
hard is not said there: our choice, kept in a setting. Only what is certain is an offence: see `touching.sure_touches`.
"""

from dataclasses import dataclass
from enum import Enum


class Penalty(Enum):
    """What an offence costs; the value is the sentence for the player."""

    NONE = "This time it has no consequence."
    WARNING = "This is a warning: the next time it costs something."
    TIME = "This costs time on the clock."
    GAME = "This costs the game."


@dataclass(frozen=True, slots=True)
class Discipline:
    """How a repeated offence is punished.

    Attributes:
        free: offences without any consequence.
        warnings: warnings after these.
        then: what every further offence costs.
        time_s: seconds that `Penalty.TIME` takes off the clock.
    """

    free: int = 1
    warnings: int = 1
    then: Penalty = Penalty.TIME
    time_s: float = 60.0


def penalty_of(earlier: int, discipline: Discipline | None = None) -> Penalty:
    """Return the penalty of an offence.

    Args:
        earlier: how many offences of the same player in this game came before it.
        discipline: what the players have agreed; None for the default.
    """
    agreed = discipline or Discipline()
    if earlier < agreed.free:
        return Penalty.NONE
    return Penalty.WARNING if earlier < agreed.free + agreed.warnings else agreed.then
