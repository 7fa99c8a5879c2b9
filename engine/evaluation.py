"""What a quiet position is worth: weights as data, one table for each game.

Which weights a game gets is read off its traits, never off its name: a king that flies is worth more than one that steps, and
where a piece has no moves but captures only freedom counts.
"""

from dataclasses import dataclass
from functools import lru_cache

from damludo.rules.moves import legal_moves
from damludo.rules.position import Colour, Kind, Piece, Position
from damludo.rules.traits import Variant

MAN = 100
"""The unit of all scores in this package: a hundredth of a man."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much things count, in hundredths of a man. Chosen by reason, not fitted.

    Attributes:
        piece: worth of each kind.
        advance: what a man gains with each row towards its crowning square.
        guard: what a man on the row where the opponent is crowned is worth beside itself.
        centre: what a piece gains in the middle of the board over one at the rim.
        mobility: each legal move more than the opponent has.
        turn: having the move.
    """

    piece: dict[Kind, int]
    advance: int = 3
    guard: int = 8
    centre: int = 4
    mobility: int = 0
    turn: int = 3


STEPPING_KING, FLYING_KING = 150, 280


def weights_of(variant: Variant) -> Weights:
    """Return the weights that fit a game's traits."""
    man = variant.movers[Kind.MAN]
    if not man.steps:
        return Weights(piece={Kind.MAN: 0}, advance=0, guard=0, centre=0, mobility=20, turn=0)
    king = variant.movers.get(Kind.KING)
    if king is None:
        # No crown to run for, and a man on the last row stands still: going forward is a cost, and freedom an asset.
        return Weights(piece={Kind.MAN: MAN}, advance=-1, guard=0, centre=2, mobility=2)
    crowned = FLYING_KING if king.far_steps else STEPPING_KING
    # A parachutist cannot be taken, but it moves only when there is something to fall upon.
    return Weights(piece={Kind.MAN: MAN, Kind.KING: crowned, Kind.PARACHUTIST: 90})


class Evaluation:
    """The worth of positions of one game."""

    def __init__(self, variant: Variant) -> None:
        weights = weights_of(variant)
        self._variant = variant
        self._sign = -1 if variant.stuck_player_wins else 1
        self._mobility, self._turn = weights.mobility, weights.turn
        self._worths = [_square_worths(variant, weights, square) for square in range(len(variant.start.cells))]

    def __call__(self, position: Position) -> int:
        """Return the worth for the side to move, in hundredths of a man."""
        cells = position.cells
        score = sum([worths[piece] for worths, piece in zip(self._worths, cells, strict=True)])
        if position.side is Colour.BLACK:
            score = -score
        if self._mobility:
            theirs = Position(cells, position.side.other)
            score += self._mobility * (
                len(legal_moves(self._variant, position)) - len(legal_moves(self._variant, theirs))
            )
        return self._sign * (score + self._turn)


@lru_cache(maxsize=32)
def evaluation_of(variant: Variant) -> Evaluation:
    """Return the evaluation of a game; made once."""
    return Evaluation(variant)


def _square_worths(variant: Variant, weights: Weights, square: int) -> list[int]:
    """The worth of each `Piece` on a square, seen by White."""
    worths = [0] * len(Piece)
    for piece in Piece:
        if piece.kind is None or piece.colour is None or piece.kind not in weights.piece:
            continue
        worth = weights.piece[piece.kind] + weights.centre * _centrality(variant, square)
        if piece.kind is Kind.MAN:
            worth += _standing_of_man(variant, weights, piece.colour, square)
        worths[piece] = worth if piece.colour is Colour.WHITE else -worth
    return worths


def _standing_of_man(variant: Variant, weights: Weights, colour: Colour, square: int) -> int:
    rows, columns = variant.board.rows, variant.board.columns
    rank = square // columns
    walked = rank if variant.forward[colour] > 0 else rows - 1 - rank
    crowning = variant.promotions.get(Kind.MAN)
    guards = crowning is not None and square in crowning.squares[colour.other]
    return weights.advance * walked + (weights.guard if guards else 0)


def _centrality(variant: Variant, square: int) -> int:
    """0 at the rim, 1 next to it, 2 in the middle."""
    rank, file = divmod(square, variant.board.columns)
    return min(rank, file, variant.board.rows - 1 - rank, variant.board.columns - 1 - file, 2)
