"""A game that is told from its beginning each time is the same as if it were read from there."""

import random
from collections.abc import Sequence

import pytest

from damludo.engine.errors import BadHubLine
from damludo.engine.hub_game import GameReader
from damludo.engine.hub_text import read_line, write_line, write_move, write_position
from damludo.rules.game import Game
from damludo.rules.notation import parse_fen
from damludo.rules.variants import variant

ENGLISH = variant("english")
OTHER_START = write_position(ENGLISH, parse_fen(ENGLISH, "W:WKb2,Kf2:BKh8,h4"))


def _told(game: Game, start: str | None = None) -> str:
    moves = " ".join(write_move(ENGLISH, move) for move in game.moves)
    return write_line("pos", {"pos": start or write_position(ENGLISH, game.start), "moves": moves})


def _games(seed: int) -> Sequence[Game]:
    """A game that goes on, and now and then goes back some moves and takes another way."""
    chance, game = random.Random(seed), Game.new(ENGLISH)
    games = [game]
    for _ in range(60):
        if chance.random() < 0.2:
            back = chance.randrange(len(game.moves) + 1)
            game = Game(ENGLISH, game.positions[: back + 1], game.moves[:back])
        if game.legal_moves():
            game = game.make(chance.choice(game.legal_moves()))
        games.append(game)
    return games


@pytest.mark.parametrize("seed", range(4))
def test_lines_with_a_common_beginning_tell_what_each_alone_tells(seed: int) -> None:
    reader = GameReader(ENGLISH)

    for game in _games(seed):
        assert reader.read(read_line(_told(game))) == game


def test_a_game_from_another_position_has_nothing_in_common() -> None:
    reader = GameReader(ENGLISH)
    reader.read(read_line(_told(_games(0)[-1])))

    assert not reader.read(read_line(f"pos pos={OTHER_START}")).moves
    assert reader.read(read_line("pos start")) == Game.new(ENGLISH)


def test_a_line_that_was_refused_changes_nothing() -> None:
    reader, game = GameReader(ENGLISH), _games(1)[20]
    assert game.moves
    reader.read(read_line(_told(game)))
    with pytest.raises(BadHubLine):
        reader.read(read_line(_told(game).removesuffix('"') + ' 1-32"'))

    assert reader.read(read_line(_told(game))) == game
