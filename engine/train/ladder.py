"""Finding the ladder of levels: settings play each other, a curve of strength goes through the results, levels lie evenly on it.

Strength is measured as log odds of the points: two settings r apart share them as e^r to 1 (Elo is 400 / ln 10 times as much).
It is a curve over the logarithm of the positions for each move, straight between the settings of a grid, and is fitted to all
games at once by logistic regression with a prior against sharp bends, so that the links of the chain help their neighbours.
Chance is one player more, with a strength of its own.
"""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from damludo.engine.contest import Contest, Score, contest
from damludo.engine.errors import BadMatch
from damludo.engine.levels import Ladder, Level, level_of_nodes
from damludo.engine.memory import Searcher
from damludo.engine.port import Limits, Player
from damludo.engine.program import can_compile
from damludo.engine.random_player import RandomPlayer
from damludo.engine.search import AlphaBeta
from damludo.rules.traits import Variant

CHANCE = 0
"""The positions that chance visits: the setting below all others."""
GRID = (3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
"""Settings between which the curve is straight: two in each power of ten."""
PAIRS = (
    (3, CHANCE), (10, CHANCE), (30, CHANCE), (10, 3), (30, 10), (100, 30), (300, 100), (1_000, 300), (3_000, 1_000),
    (30_000, 3_000), (1_000_000, 30_000),
)  # fmt: skip
"""Who plays whom. Where the stronger one scores about 90 % a game tells most of the slope: more than one between equals or one
decided before it begins. Further up more positions gain less, so the settings lie further apart."""
FIRST_SHARES_AND_FORMS = (0.97, 3.0), (0.98, 4.0)
"""The points against chance at level 1, which loses a game now and then, and how many times as many positions as usual a level
visits in its best form. The first pair is taken where steps become narrow enough with it."""
WIDE = 0.74
"""Share of the points against the level below from which on a step is too wide: 80 % less what a measurement may be off."""
BEND = 0.7
"""How much the strength gained by one step of the grid differs from that of the next, in log odds: the deviation of the prior."""
LOOSE = 0.01
"""Of a prior on the strengths themselves, which fixes where their scale begins."""


@dataclass(frozen=True, slots=True)
class Bout:
    """Games between two settings, as the stronger one scored.

    Attributes:
        game: its key.
        upper, lower: positions for each move; `lower` may be `CHANCE`.
        wins, draws, losses: games.
    """

    game: str
    upper: int
    lower: int
    wins: int
    draws: int
    losses: int

    @property
    def score(self) -> Score:
        """The same as a count of games."""
        return Score(self.wins, self.draws, self.losses)


def pairs(most_nodes: int) -> list[tuple[int, int]]:
    """Return the pairs of settings that are to play, upper and lower, the quick ones first."""
    return [pair for pair in PAIRS if pair[0] <= most_nodes]


def play_bout(variant: Variant, upper: int, lower: int, games: int, seed: int, searcher: Searcher) -> Bout:
    """Play games between two settings."""
    players = _player(upper, seed, searcher), _player(lower, seed + 1, searcher)
    score = contest(Contest(variant, players, games, seed), lambda score: None)
    return Bout(variant.key, upper, lower, score.wins, score.draws, score.losses)


def _player(nodes: int, seed: int, searcher: Searcher) -> Player:
    if nodes == CHANCE:
        return RandomPlayer(seed)
    level = level_of_nodes(nodes)
    return AlphaBeta(Limits(nodes=nodes), level.noise_men, seed, searcher=searcher)


def play_missing(
    variant: Variant,
    wanted: Iterable[tuple[int, int]],
    known: Sequence[Bout],
    games: int,
    seed: int,
    each_bout: Callable[[Bout], None],
    compiled: bool | None = None,
) -> list[Bout]:
    """Return what is known of a game and what else was wanted, played now; `each_bout` is told each new one."""
    found = [bout for bout in known if bout.game == variant.key]
    played = {(bout.upper, bout.lower) for bout in found}
    missing = [pair for pair in wanted if pair not in played]
    if missing:
        searcher = Searcher(variant, can_compile() if compiled is None else compiled)
        for upper, lower in missing:
            bout = play_bout(variant, upper, lower, games, seed, searcher)
            each_bout(bout)
            found.append(bout)
    return found


def read_bouts(path: Path) -> list[Bout]:
    """Return the bouts that a file keeps, one JSON object on each line; none where there is no file."""
    if not path.exists():
        return []
    return [Bout(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def keep_bout(path: Path, bout: Bout) -> None:
    """Add one to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(bout)) + "\n")


@dataclass(frozen=True, slots=True)
class Curve:
    """Strength over positions for each move, in log odds.

    Attributes:
        at: the strength of each setting of the grid.
        chance: that of chance.
    """

    at: tuple[float, ...]
    chance: float

    def strength(self, nodes: int) -> float:
        """Return the strength of a setting."""
        return float(_row(nodes) @ np.array([*self.at, self.chance]))

    def share(self, upper: int, lower: int) -> float:
        """Return the share of the points that the first of two settings is expected to score."""
        return 1 / (1 + math.exp(self.strength(lower) - self.strength(upper)))


def _row(nodes: int) -> NDArray[np.float64]:
    """Return what the strengths of the grid and of chance are multiplied with; beyond the grid its ends hold."""
    row = np.zeros(len(GRID) + 1)
    if nodes == CHANCE:
        row[-1] = 1.0
        return row
    place = float(np.interp(math.log(nodes), np.log(GRID), np.arange(len(GRID))))
    below = min(int(place), len(GRID) - 2)
    row[below : below + 2] = 1 - (place - below), place - below
    return row


def fit_curve(bouts: Sequence[Bout]) -> Curve:
    """Return the curve that is likeliest after the results: Newton's method for logistic regression."""
    rows = np.array([_row(bout.upper) - _row(bout.lower) for bout in bouts])
    games = np.array([bout.score.games for bout in bouts], np.float64)
    shares = np.array([bout.score.share for bout in bouts])
    bends = np.zeros((len(GRID) - 2, len(GRID) + 1))
    bends[:, : len(GRID)] = np.diff(np.eye(len(GRID)), 2, axis=0)
    prior = bends.T @ bends / BEND**2 + LOOSE * np.eye(len(GRID) + 1)
    strengths = np.zeros(len(GRID) + 1)
    for _ in range(50):
        expected = 1 / (1 + np.exp(-(rows @ strengths)))
        gradient = rows.T @ (games * (shares - expected)) - prior @ strengths
        curvature = (rows.T * (games * expected * (1 - expected))) @ rows + prior
        strengths += np.linalg.solve(curvature, gradient)
    return Curve(tuple(map(float, strengths[:-1])), float(strengths[-1]))


def expected_share(curve: Curve, upper: Level, lower: Level) -> float:
    """Return the share of the points that the first of two levels is expected to score, over all forms of both."""
    above, below = (np.array([curve.strength(each.nodes) for each in level.forms()]) for level in (upper, lower))
    return float(np.mean(1 / (1 + np.exp(below[np.newaxis, :] - above[:, np.newaxis]))))


def _least_nodes(enough: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least setting between two others that is enough, to two significant digits."""
    below, above = math.log(low), math.log(high)
    for _ in range(20):
        middle = (below + above) / 2
        if enough(round(math.exp(middle))):
            above = middle
        else:
            below = middle
    nodes = math.exp(above)
    digits = 1 - math.floor(math.log10(nodes))
    return int(round(nodes, digits))


def ladder_on(curve: Curve, highest: int, count: int = 10) -> Ladder:
    """Return levels with steps of equal strength, from the one that chance can beat to the highest number of positions.

    The form of all but the highest changes from game to game. So who is better loses more often, and the same step is further in
    positions: with levels that are always alike, steps of less than 80 % hardly reach from chance to full strength in any game.

    Raises:
        BadMatch: the strengths are not told apart well enough.
    """
    for first_share, form in FIRST_SHARES_AND_FORMS:
        ladder, share = _even_steps(curve, highest, count, first_share, form)
        if share <= WIDE:
            break
    found = [level.nodes for level in ladder]
    if sorted(set(found)) != found:
        raise BadMatch(f"the results give no ladder: {found} does not rise everywhere; play more games, up to the top")
    return ladder


def _even_steps(curve: Curve, highest: int, count: int, first_share: float, form: float) -> tuple[Ladder, float]:
    """Return levels of which each is expected to score the same share against the one below, and that share."""

    def above(share: float, lower: Level) -> Level:
        def enough(nodes: int) -> bool:
            return expected_share(curve, level_of_nodes(nodes, form), lower) >= share

        return level_of_nodes(_least_nodes(enough, max(lower.nodes, GRID[0]), highest), form)

    top = Level(highest)
    levels = [above(first_share, Level(CHANCE))]
    narrow, wide = 0.5, 1.0
    share = wide
    for _ in range(12):
        share = (narrow + wide) / 2
        del levels[1:]
        while len(levels) < count - 1:
            levels.append(above(share, levels[-1]))
        if expected_share(curve, top, levels[-1]) > share:
            narrow = share
        else:
            wide = share
    return (*levels, top), share
