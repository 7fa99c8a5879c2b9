"""The serial port of the simulated controller: bytes take their time, a full receive ring drops silently."""

from collections import deque

from damludo.simulation.grbl_motion import INFINITY

BYTE_S = 10.0 / 115_200
"""Start bit, eight data bits, stop bit."""
RECEIVE_RING = 128
TRANSMIT_RING = 104

_LINE_ENDS = frozenset(b"\r\n")
_REALTIME = frozenset((0x18, ord("?"), ord("!"), ord("~"), *range(0x80, 0x100)))


class Uart:
    """Both directions of the port, on the controller's time."""

    def __init__(self) -> None:
        self._incoming: deque[tuple[float, int]] = deque()
        self._marks: deque[float] = deque()
        self._outgoing: deque[tuple[float, bytes]] = deque()
        self._last_in_s = self._last_out_s = 0.0
        self.ring: deque[int] = deque()
        self.lost_bytes = 0

    def put(self, data: bytes, time_s: float) -> None:
        """Let bytes start on their way to the controller."""
        at = max(self._last_in_s, time_s)
        for byte in data:
            at += BYTE_S
            self._incoming.append((at, byte))
            if byte in _LINE_ENDS or byte in _REALTIME:
                self._marks.append(at)
        self._last_in_s = at

    @property
    def next_arrival_s(self) -> float:
        """When the next byte that changes something arrives (a line end or a real-time byte)."""
        return self._marks[0] if self._marks else INFINITY

    def arrive(self, time_s: float, deaf: bool) -> list[int]:
        """Take in what arrived by `time_s`; return the real-time bytes, in order. A deaf controller loses all of it."""
        realtime: list[int] = []
        while self._incoming and self._incoming[0][0] <= time_s:
            _, byte = self._incoming.popleft()
            if deaf:
                self.lost_bytes += 1
            elif byte in _REALTIME:
                realtime.append(byte)
            elif len(self.ring) < RECEIVE_RING:
                self.ring.append(byte)
            else:
                self.lost_bytes += 1
        while self._marks and self._marks[0] <= time_s:
            self._marks.popleft()
        return realtime

    def write(self, text: str, time_s: float) -> float:
        """Send text; return the time at which the program may go on (a full transmit ring makes it wait)."""
        data = text.encode("ascii")
        self._last_out_s = max(self._last_out_s, time_s) + len(data) * BYTE_S
        self._outgoing.append((self._last_out_s, data))
        return max(time_s, self._last_out_s - TRANSMIT_RING * BYTE_S)

    @property
    def next_departure_s(self) -> float:
        """When the next piece of output has left completely."""
        return self._outgoing[0][0] if self._outgoing else INFINITY

    def take(self, time_s: float) -> bytes:
        """Return the output that has left by `time_s`."""
        out = b""
        while self._outgoing and self._outgoing[0][0] <= time_s:
            out += self._outgoing.popleft()[1]
        return out

    def power_off(self) -> None:
        """Lose everything on its way."""
        self._incoming.clear()
        self._marks.clear()
        self._outgoing.clear()
        self.ring.clear()
        self._last_in_s = self._last_out_s = 0.0
