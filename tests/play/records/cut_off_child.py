"""Plays a game on the simulated table and kills itself, as a power cut would, at a moment that it is told. Run as a program.

What lay on the table then is written to a file just before: the table of a real game survives the power cut as well.
"""

import json
import math
import os
import signal
import sys
from pathlib import Path
from typing import Any

from damludo.play.match.events import MatchEvent
from damludo.play.records.journal import Journal, journal_line, read_journal
from damludo.play.records.record import camera_path, read_record
from damludo.play.table.eyes_again import keep_eyes
from damludo.play.table.humans import parse_human
from damludo.play.table.simulated import SeatedGame, SimulationOptions, seated_game
from damludo.rules.variants import variant
from damludo.simulation.table import Disc, DiscColour, Table

FAR_OFF_MM = 12.0
BESIDE_MM = 45.0


def options_of(told: dict[str, Any]) -> SimulationOptions:
    return SimulationOptions(
        variant(told["game"]), told["seed"], parse_human(told["human"]), 1, modelled=told["camera"] == "readings"
    )


def put_discs(table: Table, discs: list[Any]) -> None:
    """Put discs on a table as they lay when the power went; what was held has fallen, or rolled away from another disc."""
    table.discs.clear()
    for number, (colour, x_mm, y_mm, held) in enumerate(discs):
        if held:
            x_mm, y_mm = _fallen(table, number, x_mm, y_mm)
        table.add_disc(DiscColour(colour), x_mm, y_mm)


def _fallen(table: Table, number: int, x_mm: float, y_mm: float) -> tuple[float, float]:
    layout = table.layout
    middles = [layout.square(square) for square in range(layout.columns * layout.rows)]
    nearest = min(middles, key=lambda place: math.dist((place.x_mm, place.y_mm), (x_mm, y_mm)))
    off_x, off_y = x_mm - nearest.x_mm, y_mm - nearest.y_mm
    off = math.hypot(off_x, off_y)
    # The scripted person does not find discs that lie far off the middle of a square.
    if off > FAR_OFF_MM:
        x_mm, y_mm = nearest.x_mm + off_x * FAR_OFF_MM / off, nearest.y_mm + off_y * FAR_OFF_MM / off
    if off > layout.square_mm or table.top_at(x_mm, y_mm) > 0.0:
        return -300.0 - 60.0 * number, 0.0
    return x_mm, y_mm


def run_until_cut(told: dict[str, Any]) -> None:
    path = Path(told["journal"])
    record = read_record(path) if path.exists() else None
    with seated_game(options_of(told), 0, record, lambda simulated: _restored(simulated.table, told)) as seated:
        journal = Journal(path, goes_on=record is not None)
        if record is None and seated.seen is not None:
            keep_eyes(seated.seen, told["game"], camera_path(path))
        seated.listeners.insert(0, journal)
        _Reaper(seated, told)
        seated.match.run()


def _restored(table: Table, told: dict[str, Any]) -> None:
    if Path(told["discs"]).exists():
        put_discs(table, json.loads(Path(told["discs"]).read_text()))


class _Reaper:
    """A `Part` and a listener that waits for the moment."""

    def __init__(self, seated: SeatedGame, told: dict[str, Any]) -> None:
        self._told, self._table = told, seated.simulated.table
        self._holder, self._count = str(told["holder"]), int(told["count"])
        self._way_mm = float(told["way_mm"])
        self._held: Disc | None = None
        self._from = (0.0, 0.0)
        self._lines = len(read_journal(Path(told["journal"])).entries)
        if self._holder == "journal":
            seated.listeners.insert(0, self._hear)
        else:
            seated.simulated.world.add(self)

    def advance_to(self, time_s: float) -> None:
        disc = self._table.held_disc(self._holder)
        if disc is None or disc is not self._held:
            self._count -= disc is not None
            self._held = disc
            self._from = (disc.x_mm, disc.y_mm) if disc else self._from
        elif self._count <= 0 and self._far_enough(disc):
            self._die()

    def _far_enough(self, disc: Disc) -> bool:
        if self._told["event"] == "beside the board":
            return disc.x_mm < -BESIDE_MM
        return abs(disc.x_mm - self._from[0]) + abs(disc.y_mm - self._from[1]) > self._way_mm

    def _hear(self, event: MatchEvent) -> None:
        self._lines += 1
        self._count -= event.kind.value == self._told["event"]
        if self._count > 0:
            return
        line = journal_line(self._lines, event).encode() + b"\n"
        with Path(self._told["journal"]).open("ab") as file:
            file.write(line[: int(len(line) * self._told["part"])])
            file.flush()
            os.fsync(file.fileno())
        self._die()

    def _die(self) -> None:
        lying_first = sorted(self._table.discs, key=lambda disc: (disc.held_by is not None, disc.z_mm))
        discs = [(disc.colour.value, disc.x_mm, disc.y_mm, disc.held_by is not None) for disc in lying_first]
        Path(self._told["discs"]).write_text(json.dumps(discs))
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    run_until_cut(json.loads(sys.argv[1]))
