"""Levels 1 to 10 of each game: how many positions the engine may visit, and how much it misjudges.

A ladder is data. Where strength was measured a game has its own (`docs/levels.md`), with steps of about equal strength between
its levels; all others have the one at the end, which lies in the middle of those. `damludo.engine.train.ladder` finds them.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from damludo.engine.errors import NoSuchLevel
from damludo.engine.memory import Searcher, Searchers
from damludo.engine.port import Choice, Limits
from damludo.engine.search import AlphaBeta
from damludo.rules.game import Game
from damludo.rules.traits import Variant

MISJUDGEMENT = 10.0
"""Men times the square root of positions: who looks at a hundred times as much errs by a tenth."""
NO_MISJUDGEMENT = 0.05
"""Men. Where less would be left, nothing is."""
OPENING_PLIES = 4
"""After which the form of a game is settled. Nothing is lost before, and games with other openings are other games."""
FORM_STEPS = 4
"""Forms better than the usual one, and as many worse ones."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level.

    Attributes:
        nodes: positions that it visits for each move, in a game in its usual form.
        noise_men: as in `AlphaBeta`.
        form: how many times as many they are in the best form, and how many times fewer in the worst; 1 for always the same.
    """

    nodes: int
    noise_men: float = 0.0
    form: float = 1.0

    def forms(self) -> "tuple[Level, ...]":
        """Return how the level plays in each of its forms, the worst first; all of them are equally frequent."""
        if self.form == 1.0:
            return (self,)
        factors = (self.form ** (step / FORM_STEPS) for step in range(-FORM_STEPS, FORM_STEPS + 1))
        return tuple(level_of_nodes(round(self.nodes * factor)) for factor in factors)

    def in_game(self, game: Game, seed: int) -> "Level":
        """Return how the level plays one game, in the form that it is in.

        A person does not play equally well every day; Elo's scale rests on that. The form is drawn from the seed, the colour and
        the opening, and stays until the game is over.

        Source: A. E. Elo, The Rating of Chessplayers (1978): performances are spread around a player's strength.
        """
        opening = game.positions[: OPENING_PLIES + 1][-1]
        day = random.Random(f"form {seed} {game.variant.key} {game.position.side:d} {opening.cells.hex()}")
        return day.choice(self.forms())


Ladder = tuple[Level, ...]
"""The ten levels, the weakest first."""


def level_of_nodes(nodes: int, form: float = 1.0) -> Level:
    """Return the level that visits so many positions for each move.

    Few positions alone do not make a person's mistakes: what the engine sees at all it weighs exactly. So it sees little and
    misjudges that, and both get better together along the whole ladder.
    """
    noise = MISJUDGEMENT / math.sqrt(nodes)
    return Level(nodes, round(noise, 2) if noise >= NO_MISJUDGEMENT else 0.0, form)


def _ladder(*nodes: int, form: float = 1.0) -> Ladder:
    """The highest level is always in the same form: full strength."""
    return (*(level_of_nodes(each, form) for each in nodes[:-1]), level_of_nodes(nodes[-1]))


LADDERS: Mapping[str, Ladder] = MappingProxyType(
    {
        "damludo": _ladder(36, 75, 170, 420, 1_000, 3_000, 12_000, 50_000, 200_000, 1_000_000, form=3.0),
        "english": _ladder(20, 46, 110, 320, 790, 2_500, 10_000, 46_000, 220_000, 1_000_000, form=3.0),
        "russian": _ladder(24, 60, 160, 480, 1_300, 4_000, 16_000, 70_000, 260_000, 1_000_000, form=3.0),
        "international": _ladder(23, 66, 150, 430, 1_300, 4_600, 19_000, 81_000, 320_000, 1_000_000, form=4.0),
        "turkish": _ladder(11, 25, 53, 110, 240, 530, 1_300, 4_000, 15_000, 1_000_000, form=3.0),
        "dameo": _ladder(18, 61, 200, 680, 1_900, 6_900, 20_000, 80_000, 330_000, 1_000_000, form=4.0),
    }
)
"""The measured ladders, by the key of the game."""
LEVELS = _ladder(21, 60, 150, 420, 1_100, 3_500, 14_000, 59_000, 240_000, 1_000_000, form=3.0)
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
        self._level, self._seed, self._searcher, self._searchers = level, seed, searcher, Searchers()
        self._engines: dict[Level, AlphaBeta] = {}

    def start(self, variant: Variant) -> None:
        """Make the engine of a game ready, which else the first choice does, in whatever form it will be."""
        for form in self._level_of(variant).forms():
            self._engine_of(form).start(variant)

    def choose(self, game: Game) -> Choice:
        """Return the best move found within the limits of the level.

        Raises:
            GameOver: there is no legal move.
        """
        return self._engine_of(self._level_of(game.variant).in_game(game, self._seed)).choose(game)

    def stop(self) -> None:
        """End the search at once; may be called from any thread."""
        for engine in tuple(self._engines.values()):
            engine.stop()

    def _level_of(self, variant: Variant) -> Level:
        return ladder_of(variant)[self._level - 1]

    def _engine_of(self, level: Level) -> AlphaBeta:
        engine = self._engines.get(level)
        if engine is None:
            engine = self._engines[level] = AlphaBeta(
                Limits(nodes=level.nodes),
                level.noise_men,
                self._seed,
                searcher=self._searcher,
                searchers=self._searchers,
            )
        return engine


def player_of_level(level: int, seed: int = 0, searcher: Searcher | None = None) -> LevelPlayer:
    """Return the engine of a level, in whatever game it will be asked; `searcher` as in `AlphaBeta`.

    Raises:
        NoSuchLevel: outside 1..10.
    """
    return LevelPlayer(level, seed, searcher)
