"""Hawaiian draughts (konane). Source: BrainKing's rules of Hawaiian Checkers."""

from damludo.rules.geometry import ORTHOGONALS, full
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import Jump, Mover, Opening, Turning, Variant, start

BOARD = full(8)

HAWAIIAN = Variant(
    key="hawaiian",
    names={"en": "Hawaiian draughts", "eo": "Havaja damludo", "sl": "Havajska dama"},
    board=BOARD,
    start=start(
        BOARD, "/".join(["bwbwbwbw", "wbwbwbwb"] * 4), Colour.BLACK
    ),  # "White on dark squares, Black on light ones"
    movers={Kind.MAN: Mover(steps=(), jumps=(Jump(ORTHOGONALS),))},  # every turn is a jump
    turning=Turning.STRAIGHT,  # "multiple jumps in one direction"
    may_stop=True,  # further jumps are never compulsory
    # "Black removes one own stone from a8, h1, d5 or e4; White one of its stones next to the hole"
    opening=Opening(tuple(BOARD.square(name) for name in ("e4", "h1", "d5", "a8"))),
    source="BrainKing rules of Hawaiian Checkers",
    rules=(
        "The board is full. Black takes a stone of his own off a8, h1, d5 or e4, then White one of his next to the hole.",
        "After that every turn is a jump over a neighbouring enemy stone, along a row or file; the jumped stone leaves.",
        "The same stone may jump on in the same straight line, but need not.",
        "Who has no jump loses. There are no draws.",
    ),
)
