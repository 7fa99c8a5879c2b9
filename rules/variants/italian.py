"""Italian draughts. Sources: BrainKing's rules and table; federation rules."""

from damludo.rules.geometry import chequered
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import (
    InCapture,
    Preference,
    Variant,
    crowning_on_last_rows,
    man,
    no_progress,
    repetition,
    short_king,
    start,
)
from damludo.rules.variants.portuguese import TWELVE_MEN_ON_LIGHT_A1

BOARD = chequered(8, numeric=True, a1_playable=False)

ITALIAN = Variant(
    key="italian",
    names={"en": "Italian draughts", "eo": "Itala damludo", "sl": "Italijanska dama"},
    board=BOARD,
    start=start(BOARD, TWELVE_MEN_ON_LIGHT_A1, Colour.WHITE),
    movers={
        Kind.MAN: man(victims=frozenset({Kind.MAN})),  # "a man cannot capture a king"
        Kind.KING: short_king(),
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.STOP),  # the move always ends when a man is crowned
    preference=(
        Preference.MOST_PIECES,  # (1) most pieces
        Preference.BY_KING,  # (2) if a king can do it, a king must
        Preference.MOST_KINGS,  # (3) most kings captured
        Preference.KING_EARLIEST,  # (4) the capture that meets a king earliest
    ),
    draws=(repetition(4), no_progress(40)),  # federation: 40 moves of each side; repetition for the fourth time
    source="BrainKing rules of Italian Checkers; federation",
    rules=(
        "The corner at each player's left is not a playing square.",
        "Men move one square diagonally forward and capture by short jumps diagonally forward, men only.",
        "A king moves and captures one square in all four diagonal directions.",
        "Capturing is compulsory. In this order: the most pieces; with a king; the most kings; the king met earliest.",
        "A man that reaches the last row is crowned and its move ends there.",
        "Who has no legal move loses.",
    ),
    pdn_game_type="22,W,8,8,N2,1",
)
