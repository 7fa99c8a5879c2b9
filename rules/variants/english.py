"""English draughts (checkers). Sources: BrainKing's rules of Checkers and its table of games; federation rules for the draws."""

from damludo.rules.geometry import chequered
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import (
    InCapture,
    Variant,
    crowning_on_last_rows,
    man,
    no_progress,
    repetition,
    short_king,
    start,
)

BOARD = chequered(8, numeric=True)

TWELVE_MEN = "1b1b1b1b/b1b1b1b1/1b1b1b1b/8/8/w1w1w1w1/1w1w1w1w/w1w1w1w1"
"""Three rows of men on the dark squares, shared by the games of this family."""

DRAWS = (
    repetition(claimed=True),  # federation: third repetition on claim
    no_progress(40, claimed=True),  # federation: 40 moves of each side with no capture and no man advanced, on claim
)

ENGLISH = Variant(
    key="english",
    names={"en": "English draughts", "eo": "Anglaj damoj", "sl": "Angleška dama"},
    board=BOARD,
    start=start(BOARD, TWELVE_MEN, Colour.BLACK),  # "12 men on rows 1-3 and 6-8"; federation: Black moves first
    movers={
        Kind.MAN: man(),  # "men move and capture diagonally forwards"
        Kind.KING: short_king(),  # "the king moves and captures one square, also backwards"
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.STOP),  # "the move always ends when a man is crowned"
    draws=DRAWS,
    source="BrainKing rules of Checkers; federation rules for first move and draws",
    rules=(
        "Men move one square diagonally forward and capture by a short jump diagonally forward.",
        "A king moves and captures one square in all four diagonal directions.",
        "Capturing is compulsory; which capture is free, but the chosen one must be finished.",
        "A man that reaches the last row is crowned and its move ends there.",
        "Who has no legal move loses.",
    ),
    pdn_game_type="21,B,8,8,N1,0",
)
