"""The seam between driver and controller: lines of text and single real-time bytes."""

from typing import Protocol


class Line(Protocol):
    """A text line to the controller. One thread sends and receives; `realtime` may be called from any thread."""

    def send(self, text: str) -> None:
        """Send one line (ASCII, without line end).

        Raises:
            LineClosed: the cable or the simulation is gone.
            LineError: the text is not plain ASCII or holds a control character.
        """

    def receive(self, timeout_s: float) -> str:
        """Return the next line, without line end; bytes that are not ASCII come as U+FFFD.

        Raises:
            LineSilent: no whole line came within `timeout_s`.
            LineClosed: the cable or the simulation is gone.
        """

    def realtime(self, byte: int) -> None:
        """Send one real-time byte at once, before everything that waits.

        Raises:
            LineClosed: the cable or the simulation is gone.
        """

    def close(self) -> None:
        """Let go of the port. May be called more than once."""
