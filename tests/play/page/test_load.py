"""Many pages at once: the match pays for none of them, and nothing grows.

By hand, two minutes: DAMLUDO_LOAD_SECONDS=120 pytest tests/play/page/test_load.py -s
"""

import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from damludo.play.content import SPARE_DISCS
from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.page.page import Page, open_page
from damludo.play.page.pictures import NewestFrame, table_json
from damludo.play.table.setup import CalibratedEyes, calibrate_eyes
from damludo.play.table.simulated import SimulatedTable, set_table
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock
from damludo.simulation.hand import Pace, Point, SimulatedHand
from damludo.vision.content import BoardSizes

pytestmark = [pytest.mark.simulation, pytest.mark.slow]

SECONDS = float(os.environ.get("DAMLUDO_LOAD_SECONDS", "6"))
SOCKETS, STREAMS = 20, 5
LOOKS_HZ = 15.0
ROUNDS, MOST_ROUNDS = 3, 8
MOST_CPU = 0.05
"""What a crowd may add to the match's own work."""
ARRIVING_S = 2.0


class _Loop:
    """The looking part of a match over the simulated table, with a hand that stirs and events as a lively match has them."""

    def __init__(self, page: Page) -> None:
        self.simulated: SimulatedTable = set_table(variant("damludo"), 3, Colour.WHITE)
        self.clock = LockstepClock(self.simulated.world)
        self.hand = SimulatedHand(self.simulated.table, -1.0, Pace(), np.random.default_rng(1))
        self.simulated.world.add(self.hand)
        layout, game = self.simulated.layout, self.simulated.variant
        source = NewestFrame(self.simulated.camera())
        sizes = BoardSizes(layout.square_mm, layout.disc_diameter_mm, layout.disc_height_mm)
        seen: CalibratedEyes = calibrate_eyes(source, self.clock, game, game.start, sizes)
        page.look_through(source)
        truth = lambda: table_json(self.simulated.table, self.simulated.world.lock)  # noqa: E731
        self.eyes = page.seat(seen, lambda: None, layout, None, None, truth)
        self._page = page
        self._looks = 0

    def begin(self) -> None:
        racks = {"white": SPARE_DISCS, "black": SPARE_DISCS}
        fen = "W:W21,22,23:B1,2,3"
        data: dict[str, Any] = {"game": "damludo", "machine": "black", "fen": fen, "level": 3, "racks": racks}
        self._page(MatchEvent(EventKind.STARTED, 0.0, "Damludo", data))

    def look(self, seconds: float) -> tuple[float, float]:
        """Look for some wall time at a match's pace; return this thread's CPU and wall seconds at work, for each look."""
        cpu_s, worked_s, looks, end_s = 0.0, 0.0, 0, time.monotonic() + seconds
        while (wall_s := time.monotonic()) < end_s:
            begin_s = time.thread_time()
            if not self.hand.busy:
                self.hand.do([Point(100.0 + 50.0 * (self._looks % 5), 150.0)])
            self.eyes.look(LOOKS_HZ)
            if self._looks % 5 == 0:
                kind = EventKind.HAND_IN if self._looks % 2 else EventKind.HAND_OUT
                self._page(MatchEvent(kind, self.clock.now_s(), ""))
            cpu_s += time.thread_time() - begin_s
            worked_s += time.monotonic() - wall_s
            looks += 1
            self._looks += 1
            time.sleep(max(0.0, wall_s + 1.0 / LOOKS_HZ - time.monotonic()))
        return cpu_s / looks, worked_s / looks


@pytest.fixture
def page() -> Iterator[Page]:
    with open_page(0, variant("damludo"), Colour.WHITE, 3, simulation=True) as page:
        yield page


@contextmanager
def _crowd(page: Page) -> Iterator[list[int]]:
    """20 pages and 5 pictures in another process; the list holds afterwards how much each has received."""
    received: list[int] = []
    command = [sys.executable, str(Path(__file__).parent / "crowd.py"), str(page.port), str(SOCKETS), str(STREAMS)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield received
    finally:
        received += json.loads(process.communicate(timeout=30.0)[0])


def test_twenty_pages_and_five_pictures_cost_the_match_nothing_and_grow_nothing(page: Page) -> None:
    loop = _Loop(page)
    loop.begin()
    loop.look(1.0)
    alone, crowded = list[tuple[float, float]](), list[tuple[float, float]]()
    cpu = wall = grown = math.inf
    for finished in range(1, MOST_ROUNDS + 1):
        alone.append(loop.look(SECONDS / ROUNDS))
        with _crowd(page) as received:
            loop.look(ARRIVING_S)
            crowded.append(loop.look(SECONDS / ROUNDS))
            grown = min(grown, _growth(lambda: loop.look(SECONDS / ROUNDS)))
        assert all(count > 0 for count in received), received
        # What is above the least, other work of this machine took, which half of the rounds alone know too.
        cpu = min(c for c, _ in crowded) / statistics.median(c for c, _ in alone) - 1.0
        wall = min(w for _, w in crowded) / statistics.median(w for _, w in alone) - 1.0
        if finished >= ROUNDS and cpu < MOST_CPU:
            break
    measured = f"match loop: CPU {100 * cpu:+.1f} %, wall {100 * wall:+.1f} %; memory {grown / 1024:+.0f} KiB; bytes {received}"
    sys.stderr.write(measured + "\n")
    assert cpu < MOST_CPU, measured
    assert grown < 512 * 1024, measured


def _growth(work: Callable[[], object]) -> int:
    """Return the bytes that Python's objects grew by each time the same work was done again: the least of three times.

    What leaks grows every time; a picture on its way at the moment of counting, 900 KiB, does not.
    """
    tracemalloc.start()
    try:
        work()
        moments = [tracemalloc.take_snapshot()]
        for _ in range(3):
            work()
            moments.append(tracemalloc.take_snapshot())
        return min(_grown(before, after) for before, after in itertools.pairwise(moments))
    finally:
        tracemalloc.stop()


def _grown(before: tracemalloc.Snapshot, after: tracemalloc.Snapshot) -> int:
    """Return the difference of two moments, in bytes."""
    return sum(change.size_diff for change in after.compare_to(before, "filename"))
