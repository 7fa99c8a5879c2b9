"""`damludo best` asks the engine."""

import json

import pytest

from damludo.play.cli import main

FEN = "W:Wc3,e3:Bd4,f6,h8"


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["best", *words, "--json"]) == 0
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_a_proved_win_is_told_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    answer = _json(capsys, "--game", "russian", "--fen", FEN, "--nodes", "2000")

    assert answer["mate"] == 5
    assert isinstance(answer["pv"], list)
    line = [move["notation"] for move in answer["pv"]]
    assert line[:3] == ["c3:g7", "h8:f6", "e3-f4"]
    # Black's last man is taken wherever it goes, as soon in one way as in the other.
    assert line[3:] in (["f6-e5", "f4:d6"], ["f6-g5", "f4:h6"])
    assert answer["move"] == answer["pv"][0]


def test_the_node_limit_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    answer = _json(capsys, "--game", "international", "--nodes", "700")

    assert answer["nodes"] == 700
    assert answer["mate"] is None


def test_the_depth_limit_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert _json(capsys, "--game", "english", "--depth", "3")["depth"] == 3


def test_two_limits_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["best", "--game", "english", "--depth", "3", "--seconds", "1"]) == 2
    assert "not allowed with" in capsys.readouterr().err


def test_people_see_the_move_and_its_worth(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["best", "--game", "russian", "--fen", FEN, "--level", "5"]) == 0

    assert capsys.readouterr().out.startswith("c3xe5xg7   wins in 5 plies, depth 5, ")


def test_several_lines_come_best_first(capsys: pytest.CaptureFixture[str]) -> None:
    answer = _json(capsys, "--game", "english", "--fen", "W:Wc3:Bb4,d4,f6,g7", "--nodes", "1500", "--lines", "4")

    assert isinstance(answer["lines"], list)
    assert [line["move"]["text"] for line in answer["lines"]] == ["c3xa5", "c3xe5"]
    assert answer["lines"][0]["move"] == answer["move"]
