"""Kinds of faults that users of other programs have reported: each name says the kind, each test is an example of it."""

import random
import time

import pytest

from damludo.engine.port import Limits
from damludo.engine.search import AlphaBeta
from damludo.rules.actions import Action, possible_actions
from damludo.rules.conduct import judge, judge_attempt
from damludo.rules.ending import moves_counted
from damludo.rules.errors import BadMove, BadPosition, RulesError
from damludo.rules.explanation import crowning_article, explain
from damludo.rules.game import Game
from damludo.rules.moves import all_routes, legal_moves
from damludo.rules.notation import format_fen, move_notation, move_text, parse_fen, parse_move, parse_squares
from damludo.rules.pdn import read_pdn, write_pdn
from damludo.rules.position import Colour, Kind, Position
from damludo.rules.touching import NoneCanMove, duty_of
from damludo.rules.traits import MoveLimit
from damludo.rules.variants import VARIANTS, variant
from damludo.rules.verdicts import Illegal, Legal, Nothing, Unfinished

KEYS = tuple(VARIANTS)


def texts(key: str, fen: str) -> list[str]:
    game = variant(key)
    return sorted(move_text(game, move) for move in legal_moves(game, parse_fen(game, fen)))


# --- generators and rule books ------------------------------------------------------------------------------------------------


def test_a_capture_that_stops_before_it_is_complete() -> None:
    assert texts("russian", "W:Wh6:Bg7,c5,d2") == ["h6xf8xb4xe1"]


def test_a_crash_on_a_crowded_legal_position() -> None:
    found = texts("russian", "W:We3,g3,h4,a5,b2,h2,a3,Kf8:Bc5,e5,g5,g7,h8")
    assert [("x" in text) for text in found] == [True] * 3


@pytest.mark.parametrize(
    ("key", "becomes", "counted"),
    [("russian", "king", 0), ("brazilian", None, 0), ("damludo", None, 0)],
    ids=["russian-is-a-king", "brazilian-stays-a-man", "damludo-stays-a-man"],
)
def test_a_crown_lost_when_the_parts_of_a_chain_are_joined(key: str, becomes: str | None, counted: int) -> None:
    """The man passes f8 and ends on h6; a capture restarts every count of moves without progress."""
    game = Game.new(variant(key), parse_fen(variant(key), "W:Wd6,a1:Be7,g7,b8"))
    (move,) = game.legal_moves()
    assert (move_text(game.variant, move), move.becomes and move.becomes.kind and move.becomes.kind.value) == (
        "d6xf8xh6",
        becomes,
    )
    after = game.make(move)
    for rule in game.variant.draws:
        if isinstance(rule, MoveLimit):
            assert moves_counted(rule, after.positions, after.moves) == counted


def test_doubt_whether_passing_the_last_row_crowns() -> None:
    game = variant("international")
    position = parse_fen(game, "W:Wd8:Be9,g9")
    (move,) = legal_moves(game, position)
    assert move.becomes is None
    assert crowning_article(game, position, move) == (
        "A man that only passes a crowning square in a capture stays a man."
    )


def test_a_forced_backward_capture_taken_for_an_error() -> None:
    game = variant("international")
    position = parse_fen(game, "W:Wd4,a1:Bc3,j10")
    verdict = judge_attempt(game, position, parse_squares(game, "d4-e5"))
    assert explain(verdict) == "you must capture: d4xb2 takes one"
    assert verdict.article == "Capturing is compulsory."


def test_a_record_that_hides_which_of_two_routes_was_taken() -> None:
    game = variant("english")
    position = parse_fen(game, "W:Wd2:Bc3,c5,e3,e5")
    written = [move_notation(game, position, move) for move in legal_moves(game, position)]
    assert written == ["26x17x10", "26x19x10"]


KING_RANGE = {
    "english": 1, "anti": 1, "gothic": 1, "italian": 1, "alquerque": 0, "hawaiian": 0,
}  # fmt: skip
"""Squares that a king goes over at most; in all the other games it flies."""


@pytest.mark.parametrize("key", KEYS)
def test_kings_that_fly_where_they_must_not(key: str) -> None:
    game = variant(key)
    if Kind.KING not in game.movers:
        assert KING_RANGE[key] == 0
        return
    corner = game.board.playable[0]
    position = parse_fen(game, f"W:WK{game.board.name(corner)}:B")
    reach = max(
        max(
            abs(a - b)
            for a, b in zip(divmod(move.target, game.board.columns), divmod(corner, game.board.columns), strict=True)
        )
        for move in legal_moves(game, position)
    )
    assert (reach == 1) == (KING_RANGE.get(key) == 1)
    assert reach == 1 or reach >= game.board.columns - 2


def test_a_man_that_jumps_on_as_a_king() -> None:
    assert texts("english", "8/2b1b3/5w2/8/8/8/8/8 w") == ["f6xd8"]


@pytest.mark.parametrize("key", KEYS)
def test_a_duty_to_capture_that_binds_only_the_piece_in_hand(key: str) -> None:
    game, chance = variant(key), random.Random(key)
    position, seen = game.start, 0
    for _ in range(150):
        moves = legal_moves(game, position)
        if not moves:
            position = game.start
            continue
        capture = any(move.captures for move in moves)
        assert all(bool(move.captures) == capture for move in moves)
        seen += capture
        position = Game.new(game, position).make(chance.choice(moves)).position
    assert seen > 3


def test_a_touched_piece_that_has_no_capture_is_answered_by_the_touch_rule() -> None:
    game = variant("damludo")
    g3 = game.board.square("g3")
    assert duty_of(game, parse_fen(game, "8/8/8/8/3b4/2w3w1/8/8 w"), [g3]) == NoneCanMove((g3,))


@pytest.mark.parametrize("key", KEYS)
def test_a_winner_looked_for_on_the_wrong_side(key: str) -> None:
    """The side to move has nothing: it has lost in the same moment, or won in Anti."""
    game = variant(key)
    result = Game.new(game, parse_fen(game, f"W:W:B{game.board.name(game.board.playable[0])}")).result()
    assert result is not None
    assert result.text == ("white wins" if key == "anti" else "black wins")


def test_a_chain_half_done_that_leaks_into_the_other_side() -> None:
    game = variant("english")
    position = parse_fen(game, "8/8/5b2/8/1b1b4/w1w5/8/8 w")
    first = legal_moves(game, position)
    judge(
        game, position, Action(game.board.square("c3"), game.board.square("e5"), frozenset({game.board.square("d4")}))
    )
    legal_moves(game, Position(position.cells, Colour.BLACK))
    assert legal_moves(game, position) == first


@pytest.mark.parametrize(
    ("key", "fen", "captured"),
    [
        ("english", "W:WKa1:Bb2,d2,f2", 3),
        ("italian", "W:WKb1:Bc2,e2,g2", 3),
        ("gothic", "8/8/8/1b1b4/8/8/8/8 w".replace("1b1b4", "Wb1b4"), 2),
        ("czech", "W:WKa1:Bd4,f4", 2),
        ("portuguese", "W:WKb1:Bd3,f3", 2),
        ("russian", "W:WKa1:Bd4,f4", 2),
        ("thai", "W:WKa1:Bd4,f4", 2),
        ("turkish", "8/8/8/8/8/W2b1b2/8/8 w", 2),
        ("armenian", "8/8/8/8/8/W2b1b2/8/8 w", 2),
        ("dameo", "8/8/8/8/8/W2b1b2/8/8 w", 2),
    ],
)
def test_a_king_that_cannot_finish_a_double_jump(key: str, fen: str, captured: int) -> None:
    game = variant(key)
    assert {len(move.captures) for move in legal_moves(game, parse_fen(game, fen))} == {captured}


@pytest.mark.parametrize("jumps", range(1, 10))
def test_chains_cut_short(jumps: int) -> None:
    game = variant("canadian")
    victims = ["b2", "d2", "f2", "h2", "j2", "j4", "h6", "f6", "d6"][:jumps]
    (move,) = legal_moves(game, parse_fen(game, f"W:Wa1:B{','.join(victims)}"))
    assert len(move.captures) == jumps


@pytest.mark.parametrize("key", ["english", "international", "russian", "turkish", "dameo"])
def test_wrong_continuations_after_a_part_of_a_capture(key: str) -> None:
    """After each jump the squares that are offered are those of legal captures that begin so, and never more."""
    game, chance, seen = variant(key), random.Random(key), 0
    position = game.start
    for _ in range(120):
        routes = all_routes(game, position)
        if not routes:
            break
        for route in routes:
            for jumps in range(1, len(route.path) if route.captures else 0):
                action = Action(route.origin, route.path[jumps - 1], frozenset(route.captures[:jumps]))
                verdict = judge(game, position, action)
                assert isinstance(verdict, Unfinished)
                assert {move.identity for move in verdict.moves} <= {other.identity for other in routes}
                assert route.identity in {move.identity for move in verdict.moves}
                seen += 1
        position = Game.new(game, position).make(chance.choice(legal_moves(game, position))).position
    assert seen


def test_a_draw_rule_that_the_federation_has_and_the_program_not() -> None:
    """Turkish draughts, one piece each: drawn unless one can be taken; the rule is data and can be left out."""
    turkish = variant("turkish")
    assert Game.new(turkish, parse_fen(turkish, "W:Wa3:Bh6")).result() is not None
    assert Game.new(turkish, parse_fen(turkish, "W:Wa3:Ba4")).result() is None
    assert Game.new(variant("armenian"), parse_fen(variant("armenian"), "W:Wa3:Bh6")).result() is None


@pytest.mark.parametrize("key", [key for key in KEYS if Kind.KING in VARIANTS[key].movers])
def test_a_machine_that_plays_on_for_ever(key: str) -> None:
    """Two kings each, a machine on both sides: the rules of the game end it, at once or when one of the sides asks for it."""
    game_variant = variant(key)
    names = [game_variant.board.name(square) for square in game_variant.board.playable]
    game = Game.new(game_variant, parse_fen(game_variant, f"W:WK{names[0]},K{names[1]}:BK{names[-1]},K{names[-2]}"))
    player = AlphaBeta(Limits(depth=1))
    while game.result() is None and not game.draw_claims():
        game = game.make(player.choose(game).move)
        assert len(game.moves) <= 120


def test_a_record_with_a_missed_capture_that_stood() -> None:
    esperanto = variant("esperanto")
    game = Game.new(esperanto, parse_fen(esperanto, "W:Wc3,g3:Bd4,h8"))
    verdict = judge(esperanto, game.position, Action(esperanto.board.square("g3"), esperanto.board.square("h4")))
    assert isinstance(verdict, Illegal)
    assert verdict.played is not None
    stood = game.let_stand(verdict.played)
    (read,) = read_pdn(write_pdn(stood))
    assert (read.problems, read.game.position, read.game.position.side) == ((), stood.position, Colour.BLACK)


@pytest.mark.parametrize("key", KEYS)
def test_a_wrong_move_on_a_wooden_board_that_crashes_the_judge(key: str) -> None:
    """Everything a hand can do is exactly one of: nothing, a move, a part of one, a mistake with its reason."""
    game = variant(key)
    for action in possible_actions(game, game.start)[:400]:
        verdict = judge(game, game.start, action)
        assert isinstance(verdict, Nothing | Legal | Unfinished | Illegal)
        assert verdict.reason_code
        assert verdict.article.endswith(".")


def test_captures_treated_as_optional() -> None:
    assert texts("english", "W:W11:B7,13") == ["f6xd8"]


# --- notation -----------------------------------------------------------------------------------------------------------------


def test_a_position_of_one_side_refused() -> None:
    international = variant("international")
    result = Game.new(international, parse_fen(international, "B:W50:B")).result()
    assert result is not None
    assert result.text == "white wins"
    anti = Game.new(variant("anti"), parse_fen(variant("anti"), "B:W32:B")).result()
    assert anti is not None
    assert anti.text == "black wins"


@pytest.mark.parametrize("fen", ["W:W:W21,22,K5:B1-3", "W:W21,22,K5:B1-3"], ids=["doubled", "single"])
def test_a_writer_that_doubles_the_side_to_move(fen: str) -> None:
    game = variant("english")
    written = format_fen(game, parse_fen(game, fen))
    assert written == "W:WK5,21,22:B1,2,3"
    assert format_fen(game, parse_fen(game, written)) == written


@pytest.mark.parametrize(
    "text",
    ["W:W1-12:BK31", '[FEN "W:W1-12:BK31"]', "[W:W1-12:BK31]", "W:W1-12:BK31.", "W:W1-12:Bk31", "w:w1-12:bk31."],
    ids=["bare", "tag", "brackets", "full-stop", "small-k", "small-letters"],
)
def test_a_form_of_fen_not_recognised(text: str) -> None:
    game = variant("english")
    assert parse_fen(game, text) == parse_fen(game, "W:W1,2,3,4,5,6,7,8,9,10,11,12:BK31")


def test_a_stray_bracket_after_an_illegal_move() -> None:
    (read,) = read_pdn("1. 32-28 99-1 ) 19-23 *")
    assert [(problem.game, problem.ply) for problem in read.problems] == [(1, 3), (1, 2)]
    assert len(read.game.moves) == 1


@pytest.mark.parametrize("text", ["{a comment} * " * 2_000, "{" + "a" * 260_000, "1" * 260_000, "(" * 260_000])
def test_a_reader_that_never_ends(text: str) -> None:
    started = time.process_time()
    read_pdn(text)
    assert time.process_time() - started < 2.0


def test_one_bad_game_that_spoils_a_file() -> None:
    games = read_pdn("1. 32-28 *\n\n1. 32-28 1-50 *\n\n1. 33-29 *")
    assert [len(read.game.moves) for read in games] == [1, 1, 1]
    assert [problem.game for read in games for problem in read.problems] == [2]


@pytest.mark.parametrize(
    "text", ["W:W1-999999999:B5", "W:W" + "9" * 1_000 + ":B5", "W:W5,5:B1", "W:W٥:B1", "W:W1-:B5", "W:W12-1-2:B5"]
)
def test_positions_that_hang_or_are_let_through(text: str) -> None:
    started = time.process_time()
    with pytest.raises(BadPosition):
        parse_fen(variant("english"), text)
    assert time.process_time() - started < 0.2


@pytest.mark.parametrize(
    ("key", "fen"),
    [
        ("armenian", "W:WKd7:Bd1,g1,Ka2,Kd2,Kb3,d3,Ke3,f3,Kh3,Ka4,Kc4,f4,Kb5,g5,Kh5,e6,g6,b7,e7,b8,f8"),
        ("turkish", "W:WKa4:Ba1,Kd1,f1,Kb2,a3,Kc3,e3,f3,g3,Kb4,Kc4,Kd4,Kf4,h4,a5,Kc5,e5,Kf5,b6,Kg6,Kc7,Kd7,f7,e8"),
    ],
)
def test_a_made_up_position_with_thousands_of_ways_to_capture(key: str, fen: str) -> None:
    """Discs that leave at once open lines, so each can be taken before or after many others: refused, also in a record."""
    game = variant(key)
    with pytest.raises(BadPosition, match="no game leads to such a position"):
        legal_moves(game, parse_fen(game, fen))
    (read,) = read_pdn(f'[Variant "{key}"][FEN "{fen}"] 1. {fen[4:6]}xd1 *')
    assert [problem.ply for problem in read.problems] == [0]
    (again,) = read_pdn(write_pdn(read.game, read.tags))
    assert (again.problems, again.game) == ((), read.game)


def test_a_megabyte_of_digits_as_a_move() -> None:
    started = time.process_time()
    with pytest.raises(BadMove):
        parse_move(variant("english"), variant("english").start, "1" * 1_000_000)
    assert time.process_time() - started < 0.2


@pytest.mark.parametrize("key", KEYS)
def test_errors_of_another_class_from_damaged_positions(key: str) -> None:
    game, chance = variant(key), random.Random(key)
    good = format_fen(game, game.start)
    for _ in range(300):
        letters = list(good)
        for _ in range(chance.randint(1, 4)):
            letters[chance.randrange(len(letters))] = chance.choice("WBKP,:-0123456789ahl./ ")
        try:
            position = parse_fen(game, "".join(letters))
        except RulesError:
            continue
        assert parse_fen(game, format_fen(game, position)) == position


@pytest.mark.parametrize("key", KEYS)
def test_algebraic_squares_read_by_another_table_than_numbers(key: str) -> None:
    game = variant(key)
    for square in game.board.playable:
        named, numbered = (
            parse_fen(game, f"W:W{text}:B") for text in (game.board.name(square), game.board.number(square))
        )
        assert named == numbered
        assert [place for place, code in enumerate(named.cells) if code] == [square]
