"""International draughts on 100 squares. Sources: BrainKing's rules; world federation rules for the draws."""

from damludo.rules.geometry import chequered
from damludo.rules.position import Colour
from damludo.rules.traits import (
    LONE_KING,
    Event,
    Force,
    InCapture,
    Material,
    MoveLimit,
    Preference,
    Variant,
    crowning_on_last_rows,
    no_progress,
    repetition,
    start,
)
from damludo.rules.variants.brazilian import BRAZILIAN

BOARD = chequered(10, numeric=True)

DRAWS = (
    repetition(),
    no_progress(25),  # 25 moves of each side with kings only and no capture
    MoveLimit(
        16,
        frozenset({Event.CAPTURE}),
        claimed=False,
        material=Material(Force(pieces=(3, 3), kings=(1, 3)), LONE_KING),
        article="Three pieces, at least one a king, have 16 moves to win against a lone king.",
        name="three against one",
    ),
    MoveLimit(
        5,
        frozenset({Event.CAPTURE}),
        claimed=False,
        material=Material(Force(pieces=(1, 2), kings=(1, 2)), LONE_KING),
        article="A king, alone or with one more piece, has 5 moves to win against a lone king.",
        name="two against one",
    ),
)

INTERNATIONAL = Variant(
    key="international",
    names={"en": "International draughts", "eo": "Internacia damludo", "sl": "Mednarodna dama"},
    board=BOARD,
    start=start(
        BOARD,
        "1b1b1b1b1b/b1b1b1b1b1/1b1b1b1b1b/b1b1b1b1b1/10/10/1w1w1w1w1w/w1w1w1w1w1/1w1w1w1w1w/w1w1w1w1w1",
        Colour.WHITE,
    ),
    movers=BRAZILIAN.movers,
    promotions=crowning_on_last_rows(BOARD, InCapture.PASS),  # a man that only passes the last row stays a man
    preference=(Preference.MOST_PIECES,),  # "the capture that takes the most pieces"
    draws=DRAWS,
    source="BrainKing rules of International Checkers; world federation for the draws",
    rules=BRAZILIAN.rules,
    pdn_game_type="20,W,10,10,N2,0",
)
