"""The generator reaches as many positions as published, and as counted by others: one file of counts for each game.

A line of a file is `position | counting | depth:nodes ...`; a position is `start` or a placement with the side to move.
"""

from pathlib import Path

import pytest

from damludo.rules.moves import legal_moves, play
from damludo.rules.notation import parse_fen
from damludo.rules.perft import Counting, divide, perft
from damludo.rules.variants import VARIANTS, variant

FAST_NODES = 100_000
SLOW_NODES = 2_000_000

Row = tuple[str, str, Counting, int, int]


def _rows() -> list[Row]:
    rows = []
    for file in sorted((Path(__file__).parent / "perft").glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                position, counting, counts = (part.strip() for part in line.split("|"))
                for count in counts.split():
                    depth, nodes = count.split(":")
                    rows.append((file.stem, position, counting, int(depth), int(nodes)))
    return rows  # type: ignore[return-value]


def _deepest(low: int, high: int) -> list[Row]:
    """Return for each position and counting the deepest row with `low` < nodes <= `high`."""
    deepest = {
        (key, at, how): (key, at, how, depth, nodes) for key, at, how, depth, nodes in _rows() if low < nodes <= high
    }
    return list(deepest.values())


def _count(row: Row) -> int:
    key, position, counting, depth, _ = row
    game = variant(key)
    return perft(game, game.start if position == "start" else parse_fen(game, position), depth, counting)


def test_every_game_has_counts() -> None:
    assert {row[0] for row in _rows()} == set(VARIANTS)


@pytest.mark.parametrize("row", [row for row in _rows() if row[4] <= 2_000], ids=str)
def test_small_counts_agree(row: Row) -> None:
    assert _count(row) == row[4]


@pytest.mark.parametrize("row", _deepest(2_000, FAST_NODES), ids=str)
def test_counts_agree(row: Row) -> None:
    assert _count(row) == row[4]


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in _deepest(FAST_NODES, SLOW_NODES) if row[2] == "unique"], ids=str)
def test_deep_counts_agree(row: Row) -> None:
    assert _count(row) == row[4]


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in _deepest(FAST_NODES, 200_000) if row[2] != "unique"], ids=str)
def test_deep_counts_of_orders_and_paths_agree(row: Row) -> None:
    assert _count(row) == row[4]


def test_divide_gives_each_move_its_share() -> None:
    game = variant("english")
    shares = divide(game, game.start, 3)
    assert [move for move, _ in shares] == list(legal_moves(game, game.start))
    assert [count for _, count in shares] == [perft(game, play(game, game.start, move), 2) for move, _ in shares]
    assert sum(count for _, count in shares) == 302


def test_depth_zero_is_one_line() -> None:
    game = variant("english")
    assert perft(game, game.start, 0) == 1
