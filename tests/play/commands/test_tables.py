"""`damludo tables` makes tables and asks them."""

import json
from pathlib import Path

import pytest

from damludo.play.cli import main


def test_tables_are_made_and_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = ["--home", str(tmp_path), "tables"]
    assert main([*home, "build", "--game", "english", "--pieces", "2", "--json"]) == 0
    built = json.loads(capsys.readouterr().out)
    assert main([*home, "probe", "--game", "english", "--fen", "W:Wc3:Bd4", "--json"]) == 0
    won = json.loads(capsys.readouterr().out)
    assert main([*home, "probe", "--game", "english", "--fen", "W:WKc3:BKe5"]) == 0
    assert capsys.readouterr().out == "loss in 6 plies\n"

    assert (built["game"], built["pieces"], built["bytes"]) == ("english", 2, 3_600)
    assert won == {"value": "win", "plies": 1}

    assert main([*home, "probe", "--game", "english", "--fen", "W:Wc3:Bd4,d6"]) == 3
    assert "'damludo tables build --pieces 3' makes larger ones" in capsys.readouterr().err
    assert main([*home, "probe", "--game", "english"]) == 3
    assert "no tables go beyond 4: ask 'damludo best' instead" in capsys.readouterr().err


def test_without_tables_the_way_to_them_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path), "tables", "probe", "--game", "thai", "--fen", "W:Wc3:Bd4"]) == 3
    assert "damludo tables build --game thai" in capsys.readouterr().err
