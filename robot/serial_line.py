"""A `Line` over a serial port, and the search for ports."""

import contextlib
import errno
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import serial
from serial.tools import list_ports

from damludo.robot.clock import Clock
from damludo.robot.errors import LineClosed, LineError, LineSilent, PortBusy, PortNotFound

_T = TypeVar("_T")

LINE_LIMIT = 256
"""A controller that floods one character without a line end must not fill the memory."""

WRITE_TIMEOUT_S = 0.5
SLICE_S = 0.05
"""The longest wait inside one read: `close` from another thread is noticed after this time."""


@dataclass(frozen=True, slots=True)
class Port:
    """A serial port of this computer.

    Attributes:
        device: name to open.
        serial_number: of the USB device, "" if it has none.
        vendor_id, product_id: of USB, None for a port that is not USB.
        description: for people.
    """

    device: str
    serial_number: str
    vendor_id: int | None
    product_id: int | None
    description: str


def find_ports(serial_number: str = "", vendor_id: int | None = None, product_id: int | None = None) -> list[Port]:
    """List the serial ports, USB ports only if anything is asked for. Opens none of them.

    A port is chosen by the serial number of its USB device, since names such as ttyACM0 are given in the order of plugging in.
    """
    ports = [
        Port(info.device, info.serial_number or "", info.vid, info.pid, info.description or "")
        for info in list_ports.comports()
    ]
    return sorted(
        (
            port
            for port in ports
            if serial_number in ("", port.serial_number)
            and vendor_id in (None, port.vendor_id)
            and product_id in (None, port.product_id)
        ),
        key=lambda port: (port.vendor_id is None, port.device),
    )


def open_line(
    clock: Clock, device: str = "", serial_number: str = "", patience_s: float = 15.0, baud: int = 115200
) -> "SerialLine":
    """Open a port, trying again for a while: after a plug was pulled, or while a modem manager looks at a new device.

    Args:
        clock: waits between the tries; each wait is longer than the one before.
        device: name of the port; if not given, the port of the USB device with `serial_number`, whatever its name is.
        serial_number: of the controller's USB device.
        patience_s: how long to try.
        baud: bits per second.

    Raises:
        PortNotFound, PortBusy, LineError: as the last try failed.
    """
    until_s = clock.now_s() + patience_s
    wait_s = 0.25
    while True:
        try:
            return SerialLine(device or _device_of(serial_number), baud)
        except (PortNotFound, PortBusy):
            if clock.now_s() + wait_s > until_s:
                raise
        clock.sleep(wait_s)
        wait_s = min(2.0 * wait_s, 4.0)


def _device_of(serial_number: str) -> str:
    ports = find_ports(serial_number=serial_number)
    if not ports or not serial_number:
        raise PortNotFound(
            f"no USB device with the serial number {serial_number!r} is plugged in; plug the controller in, "
            f"'damludo doctor' lists the ports"
        )
    return ports[0].device


class SerialLine:
    """A `Line` over pyserial. The port is opened exclusively, with time-outs for reading and writing.

    Args:
        device: name of the port.
        baud: bits per second.

    Raises:
        PortNotFound: there is no such port.
        PortBusy: another program holds it, or this user may not open it.
        LineError: the port cannot be opened for another reason.
    """

    def __init__(self, device: str, baud: int = 115200) -> None:
        self.device = device
        try:
            self._serial = serial.Serial(device, baud, timeout=SLICE_S, write_timeout=WRITE_TIMEOUT_S, exclusive=True)
        except (OSError, ValueError) as error:  # SerialException is an OSError
            raise _opening_error(device, error) from error
        self._write_lock = threading.Lock()
        self._received = bytearray()
        self._closed = False

    def send(self, text: str) -> None:
        """Send one line; see `Line.send`."""
        if not text.isascii() or any(ord(char) < 32 or ord(char) == 127 for char in text):
            raise LineError(f"the line {text!r} holds a character that is not printable ASCII; nothing was sent")
        if any(char in "?!~" for char in text):
            # These would act at once instead of travelling in the line.
            raise LineError(f"the line {text!r} holds a real-time character (?, ! or ~); nothing was sent")
        self._write(text.encode("ascii") + b"\n")

    def realtime(self, byte: int) -> None:
        """Send one byte at once; see `Line.realtime`. Lines are written whole, so the wait is at most one line."""
        self._write(bytes([byte]))

    def receive(self, timeout_s: float) -> str:
        """Return the next line; see `Line.receive`. A line longer than `LINE_LIMIT` comes in pieces."""
        deadline = time.monotonic() + timeout_s
        while True:
            line = self._next_line()
            if line is not None:
                return line
            left = deadline - time.monotonic()
            if left < 0 and not self._waiting():
                raise LineSilent(
                    f"no answer from {self.device} within {timeout_s:.1f} s; check its power and its cable"
                )
            self._read(max(left, 0.0))

    def close(self) -> None:
        """Let go of the port."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._serial.close()

    def __enter__(self) -> "SerialLine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        with self._write_lock:
            try:
                written = self._guarded(lambda: self._serial.write(data))
            except serial.SerialTimeoutException as error:
                raise LineClosed(
                    f"{self.device} took no bytes for {WRITE_TIMEOUT_S:.1f} s; switch the controller off and on"
                ) from error
        if written is not None and written < len(data):
            raise LineClosed(
                f"{self.device} took {written} of {len(data)} bytes; unplug the cable and plug it in again"
            )

    def _waiting(self) -> bool:
        return bool(self._guarded(lambda: self._serial.in_waiting))

    def _read(self, left_s: float) -> None:
        def read() -> bytes:
            waiting = self._serial.in_waiting
            if not waiting:
                self._serial.timeout = min(SLICE_S, left_s)
            return self._serial.read(min(max(waiting, 1), 4 * LINE_LIMIT))

        self._received += self._guarded(read)

    def _next_line(self) -> str | None:
        end = self._received.find(b"\n", 0, LINE_LIMIT)
        if end < 0 and len(self._received) < LINE_LIMIT:
            return None
        size = end + 1 if end >= 0 else LINE_LIMIT
        raw = bytes(self._received[:size])
        del self._received[:size]
        return raw.rstrip(b"\r\n").decode("ascii", errors="replace")

    def _guarded(self, action: Callable[[], _T]) -> _T:
        if self._closed:
            raise LineClosed(f"{self.device} is closed; open it again")
        try:
            return action()
        except serial.SerialTimeoutException:
            raise
        # pyserial lets bare OSError and, when closed from another thread, TypeError through.
        except (OSError, TypeError, ValueError) as error:
            raise LineClosed(
                f"{self.device} is gone ({error}); plug the controller's cable in again, the machine must be homed then"
            ) from error


def _opening_error(device: str, error: Exception) -> LineError:
    number = getattr(error, "errno", None)
    text = str(error)
    if number == errno.EACCES or "Permission denied" in text:
        return PortBusy(
            f"this user may not open {device}; add yourself to group dialout: 'sudo usermod -aG dialout $USER', then log in again"
        )
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in text:
        return PortBusy(f"another program holds {device}; close it (a serial monitor? ModemManager?) and try again")
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO) or "could not open port" in text:
        return PortNotFound(
            f"there is no serial port {device}; plug the controller in, 'damludo doctor' lists the ports"
        )
    return LineError(
        f"{device} cannot be opened ({text}); name another port with --serial, 'damludo doctor' lists them"
    )
