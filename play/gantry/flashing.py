"""`damludo flash`: the prebuilt firmware onto the controller, by avrdude; what is there is read before and after."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from damludo.play.clock import WallClock
from damludo.play.console import CommandError, ExitCode, print_json
from damludo.robot.controller import Controller
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import LineError, LineSilent, RobotError
from damludo.robot.firmware_image import FirmwareImage, prebuilt_image
from damludo.robot.gcode import Message
from damludo.robot.serial_line import Port, SerialLine, find_ports

AVRDUDE_LIMIT_S = 120.0


@dataclass(frozen=True, slots=True)
class BoardKind:
    """A board that can be flashed.

    Attributes:
        name: for people.
        bauds: of its boot loader, tried in this order.
    """

    name: str
    bauds: tuple[int, ...]


_UNO = BoardKind("Arduino Uno", (115_200,))
# Clones come with the Uno's boot loader or with the Nano's old one.
_BRIDGE = (115_200, 57_600)
BOARDS = {
    (0x2341, 0x0043): _UNO,
    (0x2341, 0x0001): _UNO,
    (0x2A03, 0x0043): _UNO,
    (0x2341, 0x0243): _UNO,
    (0x1A86, 0x7523): BoardKind("Uno or Nano with a CH340 bridge", _BRIDGE),
    (0x0403, 0x6001): BoardKind("Uno or Nano with an FTDI bridge", _BRIDGE),
    (0x10C4, 0xEA60): BoardKind("Uno or Nano with a CP2102 bridge", _BRIDGE),
}
"""By vendor and product of USB, as the makers publish them."""
NAMED = BoardKind("board on a port that you named", _BRIDGE)


@dataclass(frozen=True, slots=True)
class Flashing:
    """What is on the board, what shall be there, and how it gets there."""

    port: str
    board: str
    present: str
    wanted: str
    bytes: int
    command: str
    written: bool = False
    read_back: str | None = None


def choose_board(port: str, ports: Sequence[Port]) -> tuple[str, BoardKind]:
    """Return the port to flash and what stands there; without a port the only known board that is plugged in.

    Raises:
        CommandError: there is none, or more than one.
    """
    known = [(found, BOARDS[key]) for found in ports if (key := (found.vendor_id, found.product_id)) in BOARDS]
    if port:
        real = os.path.realpath(port)
        return port, next((kind for found, kind in known if os.path.realpath(found.device) == real), NAMED)
    if len(known) == 1:
        return known[0][0].device, known[0][1]
    if not known:
        raise CommandError(
            "no Uno or Nano is plugged in; plug the controller in (see 'damludo doctor'), or name its port with --port PORT",
            ExitCode.NO_DEVICE,
        )
    names = ", ".join(f"{found.device} ({kind.name})" for found, kind in known)
    raise CommandError(
        f"there are {len(known)} boards: {names}; name the right one with --port PORT", ExitCode.NO_DEVICE
    )


def ask_version(port: str) -> str:
    """Return the firmware that answers to `$I` on a port, such as "Damludo 1.0.0" or "GRBL 1.1h"; "" if none does.

    Opening the port restarts the board: its position is lost.

    Raises:
        LineError: the port cannot be opened.
    """
    try:
        with SerialLine(port) as line:
            controller = Controller(line, GRBL, WallClock(), None)
            controller.greet()
            texts = [answer.text for answer in controller.exchange("$I") if isinstance(answer, Message)]
    except LineSilent:
        return ""
    except LineError:
        raise
    except RobotError:
        return ""
    ours = next((text for text in texts if text.startswith(_OURS)), None)
    if ours is not None:
        return _name(ours.removeprefix(_OURS).split(",")[0])
    version = next((text for text in texts if text.startswith("VER:")), "VER:")
    return f"GRBL {version.split(':')[1]}" if version != "VER:" else ""


_OURS = "DAMLUDO:"


def _name(version: str) -> str:
    return f"Damludo {version}"


def avrdude_command(image: Path, port: str, baud: int) -> list[str]:
    """Return the command that writes an image through the boot loader; the EEPROM with the settings is left alone."""
    return [
        "avrdude",
        "-q",
        "-p",
        "atmega328p",
        "-c",
        "arduino",
        "-P",
        port,
        "-b",
        str(baud),
        "-D",
        "-U",
        f"flash:w:{image}:i",
    ]


def write_image(image: FirmwareImage, port: str, kind: BoardKind) -> None:
    """Call avrdude, at each speed that the boot loader may have.

    Raises:
        CommandError: avrdude is missing, or could not write.
    """
    if shutil.which("avrdude") is None:
        raise CommandError(
            "avrdude, which writes the firmware, is not on this computer; install it: sudo apt-get install avrdude",
            ExitCode.NO_DEVICE,
        )
    complaint = ""
    for baud in kind.bauds:
        try:
            done = subprocess.run(
                avrdude_command(image.path, port, baud),
                capture_output=True,
                text=True,
                check=False,
                timeout=AVRDUDE_LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            complaint = f"it did not come to an end within {AVRDUDE_LIMIT_S:.0f} s"
            continue
        if done.returncode == 0:
            return
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        complaint = next(
            (line for line in lines if "error" in line.lower()), lines[-1] if lines else "it gave no reason"
        )
    raise CommandError(
        f"avrdude could not write to {port} ({complaint.strip()}); check cable and board, close other programs on the port, "
        f"then flash again: a board that was half written waits for it",
        ExitCode.DEVICE_FAULT,
    )


def flash(
    port: str,
    dry_run: bool,
    again: bool,
    as_json: bool,
    ports: Callable[[], Sequence[Port]] = find_ports,
    write: Callable[[FirmwareImage, str, BoardKind], None] = write_image,
) -> int:
    """Compare, show, write, read back.

    Args:
        port: of the board, "" for the only one.
        dry_run: stop after showing.
        again: write even what is there already.
        as_json: print one document instead of sentences.
        ports: lists the ports of this computer.
        write: writes the image.
    """
    image = prebuilt_image()
    device, kind = choose_board(port, ports())
    plan = Flashing(
        device,
        kind.name,
        ask_version(device),
        _name(image.version),
        image.size,
        " ".join(avrdude_command(image.path, device, kind.bauds[0])),
    )
    if not as_json:
        _show(plan)
    if not dry_run and (again or plan.present != plan.wanted):
        write(image, device, kind)
        plan = Flashing(**{**asdict(plan), "written": True, "read_back": ask_version(device)})
    if as_json:
        print_json(asdict(plan))
    else:
        print(_outcome(plan, dry_run))
    return ExitCode.FINE if plan.read_back in (None, plan.wanted) else ExitCode.DEVICE_FAULT


def _show(plan: Flashing) -> None:
    print(f"board      {plan.board} on {plan.port}")
    print(f"there is   {plan.present or 'no firmware that answers to $I'}")
    print(f"comes      {plan.wanted}, {plan.bytes} bytes of flash")
    print("settings   stay as they are: the EEPROM is not touched")
    print(f"command    {plan.command}", flush=True)


def _outcome(plan: Flashing, dry_run: bool) -> str:
    if plan.read_back == plan.wanted:
        return f"The board now answers as {plan.read_back}. Home it before anything else: damludo gantry home"
    if plan.read_back is not None:
        return (
            f"The image was written, but the board answers {plan.read_back or 'nothing'} instead of {plan.wanted}; "
            f"press its reset button, then ask again with --dry-run"
        )
    if plan.present == plan.wanted:
        return "The board has this firmware already; nothing was written (--again writes it all the same)."
    return "Nothing was written (--dry-run)." if dry_run else "Nothing was written."
