"""Where board and camera stand to each other: the pose that carries points of the board into the picture."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import BoardSizes, Grid
from damludo.vision.errors import BadPose


@dataclass(frozen=True, eq=False, slots=True)
class BoardView:
    """A pin-hole camera with one radial term looking at a board.

    Attributes:
        grid, sizes: the board and its discs.
        image_size: (width, height) of the picture in px.
        focal_px: focal length; the principal point is the picture's centre ((w - 1) / 2, (h - 1) / 2).
        k1: first radial distortion coefficient (OpenCV's model).
        rotation_vector: shape (3,), Rodrigues vector of camera_from_board.
        translation_mm: shape (3,), camera_from_board: origin of the board frame in the camera frame.
        residual_px: root mean square error of the crossings that this pose was fitted to.
    """

    grid: Grid
    sizes: BoardSizes
    image_size: tuple[int, int]
    focal_px: float
    k1: float
    rotation_vector: NDArray[np.float64]
    translation_mm: NDArray[np.float64]
    residual_px: float = 0.0

    @property
    def camera_matrix(self) -> NDArray[np.float64]:
        """The 3x3 matrix K."""
        width, height = self.image_size
        return np.array(
            [[self.focal_px, 0.0, (width - 1) / 2], [0.0, self.focal_px, (height - 1) / 2], [0.0, 0.0, 1.0]]
        )

    @property
    def distortion(self) -> NDArray[np.float64]:
        """OpenCV's vector (k1, k2, p1, p2) with k1 alone."""
        return np.array([self.k1, 0.0, 0.0, 0.0])

    def project(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Carry points of the board frame into the picture.

        Args:
            points_mm: shape (n, 3), board frame (origin at the outer corner of a1, x along rank 1, y along file a, z up).

        Returns:
            Shape (n, 2), columns x, y, px; (0, 0) is the centre of the first pixel.

        Raises:
            BadPose: the pose holds no finite numbers.
        """
        points, _ = cv2.projectPoints(
            np.asarray(points_mm, dtype=np.float64).reshape(-1, 1, 3),
            self.rotation_vector,
            self.translation_mm,
            self.camera_matrix,
            self.distortion,
        )
        found = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        if not np.isfinite(found).all():
            raise BadPose("the camera pose holds no finite numbers; let the board be found again in a new picture")
        return found

    def centre_mm(self, place: int, z_mm: float = 0.0) -> NDArray[np.float64]:
        """Return the centre of a place (rank * columns + file), shape (3,), board frame."""
        rank, file = divmod(place, self.grid.columns)
        centre = 0.0 if self.grid.lines else 0.5
        side = self.sizes.square_mm
        return np.array([(file + centre) * side, (rank + centre) * side, z_mm])

    def outer_corners_mm(self) -> NDArray[np.float64]:
        """Return the corners at a1, at the last file of rank 1, opposite, at the last rank of file a; shape (4, 3)."""
        width = (self.grid.columns - self.grid.lines) * self.sizes.square_mm
        height = (self.grid.rows - self.grid.lines) * self.sizes.square_mm
        return np.array([[0.0, 0.0, 0.0], [width, 0.0, 0.0], [width, height, 0.0], [0.0, height, 0.0]])


def grid_of(columns: int, rows: int, playable: tuple[int, ...] | None = None) -> Grid:
    """Return a grid; all places are playable unless told otherwise."""
    return Grid(columns, rows, tuple(range(columns * rows)) if playable is None else playable)
