"""A game is never lost: the program is killed at its worst moments, and the game goes on to its end."""

import contextlib
import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from damludo.engine.random_player import RandomPlayer
from damludo.play.content import board_content
from damludo.play.match.events import EventKind, MatchEvent, fan_out
from damludo.play.match.loop import Match
from damludo.play.match.ports import Command
from damludo.play.match.settings import MatchSettings
from damludo.play.records.journal import CUT_SUFFIX, Journal
from damludo.play.records.record import Record, read_record
from damludo.play.table.humans import hearing
from damludo.play.table.score import Score
from damludo.play.table.simulated import SeatedGame, seated_game
from damludo.robot.errors import LineClosed
from damludo.rules.notation import parse_move
from damludo.rules.position import Colour
from damludo.simulation.gestures import gestures_to
from damludo.simulation.hand import Withdraw
from damludo.vision.content import Content

pytestmark = pytest.mark.simulation

CHILD = Path(__file__).with_name("cut_off_child.py")
HELPERS = runpy.run_path(str(CHILD))
GAME = {"game": "alquerque", "seed": 3, "human": "random+fast", "camera": "readings"}


@dataclass
class Played:
    """A game that was cut off and went on: what it was then, and in the end."""

    then: Record
    end: Record
    events: list[MatchEvent]
    score: Score

    def texts(self, kind: EventKind) -> list[str]:
        return [event.text for event in self.events if event.kind is kind]


Cut = Callable[..., Path]


@pytest.fixture
def cut(tmp_path: Path) -> Cut:
    """Return a function that plays a game until it is killed at a moment; the journal is what is left of it."""

    def play(holder: str, count: int, *, way_mm: float = 0.0, event: str = "", part: float = 0.5, **more: Any) -> Path:
        journal = tmp_path / "journals" / "20261130T140500-game.jsonl"
        told = {
            **GAME,
            "journal": str(journal),
            "discs": str(tmp_path / "discs.json"),
            "holder": holder,
            "count": count,
            "way_mm": way_mm,
            "event": event,
            "part": part,
            **more,
        }
        (tmp_path / "told.json").write_text(json.dumps(told))
        child = subprocess.run(
            [sys.executable, str(CHILD), json.dumps(told)], capture_output=True, text=True, check=False
        )
        assert child.returncode == -9, child.stderr[-2000:]
        return journal

    return play


def _go_on(journal: Path) -> Played:
    """Go on with a game on the table as it was left, to its end."""
    told = json.loads((journal.parent.parent / "told.json").read_text())
    discs = json.loads(Path(told["discs"]).read_text())
    then, events = read_record(journal), list[MatchEvent]()

    def as_it_lay(simulated: Any) -> None:
        HELPERS["put_discs"](simulated.table, discs)

    with contextlib.ExitStack() as stack:
        seated = stack.enter_context(seated_game(HELPERS["options_of"](told), 0, then, as_it_lay))
        _remember_own_move(seated)
        written = stack.enter_context(contextlib.closing(Journal(journal, goes_on=True)))
        seated.listeners[:0] = [written, events.append]
        assert seated.match.run() is not None
        score = seated.keeper.finish()
    return Played(then, read_record(journal), events, score)


def _remember_own_move(seated: SeatedGame) -> None:
    """A person who had finished a move knows that, whatever the machine has seen of it."""
    game = seated.match.game
    if game.position.side is not seated.match.game.variant.start.side or seated.match.state is None:
        return
    for move in game.legal_moves():
        after = game.make(move)
        content = board_content(game.variant.board.playable, after.position)
        standing = {square: piece for square, piece in content.items() if piece is not Content.EMPTY}
        if standing == seated.simulated.table.content():
            seated.human.game = after


def _nothing_is_lost(played: Played) -> None:
    then, end = played.then, played.end
    assert then.result is None
    assert end.result is not None
    assert end.game.moves[: len(then.game.moves)] == then.game.moves
    assert len(end.game.moves) > len(then.game.moves)
    assert end.cut_off.cut_bytes == 0
    score = played.score
    assert (score.wrong_plies, score.false_penalties, score.crushed) == (0, 0, 0)


def _kinds(played: Played) -> list[EventKind]:
    return [event.kind for event in played.events]


@pytest.mark.parametrize("grip", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_killed_while_a_disc_is_carried_what_fell_is_asked_for_first(cut: Cut, grip: int) -> None:
    played = _go_on(cut("carriage", grip, way_mm=30.0))
    _nothing_is_lost(played)
    kinds, promised = _kinds(played), played.then.cut_off.promised
    assert kinds[:2] == [EventKind.RESUMED, EventKind.BOARD_WRONG]
    assert kinds.index(EventKind.BOARD_RIGHT) < kinds.index(EventKind.MOVE)
    assert EventKind.INTENT not in kinds[: kinds.index(EventKind.MOVE)]
    assert played.end.game.moves[len(played.then.game.moves)] == promised


def test_killed_while_a_captured_disc_is_carried_away_the_move_counts_all_the_same(cut: Cut) -> None:
    played = _go_on(cut("carriage", 1, event="beside the board"))
    _nothing_is_lost(played)
    assert _kinds(played)[:3] == [EventKind.RESUMED, EventKind.BOARD_RIGHT, EventKind.MOVE]


def test_killed_when_nothing_was_carried_yet_the_promised_move_is_carried_out(cut: Cut) -> None:
    played = _go_on(cut("journal", 3, event="intent"))
    _nothing_is_lost(played)
    assert _kinds(played)[:5] == [
        EventKind.RESUMED,
        EventKind.BOARD_RIGHT,
        EventKind.TURN,
        EventKind.THINKING,
        EventKind.INTENT,
    ]
    assert played.end.game.moves[len(played.then.game.moves)] == played.then.cut_off.promised


def test_killed_when_all_was_carried_the_move_counts_and_nothing_is_carried_twice(cut: Cut) -> None:
    played = _go_on(cut("journal", 3, event="verified"))
    _nothing_is_lost(played)
    assert _kinds(played)[:4] == [EventKind.RESUMED, EventKind.BOARD_RIGHT, EventKind.MOVE, EventKind.TURN]
    assert played.end.game.moves[len(played.then.game.moves)] == played.then.cut_off.promised


@pytest.mark.parametrize("lift", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_killed_while_the_person_moves_what_fell_is_asked_for(cut: Cut, lift: int) -> None:
    played = _go_on(cut("hand", lift, way_mm=20.0))
    _nothing_is_lost(played)
    assert played.then.game.position.side is played.then.machine.other


def test_killed_while_the_persons_move_is_written_it_need_not_be_made_again(cut: Cut) -> None:
    played = _go_on(cut("journal", 5, event="move"))
    _nothing_is_lost(played)
    kinds = _kinds(played)
    assert kinds[: kinds.index(EventKind.MOVE)] == [EventKind.RESUMED, EventKind.BOARD_RIGHT, EventKind.TURN]
    assert played.then.cut_off.cut_bytes > 0


def test_the_torn_end_of_a_journal_is_put_aside(cut: Cut) -> None:
    journal = cut("journal", 2, event="turn")
    torn = journal.read_bytes().rpartition(b"\n")[2]
    assert len(torn) > 50
    _nothing_is_lost(_go_on(journal))
    assert journal.with_name(journal.name + CUT_SUFFIX).read_bytes() == torn


@pytest.mark.slow
def test_a_game_survives_being_killed_again_and_again(cut: Cut) -> None:
    for grip in (2, 4, 1):
        journal = cut("carriage", grip, way_mm=30.0)
    _nothing_is_lost(_go_on(journal))


@pytest.mark.slow
def test_over_rendered_pictures_what_fell_is_seen_and_asked_for(cut: Cut) -> None:
    played = _go_on(cut("carriage", 4, way_mm=30.0, camera="rendered"))
    _nothing_is_lost(played)
    assert _kinds(played)[:2] == [EventKind.RESUMED, EventKind.BOARD_WRONG]


# --- taking back that was cut off ---------------------------------------------------------------------------------------------

FEN = "W:Wd4,a1:Be5,g7,h2"


def _cut_off_while_taking_back(table: Any, after_transfers: int, journal: Path) -> Record:
    """Play d4xf6xh8 and the machine's answer, take them back, and lose the controller after so many transfers."""
    game, commands = table.match.game, table.commands
    carry, turns = table.arm.carry, list[int]()

    def told_to_move() -> None:
        turns.append(1)
        if len(turns) == 1:
            after = game.make(parse_move(game.variant, game.position, "d4xf6xh8"))
            content = board_content(game.variant.board.playable, after.position)
            wanted = {square: piece for square, piece in content.items() if piece.discs}
            table.human._hand.do([*gestures_to(table.table, wanted, white_first=True), Withdraw()])
        else:
            commands.waiting.append((commands.clock.now_s() + 0.5, Command.TAKE_BACK))

    def carrying(transfers: Any) -> None:
        if EventKind.TAKING_BACK not in table.kinds():
            carry(transfers)
            return
        carry(transfers[:after_transfers])
        raise LineClosed("the cable is out")

    table.human.told_to_move, table.arm.carry = told_to_move, carrying
    with pytest.raises(LineClosed):
        table.match.run()
    written = Journal(journal)
    for event in table.events:
        written(event)
    written.close()
    table.arm.carry = carry
    return read_record(journal)


@pytest.mark.parametrize(
    ("after_transfers", "first", "plies"),
    [
        pytest.param(0, [EventKind.BOARD_RIGHT, EventKind.TURN], 2, id="nothing was carried"),
        pytest.param(2, [EventKind.BOARD_WRONG, EventKind.BOARD_RIGHT, EventKind.TAKEN_BACK], 0, id="half of it was"),
        pytest.param(99, [EventKind.BOARD_RIGHT, EventKind.TAKEN_BACK, EventKind.TURN], 0, id="all of it was"),
    ],
)
def test_cut_off_while_moves_are_taken_back_the_board_tells_how_far_that_came(
    after_transfers: int, first: list[EventKind], plies: int, make_match: Callable[..., Any], tmp_path: Path
) -> None:
    table = make_match(fen=FEN, patience_s=30.0)
    racks = table.match.racks
    record = _cut_off_while_taking_back(table, after_transfers, tmp_path / "game.jsonl")
    assert (record.plies, record.cut_off.back_to) == (2, 0)
    events = list[MatchEvent]()
    settings = MatchSettings(
        record.game, record.machine, table.match._settings.layout, record.racks, 40.0, cut_off=record.cut_off
    )
    listener = fan_out([events.append, hearing(table.human, record.game.variant, Colour.WHITE)])
    table.human.told_to_move = lambda: None
    parts = (table.eyes, RandomPlayer(1), table.arm, table.commands.clock, table.commands, listener)
    match = Match(settings, *parts)
    match.run()
    told = [event.kind for event in events if event.kind not in (EventKind.HAND_IN, EventKind.HAND_OUT)]
    assert told[: 1 + len(first)] == [EventKind.RESUMED, *first]
    assert match.course.plies == plies
    assert table.table.content() == {
        square: piece
        for square, piece in board_content(record.game.variant.board.playable, match.game.position).items()
        if piece.discs
    }
    assert plies or match.racks == racks
