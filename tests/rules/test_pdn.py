"""Games as text: real records of strong players replay to the end, bad ones spoil nothing, hostile ones are refused."""

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damludo.rules.ending import Result
from damludo.rules.errors import BadRecord
from damludo.rules.game import Game
from damludo.rules.moves import Move, every_capture, legal_moves, play
from damludo.rules.notation import move_text, parse_fen, parse_move
from damludo.rules.pdn import MAX_BYTES, decode_pdn, read_pdn, result_token, winner_of, write_pdn
from damludo.rules.position import Colour, Kind, Position, piece_of
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant


def texts(pdn: str, key: str) -> list[str]:
    """The moves of the only game of a text."""
    (read,) = read_pdn(pdn, variant(key))
    assert read.problems == ()
    return [move_text(read.game.variant, move) for move in read.game.moves]


def crowded(game: Variant, chance: random.Random) -> Position:
    """A position with many kings, and so with many ways."""
    cells = bytearray(len(game.start.cells))
    for square in game.board.playable:
        if chance.random() < 0.35:
            cells[square] = piece_of(chance.choice(list(Colour)), chance.choice([Kind.MAN, Kind.KING, Kind.KING]))
    return Position(bytes(cells), chance.choice(list(Colour)))


def random_game(game: Variant, chance: random.Random, plies: int) -> Game:
    """A game played at random until nobody can move, or for so many plies; draws do not end it."""
    positions: list[Position] = [game.start]
    moves: list[Move] = []
    while len(moves) < plies and (legal := legal_moves(game, positions[-1])):
        moves.append(chance.choice(legal))
        positions.append(play(game, positions[-1], moves[-1]))
    return Game(game, tuple(positions), tuple(moves))


REAL = {
    "brazilian_lidraughts.pdn": 1179,
    "czech_mrcd2000kval.pdn": 1954,
    "czech_mrcd2007.pdn": 4542,
    "czech_mrdrcd07.pdn": 3472,
    "english_OCA_2.0.pdn": 2280,
    "english_inferno.pdn": 3306,
    "english_principles_of_strategy.pdn": 594,
    "english_problems_goulds.pdn": 0,
    "international_DUTCH96H.pdn": 1381,
    "international_kurnik.pdn": 535,
    "international_nk_ronde_01.pdn": 725,
    "international_problems_Cat.B1.pdn": 397,
    "international_problems_PWCP_2.pdn": 602,
    "international_wk2003.pdn": 2381,
    "italian_campionato_assoluto_2005.pdn": 3227,
    "russian_ussr1947.pdn": 8730,
}
"""Plies of each file of real games."""


@pytest.mark.photos
@pytest.mark.parametrize("name", REAL)
def test_real_games_replay_to_the_end(name: str, test_data: Path) -> None:
    text = decode_pdn((test_data / "pdn" / name).read_bytes())
    games = read_pdn(text, variant(name.split("_")[0]))
    assert [problem for read in games for problem in read.problems] == []
    assert sum(len(read.game.moves) for read in games) == REAL[name]


SYNTAX = {
    "alphanumeric.pdn": ("russian", [1]),
    "fail_nested_comment.pdn": ("international", [3]),
    "fen.pdn": ("international", [0, 0, 0]),
    "gameterminator.pdn": ("international", [1]),
    "linecomment.pdn": ("international", [2]),
    "movestrength.pdn": ("international", [3]),
    "string.pdn": ("international", [1]),
    "unicode.pdn": ("international", [2]),
    "variation.pdn": ("international", [4]),
}
"""The game and the plies of each game of the files that show one point of the syntax."""

FAULTS = {
    "fail_nested_comment.pdn": [(1, 4, "}")],  # comments do not nest: the second bracket closes nothing
    "fen.pdn": [(1, 0, "?:W29,13,11:B22,4,2")],  # says of no side that it is to move
}


@pytest.mark.photos
@pytest.mark.parametrize("name", SYNTAX)
def test_each_point_of_the_syntax_is_read_or_named_as_a_fault_of_the_file(name: str, test_data: Path) -> None:
    key, plies = SYNTAX[name]
    games = read_pdn(decode_pdn((test_data / "pdn" / "syntax" / name).read_bytes()), variant(key))
    assert [len(read.game.moves) for read in games] == plies
    assert [(p.game, p.ply, p.text) for read in games for p in read.problems] == FAULTS.get(name, [])


@pytest.mark.photos
def test_every_record_of_the_folder_is_in_one_of_the_tables(test_data: Path) -> None:
    folder = test_data / "pdn"
    assert {file.name for file in folder.rglob("*.pdn")} == {*REAL, *SYNTAX}


@pytest.mark.photos
def test_english_problems_are_won_by_the_side_to_move(test_data: Path) -> None:
    """Which shows that the first number of a result is Black's there."""
    text = (test_data / "pdn" / "english_problems_goulds.pdn").read_text(encoding="utf-8")
    games = read_pdn(text, variant("english"))
    won = [
        winner_of(variant("english"), read.result) is read.game.start.side for read in games if "/" not in read.result
    ]
    assert (sum(won), len(won)) == (162, 175)


@pytest.mark.parametrize("key", VARIANTS)
def test_written_games_are_read_back(key: str) -> None:
    game, chance = Game.new(variant(key)), random.Random(key)
    while game.result() is None and len(game.moves) < 60:
        game = game.make(chance.choice(game.legal_moves()))
    (read,) = read_pdn(write_pdn(game, {"White": 'A "quoted" name'}))
    assert read.problems == ()
    assert read.game == game
    assert read.tags["White"] == 'A "quoted" name'


@pytest.mark.slow
@pytest.mark.parametrize("key", VARIANTS)
def test_many_written_games_are_read_back(key: str) -> None:
    """More than two thousand in all games together."""
    for number in range(100):
        game = random_game(variant(key), random.Random(f"{key} {number}"), 120)
        (read,) = read_pdn(write_pdn(game))
        assert (read.problems, read.game) == ((), game)


@pytest.mark.long
@pytest.mark.parametrize("key", VARIANTS)
def test_ten_thousand_written_games_are_read_back(key: str) -> None:
    for number in range(10_000):
        game = random_game(variant(key), random.Random(f"{number} {key}"), 120)
        (read,) = read_pdn(write_pdn(game))
        assert (read.problems, read.game) == ((), game)


def test_a_game_without_a_number_is_written_with_its_name_and_position() -> None:
    text = write_pdn(Game.new(variant("damludo")))
    assert '[Variant "damludo"]' in text
    assert '[FEN "W:Wa1,c1,' in text
    assert "GameType" not in text


@pytest.mark.parametrize(
    ("key", "winner", "token"),
    [
        ("international", Colour.WHITE, "2-0"),
        ("canadian", None, "1-1"),
        ("english", Colour.BLACK, "1-0"),
        ("czech", Colour.BLACK, "0-1"),
        ("english", None, "1/2-1/2"),
    ],
)
def test_results_are_written_as_the_game_does(key: str, winner: Colour | None, token: str) -> None:
    assert result_token(variant(key), Result(winner, "")) == token
    assert winner_of(variant(key), token) is winner


@pytest.mark.parametrize(
    ("pdn", "key", "moves"),
    [
        pytest.param("1.a3b4", "russian", ["a3-b4"], id="no sign between the squares"),
        pytest.param("1.32-28!? 19-23(!?!!!) 2.28x19 *", "international", ["d4-e5", "g7-f6", "e5xg7"], id="strengths"),
        pytest.param("% a line\n1. 32-28 ; a rest\n19-23 *", "international", ["d4-e5", "g7-f6"], id="line comments"),
        pytest.param("1. 32-28 {a { comment} 19-23", "international", ["d4-e5", "g7-f6"], id="comment"),
        pytest.param("1. 32-28 (31-27 (33-29) 17-21) 19-23", "international", ["d4-e5", "g7-f6"], id="variations"),
        pytest.param(
            "1. 32-28* 19–23* 2. 28×19 *", "international", ["d4-e5", "g7-f6", "e5xg7"], id="stars and dashes"
        ),
        pytest.param("1. 32-28 ... 19-23 *", "international", ["d4-e5", "g7-f6"], id="three dots"),
        pytest.param("1. 32-28 $14 19-23 1-1", "international", ["d4-e5", "g7-f6"], id="annotation"),
        pytest.param(
            "1. 21-17 12-15 2. 23-19 11-14 3. 19x12 8x 15",
            "italian",
            ["b3-a4", "g6-f5", "f3-e4", "e6-d5", "e4xg6", "h7xf5"],
            id="blanks in moves",
        ),
    ],
)
def test_decorations_are_skipped(pdn: str, key: str, moves: list[str]) -> None:
    assert texts(pdn, key) == moves


def test_a_bad_game_spoils_no_other() -> None:
    text = "1. 32-28 19-23 *\n\n1. 32-28 99-1 ) 19-23 *\n\n1. 33-29 *"
    games = read_pdn(text)
    assert [len(read.game.moves) for read in games] == [2, 1, 1]
    assert [[(p.game, p.ply, p.text) for p in read.problems] for read in games] == [
        [],
        [(2, 3, ")"), (2, 2, "99-1")],
        [],
    ]


@pytest.mark.parametrize(
    ("start", "text", "reason"),
    [
        pytest.param("{never closed", "{never closed 19-23 *", "this comment has no end", id="comment"),
        pytest.param("(31-27", "(", "this variation has no end", id="variation"),
    ],
)
def test_what_is_never_closed_spoils_no_other_game(start: str, text: str, reason: str) -> None:
    games = read_pdn(f'1. 32-28 {start} 19-23 *\n\n[Event "two"]\n1. 33-29 {{fine}} *')
    assert [len(read.game.moves) for read in games] == [1, 1]
    assert [[(p.text, p.reason) for p in read.problems] for read in games] == [[(text[:20], reason)], []]


def test_a_comment_may_go_over_lines_and_hold_a_bracket() -> None:
    (read,) = read_pdn("1. 32-28 {see\n\n[Event of 1950]\n  as well} 19-23 *")
    assert (len(read.game.moves), read.problems) == (2, ())


def test_what_stands_before_the_result_alone_is_told_too() -> None:
    (read,) = read_pdn("§ *")
    assert [problem.text for problem in read.problems] == ["§"]


def test_a_bad_position_is_a_problem_of_its_game() -> None:
    games = read_pdn('[FEN "W:W77:B1"]\n*\n[FEN "W:W46:BK1"]\n1. 46-41 *')
    assert [len(read.problems) for read in games] == [1, 0]
    assert games[0].problems[0].ply == 0


@pytest.mark.parametrize(("tag", "key"), [("20", "international"), ("21,B,8,8,N1,0", "english"), ("30", "turkish")])
def test_the_tags_name_the_game(tag: str, key: str) -> None:
    (read,) = read_pdn(f'[GameType "{tag}"]\n*')
    assert read.game.variant.key == key


def test_a_foreign_word_for_the_variant_is_passed_over_where_the_number_says_it() -> None:
    (read,) = read_pdn('[Variant "Standard"][GameType "26"] *')
    assert (read.game.variant.key, read.problems) == ("brazilian", ())
    (alone,) = read_pdn('[Variant "Standard"] *')
    assert [problem.ply for problem in alone.problems] == [0]


def test_a_game_whose_position_is_bad_keeps_its_variant() -> None:
    (read,) = read_pdn('[Variant "damludo"][FEN "W:W99:B"] *')
    assert (read.game.variant.key, len(read.problems)) == ("damludo", 1)
    (again,) = read_pdn(write_pdn(read.game, read.tags))
    assert (again.problems, again.game) == ((), read.game)


def test_tags_of_another_start_or_game_are_not_written() -> None:
    stale = {"White": "A", "FEN": "W:W33:B1", "SetUp": "1", "GameType": "30", "Variant": "thai"}
    (read,) = read_pdn(write_pdn(Game.new(variant("english")), stale))
    assert (read.problems, read.game, read.tags["White"]) == ((), Game.new(variant("english")), "A")


def test_an_unknown_game_type_is_a_problem() -> None:
    (read,) = read_pdn('[GameType "99"]\n*')
    assert [problem.reason for problem in read.problems] == ["GameType 99 is none of the games of this program"]


def test_a_missed_capture_that_stands_is_part_of_the_game() -> None:
    """Esperanto: the opponent may let it stand."""
    esperanto = variant("esperanto")
    game = Game.new(esperanto, parse_fen(esperanto, "8/8/3b4/8/3b1b2/4w3/7w/8 w"))
    small = next(move for move in every_capture(esperanto, game.position) if len(move.captures) == 1)
    stood = game.let_stand(small)
    text = write_pdn(stood)
    assert "{stands}" in text
    (read,) = read_pdn(text)
    assert (read.problems, read.game) == ((), stood)


def test_a_small_capture_that_stands_is_not_read_as_the_greater_one_along_the_same_way() -> None:
    """The ways of a king to one square may differ by what they take, and one way may be a part of the other."""
    esperanto = variant("esperanto")
    chance, seen = random.Random(5), 0
    for _ in range(400):
        position = crowded(esperanto, chance)
        legal = {move.identity for move in legal_moves(esperanto, position)}
        for move in every_capture(esperanto, position):
            if move.identity not in legal:
                stood = Game.new(esperanto, position).let_stand(move)
                (read,) = read_pdn(write_pdn(stood))
                assert (read.problems, read.game.positions) == ((), stood.positions)
                seen += 1
    assert seen > 100


def test_a_comment_of_somebody_else_that_says_stands_changes_nothing() -> None:
    (read,) = read_pdn('[Variant "esperanto"] 1. 22-18 {stands} *')
    assert (read.problems, len(read.game.moves)) == ((), 1)


def test_a_capture_longer_than_a_line_stays_in_one_piece() -> None:
    canadian, move = variant("canadian"), "a1xc3xe1xg3xi1xk3xi5xg7xe5xc7xa9"
    position = parse_fen(canadian, "W:WKa1:Bb2,d2,f2,h2,j2,j4,h6,f6,d6,b8")
    assert move in [move_text(canadian, found) for found in legal_moves(canadian, position)]
    game = Game.new(canadian, position)
    rulings = {1: "w" * 100}
    written = write_pdn(game.make(parse_move(canadian, position, move)), rulings=rulings)
    (read,) = read_pdn(written)
    assert (read.problems, len(read.game.moves), read.rulings) == ((), 1, rulings)


def test_several_rulings_on_one_ply_and_one_before_the_first_are_kept() -> None:
    (read,) = read_pdn('[Variant "damludo"] {ruling: White begins} 1. c3-d4 {ruling: a} {ruling: b} *')
    assert read.rulings == {0: "White begins", 1: "a; b"}
    (again,) = read_pdn(write_pdn(read.game, rulings=read.rulings))
    assert again.rulings == read.rulings


def test_rulings_are_kept_in_comments() -> None:
    game = Game.new(variant("damludo"))
    for _ in range(4):
        game = game.make(game.legal_moves()[0])
    rulings = {2: "e3-f4 taken back {capture missed}", 4: "a long ruling " + "that goes on " * 9 + "and ends"}
    text = write_pdn(game, rulings=rulings)
    (read,) = read_pdn(text)
    assert (read.problems, read.game) == ((), game)
    assert read.rulings == {2: "e3-f4 taken back {capture missed)", 4: rulings[4]}
    assert max(map(len, text.splitlines())) <= 80 or "[FEN" in text


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ('[White "Nuño"] *'.encode(), "Nuño"),
        ('\ufeff[White "Nuño"] *'.encode(), "Nuño"),
        ('[White "Nuño"] *'.encode("cp1252"), "Nuño"),
        (b'[White "a\x81b"] *', "a\ufffdb"),
    ],
    ids=["utf-8", "with a mark", "Windows-1252", "a byte that no table has"],
)
def test_files_are_read_in_both_encodings(raw: bytes, name: str) -> None:
    (read,) = read_pdn(decode_pdn(raw))
    assert read.tags["White"] == name


def test_a_long_file_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(BadRecord, match="at most 262144"):
        decode_pdn(b" " * (MAX_BYTES + 1))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000,
        "1" * 200_000,
        "[" * 20_000,
        "{" * 20_000,
        '[a "' * 5_000,
        "1. " * 60_000,
        "* " * 100_000,
        "x" * 200_000,
        "32-28 * " * 5_000,
    ],
)
def test_hostile_files_are_read_in_time(text: str) -> None:
    started = time.process_time()
    read_pdn(text)
    assert time.process_time() - started < 2.0


def test_a_file_that_is_too_long_is_refused() -> None:
    with pytest.raises(BadRecord, match="262144 bytes"):
        read_pdn("1. 32-28 " * 120_000)
    with pytest.raises(BadRecord, match="5000 games"):
        read_pdn("32-28 * " * 10_000)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.binary(max_size=120), st.sampled_from(["international", "hawaiian", "esperanto", "russian"]))
def test_no_bytes_make_the_reader_stumble(raw: bytes, key: str) -> None:
    for read in read_pdn(decode_pdn(raw), variant(key)):
        assert len(read.game.positions) == len(read.game.moves) + 1


PIECES_OF_TEXT = (
    "1.", "32-28", "19-23", "28x19", "14x23", "22", "x", "-", "(", ")", "{", "}", "{ruling: a}", ";", "\n", "\n%", "$1", "!?",
    "*", "2-0", "[FEN", '"', "]", '[FEN "W:W31:B20"]', '[GameType "21"]', '[Variant "esperanto"]',
)  # fmt: skip
WORDS = st.sampled_from(PIECES_OF_TEXT)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_no_mixture_of_words_makes_the_reader_stumble(text: str) -> None:
    """What can be read is also written and read again as the same game."""
    for read in read_pdn(text):
        again = read_pdn(write_pdn(read.game, rulings=read.rulings))
        assert [other.game for other in again] == [read.game]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet='0123456789abcx-:.()[]{};%$"*! \nWB/', max_size=80))
def test_no_text_makes_the_reader_stumble(text: str) -> None:
    for read in read_pdn(text):
        assert len(read.game.positions) == len(read.game.moves) + 1
