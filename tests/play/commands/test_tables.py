"""`damludo tables` makes tables and asks them."""

import json
from pathlib import Path

import pytest

from damludo.play.cli import main


def test_a_table_is_made_once_and_asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    home = ["--home", str(tmp_path), "tables"]
    assert main([*home, "build", "--game", "english", "--pieces", "2", "--json"]) == 0
    built = json.loads(capsys.readouterr().out)
    assert [file["pieces"] for file in built["files"]] == [2]
    assert Path(built["files"][0]["file"]).stat().st_size == built["files"][0]["bytes"]

    assert main([*home, "probe", "--game", "english", "--fen", "W:WKc3:BKa1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"value": "draw", "plies": None}
    assert main([*home, "probe", "--game", "english", "--fen", "W:Wc3:Bd4"]) == 0
    assert capsys.readouterr().out == "white to move: win in 1 plies\n"


def test_a_table_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["--home", str(tmp_path), "tables", "probe", "--game", "russian", "--fen", "W:WKc3:BKa5"]) == 3
    assert "damludo tables build --game russian --pieces 2" in capsys.readouterr().err


def test_too_many_pieces_are_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["--home", str(tmp_path), "tables", "build", "--game", "english", "--pieces", "9"]) == 3
    assert "there are tables from 2 to 4" in capsys.readouterr().err
