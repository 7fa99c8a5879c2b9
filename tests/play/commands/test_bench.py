"""`damludo bench` measures in processor time and says what was promised."""

import json

import pytest

from damludo.play.cli import main
from damludo.play.commands import bench


def test_the_readable_generator_keeps_its_promise(capsys: pytest.CaptureFixture[str]) -> None:
    """40,000 leaf nodes per second of processor time, in both games."""
    assert main(["bench", "rules", "--json"]) == 0

    figures = json.loads(capsys.readouterr().out)["rules"]
    assert [figure["name"] for figure in figures] == ["english perft 6", "international perft 5"]
    assert all(figure["value"] >= 40_000 for figure in figures), figures
    assert all(figure["kept"] and figure["unit"] == "leaves/s" for figure in figures)


def test_a_promise_that_is_missed_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    slow = bench.Figure("english perft 6", 39_999.0, "leaves/s", 40_000)
    monkeypatch.setattr(bench, "PARTS", {"rules": lambda: (slow,)})

    assert main(["bench"]) == 0
    assert "39,999 leaves/s  (promised 40,000: MISSED)" in capsys.readouterr().out
