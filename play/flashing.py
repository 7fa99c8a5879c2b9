"""`damludo flash`: the firmware onto the controller, by avrdude, from the prebuilt image; what is there is read before and after."""

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import damludo.robot
from damludo.play.clock import WallClock
from damludo.play.console import CommandError, ExitCode, print_json
from damludo.robot.controller import Controller
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import LineError, LineSilent, RobotError
from damludo.robot.gcode import Message
from damludo.robot.serial_line import Port, SerialLine, find_ports

IMAGE = Path(damludo.robot.__path__[0]) / "firmware_images" / "damludo_gantry.hex"
FLASH_BYTES = 32_256
"""Flash of the ATmega328P without the 512 bytes of the Uno's boot loader."""
AVRDUDE_LIMIT_S = 120.0

_VERSION = re.compile(rb"\[VER:([ -Z^-~]{1,60}?):?[\]\0:]")


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


class BadImage(Exception):
    """The file is no image for this controller."""


@dataclass(frozen=True, slots=True)
class Image:
    """A firmware image.

    Attributes:
        version: what it answers to `$I`.
        size: bytes of flash.
    """

    path: Path
    version: str
    size: int


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


def read_hex(text: str) -> bytes:
    """Return the bytes of an Intel HEX file that begins at 0; gaps are 0xFF.

    Raises:
        BadImage: a line is damaged, or lies outside the flash.
    """
    flash = bytearray()
    for number, line in enumerate(text.split(), 1):
        try:
            record = bytes.fromhex(line.removeprefix(":"))
        except ValueError:
            raise BadImage(f"line {number} of the image is damaged") from None
        if len(record) < 5 or record[0] != len(record) - 5 or sum(record) & 0xFF:
            raise BadImage(f"line {number} of the image is damaged")
        if record[3] == 0:
            start = record[1] << 8 | record[2]
            flash += b"\xff" * (start + record[0] - len(flash))
            flash[start : start + record[0]] = record[4:-1]
    if not 0 < len(flash) <= FLASH_BYTES:
        raise BadImage(f"the image has {len(flash)} bytes, there is room for {FLASH_BYTES}")
    return bytes(flash)


def load_image(path: Path = IMAGE) -> Image:
    """Read an image and the version inside it.

    Raises:
        CommandError: it is not there, damaged, or not the gantry's firmware.
    """
    try:
        code = read_hex(path.read_text(encoding="ascii"))
        found = _VERSION.search(code)
        if found is None:
            raise BadImage("the image does not name a version: it is not the gantry's firmware")
    except (OSError, UnicodeDecodeError, BadImage) as error:
        raise CommandError(f"the firmware image {path} cannot be used: {error}", ExitCode.BAD_INPUT) from error
    return Image(path, found[1].decode("ascii"), len(code))


def choose_board(port: str, ports: Sequence[Port]) -> tuple[str, BoardKind]:
    """Return the port to flash and what stands there; without a port the only known board that is plugged in.

    Raises:
        CommandError: there is none, or more than one.
    """
    known = [(found, BOARDS[key]) for found in ports if (key := (found.vendor_id, found.product_id)) in BOARDS]
    if port:
        return port, next((kind for found, kind in known if found.device == port), NAMED)
    if len(known) == 1:
        return known[0][0].device, known[0][1]
    if not known:
        raise CommandError(
            "no Uno or Nano is plugged in; plug the controller in (see 'damludo doctor'), or name its port with --port PORT",
            ExitCode.NO_DEVICE,
        )
    names = ", ".join(f"{found.device} ({kind.name})" for found, kind in known)
    raise CommandError(f"there are {len(known)} boards: {names}; name the right one with --port PORT", ExitCode.NO_DEVICE)


def ask_version(port: str) -> str:
    """Return what the controller on a port answers to `$I`; "" if nobody answers or somebody of another kind.

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
    version = next((text for text in texts if text.startswith("VER:")), "")
    return version.removeprefix("VER:").split(":")[0]


def avrdude_command(image: Path, port: str, baud: int) -> list[str]:
    """Return the command that writes an image through the boot loader; the EEPROM with the settings is left alone."""
    return ["avrdude", "-q", "-p", "atmega328p", "-c", "arduino", "-P", port, "-b", str(baud), "-D", "-U", f"flash:w:{image}:i"]


def write_image(image: Image, port: str, kind: BoardKind) -> None:
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
        complaint = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "it gave no reason")
    raise CommandError(
        f"avrdude could not write to {port} ({complaint.strip()}); check cable and board, close other programs that use the port, "
        f"then flash again: a board that was half written waits for it",
        ExitCode.DEVICE_FAULT,
    )


def flash(
    port: str,
    dry_run: bool,
    again: bool,
    as_json: bool,
    image: Path = IMAGE,
    ports: Callable[[], Sequence[Port]] = find_ports,
) -> int:
    """Compare, show, write, read back.

    Args:
        port: of the board, "" for the only one.
        dry_run: stop after showing.
        again: write even what is there already.
        as_json: print one document instead of sentences.
        image: what is written.
        ports: lists the ports of this computer.
    """
    wanted = load_image(image)
    device, kind = choose_board(port, ports())
    plan = Flashing(
        device,
        kind.name,
        ask_version(device),
        wanted.version,
        wanted.size,
        " ".join(avrdude_command(image, device, kind.bauds[0])),
    )
    if not as_json:
        _show(plan)
    if not dry_run and (again or plan.present != plan.wanted):
        write_image(wanted, device, kind)
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
