"""The serial line over a real pseudo-terminal; the other end is held by the test."""

import errno
import os
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
import serial
from serial.tools import list_ports

from damludo.robot.errors import LineClosed, LineError, LineSilent, PortBusy, PortNotFound
from damludo.robot.serial_line import SerialLine, find_ports, open_line


class Peer:
    """The controller's end of a pseudo-terminal."""

    def __init__(self) -> None:
        self._leaving = threading.Lock()
        self.handle, slave = os.openpty()
        tty.setraw(slave)
        self.device = os.ttyname(slave)
        os.close(slave)

    def write(self, data: bytes) -> None:
        os.write(self.handle, data)

    def read(self) -> bytes:
        return os.read(self.handle, 4096)

    def read_up_to(self, end: bytes) -> bytes:
        """Read on until what came ends like this; bytes may come in pieces."""
        got = b""
        while not got.endswith(end):
            got += self.read()
        return got

    def leave(self) -> None:
        """Pull the cable; a second time, or from a second thread, does nothing."""
        with self._leaving:
            handle, self.handle = self.handle, -1
        if handle >= 0:
            os.close(handle)


@contextmanager
def after(seconds: float, act: Callable[..., Any], *arguments: Any) -> Iterator[None]:
    """Another thread does this meanwhile; it has ended when the block has."""
    timer = threading.Timer(seconds, act, arguments)
    timer.start()
    try:
        yield
    finally:
        timer.join()


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.leave()


@pytest.fixture
def line(peer: Peer) -> Iterator[SerialLine]:
    with SerialLine(peer.device) as line:
        yield line


def test_lines_and_real_time_bytes_arrive_as_they_were_sent(peer: Peer, line: SerialLine) -> None:
    line.send("G53 G1 X-1.000")
    line.realtime(0x3F)
    line.send("")
    line.realtime(0x18)
    assert peer.read_up_to(b"\x18") == b"G53 G1 X-1.000\n?\n\x18"


def test_lines_come_whole_and_without_their_ends(peer: Peer, line: SerialLine) -> None:
    peer.write(b"ok\r\n\r\nGrbl 1.1h ['$' for ")
    assert [line.receive(0.5), line.receive(0.5)] == ["ok", ""]
    with pytest.raises(LineSilent, match=r"no answer from .* within 0\.1 s"):
        line.receive(0.1)
    peer.write(b"help]\r\n")
    assert line.receive(0.5) == "Grbl 1.1h ['$' for help]"


def test_bytes_that_are_no_ascii_are_replaced(peer: Peer, line: SerialLine) -> None:
    peer.write(b"\xffo\x80k\n")
    assert line.receive(0.5) == "\ufffdo\ufffdk"


def test_a_flood_without_line_ends_comes_in_pieces(peer: Peer, line: SerialLine) -> None:
    peer.write(b"4" * 600 + b"\n")
    assert [len(line.receive(0.5)) for _ in range(3)] == [256, 256, 88]


def test_what_has_come_is_read_even_without_waiting(peer: Peer, line: SerialLine) -> None:
    peer.write(b"ok\n")
    # The kernel hands the bytes on in its own time.
    for _ in range(1000):
        with suppress(LineSilent):
            assert line.receive(0.0) == "ok"
            return
        time.sleep(0.01)
    raise AssertionError("nothing came")


@pytest.mark.parametrize("text", ["G0 X1\nM3", "\x18", "naïve", "G0\x85", "G0 X1 ?", "!", "~", "\x7f"])
def test_lines_that_hold_more_than_a_line_are_refused_unsent(peer: Peer, line: SerialLine, text: str) -> None:
    with pytest.raises(LineError, match="nothing was sent"):
        line.send(text)
    line.send("end")
    assert peer.read_up_to(b"end\n") == b"end\n"


def test_a_second_program_is_refused(peer: Peer, line: SerialLine) -> None:
    with pytest.raises(PortBusy, match="another program holds"):
        SerialLine(peer.device)


def test_a_port_that_is_not_there_is_named() -> None:
    with pytest.raises(PortNotFound, match="there is no serial port /dev/ttyNONE9"):
        SerialLine("/dev/ttyNONE9")


def test_a_port_that_may_not_be_opened_names_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(serial, "Serial", refuse)
    with pytest.raises(PortBusy, match="add yourself to group dialout"):
        SerialLine("/dev/ttyUSB0")


def test_a_pulled_cable_closes_the_line(peer: Peer, line: SerialLine) -> None:
    peer.leave()
    with pytest.raises(LineClosed, match="plug the controller's cable in again"):
        line.receive(1.0)
    with pytest.raises(LineClosed):
        line.send("G0")


def test_a_cable_pulled_while_waiting_ends_the_wait(peer: Peer, line: SerialLine) -> None:
    started_s = time.monotonic()
    with after(0.2, peer.leave), pytest.raises(LineClosed):
        line.receive(10.0)
    assert time.monotonic() - started_s < 5


def test_a_peer_that_reads_nothing_is_an_error_and_no_hang(peer: Peer, line: SerialLine) -> None:
    def fill() -> None:
        for _ in range(2000):
            line.send("G4 P0" * 12)

    started_s = time.monotonic()
    with pytest.raises(LineClosed, match=r"took no bytes for 0\.5 s"):
        fill()
    assert time.monotonic() - started_s < 10


def test_a_real_time_byte_overtakes_a_waiting_receive(peer: Peer, line: SerialLine) -> None:
    with after(0.1, line.realtime, 0x21), pytest.raises(LineSilent):
        line.receive(0.4)
    assert peer.read() == b"!"


def test_real_time_bytes_never_cut_a_line_in_two(peer: Peer, line: SerialLine) -> None:
    def hold_often() -> None:
        for _ in range(200):
            line.realtime(0x21)

    thread = threading.Thread(target=hold_often)
    got = bytearray()
    thread.start()
    for _ in range(200):
        line.send("G53 G1 X-100.000 Y-100.000")
        got += peer.read()
    thread.join()
    line.send("end")
    got += peer.read_up_to(b"end\n")
    assert bytes(got).count(b"G53 G1 X-100.000 Y-100.000\n") == 200
    assert bytes(got).count(b"!") == 200


def test_a_closed_line_says_so_and_closes_twice(peer: Peer) -> None:
    line = SerialLine(peer.device)
    line.close()
    line.close()
    with pytest.raises(LineClosed, match="is closed"):
        line.send("G0")
    with pytest.raises(LineClosed):
        line.receive(0.1)


def test_a_port_that_comes_back_under_another_name_is_found_by_its_number(
    peer: Peer, monkeypatch: pytest.MonkeyPatch, clock: Any
) -> None:
    back = SimpleNamespace(device=peer.device, serial_number="A1", vid=1, pid=2, description="x")
    monkeypatch.setattr(list_ports, "comports", lambda: [back] if clock.now_s() > 5 else [])
    with open_line(clock, serial_number="A1") as line:
        assert line.device == peer.device
    assert clock.now_s() == pytest.approx(0.25 + 0.5 + 1 + 2 + 4)


def test_patience_with_a_missing_port_ends(clock: Any) -> None:
    with pytest.raises(PortNotFound, match="serial number 'none'"):
        open_line(clock, serial_number="none", patience_s=10.0)
    assert clock.now_s() <= 10.0
    with pytest.raises(PortNotFound, match="/dev/ttyNONE9"):
        open_line(clock, device="/dev/ttyNONE9", patience_s=0.0)


def test_ports_are_chosen_by_the_number_of_the_device_not_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def info(device: str, serial_number: str | None, vid: int | None, pid: int | None) -> SimpleNamespace:
        return SimpleNamespace(device=device, serial_number=serial_number, vid=vid, pid=pid, description="x")

    monkeypatch.setattr(
        list_ports,
        "comports",
        lambda: [
            info("/dev/ttyS0", None, None, None),
            info("/dev/ttyACM1", "A1", 0x2341, 0x43),
            info("/dev/ttyACM0", "B2", 0x2341, 0x43),
        ],
    )
    assert [port.device for port in find_ports()] == ["/dev/ttyACM0", "/dev/ttyACM1", "/dev/ttyS0"]
    assert [port.device for port in find_ports(serial_number="A1")] == ["/dev/ttyACM1"]
    assert [port.device for port in find_ports(vendor_id=0x2341, product_id=0x43)] == ["/dev/ttyACM0", "/dev/ttyACM1"]
    assert find_ports(serial_number="C3") == []
