"""The firmware gets onto the board, and nothing else happens to it."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from damludo.play.cli import main
from damludo.play.console import CommandError, ExitCode
from damludo.play.gantry import flashing
from damludo.play.gantry.flashing import BoardKind, choose_board, write_image
from damludo.robot.firmware_image import FirmwareImage, prebuilt_image
from damludo.robot.places import TableLayout
from damludo.robot.serial_line import Port
from damludo.simulation.clock import World
from damludo.simulation.controller import Controller
from damludo.simulation.gantry import install_gantry
from damludo.simulation.realtime import RealTime
from damludo.simulation.table import Table
from damludo.simulation.transport import PseudoTerminal

UNO = Port("/dev/ttyACM7", "7523", 0x2341, 0x0043, "Arduino Uno")
CLONE = Port("/dev/ttyUSB3", "", 0x1A86, 0x7523, "USB Serial")
MODEM = Port("/dev/ttyACM1", "", 0x1199, 0x9071, "a modem")


@dataclass
class Plugged:
    """A board behind a serial port."""

    controller: Controller
    port: str

    def write(self, image: FirmwareImage, port: str, kind: BoardKind) -> None:
        """Do what avrdude does."""
        assert port == self.port
        self.controller.core.version = image.version

    def flash(self, dry_run: bool = False, again: bool = False) -> int:
        """Run the command on this port."""
        return flashing.flash(self.port, dry_run, again, True, lambda: [MODEM, UNO], self.write)


@pytest.fixture
def plugged() -> Iterator[Plugged]:
    world, table = World(), Table(TableLayout())
    _, controller = install_gantry(world, table, 1)
    controller.core.version = "0.9.1"
    with RealTime(world, 4.0), PseudoTerminal(controller, world) as port:
        yield Plugged(controller, port.path)


def _document(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def test_an_older_firmware_is_replaced_and_read_back(plugged: Plugged, capsys: pytest.CaptureFixture[str]) -> None:
    assert plugged.flash() == ExitCode.FINE

    told = _document(capsys)
    wanted = f"Damludo {prebuilt_image().version}"
    assert (told["present"], told["wanted"], told["written"], told["read_back"]) == (
        "Damludo 0.9.1",
        wanted,
        True,
        wanted,
    )


def test_a_dry_run_writes_nothing(plugged: Plugged, capsys: pytest.CaptureFixture[str]) -> None:
    assert plugged.flash(dry_run=True) == ExitCode.FINE

    told = _document(capsys)
    assert (told["present"], told["written"], told["read_back"]) == ("Damludo 0.9.1", False, None)
    assert plugged.controller.core.version == "0.9.1"
    assert f"-P {plugged.port} -b 115200 -D -U flash:w:" in str(told["command"])


def test_the_same_firmware_is_written_again_only_if_asked(plugged: Plugged, capsys: pytest.CaptureFixture[str]) -> None:
    plugged.controller.core.version = prebuilt_image().version
    assert plugged.flash() == ExitCode.FINE
    assert _document(capsys)["written"] is False

    assert plugged.flash(again=True) == ExitCode.FINE
    assert _document(capsys)["written"] is True


def test_a_board_that_answers_otherwise_afterwards_is_a_fault(
    plugged: Plugged, capsys: pytest.CaptureFixture[str]
) -> None:
    code = flashing.flash(plugged.port, False, False, False, lambda: [], lambda image, port, kind: None)

    assert code == ExitCode.DEVICE_FAULT
    assert "the board answers Damludo 0.9.1 instead of" in capsys.readouterr().out


def test_the_only_known_board_is_chosen() -> None:
    device, kind = choose_board("", [MODEM, CLONE])

    assert (device, kind.bauds) == ("/dev/ttyUSB3", (115_200, 57_600))


@pytest.mark.parametrize(
    ("ports", "sentence"),
    [
        pytest.param([MODEM], "no Uno or Nano is plugged in", id="none"),
        pytest.param([UNO, CLONE], "there are 2 boards: /dev/ttyACM7", id="two"),
    ],
)
def test_in_doubt_nothing_is_flashed(ports: list[Port], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence) as raised:
        choose_board("", ports)

    assert raised.value.code is ExitCode.NO_DEVICE


AVRDUDE = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in *"-b 57600"*) exit 0;; esac
echo "avrdude: error: programmer is not responding" >&2
exit 1
"""


@pytest.fixture
def avrdude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An avrdude in front of an old boot loader; the file that it writes its calls into."""
    program = tmp_path / "avrdude"
    program.write_text(AVRDUDE, encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return tmp_path / "calls"


def test_an_old_boot_loader_is_met_at_its_speed(avrdude: Path) -> None:
    image = prebuilt_image()

    write_image(image, "/dev/ttyUSB3", BoardKind("a clone", (115_200, 57_600)))

    expected = "-q -p atmega328p -c arduino -P /dev/ttyUSB3 -b {} -D -U flash:w:{}:i"
    assert avrdude.read_text(encoding="utf-8").splitlines() == [
        expected.format(115_200, image.path),
        expected.format(57_600, image.path),
    ]


def test_what_avrdude_complains_of_is_told(avrdude: Path) -> None:
    with pytest.raises(CommandError, match="programmer is not responding") as raised:
        write_image(prebuilt_image(), "/dev/ttyACM7", BoardKind("an Uno", (115_200,)))

    assert raised.value.code is ExitCode.DEVICE_FAULT


def test_without_avrdude_the_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(CommandError, match="sudo apt-get install avrdude") as raised:
        write_image(prebuilt_image(), "/dev/ttyACM7", BoardKind("an Uno", (115_200,)))

    assert raised.value.code is ExitCode.NO_DEVICE


def test_a_port_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flash", "--port", "/dev/no-such-port", "--dry-run"]) == ExitCode.NO_DEVICE
    assert "/dev/no-such-port" in capsys.readouterr().err
