"""Levels 1 to 10 of each game: how many positions the engine may visit, and how much it misjudges.

A ladder is data. Where strength was measured a game has its own (`docs/levels.md`), with steps of about equal strength between
its levels; all others have the one at the end, which lies in the middle of those. `damludo.engine.train.ladder` finds them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from damludo.engine.errors import NoSuchLevel
from damludo.engine.memory import Searcher
from damludo.engine.port import Choice, Limits
from damludo.engine.search import AlphaBeta
from damludo.rules.game import Game
from damludo.rules.traits import Variant

MISJUDGEMENT = 10.0
"""Men times the square root of positions: who looks at a hundred times as much errs by a tenth."""
NO_MISJUDGEMENT = 0.05
"""Men. Where less would be left, nothing is."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level; `noise_men` as in `AlphaBeta`."""

    nodes: int
    noise_men: float = 0.0


Ladder = tuple[Level, ...]
"""The ten levels, the weakest first."""


def level_of_nodes(nodes: int) -> Level:
    """Return the level that visits so many positions for each move.

    Few positions alone do not make a person's mistakes: what the engine sees at all it weighs exactly. So it sees little and
    misjudges that, and both get better together along the whole ladder.
    """
    noise = MISJUDGEMENT / math.sqrt(nodes)
    return Level(nodes, round(noise, 2) if noise >= NO_MISJUDGEMENT else 0.0)


def _ladder(*nodes: int) -> Ladder:
    return tuple(map(level_of_nodes, nodes))


LADDERS: Mapping[str, Ladder] = MappingProxyType(
    {
        "damludo": _ladder(18, 34, 59, 96, 150, 340, 1_200, 7_000, 70_000, 1_000_000),
        "english": _ladder(13, 22, 39, 64, 110, 290, 1_000, 5_000, 39_000, 1_000_000),
        "russian": _ladder(17, 30, 51, 86, 160, 300, 740, 2_200, 13_000, 1_000_000),
        "international": _ladder(17, 39, 84, 160, 280, 580, 1_300, 4_300, 29_000, 1_000_000),
        "turkish": _ladder(8, 19, 38, 72, 140, 250, 650, 2_100, 14_000, 1_000_000),
        "dameo": _ladder(11, 25, 74, 200, 480, 1_200, 3_100, 14_000, 90_000, 1_000_000),
    }
)
"""The measured ladders, by the key of the game."""
LEVELS = _ladder(13, 27, 55, 91, 160, 320, 1_100, 4_600, 34_000, 1_000_000)
"""The ladder of the games that have none of their own."""


def ladder_of(variant: Variant) -> Ladder:
    """Return the levels of a game."""
    return LADDERS.get(variant.key, LEVELS)


class LevelPlayer:
    """A `Player` of one level: in each game it plays by that game's ladder.

    Args:
        level: 1 to 10.
        seed: of the misjudgements.
        searcher: as in `AlphaBeta`.

    Raises:
        NoSuchLevel: outside 1..10.
    """

    def __init__(self, level: int, seed: int = 0, searcher: Searcher | None = None) -> None:
        if not 1 <= level <= len(LEVELS):
            raise NoSuchLevel(level, len(LEVELS))
        self._level, self._seed, self._searcher = level, seed, searcher
        self._engines: dict[Level, AlphaBeta] = {}

    def start(self, variant: Variant) -> None:
        """Make the engine of a game ready, which else the first choice does."""
        self._engine_of(variant).start(variant)

    def choose(self, game: Game) -> Choice:
        """Return the best move found within the limits of the level.

        Raises:
            GameOver: there is no legal move.
        """
        return self._engine_of(game.variant).choose(game)

    def stop(self) -> None:
        """End the search at once; may be called from any thread."""
        for engine in tuple(self._engines.values()):
            engine.stop()

    def _engine_of(self, variant: Variant) -> AlphaBeta:
        level = ladder_of(variant)[self._level - 1]
        engine = self._engines.get(level)
        if engine is None:
            limits = Limits(nodes=level.nodes)
            engine = self._engines[level] = AlphaBeta(limits, level.noise_men, self._seed, searcher=self._searcher)
        return engine


def player_of_level(level: int, seed: int = 0, searcher: Searcher | None = None) -> LevelPlayer:
    """Return the engine of a level, in whatever game it will be asked; `searcher` as in `AlphaBeta`.

    Raises:
        NoSuchLevel: outside 1..10.
    """
    return LevelPlayer(level, seed, searcher)
