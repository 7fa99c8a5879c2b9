"""The simulated gantry controller: a byte peer that speaks the GRBL 1.1 dialect.

It is written after the protocol's description, without the driver's parser and without the firmware's sources, so that driver,
firmware and this peer can contradict each other. Transports carry its bytes: `damludo.simulation.transport`.
"""

from collections.abc import Mapping
from dataclasses import replace

from damludo.simulation.grbl_faults import Faults
from damludo.simulation.grbl_motion import INFINITY
from damludo.simulation.grbl_program import run_program
from damludo.simulation.grbl_settings import Settings
from damludo.simulation.grbl_state import ORIGIN, Core, Mechanics, Program, State, status_report

SOFT_RESET = 0x18
DOOR = 0x84
JOG_CANCEL = 0x85
SPINDLE_STOP = 0x9E

MOTION_STEP_S = 0.025
"""The limit switches are looked at, and the table is told, at least this often in motion. Longer than `World.STEP_S`, whose steps
then do it alone."""
TURNS_LIMIT = 1000
"""So many events at one instant are a mistake in here: an error is better than a test that never ends."""
DOOR_RESTORE_S = 4.0
"""After the door is shut the magnet has this long to take hold before the motion goes on."""

_FEED_STEPS = {0x91: 10, 0x92: -10, 0x93: 1, 0x94: -1}
_RAPID = {0x95: 100, 0x96: 50, 0x97: 25}
_SPINDLE_STEPS = {0x9A: 10, 0x9B: -10, 0x9C: 1, 0x9D: -1}


class Controller:
    """A controller on its own time: give it bytes, let it live, take its bytes.

    It begins without power; `power_on` is what opening the port does to a board that resets then.

    Attributes:
        core: its registers; tests and faults look in, the driver never does.
        faults: what shall go wrong, see `grbl_faults.FAULTS`; one object with the mechanics'.
    """

    def __init__(
        self,
        mechanics: Mechanics,
        settings: Settings | None = None,
        faults: Mapping[str, float] | None = None,
        boot_s: float = 0.0,
    ) -> None:
        """Make a controller.

        Args:
            mechanics: what hangs on its pins.
            settings: its EEPROM; the defaults if None.
            faults: names of `grbl_faults.FAULTS` with their numbers; they join those of the mechanics.
            boot_s: silence of the boot loader after each power-on; bytes that come then are lost.
        """
        self.faults: Faults = mechanics.faults
        for name, value in (faults or {}).items():
            self.faults.ask(name, value)
        self.core = Core(mechanics, settings or Settings())
        self._boot_s = boot_s
        self._program: Program | None = None
        self._wake_s = INFINITY
        self._status_wanted = False

    def power_on(self) -> None:
        """Start anew as after a hardware reset: position forgotten, locked if homing is on, everything on its way lost."""
        core = self.core
        core.stop_dead()
        core.planner.place_at(ORIGIN)
        core.clear()
        core.mechanics.set_count(ORIGIN)
        core.uart.power_off()
        core.starts += 1
        core.brownout_s = INFINITY
        core.state = State.ALARM if core.settings.on(22) or "reset" in core.pressed else State.IDLE
        core.busy_until_s = core.deaf_until_s = core.now + self._boot_s
        self._status_wanted = False
        self._start(cold=True)

    def close(self) -> None:
        """Do nothing: it runs in nothing of its own."""

    def press(self, *buttons: str) -> None:
        """Hold these buttons of `grbl_state.BUTTONS` pressed from now on, and no others."""
        core = self.core
        fresh = frozenset(buttons) - core.pressed
        core.pressed = frozenset(buttons)
        if self._program is None:
            return
        if "reset" in fresh:
            self._soft_reset(locked=True)
        for name, byte in (("hold", "!"), ("resume", "~")):
            if name in fresh:
                self._obey_realtime(ord(byte))

    def receive_bytes(self, data: bytes) -> None:
        """Let bytes start on their way to the controller; they arrive at the pace of 115200 baud."""
        if self._program is not None:
            self.core.uart.put(data, self.core.now)

    def take_output(self) -> bytes:
        """Return the bytes that have left the controller up to now."""
        return self.core.uart.take(self.core.now)

    @property
    def now_s(self) -> float:
        """The time up to which it has lived."""
        return self.core.now

    @property
    def next_event_s(self) -> float:
        """When something next happens or a piece of output is complete; infinite if it waits for bytes only."""
        return min(self._due_s(), self.core.uart.next_departure_s)

    def advance_to(self, time_s: float) -> None:
        """Live up to a time."""
        core = self.core
        turns = 0
        while (due := self._due_s()) <= time_s:
            turns = turns + 1 if due <= core.now else 0
            if turns > TURNS_LIMIT:
                raise RuntimeError(
                    f"the simulated controller goes round in circles at {core.now:.6f} s ({core.state.value})"
                )
            core.now = max(core.now, due)
            self._move()
            self._pass_events()
        core.now = max(core.now, time_s)
        self._move()

    def _due_s(self) -> float:
        """When the controller next has something to do. Asked twice a step: hence no call more than needed."""
        core = self.core
        due = min(core.mechanics.next_event_s, core.uart.next_arrival_s, core.brownout_s, core.restore_s)
        due = min(due, core.link.due_s, core.magnet_due_s)
        if core.planner.moving:
            due = min(due, core.planner.next_event_s, core.now + MOTION_STEP_S)
        if self._status_wanted and core.state is not State.HOME:
            return min(due, max(core.now, core.busy_until_s))
        # A suspended program has no wish of its own: its time would come again and again.
        if self._wake_s < INFINITY and not core.suspended:
            due = min(due, max(self._wake_s, core.busy_until_s))
        return due

    def _move(self) -> None:
        core = self.core
        if not core.planner.moving:
            return
        core.mechanics.follow(core.now, core.planner.position_at(core.now))
        if core.settings.on(21) and any(core.mechanics.switches()):
            core.stop_dead()
            core.alarm(1)

    def _pass_events(self) -> None:
        core = self.core
        now = core.now
        if core.mechanics.next_event_s <= now:
            core.mechanics.pass_event(now)
        if core.planner.next_event_s <= now:
            core.planner.pass_event(now)
            self._after_motion()
        if core.restore_s <= now:
            self._close_door()
        if core.magnet_due_s <= now:
            core.switch_magnet(False)
            core.modal = replace(core.modal, spindle=5)
            core.write("[MSG:Magnet off, on too long]")
        if core.link.due_s <= now:
            self._mind_silence()
        if core.brownout_s <= now:
            self.power_on()
        self._take_bytes()
        if now < core.busy_until_s or self._program is None:
            return
        if self._status_wanted and core.state is not State.HOME:
            self._status_wanted = False
            core.write("[MSG:Reset to continue]" if core.critical else status_report(core))
        self._run()

    def _take_bytes(self) -> None:
        core = self.core
        if core.deaf_until_s > 0:
            core.uart.arrive(min(core.now, core.deaf_until_s), deaf=True)
            if core.now >= core.deaf_until_s:
                core.deaf_until_s = 0.0
        for byte in core.uart.arrive(core.now, deaf=False):
            self._obey_realtime(byte)

    def _start(self, cold: bool) -> None:
        core = self.core
        blank = cold and self.faults.due("blank_eeprom")
        if blank:
            core.settings.restore("*")
        if self._program is not None:
            self._program.close()
        core.pending = False
        self._program = run_program(core, blank)
        self._wake_s = core.now

    def _run(self) -> None:
        """Let the program go on until it waits again."""
        core = self.core
        if self._program is not None and not core.suspended and not core.abort:
            self._wake_s = INFINITY
            self._wake_s = next(self._program)
        if core.abort:
            self._restart()

    def _restart(self) -> None:
        """Do the rest of a soft reset: a line that was under way gets its `ok`, then comes the banner."""
        core = self.core
        if core.pending:
            core.write("ok")
        core.uart.ring.clear()
        core.clear()
        self._start(cold=False)

    def _mind_silence(self) -> None:
        """A host that numbers its lines is silent: brake; then drop everything."""
        core = self.core
        if core.link.warn() and core.state is not State.HOME:
            if core.state in (State.RUN, State.JOG):
                self._hold()
            return
        core.write("[MSG:Host silent]")
        self._soft_reset()

    def _soft_reset(self, locked: bool = False) -> None:
        core = self.core
        homing = core.state is State.HOME
        if core.stop_dead() or homing:
            core.alarm(6 if homing else 3)
        core.switch_magnet(False)
        core.state = State.ALARM if core.state in (State.ALARM, State.SLEEP) or locked else State.IDLE
        self._restart()

    def _obey_realtime(self, byte: int) -> None:
        core = self.core
        core.link.note_life(core.now)
        if byte == SOFT_RESET:
            self._soft_reset()
        elif byte == ord("?"):
            self._status_wanted = True
        elif core.critical or core.state is State.SLEEP:
            return
        elif byte == ord("!"):
            self._hold()
        elif byte == ord("~"):
            self._resume()
        elif byte == DOOR:
            self._open_door()
        elif byte == JOG_CANCEL:
            if core.state is State.JOG:
                self._cancel_jog()
        else:
            self._override(byte)

    def _hold(self) -> None:
        core = self.core
        if core.state is State.JOG:
            self._cancel_jog()
        elif core.state in (State.RUN, State.IDLE):
            core.state = State.HOLD
            core.planner.hold(core.now)

    def _cancel_jog(self) -> None:
        self.core.jog_cancel = True
        self.core.planner.hold(self.core.now)

    def _resume(self) -> None:
        core = self.core
        if core.planner.moving:
            return
        if core.state is State.HOLD:
            self._go_on()
        elif core.state is State.DOOR and core.restore_s == INFINITY:
            on = core.modal.spindle != 5 and core.modal.power > 0
            core.switch_magnet(on)
            core.restore_s = core.now + (DOOR_RESTORE_S if on else 0.0)

    def _go_on(self) -> None:
        core = self.core
        core.switch_magnet(core.modal.spindle != 5 and core.modal.power > 0)
        core.planner.resume(core.now)
        core.state = State.IDLE if core.planner.empty else State.RUN
        self._wake_s = core.now

    def _open_door(self) -> None:
        core = self.core
        if core.state is State.HOME:
            core.alarm(7)
            core.abort = True
            self._restart()
            return
        if core.state in (State.ALARM, State.CHECK, State.DOOR):
            return
        core.write("[MSG:Check Door]")
        core.jog_cancel = core.state is State.JOG
        core.state = State.DOOR
        core.planner.hold(core.now)
        if not core.planner.moving:
            core.switch_magnet(False)

    def _close_door(self) -> None:
        self.core.restore_s = INFINITY
        self._go_on()

    def _after_motion(self) -> None:
        """A move or a braking has come to its end."""
        core = self.core
        if core.planner.moving:
            return
        if core.jog_cancel:
            core.jog_cancel = False
            core.stop_dead()
            if core.state is State.JOG:
                core.state = State.IDLE
        if core.state is State.DOOR:
            core.switch_magnet(False)
        elif core.planner.empty and core.state in (State.RUN, State.JOG):
            core.state = State.IDLE

    def _override(self, byte: int) -> None:
        core = self.core
        feed, rapid = core.planner.feed_percent, core.planner.rapid_percent
        if byte == 0x90:
            feed = 100
        elif byte in _FEED_STEPS:
            feed = min(200, max(10, feed + _FEED_STEPS[byte]))
        elif byte in _RAPID:
            rapid = _RAPID[byte]
        elif byte == 0x99:
            core.spindle_percent = 100
        elif byte in _SPINDLE_STEPS:
            core.spindle_percent = min(200, max(10, core.spindle_percent + _SPINDLE_STEPS[byte]))
        elif byte == SPINDLE_STOP and core.state is State.HOLD and not core.planner.moving:
            core.switch_magnet(not core.magnet_on and core.modal.spindle != 5 and core.modal.power > 0)
        if (feed, rapid) != (core.planner.feed_percent, core.planner.rapid_percent):
            core.planner.override(core.now, feed, rapid)
            core.override_counter = 0
