"""A few games of the engine against itself, played once for all tests."""

from collections.abc import Callable

import numpy as np
import pytest

from damludo.engine.layout import layout_of
from damludo.engine.train.positions import Positions
from damludo.engine.train.self_play import Item, self_play
from damludo.rules.position import Colour, Kind, Position, piece_of
from damludo.rules.variants import variant


@pytest.fixture(scope="session")
def item() -> Item:
    """A work item that is done in a second without a compiler."""
    return Item("english", seed=1, games=3, nodes=20, opening=(4, 8), compiled=False)


@pytest.fixture(scope="session")
def played(item: Item) -> Positions:
    """Its positions."""
    return self_play(item)


@pytest.fixture(scope="session")
def as_rules() -> Callable[[str, Positions], list[Position]]:
    """Return a function from the key of a game and positions to the positions as the rules know them."""
    return _as_rules


def _as_rules(key: str, positions: Positions) -> list[Position]:
    """The positions as the rules know them."""
    game = variant(key)
    layout = layout_of(game.board)
    found = []
    for (white, black, kings, extra), side in zip(
        positions.bits(layout.width), positions.black_moves.tolist(), strict=True
    ):
        cells = bytearray(game.board.columns * game.board.rows)
        for bit in np.flatnonzero(white | black):
            kind = Kind.KING if kings[bit] else Kind.PARACHUTIST if extra[bit] else Kind.MAN
            cells[layout.square_of[bit]] = piece_of(Colour.BLACK if black[bit] else Colour.WHITE, kind)
        found.append(Position(bytes(cells), Colour(int(side))))
    return found
