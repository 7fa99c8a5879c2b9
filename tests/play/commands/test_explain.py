"""`damludo explain` says why, in three languages."""

import json

import pytest

from damludo.play.cli import main
from damludo.rules.variants import VARIANTS

TWO_OR_ONE = "8/8/3b4/8/3b1b2/4w3/8/8 w"
CHAIN = "8/8/5b2/8/1b1b4/w1w5/8/8 w"


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["explain", *words, "--json"]) == 0
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def _first(answer: dict[str, object]) -> dict[str, object]:
    reasons = answer["reasons"]
    assert isinstance(reasons, list)
    first: dict[str, object] = reasons[0]
    return first


def test_a_capture_too_small_in_the_agreed_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert _json(capsys, "--game", "damludo", "--fen", TWO_OR_ONE, "e3xg5") == {
        "legal": False,
        "reasons": [
            {
                "rule": "capture_too_small",
                "article": "Of several captures one that takes the most pieces must be made.",
                "text": "you must capture the most: e3xc5xe7 takes two, you took one",
                "squares": ["e3", "g5", "f4"],
                "better": [
                    {
                        "text": "e3xc5xe7",
                        "notation": "e3xe7",
                        "from": "e3",
                        "to": "e7",
                        "path": ["c5", "e7"],
                        "captures": ["d4", "d6"],
                        "piece": "man",
                        "becomes": None,
                    }
                ],
            }
        ],
    }


def test_a_legal_move_is_given_back_with_its_article(capsys: pytest.CaptureFixture[str]) -> None:
    answer = _json(capsys, "--game", "english", "--fen", "W:W22:B18", "22x15")

    assert answer["legal"] is True
    assert isinstance(answer["move"], dict)
    assert answer["move"]["text"] == "c3xe5"
    assert _first(answer)["rule"] == "legal"
    assert _first(answer)["article"] == "Capturing is compulsory."


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "you must capture: e3xc5xe7 takes two"),
        ("eo", "vi devas kapti: e3xc5xe7 prenas du pecojn"),
        ("sl", "vzeti morate: e3xc5xe7 vzame dve figuri"),
    ],
)
def test_the_sentence_comes_in_the_language_asked_for(
    language: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fen = "8/8/3b4/8/3b4/4w1w1/8/8 w"
    assert _first(_json(capsys, "--game", "damludo", "--fen", fen, "g3-h4", "--language", language))["text"] == text


@pytest.mark.parametrize(("key", "rule"), [("international", "stays a man"), ("russian", "goes on as a king")])
def test_a_man_that_passes_the_last_row_hears_its_rule(key: str, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Users of another program were unsure whether that promotes."""
    fen = "W:Wd8:Be9,g9" if key == "international" else "W:Wh6:Bg7,c5,d2"
    move = "d8xf10xh8" if key == "international" else "h6xe1"
    reasons = _json(capsys, "--game", key, "--fen", fen, move)["reasons"]

    assert isinstance(reasons, list)
    assert [reason["rule"] for reason in reasons] == ["legal", "crowning"]
    assert rule in reasons[1]["article"]


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        ("c3xe5xg7", "legal"),
        ("c3xe5", "unfinished"),
        ("c3xa5xg7", "other_way"),
        ("a3-b2", "wrong_direction"),
        ("d4-e3", "not_your_disc"),
        ("h2-g3", "no_disc"),
    ],
)
def test_each_kind_of_move_has_its_rule(move: str, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = _json(capsys, "--game", "english", "--fen", CHAIN, move)

    assert _first(answer)["rule"] == rule
    assert answer["legal"] == (rule == "legal")


@pytest.mark.parametrize("key", VARIANTS)
def test_a_move_of_every_game_is_explained(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    board = VARIANTS[key].board
    name = board.name(board.playable[-1])
    answer = _json(capsys, "--game", key, f"{name}-{name}")

    assert answer["legal"] is False
    assert _first(answer)["squares"]


@pytest.mark.parametrize(
    "words",
    [
        ("--game", "english", "zz"),
        ("--game", "english", "1" * 500),
        ("--game", "english", "--fen", "W:W99:B1", "9-13"),
        ("--game", "chess", "e2-e4"),
        ("--game", "english", "--fen", "W:Wd2:Bc3,c5,e3,e5", "d2xd6"),
    ],
)
def test_what_cannot_be_read_is_bad_input(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *words, "--json"]) == 3

    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("damludo: ")


def test_people_read_the_sentence_the_article_and_what_is_better(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--game", "damludo", "--fen", TWO_OR_ONE, "e3xg5"]) == 0

    assert capsys.readouterr().out == (
        "you must capture the most: e3xc5xe7 takes two, you took one\n"
        "  Of several captures one that takes the most pieces must be made.\n"
        "  -> e3xc5xe7\n"
    )
