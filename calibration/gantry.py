"""Board frame to gantry frame, from points measured in both."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from damludo.calibration.errors import BadFit
from damludo.robot.frames import GantryMap

LIMIT_MM = 2.0
"""A disc must land within 15 % of a square of 50 mm (7 mm); grip and picture take their share of that, so 2 mm are left."""
MIN_SPREAD_MM = 20.0
"""Points that spread less than this in any direction say nothing about the direction."""
MAX_SCALE_ERROR = 0.1
"""More means wrong steps per mm, or a square's side that was not measured: no map can mend that."""
MAX_SHEAR_RAD = math.radians(3.0)


class Kind(Enum):
    """What the map may do."""

    SIMILARITY = "similarity"
    AFFINE = "affine"


@dataclass(frozen=True, slots=True)
class PointPair:
    """One point in both frames: a place of the board, and where the carriage stood above it. All mm."""

    board_x_mm: float
    board_y_mm: float
    gantry_x_mm: float
    gantry_y_mm: float


@dataclass(frozen=True, slots=True)
class GantryFit:
    """A map and how well it fits.

    Attributes:
        board: the map.
        kind: similarity (turn, one scale, shift, perhaps mirror) or affine.
        residuals_mm: distance of every pair from the map, in gantry mm.
    """

    board: GantryMap
    kind: Kind
    residuals_mm: tuple[float, ...]

    @property
    def rms_mm(self) -> float:
        """Root mean square of the residuals."""
        return math.sqrt(sum(r * r for r in self.residuals_mm) / len(self.residuals_mm))

    @property
    def worst_mm(self) -> float:
        """Greatest residual."""
        return max(self.residuals_mm)

    @property
    def out_of_square_rad(self) -> float:
        """How far the machine's axes are from a right angle; 0 for a similarity."""
        return self.board.out_of_square_rad


def fit_gantry(
    pairs: Sequence[PointPair],
    surface_z_mm: float = 0.0,
    kind: Kind | None = None,
    limit_mm: float = LIMIT_MM,
) -> GantryFit:
    """Fit the map from the board frame to the gantry frame by least squares.

    Args:
        pairs: at least three, not on one line.
        surface_z_mm: gantry z at which the magnet touches the bare board.
        kind: if not given, affine from four pairs on; with three an affine map would fit any mistake exactly.
        limit_mm: greatest residual that is accepted.

    Raises:
        BadFit: too few or degenerate points, or a residual, scale or angle beyond its limit.
    """
    if len(pairs) < 3:
        raise BadFit(
            f"{len(pairs)} points were measured, at least 3 are needed; measure more with 'damludo calibrate gantry'"
        )
    points = np.array([[p.board_x_mm, p.board_y_mm, p.gantry_x_mm, p.gantry_y_mm] for p in pairs], dtype=np.float64)
    if not np.isfinite(points).all():
        raise BadFit("a measured point is not a number; measure again with 'damludo calibrate gantry'")
    board, gantry = points[:, :2], points[:, 2:]
    _check_spread(board)
    used = kind if kind is not None else (Kind.AFFINE if len(pairs) > 3 else Kind.SIMILARITY)
    linear, shift = _affine(board, gantry) if used is Kind.AFFINE else _similarity(board, gantry)
    residuals = np.linalg.norm(board @ linear.T + shift - gantry, axis=1)
    _check_residuals(residuals, limit_mm)
    _check_shape(linear)
    xx, xy, yx, yy = (float(v) for v in linear.ravel())
    board_map = GantryMap(xx, xy, yx, yy, float(shift[0]), float(shift[1]), surface_z_mm)
    return GantryFit(board_map, used, tuple(float(r) for r in residuals))


def _check_spread(board: NDArray[np.float64]) -> None:
    centred = board - board.mean(axis=0)
    spread = float(np.linalg.svd(centred, compute_uv=False)[-1])
    if spread < MIN_SPREAD_MM:
        raise BadFit(
            f"the points lie on one line (spread {spread:.1f} mm, at least {MIN_SPREAD_MM:.0f} mm are needed); "
            f"measure places in different corners of the board"
        )


def _affine(board: NDArray[np.float64], gantry: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    design = np.column_stack([board, np.ones(len(board))])
    solution = np.asarray(np.linalg.lstsq(design, gantry, rcond=None)[0], dtype=np.float64)
    return solution[:2].T, solution[2]


def _similarity(
    board: NDArray[np.float64], gantry: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit turn, scale and shift; a mirrored frame is allowed, since an axis may be homed at its other end.

    Source: S. Umeyama, Least-squares estimation of transformation parameters (1991), without the sign correction that
    forbids mirroring.
    """
    board_mean, gantry_mean = board.mean(axis=0), gantry.mean(axis=0)
    b, g = board - board_mean, gantry - gantry_mean
    u, singular, vt = np.linalg.svd(g.T @ b)
    linear = (u @ vt) * (singular.sum() / (b * b).sum())
    return linear, gantry_mean - linear @ board_mean


def _check_residuals(residuals: NDArray[np.float64], limit_mm: float) -> None:
    worst = int(np.argmax(residuals))
    if residuals[worst] > limit_mm:
        raise BadFit(
            f"point {worst + 1} misses the map by {residuals[worst]:.1f} mm (limit {limit_mm:.1f} mm); measure that point again, "
            f"then look for a loose belt"
        )


def _check_shape(linear: NDArray[np.float64]) -> None:
    scales = np.linalg.norm(linear, axis=0)
    for axis, scale in zip("xy", scales, strict=True):
        if abs(scale - 1.0) > MAX_SCALE_ERROR:
            raise BadFit(
                f"the gantry moves {scale:.3f} mm for each mm of the board's {axis} (allowed 1 +- {MAX_SCALE_ERROR}); check the "
                f"square's side (--square-mm) and the steps per mm ('damludo gantry settings')"
            )
    shear = math.asin(float(np.clip(linear[:, 0] @ linear[:, 1] / (scales[0] * scales[1]), -1.0, 1.0)))
    if abs(shear) > MAX_SHEAR_RAD:
        raise BadFit(
            f"the axes are {math.degrees(shear):.1f} degrees out of square (allowed {math.degrees(MAX_SHEAR_RAD):.0f}); "
            f"align the frame of the machine, or measure the points again"
        )
