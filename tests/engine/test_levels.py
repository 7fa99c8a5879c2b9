"""The levels are a ladder, in every game."""

from itertools import pairwise

import pytest

from damludo.engine.contest import Contest, contest, opening
from damludo.engine.errors import NoSuchLevel
from damludo.engine.levels import LADDERS, LEVELS, ladder_of, level_of_nodes, player_of_level
from damludo.engine.memory import Searcher
from damludo.engine.port import Limits
from damludo.engine.search import AlphaBeta
from damludo.rules.fen import parse_fen
from damludo.rules.game import Game
from damludo.rules.variants import VARIANTS, variant

MEASURED = ("damludo", "english", "russian", "international", "turkish", "dameo")


@pytest.mark.parametrize("key", VARIANTS)
def test_each_level_sees_more_and_errs_less_than_the_one_below(key: str) -> None:
    ladder = ladder_of(variant(key))

    assert len(ladder) == len(LEVELS) == 10
    for below, above in pairwise(ladder):
        assert above.nodes > below.nodes
        assert above.noise_men < below.noise_men or above.noise_men == 0
    assert ladder[-1].noise_men == 0


def test_what_was_measured_has_its_own_ladder_and_all_others_share_one() -> None:
    assert set(LADDERS) == set(MEASURED)
    assert {ladder_of(variant(key)) for key in VARIANTS if key not in MEASURED} == {LEVELS}


def test_misjudgement_shrinks_with_the_root_of_what_is_seen() -> None:
    assert level_of_nodes(100).noise_men == 1.0
    assert level_of_nodes(10_000).noise_men == 0.1
    assert level_of_nodes(50_000).noise_men == 0.0


def test_forms_lie_around_the_usual_one() -> None:
    game = variant("dameo")
    level = level_of_nodes(160, form=3.0)
    starts = [opening(game, 4, str(number)) for number in range(200)]

    forms = {level.in_game(start, 5) for start in starts}

    assert sorted(each.nodes for each in forms) == [53, 70, 92, 122, 160, 211, 277, 365, 480]
    assert all(each == level_of_nodes(each.nodes) for each in forms)


def test_a_form_lasts_from_the_opening_to_the_end_of_a_game() -> None:
    level = level_of_nodes(160, form=3.0)
    for number in range(20):
        game = opening(variant("dameo"), 4, str(number))
        begun = [game, game.make(game.legal_moves()[0])]  # either colour's
        later = begun
        for _ in range(10):
            later = [
                each.make(each.legal_moves()[0]).make(each.make(each.legal_moves()[0]).legal_moves()[0])
                for each in later
            ]

        assert [level.in_game(each, 5) for each in later] == [level.in_game(each, 5) for each in begun]


def test_without_a_form_all_games_are_played_alike() -> None:
    level = level_of_nodes(160)

    assert {level.in_game(opening(variant("english"), 4, str(number)), 5) for number in range(20)} == {level}


@pytest.mark.parametrize("key", VARIANTS)
def test_the_highest_level_is_always_in_the_same_form_and_all_others_vary(key: str) -> None:
    assert [level.form > 1.0 for level in ladder_of(variant(key))] == [True] * 9 + [False]


@pytest.mark.parametrize("level", [0, 11, -1])
def test_a_level_outside_the_ladder_is_refused(level: int) -> None:
    with pytest.raises(NoSuchLevel, match="choose one from 1"):
        player_of_level(level)


@pytest.mark.parametrize("key", ["damludo", "turkish", "hawaiian"])
def test_low_levels_answer_legally_and_the_same_again(key: str) -> None:
    game = variant(key)
    searcher = Searcher(game, compiled=False)
    for level in range(1, 7):
        for number in range(3):
            start = opening(game, 6, f"{level} {number}")
            first, again = (player_of_level(level, 5, searcher).choose(start) for _ in range(2))

            assert first == again
            assert first.move in start.legal_moves()
            assert first.nodes <= ladder_of(game)[level - 1].in_game(start, 5).nodes


@pytest.mark.parametrize("level", [7, 8, 9, 10])
def test_high_levels_answer_legally_and_the_same_again(level: int) -> None:
    """Near the end of a game, where also the highest level has soon seen all."""
    game = variant("turkish")
    start = Game.new(game, parse_fen(game, "W:WKa1,Kb4:Bd7"))
    searcher = Searcher(game, compiled=False)

    first, again = (player_of_level(level, 5, searcher).choose(start) for _ in range(2))

    assert first == again
    assert first.move in start.legal_moves()


def test_one_player_plays_each_game_by_its_own_ladder() -> None:
    player = player_of_level(4, 5)
    for key in ("dameo", "english"):
        start = Game.new(variant(key))
        level = ladder_of(variant(key))[3].in_game(start, 5)
        alone = AlphaBeta(Limits(nodes=level.nodes), level.noise_men, 5)

        assert player.choose(start) == alone.choose(start)


@pytest.mark.parametrize("level", [1, 2])
def test_two_levels_make_a_difference(level: int) -> None:
    game = variant("damludo")
    searcher = Searcher(game, compiled=False)
    players = player_of_level(level + 2, 1, searcher), player_of_level(level, 2, searcher)

    assert contest(Contest(game, players, 8, 1), lambda score: None).share > 0.5
