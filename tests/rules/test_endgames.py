"""Two kings against one, solved backwards: the count of wins is known from another program."""

from itertools import combinations

import pytest

from damludo.rules.moves import legal_moves, play
from damludo.rules.notation import format_fen
from damludo.rules.position import Colour, Piece, Position
from damludo.rules.traits import Variant
from damludo.rules.variants import variant


def _positions(game: Variant) -> list[Position]:
    """All positions of two or one white kings against a black one, either side to move."""
    positions: list[Position] = []
    for count in (1, 2):
        for white in combinations(game.board.playable, count):
            for black in set(game.board.playable) - set(white):
                cells = bytearray(len(game.start.cells))
                for square in white:
                    cells[square] = Piece.WHITE_KING
                cells[black] = Piece.BLACK_KING
                positions.extend(Position(bytes(cells), side) for side in Colour)
    return positions


def _won_by_white(game: Variant, bare_king_may_be_lost: bool) -> set[Position]:
    """Solve by repeated passes: White to move wins by one move to a win, Black to move loses if all his moves lead to one.

    Without `bare_king_may_be_lost` a king against a king with Black to move counts as no win.
    """
    after = {p: [play(game, p, move) for move in legal_moves(game, p)] for p in _positions(game)}
    if not bare_king_may_be_lost:
        after = {p: r for p, r in after.items() if p.side is Colour.WHITE or p.cells.count(Piece.WHITE_KING) == 2}
    won: set[Position] = set()

    def is_won(position: Position) -> bool:
        return position in won or Piece.BLACK_KING not in position.cells

    found = True
    while found:
        found = False
        for position, replies in after.items():
            test = any if position.side is Colour.WHITE else all
            if position not in won and test(is_won(reply) for reply in replies):
                won.add(position)
                found = True
    return {p for p in won if p.side is Colour.WHITE and p.cells.count(Piece.WHITE_KING) == 2}


@pytest.mark.slow
@pytest.mark.parametrize(("key", "wins"), [("esperanto", 14_712), ("brazilian", 5_624)])
def test_two_kings_win_so_many_positions_against_one(key: str, wins: int) -> None:
    """ "Two kings beat one, even on the long diagonal": nearly all of 14,880 positions in Esperanto draughts, elsewhere few."""
    assert len(_won_by_white(variant(key), bare_king_may_be_lost=False)) == wins


@pytest.mark.slow
def test_a_king_in_the_corner_of_the_main_road_loses_even_to_one() -> None:
    """Four more wins end by an exchange after which the lone king must step from the corner into the other king's line."""
    esperanto = variant("esperanto")
    more = _won_by_white(esperanto, True) - _won_by_white(esperanto, False)
    names = {format_fen(esperanto, position) for position in more}
    assert names == {"W:WK18,K25:BK22", "W:WK15,K22:BK18", "W:WK11,K18:BK15", "W:WK8,K15:BK11"}
