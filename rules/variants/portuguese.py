"""Portuguese draughts. Sources: BrainKing's table of games; Portuguese federation, rules of 2013."""

from damludo.rules.geometry import chequered, numbered_from_bottom_right
from damludo.rules.position import Colour, Kind
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
    flying_king,
    man,
    no_progress,
    repetition,
    start,
)

BOARD = numbered_from_bottom_right(chequered(8, numeric=True, a1_playable=False))

TWELVE_MEN_ON_LIGHT_A1 = "b1b1b1b1/1b1b1b1b/b1b1b1b1/8/8/1w1w1w1w/w1w1w1w1/1w1w1w1w"

PORTUGUESE = Variant(
    key="portuguese",
    names={"en": "Portuguese draughts", "eo": "Portugala damludo", "sl": "Portugalska dama"},
    board=BOARD,
    start=start(BOARD, TWELVE_MEN_ON_LIGHT_A1, Colour.WHITE),
    movers={
        Kind.MAN: man(),  # men capture forwards only
        Kind.KING: flying_king(),
    },
    promotions=crowning_on_last_rows(BOARD, InCapture.STOP),  # the move always ends when a man is crowned
    preference=(Preference.MOST_PIECES, Preference.MOST_KINGS),  # quantity, then quality
    draws=(
        repetition(claimed=True),
        # The "limited moves" laws; their exact numbers were not found and are our choice.
        no_progress(20),
        MoveLimit(
            12,
            frozenset({Event.CAPTURE}),
            claimed=False,
            material=Material(Force(pieces=(3, 3), kings=(3, 3)), LONE_KING),
            article="Three kings have 12 moves to win against one.",
            name="three kings",
        ),
    ),
    source="BrainKing table of games; Portuguese federation 2013",
    rules=(
        "The corner at each player's left is not a playing square.",
        "Men move one square diagonally forward and capture by short jumps diagonally forward.",
        "A king moves and captures over any distance along diagonals.",
        "Capturing is compulsory: the most pieces must be taken, and among equal numbers the most kings.",
        "Captured pieces stay until the move is over and cannot be jumped twice.",
        "A man that reaches the last row is crowned and its move ends there.",
        "Who has no legal move loses.",
    ),
    pdn_game_type="28,W,8,8,N1,1",
)
