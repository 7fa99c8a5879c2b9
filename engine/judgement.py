"""What things are worth where nothing has been learnt: chosen by reason, read off a game's traits, never off its name.

A king that flies is worth more than one that steps, and where a piece has no moves but captures only freedom counts.
"""

from dataclasses import dataclass

from damludo.rules.position import Colour, Kind
from damludo.rules.traits import Variant

MAN = 100
"""The unit of all scores in this package: a hundredth of a man."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much things count, in hundredths of a man.

    Attributes:
        piece: worth of each kind.
        advance: what a man gains with each row towards its crowning square.
        guard: what a man on the row where the opponent is crowned is worth beside itself.
        centre: what a piece gains in the middle of the board over one at the rim.
        mobility: each legal move more than the opponent has.
        turn: having the move.
        ahead: how much exchanges favour who has more, in 64ths of the balance divided by the pieces on the board and 4.
    """

    piece: dict[Kind, int]
    advance: int = 3
    guard: int = 8
    centre: int = 4
    mobility: int = 0
    turn: int = 3
    ahead: int = 24


STEPPING_KING, FLYING_KING = 150, 280


def weights_of(variant: Variant) -> Weights:
    """Return the weights that fit a game's traits."""
    man = variant.movers[Kind.MAN]
    if not man.steps:
        return Weights(piece={Kind.MAN: 0}, advance=0, guard=0, centre=0, mobility=20, turn=0, ahead=0)
    king = variant.movers.get(Kind.KING)
    if king is None:
        # No crown to run for, and a man on the last row stands still: going forward is a cost, and freedom an asset.
        return Weights(piece={Kind.MAN: MAN}, advance=-1, guard=0, centre=2, mobility=2)
    crowned = FLYING_KING if king.far_steps else STEPPING_KING
    # A parachutist cannot be taken, but it moves only when there is something to fall upon.
    return Weights(piece={Kind.MAN: MAN, Kind.KING: crowned, Kind.PARACHUTIST: 90})


def standing_of_man(variant: Variant, weights: Weights, colour: Colour, square: int) -> int:
    """Return what a man of a colour gains by its square beside its centrality."""
    rows, columns = variant.board.rows, variant.board.columns
    rank = square // columns
    walked = rank if variant.forward[colour] > 0 else rows - 1 - rank
    crowning = variant.promotions.get(Kind.MAN)
    guards = crowning is not None and square in crowning.squares[colour.other]
    return weights.advance * walked + (weights.guard if guards else 0)


def centrality(variant: Variant, square: int) -> int:
    """Return 0 at the rim, 1 next to it, 2 in the middle."""
    rank, file = divmod(square, variant.board.columns)
    return min(rank, file, variant.board.rows - 1 - rank, variant.board.columns - 1 - file, 2)
