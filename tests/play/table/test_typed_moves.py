"""Typed moves: the simulated hand always ends in a state where the person can go on."""

import pytest

from damludo.play.match.events import EventKind, JsonValue, MatchEvent
from damludo.play.table.simulated import SimulatedTable, set_table
from damludo.play.table.typed_moves import TypedMoves
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock
from damludo.vision.content import Content

pytestmark = pytest.mark.simulation


@pytest.fixture
def table() -> SimulatedTable:
    return set_table(variant("english"), 1, Colour.WHITE)


@pytest.fixture
def typed(table: SimulatedTable) -> TypedMoves:
    typed = TypedMoves(table)
    typed.hear(MatchEvent(EventKind.TURN, 0.0, "", {"side": "white"}))
    return typed


def _asks(**data: JsonValue) -> MatchEvent:
    return MatchEvent(EventKind.ASK, 0.0, "", data)


def _live(table: SimulatedTable, seconds: float) -> None:
    LockstepClock(table.world).sleep(seconds)


def test_a_move_that_moves_nothing_leaves_the_turn_with_the_person(table: SimulatedTable, typed: TypedMoves) -> None:
    assert typed("a3-a3") == "'a3-a3' leaves the disc where it is; 'moves' lists your legal moves."
    assert typed("a3-b4") is None
    assert typed("c3-d4") == "Wait: it is not your turn yet."


def test_the_hand_helps_when_the_match_names_what_is_wanted(table: SimulatedTable, typed: TypedMoves) -> None:
    board = table.variant.board
    typed.hear(_asks(question="finish", wanted={"b6": ".", "a5": "b"}))
    _live(table, 8.0)
    content = table.table.content()
    assert board.square("b6") not in content
    assert content[board.square("a5")] is Content.BLACK_MAN


def test_the_hand_straightens_a_disc_that_cannot_be_seen_clearly(table: SimulatedTable, typed: TypedMoves) -> None:
    square = table.variant.board.square("c3")
    place = table.layout.square(square)
    disc = table.table.upper_disc_near(place.x_mm, place.y_mm, 15.0)
    assert disc is not None
    disc.x_mm += 12.0
    typed.hear(_asks(question="unsure", squares=["c3"]))
    _live(table, 5.0)
    assert (disc.x_mm, disc.y_mm) == pytest.approx((place.x_mm, place.y_mm), abs=0.5)
