"""Czech draughts. Sources: BrainKing's rules of Czech Checkers; the Czech federation's rules."""

from damludo.rules.geometry import chequered
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

BOARD = chequered(8)

CZECH = Variant(
    key="czech",
    names={"en": "Czech draughts", "eo": "Ĉeĥa damludo", "sl": "Češka dama"},
    board=BOARD,
    start=start(BOARD, TWELVE_MEN, Colour.WHITE),  # White first
    movers={
        Kind.MAN: man(),  # "men capture forwards only"
        Kind.KING: flying_king(),  # "long jumps"
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.STOP),  # the move always ends when a man is crowned
    preference=(Preference.BY_KING,),  # "if a king can jump you may not jump with a man"
    # The federation leaves the draw to an arbiter's judgement; for a machine: third repetition, or 30 moves without progress.
    draws=(repetition(), no_progress(30)),
    source="BrainKing rules of Czech Checkers; Czech federation",
    rules=(
        "Men move one square diagonally forward and capture by short jumps diagonally forward.",
        "A king moves and captures over any distance along diagonals.",
        "Capturing is compulsory; if a king can capture, a king must; otherwise the choice is free.",
        "A capture must be finished. Captured pieces stay until the move is over and cannot be jumped twice.",
        "A man that reaches the last row is crowned and its move ends there.",
        "Who has no legal move loses.",
    ),
    pdn_game_type="29,W,8,8,A0,0",
)
