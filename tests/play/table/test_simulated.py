"""`damludo simulate`: whole games through camera, vision, referee, engine and gantry."""

import json
from pathlib import Path
from typing import Any

import pytest

from damludo.play.cli import main
from damludo.play.records.journal import read_journal

pytestmark = pytest.mark.simulation


def _simulate(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    assert main(["simulate", "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("game", "human", "touches_count"), [("damludo", "engine:2+toucher", True), ("english", "engine:2", False)]
)
@pytest.mark.slow
def test_a_whole_game_over_rendered_pictures(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, game: str, human: str, touches_count: bool
) -> None:
    """Who lifts another disc first is asked about it, where the game has the rule, and never punished."""
    counts = _simulate(capsys, "--game", game, "--human", human, "--seed", "7", "--journal", str(tmp_path))
    assert (counts["games"], counts["finished"], counts["camera"]) == (1, 1, "rendered")
    assert (counts["wrong_plies"], counts["crushed"], counts["false_penalties"], counts["double_steps"]) == (0, 0, 0, 0)
    assert counts["asked_human"] <= 1
    assert (counts["asked_touch"] > 0) is touches_count
    assert counts["plies"] == counts["human_plies"] + counts["robot_plies"] > 20
    (journal,) = tmp_path.iterdir()
    content = read_journal(journal)
    assert content.cut_bytes == 0
    assert content.entries[-1]["event"] == "result"


@pytest.mark.parametrize("game", ["damludo", "english", "russian", "turkish", "dameo"])
@pytest.mark.slow
def test_a_whole_game_over_modelled_readings(capsys: pytest.CaptureFixture[str], game: str) -> None:
    counts = _simulate(
        capsys, "--game", game, "--seed", "3", "--camera", "readings", "--human", "random+fast", "--level", "1"
    )
    assert (counts["finished"], counts["camera"]) == (1, "readings")
    assert (counts["wrong_plies"], counts["crushed"], counts["false_penalties"]) == (0, 0, 0)


def test_the_same_seed_gives_the_same_journal_to_the_byte(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for run in ("one", "two"):
        _simulate(
            capsys,
            "--camera",
            "readings",
            "--seed",
            "5",
            "--human",
            "random",
            "--level",
            "1",
            "--journal",
            str(tmp_path / run),
        )
    one, two = (next((tmp_path / run).iterdir()).read_bytes() for run in ("one", "two"))
    assert one == two
    assert len(one.splitlines()) > 100


def test_a_careless_human_is_always_told(capsys: pytest.CaptureFixture[str]) -> None:
    counts = _simulate(
        capsys, "--camera", "readings", "--seed", "4", "--human", "random+careless+clumsy", "--level", "1"
    )
    assert counts["violations"] > 3
    assert (counts["missed_violations"], counts["false_penalties"], counts["wrong_plies"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--human", "drunk"], 2, "'drunk' is unknown"),
        (["--human", "engine:11"], 2, "'engine:11' is unknown"),
        (["--games", "0"], 2, "is not a whole number from 1"),
        (["--level", "11"], 2, "must be a level from 1 to 10"),
        (["--game", "chess"], 3, "chess"),
        (["--controller", "abacus"], 2, "invalid choice: 'abacus'"),
    ],
)
def test_bad_options_are_named(
    capsys: pytest.CaptureFixture[str], options: list[str], code: int, sentence: str
) -> None:
    assert main(["simulate", *options]) == code
    assert sentence in capsys.readouterr().err
