"""Chance plays every legal move, and the same way for the same seed."""

import pytest

from damludo.engine.errors import GameOver
from damludo.engine.random_player import RandomPlayer
from damludo.rules.game import Game
from damludo.rules.notation import parse_fen
from damludo.rules.variants import variant

GAME = Game.new(variant("english"))


def test_every_legal_move_is_chosen_in_time() -> None:
    player = RandomPlayer(3)

    assert {player.choose(GAME).move for _ in range(200)} == set(GAME.legal_moves())


def test_the_same_seed_gives_the_same_moves() -> None:
    first, second = RandomPlayer(8), RandomPlayer(8)

    assert [first.choose(GAME).move for _ in range(20)] == [second.choose(GAME).move for _ in range(20)]


def test_chance_has_no_move_either_when_there_is_none() -> None:
    with pytest.raises(GameOver):
        RandomPlayer(1).choose(Game.new(GAME.variant, parse_fen(GAME.variant, "W:W:B1")))
