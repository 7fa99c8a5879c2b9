"""What the flashed image does to the motors: never a step too many, fast enough, and still at once when it must be."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.simulation, pytest.mark.slow]

MS = 1_000_000
CPU_HZ = 16_000_000
STEPS_PER_MM = (80, 80, 400)
START = -40_000
MOVES = 300
PACE_STEPS = 16
FIRMWARES = ["avr", "native"]

Step = tuple[float, int, int]
MakeWire = Callable[[str], Any]


def _steps(trace: Path) -> list[Step]:
    """Return the steps of a trace: time in s, axis, direction."""
    rows = [line.split() for line in trace.read_text(encoding="ascii").splitlines() if not line.startswith("T")]
    return [(int(cycles) / CPU_HZ, int(axis), int(change)) for cycles, axis, change in rows]


def _place(point: dict[str, float]) -> tuple[int, ...]:
    return tuple(round(point[axis] * per_mm) for axis, per_mm in zip("XYZ", STEPS_PER_MM, strict=True))


@pytest.mark.parametrize("kind", FIRMWARES)
def test_the_position_is_exact_after_random_moves_with_holds_and_overrides(kind: str, make_wire: MakeWire) -> None:
    wire, draw = make_wire(kind), random.Random(300)
    for axis in range(3):
        wire.obey(f"$12{axis}=3000")
    at = {"X": 0.0, "Y": 0.0, "Z": 0.0}
    for _ in range(MOVES):
        for name in draw.sample("XYZ", draw.randint(1, 3)):
            reach = 2 if name == "Z" else 8
            at[name] = round(draw.uniform(-reach, reach), draw.randint(0, 3))
        words = " ".join(f"{axis}{value}" for axis, value in at.items())
        wire.obey(f"G0 {words}" if draw.random() < 0.4 else f"G1 {words} F{draw.choice((600, 3000, 9000))}")
        if draw.random() < 0.35:
            wire.live(draw.uniform(1, 60), b"!")
            wire.live(draw.uniform(1, 120), bytes((draw.choice((0x90, 0x91, 0x92, 0x95, 0x96, 0x97)),)))
            while wire.report().startswith("<Hold:1"):
                wire.live(5)
            wire.live(1, b"~")
    wire.obey("G4 P0")

    told = wire.report()
    assert wire.steps == tuple(START + steps for steps in _place(at))
    assert told.startswith(f"<Idle|MPos:{at['X']:.3f},"[:11])


@pytest.mark.parametrize("kind", FIRMWARES)
def test_two_axes_make_more_than_25000_steps_a_second_each(kind: str, make_wire: MakeWire, tmp_path: Path) -> None:
    wire = make_wire(kind)
    for line in ("$110=20000", "$111=20000", "$120=5000", "$121=5000"):
        wire.obey(line)
    wire.obey("G0 X-60 Y-59.9")
    wire.obey("G4 P0")
    wire.process.close()

    window_s = 0.02
    steps = _steps(tmp_path / "trace")
    rates = []
    for axis in (0, 1):
        times = [time for time, which, _ in steps if which == axis]
        span = int(26_600 * window_s)
        rates.append(max(span / (times[i + span] - times[i]) for i in range(len(times) - span)))
    assert min(rates) > 25_000, rates
    assert wire.steps == (START - 4800, START - 4792, START)


def _cruise(wire: Any) -> None:
    """Bring x to an even 200 mm/s, 16,000 steps a second."""
    wire.obey("G1 X-300 F12000")
    wire.live(500)


@pytest.mark.parametrize("kind", FIRMWARES)
def test_a_hold_slows_within_20_ms(kind: str, make_wire: MakeWire, tmp_path: Path) -> None:
    wire = make_wire(kind)
    _cruise(wire)
    sent_s = wire.now_ns / 1e9
    wire.live(600, b"!")
    wire.process.close()

    times = [time for time, _, _ in _steps(tmp_path / "trace") if time > sent_s - 0.1]
    # The mean of some steps: an interrupt in between moves a single one by a few per cent.
    paces = [(after, after - before) for before, after in zip(times, times[PACE_STEPS:], strict=False)]
    even_s = max(pace for time, pace in paces if time < sent_s)
    last_even_s = max(time for time, pace in paces if pace <= 1.003 * even_s)
    assert 0.0 <= last_even_s - sent_s < 0.020
    # 200 mm/s at 1000 mm/s^2.
    assert times[-1] - sent_s == pytest.approx(0.2, abs=0.025)


@pytest.mark.parametrize("kind", FIRMWARES)
@pytest.mark.parametrize(
    ("stop", "limit_s"),
    [pytest.param("reset", 0.002, id="reset byte"), pytest.param("button", 0.020, id="stop button")],
)
def test_a_stop_lets_no_step_and_no_magnet_pass(
    kind: str, stop: str, limit_s: float, make_wire: MakeWire, tmp_path: Path
) -> None:
    wire = make_wire(kind)
    wire.obey("M3 S1000")
    assert wire.process.report.magnet_on
    _cruise(wire)
    sent_s = wire.now_ns / 1e9
    if stop == "button":
        wire.process.force_inputs(8, 8)
    wire.live(300, b"\x18" if stop == "reset" else b"")

    assert not wire.process.report.magnet_on
    assert wire.process.report.magnet_edge_ns / 1e9 - sent_s < limit_s
    assert b"ALARM:3" in wire.process.output
    wire.process.close()
    assert _steps(tmp_path / "trace")[-1][0] - sent_s < limit_s


@pytest.mark.parametrize("kind", FIRMWARES)
def test_a_silent_host_stops_motion_and_magnet_within_five_seconds(
    kind: str, make_wire: MakeWire, tmp_path: Path
) -> None:
    wire = make_wire(kind)
    for number, line in enumerate(("M3 S1000", "G1 X-900 F3000")):
        body = f"N{number} {line}"
        wire.obey(f"{body}*{_check_sum(body.encode()):04X}")
    sent_s = wire.now_ns / 1e9
    wire.live(10_000)

    report = wire.process.report
    wire.process.close()
    assert not report.magnet_on
    assert 2.5 < report.magnet_edge_ns / 1e9 - sent_s < 5.0
    assert _steps(tmp_path / "trace")[-1][0] - sent_s < 5.0


@pytest.mark.parametrize("kind", FIRMWARES)
def test_a_short_spark_on_a_switch_is_no_alarm_and_a_pressed_switch_is_one(kind: str, make_wire: MakeWire) -> None:
    wire = make_wire(kind)
    _cruise(wire)
    for _ in range(20):
        wire.process.force_inputs(7, 7)
        wire.live(4)
        wire.process.force_inputs(0, 0)
        wire.live(6)
    assert b"ALARM" not in wire.process.output

    wire.process.force_inputs(2, 2)
    wire.live(20)
    assert b"ALARM:1" in wire.process.output
    moved = wire.steps
    wire.live(100)
    assert wire.steps == moved


def _check_sum(data: bytes) -> int:
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value
