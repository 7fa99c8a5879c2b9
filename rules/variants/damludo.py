"""Damludo, the draughts of the Esperanto encyclopedia's article: Brazilian moves, own draws, touch-move."""

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
    repetition,
    start,
)
from damludo.rules.variants.brazilian import MOVERS
from damludo.rules.variants.english import TWELVE_MEN

BOARD = chequered(8)

DAMLUDO = Variant(
    key="damludo",
    names={"en": "Damludo", "eo": "Damludo", "sl": "Damludo"},
    board=BOARD,
    start=start(BOARD, TWELVE_MEN, Colour.WHITE),  # "White always starts"
    movers=MOVERS,  # "la disketo kaptu antaŭenire kaj malantaŭenire"
    promotions=crowning_on_last_rows(BOARD, InCapture.PASS),
    preference=(Preference.MOST_PIECES,),
    draws=(
        # (c) the same position for the third time with the same player to move, claimed before it changes
        repetition(claimed=True),
        # (b) 30 consecutive moves by each side without capture or crowning
        MoveLimit(
            30,
            frozenset({Event.CAPTURE, Event.CROWNING}),
            claimed=False,
            article="30 consecutive moves by each side without a capture or a crowning are a draw.",
        ),
        # (d) three kings against one: no win within 13 moves of the three
        MoveLimit(
            13,
            frozenset({Event.CAPTURE}),
            claimed=False,
            material=Material(Force(pieces=(3, 3), kings=(3, 3)), LONE_KING),
            strong_only=True,
            article="Three kings have 13 moves to win against one.",
            name="three kings",
        ),
    ),
    touch_move=True,  # "touched one own piece: move it"
    source="Vikipedio, article Damludo",
    rules=(
        "Men move one square diagonally forward and capture by short jumps diagonally forward and backward.",
        "A king moves and captures over any distance along diagonals.",
        "Capturing is compulsory, and the capture that takes the most pieces must be made.",
        "Captured pieces stay until the move is over and cannot be jumped twice.",
        "A man is crowned when its move ends on the last row, not when it only passes it.",
        "A touched own piece must be moved; of several touched the opponent chooses one.",
        "Who has no legal move loses.",
    ),
)
