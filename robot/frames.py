"""The frames of board and gantry, and the map between them.

Board frame: origin at the outer corner of a1, x along rank 1, y along file a, z up from the board's surface.
Gantry frame: x and y in mm away from the home corner, z up, 0 at the lower end of the vertical travel.
"""

import math
from dataclasses import dataclass

from damludo.robot.errors import RobotError


@dataclass(frozen=True, slots=True)
class GantryPoint:
    """A point of the gantry frame, mm: where the magnet's lower face is."""

    x_mm: float
    y_mm: float
    z_mm: float

    def distance_mm(self, other: "GantryPoint") -> float:
        """Return the straight distance to another point."""
        return math.dist((self.x_mm, self.y_mm, self.z_mm), (other.x_mm, other.y_mm, other.z_mm))


@dataclass(frozen=True, slots=True)
class GantryMap:
    """Board frame to gantry frame: an affine map of the plane and a height.

    gantry x = xx * board x + xy * board y + x0_mm; gantry y = yx * board x + yy * board y + y0_mm.

    Attributes:
        xx, xy, yx, yy: the linear part, row by row.
        x0_mm, y0_mm: where the board's origin is, gantry frame.
        surface_z_mm: z of the gantry at which the magnet's face touches the bare board.

    Raises:
        RobotError: a number is not finite, or the map cannot be inverted.
    """

    xx: float = 1.0
    xy: float = 0.0
    yx: float = 0.0
    yy: float = 1.0
    x0_mm: float = 0.0
    y0_mm: float = 0.0
    surface_z_mm: float = 0.0

    def __post_init__(self) -> None:
        numbers = (self.xx, self.xy, self.yx, self.yy, self.x0_mm, self.y0_mm, self.surface_z_mm)
        if not all(map(math.isfinite, numbers)) or abs(self.determinant) < 1e-3:
            raise RobotError(
                f"the map from board to gantry is not usable (numbers {numbers}); measure it with 'damludo calibrate gantry'"
            )

    @property
    def determinant(self) -> float:
        """Area scale of the map; negative if the two frames are mirrored."""
        return self.xx * self.yy - self.xy * self.yx

    @property
    def out_of_square_rad(self) -> float:
        """How far the images of the board's axes are from a right angle; 0 for a square machine."""
        dot = self.xx * self.xy + self.yx * self.yy
        return math.asin(max(-1.0, min(1.0, dot / (math.hypot(self.xx, self.yx) * math.hypot(self.xy, self.yy)))))

    @property
    def scales(self) -> tuple[float, float]:
        """Gantry mm per board mm along the board's x and y."""
        return math.hypot(self.xx, self.yx), math.hypot(self.xy, self.yy)

    def to_gantry(self, x_mm: float, y_mm: float, height_mm: float = 0.0) -> GantryPoint:
        """Carry a point of the board frame (height above the surface) to the gantry frame."""
        return GantryPoint(
            self.xx * x_mm + self.xy * y_mm + self.x0_mm,
            self.yx * x_mm + self.yy * y_mm + self.y0_mm,
            self.surface_z_mm + height_mm,
        )

    def to_board(self, point: GantryPoint) -> tuple[float, float, float]:
        """Carry a point of the gantry frame to the board frame: x, y, height above the surface, mm."""
        x, y = point.x_mm - self.x0_mm, point.y_mm - self.y0_mm
        det = self.determinant
        return (self.yy * x - self.xy * y) / det, (self.xx * y - self.yx * x) / det, point.z_mm - self.surface_z_mm
