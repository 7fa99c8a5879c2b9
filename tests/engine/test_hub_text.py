"""Lines, positions and moves of the Hub protocols."""

import random

import pytest

from damludo.engine.errors import BadHubLine
from damludo.engine.hub_text import Line, find_move, read_line, read_position, write_line, write_move, write_position
from damludo.rules.game import Game
from damludo.rules.notation import parse_fen
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant

INTERNATIONAL = variant("international")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ping", Line("ping")),
        ("go think", Line("go", {}, ("think",))),
        ('pos pos=W moves="1-2 3x4x5"\r\n', Line("pos", {"pos": "W", "moves": "1-2 3x4x5"})),
        ('id name="" version=1', Line("id", {"name": "", "version": "1"})),
        ("level inc= time=3", Line("level", {"inc": "", "time": "3"})),
        ("   ", Line("")),
    ],
)
def test_a_line_is_read(text: str, line: Line) -> None:
    assert read_line(text) == line


@pytest.mark.parametrize("text", ['pos pos="W', "pos =W", 'id name="a"b'])
def test_a_line_that_is_none_is_said(text: str) -> None:
    with pytest.raises(BadHubLine, match="is not name=value"):
        read_line(text)


def test_what_is_written_is_read_again() -> None:
    values = {"name": "a b", "empty": "", "plain": "x", "sign": "a=b"}

    assert read_line(write_line("id", values, ("flag",))) == Line("id", values, ("flag",))


def test_the_start_position_of_fifty_fields() -> None:
    assert write_position(INTERNATIONAL, INTERNATIONAL.start) == "W" + "b" * 20 + "e" * 10 + "w" * 20
    assert write_position(INTERNATIONAL, INTERNATIONAL.start, lower_side=True)[0] == "w"


@pytest.mark.parametrize("game", VARIANTS.values(), ids=VARIANTS)
def test_positions_and_moves_come_back_as_they_went(game: Variant) -> None:
    chance = random.Random(3)
    played = Game.new(game)
    for _ in range(40):
        legal = played.legal_moves()
        if not legal:
            break
        assert read_position(game, write_position(game, played.position)) == played.position
        for move in legal:
            found = find_move(game, write_move(game, move), legal)
            assert found is not None
            assert found.identity[:3] == move.identity[:3]
        played = played.make(chance.choice(legal))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has 0 characters, international needs 51"),
        ("W" + "e" * 49, "has 50 characters"),
        ("X" + "e" * 50, "begins with 'X'"),
        ("W" + "e" * 49 + "?", "'\\?' on field 50 stands for nothing"),
        ("W" + "e" * 49 + "x", "field 50 holds a piece that international does not have"),
    ],
)
def test_a_position_that_is_none_is_said(text: str, reason: str) -> None:
    with pytest.raises(BadHubLine, match=reason):
        read_position(INTERNATIONAL, text)


def test_captured_fields_come_in_any_order_or_not_at_all() -> None:
    game = Game.new(INTERNATIONAL, parse_fen(INTERNATIONAL, "W:W32:B28,18"))
    (capture,) = game.legal_moves()

    ends = write_move(INTERNATIONAL, capture).split("x")[:2]
    for text in ("x".join((*ends, "28", "18")), "x".join((*ends, "18", "28")), "x".join(ends)):
        assert find_move(INTERNATIONAL, text, [capture]) == capture


@pytest.mark.parametrize("text", ["", "32", "32-", "32-28-23", "a-b", "32x", "0-0", "32--28", "32-28 ", "9" * 600])
def test_what_is_no_move_is_found_nowhere(text: str) -> None:
    assert find_move(INTERNATIONAL, text, Game.new(INTERNATIONAL).legal_moves()) is None
