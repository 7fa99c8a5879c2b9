"""Thai draughts (makhos). Sources: BrainKing's rules of Thai Checkers; the game's description at mindsports."""

from damludo.rules.geometry import DIAGONALS, chequered
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import (
    InCapture,
    Jump,
    Mover,
    Removal,
    Variant,
    crowning_on_last_rows,
    man,
    no_progress,
    repetition,
    start,
)

BOARD = chequered(8, numeric=True)

THAI = Variant(
    key="thai",
    names={"en": "Thai draughts", "eo": "Taja damludo", "sl": "Tajska dama"},
    board=BOARD,
    # 8 men on two rows. Sources disagree on the first player: White is our choice.
    start=start(BOARD, "1b1b1b1b/b1b1b1b1/8/8/8/8/1w1w1w1w/w1w1w1w1", Colour.WHITE),
    movers={
        Kind.MAN: man(),  # "men capture forwards only"
        # "the king must land directly behind the captured piece"
        Kind.KING: Mover(DIAGONALS, (Jump(DIAGONALS, from_afar=True),), far_steps=True),
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.STOP),  # the move always ends when a man is crowned
    removal=Removal.AT_ONCE,  # so the king may come back along the same line
    draws=(repetition(), no_progress(30)),  # no draw rule is documented: our choice
    source="BrainKing rules of Thai Checkers; mindsports",
    rules=(
        "Men move one square diagonally forward and capture by short jumps diagonally forward.",
        "A king moves over any distance along diagonals and captures from any distance, but lands directly behind the piece.",
        "Capturing is compulsory; which capture is free, but the chosen one must be finished.",
        "Each piece leaves as soon as it is jumped.",
        "A man that reaches the last row is crowned and its move ends there.",
        "Who has no legal move loses.",
    ),
    pdn_game_type="31,W,8,8,N2,0",
    capture_sign="-",
)
