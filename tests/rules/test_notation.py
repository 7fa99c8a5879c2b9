"""Positions and moves as text: every square both ways, lenient reading, hostile text."""

import random
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damludo.rules.errors import BadMove, BadPosition, IllegalMove, RulesError
from damludo.rules.game import Game
from damludo.rules.moves import legal_moves, play
from damludo.rules.notation import (
    format_fen,
    format_placement,
    move_json,
    move_notation,
    move_text,
    parse_fen,
    parse_move,
)
from damludo.rules.position import Colour, Kind, Piece, Position, piece_of
from damludo.rules.variants import VARIANTS, variant


@pytest.mark.parametrize("key", VARIANTS)
def test_names_and_numbers_go_both_ways_on_every_square(key: str) -> None:
    board = variant(key).board
    for square in board.playable:
        assert board.square(board.name(square)) == square
        assert board.numbered(board.number(square)) == square
    assert sorted(board.numbers) == list(board.playable)


@pytest.mark.parametrize(
    ("key", "number", "name"),
    [
        ("english", 1, "b8"),
        ("english", 32, "g1"),
        ("international", 1, "b10"),
        ("international", 46, "a1"),
        ("canadian", 72, "k1"),
        ("italian", 1, "a8"),
        ("italian", 32, "h1"),
        ("portuguese", 1, "h1"),
        ("portuguese", 32, "a8"),
        ("esperanto", 1, "b8"),
    ],
)
def test_field_numbers_are_those_of_the_game(key: str, number: int, name: str) -> None:
    board = variant(key).board
    assert board.name(board.numbered(number)) == name


@pytest.mark.parametrize("key", VARIANTS)
def test_positions_of_a_random_game_survive_every_form(key: str) -> None:
    game, chance = Game.new(variant(key)), random.Random(key)
    while game.result() is None and len(game.moves) < 40:
        position = game.position
        assert parse_fen(game.variant, format_fen(game.variant, position)) == position
        assert parse_fen(game.variant, format_placement(game.variant, position)) == position
        game = game.make(chance.choice(game.legal_moves()))


@pytest.mark.slow
@pytest.mark.parametrize("key", VARIANTS)
def test_five_hundred_positions_of_games_survive_every_form(key: str) -> None:
    """More than ten thousand in all games together, each other than those before it."""
    game, chance = variant(key), random.Random(f"forms of {key}")
    seen: set[Position] = set()
    position = game.start
    while len(seen) < 500:
        moves = legal_moves(game, position)
        position = play(game, position, chance.choice(moves)) if moves else game.start
        if position not in seen:
            seen.add(position)
            assert parse_fen(game, format_fen(game, position)) == position
            assert parse_fen(game, format_placement(game, position)) == position
            by_names = format_fen(replace(game, board=replace(game.board, numeric=False)), position)
            assert parse_fen(game, by_names) == position


@pytest.mark.parametrize("key", VARIANTS)
def test_moves_of_random_games_survive_both_notations(key: str) -> None:
    game, chance = Game.new(variant(key)), random.Random(key)
    while game.result() is None and len(game.moves) < 60:
        for move in game.legal_moves()[:6]:
            for text in (move_text(game.variant, move), move_notation(game.variant, game.position, move)):
                assert parse_move(game.variant, game.position, text).identity == move.identity
        game = game.make(chance.choice(game.legal_moves()))


@pytest.mark.parametrize(
    "text",
    [
        "W:W21,22,K5:B1-3",
        "w:w21,22,k5:b1-3",
        'FEN "W:W21,22,K5:B1-3"',
        '[FEN "W:W21,22,K5:B1-3"]',
        "W:W21,22,K5:B1-3.",
        "W:B1,2,3:W21-22,K5",
        "W:W21,22,K5:B1,2,3:H0:F12",
        "W:W:W21,22,K5:B1-3",
        "W:Wa3,c3,Ka7:Bb8,d8,f8",
        "1b1b1b2/W7/8/8/8/w1w5/8/8 w",
    ],
)
def test_one_position_is_read_from_all_its_forms(text: str) -> None:
    english = variant("english")
    assert format_fen(english, parse_fen(english, text)) == "W:WK5,21,22:B1,2,3"


def test_each_game_writes_its_own_names() -> None:
    assert format_fen(variant("damludo"), variant("damludo").start).startswith("W:Wa1,c1,e1,g1,b2")
    assert format_fen(variant("italian"), variant("italian").start).startswith("W:W21,22,23,24,25")
    assert format_fen(variant("parachute"), variant("parachute").start).endswith(",Pg1,b6,d6,f6,h6,a7,c7,e7,g7")


@pytest.mark.parametrize("text", ["B:W32:B", "B:W32", "B:W32:"])
def test_a_side_may_have_no_pieces(text: str) -> None:
    position = parse_fen(variant("english"), text)
    assert position.side is Colour.BLACK
    assert [code for code in position.cells if code] == [Piece.WHITE_MAN]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("W:W1-999999999:B5", "field 999999999 does not exist"),
        ("W:W12-1:B31", "runs backwards"),
        ("W:W33:B5", "field 33 does not exist"),
        ("W:W0:B5", "field 0 does not exist"),
        ("W:W21,21:B5", "given twice"),
        ("W:W21:B21", "given twice"),
        ("W:W٢١:B5", "not ASCII"),
        ("W:Wb1:B5", "not a square"),
        ("W:P5:B1", "should be W or B"),
        ("W:WP5:B1", "does not have"),
        ("W:W21:W22", "twice"),
        ("W:W21:B1:W5", "at most two"),
        ("X:W21:B1", "should be W or B"),
        ("8/8/8/8 w", "4 ranks"),
        ("8/8/8/8/8/8/8/9 w", "does not have 8"),
        ("8/8/8/8/8/8/8/q7 w", "'q'"),
        ("8/8/8/8/8/8/8/1w6 w", "not a square of english"),
        ("8/8/8/8/8/8/8/8", "followed by the side"),
        ("W:W" + "1" * 500, "longer"),
        ("W" * 2000, "2000 characters"),
        ("", "should be W or B"),
    ],
)
def test_a_bad_position_is_refused_with_its_reason(text: str, said: str) -> None:
    with pytest.raises(BadPosition, match=said):
        parse_fen(variant("english"), text)


def test_kings_are_refused_where_the_game_has_none() -> None:
    with pytest.raises(BadPosition, match="king"):
        parse_fen(variant("alquerque"), "W:WKa1:Bb2")


LENIENT = [
    ("english", "W:W11:B7,13", "11x2", "f6xd8"),
    ("english", "W:W22:B18,10", "22x15x6", "c3xe5xc7"),
    ("english", "W:W22:B18,10", "22-6", "c3xe5xc7"),
    ("english", "W:W22:B18,10", "c3c7", "c3xe5xc7"),
    ("english", "W:W22:B18,10", "C3:E5:C7", "c3xe5xc7"),
    ("english", "W:W22:B18,10", "6", "c3xe5xc7"),
    ("russian", "W:Wc3:Bh8", "c3d4", "c3-d4"),
    ("russian", "W:Wc3:Bh8", " c3-b4 ", "c3-b4"),
    ("hawaiian", "", "d5", "remove:d5"),
    ("hawaiian", "", "xd5", "remove:d5"),
]


@pytest.mark.parametrize(("key", "fen", "text", "meant"), LENIENT)
def test_a_move_is_read_from_short_forms(key: str, fen: str, text: str, meant: str) -> None:
    game = variant(key)
    position = parse_fen(game, fen) if fen else game.start
    assert move_text(game, parse_move(game, position, text)) == meant


def test_a_notation_that_fits_two_captures_is_refused_and_never_written() -> None:
    """Two ways lead from d2 to d6, over different men."""
    game = variant("english")
    position = parse_fen(game, "W:Wd2:Bc3,c5,e3,e5")
    with pytest.raises(BadMove, match="d2xb4xd6, d2xf4xd6; write all landing squares"):
        parse_move(game, position, "d2xd6")
    written = [move_notation(game, position, move) for move in legal_moves(game, position)]
    assert written == ["26x17x10", "26x19x10"]
    assert [move_text(game, parse_move(game, position, text)) for text in written] == ["d2xb4xd6", "d2xf4xd6"]


@pytest.mark.parametrize(
    "text", ["", "  ", "x", "c3--d4", "c3x", "z9-a1", "99-1", "c3-d4!!", "c٣-d4", "1" * 1000, "a" * 199]
)
def test_an_unreadable_move_is_bad(text: str) -> None:
    with pytest.raises(BadMove):
        parse_move(variant("english"), variant("english").start, text)


@pytest.mark.parametrize("text", ["22-18", "1-7", "9-13-17", "29"])
def test_a_readable_move_that_is_not_legal_is_illegal(text: str) -> None:
    game = variant("english")
    with pytest.raises(IllegalMove):
        parse_move(game, parse_fen(game, "B:W21,22:B1,9"), text)


def test_the_json_form_has_all_its_fields() -> None:
    game = variant("russian")
    position = parse_fen(game, "8/6b1/7w/2b5/8/8/8/8 w")
    assert move_json(game, position, parse_move(game, position, "h6a3")) == {
        "text": "h6xf8xa3",
        "notation": "h6:a3",
        "from": "h6",
        "to": "a3",
        "path": ["f8", "a3"],
        "captures": ["g7", "c5"],
        "piece": "man",
        "becomes": "king",
    }


def test_a_removal_in_json_goes_nowhere() -> None:
    game = variant("hawaiian")
    move = move_json(game, game.start, parse_move(game, game.start, "d5"))
    assert (move["from"], move["to"], move["path"], move["captures"]) == ("d5", "d5", [], ["d5"])


FEN_LETTERS = st.text(alphabet='WBKPwbkpxy0123456789,:-/. "[]abcdefghijkl\n٣é', max_size=60)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(key=st.sampled_from(sorted(VARIANTS)), text=st.one_of(FEN_LETTERS, st.text(max_size=30)))
def test_only_our_errors_leave_the_position_reader(key: str, text: str) -> None:
    try:
        position = parse_fen(variant(key), text)
    except RulesError:
        return
    assert parse_fen(variant(key), format_fen(variant(key), position)) == position


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    key=st.sampled_from(sorted(VARIANTS)),
    place=st.integers(0, 200),
    letter=st.sampled_from("WBK,:-0129a٣"),
)
def test_a_damaged_position_is_read_or_refused(key: str, place: int, letter: str) -> None:
    text = format_fen(variant(key), variant(key).start)
    place %= len(text)
    try:
        parse_fen(variant(key), text[:place] + letter + text[place + 1 :])
    except BadPosition as error:
        sentence = str(error)
    else:
        sentence = "read"
    assert 0 < len(sentence) < 300


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    key=st.sampled_from(sorted(VARIANTS)),
    text=st.one_of(st.text(alphabet="abcdefgh12345678-x: remov", max_size=30), st.text(max_size=20)),
)
def test_only_our_errors_leave_the_move_reader(key: str, text: str) -> None:
    game = variant(key)
    try:
        move = parse_move(game, game.start, text)
    except RulesError:
        return
    assert move.identity in {legal.identity for legal in legal_moves(game, game.start)}


@pytest.mark.parametrize(
    "text", ["1" * 1_000_000, "W:W1-999999999:B5", "[" * 1_000_000, "W:W" + "1," * 500_000, "(" * 20_000]
)
def test_hostile_text_is_refused_at_once(text: str) -> None:
    english = variant("english")
    started = time.process_time()
    with pytest.raises(BadPosition):
        parse_fen(english, text)
    with pytest.raises(BadMove):
        parse_move(english, english.start, text)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("key", VARIANTS)
def test_moves_of_crowded_positions_with_kings_survive_both_notations(key: str) -> None:
    """Kings that fly have many routes: what is written must leave one move."""
    game, chance = variant(key), random.Random(key)
    kinds = [kind for kind in (Kind.MAN, Kind.KING, Kind.KING) if kind in game.movers]
    for _ in range(12):
        cells = bytearray(len(game.start.cells))
        for square in game.board.playable:
            if chance.random() < 0.35:
                cells[square] = piece_of(chance.choice(list(Colour)), chance.choice(kinds))
        position = Position(bytes(cells), chance.choice(list(Colour)))
        for move in legal_moves(game, position):
            for text in (move_text(game, move), move_notation(game, position, move)):
                assert parse_move(game, position, text).identity == move.identity
