"""The scenarios of the collection of positions: draws, duties and rights that need more than one position. Ids are its own."""

from dataclasses import replace

import pytest

from damludo.rules.actions import Action
from damludo.rules.conduct import judge
from damludo.rules.ending import moves_counted, repetitions
from damludo.rules.explanation import explain
from damludo.rules.game import Game
from damludo.rules.notation import move_text, parse_fen, parse_move
from damludo.rules.pdn import read_pdn, write_pdn
from damludo.rules.penalties import Penalty, penalty_of
from damludo.rules.position import Colour, Kind
from damludo.rules.touching import (
    Duty,
    Free,
    MustMove,
    NoneCanMove,
    OpponentChooses,
    duty_of,
    judge_touched,
    must_move,
)
from damludo.rules.traits import MoveLimit, Repetition
from damludo.rules.variants import variant
from damludo.rules.verdicts import Illegal, Legal, Unfinished, Verdict

TWO_KINGS = "8/8/8/8/8/8/1W5B/8 w"
ROUND_TWICE = ["b2-a1", "h2-g1", "a1-b2", "g1-h2"] * 2
TWO_MEN = "8/8/8/8/8/2w1w3/8/8"
ONE_CAN = "8/8/8/8/3b4/2w3w1/8/8 w"


def played(key: str, fen: str, moves: list[str]) -> Game:
    game = Game.new(variant(key), parse_fen(variant(key), fen))
    for text in moves:
        game = game.make(parse_move(game.variant, game.position, text))
    return game


def wander(game: Game, plies: int) -> Game:
    """Move kings about without making or offering a capture, to the position seen least often and freest for the other side."""
    while len(game.moves) < plies:
        quiet = [game.make(move) for move in game.legal_moves() if not move.captures and move.piece.kind is Kind.KING]
        safe = [after for after in quiet if not any(reply.captures for reply in after.legal_moves())]
        game = min(safe, key=lambda after: (after.positions.count(after.position), -len(after.legal_moves())))
    return game


def test_sc_01_damludo_third_repetition_is_claimed_before_it_changes() -> None:
    game = played("damludo", TWO_KINGS, ROUND_TWICE)
    assert (game.position.side, game.result(), len(game.draw_claims())) == (Colour.WHITE, None, 1)
    assert played("damludo", TWO_KINGS, [*ROUND_TWICE, "b2-c1"]).draw_claims() == ()


def test_sc_02_esperanto_third_repetition_is_a_draw_at_once() -> None:
    result = played("esperanto", TWO_KINGS, ROUND_TWICE).result()
    assert result is not None
    assert result.text == "draw"
    assert played("esperanto", TWO_KINGS, ROUND_TWICE[:-1]).result() is None


FOUR_KINGS = {"damludo": "W:WKc1,Ke1:BKb8,Kd8", "international": "W:WKa1,Kc1,Ke1:BKb10,Kd10,Kf10"}


@pytest.mark.parametrize(
    ("key", "plies", "drawn"),
    [
        pytest.param("damludo", 59, False, id="sc-03-in-play-at-59"),
        pytest.param("damludo", 60, True, id="sc-03-drawn-at-60"),
        pytest.param("international", 49, False, id="sc-10-in-play-at-49"),
        pytest.param("international", 50, True, id="sc-10-drawn-at-50"),
    ],
)
def test_many_moves_without_progress_are_a_draw(key: str, plies: int, drawn: bool) -> None:
    game = wander(played(key, FOUR_KINGS[key], []), plies)
    result = game.result()
    assert (result is not None) == drawn
    assert result is None or result.winner is None


@pytest.mark.parametrize(("plies", "claims"), [(79, 0), (80, 1)])
def test_sc_12_english_draw_is_claimed_after_forty_moves_each(plies: int, claims: int) -> None:
    game = wander(played("english", "W:WK32,K31:BK1,K2", []), plies)
    assert game.result() is None
    assert sum("40 moves" in claim for claim in game.draw_claims()) == claims


def test_sc_04_three_kings_have_thirteen_moves_against_one() -> None:
    game = wander(played("damludo", "7B/8/8/8/8/8/8/2W1W1W1 w", []), 25)
    assert sum(position.side is Colour.WHITE for position in game.positions[:-1]) == 13
    result = game.result()
    assert result is not None
    assert result.text == "draw"
    assert game.undo().result() is None


def test_sc_04_a_capture_that_changes_the_balance_cancels_the_count() -> None:
    """The lone king takes one of the three: two against one have no such limit in this game."""
    limit = next(
        rule for rule in variant("damludo").draws if isinstance(rule, MoveLimit) and rule.name == "three kings"
    )
    fen = "W:WKa5,Kc1,Ke1:BKh8"
    before = played("damludo", fen, ["e1-f2", "h8-g7"])
    assert moves_counted(limit, before.positions, before.moves) == 1
    after = played("damludo", fen, ["e1-f2", "h8-g7", "a5-c3", "g7xb2"])
    assert moves_counted(limit, after.positions, after.moves) == 0


TOO_SMALL = "8/8/3b4/8/3b1b2/4w3/8/8 w"


def _took_one() -> Illegal:
    game = variant("esperanto")
    square = game.board.square
    action = Action(square("e3"), square("g5"), frozenset({square("f4")}))
    verdict = judge(game, parse_fen(game, TOO_SMALL), action)
    assert isinstance(verdict, Illegal)
    return verdict


def test_sc_05_a_capture_too_small_may_be_put_right() -> None:
    verdict = _took_one()
    assert verdict.may_stand
    assert [move_text(variant("esperanto"), move) for move in verdict.better] == ["e3xc5xe7"]
    assert played("esperanto", TOO_SMALL, ["e3xc5xe7"]).position.side is Colour.BLACK


def test_sc_05_or_it_may_stand_and_is_a_move_like_others() -> None:
    """Undo, repetition and records carry it."""
    verdict = _took_one()
    assert verdict.played is not None
    game = Game.new(variant("esperanto"), parse_fen(variant("esperanto"), TOO_SMALL))
    stood = game.let_stand(verdict.played)
    assert stood.undo() == game
    assert repetitions(stood.positions) == 1
    (read,) = read_pdn(write_pdn(stood))
    assert (read.problems, read.game) == ((), stood)


def test_the_czech_opponents_choice_is_a_switch_in_the_data() -> None:
    """The federation lets the opponent decide; the site of the games refuses the move, which is our default."""
    czech = variant("czech")
    federation = replace(czech, missed_capture_may_stand=True)
    square = czech.board.square
    position, action = parse_fen(czech, "W:Wc3,g3:Bd4,h8"), Action(square("g3"), square("h4"))
    verdicts = [judge(game, position, action) for game in (czech, federation)]
    assert [isinstance(verdict, Illegal) and verdict.may_stand for verdict in verdicts] == [False, True]
    assert [verdict.reason_code for verdict in verdicts] == ["must_capture"] * 2


def _at(*names: str) -> tuple[int, ...]:
    return tuple(variant("damludo").board.square(name) for name in names)


def _moved(fen: str, origin: str, target: str, duty: Duty) -> Verdict:
    game = variant("damludo")
    return judge_touched(game, parse_fen(game, fen), Action(_at(origin)[0], _at(target)[0]), duty)


def test_sc_06_one_touched_piece_must_move() -> None:
    duty = duty_of(variant("damludo"), parse_fen(variant("damludo"), f"{TWO_MEN} w"), _at("c3"))
    assert isinstance(_moved(f"{TWO_MEN} w", "c3", "b4", duty), Legal)
    verdict = _moved(f"{TWO_MEN} w", "e3", "d4", duty)
    assert isinstance(verdict, Illegal)
    assert verdict.reason_code == "touched_other"
    assert explain(verdict).startswith("you touched c3, so it must move and not e3")


def test_sc_07_of_several_the_opponent_chooses() -> None:
    game = variant("damludo")
    position = parse_fen(game, f"{TWO_MEN} w")
    assert duty_of(game, position, _at("c3", "e3")) == OpponentChooses(_at("c3", "e3"))
    chosen = must_move(game, position, _at("e3")[0])
    assert isinstance(_moved(f"{TWO_MEN} w", "e3", "f4", chosen), Legal)
    assert isinstance(_moved(f"{TWO_MEN} w", "c3", "b4", chosen), Illegal)


def test_sc_08_touched_pieces_that_cannot_move_cost_nothing_the_first_time() -> None:
    duty = duty_of(variant("damludo"), parse_fen(variant("damludo"), ONE_CAN), _at("g3"))
    assert duty == NoneCanMove(_at("g3"))
    assert isinstance(_moved(ONE_CAN, "c3", "e5", duty), Unfinished | Legal)
    assert penalty_of(0) is Penalty.NONE
    assert penalty_of(1) is Penalty.WARNING


def test_sc_09_who_has_no_piece_left_has_won_in_anti() -> None:
    result = played("anti", "8/8/8/8/8/8/5b2/8 w", []).result()
    assert result is not None
    assert result.text == "white wins"


def test_sc_11_who_cannot_jump_has_lost_in_hawaiian() -> None:
    result = played("hawaiian", "8/8/8/8/8/8/8/w6b b", []).result()
    assert result is not None
    assert result.text == "white wins"
    assert variant("hawaiian").draws == ()


def test_sc_13_touches_bind_the_player_to_move_only() -> None:
    game = variant("damludo")
    assert duty_of(game, parse_fen(game, f"{TWO_MEN} b"), _at("c3")) == Free()


def test_sc_14_the_opponent_chooses_among_those_that_can_move() -> None:
    duty = duty_of(variant("damludo"), parse_fen(variant("damludo"), ONE_CAN), _at("g3", "c3"))
    assert isinstance(duty, MustMove)
    assert duty.square == _at("c3")[0]


def test_sc_15_two_kings_against_one_are_never_called_a_draw() -> None:
    """Esperanto draughts; the count of won positions is in `test_endgames.py`."""
    (rule,) = variant("esperanto").draws
    assert isinstance(rule, Repetition)
    assert wander(played("esperanto", "W:WKc1,Ke1:BKh8", []), 3).result() is None
