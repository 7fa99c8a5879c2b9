"""Each rule in one position: the complete set of legal moves, or the result."""

import json
from pathlib import Path

import pytest

from damludo.rules.game import Game
from damludo.rules.moves import legal_moves
from damludo.rules.notation import parse_fen
from damludo.rules.variants import variant

POSITIONS = json.loads((Path(__file__).parent / "positions.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in POSITIONS])
def test_legal_moves_are_exactly_these(row: dict) -> None:  # type: ignore[type-arg]
    game = variant(row["variant"])
    name = game.board.name
    found = {
        (
            name(move.origin),
            name(move.target),
            frozenset(map(name, move.captures)),
            move.becomes and move.becomes.letter,
        )
        for move in legal_moves(game, parse_fen(game, f"{row['placement']} {row['side']}"))
    }
    assert found == {(m["from"], m["to"] or m["from"], frozenset(m["captures"]), m["becomes"]) for m in row["legal"]}


@pytest.mark.parametrize("row", [pytest.param(r, id=r["id"]) for r in POSITIONS if r["kind"].startswith("result:")])
def test_result_is_this(row: dict) -> None:  # type: ignore[type-arg]
    game = variant(row["variant"])
    result = Game.new(game, parse_fen(game, f"{row['placement']} {row['side']}")).result()
    assert result is not None
    assert result.text.replace(" ", "_") == row["kind"].removeprefix("result:")
