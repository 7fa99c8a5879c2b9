"""The shape of a game's endgame tables as constants: see `kernels/tables.py`."""

from math import comb

from damludo.engine.layout import NOWHERE, Constants, Table, layout_of
from damludo.rules.position import Colour
from damludo.rules.traits import Variant

MOST_PIECES = 4


def table_shape(variant: Variant) -> Constants:
    """Return the constants of the tables."""
    layout = layout_of(variant.board)
    bits = [bit for bit, square in enumerate(layout.square_of) if square != NOWHERE]
    squares = len(bits)
    dense = [bits.index(bit) if bit in bits else 0 for bit in range(layout.width)]
    casts, counts = [-1] * 256 * (MOST_PIECES + 1), [0] * 8
    for size in range(2, MOST_PIECES + 1):
        for digits in range(4**size):
            owners = {digits >> 2 * place & 2 for place in range(size)}
            if len(owners) == 2:
                casts[256 * size + digits] = counts[size]
                counts[size] += 1
    first = [0] * 8
    for size in range(2, MOST_PIECES + 1):
        first[size + 1] = first[size] + comb(squares, size) * counts[size]
    first[7] = first[MOST_PIECES + 1]
    return {
        "SQUARES": squares,
        "SYMMETRIC": is_symmetric(variant),
        "DENSE": Table(tuple(dense)),
        "PLACE_OF": Table(tuple(bits)),
        "BINOMIAL": Table(tuple(comb(n, k) for n in range(squares) for k in range(8))),
        "CAST": Table(tuple(casts)),
        "CASTS": Table(tuple(counts)),
        "ENTRIES_FROM": Table(tuple(first)),
    }


def is_symmetric(variant: Variant) -> bool:
    """Return whether a game is the same for both sides when the board is turned."""
    last = variant.board.columns * variant.board.rows - 1
    playable = set(variant.board.playable)
    crowns = all(
        {last - square for square in promotion.squares[Colour.WHITE]} == promotion.squares[Colour.BLACK]
        for promotion in variant.promotions.values()
    )
    return crowns and variant.forward == (1, -1) and {last - square for square in playable} == playable
