"""Between the rules and the table: what a camera sees of a position, the places of a board for the eyes and for the arm."""

import math
from collections.abc import Mapping
from dataclasses import replace

from damludo.robot.places import TableLayout
from damludo.rules.geometry import Board
from damludo.rules.position import Colour, Piece, Position
from damludo.rules.traits import Variant
from damludo.vision.content import Content, Grid

SPARE_DISCS = 4
"""Spare discs of each side in its rack at the start: crowns that need not wait for captured discs."""

CONTENT_OF_PIECE: Mapping[Piece, Content] = {
    Piece.EMPTY: Content.EMPTY,
    Piece.WHITE_MAN: Content.WHITE_MAN,
    Piece.WHITE_KING: Content.WHITE_KING,
    Piece.BLACK_MAN: Content.BLACK_MAN,
    Piece.BLACK_KING: Content.BLACK_KING,
    Piece.WHITE_PARACHUTIST: Content.WHITE_MAN,
    Piece.BLACK_PARACHUTIST: Content.BLACK_MAN,
}
"""What of a piece can be seen: a parachutist is a disc like a man."""
CONTENT_OF_CELL = tuple(CONTENT_OF_PIECE[piece] for piece in Piece)
"""The same, indexed by the numbers in `Position.cells`."""


def board_content(playable: tuple[int, ...], position: Position) -> dict[int, Content]:
    """Return what a camera should see of a position."""
    return {square: CONTENT_OF_CELL[position.cells[square]] for square in playable}


def grid_of_board(board: Board) -> Grid:
    """Return the places of a board as the eyes know them."""
    return Grid(board.columns, board.rows, board.playable, lines=board.lines)


def layout_for(
    variant: Variant, square_mm: float = 50.0, disc_diameter_mm: float = 38.0, disc_height_mm: float = 9.0
) -> TableLayout:
    """Return the places of this game's board; with more than 8 files, squares and discs are smaller on the same table."""
    board = variant.board
    scale = 8 / max(8, board.columns)
    layout = TableLayout(
        board.columns, board.rows, square_mm * scale, disc_diameter_mm * scale, disc_height_mm, lines=board.lines
    )
    most = max(sum(piece.colour is colour for piece in map(Piece, variant.start.cells)) for colour in Colour)
    return replace(layout, rack_columns=max(2, math.ceil((most + SPARE_DISCS) / layout.rack_rows)))
