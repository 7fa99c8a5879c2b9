"""A controller in a process of its own, on virtual time: the firmware in the AVR simulator, or compiled for this computer.

The process lives only while it is asked to. `simulation/avr/main.c` describes the requests; all numbers are little endian.
"""

import struct
import subprocess
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from damludo.simulation.errors import ControllerCrashed

_ANSWER = struct.Struct("<cQQ3iBHQHH")
_MAGNET, _STEPPERS = 1, 2
_MOST_BYTES = 60_000
"""So many bytes are handed over in one request."""

Steps = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Report:
    """What a process says after each request.

    Attributes:
        now_ns: its time.
        next_ns: before then nothing happens by itself.
        steps: where the axes stand; 0 is where the limit switch closes.
        magnet_on, steppers_on: outputs.
        servo_us: width of the servo's pulses, 0 without.
        magnet_edge_ns: last change of the magnet's pin, 0 before the first.
        resets: of every kind, up to now.
    """

    now_ns: int
    next_ns: int
    steps: Steps
    magnet_on: bool
    steppers_on: bool
    servo_us: int
    magnet_edge_ns: int
    resets: int


class BoardProcess:
    """The requests as calls. It has no power until the first `reset`."""

    def __init__(
        self,
        command: Sequence[str],
        eeprom: Path | None = None,
        trace: Path | None = None,
        start: Steps = (-4000, -4000, -4000),
    ) -> None:
        """Start the process.

        Args:
            command: the program, with the image if it needs one.
            eeprom: file that keeps the EEPROM; None: blank at each start.
            trace: file for every step and timer load.
            start: where the axes stand.
        """
        self._command = list(command)
        for option, path in (("--eeprom", eeprom), ("--trace", trace)):
            self._command += [option, str(path)] if path is not None else []
        self.output = bytearray()
        self._begin(start)

    def _begin(self, start: Steps) -> None:
        words = [*self._command, "--start", ",".join(map(str, start))]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        # A world that is dropped must not leave its controller behind.
        self._end = weakref.finalize(self, _end, self._process)
        self.report = Report(0, 0, start, False, False, 0, 0, 0)

    def __enter__(self) -> "BoardProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reset(self) -> Report:
        """Press the reset button; the first time: switch the power on."""
        return self._ask(b"R")

    def advance(self, time_ns: int, data: bytes = b"") -> Report:
        """Live up to a time; the bytes begin to arrive now. What it sends is added to `output`."""
        while len(data) > _MOST_BYTES:
            part, data = data[:_MOST_BYTES], data[_MOST_BYTES:]
            self._ask(struct.pack("<cQH", b"A", self.report.now_ns, len(part)) + part)
        return self._ask(struct.pack("<cQH", b"A", time_ns, len(data)) + data)

    def force_inputs(self, mask: int, value: int) -> Report:
        """Hold the inputs in `mask` at `value` (bits: limits x, y, z, then the buttons reset, hold, resume; 1: active)."""
        return self._ask(struct.pack("<cBB", b"I", mask, value))

    def slip(self, steps: Steps) -> Report:
        """Let the axes stand elsewhere without a step."""
        return self._ask(struct.pack("<c3i", b"S", *steps))

    def replace_board(self) -> None:
        """Put a board with a blank EEPROM in the place of this one; the axes stay. Its time begins at 0."""
        self.close()
        if "--eeprom" in self._command:
            Path(self._command[self._command.index("--eeprom") + 1]).unlink(missing_ok=True)
        self.output.clear()
        self._begin(self.report.steps)

    def close(self) -> None:
        """End the process, which writes the EEPROM to its file. May be called more than once."""
        self._end()

    def _ask(self, request: bytes) -> Report:
        if self._process.stdin is None or self._process.stdout is None:
            raise ValueError("the process has no pipes")
        try:
            self._process.stdin.write(request)
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise self._crash() from error
        head = self._process.stdout.read(_ANSWER.size)
        if len(head) < _ANSWER.size:
            raise self._crash()
        _, now_ns, next_ns, x, y, z, outputs, servo_us, edge_ns, resets, count = _ANSWER.unpack(head)
        self.output += self._process.stdout.read(count)
        self.report = Report(
            now_ns, next_ns, (x, y, z), bool(outputs & _MAGNET), bool(outputs & _STEPPERS), servo_us, edge_ns, resets
        )
        return self.report

    def _crash(self) -> ControllerCrashed:
        self.close()
        return ControllerCrashed(
            f"the simulated controller ended by itself at {self.report.now_ns / 1e9:.6f} s with code {self._process.returncode}"
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None and not pipe.closed:
            try:
                pipe.close()
            except BrokenPipeError:
                continue  # it is dead already
    process.wait()
