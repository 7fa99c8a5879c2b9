"""The lines of play, counted by the engine's own generator; the twin of `rules.perft`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from damludo.engine.coding import code
from damludo.engine.program import PLAIN, Form, Report, can_compile, program_of, silent
from damludo.rules.perft import Counting
from damludo.rules.position import Position
from damludo.rules.traits import Variant

ROOM = 1 << 16
"""Moves that fit into the arrays, those of all plies together."""
COUNTINGS: Mapping[Counting, int] = {"unique": 0, "sequences": 1, "paths": 2}


def arrays(form: Form, *lengths: int) -> list[Any]:
    """Return flat arrays of whole numbers for the kernels of a form."""
    if form is PLAIN:
        return [[0] * length for length in lengths]
    return [np.zeros(length, np.int64) for length in lengths]


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
    state, moves, takens, orders = arrays(program.form, 8, ROOM, 2 * ROOM, ROOM)
    state[5] = ROOM
    count: int = program.module["moves"].perft(
        *coded.sets, coded.side, depth, COUNTINGS[counting], state, moves, takens, orders, 0
    )
    return count
