"""Setting the position: what cannot be is refused, and the game goes on from what a person says stands on the board."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from damludo.play.content import board_content, layout_for
from damludo.play.match.choreography import Racks
from damludo.play.match.course import Course
from damludo.play.match.events import EventKind
from damludo.play.match.ports import Answer, Command, SetPosition
from damludo.play.match.setting_right import AS_SET, NOT_SET, racks_beside, read_position
from damludo.play.match.timekeeping import TimeControl
from damludo.rules.errors import BadPosition
from damludo.rules.fen import format_fen, parse_fen
from damludo.rules.game import Game
from damludo.rules.notation import parse_move
from damludo.rules.position import Colour, Position
from damludo.rules.variants import VARIANTS, variant
from damludo.simulation.gestures import gestures_to
from damludo.simulation.hand import Withdraw
from damludo.vision.content import Content

E = EventKind
MakeMatch = Callable[..., Any]


# --- which positions can be ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", VARIANTS)
def test_no_position_of_a_game_is_refused(key: str) -> None:
    rules, random = variant(key), np.random.default_rng(5)
    for _ in range(2):
        game = Game.new(rules)
        while len(game.moves) < 70 and game.result() is None:
            assert read_position(rules, format_fen(rules, game.position)) == game.position
            moves = game.legal_moves()
            game = game.make(moves[int(random.integers(len(moves)))])


@pytest.mark.parametrize(
    ("key", "fen", "sentence"),
    [
        ("damludo", "W:Wc3,d8:Bh6", "no white man can stand on d8: there it becomes a white king"),
        ("damludo", "B:Wc3:Bh6,c1", "no black man can stand on c1: there it becomes a black king"),
        ("english", "W:W32:B5-17", "black has 13 pieces; in this game a side has at most 12"),
        ("damludo", "W:Wc3:B", "the game would be over in this position"),
        ("damludo", "W:Wa7:Bb8,d8", "the game would be over in this position"),
        ("damludo", "W:Wc4:Bh6", "c4"),
        ("alquerque", "W:WKa1:Be5", "which alquerque does not have"),
        ("parachute", "W:WPd4:Bh6", "no white parachutist can stand on d4: there it becomes a white man"),
    ],
)
def test_an_impossible_position_gets_a_sentence(key: str, fen: str, sentence: str) -> None:
    with pytest.raises(BadPosition, match=sentence):
        read_position(variant(key), fen)


def test_no_disc_is_lost_when_a_position_is_set() -> None:
    rules = variant("damludo")
    before, after = (parse_fen(rules, fen) for fen in ("W:Wc3,Kg1:Bf6,h8", "W:Wc3:Bf6,Kh8,a5"))
    assert racks_beside(layout_for(rules), before, after, Racks(4, 4)) == Racks(6, 2)
    assert racks_beside(layout_for(rules), after, before, Racks(1, 0)) == Racks(0, 2)
    full = layout_for(rules).slots
    assert racks_beside(layout_for(rules), before, after, Racks(full, 0)) == Racks(full, 0)


# --- the course of a game -----------------------------------------------------------------------------------------------------


def _course(fen: str, *moves: str) -> Course:
    rules = variant("damludo")
    return _played(Course(Game.new(rules, parse_fen(rules, fen))), *moves)


def _played(course: Course, *moves: str) -> Course:
    for text in moves:
        course = course.make(parse_move(course.game.variant, course.game.position, text))
    return course


def test_a_position_that_was_set_begins_a_new_chapter() -> None:
    first = _course("W:Wc3,g1:Bf6,h8", "c3-d4", "h8-g7")
    position = parse_fen(first.game.variant, "W:Wb4,g1:Bf6,g7")
    second = _played(first.set_to(position), "b4-c5")
    assert (second.plies, len(second.earlier), second.game.start) == (3, 1, position)
    assert [before for before, _ in second.numbered()] == [0, 2]
    assert second.back_to(2) == first.set_to(position)
    assert second.back_to(1) == _course("W:Wc3,g1:Bf6,h8", "c3-d4")
    assert [len(second.since(second.back_to(ply))) for ply in (0, 1, 2, 3)] == [3, 2, 1, 0]


def test_a_chapter_without_a_move_leaves_no_trace() -> None:
    first = _course("W:Wc3,g1:Bf6,h8")
    position = parse_fen(first.game.variant, "W:Wb4,g1:Bf6,g7")
    assert first.set_to(position) == Course(Game.new(first.game.variant, position))


def test_the_last_move_of_a_side_is_found_in_an_earlier_chapter() -> None:
    first = _course("W:Wc3,g1:Bf6,h8", "c3-d4", "h8-g7")
    second = first.set_to(parse_fen(first.game.variant, "W:Wb4,g1:Bf6,g7"))
    assert second.before_last_move_of(Colour.WHITE) == _course("W:Wc3,g1:Bf6,h8")
    assert second.before_last_move_of(Colour.BLACK) == _course("W:Wc3,g1:Bf6,h8", "c3-d4")
    assert _course("W:Wc3,g1:Bf6,h8").before_last_move_of(Colour.WHITE) is None


# --- at the table -------------------------------------------------------------------------------------------------------------


def _content(fen: str) -> dict[int, Content]:
    rules = variant("damludo")
    content = board_content(rules.board.playable, parse_fen(rules, fen))
    return {square: piece for square, piece in content.items() if piece.discs}


def _makes(table: Any, fen: str) -> None:
    table.human._hand.do([*gestures_to(table.table, _content(fen), white_first=True), Withdraw()])


def _given(fen: str) -> SetPosition:
    return SetPosition(read_position(variant("damludo"), fen))


def _seat(make_match: MakeMatch, *acts: Callable[[Any], None], **about: Any) -> Any:
    """Seat a person who does one thing at each of his turns, and corrects nothing unasked."""
    table = make_match(**{"fen": "W:Wc3,g1:Bf6,h8", "patience_s": 20.0, **about})
    waiting = list(acts)
    table.human.told_to_move = lambda: waiting.pop(0)(table) if waiting else None
    table.human.told_to_correct = lambda: None
    table.human.asked_for = lambda _: None
    return table


def _plays(text: str) -> Callable[[Any], None]:
    def act(table: Any) -> None:
        game = table.match.game
        after = game.make(parse_move(game.variant, game.position, text))
        _makes(table, format_fen(game.variant, after.position))

    return act


def _says(*orders: Any, after_s: float = 0.5) -> Callable[[Any], None]:
    def act(table: Any) -> None:
        now = table.commands.clock.now_s()
        table.commands.waiting += [(now + after_s * (k + 1), order) for k, order in enumerate(orders)]

    return act


def _mistaken(square: str, content: Content, orders: Callable[[Any], None]) -> Callable[[Any], None]:
    """From now on the eyes take a square for something else; then say something."""

    def act(table: Any) -> None:
        place = table.match.game.variant.board.square(square)
        table.eyes.mistakes.append((table.commands.clock.now_s(), 1e9, place, content))
        orders(table)

    return act


def _set(table: Any) -> Any:
    (event,) = [event for event in table.events if event.kind is E.POSITION_SET]
    return event


def test_a_wrong_reading_is_corrected_and_the_game_goes_on_from_there(make_match: MakeMatch) -> None:
    def swept(table: Any) -> None:
        # The machine believes in c3 what stands on c5, and calls the move there illegal.
        _makes(table, "W:Wc5,g1:Bf6,h8")

    table = _seat(make_match, swept, _plays("c5-b6"))
    table.human.told_to_correct = lambda: _says(_given("W:Wc5,g1:Bf6,h8"))(table)
    table.match.run()
    event = _set(table)
    assert event.text == "You set the position on c3, c5: the game goes on from there."
    assert event.data["believed"] == "W:Wg1,c3:Bf6,h8"
    assert event.data["fen"] == "W:Wg1,c5:Bf6,h8"
    assert (event.data["ply"], event.data["racks"]) == (0, {"white": 4, "black": 4})
    assert table.kinds()[table.kinds().index(E.POSITION_SET) + 1] is E.TURN
    assert table.texts(E.MOVE)[0] == "You played c5-b6."


def test_where_the_camera_sees_otherwise_the_person_is_asked_once_more(make_match: MakeMatch) -> None:
    table = _seat(
        make_match, _mistaken("a5", Content.BLACK_MAN, _says(_given("W:WKc3,g1:Bf6,h8"), Answer(AS_SET), after_s=2.0))
    )
    table.match.run()
    (ask,) = [event for event in table.events if event.kind is E.ASK and event.data["question"] == "position"]
    assert ask.text == (
        "I do not see the board as you entered it: c3 needs a white king, a5 must be empty. Does it stand so?"
    )
    assert [choice["id"] for choice in ask.data["choices"]] == [AS_SET, NOT_SET]
    assert ask.data["wanted"] == {"c3": "W", "a5": "."}
    assert _set(table).data["fen"] == "W:Wg1,Kc3:Bf6,h8"


def test_a_position_that_the_person_takes_back_changes_nothing(make_match: MakeMatch) -> None:
    table = _seat(make_match, _says(_given("W:WKc3,g1:Bf6,h8"), Answer(NOT_SET), after_s=2.0), _plays("c3-d4"))
    table.match.run()
    assert E.POSITION_SET not in table.kinds()
    assert table.texts(E.MOVE)[0] == "You played c3-d4."


def test_the_board_may_be_made_as_it_was_entered(make_match: MakeMatch) -> None:
    table = _seat(make_match, _says(_given("W:Wc3,e3:Bf6,h8")))
    table.human.asked_for = lambda _: None
    asked = table.match._lookout.ask

    def ask(*args: Any, **data: Any) -> None:
        asked(*args, **data)
        _makes(table, "W:Wc3,e3:Bf6,h8")

    table.match._lookout.ask = ask
    table.match.run()
    assert _set(table).data["squares"] == ["g1", "e3"]
    assert E.ILLEGAL not in table.kinds()


def test_the_other_side_may_be_to_move(make_match: MakeMatch) -> None:
    table = _seat(make_match, _says(_given("B:Wc3,g1:Bf6,h8")))
    table.match.run()
    assert table.texts(E.MOVE)[0].startswith("The machine played ")
    assert table.match.game.start.side is Colour.BLACK


def test_setting_a_position_presses_no_clock_and_costs_no_time(make_match: MakeMatch) -> None:
    table = _seat(make_match, _says(_given("W:Wc3,g1:Bf6,h8"), after_s=6.0))
    table.match._clock.__init__(TimeControl(600.0, 5.0))
    table.match.run()
    clocks: Any = _set(table).data["clocks"]
    assert clocks == {"white_s": 600.0, "black_s": 600.0, "running": None}


def test_taking_back_goes_past_a_position_that_was_set(make_match: MakeMatch) -> None:
    start = "W:Wc3,g1:Bf6,h8"
    acts = (
        _plays("c3-d4"),
        lambda table: _says(SetPosition(table.match.game.position))(table),
        _says(Command.TAKE_BACK),
    )
    table = _seat(make_match, *acts, patience_s=40.0)
    table.human.asked_for = lambda _: _makes(table, start)
    table.match.run()
    (back,) = [event for event in table.events if event.kind is E.TAKEN_BACK]
    assert (back.data["plies"], back.data["ply"], back.data["moves"][0]) == (2, 0, "c3-d4")
    assert table.table.content() == _content(start)
    assert (table.match.course.plies, table.match.course.earlier) == (0, ())
    assert table.texts(E.ASK)[0].startswith("Please help: ")


def test_before_the_first_move_another_position_may_be_set(make_match: MakeMatch) -> None:
    table = _seat(make_match, _plays("b4-c5"))
    table.table.discs[0].x_mm += 100.0  # the board is not as the game begins
    table.commands.waiting = [(3.0, _given("W:Wb4,g1:Bf6,h8")), (6.0, Answer(AS_SET))]
    table.match.run()
    assert table.kinds()[:2] == [E.STARTED, E.BOARD_WRONG]
    assert _set(table).data["fen"] == "W:Wg1,b4:Bf6,h8"


def test_while_the_machine_carries_no_position_can_be_set(make_match: MakeMatch) -> None:
    table = _seat(make_match, _plays("c3-d4"))
    carry = table.arm.carry

    def carrying(transfers: Any) -> None:
        table.commands.waiting.append((0.0, _given("W:Wc3,g1:Bf6,h8")))
        carry(transfers)

    table.arm.carry = carrying
    table.match.run()
    assert table.texts(E.NOTE) == ["The position can be set when the machine waits for you."]
    assert E.POSITION_SET not in table.kinds()


def test_a_machine_that_cannot_go_on_is_told_how_the_board_stands(make_match: MakeMatch) -> None:
    """Its eyes insist on a disc that is not there: without the person's word it would ask for ever."""
    table = _seat(make_match, _plays("c3-d4"), patience_s=40.0)
    tell = table.match._lookout.ask_to_put_right

    def asked(text: str, squares: Any, wanted: Any) -> None:
        tell(text, squares, wanted)
        if E.POSITION_SET not in table.kinds():
            position = format_fen(table.match.game.variant, table.match.game.position)
            _says(_given(position), Answer(AS_SET), after_s=2.0)(table)

    table.match._lookout.ask_to_put_right = asked
    table.arm.lose = {1, 2}
    table.match.run()
    assert (_set(table).data["ply"], _set(table).data["squares"]) == (1, [])
    assert table.texts(E.MOVE)[1].startswith("The machine played ")


def test_a_board_on_which_the_machines_move_is_done_counts_as_its_move(make_match: MakeMatch) -> None:
    """Whatever the person says of whose turn it is: the machine must not move twice."""
    table = _seat(make_match, _plays("c3-d4"), patience_s=30.0)
    tell = table.match._lookout.ask_to_put_right

    def asked(text: str, squares: Any, wanted: Any) -> None:
        tell(text, squares, wanted)
        after = table.match.game.make(table.match._waited_for.promised).position
        _says(SetPosition(Position(after.cells, Colour.BLACK)), Answer(AS_SET), after_s=2.0)(table)

    table.match._lookout.ask_to_put_right = asked
    table.arm.lose = {1, 2}
    table.match.run()
    assert E.POSITION_SET not in table.kinds()
    assert [text.split(" ")[0] for text in table.texts(E.MOVE)] == ["You", "The"]
    assert table.match.game.position.side is Colour.WHITE
