"""A program that answers in lines, in its own process: started, asked, never waited for without an end, always closed."""

import os
import queue
import select
import shlex
import signal
import subprocess
import threading
import time
import weakref
from contextlib import suppress
from typing import IO

from damludo.engine.errors import ForeignGone, ForeignSilent

LONGEST_LINE = 65_536
WAITING_LINES = 2_000
"""A program that writes more than is read has to wait: nothing grows without bound."""
GOODBYE_S = 2.0
"""So long may a program take to end by itself."""
WRITE_S = 5.0


class LineProcess:
    """A running program.

    Args:
        command: as one would type it; no shell reads it.

    Raises:
        ForeignGone: it cannot be started.
    """

    def __init__(self, command: str) -> None:
        self.name = os.path.basename(_words(command)[0])
        try:
            # Its own group: what it starts itself is ended with it.
            self._process = subprocess.Popen(
                _words(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ForeignGone(self.name, f"cannot be started ({error.strerror})") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        os.set_blocking(self._input.fileno(), False)
        self._lines: queue.Queue[str | None] = queue.Queue(WAITING_LINES)
        self._closing = threading.Event()
        arguments = (self._process.stdout, self._lines, self._closing)
        self._reader = threading.Thread(target=_read, args=arguments, daemon=True)
        self._reader.start()
        # Also where nobody calls close: when this object goes, or the interpreter ends.
        self._finish = weakref.finalize(self, _end, self._process, self._closing, self._reader)

    def send(self, text: str) -> None:
        """Send a line.

        Raises:
            ForeignGone: the program has ended.
            ForeignSilent: it does not read.
        """
        rest = memoryview(f"{text}\n".encode())
        end_s = time.monotonic() + WRITE_S
        while rest:
            try:
                rest = rest[os.write(self._input.fileno(), rest) :]
            except BlockingIOError as error:
                left_s = end_s - time.monotonic()
                if left_s <= 0:
                    raise ForeignSilent(self.name, "reading", WRITE_S) from error
                select.select([], [self._input], [], left_s)
            except (OSError, ValueError) as error:
                raise ForeignGone(self.name, "has ended") from error

    def receive(self, end_s: float, awaited: str, limit_s: float) -> str:
        """Return the next line.

        Args:
            end_s: when to give up, by `time.monotonic`.
            awaited, limit_s: for the message.

        Raises:
            ForeignGone: the program has ended.
            ForeignSilent: nothing came in time.
        """
        left_s = end_s - time.monotonic()
        try:
            line = self._lines.get(timeout=left_s) if left_s > 0 else None
        except queue.Empty:
            left_s = 0.0
            line = None
        if left_s <= 0:
            raise ForeignSilent(self.name, awaited, limit_s)
        if line is None:
            self._lines.put(None)
            raise ForeignGone(self.name, "has ended")
        return line

    @property
    def pid(self) -> int:
        """Its number in the system."""
        return self._process.pid

    def close(self) -> None:
        """Ask it to quit and end it if it does not; may be called again."""
        self._finish()


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ForeignGone(command[:40], f"cannot be started ({error} in its command)") from error
    if not words:
        raise ForeignGone("''", "has no command")
    return words


def _read(stream: IO[bytes], lines: "queue.Queue[str | None]", closing: threading.Event) -> None:
    """Hand on line after line; None at the end. A line that is too long comes in pieces, which nobody understands."""
    with stream:
        while line := stream.readline(LONGEST_LINE):
            if not _put(lines, line.decode("utf-8", "replace").strip(), closing):
                break
    _put(lines, None, closing)


def _put(lines: "queue.Queue[str | None]", line: str | None, closing: threading.Event) -> bool:
    while not closing.is_set():
        try:
            lines.put(line, timeout=0.1)
            return True
        except queue.Full:
            continue
    return False


def _end(process: "subprocess.Popen[bytes]", closing: threading.Event, reader: threading.Thread) -> None:
    closing.set()
    assert process.stdin is not None
    try:
        os.write(process.stdin.fileno(), b"quit\n")
        process.stdin.close()
        process.wait(GOODBYE_S)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        pass
    # The whole group, also when the program itself has ended: it may have left others behind.
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if not process.stdin.closed:
        process.stdin.close()
    # It meets the end of the stream at once, unless something that left the group still holds the other end.
    reader.join(1.0)
