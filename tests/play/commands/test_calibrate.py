"""`damludo calibrate gantry` finds where the board lies."""

import json
from typing import Any

import pytest

from damludo.calibration.profile import load_gantry
from damludo.play.cli import main
from damludo.robot.machine import settings_of_grbl

pytestmark = pytest.mark.simulation

CORNERS = ((0.0, 0.0), (400.0, 0.0), (400.0, 400.0), (0.0, 400.0), (200.0, 200.0))
HOME = (2.0, 2.0)
"""Where the carriage stands after homing: the pull-off of 2 mm."""


def _gantry_xy(device: Any, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Where a person finds a point of the board: as far from the home corner as the machine's coordinates are below 0."""
    machine_x, machine_y = device.simulated.mechanics.geometry.to_gantry(x_mm, y_mm)
    return round(-machine_x, 3), round(-machine_y, 3)


def _typed(device: Any, wrong_mm: float = 0.0) -> str:
    """What a person types who sees well; the third point is taken `wrong_mm` beside its place."""
    lines, (x, y) = [], HOME
    for number, corner in enumerate(CORNERS[:3]):
        to_x, to_y = _gantry_xy(device, *corner)
        to_x += wrong_mm * (number == 2)
        lines.append(f"x{to_x - x:+.3f} y{to_y - y:+.3f}")
        if number == 0:
            # From 68 mm at home to 10, which is 5 mm above the board.
            lines.append("z-10 z-10 z-10 z-10 z-10 z-8")
        lines.append("ok")
        x, y = to_x, to_y
    # The other two are found by the machine itself, 3 mm higher.
    return "\n".join([*lines, "ok", "ok", "z-8", "ok", ""])


def test_a_person_who_jogs_gets_a_true_profile(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert device.run("calibrate", "gantry", "--json", typed=_typed(device)) == 0

    answer = json.loads(capsys.readouterr().out)
    (file,) = device.profiles
    profile = load_gantry(file)
    assert answer["file"] == str(file)
    assert file.name == f"gantry-{device.port.removeprefix('/dev/').replace('/', '-')}.json"
    assert (answer["points"], answer["surface_z_mm"]) == (5, 5.0)
    assert answer["worst_mm"] < 0.05
    for corner in CORNERS:
        place = profile.board.to_gantry(*corner)
        assert (place.x_mm, place.y_mm) == pytest.approx(_gantry_xy(device, *corner), abs=0.05)


def test_a_point_beside_its_place_is_refused_and_nothing_is_kept(
    device: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    by_itself = _typed(device, wrong_mm=9.0)
    assert device.run("calibrate", "gantry", typed=by_itself) == 6

    assert "misses the map by" in capsys.readouterr().err
    assert device.profiles == []


@pytest.mark.parametrize(
    ("typed", "code", "words"),
    [
        pytest.param("x+5\n", 6, "the input ended", id="the input ends"),
        pytest.param("quit\n", 130, "ended before all points", id="given up"),
        pytest.param("x5\n", 6, "'x5' is not understood; nothing moves", id="a sign is missing"),
        pytest.param("z-20\n", 6, "z-20 is more than 10 mm down at once; nothing moves", id="too deep"),
        pytest.param("x-50 y+10\n", 6, "Nothing moves: x would be -48.0, its travel is (2.0, ", id="out of reach"),
    ],
)
def test_what_is_typed_wrong_is_said_and_nothing_is_kept(
    typed: str, code: int, words: str, device: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert device.run("calibrate", "gantry", typed=typed) == code

    assert words in capsys.readouterr().err
    assert device.profiles == []


def test_a_point_may_be_measured_again(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    device.run("calibrate", "gantry", typed="ok\nback\nquit\n")

    points = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Point ")]
    assert [line.split(":")[0] for line in points] == ["Point 1 of 5", "Point 2 of 5", "Point 1 of 5"]


def test_points_measured_before_need_no_motion(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    geometry = device.simulated.mechanics.geometry
    file = device.home / "points.json"
    points = [{"board_mm": corner, "machine_mm": geometry.to_gantry(*corner)} for corner in CORNERS]
    file.write_text(json.dumps({"surface_z_mm": -65.0, "points": points}))
    before = device.simulated.mechanics.position

    assert device.run("calibrate", "gantry", "--points", str(file)) == 0
    assert capsys.readouterr().out.startswith("5 points: error 0.00 mm rms, 0.00 mm at worst\naxes out of square by ")
    assert load_gantry(device.profiles[0]).board.surface_z_mm == 5.0
    assert device.simulated.mechanics.position == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "does not hold measured points"),
        ('{"surface_z_mm": -65, "points": [{"board_mm": [0, 0]}]}', "'machine_mm'"),
        ('{"surface_z_mm": true, "points": []}', "True is not a number"),
    ],
)
def test_a_file_without_points_is_bad_input(
    text: str, words: str, device: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = device.home / "points.json"
    file.write_text(text)

    assert device.run("calibrate", "gantry", "--points", str(file)) == 3
    assert words in capsys.readouterr().err


def test_the_simulated_table_measures_itself(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--home", str(device.home), "calibrate", "gantry", "--sim", "--seed", "5", "--speed", "20", "--json"]
    assert main(words) == 0

    answer = json.loads(capsys.readouterr().out)
    assert (answer["controller"], answer["points"]) == ("simulated-5", 9)
    assert 0.0 < answer["rms_mm"] <= answer["worst_mm"] < 2.0
    machine = load_gantry(device.profiles[0]).machine
    values = {k: str(v) for k, v in device.simulated.mechanics.geometry.settings.values.items()}
    assert machine == settings_of_grbl(values)


def test_a_square_of_another_size_is_remembered_by_the_person(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    device.run("calibrate", "gantry", "--square-mm", "48.5", typed="quit\n")

    assert "write square_mm = 48.5 below [board] into " in capsys.readouterr().err
