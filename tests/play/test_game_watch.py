"""What a game that is watched makes of a ruling."""

import numpy as np
import pytest

from damludo.play.content import board_content, grid_of_board
from damludo.play.game_watch import half_taken
from damludo.play.match.referee import rule
from damludo.rules.game import Game
from damludo.rules.notation import parse_fen
from damludo.rules.variants import variant
from damludo.rules.verdicts import Unfinished
from damludo.vision.content import Content
from damludo.vision.reading import BoardReading

CLEAR_NATS = 18.0


@pytest.mark.parametrize(
    ("king_behind_nats", "half"), [(6.0, True), (-CLEAR_NATS, False)], ids=["one disc", "both discs"]
)
def test_a_captured_king_of_which_one_disc_is_left_is_being_taken(king_behind_nats: float, half: bool) -> None:
    """The man has jumped from c3 to e5, the hand is away, and on d4 stands what it has not taken yet."""
    damludo = variant("damludo")
    game = Game.new(damludo, parse_fen(damludo, "W:Wc3,a1:BKd4,h8"))
    square = damludo.board.square
    board = board_content(damludo.board.playable, game.position)
    board = dict(board) | {square("c3"): Content.EMPTY, square("e5"): Content.WHITE_MAN}
    table = np.zeros((64, 5))
    for place, content in board.items():
        table[place] = -CLEAR_NATS
        table[place, content] = 0.0
    table[square("d4"), Content.BLACK_MAN] = 0.0
    table[square("d4"), Content.BLACK_KING] = -king_behind_nats
    table[square("d4")] -= table[square("d4")].max()
    ruling = rule(game, BoardReading(grid_of_board(damludo.board), table, 0.0, 0))
    assert isinstance(ruling.verdict, Unfinished)
    assert ruling.sure
    assert half_taken(ruling) is half
