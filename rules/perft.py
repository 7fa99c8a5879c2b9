"""Count the positions a generator reaches: the figure by which generators are compared.

Leaves are the moves at the last ply; a position without legal moves has none deeper down; draw rules are ignored.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from damludo.rules.moves import Move, all_routes, legal_moves, play
from damludo.rules.position import Position
from damludo.rules.traits import Variant

Counting = Literal["unique", "sequences", "paths"]
"""unique: by identity; sequences: another order of capture counts again; paths: another landing square counts again."""


def perft(variant: Variant, position: Position, depth: int, counting: Counting = "unique") -> int:
    """Return the number of lines of `depth` plies (depth 0: one)."""
    return _count(variant, position, depth, _MOVES[counting])


def divide(
    variant: Variant, position: Position, depth: int, counting: Counting = "unique"
) -> tuple[tuple[Move, int], ...]:
    """Return the legal moves, each with the number of lines of `depth` plies that begin with it."""
    moves = _MOVES[counting]
    return tuple(
        (move, _count(variant, play(variant, position, move), depth - 1, moves)) for move in moves(variant, position)
    )


_Generator = Callable[[Variant, Position], tuple[Move, ...]]


def _count(variant: Variant, position: Position, depth: int, moves: _Generator) -> int:
    if depth <= 0:
        return 1
    if depth == 1:
        return len(moves(variant, position))
    return sum(_count(variant, play(variant, position, move), depth - 1, moves) for move in moves(variant, position))


def _sequences(variant: Variant, position: Position) -> tuple[Move, ...]:
    unique: dict[object, Move] = {}
    for move in all_routes(variant, position):
        unique.setdefault((move.origin, move.target, move.captures, move.becomes), move)
    return tuple(unique.values())


_MOVES: Mapping[Counting, _Generator] = {"unique": legal_moves, "sequences": _sequences, "paths": all_routes}
