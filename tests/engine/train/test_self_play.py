"""The engine's games against itself are the same every time, and honest."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from damludo.engine.port import Limits
from damludo.engine.search import AlphaBeta
from damludo.engine.train.positions import NAMES, Positions, load
from damludo.engine.train.sampling import file_of, items, sample
from damludo.engine.train.self_play import Item, self_play
from damludo.rules.game import Game
from damludo.rules.moves import legal_moves
from damludo.rules.position import Colour, Position
from damludo.rules.variants import variant

AsRules = Callable[[str, Positions], list[Position]]


def test_the_same_item_plays_the_same_games(item: Item, played: Positions) -> None:
    again = self_play(item)

    assert all(np.array_equal(getattr(again, name), getattr(played, name)) for name in NAMES)


def test_another_seed_plays_other_games(item: Item, played: Positions) -> None:
    assert not np.array_equal(self_play(replace(item, seed=2)).sets, played.sets)


@pytest.mark.parametrize("key", ["english", "damludo", "turkish", "canadian"])
def test_every_position_is_quiet_and_the_game_goes_on(key: str, as_rules: AsRules) -> None:
    positions = self_play(Item(key, seed=1, games=1, nodes=8, opening=(2, 4), compiled=False))

    for position in as_rules(key, positions)[::5]:
        moves = legal_moves(variant(key), position)
        assert moves
        assert not any(move.captures for move in moves)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["english", "anti"])
def test_who_is_about_to_win_has_won(key: str, as_rules: AsRules) -> None:
    """With the stuck side losing and with it winning: what a deeper search proves in the last position is how the game ended."""
    positions = self_play(Item(key, seed=1, games=6, nodes=100, compiled=False))
    last = positions.where(np.diff(positions.game, append=-1) != 0)
    decided = last.where(last.result != 0.5)
    proved = []
    for position, result in zip(as_rules(key, decided), decided.result, strict=True):
        mate = AlphaBeta(Limits(nodes=3_000), compiled=False).choose(Game.new(variant(key), position)).mate
        if mate is not None:
            proved.append((mate > 0) == (result == (1.0 if position.side is Colour.WHITE else 0.0)))

    assert proved
    assert all(proved)


def test_what_is_there_is_not_played_again(item: Item, tmp_path: Path) -> None:
    work = items(replace(item, nodes=8), games=2)
    told: list[tuple[int, int]] = []
    first = sample(work, tmp_path, 1, lambda done, of: told.append((done, of)))
    before = file_of(work[0], tmp_path).stat().st_mtime_ns

    second = sample(work, tmp_path, 1, lambda done, of: told.append((done, of)))

    assert told == [(0, 2), (2, 2), (2, 2)]
    assert file_of(work[0], tmp_path).stat().st_mtime_ns == before
    assert np.array_equal(first.sets, second.sets)


def test_the_games_of_a_run_are_split_into_items_of_their_own_seeds(item: Item) -> None:
    work = items(item, games=120)

    assert [part.games for part in work] == [50, 50, 20]
    assert len({part.seed for part in work}) == 3


def test_a_file_holds_what_its_item_gives(item: Item, played: Positions, tmp_path: Path) -> None:
    sample([item], tmp_path, 1, lambda done, of: None)

    assert np.array_equal(load(file_of(item, tmp_path)).sets, played.sets)
