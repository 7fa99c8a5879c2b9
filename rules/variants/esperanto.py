"""Esperanto draughts by Hoogland. Sources: the article's page; a page on irregular draughts for the rest."""

from damludo.rules.geometry import DIAGONALS, Step, chequered
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import (
    InCapture,
    Jump,
    Mover,
    Preference,
    Variant,
    crowning_on_last_rows,
    man,
    repetition,
    start,
)
from damludo.rules.variants.english import TWELVE_MEN

BOARD = chequered(8, numeric=True)

TO_THE_NEXT_DARK_SQUARE: tuple[Step, ...] = ((0, 2), (2, 0), (0, -2), (-2, 0))
"""Along files and rows only every second square is dark."""

ESPERANTO = Variant(
    key="esperanto",
    names={"en": "Esperanto draughts", "eo": "Esperanta damludo", "sl": "Esperantska dama"},
    board=BOARD,
    start=start(BOARD, TWELVE_MEN, Colour.WHITE),  # White sits at the bottom and starts
    movers={
        Kind.MAN: man(captures=DIAGONALS),
        Kind.KING: Mover(
            DIAGONALS,
            (
                Jump(DIAGONALS, from_afar=True, lands_far=True),
                # "a king may capture a king along a file or row"; never a man. "May" permits the
                # movement; the capture is as compulsory as any other.
                Jump(TO_THE_NEXT_DARK_SQUARE, from_afar=True, lands_far=True, victims=frozenset({Kind.KING})),
            ),
            far_steps=True,
        ),
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.PASS),
    preference=(Preference.MOST_PIECES,),
    draws=(repetition(),),  # a draw at once, and the only draw rule: two kings beat one
    missed_capture_may_stand=True,  # "the opponent may have it taken back, or let it stand"
    source="Vikipedio, article on Esperanto draughts; Hoogland",
    rules=(
        "Men move one square diagonally forward and capture by short jumps diagonally forward and backward.",
        "A king moves and captures over any distance along diagonals.",
        "A king also captures a king, never a man, along a row or file; only dark squares count.",
        "Capturing is compulsory, and the capture that takes the most pieces must be made.",
        "If a capture is missed or too small, the opponent may have it put right or let it stand.",
        "Captured pieces stay until the move is over and cannot be jumped twice.",
        "Who has no legal move loses.",
    ),
)
