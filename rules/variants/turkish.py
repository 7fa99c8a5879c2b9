"""Turkish draughts (dama). Sources: BrainKing's table of games; federation rules as coded in the known programs."""

from damludo.rules.geometry import ORTHOGONALS, E, N, W, full
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import (
    BareDraw,
    Force,
    InCapture,
    Material,
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

BOARD = full(8)

ROWS_TWO_AND_THREE = "8/bbbbbbbb/bbbbbbbb/8/8/wwwwwwww/wwwwwwww/8"

ONE_PIECE = Force(pieces=(1, 1))

TURKISH = Variant(
    key="turkish",
    names={"en": "Turkish draughts", "eo": "Turka damludo", "sl": "Turška dama"},
    board=BOARD,
    start=start(BOARD, ROWS_TWO_AND_THREE, Colour.WHITE),
    movers={
        Kind.MAN: man((N, E, W), (N, E, W)),
        Kind.KING: flying_king(ORTHOGONALS, ORTHOGONALS),
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.PASS),  # goes on sideways as a man, crowned at the end
    removal=Removal.AT_ONCE,  # pieces leave one by one
    turning=Turning.NO_REVERSAL,  # between two captures no turn of 180 degrees
    preference=(Preference.MOST_PIECES,),  # men and kings equal
    draws=(
        repetition(),
        BareDraw(Material(ONE_PIECE, ONE_PIECE), "One piece each, and none can be taken at once: a draw."),
    ),
    source="BrainKing table of games; federation",
    rules=(
        "All squares are used. Men move one square and capture by short jumps: forward and sideways.",
        "A king moves and captures over any distance along rows and files.",
        "Capturing is compulsory, and the capture that takes the most pieces must be made.",
        "Each piece leaves as soon as it is jumped; between two jumps no turn straight back.",
        "A man that reaches the last row while capturing goes on as a man and is crowned at the end.",
        "Who has no legal move loses.",
    ),
    pdn_game_type="30,W,8,8,A0,0",
)
