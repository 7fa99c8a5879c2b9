"""Chance as a player: the yardstick under every level."""

import random

from damludo.engine.errors import GameOver
from damludo.engine.port import Choice
from damludo.rules.game import Game


class RandomPlayer:
    """A `Player` that takes any legal move; the same seed gives the same sequence."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, game: Game) -> Choice:
        """Return a legal move, each with the same chance."""
        moves = game.legal_moves()
        if not moves:
            raise GameOver
        move = self._random.choice(moves)
        return Choice(move, nodes=1, pv=(move,))
