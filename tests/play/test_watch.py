"""`damludo watch`: hands and boards on photographs, moves on rendered frames, refusals."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import cast

import cv2
import numpy as np
import pytest

from damludo.play.cli import main
from damludo.play.commands.watch import worth_a_look
from damludo.play.content import board_content, grid_of_board
from damludo.play.game_watch import GameJudge
from damludo.play.watching import BoardEvents, WatchEvent, rows_of, turned_rows
from damludo.robot.places import TableLayout
from damludo.rules.game import Game
from damludo.rules.variants import variant
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.hand import Pace, Put, SimulatedHand, Take, Withdraw
from damludo.simulation.optics import Optics
from damludo.simulation.table import Carriage, DiscColour, Table
from damludo.vision.content import Content, Grid
from damludo.vision.frame import Frame
from damludo.vision.motion import Scene as WatchedScene
from damludo.vision.reading import BoardReading
from damludo.vision.recording import PictureFolder
from damludo.vision.watcher import BoardWatcher

LAYOUT = TableLayout()
Labels = list[dict[str, object]]


@pytest.fixture(scope="module")
def labels(test_data: Path) -> Labels:
    file = test_data / "photos" / "labels.json"
    if not file.is_file():
        pytest.skip(f"no photographs: {file} is missing")
    found: Labels = json.loads(file.read_text(encoding="utf-8"))["sequence"]
    return found


@pytest.fixture(scope="module")
def events(test_data: Path, labels: Labels, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """What the command prints for the sequence of photographs (a chess game: it knows no rules)."""
    times = tmp_path_factory.mktemp("watch") / "times.txt"
    times.write_text("".join(f"{Path(str(one['file'])).name} {int(str(one['frame'])) / 20}\n" for one in labels))
    folder = (test_data / "photos" / str(labels[0]["file"])).parent
    with pytest.MonkeyPatch.context() as patch:
        lines: list[str] = []
        patch.setattr("builtins.print", lambda *words, **_: lines.append(" ".join(map(str, words))))
        code = main(["watch", str(folder), "--game", "none", "--times", str(times), "--json"])
    assert code == 0
    return [json.loads(line) for line in lines]


@pytest.mark.photos
def test_at_most_two_of_46_photographs_are_wrong_about_the_hand(
    events: list[dict[str, object]], labels: Labels
) -> None:
    """With the board as the finder sees it: 44 (hands beside the field) and 222 (a finger tip in an arm's shadow)."""
    told = {int(str(e["frame"])): e["event"] == "hand_in" for e in events if str(e["event"]).startswith("hand")}
    hand, wrong = False, []
    for number, one in enumerate(labels):
        hand = told.get(number, hand)
        if hand != str(one["occluder"]).startswith("hand"):
            wrong.append(one["frame"])
    assert len(wrong) <= 2, wrong


@pytest.mark.photos
def test_every_board_without_a_hand_is_right(events: list[dict[str, object]], labels: Labels) -> None:
    boards = [e for e in events if e["event"] == "board"]
    assert len(boards) >= 7
    for event in boards:
        assert event["rows"] == labels[int(str(event["frame"]))]["squares"]
    assert boards[-1]["rows"] == labels[-1]["squares"]


def test_rows_are_turned_into_picture_order() -> None:
    """Rank 1 lies where White sits; file a lies to White's left."""
    grid = Grid(2, 2, (0, 1, 2, 3))
    rows = rows_of(grid, {0: Content.WHITE_MAN, 1: Content.BLACK_MAN, 2: Content.EMPTY, 3: Content.WHITE_KING})
    assert rows == [".W", "wb"]
    assert turned_rows(rows, "bottom") == [".W", "wb"]
    assert turned_rows(rows, "top") == ["bw", "W."]
    assert turned_rows(rows, "right") == ["Wb", ".w"]
    assert turned_rows(rows, "left") == ["w.", "bW"]


def test_an_unknown_game_and_a_missing_source_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "/no/such/folder", "--game", "halma"]) == 3
    assert main(["watch", "/no/such/folder", "--game", "none"]) == 4
    assert "/no/such/folder" in capsys.readouterr().err


def test_pictures_without_a_board_end_with_exit_6(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), np.full((240, 320, 3), 90, np.uint8))
    assert main(["watch", str(tmp_path), "--game", "none"]) == 6
    assert "board" in capsys.readouterr().err


def test_a_board_that_is_looked_for_in_vain_is_told_once_and_not_in_every_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(13):
        cv2.imwrite(str(tmp_path / f"{number:02}.png"), np.full((240, 320, 3), 90 + number, np.uint8))
    seen: list[Frame] = []
    assert len(list(worth_a_look(PictureFolder(tmp_path), seen))) == 5 + 2
    assert len(seen) == 13
    assert main(["watch", str(tmp_path), "--game", "english"]) == 6
    assert capsys.readouterr().err.count("The board is looked for:") == 1


class Scene:
    """A rendered table, a hand, and the events of a watch over it."""

    def __init__(self, seed: int) -> None:
        from damludo.calibration.board import set_up
        from damludo.vision.content import BoardSizes
        from damludo.vision.squares import SquareReader

        game = Game.new(variant("damludo"))
        content = board_content(game.variant.board.playable, game.position)
        self.table = Table(LAYOUT, carriage=Carriage(present=False))
        for square, what in content.items():
            if what is not Content.EMPTY:
                place = LAYOUT.square(square)
                self.table.add_disc(DiscColour.WHITE if what.is_white else DiscColour.BLACK, place.x_mm, place.y_mm)
        world = World()
        self.clock = LockstepClock(world)
        self.hand = SimulatedHand(self.table, -1.0, Pace(), np.random.default_rng(seed))
        world.add(self.hand)
        self.camera = SimulatedCamera(self.table, self.clock, Optics.seeded(seed), world)
        grid = grid_of_board(game.variant.board)
        view, look, _ = set_up([self.camera.read()], grid, content, BoardSizes(), "bottom")
        watcher = BoardWatcher(view, SquareReader(view, look))
        self.events = BoardEvents(watcher, GameJudge(game))
        self.live()

    def live(self, *steps: Take | Put | Withdraw, after_s: float = 1.5) -> list[WatchEvent]:
        """Let the hand do something, then wait; return what was told besides hands and light."""
        self.hand.do(list(steps))
        told: list[WatchEvent] = []
        quiet_s = 0.0
        while quiet_s < after_s:
            told += self.events.update(self.camera.read())
            self.clock.sleep(0.1 - 1 / 30)
            quiet_s = 0.0 if self.hand.busy else quiet_s + 0.1
        return [event for event in told if event.event not in ("hand_in", "hand_out", "light_changed")]

    def carry(self, origin: str, target: str) -> list[WatchEvent]:
        a, b = (LAYOUT.square(ord(name[0]) - ord("a") + 8 * (int(name[1]) - 1)) for name in (origin, target))
        return self.live(Take(a.x_mm, a.y_mm), Put(b.x_mm, b.y_mm), Withdraw())


def kinds(events: Iterable[WatchEvent]) -> list[str]:
    return [event.event for event in events]


class TellsWhatItSaw:
    """A judge that dates its event by the picture that it was given."""

    def judge(
        self, watcher: BoardWatcher, reading: BoardReading, frames: tuple[Frame, ...], last: bool
    ) -> list[WatchEvent] | None:
        return [WatchEvent("board", frames[-1].number, frames[-1].time_s, 1.0)]


class Scripted:
    """A watcher that sees what it is told: in each picture how much moves, if the light changed, and if a hand is there.

    In the pictures numbered `reached` something stirs at the border.
    """

    unseen = False

    def __init__(self, *pictures: tuple[float, bool, bool], reached: range = range(0)) -> None:
        self._pictures, self._reached = iter(pictures), reached

    def update(self, frame: Frame) -> WatchedScene:
        moving, light, hand = next(self._pictures)
        scene = WatchedScene(frame.time_s, frame.number, hand, False, False, light, 0.0, float(hand), moving)
        return replace(scene, stirs_at_the_border=frame.number in self._reached)

    def read(self, frames: tuple[Frame, ...]) -> BoardReading:
        return BoardReading(Grid(1, 1, (0,)), np.zeros((1, 5)), frames[-1].time_s, frames[-1].number)


def test_events_are_told_in_the_order_of_their_times() -> None:
    """A lamp goes on while the board is never still; then a hand comes, and the board is read from an earlier picture."""
    pictures = [(0.5, False, False), *[(4.0, True, False)] * 3, (9.0, True, True)]
    events = BoardEvents(cast(BoardWatcher, Scripted(*pictures)), TellsWhatItSaw())
    frame = np.zeros((1, 1, 3), np.uint8)
    told = [event for n in range(5) for event in events.update(Frame(frame, 0.1 * n, n))]
    assert [(event.event, event.frame) for event in told] == [("board", 0), ("light_changed", 2), ("hand_in", 4)]


@pytest.mark.parametrize(("reached", "read"), [(range(0), [1]), (range(1, 2), [0]), (range(3), [])])
def test_between_two_hands_no_picture_is_read_in_which_an_arm_may_be(reached: range, read: list[int]) -> None:
    """A hand put one disc of a king down at the edge and took the other: it passed for a disc, and a false move was told."""
    pictures = [(4.0, False, False), (2.4, False, False), (2.4, False, False), (9.0, False, True)]
    events = BoardEvents(cast(BoardWatcher, Scripted(*pictures, reached=reached)), TellsWhatItSaw())
    frame = np.zeros((1, 1, 3), np.uint8)
    told = [event for n in range(4) for event in events.update(Frame(frame, 0.1 * n, n))]
    assert [event.frame for event in told if event.event == "board"] == read


def test_what_was_noticed_is_told_at_the_end_at_the_latest() -> None:
    events = BoardEvents(cast(BoardWatcher, Scripted(*[(4.0, True, False)] * 3)), TellsWhatItSaw())
    frame = np.zeros((1, 1, 3), np.uint8)
    told = [event for n in range(3) for event in events.update(Frame(frame, 0.1 * n, n))]
    told += events.finish()
    assert [(event.event, event.frame) for event in told] == [("light_changed", 1), ("board", 2)]


@pytest.mark.simulation
def test_moves_are_told_and_an_illegal_one_is_not_made() -> None:
    """c3-d4, then f6-f4 against the rules, put back, then f6-g5."""
    scene = Scene(seed=0)
    *steps, move = scene.carry("c3", "d4")
    assert [(step.event, step.more["squares"]) for step in steps] == [("lifted", ["c3"]), ("placed", ["d4"])]
    assert move.event == "move"
    assert move.more["move"]["text"] == "c3-d4"  # type: ignore[index,call-overload]
    (illegal,) = scene.carry("f6", "f4")
    assert illegal.event == "illegal"
    assert illegal.more["reason"]
    assert kinds(scene.carry("f4", "f6")) == ["lifted", "put_back"]
    assert kinds(scene.carry("f6", "g5")) == ["lifted", "placed", "move"]
