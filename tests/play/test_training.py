"""`damludo-train` learns from beginning to end, goes on where it was, and tells what it measured."""

import json
from pathlib import Path

import pytest

from damludo.play.console import ExitCode
from damludo.play.training import main

TINY = "--game english --games 3 --nodes 8 --match-games 1 --match-nodes 10 --match-seconds 0.001 --steps 3 --seed 3"


@pytest.mark.slow
def test_it_learns_and_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    from damludo.engine.program import can_compile

    can_compile.cache_clear()
    words = ["learn", *TINY.split(), "--folder", str(tmp_path)]

    assert main(words) == ExitCode.FINE
    first = capsys.readouterr()
    assert main(words) == ExitCode.FINE
    second = capsys.readouterr()

    can_compile.cache_clear()
    assert "self-play: 3 of 3 games" in first.err
    assert "match, 10 positions" not in second.err
    assert first.out == second.out
    assert first.out.startswith("# Weights of english\n")
    assert (tmp_path / "english.npz").stat().st_size <= 300_000
    assert (tmp_path / "english.md").read_text(encoding="utf-8") in first.out


def test_levels_are_measured(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    from damludo.engine.levels import LADDERS
    from damludo.engine.program import can_compile

    can_compile.cache_clear()
    words = f"levels --game english --games 2 --most-nodes {LADDERS['english'][0].nodes} --seed 1 --json"

    assert main(words.split()) == ExitCode.FINE

    can_compile.cache_clear()
    (rung,) = json.loads(capsys.readouterr().out)

    assert rung["level"] == 1
    assert rung["wins"] + rung["draws"] + rung["losses"] == 2


def test_levels_are_found_from_kept_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from damludo.engine.train.ladder import PAIRS, Bout, keep_bout

    path = tmp_path / "bouts"
    for upper, lower in PAIRS:
        keep_bout(path, Bout("english", upper, lower, wins=34, draws=0, losses=6))
    words = f"levels --game english --fit --most-nodes 1000000 --kept {path} --json"

    assert main(words.split()) == ExitCode.FINE

    rows = json.loads(capsys.readouterr().out)
    assert [row["level"] for row in rows] == list(range(1, 11))
    assert rows[0]["expected_share"] == pytest.approx(0.97, abs=0.01)
    assert rows[9]["nodes"] == 1_000_000


def test_a_game_that_is_none_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["levels", "--game", "chess"]) == ExitCode.BAD_INPUT
    assert "chess" in capsys.readouterr().err


def test_the_help_page_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == ExitCode.FINE
    assert capsys.readouterr().out.startswith("usage: damludo-train ")
