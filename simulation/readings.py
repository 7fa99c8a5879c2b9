"""Modelled eyes: picture and reading are replaced by a noisy model of what a good reading says. Always marked as such in results.

For runs where many games matter more than optics. The match cannot tell them from the real eyes.
"""

from collections.abc import Mapping

import numpy as np

from damludo.robot.clock import Clock
from damludo.simulation.table import Table
from damludo.vision.content import Content, Grid
from damludo.vision.motion import Scene
from damludo.vision.reading import MOST_NATS, BoardReading

SETTLE_S = 0.4
"""A scene counts as still after this time without motion, as in the real eyes."""
LEAD_NATS = (14.0, 4.0)
"""Mean and standard deviation of the lead of the true content over another one."""
LEAST_LEAD_NATS = 3.0
"""No lead is less, but on a dim square."""
DIM_RATE = 0.004
"""How often a square is hardly to be seen in one reading: its lead is then between -1 and 4 nats."""


class ModelledEyes:
    """Reads the simulated table without a picture."""

    def __init__(self, table: Table, clock: Clock, grid: Grid, random: np.random.Generator) -> None:
        self._table, self._clock, self._grid, self._random = table, clock, grid, random
        self._playable = np.array(grid.playable)
        self._number = 0
        self._last_state: tuple[object, ...] = ()
        self._changed_s = self._last_s = clock.now_s()

    def look(self, frame_rate_hz: float) -> Scene:
        """Wait for the next frame at a frame rate and say what a watcher would see."""
        self._clock.sleep(self._last_s + 1.0 / frame_rate_hz - self._clock.now_s())
        self._last_s = self._clock.now_s()
        self._number += 1
        now, carriage, hand = self._clock.now_s(), self._table.carriage, self._table.hand.present
        state = (self._table.version, carriage.x_mm, carriage.y_mm, carriage.z_mm, hand)
        if state != self._last_state:
            self._last_state, self._changed_s = state, now
        still = not hand and now - self._changed_s >= SETTLE_S
        return Scene(
            time_s=now,
            number=self._number,
            hand=hand,
            still=still,
            quiet=still,
            light_changed=False,
            mask_squares=3.0 if hand else 0.0,
            hand_probability=float(hand),
            moving_squares=0.0 if still else 1.0,
        )

    def read(self) -> BoardReading:
        """Return log-likelihoods around the truth."""
        truth = self._table.content()
        cells = self._grid.rows * self._grid.columns
        lead = self._random.normal(*LEAD_NATS, size=(cells, len(Content))).clip(LEAST_LEAD_NATS, MOST_NATS)
        dim = self._random.random(cells) < DIM_RATE
        lead[dim] = self._random.uniform(-1.0, 4.0, size=(int(dim.sum()), len(Content)))
        content = np.array([truth.get(place, Content.EMPTY) for place in range(cells)])
        lead[np.arange(cells), content] = 0.0
        likelihood = np.zeros_like(lead)
        likelihood[self._playable] = -lead[self._playable]
        return BoardReading(self._grid, likelihood, self._clock.now_s(), self._number)

    def believe(self, content: Mapping[int, Content]) -> None:
        """Modelled eyes remember nothing."""
