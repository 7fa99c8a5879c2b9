"""What stands where, and whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from damludo.rules.errors import BadPosition


class Colour(IntEnum):
    """The two sides; White's home is rank 1."""

    WHITE = 0
    BLACK = 1

    @property
    def other(self) -> Colour:
        """The opponent."""
        return _OTHER[self]

    @property
    def word(self) -> str:
        """The name in a sentence."""
        return ("white", "black")[self]


_OTHER = (Colour.BLACK, Colour.WHITE)


class Kind(Enum):
    """What a piece is, whatever its colour."""

    MAN = "man"
    KING = "king"
    PARACHUTIST = "parachutist"


class Piece(IntEnum):
    """What stands on a square; 0 to 4 equal the numbers that vision uses."""

    EMPTY = 0
    WHITE_MAN = 1
    WHITE_KING = 2
    BLACK_MAN = 3
    BLACK_KING = 4
    WHITE_PARACHUTIST = 5
    BLACK_PARACHUTIST = 6

    @property
    def colour(self) -> Colour | None:
        """Whose it is; None for EMPTY."""
        return _COLOUR[self]

    @property
    def kind(self) -> Kind | None:
        """What it is; None for EMPTY."""
        return _KIND[self]

    @property
    def letter(self) -> str:
        """Its letter in a placement: w b men, W B kings, x y parachutists, "." empty."""
        return LETTERS[self]


_COLOUR = (None, Colour.WHITE, Colour.WHITE, Colour.BLACK, Colour.BLACK, Colour.WHITE, Colour.BLACK)
_KIND = (None, Kind.MAN, Kind.KING, Kind.MAN, Kind.KING, Kind.PARACHUTIST, Kind.PARACHUTIST)
LETTERS = ".wWbBxy"

PIECES = tuple(Piece)
"""The pieces by number; faster than calling `Piece`."""


def piece_of(colour: Colour, kind: Kind) -> Piece:
    """Return the piece of a colour and kind."""
    return _PIECE_OF[colour, kind]


_PIECE_OF = {(piece.colour, piece.kind): piece for piece in PIECES if piece}


@dataclass(frozen=True, slots=True)
class Position:
    """A position.

    Attributes:
        cells: one byte a square of the whole board (columns * rows of them), each the number of a `Piece`.
        side: who is to move.
    """

    cells: bytes
    side: Colour

    def at(self, square: int) -> Piece:
        """Return what stands on a square."""
        return PIECES[self.cells[square]]


def read_placement(columns: int, rows: int, text: str) -> bytes:
    """Return the cells of a placement: ranks from the top, "/" between them, numbers for empty squares, letters for pieces.

    Raises:
        BadPosition: a letter that stands for nothing, or ranks that do not fill the board.
    """
    ranks = text.split("/")
    if len(ranks) != rows:
        raise BadPosition(f"the placement has {len(ranks)} ranks, this board has {rows}; separate ranks with '/'")
    read = [_read_rank(rank, columns, rows - index) for index, rank in enumerate(ranks)]
    return b"".join(reversed(read))


def _read_rank(text: str, columns: int, number: int) -> bytes:
    cells = bytearray()
    digits = ""
    for letter in text + " ":
        if letter in "0123456789":
            digits += letter
            if int(digits) > columns:
                break
            continue
        cells.extend(bytes(int(digits or "0")))
        digits = ""
        if letter == " ":
            break
        code = LETTERS.find(letter)
        if code < 0:
            raise BadPosition(f"{letter!r} in rank {number} stands for nothing; pieces are w b W B x y, '.' is empty")
        cells.append(code)
    if digits or len(cells) != columns:
        raise BadPosition(f"rank {number} ({text[:20]!r}) does not have {columns} squares")
    return bytes(cells)


def write_placement(columns: int, cells: bytes) -> str:
    """Return the placement of the cells, the inverse of `read_placement`."""
    ranks = []
    for start in range(len(cells) - columns, -1, -columns):
        text, empty = "", 0
        for code in cells[start : start + columns]:
            if code:
                text += (str(empty) if empty else "") + LETTERS[code]
                empty = 0
            else:
                empty += 1
        ranks.append(text + (str(empty) if empty else ""))
    return "/".join(ranks)
