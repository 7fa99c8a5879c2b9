"""State of the simulated controller and the texts that report it."""

import math
from collections.abc import Generator
from enum import Enum
from typing import Protocol

from damludo.simulation.grbl_faults import Faults
from damludo.simulation.grbl_link import HostLink
from damludo.simulation.grbl_motion import INFINITY, Planner
from damludo.simulation.grbl_parser import INCH_MM, Modal
from damludo.simulation.grbl_settings import AXES, Settings, Vector
from damludo.simulation.grbl_uart import Uart

Program = Generator[float, None, int]
"""A part of the controller's program: yields the time at which it wants to go on (infinity: at the next event), returns the
number of its `error:` or 0."""

EEPROM_S = 0.02
"""How long the interrupts rest while settings are written: bytes that arrive meanwhile are lost."""

ORIGIN = (0.0, 0.0, 0.0)
MAGNET_LIMIT_S = 3600.0
"""A longest time of the magnet that makes no sense counts as this."""
BUTTONS = {"hold": "H", "reset": "R", "resume": "S"}
"""The inputs for buttons, with their letters in a report; "reset" is the emergency stop."""


class State(Enum):
    """The first field of a status report."""

    IDLE = "Idle"
    RUN = "Run"
    HOLD = "Hold"
    JOG = "Jog"
    ALARM = "Alarm"
    DOOR = "Door"
    CHECK = "Check"
    HOME = "Home"
    SLEEP = "Sleep"


class Mechanics(Protocol):
    """What hangs on the controller's pins. Positions are what the step counters say, mm."""

    @property
    def faults(self) -> Faults:
        """What shall go wrong, with the mechanics and with the controller on them."""

    @property
    def next_event_s(self) -> float:
        """When something happens by itself (the magnet takes hold, lets go)."""

    def pass_event(self, time_s: float) -> None:
        """Live through `next_event_s`."""

    def follow(self, time_s: float, position: Vector) -> None:
        """The motors were stepped up to a position."""

    def set_count(self, position: Vector) -> None:
        """The step counters were set anew, without motion."""

    def jolt(self, speed: float, direction: Vector) -> None:
        """The motors were stopped dead at a speed in mm/s."""

    def switches(self) -> tuple[bool, bool, bool]:
        """Which limit switches are closed."""

    def set_magnet(self, time_s: float, on: bool) -> None:
        """The pin of the magnet changed."""


class Core:
    """Registers of the controller, shared by its program and its interrupts."""

    def __init__(self, mechanics: Mechanics, settings: Settings) -> None:
        self.mechanics = mechanics
        self.settings = settings
        self.faults = mechanics.faults
        self.uart = Uart()
        self.planner = Planner(settings, ORIGIN)
        self.link = HostLink()
        self.pressed: frozenset[str] = frozenset()
        self.magnet_due_s = INFINITY
        self.now = 0.0
        self.busy_until_s = 0.0
        self.deaf_until_s = 0.0
        self.brownout_s = float("inf")
        self.state = State.ALARM
        self.modal = Modal()
        self.shift: Vector = ORIGIN
        self.magnet_on = False
        self.critical = False
        self.abort = False
        self.jog_cancel = False
        self.pending = False  # a line was taken and not answered yet
        self.restore_s = float("inf")
        self.spindle_percent = 100
        self.parsed_end: Vector = ORIGIN
        self.wco_counter = self.override_counter = 0
        self.version = "1.0.0"
        self.starts = 0  # hardware resets, the power-on among them

    def clear(self) -> None:
        """Take the values of a soft reset; state, position and settings stay."""
        self.modal, self.shift = Modal(), ORIGIN
        self.planner.place_at(self.position())
        self.planner.feed_percent = self.planner.rapid_percent = self.spindle_percent = 100
        self.parsed_end = self.planner.end
        self.critical = self.abort = self.jog_cancel = False
        self.restore_s = float("inf")
        self.wco_counter = self.override_counter = 0
        self.link = HostLink()
        self.switch_magnet(False)

    def write(self, text: str) -> None:
        """Send one line."""
        if self.faults.lasting("silent") and self.faults.used_up("silent"):
            return
        self.busy_until_s = max(self.busy_until_s, self.uart.write(text + "\r\n", self.now))

    def write_eeprom(self) -> Program:
        """Wait for the EEPROM; the port is deaf meanwhile."""
        self.deaf_until_s = self.now + EEPROM_S
        self.busy_until_s = max(self.busy_until_s, self.deaf_until_s)
        yield self.deaf_until_s
        return 0

    def position(self) -> Vector:
        """Return the position in whole steps, mm."""
        raw = self.planner.position_at(self.now)
        steps = self.settings.axes(100)
        return (
            round(raw[0] * steps[0]) / steps[0],
            round(raw[1] * steps[1]) / steps[1],
            round(raw[2] * steps[2]) / steps[2],
        )

    def work_offset(self) -> Vector:
        """Return machine position minus work position."""
        offset = self.settings.offsets[self.modal.system]
        return offset[0] + self.shift[0], offset[1] + self.shift[1], offset[2] + self.shift[2]

    def switch_magnet(self, on: bool) -> None:
        """Drive the pin of the spindle, which holds the magnet; the longest time begins anew."""
        longest_s = self.settings.values[163]
        self.magnet_due_s = (
            self.now + (longest_s if 1 <= longest_s <= MAGNET_LIMIT_S else MAGNET_LIMIT_S) if on else INFINITY
        )
        if on != self.magnet_on:
            self.magnet_on = on
            self.mechanics.set_magnet(self.now, on)

    def stop_dead(self) -> bool:
        """Stop all steps at once; True if there was motion."""
        moving = self.planner.moving
        if moving:
            speed, direction = self.planner.velocity_at(self.now)
            self.mechanics.jolt(speed, direction)
        self.planner.place_at(self.position())
        self.parsed_end = self.planner.end
        return moving

    def alarm(self, number: int) -> None:
        """Lock the controller; 1 and 2 let nothing through but a reset."""
        self.state = State.ALARM
        self.switch_magnet(False)
        self.write(f"ALARM:{number}")
        if number in (1, 2):
            self.critical = True
            self.write("[MSG:Reset to continue]")

    @property
    def suspended(self) -> bool:
        """The program does not run."""
        return self.critical or self.state in (State.HOLD, State.DOOR, State.SLEEP)


TIE_MM = 1e-7
"""Half a thousandth (a step of 1/80 mm) rounds away from 0, however the binary fraction of it falls."""


def _point(position: Vector) -> str:
    return ",".join(f"{value + 0.0 + math.copysign(TIE_MM, value + 0.0):.3f}" for value in position)


def _state_text(core: Core) -> str:
    moving = core.planner.moving
    if core.state is State.HOLD:
        return f"Hold:{int(moving)}"
    if core.state is State.DOOR:
        return f"Door:{3 if core.restore_s < float('inf') else 2 if moving else 0}"
    return str(core.state.value)


def status_report(core: Core) -> str:
    """Return what `?` prints, and count the reports: WCO and Ov come with some of them only."""
    mask = int(core.settings.values[10])
    position, offset = core.position(), core.work_offset()
    if not mask & 1:
        position = position[0] - offset[0], position[1] - offset[1], position[2] - offset[2]
    fields = [_state_text(core), f"{'MPos' if mask & 1 else 'WPos'}:{_point(position)}"]
    if mask & 2:
        fields.append(f"Bf:{core.planner.free},{128 - len(core.uart.ring)}")
    speed = core.planner.velocity_at(core.now)[0]
    fields.append(f"FS:{speed * 60:.0f},{core.modal.power * core.spindle_percent / 100 if core.magnet_on else 0:.0f}")
    closed = "".join(name for name, on in zip(AXES, core.mechanics.switches(), strict=True) if on)
    closed += "".join(letter for name, letter in BUTTONS.items() if name in core.pressed)
    if closed:
        fields.append(f"Pn:{closed}")
    fields += _rare_fields(core, offset)
    return f"<{'|'.join(fields)}>"


def _rare_fields(core: Core, offset: Vector) -> list[str]:
    busy = core.state in (State.RUN, State.HOLD, State.JOG, State.DOOR, State.HOME)
    fields = []
    if core.wco_counter > 0:
        core.wco_counter -= 1
    else:
        core.wco_counter = 29 if busy else 9
        core.override_counter = max(core.override_counter, 1)
        fields.append(f"WCO:{_point(offset)}")
    if core.override_counter > 0:
        core.override_counter -= 1
    else:
        core.override_counter = 19 if busy else 9
        fields.append(f"Ov:{core.planner.feed_percent},{core.planner.rapid_percent},{core.spindle_percent}")
        if core.magnet_on:
            fields.append("A:S" if core.modal.spindle == 3 else "A:C")
    return fields


def modes_report(core: Core) -> str:
    """Return what `$G` prints."""
    modal = core.modal
    flow = {0: " M0", 1: " M1", 2: " M2", 30: " M30"}.get(-1 if modal.flow is None else modal.flow, "")
    units = 20 if modal.inches else 21
    feed = modal.feed_mm_s * 60 / (INCH_MM if modal.inches else 1.0)
    return (
        f"[GC:G{modal.motion} G{54 + modal.system} G{modal.plane} G{units} G{91 if modal.relative else 90} G94{flow} "
        f"M{modal.spindle} M{modal.cool} T{modal.tool} F{feed:.0f} S{modal.power:.0f}]"
    )


def offsets_report(core: Core) -> list[str]:
    """Return what `$#` prints."""
    lines = [f"[G{54 + i}:{_point(offset)}]" for i, offset in enumerate(core.settings.offsets)]
    lines += [f"[G28:{_point(ORIGIN)}]", f"[G30:{_point(ORIGIN)}]", f"[G92:{_point(core.shift)}]"]
    return [*lines, "[TLO:0.000]", f"[PRB:{_point(ORIGIN)}:0]"]
