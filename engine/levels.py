"""Levels 1 to 10: how many positions the engine may visit, and how much the low ones misjudge."""

from dataclasses import dataclass

from damludo.engine.errors import NoSuchLevel
from damludo.engine.port import Limits
from damludo.engine.search import AlphaBeta


@dataclass(frozen=True, slots=True)
class Level:
    """One level; `noise_men` as in `AlphaBeta`."""

    nodes: int
    noise_men: float = 0.0


# The low levels differ by their misjudgements, the high ones by how far they look: near two plies deeper for every level.
LEVELS = (
    Level(150, 0.9),
    Level(270, 0.5),
    Level(490, 0.25),
    Level(900, 0.08),
    Level(2_000),
    Level(5_000),
    Level(20_000),
    Level(100_000),
    Level(500_000),
    Level(3_000_000),
)


def player_of_level(level: int, seed: int = 0) -> AlphaBeta:
    """Return the engine of a level.

    Raises:
        NoSuchLevel: outside 1..10.
    """
    if not 1 <= level <= len(LEVELS):
        raise NoSuchLevel(level, len(LEVELS))
    chosen = LEVELS[level - 1]
    return AlphaBeta(Limits(nodes=chosen.nodes), chosen.noise_men, seed)
