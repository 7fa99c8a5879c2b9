"""Matches that judge: weights against weights, levels against their neighbours."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.engine.contest import Contest, Score, contest
from damludo.engine.levels import ladder_of, player_of_level
from damludo.engine.memory import Searcher
from damludo.engine.port import Limits, Player
from damludo.engine.program import can_compile
from damludo.engine.random_player import RandomPlayer
from damludo.engine.search import AlphaBeta
from damludo.engine.train.ladder import CHANCE, Bout
from damludo.rules.traits import Variant

Weights = NDArray[np.int16]
ENTRIES = 1 << 18
"""Of each player's table: enough for a tenth of a second."""
GAIN = 0.55
"""Learnt weights are worth shipping from this share of the points on."""


def match(
    variant: Variant,
    weights: tuple[Weights, Weights],
    limits: Limits,
    games: int,
    seed: int,
    each_game: Callable[[Score], None],
    compiled: bool | None = None,
) -> Score:
    """Play the engine with some weights against the engine with others; the score is that of the first ones.

    Seconds are those of this process's own processor time, so that a busy computer takes from neither.
    """
    runs = can_compile() if compiled is None else compiled
    first, second = (
        AlphaBeta(limits, now_s=time.process_time, searcher=Searcher(variant, runs, weights=own, entries=ENTRIES))
        for own in weights
    )
    return contest(Contest(variant, (first, second), games, seed, 6, limits.seconds), each_game, time.process_time)


@dataclass(frozen=True, slots=True)
class Rung:
    """Two neighbours on the ladder of levels; level 0 is chance.

    Attributes:
        level: the upper one.
        score: its score against the one below.
    """

    level: int
    score: Score

    def bout(self, variant: Variant) -> Bout:
        """Return the same as a bout between two settings."""
        nodes = [CHANCE, *(level.nodes for level in ladder_of(variant))]
        score = self.score
        upper, lower = nodes[self.level], nodes[self.level - 1]
        return Bout(variant.key, upper, lower, score.wins, score.draws, score.losses)


def rungs(
    variant: Variant,
    levels: Sequence[int],
    games: int,
    seed: int,
    each_rung: Callable[[Rung], None],
    compiled: bool | None = None,
) -> list[Rung]:
    """Play each of the levels against the one below."""
    # Compiled also where a level alone would not be, for many games: the moves are the same. Without tables of endgames, which
    # not every computer has.
    searcher = Searcher(variant, can_compile() if compiled is None else compiled)
    found = []
    for level in levels:
        below: Player = player_of_level(level - 1, seed + 1, searcher) if level > 1 else RandomPlayer(seed + 1)
        what = Contest(variant, (player_of_level(level, seed, searcher), below), games, seed + level)
        rung = Rung(level, contest(what, lambda score: None))
        each_rung(rung)
        found.append(rung)
    return found


def levels_between(variant: Variant, least_nodes: int, most_nodes: int) -> list[int]:
    """Return the levels of a game that visit so many positions, bounds included."""
    ladder = enumerate(ladder_of(variant), start=1)
    return [number for number, level in ladder if least_nodes <= level.nodes <= most_nodes]
