"""What can stand on the places of a board, as vision is told it: plain values, no rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol


class Content(IntEnum):
    """What stands on one place; the numbers are the columns of `BoardReading.log_likelihood`."""

    EMPTY = 0
    WHITE_MAN = 1
    WHITE_KING = 2
    BLACK_MAN = 3
    BLACK_KING = 4

    @property
    def is_white(self) -> bool:
        """True for White's man and king."""
        return self in (Content.WHITE_MAN, Content.WHITE_KING)

    @property
    def is_black(self) -> bool:
        """True for Black's man and king."""
        return self in (Content.BLACK_MAN, Content.BLACK_KING)

    @property
    def discs(self) -> int:
        """How many discs lie on the place: 0, 1 for a man, 2 for a king."""
        return (0, 1, 2, 1, 2)[self]


LETTER_OF_CONTENT: Mapping[Content, str] = {
    Content.EMPTY: ".",
    Content.WHITE_MAN: "w",
    Content.WHITE_KING: "W",
    Content.BLACK_MAN: "b",
    Content.BLACK_KING: "B",
}
"""The letters of `rows` in the command line's JSON."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The places of a board.

    Everywhere in Damludo a place is one integer: `rank * columns + file`, counted from 0, so a1 is 0 and b1 is 1.

    Attributes:
        columns: number of files.
        rows: number of ranks.
        playable: the places where discs may stand, in rising order.
        lines: True for a board whose places are crossings of lines (5x5); the outer corners of the board are then
            the four outer crossings, not the corners of the outer squares.
    """

    columns: int
    rows: int
    playable: tuple[int, ...]
    lines: bool = False


@dataclass(frozen=True, slots=True)
class BoardSizes:
    """What a camera alone cannot know, in mm: measured by the user once.

    Attributes:
        square_mm: side of one square (distance of two crossings on a line board).
        disc_diameter_mm: diameter of a disc.
        disc_height_mm: height of one disc; a king is two discs high.
    """

    square_mm: float = 50.0
    disc_diameter_mm: float = 38.0
    disc_height_mm: float = 9.0


class Outcome(Protocol):
    """One possible state of the board, given by the caller (a legal move, an unfinished one, nothing moved, ...)."""

    @property
    def content(self) -> Mapping[int, Content]:
        """What would stand where, for every playable place."""

    @property
    def log_prior(self) -> float:
        """Natural logarithm of the (unnormalised) prior probability."""
