"""Endgame tables on the disk, and what they say.

One file for each number of pieces, mapped into memory when it is asked. Its name holds a digest of the rules it was made from:
a table of other rules is never found. A file that is damaged counts as not there.
"""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from damludo.engine.draw_rules import draws_of
from damludo.engine.errors import NoTable
from damludo.engine.layout import constants_of, layout_of
from damludo.engine.program import Report, silent
from damludo.engine.table_build import Builder, Progress, no_progress
from damludo.engine.table_index import FEWEST, index_of, most_pieces, pieces_on
from damludo.rules.moves import legal_moves
from damludo.rules.position import Position
from damludo.rules.traits import Variant

FORMAT = 1
"""Counts up when the places or the values of the tables change their meaning."""

Value = Literal["win", "loss", "draw"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What a table says of a position, for the side to move.

    Attributes:
        value: with best play of both sides; draw rules that count moves are left aside.
        plies: to the end of the game, the winner hurrying and the loser holding out; None for a draw.
    """

    value: Value
    plies: int | None


class Tables:
    """The endgame tables of one game in a folder."""

    def __init__(self, variant: Variant, folder: Path) -> None:
        self.variant, self._folder = variant, folder
        constants = repr((FORMAT, constants_of(variant), draws_of(variant, layout_of(variant.board))["BARE"]))
        self._digest = hashlib.sha256(constants.encode()).hexdigest()[:8]
        self._open: dict[int, NDArray[Any]] = {}

    def path(self, pieces: int) -> Path:
        """Return where the table with so many pieces lies."""
        return self._folder / f"{self.variant.key}-{pieces}-{self._digest}.npy"

    def values(self, pieces: int) -> NDArray[Any] | None:
        """Return the values of the positions with so many pieces; None if they are not there."""
        if pieces not in self._open and FEWEST <= pieces <= most_pieces(self.variant):
            start, stop = index_of(self.variant, pieces).span(pieces)
            try:
                found = np.load(self.path(pieces), mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError, EOFError):
                return None
            if found.shape != (stop - start,) or found.dtype not in (np.uint8, np.uint16):
                return None
            self._open[pieces] = found
        return self._open.get(pieces)

    def build(self, pieces: int, progress: Progress = no_progress, report: Report = silent) -> Mapping[int, Path]:
        """Make the tables up to so many pieces, as far as they are not there; return the files by the number of pieces.

        Raises:
            NoTable: the game has none with so many pieces, or the folder cannot be written.
        """
        index_of(self.variant, pieces)
        counts = range(FEWEST, pieces + 1)
        known = {count: values for count in counts if (values := self.values(count)) is not None}
        if len(known) < len(counts):
            built = Builder(self.variant, pieces, report=report).build(known, progress)
            for count in counts:
                if count not in known:
                    self._write(count, built[count])
        return {count: self.path(count) for count in counts}

    def _write(self, pieces: int, values: NDArray[np.int16]) -> None:
        """Write a file that is there whole or not at all."""
        small = values.astype(np.uint8 if int(values.max(initial=0)) < 256 else np.uint16)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                np.save(file, small, allow_pickle=False)
            os.replace(name, self.path(pieces))
        except OSError as error:
            raise NoTable(
                f"{self.path(pieces)} cannot be written ({error.strerror}); name another folder with --home"
            ) from error

    def probe(self, position: Position) -> Entry | None:
        """Return what is known of a position; None if no table holds it."""
        pieces = pieces_on(position)
        values = self.values(pieces)
        if values is None:
            return None
        index = index_of(self.variant, pieces)
        place = index.place_of(position)
        return None if place is None else entry_of(self.variant, int(values[place - index.span(pieces)[0]]))

    def look_up(self, position: Position) -> Entry:
        """Return what is known of a position.

        Raises:
            NoTable: nothing; the message says what to do.
        """
        if not legal_moves(self.variant, position):
            return entry_of(self.variant, 1)
        found = self.probe(position)
        if found is not None:
            return found
        key, pieces, most = self.variant.key, pieces_on(position), most_pieces(self.variant)
        if pieces > most:
            raise NoTable(f"the position has {pieces} pieces; tables of {key} have at most {most}")
        if self.values(pieces) is None:
            raise NoTable(
                f"the table of {key} with {pieces} pieces is not there; "
                f"make it with 'damludo tables build --game {key} --pieces {pieces}'"
            )
        raise NoTable(
            "no game leads to this position, so no table holds it: a side without pieces, or an uncrowned man"
        )


def entry_of(variant: Variant, value: int) -> Entry:
    """Return what a stored value means: 0 a draw, else the plies to the end of the game plus one."""
    if value == 0:
        return Entry("draw", None)
    plies = value - 1
    won = (plies % 2 == 1) != variant.stuck_player_wins
    return Entry("win" if won else "loss", plies)
