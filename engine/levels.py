"""Levels 1 to 10: how many positions the engine may visit, and how much the low ones misjudge."""

from dataclasses import dataclass

from damludo.engine.errors import NoSuchLevel
from damludo.engine.memory import Searcher
from damludo.engine.port import Limits
from damludo.engine.search import AlphaBeta


@dataclass(frozen=True, slots=True)
class Level:
    """One level; `noise_men` as in `AlphaBeta`."""

    nodes: int
    noise_men: float = 0.0


# The low levels differ by their misjudgements as well: the lowest look at a few moves, each one's captures followed to their end.
LEVELS = (
    Level(15, 2.6),
    Level(27, 1.9),
    Level(80, 1.1),
    Level(150, 0.8),
    Level(290, 0.55),
    Level(800, 0.25),
    Level(3_000),
    Level(20_000),
    Level(200_000),
    Level(3_000_000),
)


def player_of_level(level: int, seed: int = 0, searcher: Searcher | None = None) -> AlphaBeta:
    """Return the engine of a level; `searcher` is the one to search with, None for that of the process.

    Raises:
        NoSuchLevel: outside 1..10.
    """
    if not 1 <= level <= len(LEVELS):
        raise NoSuchLevel(level, len(LEVELS))
    chosen = LEVELS[level - 1]
    return AlphaBeta(Limits(nodes=chosen.nodes), chosen.noise_men, seed, searcher=searcher)
