"""What the evaluation looks at in a game: blocks of squares, phases, and where their weights stand."""

import itertools

from damludo.engine.layout import NOWHERE, Constants, Layout, Table, Value, layout_of
from damludo.rules.geometry import DIAGONALS
from damludo.rules.position import Kind
from damludo.rules.traits import LONE_KING, MoveLimit, Variant

BLOCK_WEIGHTS = 3**8
BY_SQUARE = 8
"""Place of the weights by kind and square; the places before it are single weights, see `kernels/evaluation.py`."""
PHASES = 3
"""Opening, middle game, ending: a third of the pieces of the start each."""


def features_of(variant: Variant) -> Constants:
    """Return the constants of the evaluation."""
    layout = layout_of(variant.board)
    first_block = BY_SQUARE + 6 * layout.width
    windows = _windows(variant, layout)
    size = first_block + len(windows) * BLOCK_WEIGHTS
    pieces = len(variant.board.playable) - [variant.start.cells[square] for square in variant.board.playable].count(0)
    phases = [size * phase_of(count, pieces) for count in range(len(variant.board.playable) + 1)]
    man = variant.movers[Kind.MAN]
    lone = [
        rule.material.strong.pieces[1]
        for rule in variant.draws
        if isinstance(rule, MoveLimit) and rule.material is not None and rule.material.weak == LONE_KING
    ]
    blocks: tuple[Value, ...] = tuple(
        (first_block + number * BLOCK_WEIGHTS, low, high) for number, (low, high) in enumerate(windows)
    )
    return {
        "BLOCKS": blocks,
        "PHASE_FROM": Table(tuple(phases)),
        "TERNARY": Table(tuple(sum(3**bit for bit in range(8) if index >> bit & 1) for index in range(256))),
        "HAS_STEPS": any(mover.steps for mover in variant.movers.values()),
        "USES_FREEDOM": not man.steps or Kind.KING not in variant.movers,
        "DRAWISH": max([pieces for pieces in lone if pieces <= 3], default=0),
        "KINGS_HOLD": kings_hold(variant),
    }


def kings_hold(variant: Variant) -> bool:
    """Whether a lead is worth half where both sides have a king: kings that move along diagonals alone escape from one another.

    In games of the engine against itself the worth at which a lead won with the same odds was 1.7 to 4.5 times greater there than
    where no king was (English, Russian, International, Damludo, Italian draughts), and the same in Turkish draughts and Dameo.
    """
    king = variant.movers.get(Kind.KING)
    return king is not None and set(king.steps) <= set(DIAGONALS) and not variant.stuck_player_wins


def phase_of(pieces: int, at_start: int) -> int:
    """Return the phase: 0 with more than two thirds of the pieces of the start, 1, or 2 with a third or less."""
    return 0 if 3 * pieces > 2 * at_start else 1 if 3 * pieces > at_start else 2


def weights_size(variant: Variant) -> int:
    """Return how many weights a game has."""
    layout = layout_of(variant.board)
    return PHASES * (BY_SQUARE + 6 * layout.width + len(_windows(variant, layout)) * BLOCK_WEIGHTS)


def blocks_of(variant: Variant) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the blocks as (place of the first weight, squares of `rules` in the order of the block's digits)."""
    layout = layout_of(variant.board)
    first_block = BY_SQUARE + 6 * layout.width
    return tuple(
        (
            first_block + number * BLOCK_WEIGHTS,
            tuple(layout.square_of[start + offset] for start in window for offset in range(4)),
        )
        for number, window in enumerate(_windows(variant, layout))
    )


def _windows(variant: Variant, layout: Layout) -> list[tuple[int, int]]:
    """Two rows of four squares each, over every two neighbouring rows, at both ends of the rows (and in the middle of long
    ones).
    """
    columns, rows = variant.board.columns, variant.board.rows
    by_row = [
        [bit for square in range(row * columns, (row + 1) * columns) if (bit := layout.bit_of[square]) != NOWHERE]
        for row in range(rows)
    ]
    windows = []
    for low, high in itertools.pairwise(by_row):
        last = min(len(low), len(high)) - 4
        starts = sorted({0, last, last // 2} if last >= 4 else {0, last})
        windows += [(low[start], high[start]) for start in starts]
    return windows
