"""`damludo bench` measures in processor time and says what was promised."""

import json
import sys
from pathlib import Path

import pytest

from damludo.play.benches import engine as bench_engine
from damludo.play.cli import main
from damludo.play.commands import bench
from damludo.play.console import CommandError


def test_the_readable_generator_keeps_its_promise(capsys: pytest.CaptureFixture[str]) -> None:
    """40,000 leaf nodes per second of processor time, in both games."""
    assert main(["bench", "rules", "--json"]) == 0

    figures = json.loads(capsys.readouterr().out)["rules"]
    assert [figure["name"] for figure in figures] == ["english perft 6", "international perft 5"]
    assert all(figure["value"] >= 40_000 for figure in figures), figures
    assert all(figure["kept"] and figure["unit"] == "leaves/s" for figure in figures)


def test_a_promise_that_is_missed_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    slow = bench.Figure("english perft 6", 39_999.0, "leaves/s", 40_000)
    monkeypatch.setattr(bench, "PARTS", {"rules": lambda witnesses: (slow,)})

    assert main(["bench"]) == 0
    assert "39,999 leaves/s  (promised 40,000: MISSED)" in capsys.readouterr().out


def test_the_robot_carries_discs_and_stops(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "robot", "--json"]) == 0
    figures = {figure["name"]: figure for figure in json.loads(capsys.readouterr().out)["robot"]}
    assert figures["crushed or dropped"]["value"] == 0
    # By the machine's settings: 70 mm of the plane, two ways down and up, twice the magnet.
    assert 0.8 < figures["a disc from c3 to d4"]["value"] < 3.0
    # Braked from 300 mm/s by 2000 mm/s2, and reported at the next look.
    assert 0.05 < figures["STOP to standstill known"]["value"] < 0.5


def test_whole_games_are_counted() -> None:
    figures = {figure.name: figure for figure in bench.table(["alquerque"], modelled=True)}
    assert figures["alquerque, plies"].value > 10
    promised = [figure.name for figure in figures.values() if figure.bar is not None]
    assert len(promised) == 4
    assert all(figures[name].value == 0 and figures[name].kept for name in promised)


LIBRARY = """
class AmericanBoard:
    legal_moves = ("a", "b")
    def push(self, move): pass
    def pop(self): pass
StandardBoard = AmericanBoard
"""
"""Something imported as `draughts` in which there are always two moves."""


def test_a_witness_in_another_environment_gives_a_ratio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "draughts.py").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "py_draughts-9.9.dist-info").mkdir()
    (tmp_path / "py_draughts-9.9.dist-info" / "METADATA").write_text(
        "Name: py-draughts\nVersion: 9.9\n", encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(bench, "OTHER_DEPTH", {"english": 12, "international": 12})

    assert main(["bench", "rules", "--witness", sys.executable, "--json"]) == 0
    own, _, theirs, ratio, *_ = json.loads(capsys.readouterr().out)["rules"]
    assert (theirs["name"], ratio["name"]) == ("english by py-draughts 9.9", "english against it")
    assert ratio["value"] == pytest.approx(own["value"] / theirs["value"], abs=0.06)


@pytest.mark.parametrize(("witness", "said"), [("no-such-python", "cannot tell"), (sys.executable, "has neither")])
def test_a_witness_that_cannot_speak_is_named(witness: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "rules", "--witness", witness]) == 3
    assert f"{witness} {said}" in capsys.readouterr().err


DAME = """
class Board:
    pass
def perft(board, depth):
    return sum(range(10 ** depth))
"""
"""Something imported as `dame` that takes a while."""


def test_the_engine_is_compared_with_a_witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dame.py").write_text(DAME, encoding="utf-8")
    (tmp_path / "dame_rs-9.9.dist-info").mkdir()
    (tmp_path / "dame_rs-9.9.dist-info" / "METADATA").write_text("Name: dame-rs\nVersion: 9.9\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(bench, "SCALE", ("dame-rs", "international", 5))

    lines, theirs, ratio = bench.EngineFigures([sys.executable], {"english": (4, 1.0)}, compiled=False).leaves()
    assert [figure.name for figure in (lines, theirs, ratio)] == [
        "english perft 4", "international by dame-rs", "english against it",
    ]  # fmt: skip
    assert ratio.value == pytest.approx(lines.value / theirs.value, abs=0.006)
    assert ratio.bar == 1.0


def test_a_witness_that_is_no_scale_for_the_engine_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.EngineFigures([sys.executable], {}, compiled=False).leaves() == ()
    assert f"{sys.executable} does not have dame-rs" in capsys.readouterr().err


def test_no_further_game_is_counted_when_time_is_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]

    def counts(key: str, depth: int, compiled: bool | None) -> float:
        clock[0] += 40.0
        return 1e6 * depth + clock[0]

    monkeypatch.setattr(bench, "_engine_leaves_per_s", counts)
    games = {key: (depth, 1.0) for depth, key in enumerate(("english", "russian", "czech", "turkish"), 1)}

    figures = bench.EngineFigures([], games, end_s=70.0, now_s=lambda: clock[0]).leaves()

    assert [figure.name for figure in figures] == ["english perft 1", "russian perft 2"]
    assert "czech, turkish left out" in capsys.readouterr().err
    assert len(bench.EngineFigures([], games, end_s=0.0, now_s=lambda: clock[0]).leaves()) == 1
    assert len(bench.EngineFigures([], games, now_s=lambda: clock[0]).leaves()) == 4


ENGINE = """
import sys
for line in sys.stdin:
    if line.startswith("level"):
        room = bytearray(1 << 26)
    elif line.startswith("go"):
        print("info depth=1", "done move=9-13", sep="\\n", flush=True)
"""
"""Answers, and takes 64 megabytes for it."""


def test_start_and_memory_are_those_of_the_program_that_answers() -> None:
    ((_, start_s, unit, bar, at_most),) = bench_engine.start_figures((sys.executable, "-Ic", ENGINE))
    ((_, memory_mb, *_),) = bench_engine.memory_figures((sys.executable, "-Ic", ENGINE))

    assert (unit, bar, at_most) == ("CPU s", 1.5, True)
    assert start_s > 0
    assert 64 < memory_mb < 128


def test_an_engine_that_does_not_answer_is_said() -> None:
    with pytest.raises(CommandError, match=r"ended without a move .*nothing works today"):
        bench_engine.start_figures((sys.executable, "-Ic", "import sys; sys.exit('nothing works today')"))


def test_the_engine_is_measured_in_positions() -> None:
    """A tiny measurement: the figures themselves are for a quiet machine."""
    (positions,) = bench.engine(nodes=300, compiled=False)

    assert (positions.unit, positions.bar) == ("nodes/s", 3_000_000)
    assert positions.value > 0


def test_games_are_numbered_from_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "vision", "--first-game", "-1"]) == 2
    assert "--first-game: '-1' is not a whole number from 0" in capsys.readouterr().err
