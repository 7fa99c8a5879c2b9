"""`damludo analyse` finds the moves that cost something."""

import json
from pathlib import Path

import pytest

from damludo.play.cli import main


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.pdn"
    path.write_text('[GameType "21"]\n[FEN "W:W22,32:B15,4"]\n\n1. 22-18 15x22 *\n', encoding="utf-8")
    return path


def test_the_blunder_is_told_with_a_better_move(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    assert main(["analyse", str(record), "--nodes", "1500", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)

    assert (answer["game"], answer["plies"]) == ("english", 2)
    (blunder,) = answer["blunders"]
    assert (blunder["ply"], blunder["side"]) == (1, "white")
    assert blunder["played"]["notation"] == "22-18"
    assert blunder["cost"] > 0.7


def test_people_read_what_it_cost(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    assert main(["analyse", str(record), "--nodes", "1500"]) == 0
    assert capsys.readouterr().out.startswith("1. white ")


@pytest.mark.parametrize("words", [("--number", "2"), ("--game", "turkish")])
def test_a_game_that_is_not_there_is_bad_input(
    capsys: pytest.CaptureFixture[str], record: Path, words: tuple[str, ...]
) -> None:
    assert main(["analyse", str(record), *words]) == 3
    assert str(record) in capsys.readouterr().err


def test_a_file_that_is_not_there_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "/no/such/file.pdn"]) == 3
    assert "cannot be read" in capsys.readouterr().err
