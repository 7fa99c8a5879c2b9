"""Where orders wait: a keyboard and a page fill a tray each, the match empties it. And those that break off what it does."""

import queue
import threading

from damludo.play.match.ports import Order


class Quit(Exception):
    """A person ended the match."""


class OtherGame(Exception):
    """A person wants another game."""


class PositionGiven(Exception):
    """A person says what stands on the board: whatever the match was waiting for is over."""


class OrderTray:
    """`Commands` of a match, filled from any thread.

    Args:
        most: so many orders wait; 0: any number.
    """

    def __init__(self, most: int = 0) -> None:
        self._orders: queue.Queue[Order] = queue.Queue(most)
        self._go = threading.Event()

    def put(self, order: Order) -> None:
        """Let an order wait.

        Raises:
            queue.Full: too many wait already.
        """
        self._orders.put_nowait(order)

    def poll(self) -> Order | None:
        """Return the next order, None when there is none."""
        try:
            return self._orders.get_nowait()
        except queue.Empty:
            return None

    def say_go(self) -> None:
        """Note that somebody says that no hand is there."""
        self._go.set()

    def said_go(self) -> bool:
        """Return True once for each time somebody said that no hand is there."""
        said = self._go.is_set()
        self._go.clear()
        return said

    def clear(self) -> None:
        """Drop everything."""
        self._go.clear()
        while self.poll() is not None:
            pass
