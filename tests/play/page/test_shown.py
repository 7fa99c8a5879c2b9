"""The state as JSON: boards of every shape, pieces, clocks."""

import json
from dataclasses import replace

import pytest

from damludo.play.page.shown import TableShown, as_json, board_json, position_json
from damludo.play.page.state import ClocksShown, waiting_state
from damludo.rules.fen import parse_fen
from damludo.rules.position import Colour
from damludo.rules.variants import VARIANTS, variant


@pytest.mark.parametrize("key", VARIANTS)
def test_every_square_of_every_game_is_described(key: str) -> None:
    board = variant(key).board
    squares = board_json(board)
    assert [(s["column"], s["row"]) for s in squares] == [
        (c, r) for r in range(board.rows) for c in range(board.columns)
    ]
    playable = [s for s in squares if s["playable"]]
    assert [s["name"] for s in playable] == [board.name(square) for square in board.playable]
    assert sorted(int(s["number"]) for s in playable) == list(range(1, len(board.numbers) + 1))
    assert sum(s["dark"] for s in squares) in (board.columns * board.rows // 2, board.columns * board.rows // 2 + 1)


@pytest.mark.parametrize(
    ("key", "dark"),
    [("damludo", True), ("portuguese", False), ("italian", False), ("turkish", True), ("canadian", True)],
)
def test_play_goes_on_the_dark_squares_wherever_the_corner_is(key: str, dark: bool) -> None:
    board = variant(key).board
    squares = board_json(board)
    assert squares[0]["dark"] is dark
    if len(board.playable) < len(squares):
        assert [s["dark"] for s in squares] == [s["playable"] for s in squares]


def test_the_pieces_have_letters_of_their_own() -> None:
    game = variant("parachute")
    cells = parse_fen(game, "W:Wa1,Kc3,Pe7:Bh8,Kf6,Pd2").cells
    assert position_json(game, cells) == {"a1": "w", "c3": "W", "e7": "p", "h8": "b", "f6": "B", "d2": "q"}


def test_the_board_is_turned_for_black() -> None:
    state = waiting_state(variant("damludo"), Colour.BLACK, 3, simulation=False)
    document = as_json(state, TableShown(), None)
    assert (document["you"], document["flipped"], document["turn"]) == ("black", True, None)


def test_a_running_clock_is_shown_as_it_is_now() -> None:
    state = waiting_state(variant("damludo"), Colour.WHITE, 3, simulation=False)
    state = replace(state, clocks=ClocksShown(60.0, 50.0, "black", 100.0))
    shown = [as_json(state, TableShown(), now)["clocks"] for now in (None, 110.0, 999.0)]
    assert shown == [
        {"white_s": 60.0, "black_s": 50.0, "running": "black"},
        {"white_s": 60.0, "black_s": 40.0, "running": "black"},
        {"white_s": 60.0, "black_s": 0.0, "running": "black"},
    ]


@pytest.mark.parametrize("key", VARIANTS)
def test_the_whole_state_is_small_json(key: str) -> None:
    document = as_json(waiting_state(variant(key), Colour.WHITE, 3, simulation=True), TableShown(True), None)
    assert len(json.dumps(document, separators=(",", ":"), allow_nan=False)) < 24_000
    assert set(document) == {
        *(
            "simulation",
            "speed",
            "version",
            "language",
            "game",
            "you",
            "flipped",
            "level",
            "position",
            "to_move",
            "turn",
            "say",
        ),
        *("ruling", "marks", "moves", "sets", "clocks", "lights", "racks", "can", "hint", "camera", "offer", "result"),
    }
