"""Endgame tables: made, checked, kept in a file, and asked."""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from damludo.engine.coding import code
from damludo.engine.errors import NoTables
from damludo.engine.kernels import places
from damludo.engine.program import Report, can_compile, program_of, silent
from damludo.engine.table_shape import MOST_PIECES, men_squares, stretches
from damludo.engine.writing import KERNELS, PLAIN, all_constants
from damludo.rules.position import Colour, Kind, Position, piece_of
from damludo.rules.traits import Variant

PARTS = ("moves", "search", "tables")
MOVES, START = 64, 1 << 14
"""In the kernels' memory: where moves are written while tables are made, and where the tables begin."""
LONGEST = 254
"""No end is told that is further away than so many plies."""
FEW = 50_000
"""So few entries are found out sooner than a compiler is loaded."""
CHUNK = 1 << 18
"""So many entries between two chances for Ctrl-C."""

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


def entries(variant: Variant, pieces: int) -> int:
    """Return how many entries, a byte each, the tables up to a number of pieces have."""
    return sum(stretch.entries for stretch in stretches(variant) if stretch.pieces <= pieces)


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
            compiled = entries(variant, pieces) > FEW and can_compile()
        self._program = program_of(variant, compiled, PARTS, report)
        words = (entries(variant, pieces) + 7) // 8
        size = START + words
        self._memory: Any = [0] * size if self._program.form is PLAIN else np.zeros(size, np.int64)
        self._memory[places.LIMIT] = START
        self._kernels = self._program.module["tables"]

    def build(self, progress: Progress | None = None) -> None:
        """Find out every entry, the ends first, then the positions a ply before, and so on."""
        known = 0
        for pieces in range(2, self.pieces + 1):
            self._memory[places.LATEST] = 0
            known += self._each(pieces, self._kernels.first_values)
            value = 1
            while value <= min(self._memory[places.LATEST], LONGEST):
                if progress is not None:
                    progress(pieces, value - 1, known)
                known += self._each(pieces, self._kernels.look_back, value)
                value += 1

    def check(self) -> int:
        """Derive every entry once more from the entries behind its moves; return how many differ."""
        return sum(self._each(pieces, self._kernels.count_wrong) for pieces in range(2, self.pieces + 1))

    def _each(self, pieces: int, work: Callable[..., int], *value: int) -> int:
        """Have the entries with so many pieces worked on, CHUNK of them at a time; return the sum of the answers."""
        return sum(
            work(at.balance, at.side, number, min(number + CHUNK, at.entries), *value, START, MOVES, self._memory)
            for at in stretches(self.variant)
            if at.pieces == pieces
            for number in range(0, at.entries, CHUNK)
        )

    def save(self, folder: Path) -> Path:
        """Write the tables to their file, whole or not at all.

        Raises:
            NoTables: it cannot be written.
        """
        path = file_of(self.variant, self.pieces, folder)
        part = path.with_suffix(f".{os.getpid()}")
        words = self._memory[START:]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                # Plain Python's words have no sign, and those of arrays have: the bits are the same.
                file.write((np.array(words, "<u8") if self._program.form is PLAIN else words.astype("<i8")).tobytes())
                file.flush()
                # A power cut must not leave the name of a table on a file of zeros: they would all be draws.
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise NoTables(
                f"{path} cannot be written ({error.strerror}); name another folder with --home or free some room"
            ) from error
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

    def knows(self, position: Position) -> bool:
        """Return whether all men stand where men can stand; if they do, they do so after every move."""
        return all(
            position.at(square) is not piece_of(colour, Kind.MAN)
            for colour in Colour
            for square in set(self.variant.board.playable).difference(men_squares(self.variant, colour))
        )

    def probe(self, position: Position) -> Ending:
        """Return how a position ends.

        Raises:
            NoTables: it has too many pieces, or pieces that the tables do not know.
        """
        program = program_of(self.variant, False, ("moves", "search"))
        coded = code(self.variant, position, program.form)
        if not coded.own or not coded.opp or coded.extra:
            raise NoTables("the tables hold positions where both sides have pieces, and only men and kings")
        if not self.knows(position):
            raise NoTables("the tables hold no position with a man where it would have become a king")
        pieces = len(position.cells) - position.cells.count(0)
        if pieces > self.pieces:
            more = (
                f"'damludo tables build --pieces {pieces}' makes larger ones"
                if pieces <= MOST_PIECES
                else f"no tables go beyond {MOST_PIECES}: ask 'damludo best' instead"
            )
            raise NoTables(
                f"the position has {pieces} pieces, but the tables that were made go up to {self.pieces}; {more}"
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
