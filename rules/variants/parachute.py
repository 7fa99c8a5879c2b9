"""Parachute draughts: Czech draughts with men behind the enemy's lines. Source: BrainKing's rules of Parachute Checkers."""

from dataclasses import replace

from damludo.rules.geometry import SE, SW
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import InCapture, Jump, Mover, Promotion, start
from damludo.rules.variants.czech import BOARD, CZECH

EVERYWHERE = frozenset(BOARD.playable)

PARACHUTE = replace(
    CZECH,
    key="parachute",
    names={"en": "Parachute draughts", "eo": "Paraŝuta damludo", "sl": "Padalska dama"},
    # "8 men on the second and third row and 4 parachutists on the opponent's first row"
    start=start(BOARD, "1x1x1x1x/b1b1b1b1/1b1b1b1b/8/8/w1w1w1w1/1w1w1w1w/y1y1y1y1", Colour.WHITE),
    movers={
        **CZECH.movers,
        # A parachutist has no ordinary move; its only move is a jump towards its own side.
        Kind.PARACHUTIST: Mover(steps=(), jumps=(Jump((SW, SE)),)),
    },
    promotions={
        **CZECH.promotions,
        # It becomes a man at once; that the move ends is our reading of "the move always ends when a piece is transformed".
        Kind.PARACHUTIST: Promotion(Kind.MAN, InCapture.STOP, (EVERYWHERE, EVERYWHERE)),
    },
    # "Parachutists have no capture precedence": Czech draughts' BY_KING ranks them with the men.
    source="BrainKing rules of Parachute Checkers",
    rules=(
        "Moves and captures of men and kings are those of Czech draughts.",
        "A parachutist stands on the opponent's first row and can only capture, jumping diagonally towards its own side.",
        "It becomes a man where it lands, and the move ends.",
        "Its capture is compulsory like a man's; a king must capture if one can.",
        "Who has no legal move loses, parachutists or not.",
    ),
    pdn_game_type=None,
)
