"""Whole games with the firmware as the gantry's controller, seen by the camera after every move of the machine."""

import json
from pathlib import Path

import pytest

from damludo.play.cli import main
from damludo.play.records.journal import read_journal

pytestmark = [pytest.mark.simulation, pytest.mark.slow]

CLEAN = {"wrong_plies": 0, "false_penalties": 0, "crushed": 0, "dropped": 0, "double_steps": 0, "asked_human": 0}


@pytest.mark.parametrize(
    ("controller", "game", "camera"),
    [
        pytest.param("avr", "damludo", "readings", id="the flashed image plays damludo"),
        pytest.param("avr", "anti", "rendered", id="the flashed image plays under a rendered camera"),
        pytest.param("native", "damludo", "rendered", id="the firmware on this computer plays damludo"),
    ],
)
def test_a_whole_game_is_played_and_every_move_is_seen(
    controller: str, game: str, camera: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"simulate --game {game} --seed 1 --human random+fast --level 1 --camera {camera} --controller {controller} --json"
    assert main([*words.split(), "--journal", str(tmp_path)]) == 0

    told = json.loads(capsys.readouterr().out)
    assert (told["finished"], told["controller"]) == (1, controller)
    assert {name: told[name] for name in CLEAN} == CLEAN
    events = [entry["event"] for entry in read_journal(next(tmp_path.glob("*.jsonl"))).entries]
    assert told["robot_plies"] >= 5
    assert events.count("verified") == told["robot_plies"]
