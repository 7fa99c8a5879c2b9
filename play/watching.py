"""What happens on a board in front of a camera, as events; without a game, or as a referee of one.

Frames go in one by one, events come out; nothing here reads a file or prints.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from damludo.vision.content import LETTER_OF_CONTENT, Content, Grid
from damludo.vision.frame import Frame
from damludo.vision.motion import Scene
from damludo.vision.reading import BoardReading
from damludo.vision.watcher import BoardWatcher

JsonValue = str | int | float | bool | None | list["JsonValue"] | dict[str, "JsonValue"]

QUIET_FRAMES_TO_JUDGE = 3
"""So many quiet frames are averaged before a board is judged."""
BEFORE_HAND_S = 0.15
"""A hand is in the margin of the picture so long before it is seen: those frames are read last of all."""
LIGHT_FRAMES = 2
"""The light has changed when so many pictures without a hand say so: one may show a shadow that passes."""
LIKE_THE_CALMEST_SQUARES = 0.3
"""Frames whose moving area is within this of the calmest one are as good as it."""


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One thing that happened.

    Attributes:
        event: "hand_in", "hand_out", "board", "move", "lifted", "placed", "put_back", "touched", "contact", "illegal", ...
        frame, time_s: the frame that shows it (it may lie before the frame at which it was understood).
        confidence: 0..1.
        more: further keys of the JSON line.
    """

    event: str
    frame: int
    time_s: float
    confidence: float
    more: dict[str, JsonValue] = field(default_factory=dict)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the JSON line."""
        head: dict[str, JsonValue] = {
            "event": self.event,
            "frame": self.frame,
            "time_s": round(self.time_s, 4),
            "confidence": round(self.confidence, 4),
        }
        return head | self.more


@dataclass(slots=True)
class Stretch:
    """The frames between two hands."""

    scenes: list[tuple[Frame, Scene]] = field(default_factory=list)
    judged: bool = False

    def add(self, frame: Frame, scene: Scene) -> None:
        """Keep a frame as long as it may still be the best one of the stretch."""
        self.scenes.append((frame, scene))
        # A long stretch becomes quiet and is judged then; a short one needs its last second. Frames are large.
        del self.scenes[:-12]

    def calmest(self, hand_at_s: float) -> tuple[Frame, Scene] | None:
        """Return the latest frame among those in which least moved, away from the coming hand if possible.

        A hand at work by the edge may pass for a disc now and then; a frame in which it may be is no look at the board.
        """
        free = [pair for pair in self.scenes if not pair[1].stirs_at_the_border]
        away = [pair for pair in free if pair[0].time_s <= hand_at_s - BEFORE_HAND_S] or free
        if not away:
            return None
        least = min(scene.moving_squares for _, scene in away)
        return [pair for pair in away if pair[1].moving_squares <= least + LIKE_THE_CALMEST_SQUARES][-1]


class Judge(Protocol):
    """What to make of a board without a hand."""

    def judge(
        self, watcher: BoardWatcher, reading: BoardReading, frames: tuple[Frame, ...], last: bool
    ) -> list[WatchEvent] | None:
        """Return the events that the reading means; None means: not sure, look again later.

        Args:
            watcher: made the reading; is told what to believe.
            reading: of the frames.
            frames: what was read.
            last: there will be no better look.
        """


class BoardEvents:
    """Turns scenes into events: hands, light, and at every calm moment what the judge says.

    Args:
        watcher: sees the board.
        judge: understands it.

    Attributes:
        watcher: as given.
        scene: of the newest frame; None before the first.
        reading: the newest one; None as long as the board was not read.
    """

    def __init__(self, watcher: BoardWatcher, judge: Judge) -> None:
        self.watcher, self._judge = watcher, judge
        self.scene: Scene | None = None
        self.reading: BoardReading | None = None
        self._hand = False
        self._light = 0
        self._moved = False
        self._stretch = Stretch()
        self._held: list[WatchEvent] = []
        self._quiet: list[Frame] = []
        self._quiet_since_s = 0.0

    def update(self, frame: Frame) -> Iterator[WatchEvent]:
        """Take in a frame and give the events it brings, in the order of their times."""
        told = sorted([*self._held, *self._of_frame(frame)], key=lambda event: event.time_s)
        # The best picture of a stretch may be an earlier one: what is told of it comes before what was noticed meanwhile.
        waiting = bool(self._stretch.scenes) and not self._stretch.judged
        since_s = self._stretch.scenes[0][0].time_s if waiting else math.inf
        self._held = [event for event in told if event.time_s > since_s]
        yield from told[: len(told) - len(self._held)]

    def _of_frame(self, frame: Frame) -> Iterator[WatchEvent]:
        scene = self.watcher.update(frame)
        self.scene = scene
        if scene.camera_moved:
            yield from self._camera_moved(frame)
            return
        self._moved = False
        if scene.hand != self._hand:
            yield from self._hand_changed(frame, scene)
        yield from self._light_changed(frame, scene)
        if scene.hand:
            return
        if not self._stretch.judged:
            self._stretch.add(frame, scene)
        yield from self._quiet_frame(frame, scene)

    def _camera_moved(self, frame: Frame) -> Iterator[WatchEvent]:
        """Until the board is found again nothing is judged; then it is looked at anew."""
        self._stretch, self._quiet = Stretch(), []
        if self._hand:
            # What looked like a hand was the whole picture that moved.
            self._hand = False
            yield WatchEvent("hand_out", frame.number, frame.time_s, 0.9)
        if not self._moved:
            self._moved = True
            reason = "the camera does not stand where it stood; the board is looked for, nothing is judged meanwhile"
            yield WatchEvent("camera_moved", frame.number, frame.time_s, 0.98, {"reason": reason})

    def _light_changed(self, frame: Frame, scene: Scene) -> Iterator[WatchEvent]:
        if not scene.light_changed:
            self._light = 0
        elif not scene.hand:
            self._light += 1
            if self._light == LIGHT_FRAMES:
                yield WatchEvent("light_changed", frame.number, frame.time_s, 0.98)

    def finish(self) -> Iterator[WatchEvent]:
        """Give the events that only the end of the pictures decides."""
        told, self._held = self._held, []
        if not self._hand and self._stretch.scenes and not self._stretch.judged:
            told += self._judge_stretch(self._stretch.scenes[-1][0].time_s + 1.0)
        yield from sorted(told, key=lambda event: event.time_s)

    def _hand_changed(self, frame: Frame, scene: Scene) -> Iterator[WatchEvent]:
        if scene.hand and self._stretch.scenes and not self._stretch.judged:
            yield from self._judge_stretch(frame.time_s)
        self._hand = scene.hand
        self._stretch, self._quiet = Stretch(), []
        sure = scene.hand_probability if scene.hand else 1.0 - scene.hand_probability
        yield WatchEvent("hand_in" if scene.hand else "hand_out", frame.number, frame.time_s, sure)

    def _quiet_frame(self, frame: Frame, scene: Scene) -> Iterator[WatchEvent]:
        if not scene.quiet:
            self._quiet = []
            return
        if not self._quiet:
            self._quiet_since_s = frame.time_s
        self._quiet = [*self._quiet, frame][-5:]
        if self.watcher.unseen:
            self._stretch = Stretch()
        if self._stretch.judged or len(self._quiet) < QUIET_FRAMES_TO_JUDGE:
            return
        frames = tuple(self._quiet)
        patience_over = frame.time_s - self._quiet_since_s >= 1.0
        self.reading = self.watcher.read(frames)
        events = self._judge.judge(self.watcher, self.reading, frames, patience_over)
        if events is not None:
            self._stretch.judged = True
            yield from events

    def _judge_stretch(self, hand_at_s: float) -> Iterator[WatchEvent]:
        """A board that was never still for long: a fast player, or few pictures a second."""
        calmest = self._stretch.calmest(hand_at_s)
        self._stretch.judged = True
        if calmest is None:
            return
        frame, _ = calmest
        self.reading = self.watcher.read((frame,))
        yield from self._judge.judge(self.watcher, self.reading, (frame,), True) or []


class PlainJudge:
    """Without a game: believes what it reads and reports boards that differ from the last one.

    Args:
        white_at: side of the picture where rank 1 lies; rows are told in picture order.
        names: file names of the frames, if they have some.
    """

    def __init__(self, white_at: str = "bottom", names: tuple[str, ...] = ()) -> None:
        self._white_at, self._names = white_at, names
        self._last: dict[int, Content] | None = None

    def judge(
        self, watcher: BoardWatcher, reading: BoardReading, frames: tuple[Frame, ...], last: bool
    ) -> list[WatchEvent]:
        """Report the board if it is not the one reported before."""
        content = reading.most_likely()
        changed = sorted(p for p in content if self._last is None or self._last[p] is not content[p])
        first = self._last is None
        self._last = content
        unlike = list(watcher.disagreement)
        watcher.believe(content, frames)
        if not changed and not first:
            return []
        grid = reading.grid
        more: dict[str, JsonValue] = {"rows": list[JsonValue](turned_rows(rows_of(grid, content), self._white_at))}
        if not first:
            more["squares"] = [square_name(grid, place) for place in changed]
        if unlike:
            more["reason"] = "look different although nothing changed there: " + ", ".join(
                square_name(grid, place) for place in unlike
            )
        if frames[-1].number < len(self._names):
            more["file"] = self._names[frames[-1].number]
        confidence = float(reading.probability()[list(grid.playable)].max(axis=1).min())
        return [WatchEvent("board", frames[-1].number, frames[-1].time_s, confidence, more)]


def rows_of(grid: Grid, content: dict[int, Content]) -> list[str]:
    """Return the board as rows, rank by rank from the last one down: picture order when White sits at the bottom."""
    return [
        "".join(
            LETTER_OF_CONTENT[content.get(rank * grid.columns + file, Content.EMPTY)] for file in range(grid.columns)
        )
        for rank in range(grid.rows - 1, -1, -1)
    ]


def turned_rows(rows: list[str], white_at: str) -> list[str]:
    """Turn rows written with White at the bottom into picture order for the side where White really sits."""
    turns = {"bottom": 0, "right": 1, "top": 2, "left": 3}[white_at]
    table = np.rot90(np.array([list(row) for row in rows]), turns)
    return ["".join(row) for row in table]


def square_name(grid: Grid, place: int) -> str:
    """Return the algebraic name of a place, like c3."""
    rank, file = divmod(place, grid.columns)
    return f"{chr(ord('a') + file)}{rank + 1}"
