"""A game watched before a camera: what both players do, as events; doubts are asked, never guessed."""

import math
from collections.abc import Sequence
from dataclasses import replace

from damludo.play.content import board_content
from damludo.play.match.referee import Ruling, rule
from damludo.play.match.touching import SURE_TOUCH
from damludo.play.watching import (
    QUIET_FRAMES_TO_JUDGE,
    JsonValue,
    WatchEvent,
    rows_of,
    turned_rows,
)
from damludo.rules.explanation import explain
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.notation import move_json
from damludo.rules.position import Colour
from damludo.rules.verdicts import Legal, Nothing, Unfinished, Verdict
from damludo.vision.content import LETTER_OF_CONTENT, Content, Grid
from damludo.vision.frame import Frame
from damludo.vision.reading import BoardReading
from damludo.vision.recognise import FREE_GAP_LIMIT_NATS
from damludo.vision.touch import WORTH_TELLING, TouchEvidence, TouchKind
from damludo.vision.watcher import BoardWatcher

SLOW_ACT_S = 2.2
"""A hand that takes so long for each thing that it does is a slow one (at half a metre a second: at most 1.8 s)."""
LONGEST_WAIT_S = 8.0
"""No hand is waited for longer than this."""
CROWN_WAIT_S = 0.6
"""... and no longer than this if only a crown is not seen: most often it lies, and the move shall be told within 0.8 s."""


def half_taken(ruling: Ruling) -> bool:
    """Return whether a captured disc that still stands looks otherwise than it did.

    A king goes one disc after the other: the hand that took the first comes back for the second, and is not reminded of it.
    """
    verdict = ruling.verdict
    return isinstance(verdict, Unfinished) and not set(verdict.discs_to_remove).isdisjoint(ruling.doubtful)


def crown_to_come(ruling: Ruling, reading: BoardReading) -> Unfinished | None:
    """Return what is left of a legal move whose crown is less likely to lie than not; None if it is complete.

    The referee takes the move, since a second disc is hard to see; but the hand may only have gone to fetch it.
    """
    verdict = ruling.verdict
    if not isinstance(verdict, Legal) or verdict.move.becomes is None:
        return None
    move = verdict.move
    if crown_probability(ruling, reading, move) >= WORTH_TELLING:
        return None
    return Unfinished((move,), (), True, (), move.target, verdict.board)


def crown_probability(ruling: Ruling, reading: BoardReading, move: Move) -> float:
    """Return how likely the disc that moved carries a second one, if it shall; 1 if it shall not."""
    piece = ruling.content[move.target] if move.path else Content.EMPTY
    if piece.discs != 2:
        return 1.0
    row = reading.log_likelihood[move.target]
    man = Content.WHITE_MAN if piece.is_white else Content.BLACK_MAN
    return 1.0 / (1.0 + math.exp(-float(row[piece] - row[man])))


def breach_confidence(ruling: Ruling, reading: BoardReading) -> float:
    """Return how likely a breach was seen rightly; where only a crown is said to be missing, the discs alone are no proof."""
    verdict = ruling.verdict
    sure = _confidence(ruling)
    # A disc that a king left behind lies where all can see it.
    if not isinstance(verdict, Unfinished) or not verdict.crown_missing or verdict.disc_left is not None:
        return sure
    row, man = reading.log_likelihood[verdict.at], ruling.content[verdict.at]
    king = Content.WHITE_KING if man.is_white else Content.BLACK_KING
    return min(sure, 1.0 / (1.0 + math.exp(float(row[king] - row[man]))))


def rule_by_change(game: Game, reading: BoardReading, unlike: Sequence[int]) -> Ruling:
    """Rule; let no place that did not change stand in the way of a legal move because it looks like something else.

    What looks like a disc on a place that is as it was is a reflection. It may hide that no move was made, or another one, so
    nothing but a move that all other places show for sure, and that leaves these alone, is taken from them.

    Args:
        game: the position before.
        reading: of the board.
        unlike: the places that did not change but look like something else.
    """
    ruling = rule(game, reading)
    if ruling.sure or not unlike:
        return ruling
    told = reading.log_likelihood.copy()
    told[list(unlike)] = 0.0
    others = rule(game, replace(reading, log_likelihood=told))
    before = board_content(game.variant.board.playable, game.position)
    alone = all(others.content[place] is before[place] for place in unlike)
    return others if others.sure and alone and isinstance(others.verdict, Legal) else ruling


def returning_for_s(verdict: Unfinished, stay_s: float) -> float:
    """Return how long after it left the board a hand may yet come back to go on with what it began, in s.

    It carries a captured disc away, or fetches the one that crowns, at the pace it has shown: its next act takes it about as long
    as each of those it has done: to reach in and to move, or to move, to crown and to take discs off, one by one. Half of an act,
    the way to the other discs and back, is enough for a hand of the usual pace, so that a breach of the rules is told at once.

    Args:
        verdict: what is left to do.
        stay_s: from its first coming of this turn to its leaving.
    """
    move = verdict.moves[0]
    taken = len(move.captures) - len(verdict.discs_to_remove)
    crowned = move.becomes is not None and not verdict.crown_missing and not verdict.continue_to
    act_s = stay_s / max(2, 1 + taken + crowned)
    return min(act_s if act_s >= SLOW_ACT_S else act_s / 2, LONGEST_WAIT_S)


class GameJudge:
    """Follows a game: both sides play before the camera.

    A board counts as a move only when it was quiet and the referee is sure; what is doubtful is asked, never guessed.

    Args:
        game: the position that stands on the board.
        white_at, names: as for `PlainJudge`.

    Attributes:
        game: as far as it was followed.
        announced: the player said that he only puts discs straight; holds until the next move.
    """

    def __init__(self, game: Game, white_at: str = "bottom", names: tuple[str, ...] = ()) -> None:
        self.game = game
        self.announced = False
        self._white_at, self._names = white_at, names
        self._told: tuple[str, frozenset[tuple[int, Content]]] | None = None
        self._started = False
        self._crown_due: int | None = None

    def judge(
        self, watcher: BoardWatcher, reading: BoardReading, frames: tuple[Frame, ...], last: bool
    ) -> list[WatchEvent] | None:
        """Rule on the board; see `Judge`."""
        if not self._started:
            return self._start(watcher, reading, frames)
        ruling = rule_by_change(self.game, reading, watcher.disagreement)
        quiet = len(frames) >= QUIET_FRAMES_TO_JUDGE
        crown = crown_to_come(ruling, reading)
        # Whose hand comes next is not known: a move that lacks nothing but a crown is taken before another one is made.
        if crown is not None and not last and _may_return(crown, watcher, frames[-1], CROWN_WAIT_S):
            return None
        if _may_return(ruling.verdict, watcher, frames[-1]):
            return None
        if not ruling.sure or half_taken(ruling):
            if not last:
                return None
            # A glimpse between two hands is no reason to bother anybody.
            return self._unsure(ruling, frames[-1]) if quiet else []
        if isinstance(ruling.verdict, Legal):
            return self._move(ruling.verdict.move, ruling, watcher, reading, frames)
        if not quiet:
            return []
        return self._other(ruling, watcher, reading, frames)

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
        self,
        move: Move,
        ruling: Ruling,
        watcher: BoardWatcher,
        reading: BoardReading,
        frames: tuple[Frame, ...],
    ) -> list[WatchEvent]:
        proof: list[JsonValue] = [watcher.baseline_frame, frames[-1].number]
        told = [*self._touched(ruling, watcher, frames[-1]), *self._steps(move, ruling, watcher, reading, frames[-1])]
        # The hand that crowns later touches that king by right.
        self._crown_due = None if crown_to_come(ruling, reading) is None else move.target
        plain = move_json(self.game.variant, self.game.position, move)
        self.game = self.game.make(move)
        watcher.believe(ruling.content, frames)
        self._told, self.announced = None, False
        more: dict[str, JsonValue] = {"move": _plain(plain), "frames": proof}
        more |= self._rows(watcher.view.grid, dict(ruling.content))
        return [*told, self._event("move", frames[-1], _confidence(ruling), more)]

    def _steps(
        self, move: Move, ruling: Ruling, watcher: BoardWatcher, reading: BoardReading, frame: Frame
    ) -> list[WatchEvent]:
        """What the hand did, step by step; each is dated by the first picture that shows it beside the hand, if one does."""
        sure, before = _confidence(ruling), watcher.baseline_frame
        emptied, filled = watcher.glimpses.emptied, watcher.glimpses.filled

        def step(event: str, squares: list[int], seen: int | None, confidence: float = sure) -> WatchEvent:
            after = frame.number if seen is None else seen
            more: dict[str, JsonValue] = {"squares": self._names_of(squares), "frames": [before, after]}
            return self._event(event, frame, confidence, more, after)

        steps = []
        if move.path and move.target != move.origin:
            steps.append(step("lifted", [move.origin], emptied[move.origin].first if move.origin in emptied else None))
            steps.append(step("placed", [move.target], filled[move.target].first if move.target in filled else None))
        if move.captures:
            firsts = [emptied[square].first for square in move.captures if square in emptied]
            whole = len(firsts) == len(move.captures)
            steps.append(step("captured_removed", sorted(move.captures), max(firsts) if whole else None))
        crown = min(sure, crown_probability(ruling, reading, move))
        crowns = move.becomes is not None and bool(move.path) and ruling.content[move.target].discs == 2
        if crowns and crown >= WORTH_TELLING:
            steps.append(step("crowned", [move.target], None, crown))
        return steps

    def _touched(self, ruling: Ruling, watcher: BoardWatcher, frame: Frame) -> list[WatchEvent]:
        """Discs that were touched and stand where they stood, as far as pictures prove it."""
        touches = [touch for touch in watcher.touches(ruling.content) if touch.place != self._crown_due]
        return [event for touch in touches for event in self._told_of_touch(touch, watcher, frame)]

    def _told_of_touch(self, touch: TouchEvidence, watcher: BoardWatcher, frame: Frame) -> list[WatchEvent]:
        lifted, contact = touch.kind is TouchKind.LIFTED, touch.kind is TouchKind.CONTACT
        believed = watcher.believed or {}
        own = believed[touch.place].is_white is (self.game.position.side is Colour.WHITE)
        more: dict[str, JsonValue] = {
            "squares": self._names_of([touch.place]),
            "frames": [touch.before, touch.after],
            "shift_squares": round(touch.shift_squares, 3),
            "announced": self.announced,
            # A sleeve shifts discs, too: only what was lifted and put back may be held against anybody.
            "binds": lifted and own and not self.announced and touch.confidence >= SURE_TOUCH,
        }
        if not lifted:
            return [self._event("contact" if contact else "touched", frame, touch.confidence, more)]
        return [
            self._event("lifted", frame, touch.confidence, more, touch.before),
            self._event("put_back", frame, touch.confidence, more),
        ]

    def _other(
        self, ruling: Ruling, watcher: BoardWatcher, reading: BoardReading, frames: tuple[Frame, ...]
    ) -> list[WatchEvent]:
        verdict = ruling.verdict
        if isinstance(verdict, Nothing):
            told = self._touched(ruling, watcher, frames[-1])
            watcher.believe(ruling.content, frames)
            self._told = None
            return told
        if isinstance(verdict, Legal) or not self._is_news(type(verdict).__name__, ruling):
            return []
        if isinstance(verdict, Unfinished):
            left = [*verdict.to_clear, *verdict.continue_to] or [verdict.at]
            event = "incomplete"
        else:
            left = list(verdict.squares)
            event = "missed_capture" if verdict.played is not None else "illegal"
        proof: list[JsonValue] = [watcher.baseline_frame, frames[-1].number]
        more: dict[str, JsonValue] = {
            "squares": self._names_of(left),
            "reason": explain(verdict),
            "frames": proof,
        }
        return [self._event(event, frames[-1], breach_confidence(ruling, reading), more)]

    def _unsure(self, ruling: Ruling, frame: Frame) -> list[WatchEvent]:
        if not self._is_news("unsure", ruling):
            return []
        reason = "the squares named are hard to see; please straighten the discs on them"
        if ruling.gap_nats > FREE_GAP_LIMIT_NATS:
            reason = "no single move explains the board; please check it"
        elif not ruling.doubtful:
            reason = "it is hard to see what was moved; please say the move, or show it again"
        return [self._event("unsure", frame, 1.0, {"squares": self._names_of(list(ruling.doubtful)), "reason": reason})]

    def _is_news(self, kind: str, ruling: Ruling) -> bool:
        told = (kind, frozenset(ruling.content.items()))
        news, self._told = told != self._told, told
        return news

    def _rows(self, grid: Grid, content: dict[int, Content]) -> dict[str, JsonValue]:
        return {"rows": list[JsonValue](turned_rows(rows_of(grid, content), self._white_at))}

    def _names_of(self, places: list[int]) -> list[JsonValue]:
        return [self.game.variant.board.name(place) for place in places]

    def _event(
        self, event: str, frame: Frame, confidence: float, more: dict[str, JsonValue], number: int | None = None
    ) -> WatchEvent:
        number = frame.number if number is None else number
        if number < len(self._names):
            more["file"] = self._names[number]
        return WatchEvent(event, number, frame.time_s, confidence, more)


def _may_return(verdict: Verdict, watcher: BoardWatcher, frame: Frame, longest_s: float = LONGEST_WAIT_S) -> bool:
    """Return whether a move is half done and the hand may be on its way back to finish it."""
    if not isinstance(verdict, Unfinished) or watcher.glimpses.hand_s is None:
        return False
    came_s, left_s = watcher.glimpses.hand_s
    return frame.time_s - left_s < min(returning_for_s(verdict, left_s - came_s), longest_s)


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
