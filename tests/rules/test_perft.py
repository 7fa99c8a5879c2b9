"""The generator reaches as many positions as published, and as counted by others: one file of counts for each game.

A line of a file is `position | counting | depth:nodes ...`; a position is `start` or a placement with the side to move.
"""

from collections import Counter
from pathlib import Path

import pytest

from damludo.rules.moves import legal_moves, play
from damludo.rules.notation import parse_fen
from damludo.rules.perft import Counting, divide, perft
from damludo.rules.position import Position
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant

FAST_NODES = 100_000
SLOW_NODES = 2_000_000
PASSING_NODES = 300_000
"""How many positions are kept at once when lines are counted layer by layer."""

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


def _slow_rows() -> list[Row]:
    """Return the rows of up to two million lines that the quicker tests leave out."""
    quick = set(_deepest(2_000, FAST_NODES))
    return [row for row in _rows() if 2_000 < row[4] <= SLOW_NODES and row not in quick]


@pytest.mark.slow
@pytest.mark.parametrize("row", _slow_rows(), ids=str)
def test_every_count_of_up_to_two_million_lines_agrees(row: Row) -> None:
    assert _count(row) == row[4]


def _ways(game: Variant, position: Position, counting: Counting) -> Counter[Position]:
    """Return the positions after one move, each with the number of moves that the convention counts."""
    reached: Counter[Position] = Counter()
    for move, nodes in divide(game, position, 1, counting):
        reached[play(game, position, move)] += nodes
    return reached


def _count_by_layers(row: Row) -> int:
    """Count lines with each position of a layer looked at once, however many ways lead to it; the last plies line by line."""
    key, text, counting, depth, _ = row
    game = variant(key)
    layer = Counter({game.start if text == "start" else parse_fen(game, text): 1})
    while depth > 1 and len(layer) < PASSING_NODES:
        below: Counter[Position] = Counter()
        for position, ways in layer.items():
            for after, more in _ways(game, position, counting).items():
                below[after] += ways * more
        layer, depth = below, depth - 1
    return sum(ways * perft(game, position, depth, counting) for position, ways in layer.items())


@pytest.mark.parametrize("row", _deepest(1_000, 2_000), ids=str)
def test_counting_by_layers_is_counting_line_by_line(row: Row) -> None:
    assert _count_by_layers(row) == _count(row)


def _long_rows() -> list[Row]:
    """Return the rows that the other tests leave out, the shortest work first."""
    rows = [row for row in _rows() if row[4] > SLOW_NODES]
    return sorted(rows, key=lambda row: row[4])


@pytest.mark.long
@pytest.mark.parametrize("row", _long_rows(), ids=str)
def test_every_greater_count_agrees(row: Row) -> None:
    """By size: those of up to a hundred million lines take minutes each, the greatest days."""
    assert _count_by_layers(row) == row[4]


def test_divide_gives_each_move_its_share() -> None:
    game = variant("english")
    shares = divide(game, game.start, 3)
    assert [move for move, _ in shares] == list(legal_moves(game, game.start))
    assert [count for _, count in shares] == [perft(game, play(game, game.start, move), 2) for move, _ in shares]
    assert sum(count for _, count in shares) == 302


def test_depth_zero_is_one_line() -> None:
    game = variant("english")
    assert perft(game, game.start, 0) == 1
