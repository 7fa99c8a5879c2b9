"""One-way draughts: Czech draughts with both sides moving up the board. Source: BrainKing's rules of One Way Checkers."""

from dataclasses import replace

from damludo.rules.position import Colour, Kind
from damludo.rules.traits import InCapture, Promotion, start
from damludo.rules.variants.czech import BOARD, CZECH

LAST_ROW = frozenset(square for square in BOARD.playable if square >= 7 * BOARD.columns)

ONEWAY = replace(
    CZECH,
    key="oneway",
    names={"en": "One-way draughts", "eo": "Unudirekta damludo", "sl": "Enosmerna dama"},
    # Every known copy of the rules shows a picture only. Our choice: rows 1-6 filled, files a-d White, files e-h Black.
    start=start(BOARD, "8/8/1w1w1b1b/w1w1b1b1/1w1w1b1b/w1w1b1b1/1w1w1b1b/w1w1b1b1", Colour.WHITE),
    forward=(1, 1),  # all men of both colours move and capture in the same direction
    promotions={Kind.MAN: Promotion(Kind.KING, InCapture.STOP, (LAST_ROW, LAST_ROW))},
    source="BrainKing rules of One Way Checkers; the start position is our choice",
    rules=(
        "Moves and captures are those of Czech draughts, but the men of both colours move up the board.",
        "Both colours are crowned on row 8; the move ends there.",
        "A king must capture if one can; otherwise the choice is free.",
        "Who has no legal move loses.",
    ),
    pdn_game_type=None,
)
