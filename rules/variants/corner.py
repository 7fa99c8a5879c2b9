"""Corner draughts: Czech draughts between two corners. Source: BrainKing's rules of Corner Checkers."""

from dataclasses import replace

from damludo.rules.position import Colour, Kind
from damludo.rules.traits import InCapture, Promotion, start
from damludo.rules.variants.czech import BOARD, CZECH


def _squares(*names: str) -> frozenset[int]:
    return frozenset(BOARD.square(name) for name in names)


CORNER = replace(
    CZECH,
    key="corner",
    names={"en": "Corner draughts", "eo": "Angula damludo", "sl": "Kotna dama"},
    # BrainKing shows a picture only. Our reading: the 2 + 4 + 6 squares nearest to each corner; the long diagonal stays empty.
    start=start(BOARD, "1b1b1b2/b1b1b3/1b1b3w/b1b3w1/1b3w1w/b3w1w1/3w1w1w/2w1w1w1", Colour.WHITE),
    # "the two squares in the top left corner": a7 is not even on the last row
    promotions={Kind.MAN: Promotion(Kind.KING, InCapture.STOP, (_squares("a7", "b8"), _squares("h2", "g1")))},
    source="BrainKing rules of Corner Checkers",
    rules=(
        "Moves and captures are those of Czech draughts; a king must capture if one can.",
        "White is crowned on a7 and b8 only, Black on h2 and g1 only; the move ends there.",
        "A man elsewhere on the last row stays a man and cannot move on.",
        "Who has no legal move loses.",
    ),
    pdn_game_type=None,
)
