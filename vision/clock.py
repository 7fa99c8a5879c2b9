"""Time as a port: the eyes never read a clock of their own."""

from typing import Protocol


class Clock(Protocol):
    """Monotonic seconds. Simulated clocks return at once from `sleep` and let the simulated world go on."""

    def now_s(self) -> float:
        """Return the time in s; it never goes back."""

    def sleep(self, seconds: float) -> None:
        """Wait; 0 or less returns at once."""
