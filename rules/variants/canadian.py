"""Canadian draughts: International draughts on 144 squares. Source: BrainKing's table of games."""

from dataclasses import replace

from damludo.rules.geometry import chequered
from damludo.rules.position import Colour
from damludo.rules.traits import InCapture, crowning_on_last_rows, start
from damludo.rules.variants.international import INTERNATIONAL

BOARD = chequered(12, numeric=True)

FIVE_ROWS = (
    "1b1b1b1b1b1b/b1b1b1b1b1b1/1b1b1b1b1b1b/b1b1b1b1b1b1/1b1b1b1b1b1b/12"
    "/12/w1w1w1w1w1w1/1w1w1w1w1w1w/w1w1w1w1w1w1/1w1w1w1w1w1w/w1w1w1w1w1w1"
)

CANADIAN = replace(
    INTERNATIONAL,
    key="canadian",
    names={"en": "Canadian draughts", "eo": "Kanada damludo", "sl": "Kanadska dama"},
    board=BOARD,
    start=start(BOARD, FIVE_ROWS, Colour.WHITE),
    promotions=crowning_on_last_rows(BOARD, InCapture.PASS),
    source="BrainKing table of games; draws as International",  # the draws are our choice
    pdn_game_type="27,W,12,12,N2,0",
)
