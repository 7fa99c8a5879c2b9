"""What the moves before say about the moves now. No game that is shipped needs it; Frisian draughts does."""

from collections.abc import Sequence

from damludo.rules.moves import Move, legal_moves
from damludo.rules.position import PIECES, Kind, Position, piece_of
from damludo.rules.traits import Variant


def legal_in_game(variant: Variant, positions: Sequence[Position], moves: Sequence[Move]) -> tuple[Move, ...]:
    """Return the legal moves of the side to move, what the game's history forbids left out.

    Args:
        variant: the game.
        positions: all positions, the start first; one more than moves.
        moves: all moves.
    """
    legal = legal_moves(variant, positions[-1])
    spent = None if variant.king_run is None else _spent_king(variant.king_run, positions[-1], moves)
    return legal if spent is None else tuple(move for move in legal if move.captures or move.origin != spent)


def _spent_king(run: int, position: Position, moves: Sequence[Move]) -> int | None:
    """Return where a king stands that its side, which has men too, has moved without capture `run` times in a row."""
    own = moves[-2::-2][:run]  # the latest first
    if len(own) < run or piece_of(position.side, Kind.MAN) not in position.cells:
        return None
    square = own[0].target
    if PIECES[position.cells[square]] is not piece_of(position.side, Kind.KING):
        return None  # it was captured
    at = square
    for move in own:
        if move.captures or move.target != at or move.piece.kind is not Kind.KING:
            return None
        at = move.origin
    return square
