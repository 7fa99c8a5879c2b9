"""What a person may wish during a match: taking back, a hint, a draw, another level, another game; and what the clock asks."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from damludo.engine.port import Choice
from damludo.play.content import board_content
from damludo.play.match.events import EventKind
from damludo.play.match.loop import State
from damludo.play.match.ports import Answer, Command, NewGame, SetLevel
from damludo.play.match.timekeeping import TimeControl
from damludo.play.match.touching import TouchMode, TouchRule
from damludo.rules.game import Game
from damludo.rules.notation import parse_move
from damludo.rules.position import Colour
from damludo.simulation.gestures import gestures_to
from damludo.simulation.hand import Point, Wait, Withdraw
from damludo.vision.content import Content
from damludo.vision.touch import TouchEvidence, TouchKind

E = EventKind
MakeMatch = Callable[..., Any]


def _script(table: Any, *acts: Callable[[], None]) -> None:
    """Let the person do one thing at each of his turns, and nothing after the last."""
    waiting = list(acts)

    def turn() -> None:
        if waiting:
            waiting.pop(0)()

    table.human.told_to_move = turn
    table.human.told_to_correct = lambda: None


def _plays(table: Any, text: str) -> Callable[[], None]:
    def act() -> None:
        game = table.match.game
        after = game.make(parse_move(game.variant, game.position, text))
        _makes(table, board_content(game.variant.board.playable, after.position))

    return act


def _makes(table: Any, content: dict[int, Content]) -> None:
    wanted = {square: piece for square, piece in content.items() if piece.discs}
    table.human._hand.do([*gestures_to(table.table, wanted, white_first=True), Withdraw()])


def _says(table: Any, *orders: Any, after_s: float = 0.5) -> Callable[[], None]:
    def act() -> None:
        now = table.commands.clock.now_s()
        table.commands.waiting += [(now + after_s * (k + 1), order) for k, order in enumerate(orders)]

    return act


def _start(table: Any) -> dict[int, Content]:
    game = table.match.game
    return {s: c for s, c in board_content(game.variant.board.playable, game.start).items() if c.discs}


# --- taking back ----------------------------------------------------------------------------------------------------------------


def test_the_machine_takes_back_a_move_and_its_answer(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1:Bf6,h8", patience_s=20.0)
    start = _start(table)
    _script(table, _plays(table, "c3-d4"), _says(table, Command.TAKE_BACK))
    table.match.run()
    assert table.table.content() == start
    assert table.match.game.moves == ()
    (back,) = [event for event in table.events if event.kind is E.TAKEN_BACK]
    assert (back.data["plies"], back.data["ply"], back.data["moves"][0]) == (2, 0, "c3-d4")
    assert len([event for event in table.events if event.kind is E.MOVE]) == 2, (
        "what was taken back stays in the journal"
    )


def test_captures_and_crowns_of_both_sides_are_taken_back(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wd4,a1:Be5,e7,h2", patience_s=20.0)
    start, racks = _start(table), table.match.racks
    _script(table, _plays(table, "d4xf6xd8"), _says(table, Command.TAKE_BACK))
    table.match.run()
    assert [event.data["move"]["becomes"] for event in table.events if event.kind is E.MOVE] == ["king", "king"]
    assert table.table.content() == start
    assert table.match.racks == racks
    assert E.ASK not in table.kinds()


def test_after_taking_back_the_game_goes_on(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1:Bf6,h8", patience_s=20.0)
    _script(table, _plays(table, "c3-d4"), _says(table, Command.TAKE_BACK), _plays(table, "g1-f2"))
    table.match.run()
    assert table.texts(E.MOVE)[2] == "You played g1-f2."


def test_from_a_board_in_disorder_the_person_goes_back_by_hand(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1:Bf6,h8", patience_s=60.0)
    start = _start(table)

    def disorder() -> None:
        board = table.match.game.variant.board
        content = {s: c for s, c in table.table.content().items() if s != board.square("g1")}
        _makes(table, {**content, board.square("a5"): Content.WHITE_MAN})
        _says(table, Command.TAKE_BACK, after_s=8.0)()

    _script(table, _plays(table, "c3-d4"), disorder)
    carried = table.arm.carried
    table.match.run()
    assert table.texts(E.ASK)[0].startswith("Please help: ")
    assert table.table.content() == start
    assert (len(table.match.game.moves), carried) == (0, 0)
    assert E.TAKEN_BACK in table.kinds()


def test_a_disc_that_is_not_found_is_carried_again_or_asked_for(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1:Bf6,h8", patience_s=40.0)
    start = _start(table)
    _script(table, _plays(table, "c3-d4"), _says(table, Command.TAKE_BACK))
    table.arm.lose = {2, 4}
    table.match.run()
    assert table.table.content() == start
    assert E.TAKEN_BACK in table.kinds()


def test_where_nothing_was_moved_nothing_is_taken_back(make_match: MakeMatch) -> None:
    table = make_match(seed=4, patience_s=10.0)
    _script(table, _says(table, Command.TAKE_BACK))
    table.match.run()
    assert table.texts(E.NOTE) == ["You have made no move yet that could be taken back."]


def test_taking_back_twice_goes_back_two_moves(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc1,g1:Ba7,h8", patience_s=20.0)
    start = _start(table)
    take_back = _says(table, Command.TAKE_BACK)
    _script(table, _plays(table, "c1-d2"), _plays(table, "g1-f2"), take_back, take_back)
    table.match.run()
    assert table.kinds().count(E.TAKEN_BACK) == 2
    assert (table.table.content(), table.match.game.moves) == (start, ())


# --- hint, draw, level, another game --------------------------------------------------------------------------------------------


def test_a_hint_names_a_legal_move_and_its_squares(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3:Bd4,h8", patience_s=8.0)
    _script(table, _says(table, Command.HINT))
    table.match.run()
    (hint,) = [event for event in table.events if event.kind is E.HINT]
    assert (hint.text, hint.data["squares"]) == ("You could play c3xe5.", ["c3", "e5"])


class _Weighs:
    """A player that believes it knows how the side to move stands."""

    def __init__(self, score: float) -> None:
        self._score = score

    def choose(self, game: Game) -> Choice:
        return Choice(game.legal_moves()[0], self._score)


@pytest.mark.parametrize(("score", "accepted"), [(1.0, True), (0.0, False), (-1.0, False)])
def test_the_machine_accepts_a_draw_when_it_stands_worse(make_match: MakeMatch, score: float, accepted: bool) -> None:
    table = make_match(seed=4, patience_s=10.0)
    table.match._player = _Weighs(score)
    _script(table, _says(table, Command.DRAW))
    result = table.match.run()
    assert (result is not None and result.winner is None) is accepted
    assert table.texts(E.NOTE) == ([] if accepted else ["The machine declines the draw and plays on."])


def test_another_level_plays_the_next_move(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1:Bf6,h8", patience_s=10.0)
    asked: list[int] = []

    def player_of(level: int) -> _Weighs:
        asked.append(level)
        return _Weighs(0.25)

    table.match._settings = replace(table.match._settings, player_of=player_of)
    _script(table, lambda: (_says(table, SetLevel(7))(), _plays(table, "c3-d4")())[0])
    table.match.run()
    assert asked == [7]
    assert [event.data["score"] for event in table.events if event.kind is E.THINKING] == [0.25]


def test_another_game_ends_this_one_and_is_remembered(make_match: MakeMatch) -> None:
    table = make_match(seed=4)
    wanted = NewGame("thai", 3, Colour.WHITE)
    _script(table, _says(table, wanted))
    assert table.match.run() is None
    assert table.match.wanted == wanted
    assert table.texts(E.STOPPED) == ["the game was left for another one"]


# --- STOP in the person's turn ------------------------------------------------------------------------------------------------


def test_stop_in_the_persons_turn_is_told_and_lifted_by_go(make_match: MakeMatch) -> None:
    table = make_match(seed=4, patience_s=10.0)
    _script(table, _says(table, Command.STOP, Command.STOP, Command.GO))
    table.match.run()
    kinds = [kind for kind in table.kinds() if kind in (E.STOPPED, E.GOING_ON)]
    assert kinds == [E.STOPPED, E.GOING_ON, E.STOPPED]  # the last one: nothing happened for too long
    assert not table.match.stopped


# --- a hand that does not leave -------------------------------------------------------------------------------------------------


def test_a_hand_that_stays_is_spoken_of_and_thanked(make_match: MakeMatch) -> None:
    table = make_match(seed=4, patience_s=60.0)
    _script(table, lambda: table.human._hand.do([Point(200.0, 200.0), Wait(25.0), Withdraw()]))
    table.match.run()
    assert table.texts(E.WAITING_FOR_HAND) == [
        "I wait until your hand has left the board. If none is there, say 'go'.",
        "Thank you, I go on.",
    ]


def test_who_says_that_no_hand_is_there_lets_the_eyes_look_anew(make_match: MakeMatch) -> None:
    table = make_match(seed=4, patience_s=60.0)
    anew: list[float] = []
    table.match._lookout.look_anew = lambda: anew.append(table.commands.clock.now_s())

    def turn() -> None:
        table.human._hand.do([Point(200.0, 200.0), Wait(25.0), Withdraw()])
        now = table.commands.clock.now_s()
        table.commands.waiting = [(now + 5.0, Command.GO), (now + 20.0, Command.GO)]

    _script(table, turn)
    table.match.run()
    assert len(anew) == 1, "only where it was asked"


# --- the clock ------------------------------------------------------------------------------------------------------------------


def _timed(make_match: MakeMatch, seconds: float, **options: Any) -> Any:
    table = make_match(patience_s=60.0, **options)
    clock = table.match._clock
    clock.__init__(TimeControl(seconds))
    return table


def test_a_game_is_not_lost_by_the_clock_unasked(make_match: MakeMatch) -> None:
    table = _timed(make_match, 5.0, seed=4)
    _script(table, lambda: None)
    table.match.run()
    assert table.texts(E.ASK) == ["Your time is over. How shall it go on?"]
    assert E.RESULT not in table.kinds()


def test_who_plays_on_plays_without_a_clock(make_match: MakeMatch) -> None:
    table = _timed(make_match, 5.0, fen="W:Wc3,g1:Bf6,h8")
    _script(table, lambda: (_says(table, Answer("play_on"), after_s=9.0)(), _plays_late(table, "c3-d4", 12.0)())[0])
    table.match.run()
    assert table.texts(E.MOVE)[0] == "You played c3-d4."
    assert [event.data["clocks"] for event in table.events if event.kind is E.TURN][1:] == [None, None]


def test_who_gives_up_by_the_clock_has_lost(make_match: MakeMatch) -> None:
    table = _timed(make_match, 5.0, seed=4)
    _script(table, _says(table, Answer("resign"), after_s=9.0))
    result = table.match.run()
    assert result.winner is Colour.BLACK
    assert table.match.state is State.FINISHED


def test_the_machines_arm_takes_nobodys_time(make_match: MakeMatch) -> None:
    table = _timed(make_match, 600.0, fen="W:Wc3,g1:Bf6,h8")
    table.arm.settle_s = 30.0
    _script(table, _plays(table, "c3-d4"))
    table.match.run()
    after = [event.data["clocks"] for event in table.events if event.kind is E.MOVE][1]
    assert after["black_s"] == 600.0
    assert 590.0 < after["white_s"] < 600.0


def _plays_late(table: Any, text: str, seconds: float) -> Callable[[], None]:
    def act() -> None:
        table.human._hand.do([Wait(seconds)])
        _plays(table, text)()

    return act


# --- the touch rule -------------------------------------------------------------------------------------------------------------


def _touching(make_match: MakeMatch, mode: TouchMode, confidence: float = 1.0, game: str = "damludo") -> Any:
    """A person who touches g1 and then moves c3."""
    table = make_match(game, fen="W:Wc3,g1:Bf8,h8", patience_s=20.0)
    g1 = TouchEvidence(table.match.game.variant.board.square("g1"), TouchKind.LIFTED, confidence, 0.1, 1, 2)
    rule = TouchRule(mode, lambda content: (g1,))
    table.match._settings = replace(table.match._settings, touch=rule)
    return table


def test_who_touched_another_disc_is_asked_and_believed(make_match: MakeMatch) -> None:
    table = _touching(make_match, TouchMode.ASK)
    _script(table, lambda: (_plays(table, "c3-d4")(), _says(table, Answer("straightened"), after_s=9.0)())[0])
    table.match.run()
    assert table.texts(E.ASK) == ["You touched g1 and moved c3. Did you only put g1 straight?"]
    assert table.texts(E.MOVE)[0] == "You played c3-d4."
    assert E.ILLEGAL not in table.kinds()


def test_who_owns_up_moves_the_touched_disc(make_match: MakeMatch) -> None:
    table = _touching(make_match, TouchMode.ASK)
    start = _start(table)

    def turn() -> None:
        _plays(table, "c3-d4")()
        _says(table, Answer("touched"), after_s=9.0)()

    _script(table, turn)

    def correct() -> None:
        _makes(table, start)
        _plays(table, "g1-f2")()

    table.human.told_to_correct = correct
    table.match.run()
    assert table.texts(E.ILLEGAL)[0].startswith("you touched g1, so it must move and not c3")
    assert table.texts(E.MOVE)[0] == "You played g1-f2."


def test_where_the_players_are_strict_nothing_is_asked(make_match: MakeMatch) -> None:
    table = _touching(make_match, TouchMode.STRICT, game="english")
    _script(table, _plays(table, "c3-d4"))
    table.match.run()
    assert (E.ASK in table.kinds(), E.MOVE in table.kinds()) == (False, False)
    assert table.texts(E.ILLEGAL)[0].startswith("you touched ")


@pytest.mark.parametrize(
    ("mode", "confidence", "game"),
    [(TouchMode.OFF, 1.0, "damludo"), (TouchMode.ASK, 0.99, "damludo"), (TouchMode.ASK, 1.0, "english")],
    ids=["off", "not sure", "a game without the rule"],
)
def test_a_touch_that_does_not_count_is_not_spoken_of(
    make_match: MakeMatch, mode: TouchMode, confidence: float, game: str
) -> None:
    table = _touching(make_match, mode, confidence, game)
    _script(table, _plays(table, "c3-d4"))
    table.match.run()
    assert table.texts(E.MOVE)[0] == "You played c3-d4."
    assert E.ASK not in table.kinds()
