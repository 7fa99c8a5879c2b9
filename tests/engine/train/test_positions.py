"""Positions of games are kept as they are."""

from pathlib import Path

import numpy as np
import pytest

from damludo.engine.train.positions import NAMES, Notes, Positions, joined, load


def test_what_is_saved_is_loaded(played: Positions, tmp_path: Path) -> None:
    played.save(tmp_path / "deep" / "games.npz")

    again = load(tmp_path / "deep" / "games.npz")

    assert all(np.array_equal(getattr(again, name), getattr(played, name)) for name in NAMES)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["games.npz"]


def test_games_that_are_joined_keep_apart(played: Positions) -> None:
    both = joined([played, played])

    assert len(both) == 2 * len(played)
    assert both.game[len(played)] == played.game.max() + 1
    assert np.array_equal(both.sets[len(played) :], played.sets)


@pytest.mark.parametrize("square", [0, 31, 63, 64, 77])
def test_a_square_is_found_again_in_either_word(square: int) -> None:
    notes = Notes()
    notes.note((1 << square, 0, 0, 0), 0, 0, 25)
    notes.end(1.0)

    bits = notes.positions().bits(78)

    assert np.argwhere(bits).tolist() == [[0, 0, square]]


def test_positions_get_the_result_of_their_own_game() -> None:
    notes = Notes()
    notes.note((1, 2, 0, 0), 0, 0, 0)
    notes.end(1.0)
    notes.note((1, 2, 0, 0), 1, 0, 0)
    notes.note((1, 2, 0, 0), 0, 0, 0)
    notes.end(0.5)

    positions = notes.positions()

    assert positions.result.tolist() == [1.0, 0.5, 0.5]
    assert positions.game.tolist() == [0, 1, 1]
