"""Where a board was found in a picture: the answer of the finders."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.vision.view import BoardView


@dataclass(frozen=True, eq=False, slots=True)
class BoardFinding:
    """Where a board was found.

    Attributes:
        view: the pose; its board frame has White's rank 1 at the side `white_at` of the picture.
        white_at: "bottom", "right", "top" or "left".
        corners: shape (4, 2), px: the outer corners in picture order; of squares those of the plain grid (see `plain`), which
            four points mean wherever they are given. Where the field ends in the picture `view` tells.
        alternation: how well the squares alternate in brightness, up to 1; on a board of lines how many lines are seen.
        margin: lead of this window over the best other one, per square of one row.
        crossings: how many inner crossings were seen.
        continued: how well the squares go on alternating beyond the side where they do most, up to 1; see `board.MOST_CONTINUED`.
    """

    view: BoardView
    white_at: str
    corners: NDArray[np.float64]
    alternation: float
    margin: float
    crossings: int
    continued: float = 0.0

    @property
    def residual_squares(self) -> float:
        """Root mean square error of the crossings in sides of a square."""
        grid = self.view.grid
        return float(self.view.residual_px / square_px(self.corners, grid.columns - grid.lines, grid.rows - grid.lines))


def square_px(corners: NDArray[np.float64], columns: int, rows: int) -> float:
    """Return the mean side of a square in px, from four corners in order, shape (4, 2)."""
    perimeter = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).sum()
    return float(perimeter / (2 * (columns + rows)))
