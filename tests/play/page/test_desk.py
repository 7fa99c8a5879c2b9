"""Commands of the page: checked, and done at most once."""

from typing import Any

import numpy as np
import pytest

from damludo.play.match.events import EventKind
from damludo.play.match.ports import Answer, Command, NewGame, SetLevel, SetPosition
from damludo.play.page.desk import KEPT_ANSWERS, MAX_WAITING, Links
from damludo.robot.errors import LineClosed
from damludo.robot.places import TableLayout
from damludo.rules.fen import parse_fen
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.guided import GuidedHand
from damludo.simulation.hand import Pace, SimulatedHand
from damludo.simulation.table import DiscColour, Table
from damludo.vision.content import Content

Stage = Any  # conftest's: test files are no package to import it from


def _orders(stage: Stage) -> list[Any]:
    orders = []
    while (order := stage.desk.poll()) is not None:
        orders.append(order)
    return orders


@pytest.mark.parametrize(
    ("command", "more", "order"),
    [
        ("resign", {}, Command.RESIGN),
        ("draw", {}, Command.DRAW),
        ("hint", {}, Command.HINT),
        ("go", {}, Command.GO),
        ("stop", {}, Command.STOP),
        ("level", {"level": 7}, SetLevel(7)),
        (
            "new_game",
            {"game": "thai", "level": 2, "side": "black", "clock": "10+5"},
            NewGame("thai", 2, Colour.WHITE, "10+5"),
        ),
        ("new_game", {"game": "thai", "level": 2, "side": "white", "clock": None}, NewGame("thai", 2, Colour.BLACK)),
    ],
)
def test_a_command_becomes_one_order(stage: Stage, command: str, more: dict[str, Any], order: Any) -> None:
    assert stage.command(command, **more)["ok"] is True
    assert _orders(stage) == [order]


def test_the_same_id_has_one_effect_and_one_answer(stage: Stage) -> None:
    answers = [stage.command("resign", key="double click") for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert _orders(stage) == [Command.RESIGN]


def test_a_page_from_before_a_restart_has_no_effect(stage: Stage) -> None:
    assert stage.command("stop", epoch="older") == {"kind": "say_again", "epoch": "e1", "id": "k1"}
    assert (stage.stops, _orders(stage)) == ([], [])


def test_stop_reaches_the_gantry_before_the_match_hears_of_it(stage: Stage) -> None:
    stage.command("stop")
    assert stage.stops == [1]
    assert _orders(stage) == [Command.STOP]


def test_a_stop_that_does_not_reach_the_gantry_says_so(stage: Stage) -> None:
    def gone() -> None:
        raise LineClosed("the cable is out")

    stage.desk.links = Links(gone, TableLayout())
    answer = stage.command("stop")
    assert (answer["ok"], "use its switch" in answer["text"]) == (False, True)


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("take_back", {}),
        ("fly", {}),
        ("", {}),
        ("level", {"level": 0}),
        ("level", {"level": 11}),
        ("level", {"level": True}),
        ("level", {"level": "3"}),
        ("level", {"level": float("nan")}),
        ("speed", {"speed": 3}),
        ("speed", {"speed": float("inf")}),
        ("answer", {"choice": "resign"}),
        ("answer", {"choice": ["go"]}),
        ("new_game", {"game": "chess", "level": 3, "side": "white"}),
        ("new_game", {"game": ["thai"], "level": 3, "side": "white"}),
        ("new_game", {"game": "thai", "level": 3, "side": "red"}),
        ("new_game", {"game": "thai", "level": None, "side": "white"}),
        ("new_game", {"game": "thai", "level": 3, "side": "white", "clock": "5;G0 X99"}),
        ("new_game", {"game": "thai", "level": 3, "side": "white", "clock": 5}),
        ("hand", {"action": "press", "at": {"board": [1, 2]}}),
        ("set_position", {}),
        ("set_position", {"fen": "W:Wc3:Bd4", "after": 1}),
        ("set_position", {"fen": ["W:Wc3:Bd4"], "after": 0}),
        ("set_position", {"fen": "W:Wd8:Bd4", "after": 0}),
        ("set_position", {"fen": "W" * 5000, "after": 0}),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(stage: Stage, command: str, more: dict[str, Any]) -> None:
    answer = stage.command(command, **more)
    assert answer["ok"] is False
    assert answer["text"].endswith(".")
    assert (_orders(stage), stage.stops, stage.speeds) == ([], [], [])


def test_a_position_is_set_that_can_be(stage: Stage) -> None:
    assert stage.command("set_position", fen="B:Wc3,Ke5:Bf6", after=0)["ok"] is True
    assert _orders(stage) == [SetPosition(parse_fen(variant("damludo"), "B:Wc3,Ke5:Bf6"))]
    answer = stage.command("set_position", key="k2", fen="W:Wc3,d8:Bf6", after=0)
    assert answer["text"] == "This cannot be: no white man can stand on d8: there it becomes a white king."


def test_in_the_machines_turn_no_position_can_be_set(stage: Stage) -> None:
    stage.tell(EventKind.TURN, "The machine thinks.", side="black", ply=2, claims=[], clocks=None)
    answer = stage.command("set_position", fen="W:Wc3:Bf6", after=0)
    assert answer["text"] == "The position can be set when the machine waits for you."


@pytest.mark.parametrize("message", [{}, {"command": "stop"}, {"id": 7}, {"id": ""}, {"id": "x" * 65}, {"id": None}])
def test_a_command_without_a_proper_id_is_refused(stage: Stage, message: dict[str, Any]) -> None:
    assert stage.desk.handle({"epoch": "e1", **message})["ok"] is False
    assert stage.stops == []


def test_a_question_is_answered_with_one_of_its_choices(stage: Stage) -> None:
    choices = [{"id": "play_on", "text": "Play on"}, {"id": "resign", "text": "Give up"}]
    stage.tell(EventKind.ASK, "How shall it go on?", question="time", choices=choices)
    assert stage.command("answer", key="a", choice="never")["ok"] is False
    assert stage.command("answer", key="b", choice="play_on")["ok"] is True
    assert _orders(stage) == [Answer("play_on")]


def test_go_is_heard_by_the_guard_only_where_it_was_asked(stage: Stage) -> None:
    stage.command("go", key="a")
    assert not stage.desk.said_go()
    stage.tell(EventKind.WAITING_FOR_HAND, "I wait.", clear=False)
    stage.command("answer", key="b", choice="go")
    assert [stage.desk.said_go(), stage.desk.said_go()] == [True, False]


def test_orders_and_answers_do_not_pile_up(stage: Stage) -> None:
    answers = [stage.command("go", key=str(number))["ok"] for number in range(2 * KEPT_ANSWERS)]
    assert answers.count(True) == MAX_WAITING
    assert len(stage.desk._answers) == KEPT_ANSWERS


def test_the_pace_of_the_simulated_table_changes(stage: Stage) -> None:
    assert stage.command("speed", speed=5)["ok"] is True
    assert (stage.speeds, stage.feed.table.speed) == ([5.0], 5.0)


def test_without_a_table_nothing_is_stopped_and_that_is_said(stage: Stage) -> None:
    stage.desk.forget()
    answer = stage.command("stop")
    assert (answer["ok"], "use its switch" in answer["text"]) == (False, True)


# --- the simulated hand -------------------------------------------------------------------------------------------------------


class _HandAtTable:
    def __init__(self, stage: Stage, discs: int = 1) -> None:
        self.table, world = Table(TableLayout()), World()
        for _ in range(discs):
            self.table.add_disc(DiscColour.WHITE, 125.0, 125.0)
        hand = SimulatedHand(self.table, -1.0, Pace(), np.random.default_rng(1))
        guided = GuidedHand(hand, self.table)
        world.add(hand)
        world.add(guided)
        self.clock = LockstepClock(world)
        stage.desk.links = Links(lambda: None, TableLayout(), guided, lambda point: (point[0] + 100.0, point[1]))
        self._stage = stage

    def drag(self, source: dict[str, Any], target: dict[str, Any], **more: Any) -> None:
        for key, action, at in (("p", "press", source), ("m", "move", target), ("r", "release", target)):
            answer = self._stage.command("hand", key=key, action=action, at=at, **more)
            assert answer["ok"] is True, answer
        self.clock.sleep(6.0)


def test_a_disc_is_dragged_over_the_board(stage: Stage) -> None:
    scene = _HandAtTable(stage)
    scene.drag({"board": [120, 130.5]}, {"board": [175, 175]})
    assert scene.table.content() == {27: Content.WHITE_MAN}


def test_points_of_the_picture_are_carried_to_the_board(stage: Stage) -> None:
    scene = _HandAtTable(stage)
    scene.drag({"picture": [25, 125]}, {"picture": [75, 175]})
    assert scene.table.content() == {27: Content.WHITE_MAN}


@pytest.mark.parametrize(("believed", "moved"), [("W:WKc3,g1:Bh8", 2), ("W:Wc3,g1:Bh8", 1)])
def test_a_king_is_lifted_whole_and_a_disc_on_a_man_alone(stage: Stage, believed: str, moved: int) -> None:
    racks = {"white": 4, "black": 4}
    stage.tell(EventKind.STARTED, "", game="damludo", machine="black", fen=believed, level=3, racks=racks)
    scene = _HandAtTable(stage, discs=2)
    scene.drag({"board": [125, 125]}, {"board": [175, 175]})
    assert scene.table.content()[27].discs == moved


@pytest.mark.parametrize(
    "at",
    [
        None,
        "c3",
        {},
        {"board": None},
        {"board": [1]},
        {"board": [1, 2, 3]},
        {"board": ["1", "2"]},
        {"board": [True, 2]},
        {"board": [float("nan"), 2]},
        {"board": [float("inf"), 2]},
        {"board": [1e300, 2]},
        {"picture": [None, 2]},
    ],
)
def test_a_point_that_is_none_moves_nothing(stage: Stage, at: Any) -> None:
    scene = _HandAtTable(stage)
    assert stage.command("hand", action="press", at=at)["ok"] is False
    scene.clock.sleep(1.0)
    assert not scene.table.hand.present


def test_far_points_are_drawn_in(stage: Stage) -> None:
    scene = _HandAtTable(stage)
    stage.command("hand", key="p", action="press", at={"board": [125, 125]})
    stage.command("hand", key="m", action="move", at={"board": [99_999, -99_999]})
    scene.clock.sleep(8.0)
    assert (scene.table.hand.x_mm, scene.table.hand.y_mm) == (700.0, -300.0)


def test_the_many_moves_need_no_id_and_get_no_answer(stage: Stage) -> None:
    _HandAtTable(stage)
    message = {"epoch": "e1", "command": "hand", "action": "move", "at": {"board": [1, 2]}}
    assert stage.desk.handle(message) is None
    assert stage.desk.handle({**message, "at": {"board": "nowhere"}}) is None


def test_a_press_on_nothing_is_said(stage: Stage) -> None:
    _HandAtTable(stage)
    answer = stage.command("hand", action="press", at={"board": [325, 325]})
    assert (answer["ok"], answer["text"]) == (False, "There is no disc.")
