"""The firmware as the controller of the simulated gantry: table, magnet and lost steps follow what the process really does."""

import math
from typing import Protocol

from damludo.simulation.grbl_faults import Faults
from damludo.simulation.grbl_motion import INFINITY
from damludo.simulation.grbl_settings import AXES, Settings, Vector
from damludo.simulation.grbl_state import Mechanics
from damludo.simulation.process import BoardProcess, Report, Steps

NS = 1_000_000_000
POLL_S = 0.002
"""An answer that is waited for is noticed within this time."""
HARD_STOP_S = 0.02
"""The switches are held against the table at least this often."""
MARGIN = 1.25
"""A speed that is lost so much faster than the settings let an axis brake was a dead stop."""
WINDOW_S = 0.01
_BUTTON_BITS = {"reset": 8, "hold": 16, "resume": 32}
_SETUP_STEP_NS = 2_000_000
_SETUP_LIMIT_NS = 20 * NS


class TrueMechanics(Mechanics, Protocol):
    """Mechanics whose true place is known."""

    @property
    def position(self) -> Vector:
        """Where the axes truly stand, mm."""


class ProcessController:
    """A controller like `controller.Controller`, with the firmware inside. It begins without power.

    Attributes:
        faults: those of the mechanics; the controller's own (`lost_ok`...) do not happen to real firmware.
        report: what the process said last.
    """

    def __init__(self, mechanics: TrueMechanics, process: BoardProcess, settings: Settings) -> None:
        """Couple a process with mechanics.

        Args:
            mechanics: are moved.
            process: freshly started, its axes at `steps_of(mechanics.position, settings)`; this object ends it.
            settings: what the EEPROM holds. The steps per mm are those of the motors, whatever the EEPROM says later.
        """
        self.faults: Faults = mechanics.faults
        self._mechanics = mechanics
        self._process = process
        self._steps_per_mm = settings.axes(100)
        self._forced = (0, 0)
        self._pressed = 0
        self._slipped = [0, 0, 0]
        self._inbox = bytearray()
        self._powered = False
        self._waiting = False
        self._speeds, self._direction = ((0.0, 0.0), (0.0, 0.0)), (0.0, 0.0, 0.0)
        self._braking = max(settings.axes(120))
        _write_settings(process, settings)
        self.report: Report = process.report
        self._start_ns = self.report.now_ns
        self._now_s = 0.0
        self._edge_ns = self.report.magnet_edge_ns
        self._window = 0.0, self._place(self.report.steps)
        mechanics.set_count(self._window[1])

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def power_on(self) -> None:
        """Reset the board, as opening the port does; the settings stay."""
        self._inbox.clear()
        self._process.output.clear()
        if self.faults.due("blank_eeprom"):
            self._process.replace_board()
            self._start_ns = -round(self._now_s * NS)
            self._forced = (0, 0)
        self._take(self._process.reset())
        self._powered = self._waiting = True

    def press(self, *buttons: str) -> None:
        """Hold these buttons of `grbl_state.BUTTONS` pressed from now on, and no others."""
        self._pressed = sum(_BUTTON_BITS[name] for name in set(buttons))
        self._waiting = True

    def receive_bytes(self, data: bytes) -> None:
        """Let bytes start on their way to the controller."""
        if self._powered:
            self._inbox += data
            self._waiting = True

    def take_output(self) -> bytes:
        """Return the bytes that have left the controller up to now."""
        data = bytes(self._process.output)
        self._process.output.clear()
        return data if self._powered else b""

    @property
    def now_s(self) -> float:
        """The time up to which it has lived."""
        return self._now_s

    @property
    def next_event_s(self) -> float:
        """When to look again: soon while an answer is due, else when the magnet takes hold or lets go."""
        soon = self._now_s + POLL_S if self._waiting else INFINITY
        return min(soon, self._mechanics.next_event_s)

    def advance_to(self, time_s: float) -> None:
        """Live up to a time; the table is told at least as often as the world steps."""
        self._force_switches()
        while self._now_s < time_s:
            until_s = max(self._now_s, min(time_s, self._mechanics.next_event_s, self._now_s + HARD_STOP_S))
            self._live(until_s)
            if self._mechanics.next_event_s <= until_s:
                self._mechanics.pass_event(until_s)

    def _live(self, until_s: float) -> None:
        data = bytes(self._inbox)
        self._inbox.clear()
        self._now_s = until_s
        lines = self._process.output.count(b"\n")
        report = self._process.advance(self._start_ns + round(until_s * NS), data)
        if self._process.output.count(b"\n") > lines:
            self._waiting = False
        self._take(report)
        self._follow()

    def _take(self, report: Report) -> None:
        """Hand the magnet's edge to the mechanics, with its own time."""
        self.report = report
        if report.magnet_edge_ns != self._edge_ns:
            self._edge_ns = report.magnet_edge_ns
            self._mechanics.set_magnet((report.magnet_edge_ns - self._start_ns) / NS, report.magnet_on)

    def _place(self, steps: Steps) -> Vector:
        """Return what the motors were stepped to, mm: where the axes of the process stand, but for what they slipped."""
        x, y, z = ((steps[i] - self._slipped[i]) / self._steps_per_mm[i] for i in range(3))
        return x, y, z

    def _follow(self) -> None:
        """Move the mechanics as far as the motors were stepped; what the mechanics lost, the process is told."""
        place = self._place(self.report.steps)
        self._mechanics.follow(self._now_s, place)
        self._notice_dead_stop(place)
        true = self._mechanics.position
        lost = [true[i] * self._steps_per_mm[i] - self.report.steps[i] for i in range(3)]
        # The place at the start was rounded to whole steps: that much is no loss.
        if max(map(abs, lost)) > 1.0:
            x, y, z = map(round, lost)
            self._slipped = [self._slipped[0] + x, self._slipped[1] + y, self._slipped[2] + z]
            self.report = self._process.slip((x, y, z))

    def _notice_dead_stop(self, place: Vector) -> None:
        """Let the axes run on after a stop that no braking explains; seen over windows in which even a slow axis makes a step."""
        since_s, before = self._window
        seconds = self._now_s - since_s
        if seconds < WINDOW_S:
            return
        way = place[0] - before[0], place[1] - before[1], place[2] - before[2]
        length = math.hypot(*way)
        # The stop lies somewhere in the window before; the one before that has the full speed, which a braking axis would have
        # lost over both.
        (first_s, first), (second_s, second) = self._speeds
        if not length and first > MARGIN * self._braking * (first_s + second_s):
            self._mechanics.jolt(max(first, second), self._direction)
        self._window = self._now_s, place
        self._speeds = self._speeds[1], (seconds, length / seconds)
        if length:
            self._direction = way[0] / length, way[1] / length, way[2] / length

    def _force_switches(self) -> None:
        mask = value = self._pressed
        for axis, name in enumerate(AXES.lower()):
            is_open, is_closed = (self.faults.lasting(f"switch_{state}_{name}") for state in ("open", "closed"))
            mask |= (is_open or is_closed) << axis
            value |= is_closed << axis
        if (mask, value) != self._forced:
            self._forced = mask, value
            self._process.force_inputs(mask, value)


def steps_of(place: Vector, steps_per_mm: Vector) -> Steps:
    """Return a place in whole steps."""
    x, y, z = (round(place[i] * steps_per_mm[i]) for i in range(3))
    return x, y, z


def _write_settings(process: BoardProcess, settings: Settings) -> None:
    """Start the board once and write the settings that it has not."""
    process.reset()
    _read_until(process, b"Grbl")
    present = dict(line.partition("=")[::2] for line in _ask(process, "$$") if line.startswith("$"))
    for line in settings.lines():
        name, _, value = line.partition("=")
        if present.get(name) != value:
            _ask(process, line)
    process.output.clear()


def _ask(process: BoardProcess, text: str) -> list[str]:
    process.output.clear()
    process.advance(process.report.now_ns + _SETUP_STEP_NS, text.encode("ascii") + b"\n")
    return _read_until(process, b"ok")


def _read_until(process: BoardProcess, word: bytes) -> list[str]:
    """Let the process live until it has sent a whole line that begins with a word; return all lines."""
    limit_ns = process.report.now_ns + _SETUP_LIMIT_NS
    while process.report.now_ns < limit_ns:
        *lines, _ = process.output.split(b"\r\n")
        if any(line.startswith(word) for line in lines):
            return [line.decode("ascii", "replace") for line in lines]
        process.advance(process.report.now_ns + _SETUP_STEP_NS)
    raise ValueError(f"the firmware did not say {word!r}, it said {bytes(process.output)!r}")
