"""The driver against the simulated controller and gantry, which were written without it; all time is simulated."""

import contextlib
import math
import random
import time
from collections.abc import Mapping
from typing import Any

import pytest

from damludo.calibration.gantry import PointPair, fit_gantry
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import ControllerAlarm, LineSilent, NotHomed, Stopped, WrongSettings
from damludo.robot.frames import GantryMap, GantryPoint
from damludo.robot.gantry import Gantry, State
from damludo.robot.guard import CarriageSight
from damludo.robot.places import Place, Rack, TableLayout, Transfer
from damludo.robot.planner import Planner
from damludo.robot.serial_line import SerialLine
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.controller import Controller
from damludo.simulation.gantry import SimulatedGantry, stand_beside
from damludo.simulation.realtime import RealTime
from damludo.simulation.table import DiscColour, Table
from damludo.simulation.transport import MemoryLine, PseudoTerminal

pytestmark = pytest.mark.simulation

LAYOUT = TableLayout()
C3, D4, E5 = LAYOUT.square(18), LAYOUT.square(27), LAYOUT.square(36)


class Bench:
    """A table with a gantry, its controller, and the driver."""

    def __init__(self, faults: Mapping[str, float] | None = None, boot_s: float = 1.5, seed: int = 3) -> None:
        self.world = World()
        self.table = Table(LAYOUT)
        self.geometry = stand_beside(LAYOUT, seed)
        self.mechanics = SimulatedGantry(self.table, self.geometry, seed=seed)
        self.controller = Controller(self.mechanics, self.geometry.settings, faults, boot_s)
        self.mechanics.faults = self.controller.faults
        self.world.add(self.controller)
        self.clock = LockstepClock(self.world)
        self.line = MemoryLine(self.world, self.controller)
        self.gantry = Gantry(self.line, GRBL, self.clock)

    def ready(self) -> "Bench":
        """Connect, home, plan."""
        self.gantry.connect()
        self.gantry.home()
        return self

    @property
    def planner(self) -> Planner:
        """A planner on the map fitted to what a person would measure."""
        machine = self.gantry.machine
        places = [LAYOUT.square(i) for i in (0, 7, 27, 56, 63)]
        measured = self.mechanics.measured_points([(p.x_mm, p.y_mm) for p in places])
        pairs = []
        for place, (x, y) in zip(places, measured.tolist(), strict=True):
            point = machine.from_machine((x, y, 0.0))
            pairs.append(PointPair(place.x_mm, place.y_mm, point.x_mm, point.y_mm))
        surface_z_mm = machine.from_machine((0.0, 0.0, -self.geometry.clearance_mm)).z_mm
        return Planner(fit_gantry(pairs, surface_z_mm).board, machine.limits)

    def stack(self, place: Place, discs: int, colour: DiscColour = DiscColour.WHITE) -> None:
        """Put discs on a place."""
        for _ in range(discs):
            self.table.add_disc(colour, place.x_mm, place.y_mm)

    def height(self, place: Place) -> float:
        """Height of what lies on a place."""
        return self.table.top_at(place.x_mm, place.y_mm)

    def carry(self, *transfers: Transfer, guard: Any = None) -> None:
        """Plan and run."""
        self.gantry.run(self.planner.transfers(transfers, self.gantry.position), guard)


@pytest.fixture
def bench() -> Bench:
    return Bench().ready()


def test_the_simulated_gantry_homes(bench: Bench) -> None:
    assert bench.gantry.state is State.READY
    assert bench.gantry.position == bench.gantry.machine.home
    assert bench.gantry.machine.homes_low == (False, False, False)


def test_a_disc_is_carried(bench: Bench) -> None:
    bench.stack(C3, 1)
    bench.carry(Transfer(C3, D4))
    assert (bench.height(C3), bench.height(D4)) == (0.0, 9.0)
    disc = bench.table.discs[0]
    assert abs(disc.x_mm - D4.x_mm) < 1.5
    assert abs(disc.y_mm - D4.y_mm) < 1.5
    assert bench.table.mishaps == []


def test_a_king_is_carried_and_a_man_crowned_and_a_victim_removed(bench: Bench) -> None:
    slot = LAYOUT.rack_slot(Rack.BLACK, 9)
    bench.stack(C3, 2)
    bench.stack(D4, 1, DiscColour.BLACK)
    bench.carry(Transfer(C3, E5, 2, 0), Transfer(C3, E5, 1, 1), Transfer(D4, slot))
    assert [bench.height(place) for place in (C3, D4, E5, slot)] == [0.0, 0.0, 18.0, 9.0]
    assert bench.table.mishaps == []


def test_a_move_takes_little_longer_than_the_motion_itself(bench: Bench) -> None:
    bench.stack(C3, 1)
    plan = bench.planner.transfers([Transfer(C3, LAYOUT.rack_slot(Rack.WHITE, 1))], bench.gantry.position, park=True)
    started_s = bench.clock.now_s()
    bench.gantry.run(plan)
    assert 0.98 <= (bench.clock.now_s() - started_s) / plan.duration_s < 1.05


class Hand:
    """A guard over simulated time: a hand from one second to another after the first look."""

    def __init__(self, bench: Bench, first_s: float, last_s: float) -> None:
        self.bench, self.first_s, self.last_s = bench, first_s, last_s
        self.start_s: float | None = None
        self.seen: list[tuple[float, CarriageSight]] = []

    def clear(self, carriage: CarriageSight) -> bool:
        now_s = self.bench.clock.now_s()
        self.start_s = now_s if self.start_s is None else self.start_s
        self.seen.append((now_s - self.start_s, carriage))
        return not self.first_s <= now_s - self.start_s < self.last_s


def test_a_hand_in_mid_move_holds_the_carriage_and_the_move_is_finished(bench: Bench) -> None:
    bench.stack(C3, 1)
    hand = Hand(bench, 1.0, 6.0)
    started_s = bench.clock.now_s()
    bench.carry(Transfer(C3, D4), guard=hand)
    assert bench.height(D4) == 9.0
    assert bench.clock.now_s() - started_s > 5.8 + 3
    places = [sight.position for at_s, sight in hand.seen if 1.8 < at_s < 6.5]
    assert len(places) > 30
    assert len(set(places)) == 1
    assert bench.table.mishaps == []


@pytest.mark.parametrize("tenths", range(0, 80, 4))
def test_a_hand_at_any_moment_neither_drops_nor_crushes(tenths: int) -> None:
    bench = Bench(boot_s=0.0).ready()
    bench.stack(C3, 2)
    bench.carry(Transfer(C3, D4, 2, 0), Transfer(C3, D4, 1, 1), guard=Hand(bench, tenths / 10, tenths / 10 + 0.5))
    assert (bench.height(C3), bench.height(D4)) == (0.0, 18.0)
    assert bench.table.mishaps == []


class Freeze:
    """A guard in which the whole program stands still once, as after SIGSTOP, while the controller goes on."""

    def __init__(self, bench: Bench, at_s: float, seconds: float) -> None:
        self.bench, self.at_s, self.seconds = bench, at_s, seconds
        self.start_s: float | None = None

    def clear(self, carriage: CarriageSight) -> bool:
        now_s = self.bench.clock.now_s()
        self.start_s = now_s if self.start_s is None else self.start_s
        if now_s - self.start_s >= self.at_s:
            self.at_s = math.inf
            self.bench.clock.sleep(self.seconds)
        return True


@pytest.mark.parametrize("seconds", [0.7, 3.0, 30.0])
@pytest.mark.parametrize("at_s", [0.5, 2.0, 3.5])
def test_a_program_that_stands_still_for_a_while_neither_drops_nor_crushes(at_s: float, seconds: float) -> None:
    bench = Bench(boot_s=0.0).ready()
    bench.stack(C3, 2)
    freeze = Freeze(bench, at_s, seconds)
    bench.carry(Transfer(C3, D4, 2, 0), Transfer(C3, D4, 1, 1), guard=freeze)
    assert freeze.at_s == math.inf
    assert (bench.height(C3), bench.height(D4)) == (0.0, 18.0)
    assert bench.table.mishaps == []


class Stopper:
    """Presses STOP at a moment after the first look."""

    def __init__(self, bench: Bench, at_s: float) -> None:
        self.bench, self.at_s = bench, at_s
        self.start_s: float | None = None

    def clear(self, carriage: CarriageSight) -> bool:
        now_s = self.bench.clock.now_s()
        self.start_s = now_s if self.start_s is None else self.start_s
        if now_s - self.start_s >= self.at_s:
            self.at_s = 1e9
            self.bench.gantry.stop()
        return True


@pytest.mark.parametrize("percent", range(0, 96, 7))
def test_stop_at_any_moment_keeps_the_disc_and_the_move_can_go_on(percent: int) -> None:
    bench = Bench(boot_s=0.0).ready()
    bench.stack(C3, 1)
    plan = bench.planner.transfers([Transfer(C3, D4)], bench.gantry.position)
    with pytest.raises(Stopped):
        bench.gantry.run(plan, Stopper(bench, plan.duration_s * percent / 100))
    before = bench.mechanics.position
    held = bench.table.held_disc("carriage")
    bench.clock.sleep(10.0)
    assert bench.mechanics.position == before
    assert bench.table.held_disc("carriage") is held
    bench.gantry.go_on()
    assert (bench.height(C3), bench.height(D4)) == (0.0, 9.0)
    assert bench.table.mishaps == []


def test_after_stop_and_reset_the_position_is_still_known(bench: Bench) -> None:
    with pytest.raises(Stopped):
        bench.carry(Transfer(C3, D4), guard=Stopper(bench, 0.8))
    bench.gantry.reset()
    assert bench.gantry.state is State.READY
    assert bench.gantry.position.distance_mm(bench.gantry.machine.from_machine(bench.mechanics.position)) < 0.1
    bench.gantry.park(bench.planner)


def test_stop_while_homing_ends_at_once_and_homing_works_again() -> None:
    bench = Bench()
    bench.gantry.connect()
    with pytest.raises(Stopped):
        bench.gantry.home(Stopper(bench, 0.5))
    assert bench.gantry.state.value == "not homed"
    bench.gantry.reset()
    bench.gantry.home()
    assert bench.gantry.state.value == "ready"


def test_a_hand_while_homing_breaks_it_off_and_it_begins_anew() -> None:
    bench = Bench()
    bench.gantry.connect()
    bench.gantry.home(Hand(bench, 0.5, 1.5))
    assert bench.gantry.position == bench.gantry.machine.home


@pytest.mark.parametrize(("fault", "number"), [("switch_open_x", 9), ("switch_closed_y", 8)])
def test_a_failed_homing_is_no_success(fault: str, number: int) -> None:
    bench = Bench({fault: 1})
    bench.gantry.connect()
    with pytest.raises(ControllerAlarm) as caught:
        bench.gantry.home()
    assert caught.value.number == number
    assert bench.gantry.state is State.ALARM


def test_homing_works_again_when_the_switch_does() -> None:
    bench = Bench({"switch_closed_y": 1})
    bench.gantry.connect()
    with pytest.raises(ControllerAlarm):
        bench.gantry.home()
    bench.controller.faults.heal("switch_closed_y")
    bench.gantry.home()
    assert bench.gantry.position == bench.gantry.machine.home


def test_a_power_dip_in_mid_move_is_noticed(bench: Bench) -> None:
    bench.stack(C3, 1)
    bench.controller.faults.ask("reset_in_move", 2)
    with pytest.raises(NotHomed, match="was reset"):
        bench.carry(Transfer(C3, D4))
    assert bench.gantry.state.value == "not homed"
    bench.gantry.home()
    bench.carry(Transfer(C3, D4))
    assert bench.height(D4) == 9.0


def test_noise_of_the_magnet_on_a_limit_wire_is_an_alarm_that_homing_leaves(bench: Bench) -> None:
    bench.stack(C3, 1)
    bench.controller.faults.ask("limit_glitch", 1)
    with pytest.raises(ControllerAlarm) as caught:
        bench.carry(Transfer(C3, D4))
    assert caught.value.number == 1
    bench.gantry.home()
    assert bench.gantry.state is State.READY


@pytest.mark.parametrize(
    ("slip_mm", "lies_on"),
    [
        pytest.param(0.5, D4, id="the disc is taken a little beside its middle"),
        pytest.param(3.0, D4, id="and farther beside it"),
        pytest.param(10.0, C3, id="the magnet comes down beside it and takes nothing"),
    ],
)
def test_lost_steps_crush_nothing_and_are_gone_after_homing(slip_mm: float, lies_on: Place) -> None:
    """The driver cannot know of them: the eyes see a disc that did not arrive, and homing finds the true place again."""
    bench = Bench(boot_s=0.0).ready()
    bench.stack(C3, 1)
    bench.controller.faults.ask("slip_x", slip_mm)
    bench.carry(Transfer(C3, D4))
    assert [bench.height(place) for place in (C3, D4)] == [9.0 * (place is lies_on) for place in (C3, D4)]
    bench.gantry.home()
    bench.carry(Transfer(lies_on, E5))
    (disc,) = bench.table.discs
    assert math.hypot(disc.x_mm - E5.x_mm, disc.y_mm - E5.y_mm) < 1.5
    assert bench.table.mishaps == []


@pytest.mark.parametrize("fault", ["lost_ok", "garbled_ok"])
@pytest.mark.parametrize("nth", range(2, 14))
def test_a_lost_ok_anywhere_costs_time_only(fault: str, nth: int) -> None:
    bench = Bench(boot_s=0.0).ready()
    bench.stack(C3, 1)
    bench.controller.faults.ask(fault, nth)
    bench.carry(Transfer(C3, D4))
    assert (bench.height(C3), bench.height(D4)) == (0.0, 9.0)
    assert bench.gantry.counters.lost_answers == 1


def test_a_controller_that_falls_silent_is_given_up(bench: Bench) -> None:
    bench.controller.faults.ask("silent", 2)
    started_s = bench.clock.now_s()
    with pytest.raises(LineSilent):
        bench.carry(Transfer(C3, D4))
    assert bench.clock.now_s() - started_s < 4
    assert bench.gantry.state is State.NOT_HOMED


def test_a_blank_memory_is_refused_against_the_profile() -> None:
    bench = Bench()
    bench.controller.core.settings.values[102] = 800.0
    expected = bench.gantry.connect().machine
    bench.controller.faults.ask("blank_eeprom")
    again = Gantry(MemoryLine(bench.world, bench.controller), GRBL, bench.clock, expected)
    with pytest.raises(WrongSettings, match="steps of z is 400 per mm, the profile says 800"):
        again.connect()
    assert again.state is State.CLOSED


class Chaos:
    """Hands and STOPs at seeded moments, and a guard that now and then takes its time."""

    def __init__(self, bench: Bench, seed: int) -> None:
        self.bench = bench
        self.draw = random.Random(seed)
        self.hand_until_s = 0.0
        self.stops = 2

    def clear(self, carriage: CarriageSight) -> bool:
        self.bench.clock.sleep(self.draw.choice((0.0, 0.0, 0.03, 0.4)))
        now_s = self.bench.clock.now_s()
        if self.draw.random() < 0.04:
            self.hand_until_s = now_s + self.draw.uniform(0.05, 3.0)
        if self.stops and self.draw.random() < 0.02:
            self.stops -= 1
            self.bench.gantry.stop()
        return now_s >= self.hand_until_s


@pytest.mark.parametrize("seed", range(12))
def test_hands_stops_and_lost_answers_together_never_harm_a_disc(seed: int) -> None:
    bench = Bench(boot_s=0.0, seed=seed).ready()
    bench.stack(C3, 2)
    chaos = Chaos(bench, seed)
    bench.controller.faults.ask("lost_ok", seed + 3)
    bench.controller.faults.ask("garbled_ok", 2 * seed + 9)
    try:
        bench.carry(Transfer(C3, D4, 2, 0), Transfer(C3, D4, 1, 1), guard=chaos)
    except Stopped:
        while bench.gantry.state is not State.READY:
            with contextlib.suppress(Stopped):
                bench.gantry.go_on(chaos)
    assert (bench.height(C3), bench.height(D4)) == (0.0, 18.0)
    assert bench.table.mishaps == []


class Monotonic:
    """The wall clock."""

    def now_s(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@pytest.mark.slow
def test_the_same_driver_works_through_a_serial_port_at_the_pace_of_the_wall_clock() -> None:
    bench = Bench(boot_s=0.3)
    with (
        PseudoTerminal(bench.controller, bench.world) as terminal,
        RealTime(bench.world),
        Gantry(SerialLine(terminal.path), GRBL, Monotonic()) as gantry,
    ):
        assert gantry.connect().greeting.startswith("Grbl 1.1")
        gantry.home()
        planner = Planner(GantryMap(x0_mm=20.0, y0_mm=20.0, surface_z_mm=5.0), gantry.limits)
        gantry.run(planner.go_to(Place("near", 30.0, 40.0), gantry.position))
        assert gantry.position.distance_mm(GantryPoint(50.0, 60.0, 38.0)) < 0.05
        assert gantry.counters.unknown_lines == 0


def test_the_magnet_is_off_after_closing(bench: Bench) -> None:
    bench.stack(C3, 1)
    with bench.gantry as gantry:
        gantry.run(bench.planner.pick(C3, gantry.position))
        assert bench.table.held_disc("carriage") is not None
    bench.world.advance_to(bench.world.time_s + 1.0)
    assert not bench.table.carriage.magnet_on
