"""The board as text: for terminals, logs and screen readers."""

from damludo.rules.position import Position
from damludo.rules.traits import Variant


def board_lines(variant: Variant, position: Position, *, flipped: bool = False) -> list[str]:
    """Return the board as lines of text, rank by rank.

    Letters: w and b are men, W and B kings, x and y White's and Black's parachutists, `.` an empty playable square, a blank a
    square that is not played on.

    Args:
        flipped: seen by the player at the last rank.
    """
    board = variant.board
    ranks = list(range(board.rows) if flipped else reversed(range(board.rows)))
    files = list(reversed(range(board.columns)) if flipped else range(board.columns))
    playable = set(board.playable)

    def letter(square: int) -> str:
        if square not in playable:
            return " "
        piece = position.at(square)
        return piece.letter if piece else "."

    lines = [
        f"{rank + 1:>3} " + " ".join(letter(rank * board.columns + file) for file in files) + f" {rank + 1}"
        for rank in ranks
    ]
    names = "    " + " ".join(chr(ord("a") + file) for file in files)
    return [names, *lines, names]
