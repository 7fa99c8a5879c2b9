"""Gothic draughts (old German). Source: BrainKing's rules of Gothic Checkers."""

from damludo.rules.geometry import ALL_DIRECTIONS, NE, NW, E, N, W, full
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import InCapture, Variant, crowning_on_last_rows, man, short_king, start
from damludo.rules.variants.english import DRAWS

BOARD = full(8)

NEVER_BACK = (NW, N, NE, W, E)

GOTHIC = Variant(
    key="gothic",
    names={"en": "Gothic draughts", "eo": "Gotika damludo", "sl": "Gotska dama"},
    board=BOARD,
    start=start(BOARD, "bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww", Colour.BLACK),  # first player: as English
    movers={
        Kind.MAN: man(NEVER_BACK, NEVER_BACK),  # "moves and captures in five directions"
        Kind.KING: short_king(ALL_DIRECTIONS),  # "one step or short jump in all eight"
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.STOP),  # "the rest as English"
    draws=DRAWS,
    source="BrainKing rules of Gothic Checkers",
    rules=(
        "All squares are used. Men move one square and capture by short jumps: forward, diagonally forward and sideways.",
        "A king moves and captures one square in all eight directions.",
        "Capturing is compulsory; which capture is free, but the chosen one must be finished.",
        "A man that reaches the last row is crowned and its move ends there.",
        "Who has no legal move loses.",
    ),
)
