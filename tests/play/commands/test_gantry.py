"""`damludo gantry` moves what it says, and refuses before it moves."""

import json
from pathlib import Path
from typing import Any

import pytest

from damludo.calibration.profile import GantryProfile, gantry_path, save_gantry
from damludo.play.cli import main
from damludo.play.console import CommandError
from damludo.play.folders import Folders
from damludo.play.gantry import devices
from damludo.robot.frames import GantryMap
from damludo.robot.serial_line import Port

pytestmark = pytest.mark.simulation


@pytest.fixture
def measured(device: Any) -> Any:
    """The table with an exact profile of its gantry."""
    geometry = device.simulated.mechanics.geometry
    corners = [(0.0, 0.0), (400.0, 0.0), (400.0, 400.0), (0.0, 400.0)]
    points = [{"board_mm": corner, "machine_mm": geometry.to_gantry(*corner)} for corner in corners]
    file = device.home / "points.json"
    file.write_text(json.dumps({"surface_z_mm": -65.0, "points": points}))
    assert device.run("calibrate", "gantry", "--points", str(file)) == 0
    return device


def _carriage(device: Any) -> tuple[float, float]:
    carriage = device.simulated.table.carriage
    return carriage.x_mm, carriage.y_mm


def _discs(device: Any, square: str) -> int:
    layout = device.simulated.layout
    place = layout.square((int(square[1]) - 1) * layout.columns + ord(square[0]) - ord("a"))
    table = device.simulated.table
    height_mm = float(table.top_at(place.x_mm, place.y_mm))
    return round(height_mm / float(layout.disc_height_mm))


def test_the_status_is_one_document(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert device.run("gantry", "status", "--json") == 0

    status = json.loads(capsys.readouterr().out)
    assert status["warnings"] == [str(devices.no_profile(Folders(device.home / "config", device.home / "data")))]
    assert {name: status[name] for name in ("state", "homed", "pins", "magnet", "measured", "simulated", "port")} == {
        "state": "Alarm",
        "homed": False,
        "pins": "",
        "magnet": False,
        "measured": False,
        "simulated": False,
        "port": device.port,
    }


def test_homing_ends_at_the_switches(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert device.run("gantry", "home") == 0

    assert capsys.readouterr().out.splitlines() == [
        "Keep your hands off the table: the gantry moves.",
        "The gantry is at home: x 2.0, y 2.0, z 68.0 mm from the home corner.",
    ]
    assert device.simulated.mechanics.position == pytest.approx((-2.0, -2.0, -2.0), abs=0.1)


@pytest.mark.parametrize(
    ("square", "place"), [("c3", (125.0, 125.0)), ("h8", (375.0, 375.0)), ("white1", (-58.0, -25.0))]
)
def test_the_magnet_travels_above_the_square(square: str, place: tuple[float, float], measured: Any) -> None:
    assert measured.run("gantry", "goto", square) == 0

    assert _carriage(measured) == pytest.approx(place, abs=0.1)


def test_a_disc_goes_where_it_is_told(measured: Any) -> None:
    assert measured.run("gantry", "pick", "a1", typed="d4\n") == 0

    assert (_discs(measured, "a1"), _discs(measured, "d4")) == (0, 1)


@pytest.mark.parametrize(("typed", "code"), [("", 0), ("\n", 0), ("z9\n", 3)])
def test_a_disc_without_a_good_target_is_put_back(typed: str, code: int, measured: Any) -> None:
    """The magnet lets go when the program ends: the disc must not fall from the height."""
    assert measured.run("gantry", "pick", "a1", typed=typed) == code

    assert (_discs(measured, "a1"), measured.simulated.table.mishaps) == (1, [])


def test_a_disc_from_the_hand_is_put_down(measured: Any) -> None:
    assert measured.run("gantry", "place", "d4") == 0

    assert _carriage(measured) == pytest.approx((175.0, 175.0), abs=0.1)


def test_the_beam_parks_at_the_far_end(measured: Any) -> None:
    assert measured.run("gantry", "park") == 0

    assert measured.simulated.mechanics.position[1] == pytest.approx(-2.0, abs=0.1)


def test_without_a_profile_no_square_is_known(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert device.run("gantry", "goto", "c3") == 6

    assert "'damludo calibrate gantry'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["z9", "white21", "white0", "pink3"])
def test_a_place_that_does_not_exist_is_bad_input_with_or_without_a_gantry(name: str, tmp_path: Path) -> None:
    assert main(["--home", str(tmp_path), "gantry", "goto", name]) == 3


def test_a_square_out_of_reach_is_refused_before_anything_moves(
    measured: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (file,) = measured.profiles
    document = json.loads(file.read_text())
    document["gantry"]["board"]["x0_mm"] += 300.0
    file.write_text(json.dumps(document))
    before = measured.simulated.mechanics.position

    assert measured.run("gantry", "goto", "a1") == 5
    captured = capsys.readouterr()
    assert "is outside the travel 2.0..714.0 mm" in captured.err
    assert "hands" not in captured.out
    assert measured.simulated.mechanics.position == before


def test_a_sound_gantry_passes_its_test(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert device.run("gantry", "test") == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0].split(maxsplit=1) for line in lines[:-1]] == [
        ["pass", name] for name in ("controller", "homing", "end switches", "x", "y", "z", "magnet", "homing again")
    ]
    assert lines[-1] == "The gantry works."


def test_after_a_failure_nothing_more_is_tried(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    device.simulated.controller.faults.ask("switch_open_y")

    assert device.run("gantry", "test", "--json") == 5
    answer = json.loads(capsys.readouterr().out)
    assert answer["passed"] is False
    assert [trial["passed"] for trial in answer["trials"]] == [True, False] + 6 * [None]
    assert "ALARM 9" in answer["trials"][1]["text"]


def test_a_setting_is_stored_and_the_sentence_that_asks_for_it_is_true(
    device: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert device.run("gantry", "settings", "13=1") == 0
    assert device.run("gantry", "home") == 5
    assert "'damludo gantry settings 13=0'" in capsys.readouterr().err

    assert device.run("gantry", "settings", "13=0") == 0
    assert device.run("gantry", "home") == 0


def test_a_setting_the_controller_lacks_leads_to_the_list(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert device.run("gantry", "settings", "999=0") == 5
    assert "'damludo gantry settings' lists those it has" in capsys.readouterr().err


def test_the_settings_of_the_profile_are_put_back(measured: Any, capsys: pytest.CaptureFixture[str]) -> None:
    measured.run("gantry", "settings", "100=40", "130=500")
    assert measured.run("gantry", "goto", "c3") == 5
    assert "'damludo gantry settings --restore'" in capsys.readouterr().err

    assert measured.run("gantry", "settings", "--restore", "--json") == 0
    captured = capsys.readouterr()
    assert captured.err.splitlines() == ["$100 was 40.000, is now 80.000", "$130 was 500.000, is now 714.000"]
    assert json.loads(captured.out)["settings"]["130"] == "714.000"
    assert measured.run("gantry", "goto", "c3") == 0


@pytest.mark.parametrize("change", ["13", "x=1", "$13=0", "13=-1", "13=1e5"])
def test_a_change_must_look_like_a_number_and_a_value(change: str, device: Any) -> None:
    assert device.run("gantry", "settings", change) == (0 if change == "$13=0" else 2)


def _port(number: int, vendor_id: int | None) -> Port:
    return Port(f"/dev/ttyX{number}", f"serial-{number}", vendor_id, 1, "a bridge")


@pytest.mark.parametrize(
    ("ports", "words"),
    [
        pytest.param([], "no USB serial port is plugged in", id="none"),
        pytest.param([_port(0, None)], "no USB serial port is plugged in", id="none by USB"),
        pytest.param([_port(1, 7), _port(2, 7)], "/dev/ttyX1 (a bridge), /dev/ttyX2 (a bridge)", id="two"),
        pytest.param([_port(1, 7)], "there is no serial port /dev/ttyX1", id="one is taken"),
    ],
)
def test_the_missing_gantry_is_named(
    ports: list[Port],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(devices, "find_ports", lambda: ports)

    assert main(["--home", str(tmp_path), "gantry", "home"]) == 4
    assert words in capsys.readouterr().err


def test_a_profile_is_named_after_the_usb_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "find_ports", lambda: [_port(1, 7)])

    assert devices.controller_name("/dev/ttyX1") == "serial-1"
    assert devices.controller_name("/dev/ttyX2") == "ttyX2"


@pytest.mark.parametrize(
    ("device_name", "kept", "taken"),
    [
        pytest.param("ttyX1", ["serial-1", "ttyUSB0"], "serial-1", id="its own"),
        pytest.param("ttyX1", ["serial-2"], None, id="another controller's is not lent"),
        pytest.param("ttyX1", ["ttyUSB0"], None, id="nor is one without a number lent to one that has"),
        pytest.param(
            "ttyX2", ["ttyUSB0", "serial-1"], "ttyUSB0", id="the only one without a number, plugged in elsewhere"
        ),
        pytest.param("ttyX2", ["ttyUSB0", "ttyUSB1"], None, id="two without a number"),
        pytest.param("ttyX2", ["simulated-5", "pts-3"], None, id="simulated ones are not taken for real"),
    ],
)
def test_a_profile_goes_to_its_controller(
    device_name: str, kept: list[str], taken: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "find_ports", lambda: [_port(1, 7)])
    where = Folders(tmp_path, tmp_path)
    for name in kept:
        save_gantry(GantryProfile(name, GantryMap()), gantry_path(where.data, name))

    profile = devices.profile_of(devices.controller_name(f"/dev/{device_name}"), where)
    assert (profile.controller if profile else None) == taken


def test_a_match_without_a_profile_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="make one with 'damludo calibrate gantry'"):
        devices.profile_of_port("/dev/ttyX9", Folders(tmp_path, tmp_path))
