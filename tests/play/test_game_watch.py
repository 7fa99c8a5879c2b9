"""What a game that is watched makes of a ruling."""

from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import cast

import numpy as np
import pytest

from damludo.play.content import board_content, grid_of_board
from damludo.play.game_watch import CROWN_WAIT_S, LONGEST_WAIT_S, GameJudge, half_taken, returning_for_s, rule_by_change
from damludo.play.match.referee import Ruling, rule
from damludo.rules.game import Game
from damludo.rules.notation import parse_fen
from damludo.rules.variants import variant
from damludo.rules.verdicts import Illegal, Legal, Unfinished
from damludo.vision.content import Content
from damludo.vision.frame import Frame
from damludo.vision.glimpse import Glimpses
from damludo.vision.reading import BoardReading
from damludo.vision.touch import TouchEvidence, TouchKind
from damludo.vision.watcher import BoardWatcher

CLEAR_NATS = 18.0


def clear(board: Mapping[int, Content]) -> np.ndarray:
    """Return log-likelihoods, shape (64, 5), that show this board clearly."""
    table = np.zeros((64, 5))
    for place, content in board.items():
        table[place] = -CLEAR_NATS
        table[place, content] = 0.0
    return table


def ruled(
    fen: str, changed: Mapping[str, Content], nats: Mapping[tuple[str, Content], float] = MappingProxyType({})
) -> Ruling:
    """Return what is ruled where these squares have changed, and where the eyes are less clear of some contents."""
    damludo = variant("damludo")
    game, square = Game.new(damludo, parse_fen(damludo, fen)), damludo.board.square
    board = dict(board_content(damludo.board.playable, game.position))
    table = clear(board | {square(name): content for name, content in changed.items()})
    for (name, content), value in nats.items():
        table[square(name), content] = value
    return rule(game, BoardReading(grid_of_board(damludo.board), table, 0.0, 0))


def unfinished(fen: str, changed: Mapping[str, Content]) -> Unfinished:
    """Return what is left to do where these squares have changed."""
    verdict = ruled(fen, changed).verdict
    assert isinstance(verdict, Unfinished)
    return verdict


@pytest.mark.parametrize(
    ("unlike", "moved", "sure"),
    [(("e7", "f8"), True, True), ((), True, False), (("e7", "f8", "d4"), True, False), (("e7", "f8"), False, False)],
    ids=["reflections", "changed places", "the target is one of them", "nothing moved"],
)
def test_reflections_on_places_that_did_not_change_stand_in_no_moves_way(
    unlike: tuple[str, ...], moved: bool, sure: bool
) -> None:
    """A man steps from c3 to d4 while reflections look like two men of his on empty squares."""
    damludo = variant("damludo")
    game = Game.new(damludo, parse_fen(damludo, "W:Wc3,a1:Bh8"))
    square = damludo.board.square
    board = dict(board_content(damludo.board.playable, game.position))
    if moved:
        board |= {square("c3"): Content.EMPTY, square("d4"): Content.WHITE_MAN}
    table = clear(board)
    for name, nats in (("e7", 12.0), ("f8", 6.0)):
        table[square(name), Content.EMPTY] = -nats
        table[square(name), Content.WHITE_MAN] = 0.0
    reading = BoardReading(grid_of_board(damludo.board), table, 0.0, 0)
    ruling = rule_by_change(game, reading, [square(name) for name in unlike])
    assert ruling.sure is sure
    assert isinstance(ruling.verdict, Legal) is moved


def test_a_slow_hand_is_given_the_time_that_an_act_takes_it_before_its_capture_is_called_incomplete() -> None:
    """It took 9.8 s to move and to take the first of two discs off, and was away with that one for 3.0 s; others need a fifth."""
    one_left = unfinished("W:Wa1:Bb2,d4,h8", {"a1": Content.EMPTY, "b2": Content.EMPTY, "e5": Content.WHITE_MAN})
    assert len(one_left.discs_to_remove) == 1
    assert returning_for_s(one_left, 9.8) == pytest.approx(4.9)
    assert returning_for_s(one_left, 3.0) == pytest.approx(0.75)


class Eyes:
    """What a judge asks of a watcher, without pictures."""

    def __init__(self) -> None:
        self.glimpses = Glimpses()
        self.disagreement: tuple[int, ...] = ()
        self.touched: list[int] = []
        self.believed: dict[int, Content] = {}
        self.baseline_frame = 0

    def believe(self, content: Mapping[int, Content], frames: tuple[Frame, ...]) -> None:
        """Take it as it is."""
        self.believed = dict(content)

    def touches(self, content: Mapping[int, Content]) -> tuple[TouchEvidence, ...]:
        """Discs that were shifted."""
        return tuple(TouchEvidence(place, TouchKind.SHIFTED, 0.99, 0.05, 0, 2) for place in self.touched)

    @property
    def view(self) -> SimpleNamespace:
        """Of an 8x8 board."""
        return SimpleNamespace(grid=grid_of_board(variant("damludo").board))


def still(time_s: float) -> tuple[Frame, ...]:
    return tuple(Frame(np.zeros((2, 2, 3), np.uint8), time_s + number / 10, number) for number in range(3))


def test_while_a_hand_may_come_back_nothing_is_told_and_the_board_is_read_again() -> None:
    damludo = variant("damludo")
    game = Game.new(damludo, parse_fen(damludo, "W:Wa1:Bb2,d4,h8"))
    judge, eyes, grid = GameJudge(game), Eyes(), grid_of_board(damludo.board)
    before = dict(board_content(damludo.board.playable, game.position))
    square = damludo.board.square
    one_left = before | {square("a1"): Content.EMPTY, square("b2"): Content.EMPTY, square("e5"): Content.WHITE_MAN}
    watcher = cast(BoardWatcher, eyes)
    started = judge.judge(watcher, BoardReading(grid, clear(before), 0.0, 0), still(0.0), False)
    assert [event.event for event in started or []] == ["board"]
    for time_s in (1.0, 10.8):
        eyes.glimpses.see_hand(time_s)
    reading = BoardReading(grid, clear(one_left), 0.0, 0)
    assert judge.judge(watcher, reading, still(12.0), True) is None
    assert judge.judge(watcher, reading, still(15.0), True) is None
    told = judge.judge(watcher, reading, still(16.0), True)
    assert [event.event for event in told or []] == ["incomplete"]


def test_with_every_disc_taken_off_the_act_of_a_hand_is_known_better() -> None:
    one_left = unfinished(
        "W:Wa1:Bb2,d4,f6,h4",
        dict.fromkeys(("a1", "b2", "d4"), Content.EMPTY) | {"g7": Content.WHITE_MAN},
    )
    assert returning_for_s(one_left, 6.0) == pytest.approx(1.0)


def test_the_crown_that_a_hand_has_fetched_already_was_an_act_too() -> None:
    """It moved, crowned and took one of two discs off in 4.0 s; with half of that it is told too late of the one left."""
    crowned = unfinished("W:Wd4:Bc5,c7,h2", dict.fromkeys(("d4", "c5"), Content.EMPTY) | {"d8": Content.WHITE_KING})
    assert not crowned.crown_missing
    assert len(crowned.discs_to_remove) == 1
    assert returning_for_s(crowned, 4.2) == pytest.approx(0.7)


def test_nobody_is_waited_for_as_long_as_he_mused_over_the_board() -> None:
    untouched = unfinished("W:Wa1:Bb2,h8", {"a1": Content.EMPTY, "c3": Content.WHITE_MAN})
    assert returning_for_s(untouched, 3.0) == pytest.approx(0.75)
    assert returning_for_s(untouched, 60.0) == LONGEST_WAIT_S


@pytest.mark.parametrize(
    ("king_behind_nats", "half"), [(6.0, True), (-CLEAR_NATS, False)], ids=["one disc", "both discs"]
)
def test_a_captured_king_of_which_one_disc_is_left_is_being_taken(king_behind_nats: float, half: bool) -> None:
    """The man has jumped from c3 to e5, the hand is away, and on d4 stands what it has not taken yet."""
    damludo = variant("damludo")
    game = Game.new(damludo, parse_fen(damludo, "W:Wc3,a1:BKd4,h8"))
    square = damludo.board.square
    board = board_content(damludo.board.playable, game.position)
    board = dict(board) | {square("c3"): Content.EMPTY, square("e5"): Content.WHITE_MAN}
    table = clear(board)
    table[square("d4"), Content.BLACK_MAN] = 0.0
    table[square("d4"), Content.BLACK_KING] = -king_behind_nats
    table[square("d4")] -= table[square("d4")].max()
    ruling = rule(game, BoardReading(grid_of_board(damludo.board), table, 0.0, 0))
    assert isinstance(ruling.verdict, Unfinished)
    assert ruling.sure
    assert half_taken(ruling) is half


def new_king(against_nats: float) -> tuple[GameJudge, Eyes, BoardReading]:
    """A man stepped from c7 to b8 and the hand, which came at 1.0 s, left at 2.6 s; a man there leads a king by so many nats."""
    damludo = variant("damludo")
    game = Game.new(damludo, parse_fen(damludo, "W:Wc7,a1:Bh2"))
    square, grid = damludo.board.square, grid_of_board(damludo.board)
    before = dict(board_content(damludo.board.playable, game.position))
    table = clear(before | {square("c7"): Content.EMPTY, square("b8"): Content.WHITE_KING})
    table[square("b8"), Content.WHITE_MAN], table[square("b8"), Content.WHITE_KING] = 0.0, -against_nats
    table[square("b8")] -= table[square("b8")].max()
    judge, eyes = GameJudge(game), Eyes()
    judge.judge(cast(BoardWatcher, eyes), BoardReading(grid, clear(before), 0.0, 0), still(0.0), False)
    for time_s in (1.0, 2.6):
        eyes.glimpses.see_hand(time_s)
    return judge, eyes, BoardReading(grid, table, 0.0, 0)


def test_a_crown_that_is_being_fetched_is_waited_for_and_never_told_before_it_is_likelier_than_not() -> None:
    judge, eyes, reading = new_king(2.0)
    watcher = cast(BoardWatcher, eyes)
    assert judge.judge(watcher, reading, still(2.7), False) is None
    told = judge.judge(watcher, reading, still(2.6 + CROWN_WAIT_S), False)
    assert [event.event for event in told or []] == ["lifted", "placed", "move"]


def test_a_move_that_lacks_nothing_but_a_crown_is_taken_when_the_next_hand_comes_which_may_be_the_opponents() -> None:
    judge, eyes, reading = new_king(2.0)
    watcher = cast(BoardWatcher, eyes)
    assert judge.judge(watcher, reading, still(2.7), False) is None
    told = judge.judge(watcher, reading, still(2.7)[-1:], True)
    assert [event.event for event in told or []] == ["lifted", "placed", "move"]
    eyes.touched = [variant("damludo").board.square(name) for name in ("b8", "a1")]
    told = judge.judge(watcher, reading, still(4.0), True)
    assert [event.more["squares"] for event in told or []] == [["a1"]]


def test_a_crown_that_is_seen_is_told_at_once() -> None:
    judge, eyes, reading = new_king(-2.0)
    told = judge.judge(cast(BoardWatcher, eyes), reading, still(2.7), False)
    assert [event.event for event in told or []] == ["lifted", "placed", "crowned", "move"]
    assert next(event for event in told or [] if event.event == "crowned").confidence == pytest.approx(0.8808, abs=1e-4)


def test_a_crown_that_is_clearly_missing_when_the_hand_had_its_time_is_missed() -> None:
    judge, eyes, reading = new_king(12.0)
    told = judge.judge(cast(BoardWatcher, eyes), reading, still(9.0), True)
    assert [event.event for event in told or []] == ["incomplete"]
    assert "put a second disc on b8" in str((told or [])[0].more["reason"])


@pytest.mark.parametrize(("against_nats", "told"), [(2.9, "move"), (3.1, "incomplete")], ids=["doubtful", "seen"])
def test_a_crown_is_missed_when_the_picture_outweighs_how_seldom_one_is_forgotten(
    against_nats: float, told: str
) -> None:
    """The event is no surer than the height is."""
    judge, eyes, reading = new_king(against_nats)
    events = judge.judge(cast(BoardWatcher, eyes), reading, still(9.0), True) or []
    assert events[-1].event == told
    if told == "incomplete":
        assert events[-1].confidence == pytest.approx(0.95690, abs=1e-5)


@pytest.mark.parametrize(
    ("behind_nats", "left"),
    [(-2.0, None), (7.0, None), (20.0, "g1")],
    ids=["seen gone", "in bad light", "seen clearly"],
)
def test_a_king_has_left_a_disc_behind_only_where_it_is_clearly_seen(behind_nats: float, left: str | None) -> None:
    """A black king stepped off a dark square, which in changing light looked like one man by 5 to 7 nats."""
    changed = {"g1": Content.EMPTY, "f2": Content.BLACK_KING}
    nats = {("g1", Content.BLACK_MAN): behind_nats, ("f2", Content.BLACK_MAN): -2.5}
    verdict = ruled("B:WKa1:BKg1", changed, nats).verdict
    if left is None:
        assert isinstance(verdict, Legal)
    else:
        assert isinstance(verdict, Unfinished)
        assert verdict.disc_left == variant("damludo").board.square(left)


@pytest.mark.parametrize(
    ("king_nats", "verdict", "sure"),
    [(7.9, Legal, True), (16.9, Legal, False), (17.1, Illegal, True)],
    ids=["in a low sun", "in doubt", "seen clearly"],
)
def test_a_crown_that_is_not_due_is_named_only_where_it_is_clearly_seen(
    king_nats: float, verdict: type, sure: bool
) -> None:
    """Nobody fetches a second disc for nothing: a glossy man in a sunbeam looked like a king by 8 nats."""
    changed = {"f6": Content.EMPTY, "g5": Content.BLACK_KING}
    ruling = ruled("B:Wa1:Bf6,h8", changed, {("g5", Content.BLACK_MAN): -king_nats})
    assert (type(ruling.verdict), ruling.sure) == (verdict, sure)


@pytest.mark.parametrize(
    ("left_by_nats", "squares", "sentence"),
    [(2.0, ["c3"], "the squares named are hard to see"), (4.0, [], "please say the move, or show it again")],
    ids=["a square in doubt", "none in doubt"],
)
def test_what_is_asked_names_the_squares_that_are_hard_to_see_if_there_are_any(
    left_by_nats: float, squares: list[str], sentence: str
) -> None:
    """A man jumped from c3 to e5 against the rules; that it left c3 is seen so clearly, less than such an act asks for."""
    damludo = variant("damludo")
    game, square = Game.new(damludo), damludo.board.square
    before = dict(board_content(damludo.board.playable, game.position))
    table = clear(before)
    table[square("c3")] = (0.0, -left_by_nats, -18.0, -18.0, -18.0)
    table[square("e5")] = (-9.0, 0.0, -18.0, -18.0, -18.0)
    judge, eyes, grid = GameJudge(game), Eyes(), grid_of_board(damludo.board)
    watcher = cast(BoardWatcher, eyes)
    judge.judge(watcher, BoardReading(grid, clear(before), 0.0, 0), still(0.0), False)
    (event,) = judge.judge(watcher, BoardReading(grid, table, 0.0, 0), still(9.0), True) or []
    assert event.event == "unsure"
    assert event.more["squares"] == squares
    assert sentence in str(event.more["reason"])
