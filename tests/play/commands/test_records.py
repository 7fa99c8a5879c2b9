"""`damludo records`: list, show, export, replay, resume."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from damludo.play.cli import main
from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.records.journal import Journal, read_journal
from damludo.rules.fen import format_fen
from damludo.rules.game import Game
from damludo.rules.notation import move_json, parse_move
from damludo.rules.pdn import read_pdn
from damludo.rules.variants import variant

MOVES = ("c3-d4", "f6-g5", "d4-c5")
NAME = "20261130T140500-damludo"
RACKS = {"white": 4, "black": 4}


def _events(result: bool) -> list[MatchEvent]:
    game = Game.new(variant("damludo"))
    told: dict[str, Any] = {
        "game": "damludo",
        "machine": "black",
        "fen": format_fen(game.variant, game.start),
        "level": 3,
    }
    events = [MatchEvent(EventKind.STARTED, 0.0, "", {**told, "racks": RACKS, "clock": "10+5"})]
    for ply, text in enumerate(MOVES, 1):
        move = parse_move(game.variant, game.position, text)
        data: dict[str, Any] = {"ply": ply, "move": dict(move_json(game.variant, game.position, move)), "racks": RACKS}
        game = game.make(move)
        clocks = {"white_s": 600.0 - ply, "black_s": 600.0, "running": None}
        events.append(
            MatchEvent(
                EventKind.MOVE,
                float(ply),
                "",
                {**data, "fen": format_fen(game.variant, game.position), "clocks": clocks},
            )
        )
    if result:
        events.append(
            MatchEvent(EventKind.RESULT, 9.0, "", {"winner": "white", "reason": "Black resigned.", "plies": 3})
        )
    return events


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with one finished game and one that was cut off, with a torn last line."""
    for name, result in ((NAME, False), ("20261129T200000-damludo", True)):
        path = tmp_path / "data" / "journals" / f"{name}.jsonl"
        journal = Journal(path)
        for event in _events(result):
            journal(event)
        journal.close()
    with (tmp_path / "data" / "journals" / f"{NAME}.jsonl").open("ab") as file:
        file.write(b'{"n":5,"t":')
    return tmp_path


def _json(capsys: pytest.CaptureFixture[str], home: Path, *words: str) -> Any:
    assert main(["--home", str(home), "records", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_games_are_listed_with_their_state(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    listed = _json(capsys, home, "list", "--json")
    assert listed["problems"] == []
    assert [(one["name"], one["plies"], one["state"]) for one in listed["records"]] == [
        ("20261129T200000-damludo", 3, "finished"),
        (NAME, 3, "cut off"),
    ]
    assert listed["records"][1] == {
        "name": NAME,
        "game": "damludo",
        "begun": "2026-11-30T14:05:00+00:00",
        "machine": "black",
        "level": 3,
        "clock": "10+5",
        "simulated": False,
        "plies": 3,
        "state": "cut off",
        "result": None,
        "file": str(home / "data" / "journals" / f"{NAME}.jsonl"),
    }
    unfinished = _json(capsys, home, "list", "--unfinished", "--json")
    assert [one["name"] for one in unfinished["records"]] == [NAME]


def test_a_game_is_shown_with_its_moves_and_what_could_not_be_read(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    shown = _json(capsys, home, "show", "--json")
    assert [move["text"] for move in shown["moves"]] == list(MOVES)
    assert (shown["cut_bytes"], shown["clocks"]) == (11, {"white_s": 597.0, "black_s": 600.0})
    assert main(["--home", str(home), "records", "show", "20261129"]) == 0
    text = capsys.readouterr().out
    assert "   3. white d4-c5" in text
    assert text.startswith("Damludo, ")
    assert ": white wins\n" in text


def test_exported_games_are_read_back_by_the_rules(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    file = home / "evening.pdn"
    assert main(["--home", str(home), "records", "export", "--output", str(file)]) == 0
    assert "2 games written to" in capsys.readouterr().err
    finished, cut = read_pdn(file.read_text(encoding="utf-8"))
    assert (finished.problems, cut.problems) == ((), ())
    assert (finished.result, cut.result) == ("1-0", "*")
    assert (cut.tags["Black"], cut.tags["TimeControl"], cut.tags["Date"][:7]) == (
        "Damludo, level 3",
        "600+5",
        "2026.11",
    )
    assert len(cut.game.moves) == 3


def test_one_exported_game_goes_to_standard_output(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert main(["--home", str(home), "records", "export", NAME]) == 0
    assert capsys.readouterr().out.count("[Event ") == 1
    assert len(_json(capsys, home, "export", "--to", "json")) == 2


def test_a_game_is_replayed_move_by_move(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    replayed = _json(capsys, home, "replay", "--json")
    assert len(replayed["fens"]) == len(replayed["moves"]) + 1 == 4
    assert main(["--home", str(home), "records", "replay"]) == 0
    text = capsys.readouterr().out
    assert text.count("a b c d e f g h") == 2 * 4
    assert text.endswith("The game was cut off.\n")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["resume", "20261129"], 3, "is over"),
        (["resume"], 4, "a camera (--camera SOURCE) and the gantry (--serial PORT) must be named"),
        (["show", "nothing"], 3, "there is no stored game 'nothing'"),
        (["replay", "--delay", "-1"], 2, "is not a number of seconds from 0 to 60"),
        (["export", "--output", "/nowhere/x.pdn"], 3, "cannot be written"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_said(
    capsys: pytest.CaptureFixture[str], home: Path, words: list[str], code: int, sentence: str
) -> None:
    assert main(["--home", str(home), "records", *words]) == code
    assert sentence in capsys.readouterr().err


def test_without_games_the_list_is_empty(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _json(capsys, tmp_path, "list", "--json") == {"records": [], "problems": []}
    assert main(["--home", str(tmp_path), "records", "show"]) == 3
    assert "there are no stored games" in capsys.readouterr().err


@pytest.mark.simulation
def test_who_leaves_before_the_board_is_right_leaves_with_code_7(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulated hand that never helps: the board of another game stands there."""
    monkeypatch.setattr("damludo.play.table_parts.set_table", _bare_table)
    typed, keyboard = os.pipe()
    os.close(keyboard)
    monkeypatch.setattr("sys.stdin", os.fdopen(typed))
    words = ["--sim", "--speed", "20", "--web-port", "0", "--no-browser"]
    assert main(["--home", str(home), "records", "resume", *words]) == 7
    sys.stdin.close()
    journal = home / "data" / "journals" / f"{NAME}.jsonl"
    assert "Please set up the board for a game of Damludo" in capsys.readouterr().out
    assert len(read_journal(journal).entries) == 4  # nothing was lost, and nothing pretended


def _bare_table(game: Any, *more: Any) -> Any:
    from damludo.play.table.simulated import set_table

    simulated = set_table(game, *more)
    simulated.table.discs.clear()
    return simulated
