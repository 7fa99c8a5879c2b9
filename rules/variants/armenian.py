"""Armenian draughts (tama). Sources: the article's page; the game's description at checkers.fandom for what it leaves open."""

from damludo.rules.geometry import ALL_DIRECTIONS, NE, NW, ORTHOGONALS, E, N, W, full
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import (
    InCapture,
    Preference,
    Removal,
    Turning,
    Variant,
    crowning_on_last_rows,
    flying_king,
    man,
    repetition,
    start,
)
from damludo.rules.variants.turkish import ROWS_TWO_AND_THREE

BOARD = full(8)

ARMENIAN = Variant(
    key="armenian",
    names={"en": "Armenian draughts", "eo": "Armena damludo", "sl": "Armenska dama"},
    board=BOARD,
    start=start(BOARD, ROWS_TWO_AND_THREE, Colour.WHITE),
    movers={
        Kind.MAN: man((NW, N, NE, W, E), (N, E, W)),  # moves diagonally too, "captures never diagonally"
        Kind.KING: flying_king(ALL_DIRECTIONS, ORTHOGONALS),  # "moves as a chess queen, captures orthogonally"
    },
    promotions=crowning_on_last_rows(
        BOARD, InCapture.GO_ON
    ),  # not in the article; three programs and a description agree
    removal=Removal.AT_ONCE,  # "the pieces leave during the capture"
    turning=Turning.FREE,  # the article bans nothing; Turning.NO_REVERSAL would be the other reading
    preference=(Preference.MOST_PIECES,),
    draws=(repetition(),),  # our choice
    source="Vikipedio, article on the Armenian game; checkers.fandom",
    rules=(
        "All squares are used. A man moves one square forward, diagonally forward or sideways.",
        "It captures by short jumps forward and sideways, never diagonally.",
        "A king moves like a chess queen and captures over any distance along rows and files.",
        "Capturing is compulsory, and the capture that takes the most pieces must be made.",
        "Each piece leaves as soon as it is jumped.",
        "A man that reaches the last row while capturing is crowned at once and goes on as a king.",
        "Who has no legal move loses.",
    ),
)
