"""`damludo doctor`: every problem of this computer and its settings at once, each with what repairs it.

Nothing here needs a package that may be missing: what is looked at is asked for in another process, or imported inside a `try`.
"""

import grp
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path

from damludo.play.console import CommandError, ExitCode, counted, note, print_json
from damludo.play.folders import Folders
from damludo.play.settings import Settings, load_settings

PYTHON = (3, 11)
PACKAGES: Mapping[str, tuple[tuple[int, ...], str]] = {
    "numpy": ((1, 26), "numpy>=1.26"),
    "pyserial": ((3, 5), "pyserial>=3.5"),
    "fastapi": ((0, 115), "fastapi>=0.115"),
    "uvicorn": ((0, 30), "uvicorn>=0.30"),
    "websockets": ((13,), "websockets>=13"),
}
"""Lowest versions, as in `pyproject.toml`; OpenCV has its own check."""
OPENCV_FROM, OPENCV_BELOW = (4, 10), (6,)
OPENCV_WHEELS = (
    "opencv-python",
    "opencv-python-headless",
    "opencv-contrib-python",
    "opencv-contrib-python-headless",
)
IMPORT_LIMIT_S = 60.0
LOW_DISK_MB, FULL_DISK_MB = 200, 20
"""A journal of a game is less than 1 MB; below the second figure not even that is sure."""


class Level(Enum):
    """How bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        what: was looked at.
        text: what was found.
        repair: the command or the act that repairs it, "" if nothing is to be repaired.
        code: exit code that a problem asks for: DEVICE_FAULT, NO_DEVICE or NOT_CALIBRATED.
    """

    level: Level
    what: str
    text: str
    repair: str = ""
    code: ExitCode = ExitCode.DEVICE_FAULT


WORST_FIRST = (ExitCode.DEVICE_FAULT, ExitCode.NO_DEVICE, ExitCode.NOT_CALIBRATED)
"""Something is there and does not work; something is missing; something is not measured."""


@dataclass(frozen=True, slots=True)
class Computer:
    """Where the doctor looks; a test shows him another computer.

    Attributes:
        devices: folder of the device files.
        versions: gives the version of an installed distribution, None if there is none.
        load_opencv: gives the version that can be loaded, or the reason why it cannot.
    """

    devices: Path = Path("/dev")
    video_names: Path = Path("/sys/class/video4linux")
    versions: Callable[[str], str | None] = lambda name: _version(name)
    load_opencv: Callable[[], tuple[str | None, str]] = lambda: _load_opencv()


def doctor(where: Folders, fix: bool, as_json: bool) -> int:
    """Print what was found; exit code of the worst problem, 0 without any."""
    if fix:
        _make_folders(where)
    found = list(findings(where, Computer()))
    problems = [finding for finding in found if finding.level is Level.PROBLEM]
    warnings = [finding for finding in found if finding.level is Level.WARNING]
    if as_json:
        shown = [{k: v for k, v in asdict(f).items() if k != "code"} | {"level": f.level.value} for f in found]
        print_json({"problems": len(problems), "warnings": len(warnings), "findings": shown})
    else:
        for finding in found:
            print(f"{finding.level.value:<8} {finding.what}: {finding.text}")
            if finding.repair:
                print(f"{'':<8}   -> {finding.repair}")
        counts = counted(len(problems), "problem", "problems"), counted(len(warnings), "warning", "warnings")
        print(f"{', '.join(counts)}. Without hardware you can play: damludo play --sim")
    return next((code for code in WORST_FIRST if any(p.code is code for p in problems)), ExitCode.FINE)


def _make_folders(where: Folders) -> None:
    for folder in (where.config, where.data, where.calibration, where.journals):
        if not folder.is_dir():
            note(f"making the folder {folder}")
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                note(f"that failed: {error.strerror}")


def findings(where: Folders, computer: Computer) -> Iterator[Finding]:
    """Look at everything."""
    yield _python()
    yield from _packages(computer)
    opencv = list(_opencv(computer))
    yield from opencv
    settings, finding = _settings(where)
    yield finding
    yield from _folders(where)
    yield from _serial_ports(settings)
    yield from _cameras(settings, computer)
    if any(f.level is Level.PROBLEM for f in opencv):
        yield Finding(Level.WARNING, "profiles", "not looked at: OpenCV is needed to read them")
    else:
        yield from _profiles(where, settings)


# The program


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= PYTHON:
        return Finding(Level.OK, "Python", found)
    return Finding(Level.PROBLEM, "Python", f"{found} is too old", "install Python 3.11 or newer, then 'make play'")


def _packages(computer: Computer) -> Iterator[Finding]:
    for name, (lowest, requirement) in PACKAGES.items():
        found = computer.versions(name)
        install = f"{sys.executable} -m pip install '{requirement}'"
        if found is None:
            yield Finding(Level.PROBLEM, name, "is not installed", install)
        elif _numbers(found) < lowest:
            yield Finding(Level.PROBLEM, name, f"{found} is too old", install)
        else:
            yield Finding(Level.OK, name, found)


def _opencv(computer: Computer) -> Iterator[Finding]:
    install = f"{sys.executable} -m pip install 'opencv-python>=4.10,<6'"
    version, reason = computer.load_opencv()
    if version is None:
        repair = f"{install} (on Debian its libraries too: 'sudo apt install libgl1 libglib2.0-0')"
        yield Finding(Level.PROBLEM, "OpenCV", f"cannot be loaded: {reason}", repair)
    elif not OPENCV_FROM <= _numbers(version) < OPENCV_BELOW:
        yield Finding(Level.PROBLEM, "OpenCV", f"{version} is outside 4.10 to 5.x", install)
    else:
        yield Finding(Level.OK, "OpenCV", version)
    wheels = [name for name in OPENCV_WHEELS if computer.versions(name) is not None]
    if len(wheels) > 1:
        text = f"{' and '.join(wheels)} are installed into one folder and overwrite each other"
        repair = f"{sys.executable} -m pip uninstall -y {' '.join(wheels)}, then {install}"
        yield Finding(Level.PROBLEM, "OpenCV", text, repair)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _load_opencv() -> tuple[str | None, str]:
    """Load it in another process: a broken library may end the process that loads it."""
    code = "import cv2; print(cv2.__version__)"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=IMPORT_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return None, f"it did not answer within {IMPORT_LIMIT_S:.0f} s"
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
    return done.stdout.strip(), ""


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (5, 0, 0) of "5.0.0rc1"."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)


# Files


def _settings(where: Folders) -> tuple[Settings, Finding]:
    file = where.config / "settings.toml"
    try:
        settings = load_settings(file)
    except CommandError as error:
        return Settings(), Finding(Level.PROBLEM, "settings", str(error), _repair_of_settings(file))
    return settings, Finding(
        Level.OK, "settings", str(file) if file.exists() else f"{file} is not there: the defaults hold"
    )


def _repair_of_settings(file: Path) -> str:
    try:
        load_settings(file, {})
    except CommandError:
        return f"edit {file}"
    return "correct that environment variable, or unset it"


def _folders(where: Folders) -> Iterator[Finding]:
    folder = where.data
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        repair = f"sudo chown -R $USER {there}, or choose another folder with --home DIR"
        yield Finding(Level.PROBLEM, "data folder", f"nothing can be written into {there}", repair)
    elif there != folder:
        yield Finding(Level.OK, "data folder", f"{folder} is made when it is needed")
    else:
        yield Finding(Level.OK, "data folder", str(folder))
    free_mb = shutil.disk_usage(there).free // 1_000_000
    if free_mb < LOW_DISK_MB:
        level = Level.PROBLEM if free_mb < FULL_DISK_MB else Level.WARNING
        yield Finding(
            level, "disk", f"{free_mb} MB are free at {there}", f"make room: old games are in {where.journals}"
        )
    else:
        yield Finding(Level.OK, "disk", f"{free_mb} MB are free")


def _profiles(where: Folders, settings: Settings) -> Iterator[Finding]:
    from damludo.calibration.errors import CalibrationError
    from damludo.calibration.profile import load_camera, load_gantry

    gantries = sorted(where.calibration.glob("gantry-*.json"))
    cameras = sorted(where.calibration.glob("*--*.json"))
    for path in (*gantries, *(path for path in cameras if path not in gantries)):
        try:
            text = f"{path.name} is readable"
            if path in gantries:
                text += f"; greatest error {load_gantry(path).worst_mm:.2f} mm"
            else:
                load_camera(path)
            yield Finding(Level.OK, "profile", text)
        except CalibrationError as error:
            repair = "damludo calibrate gantry" if path in gantries else f"rm '{path}'"
            yield Finding(Level.PROBLEM, "profile", str(error), repair, ExitCode.NOT_CALIBRATED)
    if not any(not path.name.startswith("gantry-simulated-") for path in gantries):
        level = Level.PROBLEM if settings.gantry.port else Level.WARNING
        text = "no gantry was measured yet; only the simulated table can be played on"
        yield Finding(level, "profile", text, "damludo calibrate gantry --serial PORT", ExitCode.NOT_CALIBRATED)


# Devices


def _serial_ports(settings: Settings) -> Iterator[Finding]:
    try:
        from damludo.robot.serial_line import find_ports
    except ImportError:
        yield Finding(Level.WARNING, "serial ports", "not looked at: pyserial is needed")
        return
    usb = [port for port in find_ports() if port.vendor_id is not None]
    for port in usb:
        ids = f"{port.vendor_id:04x}:{port.product_id or 0:04x}"
        about = f"{ids}, {port.description}, serial number {port.serial_number or 'none'}"
        yield _permission("serial port", Path(port.device), about)
    wanted = settings.gantry.port
    if wanted and wanted not in [port.device for port in usb]:
        if Path(wanted).exists():
            yield _permission("serial port", Path(wanted), "named by gantry.port")
        else:
            text = f"gantry.port = {wanted!r} is not there"
            repair = "plug the controller in, or name its port with --serial PORT"
            yield Finding(Level.PROBLEM, "serial port", text, repair, ExitCode.NO_DEVICE)
    elif not usb:
        repair = "plug the gantry's controller in and switch it on"
        yield Finding(Level.WARNING, "serial ports", "no USB serial port is plugged in", repair)


def _cameras(settings: Settings, computer: Computer) -> Iterator[Finding]:
    """List the cameras without opening them: an open one may be in use, and opening can hang."""
    files = sorted(computer.devices.glob("video[0-9]*"), key=lambda path: (len(path.name), path.name))
    for path in files:
        try:
            name = (computer.video_names / path.name / "name").read_text(encoding="utf-8").strip()
        except OSError:
            name = "unknown"
        yield _permission("camera", path, f"number {path.name.removeprefix('video')}, {name}")
    wanted = settings.camera.source
    device = computer.devices / f"video{wanted}" if wanted.isdigit() else Path(wanted)
    if wanted and "://" not in wanted and not device.exists():
        text = f"camera.source = {wanted!r} is not there"
        repair = "plug the camera in, or name another one with --camera SOURCE"
        yield Finding(Level.PROBLEM, "camera", text, repair, ExitCode.NO_DEVICE)
    elif not wanted and not files:
        repair = "plug a camera in, or use an http stream: damludo play --camera http://..."
        yield Finding(Level.WARNING, "cameras", "none is plugged in", repair)


def _permission(what: str, path: Path, about: str) -> Finding:
    if os.access(path, os.R_OK | os.W_OK):
        return Finding(Level.OK, what, f"{path} ({about})")
    try:
        group = grp.getgrgid(path.stat().st_gid).gr_name
    except (OSError, KeyError):
        group = "dialout"
    joining = f"sudo usermod -aG {group} $USER, then log in again"
    repair = f"sudo chmod a+rw {path}" if group == "root" else joining
    text = f"{path} ({about}) may not be opened by this user"
    return Finding(Level.PROBLEM, what, text, repair, ExitCode.NO_DEVICE)
