"""The simulated controller in memory and behind a pseudo-terminal."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import serial

from damludo.robot.errors import LineClosed, LineError, LineSilent
from damludo.robot.line import Line
from damludo.simulation.clock import World
from damludo.simulation.realtime import RealTime
from damludo.simulation.transport import PseudoTerminal

pytestmark = pytest.mark.simulation


def test_the_memory_line_is_a_line(homed: Any) -> None:
    line: Line = homed.line
    line.send("$I")
    assert line.receive(1.0) == "[VER:1.1h.20190830:]"


def test_waiting_passes_simulated_time_only(homed: Any) -> None:
    before, started = homed.world.time_s, time.process_time()
    with pytest.raises(LineSilent, match=r"within 30\.00 s"):
        homed.line.receive(30.0)
    assert homed.world.time_s == pytest.approx(before + 30.0)
    assert time.process_time() - started < 1.0


def test_a_zero_time_out_does_not_wait(homed: Any) -> None:
    before = homed.world.time_s
    with pytest.raises(LineSilent):
        homed.line.receive(0.0)
    assert homed.world.time_s == before


@pytest.mark.parametrize("text", ["G0 X1\n", "ĉ", "\x18", "G0\tX1"])
def test_what_is_not_plain_ascii_is_refused(homed: Any, text: str) -> None:
    with pytest.raises(LineError, match="not plain ASCII"):
        homed.line.send(text)


def test_a_closed_line_stays_closed(homed: Any) -> None:
    homed.line.close()
    homed.line.close()
    with pytest.raises(LineClosed):
        homed.line.send("G4 P0")
    with pytest.raises(LineClosed):
        homed.line.receive(1.0)
    with pytest.raises(LineClosed):
        homed.line.realtime(63)


@pytest.fixture
def port(make_machine: Callable[..., Any]) -> Iterator[str]:
    machine = make_machine()
    with PseudoTerminal(machine.controller, machine.world) as terminal, RealTime(machine.world, speed=4.0):
        yield terminal.path


def _wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within ten seconds")


def _open(path: str) -> serial.Serial:
    return serial.Serial(path, 115200, timeout=5.0)


def test_pyserial_opens_the_pseudo_terminal_and_homes(port: str) -> None:
    with _open(port) as client:
        assert [client.readline() for _ in range(3)][1] == b"Grbl 1.1h ['$' for help]\r\n"
        client.write(b"$H\n")
        assert client.readline() == b"ok\r\n"
        client.write(b"?")
        assert client.readline().startswith(b"<Idle|MPos:-2.000,-2.000,-2.000|")


def test_each_opening_restarts_the_controller(port: str) -> None:
    for _ in range(4):
        with _open(port) as client:
            assert client.readline() == b"\r\n"
            assert client.readline() == b"Grbl 1.1h ['$' for help]\r\n"
            assert client.readline() == b"[MSG:'$H'|'$X' to unlock]\r\n"
        time.sleep(0.05)


def test_an_unplugged_port_is_noticed(make_machine: Callable[..., Any]) -> None:
    machine = make_machine()
    terminal = PseudoTerminal(machine.controller, machine.world)
    with _open(terminal.path) as client:
        terminal.close()
        terminal.close()
        with pytest.raises(serial.SerialException):
            client.read(1)


class _Broken:
    def advance_to(self, time_s: float) -> None:
        raise ZeroDivisionError("a part broke")


def test_real_time_ends_its_thread_and_tells_of_a_broken_part() -> None:
    world = World()
    world.add(_Broken())
    with pytest.raises(ZeroDivisionError, match="a part broke"), RealTime(world) as living:
        _wait_for(lambda: not living.alive)
    assert not living.alive


def test_real_time_goes_with_the_wall_clock() -> None:
    world = World()
    started = time.monotonic()
    with RealTime(world, speed=2.0):
        _wait_for(lambda: world.time_s > 0.3)
    assert 0.3 < world.time_s <= 2.0 * (time.monotonic() - started)
