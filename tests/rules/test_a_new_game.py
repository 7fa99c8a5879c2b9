"""A 22nd game is one declaration and one table of counts: two games of the family that are not shipped prove it."""

from dataclasses import replace

import pytest

from damludo.rules.actions import Action
from damludo.rules.conduct import judge
from damludo.rules.errors import IllegalMove
from damludo.rules.explanation import explain
from damludo.rules.game import Game
from damludo.rules.geometry import DIAGONALS
from damludo.rules.moves import legal_moves
from damludo.rules.notation import move_text, parse_fen, parse_move
from damludo.rules.pdn import read_pdn, write_pdn
from damludo.rules.perft import Counting, perft
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import InCapture, Jump, Mover, Preference, Variant, crowning_on_last_rows
from damludo.rules.variants.brazilian import BRAZILIAN
from damludo.rules.variants.international import INTERNATIONAL
from damludo.rules.verdicts import Illegal

POOL = replace(
    BRAZILIAN,
    key="pool",
    names={"en": "Pool checkers"},
    start=replace(BRAZILIAN.start, side=Colour.BLACK),
    preference=(),  # free choice
    promotions=crowning_on_last_rows(BRAZILIAN.board, InCapture.PASS),
    pdn_game_type="23,B,8,8,A0,0",
)

TO_THE_NEXT_DARK_SQUARE = ((0, 2), (2, 0), (0, -2), (-2, 0))
ALONG_ALL_LINES = (*DIAGONALS, *TO_THE_NEXT_DARK_SQUARE)

FRISIAN = replace(
    INTERNATIONAL,
    key="frisian",
    names={"en": "Frisian draughts"},
    movers={
        Kind.MAN: replace(INTERNATIONAL.movers[Kind.MAN], jumps=(Jump(ALONG_ALL_LINES),)),
        Kind.KING: Mover(DIAGONALS, (Jump(ALONG_ALL_LINES, from_afar=True, lands_far=True),), far_steps=True),
    },
    preference=(Preference.MOST_VALUE, Preference.BY_KING),  # the greatest value; of equal values a king's capture
    king_run=3,  # three moves in a row with one king, while there are men
    pdn_game_type="40,W,10,10,N2,0",
)

COUNTS: dict[tuple[Variant, Counting], tuple[int, ...]] = {
    (POOL, "unique"): (7, 49, 302, 1469, 7482, 37986, 190146, 929896),
    (POOL, "sequences"): (7, 49, 302, 1469, 7482, 37986, 190146, 929902),
    (FRISIAN, "unique"): (9, 81, 658, 3874, 21265, 102431, 540126),
    (FRISIAN, "sequences"): (9, 81, 658, 3880, 21345, 103584, 550314),
}
"""Published: rhalbersma/dctl, test/src/algo/traversal/initial, board_08x08.cpp (Pool) and board_10x10.cpp (Frisian)."""

ROWS = [
    pytest.param(game, counting, depth, nodes, id=f"{game.key}-{counting}-{depth}")
    for (game, counting), counts in COUNTS.items()
    for depth, nodes in enumerate(counts, 1)
]


@pytest.mark.parametrize(("game", "counting", "depth", "nodes"), [row for row in ROWS if row.values[3] < 50_000])  # type: ignore[operator]
def test_counts_of_the_new_game_are_the_published_ones(
    game: Variant, counting: Counting, depth: int, nodes: int
) -> None:
    assert perft(game, game.start, depth, counting) == nodes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "counting", "depth", "nodes"),
    [row for row in ROWS if 100_000 <= row.values[3] < 200_000],  # type: ignore[operator]
)
def test_deep_counts_of_the_new_game_are_the_published_ones(
    game: Variant, counting: Counting, depth: int, nodes: int
) -> None:
    assert perft(game, game.start, depth, counting) == nodes


KING_OR_TWO_MEN = "10/6b3/10/10/3B3b2/10/3w3w2/10/10/10 w"


@pytest.mark.parametrize(
    ("placement", "legal"),
    [
        pytest.param("10/10/10/10/3b6/10/3w6/10/10/10 w", ["d4xd8"], id="a man captures straight forward"),
        pytest.param("10/10/10/10/10/10/3w1b4/10/10/10 w", ["d4xh4"], id="and sideways"),
        pytest.param("10/10/10/10/3b3b2/10/3w3w2/10/10/10 w", ["d4xd8", "h4xh8"], id="equal values are free"),
        pytest.param(KING_OR_TWO_MEN, ["h4xh8xf10"], id="two men are worth more than one king"),
        pytest.param("10/10/10/10/3b3B2/10/3w3w2/10/10/10 w", ["h4xh8"], id="a king is worth more than a man"),
        pytest.param("10/10/10/10/1b5b2/10/1w5W2/10/10/10 w", ["h4xh8", "h4xh10"], id="of equal values a king's"),
    ],
)
def test_frisian_captures_along_eight_lines_by_value(placement: str, legal: list[str]) -> None:
    position = parse_fen(FRISIAN, placement)
    assert [move_text(FRISIAN, move) for move in legal_moves(FRISIAN, position)] == legal


@pytest.mark.parametrize("game", [POOL, FRISIAN], ids=lambda game: game.key)
def test_referee_and_records_know_the_new_game_too(game: Variant) -> None:
    played = Game.new(game)
    for _ in range(30):
        played = played.make(played.legal_moves()[-1])
    (read,) = read_pdn(write_pdn(played), game)
    assert (read.problems, read.game) == ((), played)


def frisian_game(fen: str, moves: str) -> Game:
    game = Game.new(FRISIAN, parse_fen(FRISIAN, fen))
    for text in moves.split():
        game = game.make(parse_move(FRISIAN, game.position, text))
    return game


THREE_TIMES = "i1-j2 a3-b4 j2-i1 b4-a3 i1-j2 a3-b4"
KINGS_AND_MEN = "W:WKi1,j6:BKa3,d10"


@pytest.mark.parametrize(
    ("fen", "moves", "free"),
    [
        pytest.param(KINGS_AND_MEN, "i1-j2 a3-b4 j2-i1 b4-a3", True, id="twice"),
        pytest.param(KINGS_AND_MEN, THREE_TIMES, False, id="three times"),
        pytest.param("W:WKi1,Kj6:BKa3,d10", THREE_TIMES, True, id="without men"),
        pytest.param(KINGS_AND_MEN, "i1-j2 a3-b4 j2-i1 b4-a3 j6-i7 d10-e9 i1-j2 a3-b4", True, id="another between"),
    ],
)
def test_frisian_kings_move_three_times_in_a_row_at_most(fen: str, moves: str, free: bool) -> None:
    game = frisian_game(fen, moves)
    king = FRISIAN.board.square(moves.split()[-2].split("-")[1])
    assert any(move.origin == king for move in game.legal_moves()) == free


def test_a_fourth_move_of_a_frisian_king_is_refused_and_a_capture_is_not() -> None:
    with pytest.raises(IllegalMove):
        frisian_game(KINGS_AND_MEN, f"{THREE_TIMES} j2-i1")
    assert frisian_game(KINGS_AND_MEN, "i1-j2 a3-b4 j2-i1 b4-a3 i1-j2 a3-e7 j2xb10xf10").moves[-1].captures


def test_a_frisian_side_that_has_only_a_spent_king_to_move_has_no_move() -> None:
    result = frisian_game("W:WKi1,a9:BKa3,b10", THREE_TIMES).result()
    assert result is not None
    assert result.reason == "White has no legal move."


def test_a_capture_of_less_value_is_named_so() -> None:
    square = FRISIAN.board.square
    action = Action(square("d4"), square("d8"), frozenset({square("d6")}))
    verdict = judge(FRISIAN, parse_fen(FRISIAN, KING_OR_TWO_MEN), action)
    assert isinstance(verdict, Illegal)
    assert verdict.reason_code == "more_value"
    assert explain(verdict) == "you must make the capture of the greatest value: h4xh8xf10 takes two"
