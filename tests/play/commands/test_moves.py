"""`damludo moves` lists what is legal."""

import json

import pytest

from damludo.play.cli import main


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["moves", *words, "--json"]) == 0
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_a_capture_in_the_agreed_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert _json(capsys, "--game", "english", "--fen", "W:Wc3,a1:Bd4,f6") == {
        "game": "english",
        "fen": "W:W22,29:B11,18",
        "side": "white",
        "moves": [
            {
                "text": "c3xe5xg7",
                "notation": "22x8",
                "from": "c3",
                "to": "g7",
                "path": ["e5", "g7"],
                "captures": ["d4", "f6"],
                "piece": "man",
                "becomes": None,
            }
        ],
        "result": None,
        "reason": None,
    }


def test_a_removal_from_the_full_board(capsys: pytest.CaptureFixture[str]) -> None:
    moves = _json(capsys, "--game", "hawaiian")["moves"]

    assert isinstance(moves, list)
    assert sorted(move["from"] for move in moves) == ["a8", "d5", "e4", "h1"]
    assert all(move["path"] == [] and move["captures"] == [move["from"]] == [move["to"]] for move in moves)


@pytest.mark.parametrize(("key", "result"), [("english", "black wins"), ("anti", "white wins")])
def test_a_finished_game_has_a_result_with_its_reason(
    key: str, result: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = _json(capsys, "--game", key, "--fen", "W:W:B1")

    assert (answer["moves"], answer["result"]) == ([], result)
    assert "no piece left" in str(answer["reason"])


def test_people_see_the_board_and_both_ways_of_writing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["moves", "--game", "english", "--fen", "W:Wc3:Bd4"]) == 0

    out = capsys.readouterr().out
    assert "  3 .   w   .   .   3\n" in out
    assert "English draughts, white to move, 1 legal move.\n  22x15        c3xe5\n" in out
