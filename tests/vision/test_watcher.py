"""Tracking from quiet to quiet: what changes keeps nothing, what stays keeps everything, contradictions are told."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.vision.change import ChangeEvidence
from damludo.vision.content import Content
from damludo.vision.errors import BadPicture, VisionError
from damludo.vision.frame import Frame, Image
from damludo.vision.joining import beside, combine, contradictions, doubtful_discs, gone_evidence
from damludo.vision.reading import BoardReading
from damludo.vision.recognise import FREE_GAP_LIMIT_NATS, MARGIN_LIMIT_NATS
from damludo.vision.view import BoardView, grid_of
from damludo.vision.watcher import BoardWatcher

Draw = Callable[..., Image]
Board = dict[int, Content]
A3, C3, D4, E3, C5 = 16, 18, 27, 20, 34


@dataclass
class TableReader:
    """Says what it is told, with a given lead in nats; `says` may be wrong on purpose."""

    says: Board = field(default_factory=dict)
    lead: float = 10.0
    taught: list[Board] = field(default_factory=list)

    def learn_ground(self, image: Image, content: Mapping[int, Content]) -> None:
        self.taught.append(dict(content))

    def crown_evidence(self, image: Image, places: Collection[int], content: Mapping[int, Content]) -> dict[int, float]:
        return {}

    def read(self, image: Image, believed: Mapping[int, Content] | None) -> NDArray[np.float64]:
        table = np.zeros((64, 5))
        for place, content in self.says.items():
            table[place] = -self.lead
            table[place, content] = 0.0
        return table


@dataclass
class Desk:
    """A watcher with its clock."""

    watcher: BoardWatcher
    reader: TableReader
    draw: Draw
    time_s: float = 0.0
    number: int = 0
    hands: int = 0
    newest: Frame | None = None

    def show(self, content: Board, frames: int = 8, **more: object) -> None:
        """Hold a board still before the camera; the reader sees it as it is."""
        self.reader.says = dict(content)
        for _ in range(frames):
            self.newest = Frame(self.draw(content, seed=self.number, **more), self.time_s, self.number)
            self.hands += self.watcher.update(self.newest).hand
            self.time_s, self.number = self.time_s + 0.1, self.number + 1


@pytest.fixture
def desk(view_from_above: BoardView, draw: Draw) -> Desk:
    reader = TableReader()
    return Desk(BoardWatcher(view_from_above, reader), reader, draw)


def moved(board: Board, origin: int, target: int) -> Board:
    return board | {origin: Content.EMPTY, target: board[origin]}


def test_a_board_that_was_never_quiet_cannot_be_read(desk: Desk, start: Board) -> None:
    desk.show(start, frames=2)
    with pytest.raises(VisionError, match="not quiet"):
        desk.watcher.read()


def test_the_first_reading_is_the_readers(desk: Desk, start: Board) -> None:
    desk.show(start)
    reading = desk.watcher.read()
    assert reading.most_likely() == start
    assert desk.watcher.change is None
    assert reading.number == 7
    assert reading.time_s == pytest.approx(0.7)


def test_a_move_is_read_as_a_move(desk: Desk, start: Board) -> None:
    desk.show(start)
    desk.watcher.believe(start)
    desk.show(moved(start, C3, D4))
    assert desk.watcher.read().most_likely() == moved(start, C3, D4)
    assert desk.watcher.disagreement == ()


def test_a_calm_board_that_is_believed_teaches_how_its_empty_squares_look(desk: Desk, start: Board) -> None:
    """... and a single picture between two hands, in which one may still lean over it, does not."""
    desk.show(start)
    desk.watcher.read()
    assert desk.reader.taught == []
    desk.watcher.believe(start)
    assert desk.reader.taught == [start]
    assert desk.newest is not None
    desk.watcher.believe(moved(start, C3, D4), (desk.newest,))
    assert desk.reader.taught == [start]


def test_an_unchanged_place_keeps_its_content_against_a_wrong_reader(desk: Desk, start: Board) -> None:
    desk.show(start)
    desk.watcher.believe(start)
    desk.show(moved(start, C3, D4))
    desk.reader.says[A3] = Content.BLACK_MAN
    assert desk.watcher.read().most_likely() == moved(start, C3, D4)


def test_a_strong_contradiction_is_told(desk: Desk, start: Board) -> None:
    desk.show(start)
    desk.watcher.believe(start)
    desk.show(start)
    desk.reader.says[A3], desk.reader.lead = Content.BLACK_MAN, 20.0
    desk.watcher.read()
    assert desk.watcher.disagreement == (A3,)


def test_a_disturbed_place_may_hold_what_it_held(desk: Desk, start: Board) -> None:
    """Lifted and put back a tenth of a square off."""
    desk.show(start)
    desk.watcher.believe(start)
    desk.show(start, offsets={C3: (5.0, 0.0)})
    assert desk.watcher.read().most_likely() == start
    change = desk.watcher.change
    assert change is not None
    assert change.log_likelihood_ratio[C3] > 3.0 > change.log_likelihood_ratio[E3]


def test_changes_count_from_what_was_believed_last(desk: Desk, start: Board) -> None:
    second = moved(start, C3, D4)
    desk.show(start)
    desk.watcher.believe(start)
    desk.show(second)
    desk.watcher.read()
    desk.watcher.believe(second)
    desk.show(moved(second, E3, 29))
    assert desk.watcher.read().most_likely() == moved(second, E3, 29)
    change = desk.watcher.change
    assert change is not None
    assert change.log_likelihood_ratio[[C3, D4]].max() < 0.0


def test_a_belief_without_quiet_frames_waits_for_them(desk: Desk, start: Board) -> None:
    desk.watcher.believe(start)
    desk.show(start)
    desk.show(moved(start, C3, D4))
    assert desk.watcher.read().most_likely() == moved(start, C3, D4)
    assert desk.watcher.change is not None


def test_given_frames_can_be_read_and_believed_without_stillness(desk: Desk, draw: Draw, start: Board) -> None:
    desk.reader.says = start
    frames = tuple(Frame(draw(start, seed=n), 0.0, n) for n in range(2))
    assert desk.watcher.read(frames).most_likely() == start
    desk.watcher.believe(start, frames)
    desk.reader.says = moved(start, C3, D4)
    after = (Frame(draw(moved(start, C3, D4), seed=5), 1.0, 5),)
    assert desk.watcher.read(after).most_likely() == moved(start, C3, D4)


def test_a_reading_never_goes_below_minus_thirty_and_says_nothing_beside_the_places(desk: Desk, start: Board) -> None:
    desk.show(start)
    desk.watcher.believe(start)
    desk.show(moved(start, C3, D4))
    reading: BoardReading = desk.watcher.read()
    assert reading.log_likelihood.min() >= -30.0
    rest = [place for place in range(64) if place not in start]
    assert not reading.log_likelihood[rest].any()
    assert reading.log_likelihood[list(start)].max(axis=1) == pytest.approx(0.0)


def test_an_empty_place_that_changed_holds_something_even_if_the_reader_sees_hardly_any_difference() -> None:
    """A black disc on a black square, far from the lamp: the reader prefers "empty" by 6 nats, but the place did change."""
    absolute = np.zeros((64, 5))
    absolute[D4] = (0.0, -30.0, -30.0, -6.0, -8.0)
    change = ChangeEvidence(np.full(64, 12.0), np.full(64, 11.0))
    table = combine(absolute, {D4: Content.EMPTY}, change)
    assert Content(int(table[D4].argmax())) is Content.BLACK_MAN
    assert table[D4, Content.BLACK_MAN] - table[D4, Content.EMPTY] > 3.0


def test_a_place_that_surely_changed_is_not_empty_however_empty_it_looks() -> None:
    """A white king on a light square in a lamp's light: read as empty by 30 nats, but nothing else changes a square so much."""
    absolute = np.zeros((64, 5))
    absolute[D4] = (0.0, -27.0, -30.0, -30.0, -30.0)
    changes = [ChangeEvidence(np.full(64, 11.0), np.full(64, ratio)) for ratio in (11.0, -1.0)]
    sure, unchanged = (combine(absolute, {D4: Content.EMPTY}, change)[D4] for change in changes)
    assert sure[Content.WHITE_MAN] - sure[Content.EMPTY] == pytest.approx(1.0, abs=0.01)
    assert unchanged[Content.EMPTY] - unchanged[Content.WHITE_MAN] > 6.0


def joined(held: Content, looks_like: Content, ratio: float, *, same_pose: bool = True) -> NDArray[np.float64]:
    """Return the row of D4, which surely looks like something; around it nothing changed, and the reader knows it."""
    absolute, ratios = np.full((64, 5), -30.0), np.full(64, -6.0)
    absolute[:, Content.EMPTY] = 0.0
    absolute[D4] = -30.0
    absolute[D4, looks_like], ratios[D4] = 0.0, ratio
    believed = dict.fromkeys(range(32), Content.EMPTY) | {D4: held}
    row: NDArray[np.float64] = combine(
        absolute, believed, ChangeEvidence(np.full(64, 1.0), ratios), same_pose=same_pose
    )[D4]
    return row


@pytest.mark.parametrize(
    ("held", "looks_like", "ratio"), [(0, 1, -1.5), (1, 0, -5.7)], ids=["reflection", "light on light"]
)
def test_a_place_that_did_not_change_holds_what_it_held_however_surely_it_is_misread(
    held: int, looks_like: int, ratio: float
) -> None:
    """A reflection on an empty square looks like a white man; a light man on a light square never was seen well."""
    assert int(joined(Content(held), Content(looks_like), ratio).argmax()) == held


def test_a_light_disc_taken_from_a_light_square_is_believed_to_be_gone() -> None:
    """The least evidence of a change that a disc leaves, and the reader sees the square."""
    row = joined(Content.WHITE_MAN, Content.EMPTY, 0.5)
    assert row[Content.EMPTY] - row[Content.WHITE_MAN] > 12.0


def test_a_disc_that_glare_makes_look_like_one_of_the_other_colour_stands_in_no_moves_way() -> None:
    """A black man in a lamp's glare was read as a white one by 19 nats; a move elsewhere was asked about."""
    row = joined(Content.BLACK_MAN, Content.WHITE_MAN, 2.4)
    assert row[Content.WHITE_MAN] - row[Content.BLACK_MAN] < FREE_GAP_LIMIT_NATS


def test_a_disc_of_the_other_colour_where_one_was_taken_is_believed_if_the_place_surely_changed() -> None:
    """A king's chain may end on a square from which it took a man before."""
    row = joined(Content.BLACK_MAN, Content.WHITE_KING, 15.0)
    assert Content(int(row.argmax())) is Content.WHITE_KING
    assert row[Content.WHITE_KING] - row[Content.BLACK_MAN] > MARGIN_LIMIT_NATS


def test_after_a_bump_a_black_disc_taken_from_a_black_square_is_the_readers_to_tell() -> None:
    """The new pose is not quite the old one: every place departs a little, this one no more than the others."""
    row = joined(Content.BLACK_MAN, Content.EMPTY, -4.9, same_pose=False)
    assert row[Content.EMPTY] - row[Content.BLACK_MAN] > 12.0


def test_a_reader_that_is_wrong_about_half_of_what_did_not_change_is_hardly_heard() -> None:
    """A lamp went out: every dark square looks like a black disc. Nothing changed there, so nothing stands there."""
    believed = dict.fromkeys(range(32), Content.EMPTY)
    absolute = np.full((64, 5), -30.0)
    absolute[:16, Content.BLACK_MAN] = 0.0
    absolute[16:32, Content.EMPTY] = 0.0
    absolute[31] = (-30.0, 0.0, -30.0, -30.0, -30.0)
    ratio = np.full(64, -6.0)
    ratio[31] = 12.0
    table = combine(absolute, believed, ChangeEvidence(np.full(64, 1.0), ratio))
    assert [Content(int(row.argmax())) for row in table[:31]] == [Content.EMPTY] * 31
    assert Content(int(table[31].argmax())) is Content.WHITE_MAN


@pytest.mark.parametrize(("ratio", "gained"), [(7.0, 2.35), (-0.5, 1.5), (-2.0, 1.5)])
def test_likeness_to_other_places_is_heard_and_hardly_where_nothing_changed(ratio: float, gained: float) -> None:
    """A black man was put into a reflection: the colour says "empty" by 11.5 nats, the rim says "a black man" by 4.7."""
    absolute, ratios = np.full((64, 5), -30.0), np.full(64, -6.0)
    absolute[:, Content.EMPTY] = 0.0
    absolute[D4] = (0.0, -19.0, -19.0, -19.2, -19.2)
    ratios[D4] = ratio
    believed = dict.fromkeys(range(32), Content.EMPTY)
    change = ChangeEvidence(np.full(64, 1.0), ratios)
    with_fellows = combine(absolute, believed, change, {D4: np.array([0.0, -3.8, -3.8, 4.7, 4.7])})
    heard = with_fellows - combine(absolute, believed, change)
    assert heard[D4, Content.BLACK_MAN] == pytest.approx(gained)
    assert heard[D4, Content.EMPTY] == 0.0
    assert not np.delete(heard, D4, axis=0).any()


@pytest.mark.parametrize(("likeness", "heard"), [(5.6, 5.6), (-5.6, -2.8)], ids=["still a man", "no man any more"])
def test_likeness_to_what_a_place_held_is_heard_in_full(likeness: float, heard: float) -> None:
    """A hand that carried a king disc by disc shadowed a man beside it, which then was taken for the one that had moved."""
    absolute, ratios = np.zeros((64, 5)), np.full(64, 1.4)
    likenesses = {C3: np.array([0.0, -8.0, -8.0, likeness, likeness])}
    held, change = {C3: Content.BLACK_MAN}, ChangeEvidence(np.full(64, 2.7), ratios)
    added = (combine(absolute, held, change, likenesses) - combine(absolute, held, change))[C3]
    assert added[Content.BLACK_MAN] - added[Content.EMPTY] == pytest.approx(heard)
    assert added[Content.BLACK_KING] == added[Content.BLACK_MAN]


def test_beside_a_place_that_a_reflection_misreads_the_reader_is_heard_less() -> None:
    """A black man was put beside another one that did not change and yet reads as an empty square: the same reflection."""
    absolute = np.full((64, 5), -30.0)
    absolute[:, Content.EMPTY] = 0.0
    absolute[D4] = (0.0, -30.0, -30.0, -20.0, -22.0)
    ratios = np.full(64, -6.0)
    ratios[D4] = 4.8
    believed = dict.fromkeys(range(32), Content.EMPTY) | {C5: Content.BLACK_MAN}
    change = ChangeEvidence(np.full(64, 1.0), ratios)
    fellows = {D4: np.array([0.0, -5.1, -5.1, 4.0, 4.0])}
    misled = beside(contradictions(absolute, believed, change), grid_of(8, 8))
    assert misled == [25, 26, 27, 33, 35, 41, 42, 43]
    assert Content(int(combine(absolute, believed, change, fellows)[D4].argmax())) is Content.EMPTY
    assert Content(int(combine(absolute, believed, change, fellows, misled)[D4].argmax())) is Content.BLACK_MAN


def leads(board: Board, **of_place: float) -> NDArray[np.float64]:
    """Return an absolute reading in which the discs lead over empty places by 30 nats, some by less."""
    table = np.full((64, 5), -30.0)
    for place, what in board.items():
        table[place, what] = 0.0
        if what is not Content.EMPTY:
            table[place, Content.EMPTY] = -of_place.get({C3: "c3", D4: "d4", A3: "a3"}.get(place, ""), 30.0)
    return table


@pytest.mark.parametrize(
    ("before", "now", "gone"),
    [
        pytest.param(15.0, -1.8, 4.0, id="black man taken from a dark square"),
        pytest.param(2.4, 0.8, 0.36, id="white man nudged by 0.03 square"),
        pytest.param(-0.6, -0.5, 0.0, id="never seen well"),
    ],
)
def test_a_disc_whose_place_looks_less_like_it_than_before_is_gone(before: float, now: float, gone: float) -> None:
    """Of 168 discs that were nudged none lost more than 0.7 nats more than the others."""
    board = dict.fromkeys(range(40, 64), Content.EMPTY) | dict.fromkeys((A3, C3, D4, E3), Content.BLACK_MAN)
    ratios = np.full(64, -6.0)
    ratios[C3] = 6.3
    change = ChangeEvidence(np.full(64, 1.0), ratios)
    absolute = leads(board, c3=now, d4=29.0)
    assert doubtful_discs(absolute, board, change) == [C3]
    found = gone_evidence(absolute, leads(board, c3=before), board, change, [C3])
    assert found[C3] == pytest.approx(gone, abs=0.5)
    heard = combine(absolute, board, change, gone=found) - combine(absolute, board, change)
    assert heard[C3].tolist() == pytest.approx([0.0, 0.0, 0.0, -found[C3], -found[C3]])


@pytest.mark.parametrize(
    ("ratio", "now"), [(-0.5, -1.8), (6.3, 5.0), (6.3, -20.0)], ids=["unchanged", "well seen", "surely gone"]
)
def test_only_a_changed_disc_that_is_hardly_told_is_compared_with_itself(ratio: float, now: float) -> None:
    board, ratios = {C3: Content.BLACK_MAN, D4: Content.EMPTY}, np.full(64, ratio)
    assert doubtful_discs(leads(board, c3=now), board, ChangeEvidence(np.full(64, 1.0), ratios)) == []


@dataclass
class ColourReader(TableReader):
    """Tells C3's man well, and hardly that it is gone."""

    def read(self, image: Image, believed: Mapping[int, Content] | None) -> NDArray[np.float64]:
        table = super().read(image, believed)
        is_there = float(image[304:308, 252:256].mean()) > 120.0
        table[C3, :] = -10.0
        table[C3, Content.WHITE_MAN], table[C3, Content.EMPTY] = (0.0, -10.0) if is_there else (0.0, -1.0)
        return table


def test_a_man_is_missed_though_its_place_still_looks_a_little_like_one(
    view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    """Too few men stand there for a comparison with others."""
    two = dict.fromkeys(start, Content.EMPTY) | {C3: Content.WHITE_MAN, E3: Content.WHITE_MAN}
    reader = ColourReader()
    desk = Desk(BoardWatcher(view_from_above, reader), reader, draw)
    desk.show(two)
    desk.watcher.believe(two)
    desk.show(moved(two, C3, D4))
    assert desk.watcher.read().most_likely() == moved(two, C3, D4)


def test_a_picture_of_another_size_is_refused_in_a_sentence(desk: Desk) -> None:
    frame = Frame(np.zeros((100, 120, 3), np.uint8), 99.0, 99)
    with pytest.raises(BadPicture, match="changed their size"):
        desk.watcher.update(frame)


def test_a_bump_is_noticed_when_the_men_stand_unlike_the_first_picture(desk: Desk, start: Board) -> None:
    """Nearly every crossing looks different by then; the newest quiet picture still tells where the camera stood."""
    late = {
        square: Content.WHITE_MAN if what is Content.BLACK_MAN else Content.BLACK_MAN for square, what in start.items()
    }
    desk.show(start)
    for taken in range(0, 32, 4):
        # Hands come and go between; what matters is that the watch sees each board at rest for a second.
        changed = list(start)[: taken + 4]
        desk.show(start | {square: late[square] for square in changed}, frames=14)
    shift = np.array([[1.0, 0.0, 18.0], [0.0, 1.0, -12.0]])
    scenes = []
    for n in range(4):
        image = cv2.warpAffine(desk.draw(late, seed=n), shift, (640, 480), borderMode=cv2.BORDER_REPLICATE)
        scenes.append(desk.watcher.update(Frame(np.asarray(image, np.uint8), desk.time_s, desk.number)))
        desk.time_s, desk.number = desk.time_s + 0.1, desk.number + 1
    assert any(scene.camera_moved for scene in scenes)


def test_a_hand_that_was_over_the_board_when_the_camera_was_bumped_is_still_a_hand(
    view_from_above: BoardView, draw: Draw, start: Board, at_px: Callable[[int], tuple[float, float]]
) -> None:
    """The camera is found again below the hand; what the hand hides is not read."""
    reader = TableReader(start)
    watcher = BoardWatcher(view_from_above, reader, lambda view: reader)
    shift = np.array([[1.0, 0.0, 18.0], [0.0, 1.0, -12.0]])
    scenes = []
    for n in range(60):
        image = draw(start, seed=n, arm_to=at_px(D4) if 10 <= n < 45 else None)
        if n >= 20:
            image = np.asarray(cv2.warpAffine(image, shift, (640, 480), borderMode=cv2.BORDER_REPLICATE), np.uint8)
        scenes.append(watcher.update(Frame(image, n / 10, n)))
    found = [n for n in range(21, 60) if scenes[n - 1].camera_moved and not scenes[n].camera_moved]
    assert len(found) == 1
    assert found[0] <= 30
    assert not any(scene.quiet for scene in scenes[20:45])
    assert all(scene.hand for scene in scenes[found[0] : 45])
    assert scenes[-1].quiet


@pytest.mark.parametrize("last", [0.6, 1.35], ids=["sunset", "sunrise"])
def test_a_camera_that_changes_its_brightness_slowly_disturbs_nothing(
    desk: Desk, draw: Draw, start: Board, last: float
) -> None:
    """Many drivers confirm that their automatics are off and go on; the sun does as it likes, too."""
    desk.show(start)
    desk.watcher.believe(start)
    for light in np.linspace(1.0, last, 80):
        desk.show(start, frames=1, light=float(light))
    desk.show(start, light=last)
    assert desk.watcher.read().most_likely() == start
    assert (desk.hands, desk.watcher.disagreement) == (0, ())
    desk.reader.lead = 0.5  # the reader alone would not know: the change has to be seen in today's light
    desk.show(moved(start, C3, D4), light=last)
    assert desk.watcher.read().most_likely() == moved(start, C3, D4)


@dataclass
class BlindReader(TableReader):
    """Cannot tell whether a man stands on E3."""

    def read(self, image: Image, believed: Mapping[int, Content] | None) -> NDArray[np.float64]:
        table = super().read(image, believed)
        table[E3] = (0.0, 0.0, -20.0, -20.0, -20.0)
        return table


def test_a_man_that_the_reader_is_blind_for_surely_stays_where_his_picture_does(
    view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    """That a captured man was left has to lead by 10 nats; that the place did not change is worth 8."""
    reader = BlindReader()
    desk = Desk(BoardWatcher(view_from_above, reader), reader, draw)
    desk.show(start)
    desk.watcher.believe(start)
    desk.show(moved(start, C3, D4))
    row = desk.watcher.read().log_likelihood[E3]
    assert row[Content.WHITE_MAN] - row[Content.EMPTY] > 10.0
