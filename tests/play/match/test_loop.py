"""The match: whole games, mistakes of the human, losses of the robot, questions, commands."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from damludo.engine.port import Choice
from damludo.play.match.events import EventKind
from damludo.play.match.loop import State
from damludo.play.match.ports import Command
from damludo.play.records.journal import Journal, journal_line
from damludo.play.records.record import read_record
from damludo.robot.places import Rack
from damludo.rules.errors import IllegalMove
from damludo.rules.game import Game
from damludo.rules.notation import parse_fen, parse_move
from damludo.rules.position import Colour
from damludo.simulation.gestures import gestures_to
from damludo.simulation.hand import Put, Take, Withdraw
from damludo.simulation.human import Habits
from damludo.simulation.table import DiscColour
from damludo.vision.content import LETTER_OF_CONTENT

E = EventKind
MakeMatch = Callable[..., Any]  # conftest's ModelledMatch: test files are no package to import it from


@pytest.mark.parametrize(("game", "seed"), [("damludo", 1), ("english", 2), ("russian", 3)])
def test_a_whole_game_is_played_and_every_ply_is_right(make_match: MakeMatch, game: str, seed: int) -> None:
    table = make_match(game, seed=seed, human_colour=Colour(seed % 2))
    assert table.match.run() is not None
    score = table.keeper.finish()
    assert (score.wrong_plies, score.false_penalties) == (0, 0)
    assert score.plies == len(table.match.game.moves)
    assert table.match.state is State.FINISHED


def test_the_same_seed_gives_the_same_journal_to_the_byte(make_match: MakeMatch) -> None:
    journals = []
    for _ in range(2):
        table = make_match("damludo", seed=5)
        table.match.run()
        journals.append([journal_line(n, event) for n, event in enumerate(table.events)])
    assert journals[0] == journals[1]
    assert len(journals[0]) > 100


def test_a_careless_human_is_told_and_never_wins_a_ply_by_it(make_match: MakeMatch) -> None:
    table = make_match("damludo", seed=11, habits=Habits(violation_rate=0.5))
    assert table.match.run() is not None
    score = table.keeper.finish()
    assert score.violations > 5
    assert (score.missed_violations, score.wrong_plies, score.false_penalties) == (0, 0, 0)


def test_the_match_waits_until_the_board_is_set_up(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,e1:Bf8", patience_s=30.0)
    disc = table.table.discs[0]
    disc.x_mm += 100.0
    table.match.run()
    assert table.kinds()[:5] == [E.STARTED, E.BOARD_WRONG, E.HAND_IN, E.HAND_OUT, E.BOARD_RIGHT]
    assert table.texts(E.BOARD_WRONG) == ["Set up the board: e1 needs a white man, g1 must be empty."]
    assert table.events[1].data == {"squares": ["e1", "g1"], "wanted": {"e1": "w", "g1": "."}}


@pytest.mark.parametrize(
    ("fen", "human_plays", "sentence"),
    [
        pytest.param("W:Wc3,g1:Bh8", {"c3": None, "c5": "w"}, "c3", id="straight ahead"),
        pytest.param("W:Wc3,g1:Bd4,h8", {"g1": None, "f2": "w"}, "c3xe5", id="a capture was due"),
    ],
)
def test_an_illegal_move_is_named_and_not_made(
    make_match: MakeMatch, fen: str, human_plays: dict[str, str | None], sentence: str
) -> None:
    table = make_match(fen=fen, patience_s=20.0)
    _let_human_do(table, human_plays)
    table.match.run()
    (text,) = table.texts(E.ILLEGAL)
    assert sentence in text
    assert E.MOVE not in table.kinds()
    assert len(table.match.game.moves) == 0


def test_a_captured_disc_left_standing_is_asked_for(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1:Bd4,h8", patience_s=20.0)
    _let_human_do(table, {"c3": None, "e5": "w"})
    table.match.run()
    (text,) = table.texts(E.UNFINISHED)
    assert "d4" in text
    assert E.ILLEGAL not in table.kinds()


def test_a_missing_crown_is_asked_for(make_match: MakeMatch) -> None:
    table = make_match(fen="W:We7,g1:Bh2,a3", patience_s=20.0)
    _let_human_do(table, {"e7": None, "d8": "w"})
    table.match.run()
    (text,) = table.texts(E.UNFINISHED)
    assert "d8" in text


def test_a_disc_lifted_and_put_back_is_no_move(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1:Bh8", patience_s=20.0)
    _let_human_do(table, {})
    table.match.run()
    assert not {E.MOVE, E.ILLEGAL, E.UNFINISHED, E.ASK} & set(table.kinds())


class _Late:
    """An engine that answers with a move of another position."""

    def __init__(self, text: str, elsewhere: str) -> None:
        self._text, self._elsewhere = text, elsewhere

    def choose(self, game: Game) -> Choice:
        return Choice(parse_move(game.variant, parse_fen(game.variant, self._elsewhere), self._text), 0.0)


class _Exhausted:
    """An engine for which there is no memory left."""

    def choose(self, game: Game) -> Choice:
        raise MemoryError


@pytest.mark.parametrize(
    ("engine", "error"),
    [
        pytest.param(_Late("f8-e7", "B:Wg1,c1:Bf8,a7"), IllegalMove, id="a move of a position that is over"),
        pytest.param(_Late("c1-b2", "W:Wg1,c1:Ba7"), IllegalMove, id="a move of the other side"),
        pytest.param(_Exhausted(), MemoryError, id="no memory"),
    ],
)
def test_an_engine_that_fails_moves_no_disc_and_loses_no_game(
    make_match: MakeMatch, tmp_path: Path, engine: Any, error: type[Exception]
) -> None:
    table = make_match(fen="B:Wg1,c1:Bd8,a7")
    table.match._player = engine
    before = sorted((disc.x_mm, disc.y_mm) for disc in table.table.discs)
    with pytest.raises(error):
        table.match.run()
    assert (table.arm.carried, len(table.match.game.moves)) == (0, 0)
    assert sorted((disc.x_mm, disc.y_mm) for disc in table.table.discs) == before
    journal = Journal(tmp_path / "game.jsonl")
    for event in table.events:
        journal(event)
    journal.close()
    kept = read_record(tmp_path / "game.jsonl")
    assert (kept.state, kept.game) == ("cut off", table.match.game)


def test_what_did_not_arrive_is_carried_once_more(make_match: MakeMatch) -> None:
    table = make_match(fen="B:Wg1,c1:Bf8,a7", seed=3)
    table.arm.lose = {1}
    table.match.run()
    kinds = table.kinds()
    assert kinds.count(E.MISMATCH) == 1
    assert kinds[kinds.index(E.MISMATCH) + 1 :][:3] == [E.INTENT, E.CARRIED, E.VERIFIED]
    assert table.keeper.finish().wrong_plies == 0


def test_what_never_arrives_is_asked_for(make_match: MakeMatch) -> None:
    table = make_match(fen="B:Wg1,c1:Bf8,a7", seed=3)
    table.arm.lose = {1, 2}
    table.match.run()
    (text,) = table.texts(E.ASK)
    assert text.startswith("Please help: ")
    assert table.keeper.finish().wrong_plies == 0
    assert table.match.state is State.FINISHED


def test_without_a_spare_disc_the_human_crowns_for_the_machine(make_match: MakeMatch) -> None:
    table = make_match(fen="B:Wa5,a7:Bc3,d2", seed=2, spare=0)
    for rack, colour in ((Rack.BLACK, DiscColour.BLACK), (Rack.WHITE, DiscColour.WHITE)):
        for number in (1, 2, 3):  # the human has discs at hand that the machine does not know of
            slot = table.table.layout.rack_slot(rack, number)
            table.table.add_disc(colour, slot.x_mm, slot.y_mm)
    table.match.run()
    assert any("as its crown" in text for text in table.texts(E.ASK))
    assert table.keeper.finish().wrong_plies == 0


def test_one_of_several_discs_that_did_not_arrive_is_carried_once_more(make_match: MakeMatch) -> None:
    table = make_match(fen="B:Wg3,e3,a1:Bf4,h8", seed=3)  # f4 captures one or the other, then two discs are carried
    table.arm.lose = {2}
    table.match.run()
    assert table.kinds().count(E.MISMATCH) == 1
    assert E.ASK not in table.kinds()
    assert table.keeper.finish().wrong_plies == 0


def test_a_human_who_answers_before_the_machine_has_looked_is_understood(make_match: MakeMatch) -> None:
    table = make_match("english", seed=9, habits=Habits(think_s=0.0, patience_s=0.01))
    table.arm.settle_s = 1.5
    assert table.match.run() is not None
    score = table.keeper.finish()
    assert (score.wrong_plies, score.false_penalties, score.asked_human) == (0, 0, 0)


def test_a_move_by_a_hand_that_nobody_noticed_is_found(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,g1:Bh8", patience_s=30.0)

    def magic() -> None:
        c3, d4 = (table.table.layout.square(square) for square in (18, 27))
        disc = table.table.upper_disc_near(c3.x_mm, c3.y_mm, 15.0)
        table.table.lift(disc, "hand")
        table.table.put_down(disc, d4.x_mm, d4.y_mm)
        table.human.told_to_move = lambda: None

    table.human.told_to_move = magic
    table.match.run()
    assert table.texts(E.MOVE)[0] == "You played c3-d4."


def test_stop_keeps_everything_still_until_somebody_says_go(make_match: MakeMatch) -> None:
    table = make_match(seed=4)
    table.arm.stop_at = 2
    table.commands.waiting = [(60.0, Command.GO)]
    assert table.match.run() is not None
    (stopped,) = [event for event in table.events if event.kind is E.STOPPED]
    after = table.events[table.events.index(stopped) + 1 :][:2]
    assert [(event.kind, event.time_s >= 60.0) for event in after] == [(E.GOING_ON, True), (E.CARRIED, True)]
    assert table.keeper.finish().wrong_plies == 0


def test_who_quits_after_stop_leaves_it_stopped(make_match: MakeMatch) -> None:
    table = make_match(seed=4)
    table.arm.stop_at = 2
    table.commands.waiting = [(60.0, Command.QUIT)]
    assert table.match.run() is None
    assert table.match.stopped


def test_resigning_ends_the_game_for_the_machine(make_match: MakeMatch) -> None:
    table = make_match(seed=4)
    table.commands.waiting = [(8.0, Command.RESIGN)]
    result = table.match.run()
    assert result.winner is Colour.BLACK
    assert result.reason == "White resigned."


def test_a_draw_offered_early_in_an_even_game_is_declined(make_match: MakeMatch) -> None:
    table = make_match(seed=4, patience_s=10.0)
    table.human.told_to_move = lambda: None
    table.commands.waiting = [(2.0, Command.DRAW)]
    table.match.run()
    assert table.texts(E.NOTE) == ["The machine declines the draw and plays on."]


def test_quitting_leaves_the_game_unfinished(make_match: MakeMatch) -> None:
    table = make_match(seed=4)
    table.commands.waiting = [(8.0, Command.QUIT)]
    assert table.match.run() is None
    assert table.texts(E.STOPPED) == ["the match was ended at the table"]


def _let_human_do(table: Any, changes: dict[str, str | None]) -> None:
    """Let the human make some squares look otherwise on his first turn, and then nothing more."""
    board = table.match.game.variant.board
    contents = {letter: content for content, letter in LETTER_OF_CONTENT.items()}

    def act() -> None:
        wanted = dict(table.table.content())
        for name, letter in changes.items():
            wanted.pop(board.square(name), None)
            if letter:
                wanted[board.square(name)] = contents[letter]
        table.human._hand.do(_gestures(table, wanted))
        table.human.told_to_move = lambda: None

    table.human.told_to_move = act
    table.human.told_to_correct = lambda: None


def _gestures(table: Any, wanted: Any) -> list[Any]:
    place = table.table.layout.square(next(iter(table.table.content())))
    put_back = [Take(place.x_mm, place.y_mm), Put(place.x_mm, place.y_mm)]
    return [*(gestures_to(table.table, wanted, white_first=True) or put_back), Withdraw()]


def test_a_stop_while_nothing_moved_is_lifted_by_go(make_match: MakeMatch) -> None:
    table = make_match(seed=4)
    table.arm.stop()
    table.commands.waiting = [(1.0, Command.GO)]
    assert table.match.run() is not None
    assert E.STOPPED not in table.kinds()
    assert E.MISMATCH not in table.kinds()


def test_a_crown_that_is_missing_before_the_move_is_asked_for(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,Kg1:Bh8,f8", patience_s=30.0)
    (king,) = [disc for disc in table.table.discs if disc.z_mm > 0.0]
    king.held_by = "nobody"  # the crown was never there
    table.human.told_to_move = lambda: None
    table.match.run()
    assert table.texts(E.ASK)[0] == "Before you move, please look at the board: g1 needs a white king."
    assert table.table.content()[table.match.game.variant.board.square("g1")].discs == 2


def test_a_legal_move_does_not_hide_another_change(make_match: MakeMatch) -> None:
    table = make_match(fen="W:Wc3,e3,g1:Bd6,f6,h8", patience_s=12.0)
    table.human.asked_to_straighten = lambda squares: None
    _let_human_do(table, {"c3": None, "b4": "w", "d6": None, "e5": "b"})
    table.match.run()
    assert E.MOVE not in table.kinds()
    assert E.ASK in table.kinds()
