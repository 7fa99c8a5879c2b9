"""What happens on a board in front of a camera, as events; without a game, or as a referee of one.

Frames go in one by one, events come out; nothing here reads a file or prints.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from damludo.play.content import board_content
from damludo.play.referee import Ruling, rule
from damludo.rules.conduct import Legal, Nothing, Unfinished, explain
from damludo.rules.game import Game
from damludo.rules.notation import move_json
from damludo.vision.content import LETTER_OF_CONTENT, Content, Grid
from damludo.vision.frame import Frame
from damludo.vision.motion import Scene
from damludo.vision.reading import BoardReading
from damludo.vision.recognise import FREE_GAP_LIMIT_NATS
from damludo.vision.watcher import BoardWatcher

JsonValue = str | int | float | bool | None | list["JsonValue"] | dict[str, "JsonValue"]

QUIET_FRAMES_TO_JUDGE = 3
"""So many quiet frames are averaged before a board is judged."""
BEFORE_HAND_S = 0.15
"""A hand is in the margin of the picture so long before it is seen: those frames are read last of all."""
PUT_BACK_NATS = 6.0
"""A disc that the hand covered and that lies differently by this much evidence was lifted or pushed."""
LIKE_THE_CALMEST_SQUARES = 0.3
"""Frames whose moving area is within this of the calmest one are as good as it."""


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One thing that happened.

    Attributes:
        event: "hand_in", "hand_out", "board", "move", "illegal", "incomplete", "unsure", "put_back", "light_changed", ...
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

    def calmest(self, hand_at_s: float) -> tuple[Frame, Scene]:
        """Return the latest frame among those in which least moved, away from the coming hand if possible."""
        away = [pair for pair in self.scenes if pair[0].time_s <= hand_at_s - BEFORE_HAND_S] or self.scenes
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
    """

    def __init__(self, watcher: BoardWatcher, judge: Judge) -> None:
        self._watcher, self._judge = watcher, judge
        self._hand = False
        self._light = False
        self._stretch = Stretch()
        self._quiet: list[Frame] = []
        self._quiet_since_s = 0.0

    def update(self, frame: Frame) -> Iterator[WatchEvent]:
        """Take in a frame and give the events it brings."""
        scene = self._watcher.update(frame)
        if scene.hand != self._hand:
            yield from self._hand_changed(frame, scene)
        if scene.light_changed != self._light:
            self._light = scene.light_changed
            if self._light and not scene.hand:
                yield WatchEvent("light_changed", frame.number, frame.time_s, 0.9)
        if scene.hand:
            return
        if not self._stretch.judged:
            self._stretch.add(frame, scene)
        yield from self._quiet_frame(frame, scene)

    def finish(self) -> Iterator[WatchEvent]:
        """Give the events that only the end of the pictures decides."""
        if not self._hand and self._stretch.scenes and not self._stretch.judged:
            yield from self._judge_stretch(self._stretch.scenes[-1][0].time_s + 1.0)

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
        if self._stretch.judged or len(self._quiet) < QUIET_FRAMES_TO_JUDGE:
            return
        frames = tuple(self._quiet)
        patience_over = frame.time_s - self._quiet_since_s >= 1.0
        events = self._judge.judge(self._watcher, self._watcher.read(frames), frames, patience_over)
        if events is not None:
            self._stretch.judged = True
            yield from events

    def _judge_stretch(self, hand_at_s: float) -> Iterator[WatchEvent]:
        """A board that was never still for long: a fast player, or few pictures a second."""
        frame, _ = self._stretch.calmest(hand_at_s)
        self._stretch.judged = True
        yield from self._judge.judge(self._watcher, self._watcher.read((frame,)), (frame,), True) or []


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


class GameJudge:
    """Follows a game: both sides play before the camera.

    A board counts as a move only when it was quiet and the referee is sure; what is doubtful is asked, never guessed.

    Args:
        game: the position that stands on the board.
        white_at, names: as for `PlainJudge`.
    """

    def __init__(self, game: Game, white_at: str = "bottom", names: tuple[str, ...] = ()) -> None:
        self.game = game
        self._white_at, self._names = white_at, names
        self._told: tuple[str, frozenset[tuple[int, Content]]] | None = None
        self._started = False

    def judge(
        self, watcher: BoardWatcher, reading: BoardReading, frames: tuple[Frame, ...], last: bool
    ) -> list[WatchEvent] | None:
        """Rule on the board; see `Judge`."""
        if not self._started:
            return self._start(watcher, reading, frames)
        ruling = rule(self.game, reading)
        quiet = len(frames) >= QUIET_FRAMES_TO_JUDGE
        if not ruling.sure:
            if not last:
                return None
            # A glimpse between two hands is no reason to bother anybody.
            return self._unsure(ruling, frames[-1]) if quiet else []
        if isinstance(ruling.verdict, Legal):
            return self._move(ruling.verdict, ruling, watcher, frames)
        if not quiet:
            return []
        return self._other(ruling, watcher, frames)

    def _start(self, watcher: BoardWatcher, reading: BoardReading, frames: tuple[Frame, ...]) -> list[WatchEvent]:
        """The watch begins with the position that the caller gave; what looks different is told."""
        expected = board_content(self.game.variant.board.playable, self.game.position)
        self._started = True
        watcher.believe(expected, frames)
        seen = reading.most_likely()
        # A single picture is a poor judge of crowns, and the caller knows them.
        unlike = [place for place in expected if _side(seen[place]) != _side(expected[place])]
        more = self._rows(reading.grid, expected)
        if unlike:
            more["squares"] = self._names_of(unlike)
            more["reason"] = "these squares do not look like the position; check them"
        return [self._event("board", frames[-1], 0.5 if unlike else 1.0, more)]

    def _move(
        self, verdict: Legal, ruling: Ruling, watcher: BoardWatcher, frames: tuple[Frame, ...]
    ) -> list[WatchEvent]:
        move = move_json(self.game.variant, self.game.position, verdict.move)
        self.game = self.game.make(verdict.move)
        watcher.believe(ruling.content, frames)
        self._told = None
        more: dict[str, JsonValue] = {"move": _plain(move)} | self._rows(watcher.view.grid, dict(ruling.content))
        return [self._event("move", frames[-1], _confidence(ruling), more)]

    def _other(self, ruling: Ruling, watcher: BoardWatcher, frames: tuple[Frame, ...]) -> list[WatchEvent]:
        verdict = ruling.verdict
        if isinstance(verdict, Nothing):
            back = self._put_back(watcher)
            watcher.believe(ruling.content, frames)
            self._told = None
            return [self._event("put_back", frames[-1], 0.9, {"squares": self._names_of(back)})] if back else []
        if isinstance(verdict, Legal) or not self._is_news(type(verdict).__name__, ruling):
            return []
        if isinstance(verdict, Unfinished):
            left = [*verdict.discs_to_remove, *verdict.continue_to] or [verdict.at]
            event = "incomplete"
        else:
            left = list(verdict.squares)
            event = "missed_capture" if verdict.played is not None else "illegal"
        more: dict[str, JsonValue] = {"squares": self._names_of(left), "reason": explain(verdict)}
        return [self._event(event, frames[-1], _confidence(ruling), more)]

    def _put_back(self, watcher: BoardWatcher) -> list[int]:
        """Places whose disc was disturbed under the hand and is there again."""
        change, believed = watcher.change, watcher.believed
        if change is None or believed is None:
            return []
        covered = watcher.covered
        return [
            place
            for place, content in sorted(believed.items())
            if content is not Content.EMPTY and covered[place] and change.log_likelihood_ratio[place] > PUT_BACK_NATS
        ]

    def _unsure(self, ruling: Ruling, frame: Frame) -> list[WatchEvent]:
        if not self._is_news("unsure", ruling):
            return []
        reason = "the squares named are hard to see; please straighten the discs on them"
        if ruling.gap_nats > FREE_GAP_LIMIT_NATS:
            reason = "no single move explains the board; please check it"
        return [self._event("unsure", frame, 1.0, {"squares": self._names_of(list(ruling.doubtful)), "reason": reason})]

    def _is_news(self, kind: str, ruling: Ruling) -> bool:
        told = (kind, frozenset(ruling.content.items()))
        news, self._told = told != self._told, told
        return news

    def _rows(self, grid: Grid, content: dict[int, Content]) -> dict[str, JsonValue]:
        return {"rows": list[JsonValue](turned_rows(rows_of(grid, content), self._white_at))}

    def _names_of(self, places: list[int]) -> list[JsonValue]:
        return [self.game.variant.board.name(place) for place in places]

    def _event(self, event: str, frame: Frame, confidence: float, more: dict[str, JsonValue]) -> WatchEvent:
        if frame.number < len(self._names):
            more["file"] = self._names[frame.number]
        return WatchEvent(event, frame.number, frame.time_s, confidence, more)


def _side(content: Content) -> str:
    return LETTER_OF_CONTENT[content].lower()


def _confidence(ruling: Ruling) -> float:
    """Probability of the best outcome against the second."""
    return 1.0 / (1.0 + math.exp(-min(ruling.margin_nats, 50.0)))


def _plain(value: object) -> JsonValue:
    """Narrow what `move_json` gives to JSON's types."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


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
