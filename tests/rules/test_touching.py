"""Touched discs, as the article on Damludo rules them."""

from damludo.rules.actions import Action
from damludo.rules.explanation import explain
from damludo.rules.notation import move_text, parse_fen
from damludo.rules.penalties import Discipline, Penalty, penalty_of
from damludo.rules.position import Position
from damludo.rules.touching import (
    Free,
    MustMove,
    NoneCanMove,
    OpponentChooses,
    Touch,
    duty_of,
    judge_touched,
    must_move,
    sure_touches,
)
from damludo.rules.variants import variant
from damludo.rules.verdicts import Illegal, Legal

DAMLUDO = variant("damludo")
TWO_MEN = parse_fen(DAMLUDO, "8/8/8/8/8/2w1w3/8/8 w")
ONE_CAN = parse_fen(DAMLUDO, "8/8/8/8/3b4/2w3w1/8/8 w")
"""c3 must capture, so g3 has no legal move."""


def at(*names: str) -> list[int]:
    return [DAMLUDO.board.square(name) for name in names]


def moved(position: Position, origin: str, target: str, duty: MustMove) -> object:
    return judge_touched(DAMLUDO, position, Action(at(origin)[0], at(target)[0]), duty)


def test_one_touched_disc_must_move() -> None:
    duty = duty_of(DAMLUDO, TWO_MEN, at("c3"))
    assert isinstance(duty, MustMove)
    assert [move_text(DAMLUDO, move) for move in duty.moves] == ["c3-b4", "c3-d4"]
    assert isinstance(moved(TWO_MEN, "c3", "d4", duty), Legal)


def test_another_disc_than_the_touched_one_is_refused() -> None:
    duty = duty_of(DAMLUDO, TWO_MEN, at("c3"))
    assert isinstance(duty, MustMove)
    verdict = moved(TWO_MEN, "e3", "f4", duty)
    assert isinstance(verdict, Illegal)
    assert explain(verdict) == "you touched c3, so it must move and not e3; possible: c3-b4, c3-d4"


def test_of_several_touched_discs_the_opponent_chooses() -> None:
    assert duty_of(DAMLUDO, TWO_MEN, at("e3", "c3", "e3")) == OpponentChooses(tuple(at("e3", "c3")))
    chosen = must_move(DAMLUDO, TWO_MEN, at("e3")[0])
    assert isinstance(moved(TWO_MEN, "e3", "f4", chosen), Legal)
    assert isinstance(moved(TWO_MEN, "c3", "d4", chosen), Illegal)


def test_touched_discs_that_cannot_move_bring_no_duty() -> None:
    assert duty_of(DAMLUDO, ONE_CAN, at("g3")) == NoneCanMove(tuple(at("g3")))


def test_the_opponent_chooses_among_those_that_can_move() -> None:
    duty = duty_of(DAMLUDO, ONE_CAN, at("g3", "c3"))
    assert isinstance(duty, MustMove)
    assert duty.square == at("c3")[0]


def test_the_opponents_discs_and_empty_squares_do_not_count() -> None:
    assert duty_of(DAMLUDO, ONE_CAN, at("d4", "h8")) == Free()
    black_to_move = parse_fen(DAMLUDO, "8/8/8/8/8/2w1w3/8/8 b")
    assert duty_of(DAMLUDO, black_to_move, at("c3")) == Free()


def test_without_a_duty_the_verdict_is_the_usual_one() -> None:
    action = Action(at("e3")[0], at("f4")[0])
    for duty in (Free(), NoneCanMove(()), OpponentChooses(())):
        assert isinstance(judge_touched(DAMLUDO, TWO_MEN, action, duty), Legal)


def test_a_touch_below_the_limit_binds_nobody() -> None:
    (c3, e3) = at("c3", "e3")
    seen = (Touch(c3, 0.94), Touch(e3, 0.95), Touch(e3, 0.99))
    assert sure_touches(seen) == (e3,)
    assert sure_touches(seen, limit=0.96) == (e3,)
    assert duty_of(DAMLUDO, TWO_MEN, sure_touches(seen[:1])) == Free()


def test_an_announced_adjustment_binds_nobody() -> None:
    (c3, e3) = at("c3", "e3")
    assert sure_touches((Touch(c3, announced=True), Touch(e3))) == (e3,)
    assert duty_of(DAMLUDO, TWO_MEN, sure_touches([Touch(c3, announced=True)])) == Free()


def test_only_a_repeated_offence_is_punished_and_mildly_first() -> None:
    assert [penalty_of(earlier) for earlier in range(4)] == [Penalty.NONE, Penalty.WARNING, Penalty.TIME, Penalty.TIME]


def test_the_players_agree_what_it_costs() -> None:
    strict = Discipline(free=0, warnings=2, then=Penalty.GAME)
    assert [penalty_of(earlier, strict) for earlier in range(3)] == [Penalty.WARNING, Penalty.WARNING, Penalty.GAME]
