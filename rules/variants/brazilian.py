"""Brazilian draughts. Sources: BrainKing's rules and table; Brazilian text and federation rules for the draws."""

from damludo.rules.geometry import DIAGONALS, chequered
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import (
    InCapture,
    Preference,
    Variant,
    crowning_on_last_rows,
    flying_king,
    man,
    no_progress,
    repetition,
    start,
)
from damludo.rules.variants.english import TWELVE_MEN
from damludo.rules.variants.russian import SMALL_ENDINGS

BOARD = chequered(8)

MOVERS = {
    Kind.MAN: man(captures=DIAGONALS),  # "men capture forwards and backwards"
    Kind.KING: flying_king(),  # "kings move and capture over any distance"
}

BRAZILIAN = Variant(
    key="brazilian",
    names={"en": "Brazilian draughts", "eo": "Brazilaj damoj", "sl": "Brazilska dama"},
    board=BOARD,
    start=start(BOARD, TWELVE_MEN, Colour.WHITE),
    movers=MOVERS,
    promotions=crowning_on_last_rows(BOARD, InCapture.PASS),  # a man that only passes the last row stays a man
    preference=(Preference.MOST_PIECES,),  # "the capture that takes the most pieces"
    draws=(
        repetition(),
        no_progress(20),  # Brazilian text: 20 king moves of each side without capture or man move
        *SMALL_ENDINGS,  # "as Russian"
    ),
    source="BrainKing rules of Brazilian draughts; Brazilian federation for the draws",
    rules=(
        "Men move one square diagonally forward and capture by short jumps diagonally forward and backward.",
        "A king moves and captures over any distance along diagonals.",
        "Capturing is compulsory, and the capture that takes the most pieces must be made.",
        "Captured pieces stay until the move is over and cannot be jumped twice.",
        "A man is crowned when its move ends on the last row, not when it only passes it.",
        "Who has no legal move loses.",
    ),
    pdn_game_type="26,W,8,8,A0,0",
)
