"""The players' clocks: base time and increment, by the match's clock; the machine's mechanical time is nobody's."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from damludo.play.console import CommandError, ExitCode
from damludo.play.match.events import JsonValue
from damludo.rules.position import Colour

OFF = "off"
LONGEST_MIN = 600
LONGEST_INCREMENT_S = 600

Times = tuple[float, float]
"""What White and Black have left, s."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time each side has, s, and how much each move adds."""

    base_s: float
    increment_s: float = 0.0

    @property
    def text(self) -> str:
        """The control as the settings write it."""
        return f"{self.base_s / 60:.0f}+{self.increment_s:.0f}"


def parse_time_control(text: str) -> TimeControl | None:
    """Return what "5+3" (minutes, seconds a move) or "10" means; None for "off".

    Raises:
        CommandError: it means nothing, or is out of bounds.
    """
    if text == OFF:
        return None
    match = re.fullmatch(r"(\d{1,3})(?:\+(\d{1,3}))?", text, re.ASCII)
    minutes, seconds = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
    if not (1 <= minutes <= LONGEST_MIN and seconds <= LONGEST_INCREMENT_S):
        raise CommandError(
            f"the clock '{text[:20]}' is not understood: write minutes and seconds for each move, like 10+5 "
            f"(at most {LONGEST_MIN}+{LONGEST_INCREMENT_S}), or {OFF}",
            ExitCode.USAGE,
        )
    return TimeControl(60.0 * minutes, float(seconds))


class GameClock:
    """Two clocks of which at most one runs. A clock at zero stops nothing: the match asks what is to be done.

    Args:
        control: None: the players play without a clock.
        after_ply: of a game that goes on: the time that White and Black had left after each of its moves, s.
        left_s: the same, now.

    Attributes:
        running: the side whose time runs, None while nobody's does.
    """

    def __init__(
        self, control: TimeControl | None, after_ply: Sequence[Times] = (), left_s: Times | None = None
    ) -> None:
        self._control = control
        first = (control.base_s, control.base_s) if control else (0.0, 0.0)
        self._after_ply: list[Times] = [first, *after_ply]
        self._left_s = list(left_s or self._after_ply[-1])
        self._since_s = 0.0
        self.running: Colour | None = None

    @property
    def shown(self) -> bool:
        """False where the players play without a clock."""
        return self._control is not None

    def left_s(self, side: Colour, now_s: float) -> float:
        """Return the time a side has left; negative when it is over."""
        spent = now_s - self._since_s if self.running is side else 0.0
        return self._left_s[side] - spent

    def start(self, side: Colour, now_s: float) -> None:
        """Let a side's time run; the other's stands."""
        self.pause(now_s)
        if self.shown:
            self.running, self._since_s = side, now_s

    def pause(self, now_s: float) -> None:
        """Let nobody's time run."""
        if self.running is not None:
            self._left_s[self.running] = self.left_s(self.running, now_s)
        self.running = None

    def moved(self, side: Colour, now_s: float) -> None:
        """Note a move: nobody's time runs, and the side that moved gets its increment."""
        self.pause(now_s)
        if self._control is not None:
            self._left_s[side] += self._control.increment_s
        self._after_ply.append((self._left_s[0], self._left_s[1]))

    def take_back(self, plies: int) -> None:
        """Give both sides the time they had so many plies ago."""
        self.running = None
        del self._after_ply[max(1, len(self._after_ply) - plies) :]
        self._left_s = list(self._after_ply[-1])

    def put_away(self) -> None:
        """Play on without a clock."""
        self._control, self.running = None, None

    def as_json(self, now_s: float) -> JsonValue:
        """Return what stands in the events, None without a clock."""
        if not self.shown:
            return None
        white, black = (round(self.left_s(side, now_s), 1) for side in Colour)
        return {"white_s": white, "black_s": black, "running": None if self.running is None else self.running.word}
