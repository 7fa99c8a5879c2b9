"""Endgame tables: made, checked, kept in a file, and asked."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from damludo.engine.coding import code
from damludo.engine.errors import NoTables
from damludo.engine.kernels import places
from damludo.engine.layout import Table
from damludo.engine.program import Report, can_compile, program_of, silent
from damludo.engine.table_shape import MOST_PIECES, is_symmetric
from damludo.engine.writing import KERNELS, PLAIN, all_constants
from damludo.rules.position import Position
from damludo.rules.traits import Variant

PARTS = ("moves", "search", "tables")
MOVES, START = 64, 1 << 14
"""In the kernels' memory: where moves are written while tables are made, and where the tables begin."""
LONGEST = 255
"""No end is told that is further away than 254 plies."""
FEW = 10_000
"""So few entries are found out sooner than a compiler is loaded."""
CHUNK = 4_000
"""So many sets of squares between two reports of progress."""

Progress = Callable[[int, int, int], None]
"""Told the number of pieces, the plies to the end being looked for, and how many entries are known."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a table says of a position.

    Attributes:
        value: "win", "loss" or "draw", for the side to move.
        plies: to the end, with best play of both sides; None for a draw.
    """

    value: str
    plies: int | None


def _shape(variant: Variant, name: str) -> tuple[int, ...]:
    table = all_constants(variant)[name]
    assert isinstance(table, Table)
    return table.values


def entries(variant: Variant, pieces: int) -> int:
    """Return how many entries, a byte each, the tables up to a number of pieces have."""
    first = _shape(variant, "ENTRIES_FROM")
    return first[pieces + 1] if is_symmetric(variant) else first[7] + first[pieces + 1]


def file_of(variant: Variant, pieces: int, folder: Path) -> Path:
    """Return where the tables are kept; the name tells the rules and the form that they were made for."""
    texts = [(KERNELS / f"{name}.py").read_text("utf-8") for name in ("moves", "endgames", "tables")]
    digest = hashlib.sha256(f"{all_constants(variant)!r}\n{texts!r}".encode()).hexdigest()[:12]
    return folder / f"{variant.key}-{pieces}-{digest}.tables"


def tables_folder() -> Path:
    """Return the folder for tables: below DAMLUDO_HOME, or where the XDG base directory specification keeps data."""
    home = os.environ.get("DAMLUDO_HOME", "")
    if home:
        return Path(home).expanduser() / "data" / "tables"
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".local/share") / "damludo" / "tables"


class Builder:
    """Makes the tables of a game.

    Args:
        variant: the game.
        pieces: of the largest positions, both sides together.
        compiled: whether to run compiled; None if it can and is worth while.
        report: told when that needs compiling first.
    """

    def __init__(self, variant: Variant, pieces: int, compiled: bool | None = None, report: Report = silent) -> None:
        if not 2 <= pieces <= MOST_PIECES:
            raise NoTables(f"tables are made for 2 to {MOST_PIECES} pieces, not for {pieces}")
        self.variant, self.pieces = variant, pieces
        if compiled is None:
            compiled = can_compile() and entries(variant, pieces) > FEW
        self._program = program_of(variant, compiled, PARTS, report)
        words = (entries(variant, pieces) + 7) // 8
        size = START + words
        self._memory: Any = [0] * size if self._program.form is PLAIN else np.zeros(size, np.int64)
        self._memory[places.LIMIT] = START
        self._sides = (0,) if is_symmetric(variant) else (0, 1)

    def build(self, progress: Progress | None = None) -> None:
        """Find out every entry, the ends first, then the positions a ply before, and so on."""
        known, longest = 0, 0
        for size in range(2, self.pieces + 1):
            value, idle = 0, 0
            # An end with fewer pieces may be the next one of an entry, however long nothing new was found here.
            while value < LONGEST and (idle < 2 or value <= longest + 1):
                value += 1
                found = self._pass(size, value)
                idle = 0 if found else idle + 1
                known += found
                longest = value if found and value > longest else longest
                if progress is not None:
                    progress(size, value - 1, known)

    def check(self) -> int:
        """Derive every entry once more from the entries behind its moves; return how many differ."""
        return sum(self._pass(size, 0) for size in range(2, self.pieces + 1))

    def _pass(self, size: int, value: int) -> int:
        work = self._program.module["tables"].work_back
        squares = len(self.variant.board.playable)
        found = 0
        for side in self._sides:
            for place in range(size):
                self._memory[places.PICKED + place] = place
            total = comb(squares, size)
            for rank in range(0, total, CHUNK):
                found += work(size, value, side, rank, min(rank + CHUNK, total), START, MOVES, self._memory)
        return found

    def save(self, folder: Path) -> Path:
        """Write the tables to their file, whole or not at all."""
        path = file_of(self.variant, self.pieces, folder)
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        words = self._memory[START:]
        # Plain Python's words have no sign, and those of arrays have: the bits are the same.
        (np.array(words, "<u8") if self._program.form is PLAIN else words.astype("<i8")).tofile(part)
        os.replace(part, path)
        return path


class Tables:
    """The tables of a game in a file, read where they are asked.

    Args:
        variant: the game.
        pieces: of the largest positions in them.
        path: the file.
    """

    def __init__(self, variant: Variant, pieces: int, path: Path) -> None:
        self.variant, self.pieces = variant, pieces
        self.words = np.memmap(path, "<i8", "r")

    def plain_words(self) -> list[int]:
        """Return the entries as whole numbers of Python's own, without sign."""
        words: list[int] = self.words.view(np.uint64).tolist()
        return words

    def probe(self, position: Position) -> Ending:
        """Return how a position ends.

        Raises:
            NoTables: it has too many pieces, or pieces that the tables do not know.
        """
        program = program_of(self.variant, False, ("moves", "search"))
        coded = code(self.variant, position, program.form)
        if not coded.own or not coded.opp or coded.extra:
            raise NoTables("the tables hold positions where both sides have pieces, and only men and kings")
        pieces = len(position.cells) - position.cells.count(0)
        if pieces > self.pieces:
            raise NoTables(
                f"the position has {pieces} pieces, but the tables that were made go up to {self.pieces}; "
                f"'damludo tables build' makes larger ones"
            )
        entry = program.module["search"].entry_of(coded.own, coded.opp, coded.kings, coded.side)
        value = int(self.words.view(np.uint8)[entry])
        if value == 0:
            return Ending("draw", None)
        lost = bool(value & 1) != self.variant.stuck_player_wins
        return Ending("loss" if lost else "win", value - 1)


def open_tables(variant: Variant, folder: Path | None = None) -> Tables | None:
    """Return the largest tables that have been made for a game; None if there are none."""
    for pieces in range(MOST_PIECES, 1, -1):
        path = file_of(variant, pieces, folder or tables_folder())
        if path.is_file() and path.stat().st_size == (entries(variant, pieces) + 7) // 8 * 8:
            return Tables(variant, pieces, path)
    return None
