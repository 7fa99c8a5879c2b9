"""The touch rules: which disc must move because it was touched.

They bind the player whose move it is, and only as far as the game (`Variant.touch_move`) or the players want them: whoever calls
decides that. Source: Vikipedio, article Damludo.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from damludo.rules.actions import Action
from damludo.rules.conduct import judge
from damludo.rules.moves import Move, legal_moves
from damludo.rules.position import Position
from damludo.rules.tables import tables_of
from damludo.rules.traits import Variant
from damludo.rules.verdicts import Illegal, Legal, Reason, Unfinished, Verdict

SURE = 0.95
"""A touch that is less certain binds nobody: in doubt the player is asked, never punished."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A disc that a hand seems to have touched.

    Attributes:
        square: where it stands.
        confidence: how certain that is, 0 to 1.
        announced: the player said beforehand that he only puts the disc straight.
    """

    square: int
    confidence: float = 1.0
    announced: bool = False


@dataclass(frozen=True, slots=True)
class Free:
    """No duty: no own disc was touched."""


@dataclass(frozen=True, slots=True)
class MustMove:
    """The disc on `square` must move, by one of `moves`."""

    square: int
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class OpponentChooses:
    """Several discs that can move were touched: the opponent says which one must."""

    squares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoneCanMove:
    """None of the touched discs has a legal move: no penalty, any move is free; a repetition is an offence to be recorded."""

    squares: tuple[int, ...]


Duty = Free | MustMove | OpponentChooses | NoneCanMove


def duty_of(variant: Variant, position: Position, touched: Iterable[int]) -> Duty:
    """Return the duty that touching discs has brought upon the side to move.

    Args:
        variant: the game.
        position: before the move.
        touched: squares whose discs the player to move has touched, in any order; empty squares and the opponent's discs do not
            count, and what a player touches while it is not his turn is never given here.
    """
    own = tables_of(variant).own[position.side]
    squares = tuple(square for square in dict.fromkeys(touched) if position.cells[square] in own)
    if not squares:
        return Free()
    movable = tuple(square for square in squares if _moves_of(variant, position, square))
    if not movable:
        return NoneCanMove(squares)
    return must_move(variant, position, movable[0]) if len(movable) == 1 else OpponentChooses(movable)


def sure_touches(touches: Iterable[Touch], limit: float = SURE) -> tuple[int, ...]:
    """Return the squares of the touches that count, in their order: certain ones that were not announced as an adjustment."""
    counting = (touch.square for touch in touches if touch.confidence >= limit and not touch.announced)
    return tuple(dict.fromkeys(counting))


def must_move(variant: Variant, position: Position, square: int) -> MustMove:
    """Return the duty to move the disc on `square`, also after the opponent has chosen it."""
    return MustMove(square, _moves_of(variant, position, square))


def judge_touched(
    variant: Variant, position: Position, action: Action, duty: Duty, visited: tuple[int, ...] = ()
) -> Verdict:
    """Return the verdict on an action of a player who has a duty; without one it is that of `judge`.

    A legal move of another disc is illegal under `MustMove`. Under `OpponentChooses` nothing is refused: the choice comes first.
    """
    verdict = judge(variant, position, action, visited)
    if not isinstance(duty, MustMove) or not isinstance(verdict, Legal | Unfinished):
        return verdict
    moves = (verdict.move,) if isinstance(verdict, Legal) else verdict.moves
    if any(move.origin == duty.square for move in moves):
        return verdict
    return Illegal(Reason.TOUCHED_OTHER, (duty.square, moves[0].origin), duty.moves, variant.board)


def _moves_of(variant: Variant, position: Position, square: int) -> tuple[Move, ...]:
    return tuple(move for move in legal_moves(variant, position) if move.origin == square)
