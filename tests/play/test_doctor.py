"""`damludo doctor` tells every problem at once, with what repairs it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from damludo.play import doctor
from damludo.play.cli import main
from damludo.play.console import ExitCode
from damludo.play.doctor import Computer, Finding, Level, findings
from damludo.play.folders import Folders, folders
from damludo.robot import serial_line
from damludo.robot.serial_line import Port

SOUND = {
    "numpy": "2.1.0",
    "pyserial": "3.5",
    "fastapi": "0.115.0",
    "uvicorn": "0.30.1",
    "websockets": "13.0",
    "opencv-python": "4.10.0.84",
}


def _computer(devices: Path, versions: Mapping[str, str] = SOUND, opencv: str | None = "4.10.0") -> Computer:
    return Computer(devices, devices, versions.get, lambda: (opencv, "" if opencv else "libGL.so.1 is missing"))


@pytest.fixture
def where(tmp_path: Path) -> Folders:
    """Folders that are there."""
    found = folders(str(tmp_path))
    found.config.mkdir()
    found.calibration.mkdir(parents=True)
    return found


@pytest.fixture
def devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of device files with one camera, and one serial port beside it."""
    folder = tmp_path / "dev"
    folder.mkdir()
    (folder / "video0").touch()
    (folder / "ttyUSB0").touch()
    port = Port(str(folder / "ttyUSB0"), "A7", 0x1A86, 0x7523, "USB serial")
    monkeypatch.setattr(serial_line, "find_ports", lambda: [port])
    return folder


def _bad(where: Folders, computer: Computer) -> list[Finding]:
    return [finding for finding in findings(where, computer) if finding.level is not Level.OK]


def test_a_sound_computer_lacks_the_profile_alone(where: Folders, devices: Path) -> None:
    bad = _bad(where, _computer(devices))

    assert [(finding.level, finding.what, finding.repair) for finding in bad] == [
        (Level.WARNING, "profile", "damludo calibrate gantry --serial PORT")
    ]


@pytest.mark.parametrize(
    ("change", "opencv", "what", "text"),
    [
        pytest.param({"numpy": "1.25.2"}, "4.10.0", "numpy", "1.25.2 is too old", id="too old"),
        pytest.param({"pyserial": "3.5"}, "4.9.0", "OpenCV", "4.9.0 is outside 4.10 to 5.x", id="OpenCV too old"),
        pytest.param({}, "6.0.0", "OpenCV", "6.0.0 is outside 4.10 to 5.x", id="OpenCV too new"),
        pytest.param({}, None, "OpenCV", "cannot be loaded: libGL.so.1 is missing", id="OpenCV broken"),
        pytest.param(
            {"opencv-python-headless": "4.11.0"},
            "4.11.0",
            "OpenCV",
            "opencv-python and opencv-python-headless are installed into one folder and overwrite each other",
            id="two wheels",
        ),
    ],
)
def test_a_wrong_package_is_a_problem(
    change: dict[str, str], opencv: str | None, what: str, text: str, where: Folders, devices: Path
) -> None:
    (problem,) = [f for f in _bad(where, _computer(devices, SOUND | change, opencv)) if f.level is Level.PROBLEM]

    assert (problem.what, problem.text, problem.code) == (what, text, ExitCode.DEVICE_FAULT)
    assert "pip" in problem.repair


def test_a_missing_package_is_a_problem(where: Folders, devices: Path) -> None:
    versions = {name: version for name, version in SOUND.items() if name != "websockets"}

    assert _bad(where, _computer(devices, versions))[0].text == "is not installed"


def test_the_versions_are_those_of_the_project(root: Path) -> None:
    text = (root / "pyproject.toml").read_text(encoding="utf-8")

    assert [wanted for _, wanted in doctor.PACKAGES.values() if f'"{wanted}"' not in text] == []
    assert '"opencv-python>=4.10,<6"' in text


def test_devices_that_settings_name_must_be_there(where: Folders, devices: Path) -> None:
    (where.config / "settings.toml").write_text('[camera]\nsource = "3"\n[gantry]\nport = "/dev/ttyX9"\n')

    problems = [f for f in _bad(where, _computer(devices)) if f.level is Level.PROBLEM]
    assert [(f.text, f.code) for f in problems[:2]] == [
        ("gantry.port = '/dev/ttyX9' is not there", ExitCode.NO_DEVICE),
        ("camera.source = '3' is not there", ExitCode.NO_DEVICE),
    ]
    assert problems[2].code is ExitCode.NOT_CALIBRATED


def test_no_device_at_all_is_a_warning_for_people_who_play_without(
    where: Folders, devices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (devices / "video0").unlink()
    monkeypatch.setattr(serial_line, "find_ports", list)

    assert [(f.level, f.what) for f in _bad(where, _computer(devices))] == [
        (Level.WARNING, "serial ports"),
        (Level.WARNING, "cameras"),
        (Level.WARNING, "profile"),
    ]


def test_a_closed_device_names_its_group(where: Folders, devices: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = devices / "ttyUSB0"
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed)
    monkeypatch.setattr("grp.getgrgid", lambda number: type("Group", (), {"gr_name": "dialout"}))

    (problem,) = [f for f in _bad(where, _computer(devices)) if f.level is Level.PROBLEM]
    assert problem.text == f"{closed} (1a86:7523, USB serial, serial number A7) may not be opened by this user"
    assert problem.repair == "sudo usermod -aG dialout $USER, then log in again"


def test_a_damaged_profile_and_damaged_settings_are_both_told(where: Folders, devices: Path) -> None:
    (where.config / "settings.toml").write_text("[gantry]\nprot = 1\n")
    (where.calibration / "gantry-A7.json").write_text("{")
    (where.calibration / "camera--board.json").write_text("{}")

    problems = [f for f in _bad(where, _computer(devices)) if f.level is Level.PROBLEM]
    assert [(f.what, f.code) for f in problems] == [
        ("settings", ExitCode.DEVICE_FAULT),
        ("profile", ExitCode.NOT_CALIBRATED),
        ("profile", ExitCode.NOT_CALIBRATED),
    ]
    assert "the nearest known one is 'port'" in problems[0].text
    assert problems[1].repair == "damludo calibrate gantry"
    assert problems[2].repair == f"rm '{where.calibration / 'camera--board.json'}'"


def test_the_file_is_not_blamed_for_an_environment_variable(
    where: Folders, devices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAMLUDO_BOARD__SQUARE", "50")

    (problem,) = [f for f in _bad(where, _computer(devices)) if f.level is Level.PROBLEM]
    assert problem.text.startswith("environment variable DAMLUDO_BOARD__SQUARE: unknown key")
    assert problem.repair == "correct that environment variable, or unset it"


def test_a_full_disk_is_a_problem(where: Folders, devices: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 5_000_000}))

    assert _bad(where, _computer(devices))[0].text == f"5 MB are free at {where.data}"


@pytest.mark.parametrize(
    ("version", "numbers"), [("5.0.0", (5, 0, 0)), ("4.10.0.84", (4, 10, 0, 84)), ("13.0rc1", (13, 0)), ("dev", ())]
)
def test_versions_are_compared_by_their_numbers(version: str, numbers: tuple[int, ...]) -> None:
    assert doctor._numbers(version) == numbers


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ([], 0),
        ([ExitCode.NOT_CALIBRATED], 6),
        ([ExitCode.NOT_CALIBRATED, ExitCode.NO_DEVICE], 4),
        ([ExitCode.NOT_CALIBRATED, ExitCode.NO_DEVICE, ExitCode.DEVICE_FAULT], 5),
    ],
)
def test_the_worst_problem_is_the_exit_code(
    codes: list[ExitCode],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = [Finding(Level.PROBLEM, "a thing", "is broken", "mend it", problem) for problem in codes]
    found.append(Finding(Level.WARNING, "a thing", "is old", code=ExitCode.NO_DEVICE))
    monkeypatch.setattr(doctor, "findings", lambda where, computer: found)

    assert main(["--home", str(tmp_path), "doctor"]) == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == "warning  a thing: is old"
    assert lines[-1].startswith(f"{len(codes)} problem{'' if len(codes) == 1 else 's'}, 1 warning.")
    assert lines.count("problem  a thing: is broken") == lines.count("           -> mend it") == len(codes)


def test_only_folders_are_made_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--home", str(tmp_path), "doctor", "--fix", "--json"])

    captured = capsys.readouterr()
    made = [Path(line.removeprefix("making the folder ")) for line in captured.err.splitlines()]
    assert sorted(made) == sorted(tmp_path.rglob("*"))
    assert set(json.loads(captured.out)) == {"problems", "warnings", "findings"}


def test_the_doctor_makes_nothing_by_himself(tmp_path: Path) -> None:
    main(["--home", str(tmp_path), "doctor", "--json"])

    assert list(tmp_path.iterdir()) == []
