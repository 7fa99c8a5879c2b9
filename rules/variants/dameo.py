"""Dameo by Christian Freeling. Sources: the article's page; mindsports."""

from damludo.rules.geometry import ALL_DIRECTIONS, NE, NW, ORTHOGONALS, N, full
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import (
    InCapture,
    Jump,
    Mover,
    Preference,
    Variant,
    crowning_on_last_rows,
    flying_king,
    repetition,
    start,
)

BOARD = full(8)

DAMEO = Variant(
    key="dameo",
    names={"en": "Dameo", "eo": "Dameo", "sl": "Dameo"},
    board=BOARD,
    start=start(BOARD, "bbbbbbbb/1bbbbbb1/2bbbb2/8/8/2wwww2/1wwwwww1/wwwwwwww", Colour.WHITE),
    movers={
        # "straight or diagonally forward, singly or jumping a line of own men"; "captures orthogonally in all four directions"
        Kind.MAN: Mover((NW, N, NE), (Jump(ORTHOGONALS),), linear=True),
        Kind.KING: flying_king(ALL_DIRECTIONS, ORTHOGONALS),  # "moves as a chess queen"
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.PASS),  # "not crowned unless the capture ends there"
    preference=(Preference.MOST_PIECES,),
    draws=(repetition(),),
    source="Vikipedio, article Dameo; mindsports",
    rules=(
        "All squares are used. A man moves one square forward or diagonally forward.",
        "It may also jump an unbroken straight line of own men in these directions, to the empty square in front of it.",
        "A king moves like a chess queen. All captures go along rows and files; men jump short in all four directions.",
        "Capturing is compulsory, and the capture that takes the most pieces must be made.",
        "Captured pieces stay until the move is over and cannot be jumped twice.",
        "A man is crowned when its move ends on the last row, not when it only passes it.",
        "Who has no legal move loses.",
    ),
)
