"""The port of a player: what the match asks, and how the answer looks."""

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from damludo.rules.game import Game
from damludo.rules.moves import Move


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a search may go on; it ends at the first limit it meets.

    Attributes:
        nodes: positions it may visit. The limit that keeps a search repeatable on every machine.
        depth: plies it may look ahead, captures at the end not counted.
        seconds: time it may take; the one limit that makes two runs differ.
        enough_s: time it need not exceed where nothing is doubtful; None for all of `seconds`.
    """

    NO_END: ClassVar[int] = 1 << 62
    DEEPEST: ClassVar[int] = 64

    nodes: int = NO_END
    depth: int = DEEPEST
    seconds: float | None = None
    enough_s: float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A player's answer.

    Attributes:
        move: the move; always a legal one.
        score: how good it is, in men for the side to move; positive is good. 0 where a player does not judge.
        depth: plies looked ahead.
        nodes: positions visited.
        pv: the expected line; it begins with `move`.
        mate: plies to a proved win, negative to a proved loss; None where nothing is proved.
    """

    move: Move
    score: float = 0.0
    depth: int = 0
    nodes: int = 0
    pv: tuple[Move, ...] = ()
    mate: int | None = None


class Player(Protocol):
    """Chooses moves: an engine, a program behind a protocol, or chance."""

    def choose(self, game: Game) -> Choice:
        """Return a legal move for the side to move.

        Raises:
            GameOver: there is no legal move.
        """


@runtime_checkable
class Ponderer(Protocol):
    """A player that can think while the other side does."""

    def ponder(self, game: Game) -> None:
        """Begin to think about a game in which the other side is to move, and return at once."""

    def rest(self) -> None:
        """Return when no thinking goes on any more; `choose` does so by itself."""
