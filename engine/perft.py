"""The lines of play, counted by the engine's own generator; the twin of `rules.perft`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from damludo.engine.coding import code
from damludo.engine.kernels import places
from damludo.engine.program import Report, can_compile, program_of, silent
from damludo.engine.writing import PLAIN, Form
from damludo.rules import perft as by_rules
from damludo.rules.moves import Move, play
from damludo.rules.perft import Counting
from damludo.rules.position import Position
from damludo.rules.traits import Variant

ROOM = 1 << 16
"""Moves that fit into the memory, those of all plies together."""
FIRST_FREE = 2 * places.STRIDE
"""The first place that may hold a move; those before it say how far the writing has come."""
COUNTINGS: Mapping[Counting, int] = {"unique": places.UNIQUE, "sequences": places.SEQUENCES, "paths": places.PATHS}


def memory_for_moves(form: Form) -> Any:
    """Return a flat array for the kernels of a form with nothing in it but room for moves."""
    size = ROOM * places.STRIDE
    memory: Any = [0] * size if form is PLAIN else np.zeros(size, np.int64)
    memory[places.LIMIT] = size
    return memory


def perft(
    variant: Variant,
    position: Position,
    depth: int,
    counting: Counting = "unique",
    compiled: bool | None = None,
    report: Report = silent,
) -> int:
    """Return the number of lines of `depth` plies, at least one; `compiled` is the usual choice where it is None."""
    program = program_of(variant, can_compile() if compiled is None else compiled, ("moves",), report)
    coded = code(variant, position, program.form)
    count: int = program.module["moves"].perft(
        *coded.sets, coded.side, depth, COUNTINGS[counting], FIRST_FREE, memory_for_moves(program.form)
    )
    return count


def divide(
    variant: Variant,
    position: Position,
    depth: int,
    counting: Counting = "unique",
    compiled: bool | None = None,
    report: Report = silent,
) -> tuple[tuple[Move, int], ...]:
    """Return the legal moves, named by the rules, each with the number of lines of `depth` plies that begin with it."""
    firsts = by_rules.divide(variant, position, 1, counting)
    if depth == 1:
        return firsts
    return tuple(
        (move, perft(variant, play(variant, position, move), depth - 1, counting, compiled, report))
        for move, _ in firsts
    )
