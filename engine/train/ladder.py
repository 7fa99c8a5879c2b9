"""Finding the ladder of levels: settings play each other, a curve of strength goes through the results, levels lie evenly on it.

Strength is measured as log odds of the points: two settings r apart share them as e^r to 1 (Elo is 400 / ln 10 times as much).
It is taken for a curve over the logarithm of the positions for each move, fitted by logistic regression to all games at once, so
that each link of the chain helps its neighbours. Chance is one player more, with a strength of its own.
"""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from damludo.engine.contest import Contest, Score, contest
from damludo.engine.levels import Ladder, Level, level_of_nodes
from damludo.engine.memory import Searcher
from damludo.engine.port import Limits, Player
from damludo.engine.program import can_compile
from damludo.engine.random_player import RandomPlayer
from damludo.engine.search import AlphaBeta
from damludo.rules.traits import Variant

CHANCE = 0
"""The positions that chance visits: the setting below all others."""
GRID = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
"""Settings that play their neighbours; the first two play chance as well. So far apart that the stronger one scores about 90 % at
first, where a game tells most of the slope: far less than one between equals, or one that is decided before it begins."""
AGAINST_CHANCE = 2
FIRST_SHARE = 0.95
"""Of the points against chance at level 1: it loses a game now and then."""
DEGREE = 3
STIFFNESS = 0.02
"""Of the curve: a prior worth a small part of one game, which keeps strengths finite where one side has won all."""


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
    """Return the pairs of settings of the grid that are to play, upper and lower, the quick ones first."""
    grid = [nodes for nodes in GRID if nodes <= most_nodes]
    chance = [(nodes, CHANCE) for nodes in grid[:AGAINST_CHANCE]]
    return chance + list(zip(grid[1:], grid, strict=False))


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
    """Strength over positions for each move.

    Attributes:
        factors: of the powers of the logarithm, from the first on, and last by how much chance is below 0.
    """

    factors: tuple[float, ...]

    def strength(self, nodes: int) -> float:
        """Return the strength of a setting, in log odds."""
        return float(_row(nodes) @ np.array(self.factors))

    def share(self, upper: int, lower: int) -> float:
        """Return the share of the points that the first of two settings is expected to score."""
        return 1 / (1 + math.exp(self.strength(lower) - self.strength(upper)))


def _row(nodes: int) -> NDArray[np.float64]:
    row = np.zeros(DEGREE + 1)
    if nodes == CHANCE:
        row[DEGREE] = -1.0
    else:
        # From -1 to 1 over the grid, so that the powers are of one size.
        x = 2 * math.log(nodes / GRID[0]) / math.log(GRID[-1] / GRID[0]) - 1
        row[:DEGREE] = x ** np.arange(1, DEGREE + 1)
    return row


def fit_curve(bouts: Sequence[Bout]) -> Curve:
    """Return the curve under which the results are likeliest: Newton's method for logistic regression."""
    rows = np.array([_row(bout.upper) - _row(bout.lower) for bout in bouts])
    games = np.array([bout.score.games for bout in bouts], np.float64)
    shares = np.array([bout.score.share for bout in bouts])
    factors = np.zeros(DEGREE + 1)
    for _ in range(50):
        expected = 1 / (1 + np.exp(-(rows @ factors)))
        gradient = rows.T @ (games * (shares - expected)) - STIFFNESS * factors
        bend = (rows.T * (games * expected * (1 - expected))) @ rows + STIFFNESS * np.eye(DEGREE + 1)
        factors += np.linalg.solve(bend, gradient)
    return Curve(tuple(map(float, factors)))


def nodes_of_strength(curve: Curve, strength: float, low: int, high: int) -> int:
    """Return the setting of a strength between two others, to two significant digits."""
    below, above = math.log(low), math.log(high)
    for _ in range(40):
        middle = (below + above) / 2
        if curve.strength(round(math.exp(middle))) < strength:
            below = middle
        else:
            above = middle
    nodes = math.exp(above)
    digits = 1 - math.floor(math.log10(nodes))
    return int(round(nodes, digits))


def ladder_on(curve: Curve, highest: int, count: int = 10) -> Ladder:
    """Return levels at equal distances of strength, from the one that chance can beat to the highest number of positions."""
    first = curve.strength(CHANCE) + math.log(FIRST_SHARE / (1 - FIRST_SHARE))
    first = max(first, curve.strength(GRID[0]))
    step = (curve.strength(highest) - first) / (count - 1)
    between = [nodes_of_strength(curve, first + step * number, GRID[0], highest) for number in range(count - 1)]
    return (*map(level_of_nodes, between), Level(highest))
