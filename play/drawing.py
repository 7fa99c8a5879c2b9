"""The board as text, as White sees it."""

from damludo.rules.geometry import FILES
from damludo.rules.position import Position
from damludo.rules.traits import Variant

LEGEND = "w b men, W B kings, x y parachutists, . empty"


def draw_board(variant: Variant, position: Position) -> list[str]:
    """Return the lines of the board: ranks from the top, their numbers at the left, the files' letters below."""
    board = variant.board
    playable = frozenset(board.playable)
    lines = []
    for rank in range(board.rows - 1, -1, -1):
        squares = range(rank * board.columns, (rank + 1) * board.columns)
        cells = "  ".join(position.at(square).letter if square in playable else " " for square in squares)
        lines.append(f"{rank + 1:>3}  {cells}".rstrip())
    return [*lines, "     " + "  ".join(FILES[: board.columns])]
