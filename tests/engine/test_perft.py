"""The engine's generator against the readable one of the rules."""

import random

import pytest

from damludo.engine.perft import divide, perft
from damludo.rules import perft as by_rules
from damludo.rules.position import PIECES, Colour, Kind, Position
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS

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
