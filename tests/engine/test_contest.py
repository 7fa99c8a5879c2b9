"""Matches are counted right, are the same every time, and survive whatever a player does."""

import math
from collections.abc import Callable

import pytest

from damludo.engine.contest import Contest, Score, contest, elo_of, faults, opening, wilson
from damludo.engine.errors import BadMatch, ForeignGone, ForeignIllegal, ForeignSilent
from damludo.engine.hub import ForeignEngine, Hub2, Patience
from damludo.engine.levels import player_of_level
from damludo.engine.port import Choice, Limits, Player
from damludo.engine.random_player import RandomPlayer
from damludo.engine.specs import Spec, player_of, read_spec
from damludo.rules.game import Game
from damludo.rules.variants import variant


class Noted:
    """A player that remembers the games it was asked in."""

    def __init__(self, seed: int) -> None:
        self.games: list[Game] = []
        self._player = RandomPlayer(seed)

    def choose(self, game: Game) -> Choice:
        self.games.append(game)
        return self._player.choose(game)


class Failing:
    """A player that fails at once."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def choose(self, game: Game) -> Choice:
        raise self._error


def _score(first: Player, second: Player, games: int = 2, key: str = "english", plies: int = 4) -> Score:
    return contest(Contest(variant(key), (first, second), games, 7, plies), lambda score: None)


def test_sides_change_and_openings_stay_within_a_pair() -> None:
    first, second = Noted(1), Noted(2)
    starts: list[tuple[Game, bool]] = []

    def note(score: Score) -> None:
        games = [player.games[0] for player in (first, second) if player.games]
        shortest = min(games, key=lambda game: len(game.moves))
        starts.append((shortest, first.games[0] is shortest))
        first.games.clear()
        second.games.clear()

    contest(Contest(variant("english"), (first, second), 4, 7, 4), note)

    assert [begins for _, begins in starts] == [False, True, False, True]  # Black moves first in English draughts
    assert starts[0][0] == starts[1][0]
    assert starts[2][0] == starts[3][0]
    assert starts[0][0] != starts[2][0]


def test_the_same_seed_plays_the_same_match() -> None:
    scores = [_score(player_of_level(1, 5), RandomPlayer(6), 4) for _ in range(2)]

    assert scores[0] == scores[1]


def test_the_engine_beats_chance() -> None:
    assert _score(player_of_level(3, 5), RandomPlayer(6), 4).wins == 4


@pytest.mark.parametrize(
    ("error", "counted"),
    [
        (ForeignIllegal("x", "1-2", "W:W1"), (2, 0, 0)),
        (ForeignSilent("x", "done", 1.0), (0, 2, 0)),
        (ForeignGone("x", "has ended"), (0, 0, 2)),
    ],
)
def test_who_fails_loses_and_it_is_counted(error: Exception, counted: tuple[int, int, int]) -> None:
    score = _score(RandomPlayer(1), Failing(error))

    assert (score.wins, score.draws, score.losses) == (2, 0, 0)
    assert (score.illegal, score.time_losses, score.failures) == counted
    assert list(faults(score)) == [f"The second player: {error} (2 times)"]


def test_who_takes_too_long_loses_on_time() -> None:
    ticks = iter(range(0, 10_000, 2))
    what = Contest(variant("english"), (RandomPlayer(1), RandomPlayer(2)), 1, 1, 0, seconds=0.5, timed=(False, True))

    score = contest(what, lambda score: None, lambda: float(next(ticks)))

    assert (score.wins, score.time_losses) == (1, 1)


def test_a_foreign_engine_that_crashes_loses_one_game_and_plays_the_next(engine_script: Callable[..., str]) -> None:
    engine = ForeignEngine(engine_script("sys.exit(1)"), Hub2(), Limits(seconds=0.1), Patience())
    with engine:
        score = _score(RandomPlayer(1), engine)

    assert (score.wins, score.failures) == (2, 2)


@pytest.mark.parametrize(("share", "elo"), [(0.5, 0.0), (0.75, 190.8485), (0.25, -190.8485), (10 / 11, 400.0)])
def test_strength_follows_from_the_share(share: float, elo: float) -> None:
    assert elo_of(share) == pytest.approx(elo)


def test_nothing_but_wins_has_no_upper_bound() -> None:
    score = Score(wins=10)

    assert score.elo is None
    low, high = score.elo_95
    assert high is None
    assert low == pytest.approx(elo_of(10 / (10 + 1.96**2)))


def test_the_bounds_hold_the_share() -> None:
    """The textbook's case: 5 of 10."""
    low, high = wilson(0.5, 10)

    assert low == pytest.approx(0.2366, abs=1e-4)
    assert high == pytest.approx(0.7634, abs=1e-4)
    assert wilson(0.5, 0) == (0.0, 1.0)
    assert not math.isnan(low)


def test_an_opening_leaves_a_game() -> None:
    game = opening(variant("damludo"), 10, "1 1")

    assert len(game.moves) == 10
    assert game.result() is None
    assert game == opening(variant("damludo"), 10, "1 1")
    with pytest.raises(BadMatch, match="5000 random plies leave no game"):
        opening(variant("alquerque"), 5_000, "1 1")


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("level:3", Spec("level", "3")),
        ("damludo", Spec("damludo")),
        ("random", Spec("random")),
        ("hub:scan hub", Spec("hub", "scan hub")),
        ("hub1:./scan --x=a:b", Spec("hub1", "./scan --x=a:b")),
    ],
)
def test_players_have_names(text: str, spec: Spec) -> None:
    assert read_spec(text) == spec
    assert hasattr(player_of(spec, Limits(nodes=10), 1), "choose")


@pytest.mark.parametrize("text", ["", "level", "level:0", "level:11", "level:x", "hub:", "hub1", "damludo:3", "scan"])
def test_a_name_that_is_none_is_said(text: str) -> None:
    with pytest.raises(BadMatch):
        read_spec(text)
