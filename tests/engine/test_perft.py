"""The engine's generator against the readable one of the rules."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from damludo.engine.coding import code, squares_of
from damludo.engine.kernels import places
from damludo.engine.layout import KINDS, NOWHERE, layout_of
from damludo.engine.perft import FIRST_FREE, divide, memory_for_moves, perft
from damludo.engine.program import can_compile, program_of
from damludo.rules import perft as by_rules
from damludo.rules.moves import legal_moves, play
from damludo.rules.notation import parse_fen
from damludo.rules.position import PIECES, Colour, Kind, Position, piece_of
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS

needs_numba = pytest.mark.skipif(not can_compile(), reason="numba is not installed here")

COUNTINGS: tuple[by_rules.Counting, ...] = ("unique", "sequences", "paths")


def random_position(variant: Variant, source: random.Random) -> Position:
    """Any number of any pieces on any squares; kings in plenty in every second position."""
    cells = bytearray(len(variant.start.cells))
    kinds = [int(piece) for piece in PIECES if piece.kind in variant.movers]
    men = [code for code in kinds if PIECES[code].kind is Kind.MAN]
    favoured = kinds if source.random() < 0.5 else men
    for square in source.sample(variant.board.playable, source.randint(2, len(variant.board.playable) * 2 // 3)):
        cells[square] = source.choice(favoured)
    return Position(bytes(cells), Colour(source.randrange(2)))


def random_play(variant: Variant, source: random.Random) -> Iterator[Position]:
    """The positions of games in which both sides move at random, one game after the other."""
    while True:
        position = variant.start
        for _ in range(200):
            yield position
            moves = legal_moves(variant, position)
            if not moves:
                break
            position = play(variant, position, source.choice(moves))


def engine_moves(variant: Variant, position: Position, compiled: bool) -> list[Any]:
    """The identities of the engine's moves, sorted."""
    program, layout = program_of(variant, compiled), layout_of(variant.board)
    memory, coded = memory_for_moves(program.form), code(variant, position, program.form)
    kernels, found = program.module["moves"], []
    end = kernels.generate(*coded.sets, coded.side, 0, FIRST_FREE, memory)
    for index in range(FIRST_FREE, end, places.STRIDE):
        move, taken = int(memory[index]), squares_of(kernels.get(memory, index + places.TAKEN))
        captures = [square for bit, square in enumerate(layout.square_of) if square != NOWHERE and taken >> bit & 1]
        before, after = (piece_of(position.side, KINDS[move >> place & 3]) for place in (14, 16))
        becomes = 0 if after is before else int(after)
        found.append((layout.square_of[move & 127], layout.square_of[move >> 7 & 127], sorted(captures), becomes))
    return sorted(found)


def rules_moves(variant: Variant, position: Position) -> list[Any]:
    """The identities of the rules' moves, sorted."""
    moves = legal_moves(variant, position)
    return sorted((move.origin, move.target, sorted(move.captures), int(move.becomes or 0)) for move in moves)


def compare_moves(variant: Variant, positions: int, compiled: bool) -> None:
    """Half of the positions come from random play, half are placed at random."""
    source = random.Random(f"moves {variant.key}")
    for _, position in zip(range(positions // 2), random_play(variant, source), strict=False):
        assert engine_moves(variant, position, compiled) == rules_moves(variant, position), position
    for _ in range(positions // 2):
        position = random_position(variant, source)
        assert engine_moves(variant, position, compiled) == rules_moves(variant, position), position


@pytest.mark.parametrize("key", VARIANTS)
def test_engine_and_rules_find_the_same_moves(key: str) -> None:
    compare_moves(VARIANTS[key], 50, compiled=False)


@needs_numba
@pytest.mark.long
@pytest.mark.parametrize("key", VARIANTS)
def test_the_compiled_engine_finds_the_moves_of_the_rules_in_two_thousand_positions(key: str) -> None:
    compare_moves(VARIANTS[key], 2_000, compiled=True)


@pytest.mark.parametrize("key", VARIANTS)
def test_engine_and_rules_count_the_same_on_random_positions(key: str) -> None:
    variant, source = VARIANTS[key], random.Random(f"perft {key}")
    for _ in range(25):
        position = random_position(variant, source)
        for counting in COUNTINGS:
            assert perft(variant, position, 1, counting, compiled=False) == by_rules.perft(
                variant, position, 1, counting
            ), (position, counting)


@pytest.mark.parametrize("key", VARIANTS)
def test_engine_and_rules_count_the_same_two_plies_deep(key: str) -> None:
    variant, source = VARIANTS[key], random.Random(f"two plies {key}")
    positions = [random_position(variant, source) for _ in range(5)]

    assert [perft(variant, position, 2, compiled=False) for position in positions] == [
        by_rules.perft(variant, position, 2) for position in positions
    ]


@pytest.mark.parametrize("key", VARIANTS)
def test_engine_and_rules_count_the_same_from_the_start(key: str) -> None:
    variant = VARIANTS[key]

    assert perft(variant, variant.start, 3, compiled=False) == by_rules.perft(variant, variant.start, 3)


def test_lines_behind_the_first_moves_add_up() -> None:
    counts = divide(VARIANTS["english"], VARIANTS["english"].start, 5, compiled=False)

    assert len(counts) == 7
    assert sum(count for _, count in counts) == 7361


Row = tuple[str, str, by_rules.Counting, int, int]


def _rows() -> list[Row]:
    """The numbers that the rules are held to, the smallest first."""
    rows: list[Row] = []
    for file in sorted((Path(__file__).parents[1] / "rules/perft").glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                position, counting, counts = (part.strip() for part in line.split("|"))
                for depth, nodes in (count.split(":") for count in counts.split()):
                    how = cast("by_rules.Counting", counting)
                    rows.append((file.stem, position, how, int(depth), int(nodes)))
    return sorted(rows, key=lambda row: row[4])


@needs_numba
@pytest.mark.long
@pytest.mark.parametrize("row", _rows(), ids=str)
def test_the_compiled_engine_counts_what_others_have_counted(row: Row) -> None:
    """About 50 million lines a second: the three greatest numbers take minutes each."""
    key, text, counting, depth, nodes = row
    game = VARIANTS[key]
    position = game.start if text == "start" else parse_fen(game, text)
    assert perft(game, position, depth, counting, compiled=True) == nodes
