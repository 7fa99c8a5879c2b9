"""Clocks of the simulated world: lockstep (virtual time) and wall clock."""

import threading
import time
from typing import Protocol


class Part(Protocol):
    """A thing of the simulated world that changes by itself as time passes (controller, hand)."""

    def advance_to(self, time_s: float) -> None:
        """Live up to `time_s`; never called with a time that lies before the last one."""


class World:
    """The simulated time and the parts that live in it.

    Every access to the simulated table happens under `lock`; lockstep runs use one thread and pay next to nothing for it.
    """

    STEP_S = 0.02
    """Parts are advanced in turn in steps of at most this length, so they meet each other in time order."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.time_s = 0.0
        self._parts: list[Part] = []

    def add(self, part: Part) -> None:
        """Let a part live in this world from now on."""
        with self.lock:
            self._parts.append(part)

    def advance_to(self, time_s: float) -> None:
        """Let simulated time pass up to `time_s`."""
        with self.lock:
            while self.time_s < time_s:
                self.time_s = min(time_s, self.time_s + self.STEP_S)
                for part in self._parts:
                    part.advance_to(self.time_s)


class LockstepClock:
    """A `Clock` whose `sleep` returns at once, after the simulated world has lived that long."""

    def __init__(self, world: World) -> None:
        self._world = world

    def now_s(self) -> float:
        """Return the simulated time."""
        return self._world.time_s

    def sleep(self, seconds: float) -> None:
        """Let the world live for `seconds`."""
        if seconds > 0:
            self._world.advance_to(self._world.time_s + seconds)


class PacedClock:
    """A `Clock` on simulated time for threads beside the one that lets the world live: `sleep` really waits."""

    POLL_S = 0.002

    def __init__(self, world: World) -> None:
        self._world = world

    def now_s(self) -> float:
        """Return the simulated time."""
        return self._world.time_s

    def sleep(self, seconds: float) -> None:
        """Wait until so much simulated time has passed."""
        end_s = self._world.time_s + seconds
        while self._world.time_s < end_s:
            time.sleep(self.POLL_S)
