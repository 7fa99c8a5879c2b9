"""`damludo pdn` checks and converts records."""

import json
import time
from pathlib import Path

import pytest

from damludo.play.cli import main
from damludo.rules.pdn import read_pdn

THREE = "1. 32-28 19-23 *\n\n1. 32-28 99-1 19-23 *\n\n1. 33-29 2-0\n"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    file = tmp_path / "three.pdn"
    file.write_text(THREE, encoding="utf-8")
    return file


def test_a_bad_game_is_named_and_the_others_count(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pdn", "check", str(three), "--json"]) == 3

    answer = json.loads(capsys.readouterr().out)
    assert {key: answer[key] for key in ("files", "games", "plies")} == {"files": 1, "games": 3, "plies": 4}
    (problem,) = answer["problems"]
    assert list(problem) == ["file", "game", "ply", "text", "reason"]
    assert (problem["file"], problem["game"], problem["ply"], problem["text"]) == (str(three), 2, 2, "99-1")


def test_good_files_are_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.pdn", "b.pdn"):
        (tmp_path / name).write_text("1. a3b4 *", encoding="utf-8")
    words = ["pdn", "check", str(tmp_path / "a.pdn"), str(tmp_path / "b.pdn"), "--game", "russian"]

    assert main(words) == 0
    assert capsys.readouterr().out == "2 files, 2 games, 2 plies, 0 problems\n"


def test_canonical_text_reads_as_the_same_games(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    three.write_text("1. 32-28 {a comment} 19-23 2.28x19 14x23 2-0", encoding="utf-8")
    assert main(["pdn", "convert", str(three), "--to", "pdn"]) == 0

    (read,) = read_pdn(capsys.readouterr().out)
    assert (read.problems, len(read.game.moves), read.result) == ((), 4, "2-0")


def test_games_as_json_hold_their_moves(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    three.write_text('[White "A"] 1. 32-28 19-23 {ruling: disc on d4 put right} 1-1', encoding="utf-8")
    assert main(["pdn", "convert", str(three), "--to", "json"]) == 0

    (game,) = json.loads(capsys.readouterr().out)
    assert [move["notation"] for move in game["moves"]] == ["32-28", "19-23"]
    assert (game["game"], game["tags"]["White"], game["result"]) == ("international", "A", "1-1")
    assert game["rulings"] == {"2": "disc on d4 put right"}


def test_old_code_pages_are_read(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    three.write_bytes('[White "Nuño Cañizares"] 1. 32-28 *'.encode("cp1252"))
    assert main(["pdn", "convert", str(three), "--to", "json"]) == 0

    assert json.loads(capsys.readouterr().out)[0]["tags"]["White"] == "Nuño Cañizares"


def test_a_missing_file_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pdn", "check", str(tmp_path / "none.pdn")]) == 3
    assert "none.pdn cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    [b"1" * 1_000_000, b"(" * 20_000, b"[" * 20_000, b"32-28 * " * 10_000, bytes(range(256)) * 800],
    ids=["a megabyte of digits", "brackets", "square brackets", "ten thousand games", "noise"],
)
def test_a_hostile_file_is_a_problem_and_costs_little(
    content: bytes, three: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = tmp_path / "hostile.pdn"
    hostile.write_bytes(content)
    started = time.process_time()

    assert main(["pdn", "check", str(hostile), "--json"]) == 3

    assert time.process_time() - started < 2.0
    assert json.loads(capsys.readouterr().out)["problems"]


def test_a_file_too_long_leaves_the_others_to_be_checked(
    three: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = tmp_path / "long.pdn"
    long.write_bytes(b" " * 300_000)
    assert main(["pdn", "check", str(long), str(three), "--json"]) == 3

    answer = json.loads(capsys.readouterr().out)
    assert [(problem["file"], problem["game"]) for problem in answer["problems"]] == [(str(long), 0), (str(three), 2)]


@pytest.mark.photos
def test_a_real_file_keeps_its_games_through_conversion(test_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = test_data / "pdn" / "italian_campionato_assoluto_2005.pdn"
    assert main(["pdn", "convert", str(file), "--game", "italian", "--to", "pdn"]) == 0

    games = read_pdn(capsys.readouterr().out)
    assert (len(games), sum(len(read.game.moves) for read in games)) == (53, 3227)
    assert [problem for read in games for problem in read.problems] == []
