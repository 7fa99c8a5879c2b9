"""What stands at the table against a move when another disc was touched; the asking is tested with the wishes of a person."""

import random

import pytest

from damludo.play.match.touching import Agreement, TouchMode, TouchRule
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.notation import parse_fen, parse_move
from damludo.rules.variants import VARIANTS, variant
from damludo.rules.verdicts import Illegal, Reason
from damludo.vision.touch import TouchEvidence, TouchKind

FEN = "8/8/8/8/8/2w1w3/8/8 w"
ONE_CAN = "8/8/8/8/3b4/2w3w1/8/8 w"
"""c3 must capture, so g3 has no legal move."""


def _game(fen: str = FEN, key: str = "damludo") -> Game:
    return Game.new(variant(key), parse_fen(variant(key), fen))


def _move(game: Game, text: str) -> Move:
    return parse_move(game.variant, game.position, text)


def _rule(game: Game, *touched: str, mode: TouchMode = TouchMode.ASK, sure: float = 1.0) -> TouchRule:
    squares = [game.variant.board.square(name) for name in touched]
    seen = tuple(TouchEvidence(square, TouchKind.LIFTED, sure, 0.1, 1, 2) for square in squares)
    rule = TouchRule(mode, lambda content: seen)
    rule.new_turn()
    rule.look({})
    return rule


def test_a_move_of_another_disc_than_the_touched_one_is_held_against_it() -> None:
    game = _game()
    breach = _rule(game, "c3").breach(game, _move(game, "e3-f4"))
    assert breach is not None
    assert (breach.reason, breach.squares) == (Reason.TOUCHED_OTHER, (18, 20))
    assert {move.origin for move in breach.better} == {18}


@pytest.mark.parametrize(
    ("touched", "move"),
    [
        pytest.param(["e3"], "e3-f4", id="the touched one moves"),
        pytest.param(["c3", "e3"], "e3-f4", id="of two touched ones either may move"),
        pytest.param(["c3", "e3"], "c3-b4", id="the other of the two"),
        pytest.param([], "c3-b4", id="none was touched"),
    ],
)
def test_nothing_stands_against_it(touched: list[str], move: str) -> None:
    game = _game()
    assert _rule(game, *touched).breach(game, _move(game, move)) is None


def test_of_two_touched_discs_a_third_may_not_move() -> None:
    game = _game("8/8/8/8/8/2w1w1w1/8/8 w")
    breach = _rule(game, "c3", "e3").breach(game, _move(game, "g3-h4"))
    assert breach is not None
    assert breach.squares == (18, 22)


def test_a_disc_that_cannot_move_binds_nobody() -> None:
    game = _game(ONE_CAN)
    assert _rule(game, "g3").breach(game, _move(game, "c3xe5")) is None


def test_a_touch_that_is_not_sure_binds_nobody() -> None:
    game = _game()
    assert _rule(game, "c3", sure=0.99).breach(game, _move(game, "e3-f4")) is None


@pytest.mark.parametrize(("mode", "held"), [(TouchMode.STRICT, True), (TouchMode.ASK, False), (TouchMode.OFF, False)])
def test_a_game_without_the_rule_has_it_only_if_the_players_want_it(mode: TouchMode, held: bool) -> None:
    game = _game(key="english")
    breach = _rule(game, "c3", mode=mode).breach(game, _move(game, "e3-f4"))
    assert (breach is not None) is held


def test_who_owned_up_is_bound_and_who_was_pardoned_is_free() -> None:
    game, move = _game(), _move(_game(), "e3-f4")
    for agreed, held in ((Agreement(bound=18), True), (Agreement(pardoned=True), False)):
        rule = TouchRule(TouchMode.ASK, agreed=agreed)
        rule.new_turn()
        assert isinstance(rule.breach(game, move), Illegal) is held


@pytest.mark.parametrize("key", VARIANTS)
def test_nothing_but_the_touch_is_ever_held_against_a_legal_move(key: str) -> None:
    game, chance = Game.new(variant(key)), random.Random(key)
    for _ in range(12):
        moves = game.legal_moves()
        if not moves or game.result() is not None:
            break
        own = [square for square in game.variant.board.playable if game.position.cells[square]]
        touched = [game.variant.board.name(square) for square in chance.sample(own, 2)]
        for move in moves:
            breach = _rule(game, *touched, mode=TouchMode.STRICT).breach(game, move)
            assert breach is None or (breach.reason is Reason.TOUCHED_OTHER and breach.squares[1] == move.origin)
            assert breach is None or breach.squares[0] != move.origin
        game = game.make(chance.choice(moves))
