"""`damludo match` plays and counts."""

import json
import sys
from pathlib import Path

import pytest

from damludo.play.cli import main

PLAYED = ("match", "--game", "english", "--games", "2", "--nodes", "60", "--opening-plies", "2", "--seed", "3")
KEYS = ["games", "a_wins", "draws", "b_wins", "a_score", "elo", "elo_95", "illegal", "time_losses", "failures"]


def _json(capsys: pytest.CaptureFixture[str], white: str, black: str) -> dict[str, object]:
    assert main([*PLAYED, "--white", white, "--black", black, "--json"]) == 0
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_the_engine_beats_chance_in_the_promised_form(capsys: pytest.CaptureFixture[str]) -> None:
    answer = _json(capsys, "damludo", "random")

    assert list(answer) == KEYS
    assert (answer["games"], answer["a_wins"], answer["a_score"], answer["elo"]) == (2, 2, 1.0, None)
    assert (answer["illegal"], answer["time_losses"]) == (0, 0)
    assert answer == _json(capsys, "damludo", "random")


def test_people_read_who_won(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PLAYED, "--white", "random", "--black", "level:2"]) == 0

    assert capsys.readouterr().out.startswith(
        "random against level:2: 0 won, 0 drawn, 2 lost (0%)\nElo difference cannot be measured "
    )


@pytest.mark.parametrize("spec", ["level:0", "hub:", "chess"])
def test_a_player_that_is_none_is_bad_input(capsys: pytest.CaptureFixture[str], spec: str) -> None:
    assert main([*PLAYED, "--white", spec, "--black", "random"]) == 3
    assert "damludo: " in capsys.readouterr().err


def test_a_program_that_cannot_be_started_is_said_before_the_first_move(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PLAYED, "--white", "hub:/no/such/program", "--black", "random"]) == 3
    assert "cannot be started" in capsys.readouterr().err


def test_a_foreign_program_that_errs_is_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "bad.py"
    script.write_text(
        "import sys\nprint('param name=variant values=\"english\"', flush=True)\n"
        "answers = {'hub': 'wait', 'init': 'ready', 'ping': 'pong', 'go': 'done move=1-32'}\n"
        "for line in sys.stdin:\n    print(answers.get(line.split()[0], ''), flush=True)\n",
        encoding="utf-8",
    )

    answer = _json(capsys, "random", f"hub:{sys.executable} -I {script}")

    assert (answer["a_wins"], answer["illegal"]) == (2, 2)


@pytest.mark.parametrize("words", [("--games", "0"), ("--seconds", "0"), ("--opening-plies", "-1"), ("--depth", "2")])
def test_numbers_outside_their_bounds_are_wrong_usage(words: tuple[str, ...]) -> None:
    assert main([*PLAYED, "--white", "random", "--black", "random", *words]) == 2
