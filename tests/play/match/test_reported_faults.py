"""Faults of other boards that watch a human, as people reported them: a match survives each without a word of blame."""

from collections.abc import Callable
from typing import Any

import pytest

from damludo.play.match.events import EventKind
from damludo.play.match.loop import State
from damludo.simulation.gestures import gestures_to
from damludo.simulation.hand import Carry, Put, Take, Wait, Withdraw
from damludo.vision.content import Content

E = EventKind
MakeMatch = Callable[..., Any]  # conftest's ModelledMatch: test files are no package to import it from


@pytest.mark.parametrize("seen_as", [Content.EMPTY, Content.BLACK_MAN], ids=["empty", "a black man"])
@pytest.mark.parametrize("name", ["a3", "c1"])
def test_a_square_misread_for_five_seconds_does_not_stop_the_game(
    make_match: MakeMatch, name: str, seen_as: Content
) -> None:
    """One misread disc made every later move illegal elsewhere, for good."""
    table = make_match("english", seed=3, patience_s=120.0)
    square = table.match.game.variant.board.square(name)
    table.eyes.mistakes = [(6.0, 11.0, square, seen_as), (25.0, 30.0, square, seen_as)]
    assert table.match.run() is not None
    score = table.keeper.finish()
    assert (score.wrong_plies, score.false_penalties) == (0, 0)
    assert E.ILLEGAL not in table.kinds()


def test_a_square_that_stays_misread_is_asked_about_by_its_name_until_it_is_seen_again(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1,a3:Bh8,b8", patience_s=60.0)
    a3, seen_again_s = table.match.game.variant.board.square("a3"), 45.0
    table.eyes.mistakes = [(2.0, seen_again_s, a3, Content.EMPTY)]
    assert table.match.run() is not None
    told = [event for event in table.events if event.kind is E.ASK]
    assert "a3" in told[0].text
    assert all(event.time_s >= seen_again_s for event in table.events if event.kind is E.MOVE)
    score = table.keeper.finish()
    assert (score.wrong_plies, score.false_penalties) == (0, 0)


def test_a_helper_who_puts_the_machines_disc_on_a_wrong_square_is_told_where_it_belongs(make_match: MakeMatch) -> None:
    """The machine could not carry its move out, asks a person, and the person errs: no message came elsewhere."""
    table = make_match(fen="B:Wg1,c1:Bf8,a7", seed=3, patience_s=60.0)
    table.arm.lose = {1, 2}
    right = table.human.asked_for
    heard: list[float] = []

    def at_first_wrong(changes: dict[int, Content]) -> None:
        heard.append(table.match._lookout.now_s)
        if len(heard) > 1:
            right(changes)
            return
        board = dict(table.table.content())
        source = next(square for square, content in changes.items() if content is Content.EMPTY and square in board)
        board[table.match.game.variant.board.square("h2")] = board.pop(source)
        table.human._hand.do([Wait(0.5), *gestures_to(table.table, board, white_first=True), Withdraw()])

    table.human.asked_for = at_first_wrong
    table.match.run()
    first, second = [event for event in table.events if event.kind is E.ASK][:2]
    assert first.text.startswith("Please help: ")
    assert "h2 must be empty" in second.text
    (out,) = [e for e in table.events if e.kind is E.HAND_OUT and first.time_s < e.time_s < second.time_s]
    assert second.time_s - out.time_s < 3.0
    assert E.ILLEGAL not in table.kinds()
    assert table.keeper.finish().wrong_plies == 0
    assert table.match.state is State.FINISHED


def test_a_helper_who_takes_a_wrong_disc_off_is_told_which(make_match: MakeMatch) -> None:
    table = make_match(fen="B:Wc3,g1,c1:Bd4,a7", seed=3, patience_s=60.0)
    table.arm.lose = {2, 3, 4}
    right = table.human.asked_for
    heard: list[float] = []

    def at_first_wrong(changes: dict[int, Content]) -> None:
        heard.append(0.0)
        if len(heard) > 1:
            right(changes)
            return
        board = dict(table.table.content())
        board.pop(table.match.game.variant.board.square("g1"))
        table.human._hand.do([Wait(0.5), *gestures_to(table.table, board, white_first=True), Withdraw()])

    table.human.asked_for = at_first_wrong
    table.match.run()
    second = [event for event in table.events if event.kind is E.ASK][1]
    assert "g1 needs a white man" in second.text
    assert E.ILLEGAL not in table.kinds()
    assert table.keeper.finish().wrong_plies == 0


def test_twenty_lifts_in_a_row_leave_the_game_as_it_was(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1:Bh8", patience_s=100.0)
    c3 = table.table.layout.square(table.match.game.variant.board.square("c3"))

    def lift_and_put_back() -> None:
        once = [Take(c3.x_mm, c3.y_mm), Wait(0.2), Put(c3.x_mm, c3.y_mm), Withdraw(), Wait(1.0)]
        table.human._hand.do(once * 20)
        table.human.told_to_move = lambda: None

    table.human.told_to_move = lift_and_put_back
    before = table.match.game.position
    table.match.run()
    assert table.kinds().count(E.HAND_IN) == 20
    assert not {E.MOVE, E.ILLEGAL, E.UNFINISHED, E.ASK, E.TAKEN_BACK} & set(table.kinds())
    assert table.match.game.position == before


@pytest.mark.parametrize("stop_s", [0.3, 1.0])
def test_a_disc_slid_with_stops_on_the_way_is_one_move(make_match: MakeMatch, stop_s: float) -> None:
    """A stop over a square was taken for the move elsewhere."""
    table = make_match(fen="W:WKa1,g1:Bh2", patience_s=20.0)
    board = table.match.game.variant.board
    a1, b2, c3, e5 = (table.table.layout.square(board.square(name)) for name in ("a1", "b2", "c3", "e5"))

    def slide() -> None:
        stops = [step for p in (b2, c3) for step in (Carry(p.x_mm, p.y_mm), Wait(stop_s))]
        table.human._hand.do([Take(a1.x_mm, a1.y_mm, True), *stops, Put(e5.x_mm, e5.y_mm), Withdraw()])
        table.human.told_to_move = lambda: None

    table.human.told_to_move = slide
    table.match.run()
    assert table.texts(E.MOVE)[0] == "You played a1-e5."
    assert not {E.ILLEGAL, E.UNFINISHED, E.ASK} & set(table.kinds())
