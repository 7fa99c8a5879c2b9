"""Boards: which squares there are, what they are called, which lines run over them.

A square is one integer everywhere in Damludo: `rank * columns + file`, counted from 0, so a1 is 0 and b1 is 1. This holds for
boards where only the dark squares are used and for the 5x5 line board too.
"""

from dataclasses import dataclass, replace

from damludo.rules.errors import NoSuchSquare

FILES = "abcdefghijkl"

Step = tuple[int, int]
"""(files to the right, ranks up) from one square to the next of a line."""

N: Step = (0, 1)
NE: Step = (1, 1)
E: Step = (1, 0)
SE: Step = (1, -1)
S: Step = (0, -1)
SW: Step = (-1, -1)
W: Step = (-1, 0)
NW: Step = (-1, 1)

FORWARD_DIAGONALS = (NW, NE)
DIAGONALS = (NW, NE, SW, SE)
ORTHOGONALS = (N, E, S, W)
ALL_DIRECTIONS = (NW, N, NE, W, E, SW, S, SE)


@dataclass(frozen=True, slots=True)
class Board:
    """A board and the names of its squares.

    Attributes:
        columns: number of files.
        rows: number of ranks.
        playable: squares where discs may stand, rising.
        numbers: the square of field number 1, 2, ...; every board can be read by numbers.
        numeric: True when the game itself writes field numbers, False when it writes a1, b2, ...
        lines: True for crossings joined by lines, where diagonals leave only the crossings with an even sum of file and rank.
    """

    columns: int
    rows: int
    playable: tuple[int, ...]
    numbers: tuple[int, ...]
    numeric: bool = False
    lines: bool = False

    def name(self, square: int) -> str:
        """Return the algebraic name, "c3"."""
        rank, file = divmod(square, self.columns)
        return f"{FILES[file]}{rank + 1}"

    def square(self, name: str) -> int:
        """Return the square of an algebraic name ("c3", "C3").

        Raises:
            NoSuchSquare: not a name, outside the board, or not a square of this game.
        """
        file = FILES.find(name[:1].lower()) if name else -1
        digits = name[1:]
        # isascii: int() would also read other scripts' digits; two digits are enough for 12 ranks.
        if file < 0 or not (digits.isascii() and digits.isdigit() and len(digits) <= 2):
            raise NoSuchSquare(f"{name[:20]!r} is not a square; squares are written like c3")
        rank = int(digits) - 1
        square = rank * self.columns + file
        if not (file < self.columns and 0 <= rank < self.rows) or square not in self.playable:
            raise NoSuchSquare(f"{name} is not a square of this {self.columns}x{self.rows} board")
        return square

    def number(self, square: int) -> int:
        """Return the field number, counted from 1."""
        return self.numbers.index(square) + 1

    def numbered(self, number: int) -> int:
        """Return the square of a field number.

        Raises:
            NoSuchSquare: the number is below 1 or above the number of fields.
        """
        if not 1 <= number <= len(self.numbers):
            raise NoSuchSquare(f"field {number} does not exist; this board has fields 1 to {len(self.numbers)}")
        return self.numbers[number - 1]

    def own_name(self, square: int) -> str:
        """Return the name the game itself writes: a field number or an algebraic name."""
        return str(self.number(square)) if self.numeric else self.name(square)

    def ray(self, square: int, step: Step) -> tuple[int, ...]:
        """Return the squares reached from `square` by one, two, ... steps, up to the edge."""
        if self.lines and step[0] and step[1] and sum(divmod(square, self.columns)) % 2:
            return ()  # a diagonal keeps the parity of file + rank: the first crossing decides for the whole line
        rank, file = divmod(square, self.columns)
        reached: list[int] = []
        while True:
            file, rank = file + step[0], rank + step[1]
            if not (0 <= file < self.columns and 0 <= rank < self.rows):
                return tuple(reached)
            reached.append(rank * self.columns + file)


def chequered(size: int, *, numeric: bool = False, a1_playable: bool = True) -> Board:
    """Return a square board where only one colour of squares is used; numbers run from the top left, as White sees it."""
    parity = 0 if a1_playable else 1
    squares = [square for square in range(size * size) if sum(divmod(square, size)) % 2 == parity]
    return Board(size, size, tuple(squares), _from_top_left(squares, size), numeric)


def full(size: int) -> Board:
    """Return a square board with discs on all squares."""
    squares = list(range(size * size))
    return Board(size, size, tuple(squares), _from_top_left(squares, size))


def lattice(size: int) -> Board:
    """Return a line board of `size` x `size` crossings."""
    return replace(full(size), lines=True)


def numbered_from_bottom_right(board: Board) -> Board:
    """Return the board numbered from White's bottom right, right to left and upwards."""
    return replace(board, numbers=tuple(reversed(board.numbers)))


def _from_top_left(squares: list[int], columns: int) -> tuple[int, ...]:
    return tuple(sorted(squares, key=lambda square: (-(square // columns), square)))
