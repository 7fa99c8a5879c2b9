"""`damludo perft` counts."""

import json

import pytest

from damludo.play.cli import main


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["perft", *words, "--json"]) == 0
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_the_published_count_of_english_draughts(capsys: pytest.CaptureFixture[str]) -> None:
    answer = _json(capsys, "--game", "english", "--depth", "5")

    assert (answer["game"], answer["depth"], answer["nodes"], answer["generator"]) == ("english", 5, 7361, "rules")
    assert "divide" not in answer


def test_the_parts_make_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    answer = _json(capsys, "--game", "damludo", "--depth", "3", "--divide")

    assert isinstance(answer["divide"], dict)
    assert len(answer["divide"]) == 7
    assert sum(answer["divide"].values()) == answer["nodes"]


@pytest.mark.parametrize(("counting", "nodes"), [("unique", 1), ("sequences", 2), ("paths", 3)])
def test_the_ways_of_counting_differ(counting: str, nodes: int, capsys: pytest.CaptureFixture[str]) -> None:
    """One capture, in two orders; one of the orders has two landing squares to choose from on its way."""
    fen = "W:WK19:B3,7,8,10,12,17,23"

    assert (
        _json(capsys, "--game", "international", "--depth", "1", "--fen", fen, "--counting", counting)["nodes"] == nodes
    )
