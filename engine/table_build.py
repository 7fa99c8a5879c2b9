"""Builds endgame tables: backwards from the ends of the game, one balance of pieces after the other, then everything checked."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damludo.engine.errors import NoTable
from damludo.engine.kernels import places as kernel
from damludo.engine.program import Report, can_compile, program_of, silent
from damludo.engine.table_index import Class, index_of
from damludo.engine.writing import PLAIN
from damludo.rules.traits import Variant

PLAIN_PLACES = 10_000
"""So few values are worked out before a compiler is loaded."""

Progress = Callable[[str, float], None]
"""Told what is being done, and how much of all is done, 0 to 1."""


def no_progress(what: str, share: float) -> None:
    """Tell nobody."""


class Builder:
    """Makes the tables of one game, the smaller ones first.

    Args:
        variant: the game.
        pieces: most pieces on the board.
        compiled: whether to run compiled; None for where it is worth it and can be.
        report: told when the kernels have to be compiled first.

    Raises:
        NoTable: the game has no tables with so many pieces.
    """

    def __init__(self, variant: Variant, pieces: int, compiled: bool | None = None, report: Report = silent) -> None:
        self._index = index_of(variant, pieces)
        size = self._index.classes[-1].stop
        if compiled is None:
            compiled = size > PLAIN_PLACES and can_compile()
        program = program_of(variant, compiled, ("moves", "tables"), report)
        self._kernels: Any = program.module["tables"]
        self._memory = self._index.memory(program.form)
        self._values: Any = [0] * size if program.form is PLAIN else np.zeros(size, np.int16)

    def build(
        self, known: Mapping[int, NDArray[Any]], progress: Progress = no_progress
    ) -> dict[int, NDArray[np.int16]]:
        """Return the values by the number of pieces, all checked.

        Args:
            known: values that were made before, by the number of pieces; they are taken as they are.
            progress: see `Progress`.

        Raises:
            NoTable: the check found a wrong value, which would be a fault of ours.
        """
        todo = []
        for pieces in range(2, self._index.pieces + 1):
            start, stop = self._index.span(pieces)
            if pieces in known:
                given = known[pieces].tolist() if isinstance(self._values, list) else known[pieces]
                self._values[start:stop] = given
            else:
                todo += list(self._index.pairs(pieces))
        total, done = sum(class_.stop - class_.start for pair in todo for class_ in pair), 0
        for pair in todo:
            self._solve(pair)
            self._check(pair)
            done += sum(class_.stop - class_.start for class_ in pair)
            progress(_name(pair[0]), done / total)
        return {pieces: self._slice(pieces) for pieces in range(2, self._index.pieces + 1)}

    def _solve(self, pair: tuple[Class, ...]) -> None:
        memory = self._memory
        memory[kernel.LATEST] = 0
        for class_ in pair:
            self._kernels.first_values(class_.start, class_.stop, class_.key, self._values, memory)
        step = 1
        while step <= memory[kernel.LATEST]:
            for class_ in pair:
                self._kernels.spread(step, class_.start, class_.stop, class_.key, self._values, memory)
            step += 1

    def _check(self, pair: tuple[Class, ...]) -> None:
        for class_ in pair:
            wrong = self._kernels.count_wrong(class_.start, class_.stop, class_.key, self._values, self._memory)
            if wrong or self._memory[kernel.STRAYED]:
                raise NoTable(
                    f"the table of {_name(class_)} has {wrong} wrong values and {self._memory[kernel.STRAYED]} missing "
                    f"successors; please report this fault"
                )

    def _slice(self, pieces: int) -> NDArray[np.int16]:
        start, stop = self._index.span(pieces)
        return np.array(self._values[start:stop], np.int16)


def _name(class_: Class) -> str:
    """Return a balance in letters: "KKm-K", the side to move first."""
    letters = "mKp"
    own, other = class_.sizes[:3], class_.sizes[3:]
    return "-".join("".join(letter * size for letter, size in zip(letters, side, strict=True)) for side in (own, other))
