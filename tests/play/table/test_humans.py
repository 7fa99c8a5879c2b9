"""Scripted people: what their names mean, what they do, what they answer."""

from collections.abc import Callable, Sequence
from typing import Any

from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.match.ports import Answer, Order
from damludo.play.table.humans import hearing, parse_human
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.hand import Carry, Gesture, Put, Take, Wait, Withdraw
from damludo.simulation.human import Habits

MakeMatch = Callable[..., Any]


def test_manners_are_joined_by_a_plus_sign() -> None:
    spec = parse_human("random+toucher+slow")
    assert (spec.level, spec.habits, spec.pace.speed_mm_s) == (None, Habits(think_s=1.5, touch_rate=0.25), 180.0)


def test_a_toucher_lifts_another_disc_and_puts_it_back_before_he_moves(make_match: MakeMatch) -> None:
    table = make_match(habits=Habits(touch_rate=1.0))
    done: list[Sequence[Gesture]] = []
    do = table.human._hand.do

    def doing(gestures: Sequence[Gesture]) -> None:
        done.append(gestures)
        do(gestures)

    table.human._hand.do = doing
    assert table.match.run() is not None
    match done[0]:
        case [Wait(), Take(x, y), Carry(aside_x, aside_y), Wait(), Put() as back, Take(), Put(), Withdraw()]:
            assert ((back.x_mm, back.y_mm), (aside_x, aside_y)) == ((x, y), (x, y - 100.0))
        case _:
            raise AssertionError(done[0])
    score = table.keeper.finish()
    assert (score.wrong_plies, score.false_penalties, score.asked_human) == (0, 0, 0)
    assert table.human.lifted_another >= 0.5 * score.human_plies


def test_who_is_asked_about_a_touch_says_that_the_disc_was_put_straight(make_match: MakeMatch) -> None:
    table, said = make_match(), list[Order]()
    asked = MatchEvent(EventKind.ASK, 1.0, "Did you only put g1 straight?", {"question": "touch", "choices": []})
    hearing(table.human, variant("damludo"), Colour.WHITE, said.append)(asked)
    table.keeper(asked)
    assert said == [Answer("straightened")]
    assert (table.keeper.score.asked_touch, table.keeper.score.asked_human) == (1, 0)
