"""How a game went: its moves, in chapters; a position that a person set begins a new one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.position import Colour, Position


@dataclass(frozen=True, slots=True)
class Course:
    """A game over the board, with what was played before a position was set.

    The rules know the newest chapter only: what was counted for draws before, perhaps from a wrong reading, counts no more.

    Attributes:
        game: the newest chapter.
        earlier: the ones before, each with a move at least.
    """

    game: Game
    earlier: tuple[Game, ...] = ()

    @property
    def chapters(self) -> tuple[Game, ...]:
        """All of them, the first one first."""
        return (*self.earlier, self.game)

    @property
    def plies(self) -> int:
        """The number of all moves."""
        return sum(len(chapter.moves) for chapter in self.chapters)

    def numbered(self) -> Iterator[tuple[int, Game]]:
        """Yield each chapter with the number of plies before it."""
        plies = 0
        for chapter in self.chapters:
            yield plies, chapter
            plies += len(chapter.moves)

    def make(self, move: Move) -> Course:
        """Return the course after a legal move."""
        return replace(self, game=self.game.make(move))

    def set_to(self, position: Position) -> Course:
        """Return the course that goes on from a position that a person set."""
        earlier = self.chapters if self.game.moves else self.earlier
        return Course(Game.new(self.game.variant, position), earlier)

    def undo(self) -> Course:
        """Return the course before its last move, and before a position that was set after it; the same if there is none."""
        if self.game.moves:
            return replace(self, game=self.game.undo())
        return Course(self.earlier[-1].undo(), self.earlier[:-1]) if self.earlier else self

    def back_to(self, ply: int) -> Course:
        """Return the course as it was after so many plies."""
        course = self
        while course.plies > ply:
            course = course.undo()
        return course

    def since(self, earlier: Course) -> tuple[Move, ...]:
        """Return the moves that were made since an earlier moment of this course."""
        return tuple(move for chapter in self.chapters for move in chapter.moves)[earlier.plies :]

    def before_last_move_of(self, side: Colour) -> Course | None:
        """Return the course as it was when a side was to make its last move; None if it has made none."""
        course = self
        while course.plies:
            course = course.undo()
            if course.game.position.side is side:
                return course
        return None
