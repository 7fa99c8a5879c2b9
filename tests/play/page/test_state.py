"""The page's state is a reduction of the match's events: the same events give the same page, whoever asks and whenever."""

from collections.abc import Callable
from typing import Any

import pytest

from damludo.play.match.events import EventKind, JsonValue, MatchEvent
from damludo.play.match.ports import Command
from damludo.play.page.shown import abilities
from damludo.play.page.state import PageState, Say, state_after, waiting_state
from damludo.rules.notation import move_text
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.human import Habits

E = EventKind
MakeMatch = Callable[..., Any]
FEN = "W:Wc3,g1:Bd4,h8"


def _event(kind: EventKind, text: str = "", time_s: float = 0.0, **data: JsonValue) -> MatchEvent:
    return MatchEvent(kind, time_s, text, data)


def _started(machine: str = "black") -> MatchEvent:
    racks: JsonValue = {"white": 4, "black": 4}
    return _event(E.STARTED, "Damludo", game="damludo", machine=machine, fen=FEN, level=3, racks=racks)


def _turn(side: str, must_capture: bool = False) -> MatchEvent:
    text = f"Your move, {side}." if side == "white" else "The machine thinks."
    return _event(E.TURN, text, side=side, ply=1, must_capture=must_capture, claims=[], clocks=None)


def _after(*events: MatchEvent, simulation: bool = False) -> PageState:
    state = waiting_state(variant("damludo"), Colour.WHITE, 3, simulation=simulation)
    for event in events:
        state = state_after(state, event)
    return state


MOVE = _event(
    E.MOVE,
    "You played c3xe5.",
    time_s=4.5,
    by="human",
    ply=1,
    move={"text": "c3xe5", "notation": "c3:e5", "from": "c3", "to": "e5", "path": ["e5"], "captures": ["d4"]},
    fen="B:We5,g1:Bh8",
    racks={"white": 4, "black": 5},
    clocks=None,
)
ILLEGAL = _event(
    E.ILLEGAL,
    "you must capture: c3xe5 takes one",
    reason="must_capture",
    article="Capturing is compulsory.",
    squares=["g1", "f2"],
    better=["c3xe5"],
    better_squares=[["c3", "e5"]],
)


@pytest.mark.parametrize(
    ("events", "say"),
    [
        pytest.param([], Say("The table is made ready."), id="at first"),
        pytest.param([_event(E.PREPARING, "Hands off.", device="gantry")], Say("Hands off."), id="homing"),
        pytest.param([_started()], Say("I look at the board."), id="started"),
        pytest.param(
            [_started(), _event(E.BOARD_WRONG, "Set up the board: e1 needs a white man.", squares=["e1"])],
            Say("Set up the board: e1 needs a white man.", "do"),
            id="not set up",
        ),
        pytest.param([_started(), _turn("white")], Say("Your move, white.", "do"), id="the person's turn"),
        pytest.param(
            [_started(), _turn("white", must_capture=True)],
            Say("Your move, white: you must capture.", "do"),
            id="a capture is due",
        ),
        pytest.param(
            [_started(), _turn("white"), _event(E.HAND_IN)],
            Say("I wait until your hand has left the board."),
            id="a hand",
        ),
        pytest.param(
            [_started(), _turn("white"), _event(E.HAND_IN), _event(E.HAND_OUT)],
            Say("I look at the board."),
            id="the hand has left",
        ),
        pytest.param(
            [_started(), _turn("white"), _event(E.HAND_IN), _event(E.HAND_OUT), _event(E.PUT_BACK)],
            Say("Your move, white.", "do"),
            id="nothing has changed",
        ),
        pytest.param(
            [_started(), _turn("white"), ILLEGAL],
            Say("This move is not legal: please put the board back as it was, then move again.", "ask"),
            id="an illegal move",
        ),
        pytest.param(
            [_started(), _turn("white"), _event(E.UNFINISHED, "c3xe5 is not finished: take d4 off", squares=["d4"])],
            Say("c3xe5 is not finished: take d4 off.", "ask"),
            id="an unfinished move",
        ),
        pytest.param([_started(), _turn("black")], Say("The machine thinks."), id="the machine's turn"),
        pytest.param(
            [_started(), _turn("black"), _event(E.INTENT, "I carry out d4-e3: hands off."), _event(E.CARRIED)],
            Say("I look whether all discs have arrived."),
            id="carried",
        ),
        pytest.param(
            [_started(), _turn("black"), _event(E.WAITING_FOR_HAND, "I wait.", clear=False)],
            Say("I wait.", "ask", {"go": "No hand is there: go on"}),
            id="a hand in the way",
        ),
        pytest.param(
            [_started(), _turn("black"), _event(E.STOPPED, "STOP", why="stop")],
            Say("STOP", "alarm", {"go": "Go on"}),
            id="STOP",
        ),
        pytest.param(
            [_started(), _turn("white"), _event(E.STOPPED, "STOP", why="stop"), _event(E.GOING_ON)],
            Say("Your move, white.", "do"),
            id="going on",
        ),
        pytest.param(
            [_started(), _turn("white"), _event(E.NOTE, "The machine declines.")],
            Say("The machine declines. Your move, white.", "do"),
            id="a note passes",
        ),
        pytest.param(
            [_started(), _event(E.ASK, "How?", question="time", choices=[{"id": "play_on", "text": "Play on"}])],
            Say("How?", "ask", {"play_on": "Play on"}),
            id="a question",
        ),
        pytest.param(
            [_started(), _event(E.RESULT, "White wins.", winner="white", reason="Black has no move.", plies=3)],
            Say("White wins.", "over"),
            id="the end",
        ),
        pytest.param([_event(E.FAULT, "No camera.", device="camera")], Say("No camera.", "alarm"), id="a fault"),
    ],
)
def test_every_situation_has_one_sentence_that_says_what_to_do(events: list[MatchEvent], say: Say) -> None:
    assert _after(*events).say == say


def test_a_newcomer_at_the_simulated_table_is_told_to_drag() -> None:
    assert _after(_started(), _turn("white"), simulation=True).say.text == (
        "Your move, white. Drag one of your discs, here or in the picture."
    )


def test_a_hand_during_stop_does_not_hide_it() -> None:
    state = _after(
        _started(), _turn("white"), _event(E.STOPPED, "STOP", why="stop"), _event(E.HAND_IN), _event(E.HAND_OUT)
    )
    assert (state.say.tone, state.stopped) == ("alarm", True)


def test_a_ruling_names_squares_article_and_better_moves() -> None:
    ruling = _after(_started(), _turn("white"), ILLEGAL).ruling
    assert ruling is not None
    assert ruling.text == "You must capture: c3xe5 takes one."
    assert (ruling.squares, ruling.article) == (("g1", "f2"), "Capturing is compulsory.")
    assert [(better.text, better.squares) for better in ruling.better] == [("c3xe5", ("c3", "e5"))]


def test_a_ruling_is_gone_when_the_board_is_right_again() -> None:
    state = _after(_started(), _turn("white"), ILLEGAL, _event(E.PUT_BACK, "Thank you. Your move, white."))
    assert (state.ruling, state.wrong, state.say.text) == (None, (), "Thank you. Your move, white.")


def test_a_move_changes_board_list_racks_and_marks() -> None:
    state = _after(_started(), _turn("white"), MOVE)
    assert state.position.side is Colour.BLACK
    assert state.racks == {"white": 4, "black": 5}
    assert state.last == ("c3", "e5")
    (line,) = state.moves
    assert (line.ply, line.side, line.text, line.notation, line.seconds) == (1, "white", "c3xe5", "c3:e5", 4.5)


def test_what_is_taken_back_leaves_the_list() -> None:
    back = _event(E.TAKEN_BACK, "Taken back.", ply=0, fen=FEN, racks={"white": 4, "black": 4}, clocks=None)
    state = _after(_started(), _turn("white"), MOVE, back)
    assert (state.moves, state.racks["black"]) == ((), 4)
    assert state.position.side is Colour.WHITE


@pytest.mark.parametrize(
    ("events", "able"),
    [
        pytest.param([], {"new_game", "stop"}, id="nothing is ready"),
        pytest.param(
            [_started(), _turn("white")],
            {"draw", "hint", "new_game", "resign", "set_position", "stop"},
            id="first turn",
        ),
        pytest.param([_started(), _turn("white"), MOVE, _turn("black")], {"new_game", "resign", "stop"}, id="machine"),
        pytest.param(
            [_started(), _turn("white"), MOVE, _turn("black"), _turn("white")],
            {"draw", "hint", "new_game", "resign", "set_position", "stop", "take_back"},
            id="after a move of mine",
        ),
        pytest.param(
            [_started(), _turn("white"), _event(E.STOPPED, "STOP", why="stop")],
            {"go", "new_game", "resign", "stop"},
            id="stopped",
        ),
        pytest.param(
            [_started(), _turn("white"), MOVE, _turn("black"), _event(E.ASK, "Please help: h8 must be empty.")],
            {"new_game", "resign", "set_position", "stop"},
            id="the machine asks for help",
        ),
        pytest.param(
            [_started(), _turn("black"), _event(E.WAITING_FOR_HAND, "Take your hand away.", clear=False)],
            {"go", "new_game", "resign", "stop"},
            id="the machine waits in the middle of a move",
        ),
        pytest.param(
            [_started(), _event(E.RESULT, "Draw.", winner=None, reason="", plies=3)], {"new_game", "stop"}, id="over"
        ),
    ],
)
def test_what_can_be_done_follows_the_situation(events: list[MatchEvent], able: set[str]) -> None:
    can = abilities(_after(*events))
    assert {name for name, value in can.items() if value is True} - {"clock"} == able
    assert set(can["reasons"]) == {name for name, value in can.items() if value is False}


def test_a_position_that_was_set_stands_behind_the_moves_before_it() -> None:
    racks = {"white": 4, "black": 5}
    told = _event(E.POSITION_SET, "You set the position.", ply=1, fen="W:Wg1:Bh8", racks=racks, clocks=None)
    state = _after(_started(), _turn("white"), MOVE, ILLEGAL, told)
    assert (state.sets, len(state.moves), state.ruling, state.position.side) == ((1,), 1, None, Colour.WHITE)
    back = _event(E.TAKEN_BACK, "Taken back.", ply=0, fen=FEN, racks=racks, clocks=None)
    assert state_after(state, back).sets == ()


def test_unknown_kinds_change_nothing() -> None:
    state = _after(_started())
    assert state_after(state, _event(E.ANSWERED)) is state


@pytest.mark.parametrize("game", ["damludo", "english", "turkish", "hawaiian", "parachute"])
def test_the_page_shows_what_the_match_believes_at_every_moment(make_match: MakeMatch, game: str) -> None:
    table = make_match(game, seed=2, habits=Habits(violation_rate=0.3))
    state = waiting_state(variant(game), Colour.WHITE, 0, simulation=True)
    checked = 0

    def look(event: MatchEvent) -> None:
        nonlocal state, checked
        state = state_after(state, event)
        if event.kind in (E.TURN, E.MOVE, E.RESULT):
            match = table.match
            assert state.position == match.game.position
            assert [line.text for line in state.moves] == [move_text(match.game.variant, m) for m in match.game.moves]
            assert state.racks == {"white": match.racks.white, "black": match.racks.black}
            checked += 1

    table.match._lookout._listener = _both(table.match._lookout._listener, look)
    table.commands.waiting = [(120.0, Command.RESIGN)]
    table.match.run()
    assert checked > 20
    assert state.say.tone == "over"


def _both(first: Callable[[MatchEvent], None], second: Callable[[MatchEvent], None]) -> Callable[[MatchEvent], None]:
    def tell(event: MatchEvent) -> None:
        first(event)
        second(event)

    return tell
