"""A game: the position with all that led to it. Immutable, so nothing that happens later can change it."""

from __future__ import annotations

from dataclasses import dataclass

from damludo.rules import ending
from damludo.rules.ending import Result
from damludo.rules.errors import IllegalMove
from damludo.rules.history import legal_in_game
from damludo.rules.moves import Move, every_capture, play, quiet_moves
from damludo.rules.notation import move_text
from damludo.rules.position import Position
from damludo.rules.traits import Variant


@dataclass(frozen=True, slots=True)
class Game:
    """A game of one variant.

    Attributes:
        variant: the game's rules.
        positions: all positions, the first one first; one more than moves.
        moves: all moves.
    """

    variant: Variant
    positions: tuple[Position, ...]
    moves: tuple[Move, ...] = ()

    @classmethod
    def new(cls, variant: Variant, start: Position | None = None) -> Game:
        """Return a game without moves, from the variant's start position or another."""
        return cls(variant, (start or variant.start,))

    @property
    def start(self) -> Position:
        """The first position."""
        return self.positions[0]

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves now."""
        return legal_in_game(self.variant, self.positions, self.moves)

    def make(self, move: Move) -> Game:
        """Return the game after a move; any route of a legal move will do.

        Raises:
            IllegalMove: the move is not legal here.
        """
        if all(move.identity != legal.identity for legal in self.legal_moves()):
            text = move_text(self.variant, move)
            raise IllegalMove(f"{text} is not legal in {self.variant.key} here; see 'damludo explain' for the reason")
        return self._after(move)

    def let_stand(self, move: Move) -> Game:
        """Return the game after a missed or too small capture that the opponent lets stand.

        Raises:
            IllegalMove: the game gives the opponent no such right, or more is wrong with the move than that.
        """
        text = move_text(self.variant, move)
        if not self.variant.missed_capture_may_stand:
            raise IllegalMove(f"{text} cannot stand: in {self.variant.key} a missed capture is always put right")
        movable = (*quiet_moves(self.variant, self.position), *every_capture(self.variant, self.position))
        if all(move.identity != other.identity for other in movable):
            raise IllegalMove(f"{text} cannot stand: no piece moves like that here")
        return self._after(move)

    def _after(self, move: Move) -> Game:
        after = play(self.variant, self.position, move)
        return Game(self.variant, (*self.positions, after), (*self.moves, move))

    def undo(self) -> Game:
        """Return the game before the last move; the same game if there is none."""
        return Game(self.variant, self.positions[:-1], self.moves[:-1]) if self.moves else self

    def result(self) -> Result | None:
        """Return the result, draws that need no claim included; None while the game goes on."""
        return ending.result_of(self.variant, self.positions, self.moves)

    def draw_claims(self) -> tuple[str, ...]:
        """Return the articles of the draws that the side to move may claim now."""
        return ending.draw_claims(self.variant, self.positions, self.moves)
