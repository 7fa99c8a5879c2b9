"""A camera's driver in a process of its own, so that a driver that hangs can be ended and started anew.

Some drivers never return from `open` or `read` after a plug was pulled, and some cannot be opened twice in one process. Here
the device belongs to a child: whoever waits for a picture waits with a deadline, and a child that does not answer is killed. The
child is started afresh, not forked: OpenCV does not survive a fork.
"""

import contextlib
import os
import select
import struct
import subprocess
import sys
import threading
import time
import weakref
from typing import IO, Protocol, cast

import numpy as np

from damludo.vision.frame import Image

OPEN_TIMEOUT_S = 12.0
"""A driver may take so long to open its device: start of the child, some webcams need 3 s."""
READ_TIMEOUT_S = 10.0
"""A driver that gives nothing for so long hangs, and is ended."""
ASK_TIMEOUT_S = 3.0
"""For reading or changing a setting."""
GOODBYE_S = 0.3
PIPE_BYTES = 1 << 20
"""Wanted room of the pipe: a picture then takes few turns between the two processes."""

_OPEN, _READ, _GET, _SET, _END = b"O", b"R", b"G", b"S", b"E"
_REQUEST = struct.Struct("<cid")
"""What is asked, the number of a property, a value."""
_ANSWER = struct.Struct("<?dIIII")
"""Whether it went well, a value, and a picture's height, width, channels and bytes a sample; 0 without a picture."""
MOST_SAMPLES = 200_000_000


class Capture(Protocol):
    """What `Camera` needs of a driver: a part of cv2.VideoCapture, and a way to end it."""

    def isOpened(self) -> bool: ...  # noqa: N802 - OpenCV's name

    def read(self) -> tuple[bool, Image | None]: ...

    def get(self, prop: int) -> float: ...

    def set(self, prop: int, value: float) -> bool: ...

    def release(self) -> None: ...

    def kill(self) -> None:
        """End a call that hangs. May be called from any thread, at any time."""


class CaptureProcess:
    """A `Capture` whose driver lives in a child process. One thread uses it; `kill` may be called from any.

    Args:
        source: number of the camera, path, or URL.
        read_timeout_s: a `read` that takes longer ends the child and fails.
        open_timeout_s: the same for opening.
        driver: "MODULE:FUNCTION" that opens the device in the child; a test names another one.
    """

    def __init__(
        self,
        source: int | str,
        read_timeout_s: float = READ_TIMEOUT_S,
        open_timeout_s: float = OPEN_TIMEOUT_S,
        driver: str = "damludo.vision.capture:open_device",
    ) -> None:
        self._read_timeout_s = read_timeout_s
        # The child finds what this process finds, also in a checkout that is not installed.
        code = f"import sys; sys.path[:] = {sys.path!r}; from damludo.vision.capture import serve; serve()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Drivers and decoders write pages about a plug that was pulled; the sentence for the person is ours.
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        os.set_blocking(self._output.fileno(), False)
        _widen(self._output)
        self._finish = weakref.finalize(self, _end, self._process, self._input, self._output)
        named = f"{driver}\n{'n' if isinstance(source, int) else 's'}{source}".encode()
        self._opened = self._ask(_OPEN, len(named), 0.0, open_timeout_s, named)[0]

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        """Return whether the device could be opened."""
        return self._opened

    def read(self) -> tuple[bool, Image | None]:
        """Return the next picture; (False, None) if there is none in time, and then never again."""
        good, _, image = self._ask(_READ, 0, 0.0, self._read_timeout_s)
        return good and image is not None, image

    def get(self, prop: int) -> float:
        """Return a setting of the device; 0 if it does not answer."""
        return self._ask(_GET, prop, 0.0, ASK_TIMEOUT_S)[1]

    def set(self, prop: int, value: float) -> bool:
        """Change a setting; what the driver says of it is not always true."""
        return self._ask(_SET, prop, value, ASK_TIMEOUT_S)[0]

    def release(self) -> None:
        """Let go of the device; may be called more than once."""
        if self._finish.alive and self._process.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                self._input.write(_REQUEST.pack(_END, 0, 0.0))
                self._input.flush()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GOODBYE_S)
        self._finish()

    def kill(self) -> None:
        """End the child, so that a `read` that waits for it returns."""
        self._process.kill()

    def _ask(
        self, what: bytes, number: int, value: float, timeout_s: float, more: bytes = b""
    ) -> tuple[bool, float, Image | None]:
        end_s = time.monotonic() + timeout_s
        try:
            self._input.write(_REQUEST.pack(what, number, value) + more)
            self._input.flush()
            good, answer, height, width, channels, each = _ANSWER.unpack(self._take(_ANSWER.size, end_s))
            count = height * width * channels
            if count * each > MOST_SAMPLES:
                raise OSError("a picture of an impossible size")
            if not count:
                return good, answer, None
            samples = np.frombuffer(self._take(count * each, end_s), dtype=np.uint16 if each == 2 else np.uint8)
        except (OSError, ValueError, TimeoutError):
            # Whatever half an answer is on its way must never be taken for the next one.
            self.kill()
            return False, 0.0, None
        # `Camera` refuses pictures that are not 8 bit with a sentence, so the type goes along.
        return good, answer, cast(Image, samples.reshape(height, width, channels))

    def _take(self, count: int, end_s: float) -> bytearray:
        """Return so many bytes of the child's answer.

        Raises:
            TimeoutError: they do not come in time.
            OSError: the child is gone.
        """
        taken, at = bytearray(count), 0
        view = memoryview(taken)
        while at < count:
            left_s = end_s - time.monotonic()
            if left_s <= 0 or not select.select([self._output], [], [], left_s)[0]:
                raise TimeoutError
            got = os.readv(self._output.fileno(), [view[at:]])
            if got == 0:
                raise OSError("the camera's process is gone")
            at += got
        return taken


def _widen(pipe: IO[bytes]) -> None:
    import fcntl

    wanted = getattr(fcntl, "F_SETPIPE_SZ", None)
    if wanted is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe.fileno(), wanted, PIPE_BYTES)


def _end(process: "subprocess.Popen[bytes]", into: IO[bytes], out: IO[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        # A process that sleeps in its driver may not die at once; it is not waited for.
        process.wait(1.0)
    for pipe in (into, out):
        with contextlib.suppress(OSError):
            pipe.close()


# In the child


def open_device(source: int | str) -> Capture:
    """Open a device with OpenCV."""
    import cv2

    capture = cv2.VideoCapture(source)
    # Obeyed by some drivers only; that pictures are read all the time makes it unimportant.
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    # OpenCV's stubs promise any integer or floating array; `Camera` checks what comes.
    return cast(Capture, capture)


def serve() -> None:
    """Be the child: open the device that standard input names, and answer until it ends."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what a driver prints must not come among the answers
    requests, inlet = os.pipe()
    # This thread notices that the parent is gone even while a driver hangs.
    threading.Thread(target=_pass_on, args=(inlet,), daemon=True).start()
    asked = os.fdopen(requests, "rb")
    capture: Capture | None = None
    while True:
        what, number, value = _REQUEST.unpack(_all_of(asked, _REQUEST.size))
        good, answer, image = False, 0.0, None
        if what == _OPEN:
            capture = _opened(_all_of(asked, number).decode())
            good = capture.isOpened()
        elif capture is None or what == _END:
            if capture is not None:
                capture.release()
            os._exit(0)
        elif what == _READ:
            good, image = capture.read()
        elif what == _GET:
            good, answer = True, capture.get(number)
        elif what == _SET:
            good = bool(capture.set(number, value))
        _answer(out, good, answer, image)


def _opened(named: str) -> Capture:
    from importlib import import_module

    driver, source = named.split("\n", 1)
    module, function = driver.split(":")
    opened: Capture = getattr(import_module(module), function)(int(source[1:]) if source[0] == "n" else source[1:])
    return opened


def _answer(out: IO[bytes], good: bool, value: float, image: Image | None) -> None:
    if image is None:
        _write(out, _ANSWER.pack(good, value, 0, 0, 0, 0))
        return
    channels = 1 if image.ndim == 2 else image.shape[2]
    _write(out, _ANSWER.pack(good, value, image.shape[0], image.shape[1], channels, image.itemsize))
    _write(out, np.ascontiguousarray(image).data.cast("B"))


def _write(out: IO[bytes], data: bytes | memoryview) -> None:
    view = memoryview(data)
    while len(view):
        view = view[out.write(view) :]


def _pass_on(inlet: int) -> None:
    while data := os.read(0, 4096):
        os.write(inlet, data)
    os._exit(0)


def _all_of(pipe: IO[bytes], count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        os._exit(0)
    return data
