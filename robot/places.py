"""Where discs can stand: squares and rack slots, in mm of the board frame.

Board frame: origin at the outer corner of a1, x along rank 1 from a to h, y along file a, z up from the board's surface.
"""

from dataclasses import dataclass
from enum import Enum


class Rack(Enum):
    """The two racks beside the board, one for the discs of each side."""

    WHITE = "white"
    BLACK = "black"


@dataclass(frozen=True, slots=True)
class Place:
    """A target of the gantry.

    Attributes:
        name: "c3" for a square, "white 5" for the fifth slot of White's rack (slots counted from 1).
        x_mm, y_mm: centre, board frame.
    """

    name: str
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Where squares and racks are. The one source of these places for the driver, the simulation and the match.

    White's rack stands beyond file a (x < 0), Black's beyond the last file. Slots fill from slot 1; each holds one disc.

    Attributes:
        columns, rows: of the board.
        square_mm: side of a square.
        disc_diameter_mm, disc_height_mm: of a disc.
        border_mm: width of the board's wooden frame.
        rack_columns, rack_rows: slots of each rack; slot 1 is nearest to the board at rank 1, then along y.
        lines: True if discs stand on crossings of lines (5x5 board): the first crossing is the frame's origin.
    """

    columns: int = 8
    rows: int = 8
    square_mm: float = 50.0
    disc_diameter_mm: float = 38.0
    disc_height_mm: float = 9.0
    border_mm: float = 25.0
    rack_columns: int = 2
    rack_rows: int = 10
    lines: bool = False

    @property
    def width_mm(self) -> float:
        """Extent of the playing field in x."""
        return (self.columns - self.lines) * self.square_mm

    @property
    def height_mm(self) -> float:
        """Extent of the playing field in y."""
        return (self.rows - self.lines) * self.square_mm

    @property
    def rack_pitch_mm(self) -> float:
        """Distance of two neighbouring slots. The magnet may hold a disc 9 mm off its axis: it must not land on the next one."""
        return self.disc_diameter_mm + 12.0

    @property
    def slots(self) -> int:
        """Number of slots of one rack."""
        return self.rack_columns * self.rack_rows

    def square(self, index: int) -> Place:
        """Return the centre of a square; `index` is rank * columns + file, a1 = 0."""
        rank, file = divmod(index, self.columns)
        if not (index >= 0 and rank < self.rows):
            raise ValueError(f"square {index} is not on a board of {self.columns} x {self.rows}")
        centre = 0.0 if self.lines else 0.5
        name = f"{chr(ord('a') + file)}{rank + 1}"
        return Place(name, (file + centre) * self.square_mm, (rank + centre) * self.square_mm)

    def rack_slot(self, rack: Rack, number: int) -> Place:
        """Return slot `number` (from 1) of a rack."""
        if not 1 <= number <= self.slots:
            raise ValueError(f"rack slot {number} is outside 1..{self.slots}")
        column, row = divmod(number - 1, self.rack_rows)
        pitch = self.rack_pitch_mm
        beside = self.border_mm + 0.5 * pitch + 8.0 + column * pitch
        x = -beside if rack is Rack.WHITE else self.width_mm + beside
        middle = 0.5 * self.height_mm
        return Place(f"{rack.value} {number}", x, middle + (row - 0.5 * (self.rack_rows - 1)) * pitch)


@dataclass(frozen=True, slots=True)
class Transfer:
    """Carry ONE disc, the uppermost of a place, to the top of another place.

    The magnet lifts one disc at a time. A king (two discs) therefore travels as two transfers between the same places: both discs
    have one colour, so the order in the stack does not matter and no third place is needed.

    Attributes:
        source, target: the places.
        source_discs: how many discs lie on `source` before (1 or more); the uppermost is taken.
        target_discs: how many discs lie on `target` before (0: the disc is put on the board).
    """

    source: Place
    target: Place
    source_discs: int = 1
    target_discs: int = 0
