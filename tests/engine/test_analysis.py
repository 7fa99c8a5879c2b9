"""The engine compares moves, and ways out of a broken rule."""

import pytest

from damludo.engine.analysis import best_lines, blunders, hint, stand_or_force, worst_touched
from damludo.engine.errors import GameOver
from damludo.engine.port import Limits
from damludo.rules.errors import IllegalMove
from damludo.rules.game import Game
from damludo.rules.notation import move_text, parse_fen, parse_move, parse_standing_move
from damludo.rules.variants import variant

FEW = Limits(nodes=1_500)


def _game(key: str, fen: str, *moves: str) -> Game:
    game = Game.new(variant(key), parse_fen(variant(key), fen))
    for text in moves:
        game = game.make(parse_move(game.variant, game.position, text))
    return game


def test_lines_are_different_moves_and_the_best_comes_first() -> None:
    game = _game("english", "W:Wc3:Bb4,d4,f6,g7")

    lines = best_lines(game, FEW, 5, compiled=False)

    assert [move_text(game.variant, line.move) for line in lines] == ["c3xa5", "c3xe5"]
    assert lines[0].score > lines[1].score
    assert lines[1].pv[1] == parse_move(game.variant, game.make(lines[1].move).position, "f6xd4")


def test_each_line_is_the_same_every_time() -> None:
    game = Game.new(variant("russian"))

    assert best_lines(game, FEW, 3, compiled=False) == best_lines(game, FEW, 3, compiled=False)


def test_a_hint_tells_how_much_better_the_best_move_is() -> None:
    found = hint(_game("english", "W:Wc3:Bb4,d4,f6,g7"), FEW, compiled=False)

    assert found.lead_men is not None
    assert found.lead_men > 0.8
    assert hint(_game("english", "W:Wc3:Bd4,f6,g7"), FEW, compiled=False).lead_men is None


def test_without_a_move_there_is_no_hint() -> None:
    with pytest.raises(GameOver):
        hint(_game("english", "W:Wa1:Bb2,c3"), FEW, compiled=False)


def test_a_forced_move_is_worth_what_follows_it() -> None:
    """c3xe5 is the only move, and f6xd4 takes back with the last word."""
    (line,) = best_lines(_game("english", "W:Wc3:Bd4,f6,g7"), FEW, 1, compiled=False)

    assert line.mate == -2
    assert len(line.pv) == 2


def test_the_move_that_gave_the_game_away_is_found() -> None:
    """c3-d4 walks into the man on e5; in the first game nobody stands there."""
    game = _game("english", "W:Wc3,g1:Bf6,h8", "c3-d4", "f6-g5")

    assert blunders(game, FEW, compiled=False) == ()

    given_away = _game("english", "W:Wc3,g1:Be5,h8", "c3-d4", "e5xc3")
    (blunder,) = blunders(given_away, FEW, compiled=False)
    assert blunder.ply == 1
    assert move_text(game.variant, blunder.played.move) == "c3-d4"
    assert blunder.cost_men > 0.7


def test_a_missed_capture_that_leaves_a_man_hanging_is_let_stand() -> None:
    """White could take d4 but moved another man: now d4 takes c3."""
    game = _game("esperanto", "W:Wc3,h2:Bd4,h8")
    missed = parse_standing_move(game.variant, game.position, "h2-g3")

    answer = stand_or_force(game, missed, FEW, compiled=False)

    assert answer.let_stand
    assert answer.standing > answer.forced


def test_a_missed_capture_that_would_have_lost_is_put_right() -> None:
    """c3xe5 is answered by f6xd4, and White has nothing left."""
    game = _game("esperanto", "W:Wc3:Bd4,f6,g7")
    missed = parse_standing_move(game.variant, game.position, "c3-b4")

    answer = stand_or_force(game, missed, FEW, compiled=False)

    assert not answer.let_stand
    assert answer.forced >= answer.standing


def test_a_game_without_that_right_says_so() -> None:
    game = _game("english", "W:Wc3,h2:Bd4,h8")
    missed = parse_standing_move(game.variant, game.position, "h2-g3")

    with pytest.raises(IllegalMove, match="cannot stand"):
        stand_or_force(game, missed, FEW, compiled=False)


def test_of_touched_pieces_the_worst_to_move_is_demanded() -> None:
    """a3 has only b4, where it is taken for nothing; moving h2 costs nothing; a1 cannot move at all."""
    game = _game("english", "W:Wa3,h2,b2,a1:Bc5,h8")
    squares = [game.variant.board.square(name) for name in ("h2", "a3", "a1")]

    found = worst_touched(game, squares, FEW, compiled=False)

    assert [game.variant.board.name(touched.square) for touched in found] == ["a3", "h2"]
