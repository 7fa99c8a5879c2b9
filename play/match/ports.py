"""The ports of the match: eyes, arm, commands. Real, simulated and modelled parts look alike through them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from damludo.robot.places import Transfer
from damludo.rules.position import Colour, Position
from damludo.vision.content import Content
from damludo.vision.motion import Scene
from damludo.vision.reading import BoardReading


class Eyes(Protocol):
    """What the match sees of the board."""

    def look(self, frame_rate_hz: float) -> Scene:
        """Wait for the next picture at a frame rate and say what happens in it.

        Raises:
            VisionError: no picture can be had.
        """

    def read(self) -> BoardReading:
        """Return the reading of the newest quiet pictures."""

    def believe(self, content: Mapping[int, Content]) -> None:
        """Be told what stands on the playable squares of the newest quiet pictures; changes count from there."""


class Arm(Protocol):
    """What carries the discs."""

    def carry(self, transfers: Sequence[Transfer]) -> None:
        """Carry discs one after the other, then park clear of the board; wait while a hand is over the board.

        Raises:
            OutOfReach: before anything moved.
            Stopped: STOP was pressed; what the magnet holds, it still holds.
            RobotError: the controller failed.
        """

    def stop(self) -> None:
        """Stand still at once; from any thread. A `carry` that goes on raises `Stopped`."""

    def go_on(self) -> None:
        """Finish the `carry` that was stopped, if one was; waits for hands and raises as it does."""


class Command(Enum):
    """What the people at the board may tell a match at any time."""

    RESIGN = "resign"
    DRAW = "draw"
    QUIT = "quit"
    GO = "go"
    STOP = "stop"
    TAKE_BACK = "back"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class NewGame:
    """Leave this game and begin another one; `clock` as in the settings."""

    game: str
    level: int
    machine: Colour
    clock: str = "off"


@dataclass(frozen=True, slots=True)
class Resume:
    """Leave this game and go on with the one that was cut off."""


@dataclass(frozen=True, slots=True)
class SetLevel:
    """The machine plays at another level from its next move on."""

    level: int


@dataclass(frozen=True, slots=True)
class SetPosition:
    """This stands on the board, whatever the machine believes: the game goes on from there."""

    position: Position


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the choices that the match offered with a question."""

    choice: str


Order = Command | NewGame | Resume | SetLevel | SetPosition | Answer
"""Everything that a person may tell a match."""


class Commands(Protocol):
    """Where commands come from."""

    def poll(self) -> Order | None:
        """Return the next command, None when there is none. Never waits."""


class Clock(Protocol):
    """Monotonic seconds."""

    def now_s(self) -> float:
        """Return the time in s; it never goes back."""

    def sleep(self, seconds: float) -> None:
        """Wait; 0 or less returns at once."""
