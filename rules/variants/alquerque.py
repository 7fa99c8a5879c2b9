"""Alquerque on 5x5 crossings. Source: BrainKing's rules of Alquerque."""

from damludo.rules.geometry import ALL_DIRECTIONS, NE, NW, E, N, W, lattice
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import Jump, Mover, Variant, repetition, start

BOARD = lattice(5)

NEVER_BACK = (NW, N, NE, W, E)

ALQUERQUE = Variant(
    key="alquerque",
    names={"en": "Alquerque", "eo": "Alkerko", "sl": "Alquerque"},
    board=BOARD,
    start=start(BOARD, "bbbbb/bbbbb/bb1ww/wwwww/wwwww", Colour.WHITE),  # White first is our choice
    movers={
        Kind.MAN: Mover(
            steps=NEVER_BACK,  # "one step along a line, never back"
            jumps=(Jump(NEVER_BACK),),
            later_jumps=(Jump(ALL_DIRECTIONS),),  # "pieces can jump backwards": after the first jump of a turn
            steps_from_last_row=False,  # a man on the last row can only jump
        ),
    },
    draws=(repetition(),),  # our choice; nearly impossible, as men never go back
    source="BrainKing rules of Alquerque",
    rules=(
        "Pieces move along the lines, one step forward, diagonally forward or sideways.",
        "They capture by short jumps along the lines in the same directions; after the first jump also backwards.",
        "On the last row a piece can only capture. There is no crowning.",
        "Capturing is compulsory; which capture is free, but the chosen one must be finished.",
        "Who has no legal move loses.",
    ),
)
