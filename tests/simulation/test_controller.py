"""Time, motion, overflow and homing of the simulated controller."""

import math
import random
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from damludo.simulation.clock import World
from damludo.simulation.grbl_faults import FAULTS, Faults

pytestmark = pytest.mark.simulation


def test_a_diagonal_there_and_back_takes_the_time_of_the_trapezoid(homed: Any) -> None:
    """T = d/v + v/a for each way: G0 by the axes' limits (283 mm/s on the diagonal), G1 by its feed along the path."""
    homed.run("G0 X-100 Y-100")
    started = homed.world.time_s
    homed.run("G0 X-200 Y-200", "G1 X-100 Y-100 F12000")
    way, root = 100 * math.sqrt(2), math.sqrt(2)
    expected = (way / (200 * root) + 200 * root / (1000 * root)) + (way / 200 + 200 / (1000 * root))
    assert homed.world.time_s - started == pytest.approx(expected, rel=0.03)


def test_a_short_move_never_reaches_its_speed(homed: Any) -> None:
    """T = 2 sqrt(d/a) for a triangle."""
    started = homed.world.time_s
    homed.run("G0 X-12")
    assert homed.world.time_s - started == pytest.approx(2 * math.sqrt(10 / 1000), abs=0.006)


def test_blocks_in_a_line_are_driven_without_a_stop(homed: Any) -> None:
    homed.run("G0 X-10 Y-10")
    started = homed.world.time_s
    homed.run(*(f"G1 X-{10 + 20 * i} F6000" for i in range(1, 11)))
    assert homed.world.time_s - started == pytest.approx(200 / 100 + 100 / 1000, rel=0.01)


def test_a_right_angle_is_driven_slowly(homed: Any) -> None:
    """Junction deviation 0.01 mm at 90 degrees: v^2 = a d s / (1 - s), s = sqrt(0.5), a = 1000 sqrt(2) along the bisector."""
    homed.run("G0 X-10 Y-10")
    homed.line.send("G1 X-60 F6000")
    homed.line.send("G1 Y-60")
    half = math.sqrt(0.5)
    corner = math.sqrt(1000 * math.sqrt(2) * 0.01 * half / (1 - half))
    homed.line.receive(1.0)
    homed.line.receive(1.0)
    speeds = []
    while homed.controller.core.planner.moving:
        homed.world.advance_to(homed.world.time_s + 0.0005)
        speeds.append(homed.controller.core.planner.velocity_at(homed.world.time_s)[0])
    middle = speeds[len(speeds) // 3 : 2 * len(speeds) // 3]
    assert min(middle) == pytest.approx(corner, abs=0.6)


def test_speed_and_acceleration_of_each_axis_keep_their_limits(homed: Any) -> None:
    homed.run("G0 X-50 Y-50 Z-10")
    homed.line.send("G0 X-300 Y-140 Z-60")
    limits = ((200, 1000), (200, 1000), (60, 1000))
    step, before, rates = 0.004, None, [0.0, 0.0, 0.0]
    homed.line.receive(1.0)
    while homed.controller.core.planner.moving:
        position = homed.controller.core.planner.position_at(homed.world.time_s)
        if before is not None:
            new = [abs(position[i] - before[i]) / step for i in range(3)]
            assert all(new[i] <= limits[i][0] * 1.001 for i in range(3))
            assert all(abs(new[i] - rates[i]) / step <= limits[i][1] * 1.01 for i in range(3))
            rates = new
        before = position
        homed.world.advance_to(homed.world.time_s + step)


def test_positions_are_whole_steps(homed: Any) -> None:
    homed.run("G0 X-100.0049")
    assert "MPos:-100.000," in homed.status()
    homed.run("G0 X-100.007")
    assert "MPos:-100.013," in homed.status()


def test_a_flood_loses_lines_without_a_word(homed: Any) -> None:
    """15 lines are planned, one waits for room, 8 of 16 bytes fill the ring of 128; the other 37 are never heard of."""
    homed.run("G91", "G1 F60")
    for _ in range(61):
        homed.line.send("G1 X-0.5000 F60")
    homed.world.advance_to(homed.world.time_s + 60.0)
    assert homed.controller.take_output() == b"ok\r\n" * 24
    assert homed.controller.core.uart.lost_bytes == 37 * 16
    assert homed.status().startswith("<Idle|MPos:-14.000,-2.000,-2.000|")


def test_the_port_takes_its_time(homed: Any) -> None:
    """`G4 P0` and LF are 6 bytes, `ok` and CR LF are 4: ten bytes of ten bits at 115200 baud."""
    started = homed.world.time_s
    homed.ask("G4 P0")
    assert homed.world.time_s - started == pytest.approx(100 / 115200, rel=0.02)


def test_real_time_bytes_are_obeyed_with_a_full_ring(homed: Any) -> None:
    homed.ask("G1 X-500 F600")
    homed.ask("G1 X-2 F12000")
    homed.line.send("G4 P0")
    for _ in range(40):
        homed.line.send("G4 P0")
    homed.world.advance_to(homed.world.time_s + 0.5)
    assert homed.controller.core.uart.lost_bytes > 0
    assert homed.status().startswith("<Run|")


def test_a_carriage_return_is_a_line_end_too(homed: Any) -> None:
    homed.controller.receive_bytes(b"G4 P0\r\n")
    assert [homed.line.receive(1.0), homed.line.receive(1.0)] == ["ok", "ok"]


def test_bytes_above_ascii_never_reach_a_line(homed: Any) -> None:
    homed.controller.receive_bytes("G0 X-5ĉ\n".encode())
    assert homed.line.receive(1.0) == "ok"


def test_homing_takes_about_as_long_as_the_way(make_machine: Callable[..., Any]) -> None:
    machine = make_machine()
    _, _, z = machine.gantry.position
    x, y, _ = machine.gantry.position
    machine.ask("$H")
    ways = [-z, max(-x, -y)]
    least = sum(way / 50 + 2 / 50 + 2 / 5 + 2 / 5 for way in ways)
    assert least < machine.world.time_s < least + 1.6


@pytest.mark.parametrize("seed", range(5))
def test_after_homing_the_counted_place_is_the_true_one(make_machine: Callable[..., Any], seed: int) -> None:
    machine = make_machine(seed=seed)
    assert machine.ask("$H")[-1] == "ok"
    assert machine.gantry.position == pytest.approx((-2, -2, -2), abs=0.02)


def test_a_dead_stop_loses_the_place(homed: Any) -> None:
    homed.ask("G1 X-300 F12000")
    homed.world.advance_to(homed.world.time_s + 0.5)
    homed.line.realtime(0x18)
    homed.line.receive(1.0)
    counted = homed.controller.core.position()[0]
    assert counted - homed.gantry.position[0] == pytest.approx(200 * 0.004, abs=0.03)


def test_an_override_changes_the_running_move(homed: Any) -> None:
    homed.ask("G1 X-402 F6000")
    homed.world.advance_to(homed.world.time_s + 1.0)
    for _ in range(5):
        homed.line.realtime(0x92)
    homed.world.advance_to(homed.world.time_s + 0.5)
    assert re.search(r"FS:3000,", homed.status())


def test_a_boot_loader_is_silent_and_deaf(make_machine: Callable[..., Any]) -> None:
    machine = make_machine(boot_s=1.5)
    machine.line.send("$I")
    assert [machine.line.receive(2.0) for _ in range(3)][1] == "Grbl 1.1h ['$' for help]"
    assert 1.5 < machine.world.time_s < 1.6
    assert machine.ask("G4 P0") == ["error:9"]


def test_the_same_bytes_give_the_same_run(make_machine: Callable[..., Any]) -> None:
    def run() -> tuple[object, ...]:
        machine = make_machine(seed=3)
        answers = [machine.ask(text) for text in ("$H", "G0 X-333 Y-77", "G1 Z-30 F900", "G4 P0")]
        return answers, machine.world.time_s, machine.gantry.position

    assert run() == run()


@pytest.mark.parametrize("step_s", [0.001, 0.0073, 0.02, 1.0])
def test_the_size_of_the_time_steps_does_not_matter(make_machine: Callable[..., Any], step_s: float) -> None:
    machine = make_machine(seed=3)
    machine.controller.receive_bytes(b"$H\nG0 X-333 Y-77\nG1 Z-30 F900\nG4 P0\nM3 S9\n")
    end = 12.0
    while machine.world.time_s < end:
        machine.controller.advance_to(min(end, machine.controller.now_s + step_s))
        machine.world.time_s = machine.controller.now_s
    assert machine.controller.take_output().count(b"ok\r\n") == 5
    assert machine.gantry.position == pytest.approx((-333, -77, -30), abs=0.02)


def test_an_unknown_fault_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="known are blank_eeprom, drop_in_transit"):
        Faults({"earthquake": 1})


def test_every_fault_is_described() -> None:
    assert all(text and name == name.lower() for name, text in FAULTS.items())


LETTERS = "GGMXYZSPLNTIJ$J=HCX0123456789.- "
COMMANDS = (
    "G0 X-{0}",
    "G1 Y-{0} F{0}999",
    "G4 P0.{0}",
    "M3 S{0}",
    "M5",
    "$J=G91 X-{0} F{0}999",
    "$H",
    "$X",
    "$C",
    "$$",
    "$3{0}={0}",
)


def _random_line(draw: random.Random) -> str:
    if draw.random() < 0.5:
        return draw.choice(COMMANDS).format(draw.randint(0, 99))
    return "".join(draw.choices(LETTERS, k=draw.randint(0, 20)))


@pytest.mark.parametrize("seed", range(20))
def test_every_line_gets_exactly_one_answer(make_machine: Callable[..., Any], seed: int) -> None:
    """Unless an alarm or M0 silences the controller. A line takes at most some ten seconds here."""
    draw = random.Random(seed)
    machine = make_machine(seed=seed)
    machine.ask("$H")
    for _ in range(60):
        machine.line.send(_random_line(draw))
        machine.world.advance_to(machine.world.time_s + 20.0)
        lines = machine.controller.take_output().decode("ascii").splitlines()
        answers = sum(line == "ok" or line.startswith("error:") for line in lines)
        silenced = "[MSG:Reset to continue]" in lines
        held = machine.status().startswith("<Hold")
        assert answers == (0 if silenced or held else 1), lines
        if silenced:
            machine.line.realtime(0x18)
            machine.line.send("$X")
        elif held:
            machine.line.realtime(ord("~"))
        machine.world.advance_to(machine.world.time_s + 1.0)
        machine.controller.take_output()


@pytest.mark.parametrize("seed", range(30))
def test_no_bytes_break_the_controller(make_machine: Callable[..., Any], seed: int) -> None:
    """Whatever was sent: after a reset and `$X` it lives, and the gantry stayed within its frame."""
    draw = random.Random(seed)
    machine = make_machine(seed=seed)
    for _ in range(120):
        kind = draw.random()
        if kind < 0.5:
            data = _random_line(draw).encode() + b"\n"
        elif kind < 0.9:
            data = bytes((draw.choice([*b"?!~", 0x18, *range(0x80, 0xA2)]),))
        else:
            data = draw.randbytes(8)
        machine.controller.receive_bytes(data)
        machine.world.advance_to(machine.world.time_s + draw.choice([0.0005, 0.01, 0.3]))
    machine.world.advance_to(machine.world.time_s + 30.0)
    machine.line.realtime(0x18)
    machine.world.advance_to(machine.world.time_s + 1.0)
    machine.controller.take_output()
    assert machine.ask("$X")[-1] == "ok"
    assert machine.status().startswith("<Idle|")
    assert all(-travel - 5 < place < 5 for travel, place in zip((700, 640, 70), machine.gantry.position, strict=True))


@pytest.mark.slow
def test_time_costs_little(homed: Any) -> None:
    """Budget of CPU for a step of 20 ms: 25 us at rest, 60 us in motion, with the discs of a game below."""
    assert _cost_us(homed.world, 20.0) < 25
    homed.ask("G1 X-600 Y-600 Z-20 F1200")
    assert _cost_us(homed.world, 20.0) < 60


def _cost_us(world: World, seconds: float) -> float:
    started = time.process_time()
    world.advance_to(world.time_s + seconds)
    return (time.process_time() - started) / (seconds / World.STEP_S) * 1e6
