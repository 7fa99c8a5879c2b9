"""How a driver reaches the simulated controller: in memory in lockstep, or through a pseudo-terminal that pyserial opens."""

import contextlib
import os
import select
import threading
import tty
from typing import Protocol

from damludo.robot.errors import LineClosed, LineError, LineSilent
from damludo.simulation.clock import World
from damludo.simulation.grbl_faults import Faults


class Peer(Protocol):
    """A controller at the other end: bytes in, bytes out, on the world's time. It begins without power."""

    @property
    def faults(self) -> Faults:
        """What shall go wrong."""

    @property
    def next_event_s(self) -> float:
        """When something may next happen or be said; infinite if it waits for bytes only."""

    def power_on(self) -> None:
        """Start anew as after a hardware reset."""

    def receive_bytes(self, data: bytes) -> None:
        """Let bytes start on their way to the controller."""

    def take_output(self) -> bytes:
        """Return the bytes that have left the controller up to now."""

    def advance_to(self, time_s: float) -> None:
        """Live up to a time."""

    def press(self, *buttons: str) -> None:
        """Hold these buttons ("reset", "hold", "resume") pressed from now on, and no others."""

    def close(self) -> None:
        """End what the controller runs in. May be called more than once."""


def _check_ascii(text: str) -> bytes:
    if not text.isascii() or not all(" " <= letter <= "~" for letter in text):
        raise LineError(f"the line {text!r} is not plain ASCII text; nothing was sent")
    return text.encode("ascii") + b"\n"


class MemoryLine:
    """A `Line` to a simulated controller without any thread: waiting is letting the world live.

    The controller must be a part of the world. Making the line is opening the port: the controller starts anew.
    """

    def __init__(self, world: World, controller: Peer, reset_on_open: bool = True) -> None:
        self._world = world
        self._controller = controller
        self._buffer = bytearray()
        self._closed = False
        if reset_on_open:
            with world.lock:
                controller.power_on()

    def send(self, text: str) -> None:
        """Send one line.

        Raises:
            LineClosed: the line was closed.
            LineError: the text is not plain ASCII.
        """
        data = _check_ascii(text)
        self._check_open()
        with self._world.lock:
            self._controller.receive_bytes(data)

    def realtime(self, byte: int) -> None:
        """Send one real-time byte.

        Raises:
            LineClosed: the line was closed.
        """
        self._check_open()
        with self._world.lock:
            self._controller.receive_bytes(bytes((byte,)))

    def receive(self, timeout_s: float) -> str:
        """Return the next line, letting the world live until it is there.

        Raises:
            LineSilent: `timeout_s` of simulated time passed without a whole line.
            LineClosed: the line was closed.
        """
        deadline = self._world.time_s + timeout_s
        while True:
            self._check_open()
            line = self._whole_line()
            if line is not None:
                return line
            now = self._world.time_s
            if now >= deadline:
                raise LineSilent(f"the simulated controller sent no line within {timeout_s:.2f} s")
            step = min(deadline, self._controller.next_event_s, now + World.STEP_S)
            self._world.advance_to(max(step, now + 1e-6))

    def _whole_line(self) -> str | None:
        with self._world.lock:
            self._buffer += self._controller.take_output()
        end = self._buffer.find(b"\n")
        if end < 0:
            return None
        text = self._buffer[:end].decode("ascii", "replace").rstrip("\r")
        del self._buffer[: end + 1]
        return text

    def close(self) -> None:
        """Let go of the controller."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise LineClosed("the line to the simulated controller is closed; open it again")


class PseudoTerminal:
    """A serial port of the operating system with the simulated controller behind it; `path` is what pyserial opens.

    A thread carries the bytes; somebody else lets the world live (`damludo.simulation.realtime.RealTime`). Each opening of the
    path restarts the controller, as the USB bridge of an Uno does. Use it as a context manager.
    """

    POLL_S = 0.002
    OPENING_S = 0.02
    """A client throws away what has come when it has finished opening: a greeting sent at once would be lost now and then."""

    def __init__(self, controller: Peer, world: World, reset_on_open: bool = True) -> None:
        self._controller = controller
        self._world = world
        self._reset_on_open = reset_on_open
        self._master, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        # A slave descriptor of our own would hide from us whether a client has the port open.
        os.close(slave)
        os.set_blocking(self._master, False)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="simulated serial port", daemon=True)
        self._thread.start()

    def __enter__(self) -> "PseudoTerminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unplug: an open client sees the cable gone. May be called more than once."""
        if not self._stop.is_set():
            self._stop.set()
            self._thread.join()
            os.close(self._master)

    def _serve(self) -> None:
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        is_open = False
        unsent = b""
        while not self._stop.is_set():
            events = poll.poll(self.POLL_S * 1000)
            hung_up = bool(events and events[0][1] & select.POLLHUP)
            if hung_up != (not is_open):
                is_open = not hung_up
                unsent = b""
                if is_open:
                    self._opened()
            if hung_up:
                self._discard_output()
                self._stop.wait(self.POLL_S)
            else:
                unsent = self._carry(unsent, bool(events))

    def _opened(self) -> None:
        if self._reset_on_open:
            self._stop.wait(self.OPENING_S)
            with self._world.lock:
                self._controller.power_on()

    def _discard_output(self) -> None:
        with self._world.lock:
            self._controller.take_output()

    def _carry(self, unsent: bytes, readable: bool) -> bytes:
        data = b""
        if readable:
            # EIO: the client closed between poll and read; the next poll says so.
            with contextlib.suppress(OSError):
                data = os.read(self._master, 4096)
        with self._world.lock:
            if data:
                self._controller.receive_bytes(data)
            unsent += self._controller.take_output()
        if unsent:
            with contextlib.suppress(OSError):
                unsent = unsent[os.write(self._master, unsent) :]
        return unsent
