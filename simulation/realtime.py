"""Simulated time at the pace of the wall clock, for clients that live in real time."""

import threading
import time
from collections.abc import Callable

from damludo.simulation.clock import World

SLICE_S = 0.1
"""Simulated time that passes at one go."""


class RealTime:
    """A thread that lets a world live with the wall clock. Use it as a context manager.

    An exception of a part ends the thread; leaving the context raises it again.

    Attributes:
        speed: simulated seconds per second; may be changed at any time.
        brake: asked all the time; while it says True, time passes no faster than on the wall.
    """

    TICK_S = 0.002

    def __init__(self, world: World, speed: float = 1.0) -> None:
        """Prepare; entering the context starts the thread.

        Args:
            world: lives.
            speed: simulated seconds per second. A machine that cannot keep up simulates slower, it never skips.
        """
        self._world = world
        self.speed = speed
        self.brake: Callable[[], bool] = lambda: False
        self._stop = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="simulated time", daemon=True)

    def __enter__(self) -> "RealTime":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Let time stand still. May be called more than once."""
        self._stop.set()
        self._thread.join()

    @property
    def alive(self) -> bool:
        """Time passes: not before entering the context, not after leaving it, nor after a part broke."""
        return self._thread.is_alive()

    def _pace(self) -> float:
        return min(self.speed, 1.0) if self.brake() else self.speed

    def _run(self) -> None:
        last = time.monotonic()
        try:
            while not self._stop.wait(self.TICK_S):
                now = time.monotonic()
                # At most 0.1 s a turn: after a stall others get the lock in between, and no jump is seen by the players.
                passed = min(now - last, 0.1)
                last = now
                begin_s = self._world.time_s
                while self._world.time_s < (end_s := begin_s + passed * self._pace()):
                    # In slices, and with a rest between: the line to the controller must not wait long for its turn, and who
                    # watches may fall behind within a turn.
                    self._world.advance_to(min(end_s, self._world.time_s + SLICE_S))
                    time.sleep(0.0)
        except Exception as error:
            self._error = error
