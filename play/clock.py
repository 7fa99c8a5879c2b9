"""The real clock of a match."""

import time


class WallClock:
    """Monotonic seconds since this clock was made."""

    def __init__(self) -> None:
        self._start_s = time.monotonic()

    def now_s(self) -> float:
        """Return the time in s."""
        return time.monotonic() - self._start_s

    def sleep(self, seconds: float) -> None:
        """Wait; 0 or less returns at once."""
        if seconds > 0:
            time.sleep(seconds)
