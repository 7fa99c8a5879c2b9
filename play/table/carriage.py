"""Where the machine's moving parts are in the picture: what the eyes must not take for a hand."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from damludo.vision.motion import Outline
from damludo.vision.view import BoardView


@dataclass(frozen=True, slots=True)
class CarriageShape:
    """Outer measures of the gantry's moving parts, mm; generous, since a strip too wide hides little.

    Attributes:
        beam_half_width_mm: of the beam that crosses the board along x and moves in y.
        beam_low_mm, beam_high_mm: heights of its lower and upper side above the board.
        beam_overhang_mm: how far it reaches beyond the board on both sides.
        head_half_width_mm: of the head that rides on the beam and reaches down to the magnet.
    """

    beam_half_width_mm: float = 24.0
    beam_low_mm: float = 100.0
    beam_high_mm: float = 155.0
    beam_overhang_mm: float = 140.0
    head_half_width_mm: float = 34.0


def carriage_outlines(
    view: BoardView, shape: CarriageShape, path_mm: Sequence[tuple[float, float, float]]
) -> tuple[Outline, Outline]:
    """Return the convex outlines of the beam, and of the head with what it carries, wherever on a stretch of the way they are.

    Two outlines and not one: the hull of both would hide the corners between beam and head, where hands reach in.

    Args:
        path_mm: points of the magnet's face, board frame (x, y, height); at least one.
    """
    width = float(view.outer_corners_mm()[1, 0])
    beam: list[tuple[float, float, float]] = []
    head: list[tuple[float, float, float]] = []
    for x, y, z in path_mm:
        beam += _box(
            (-shape.beam_overhang_mm, width + shape.beam_overhang_mm),
            (y - shape.beam_half_width_mm, y + shape.beam_half_width_mm),
            (shape.beam_low_mm, shape.beam_high_mm),
        )
        head += _box(
            (x - shape.head_half_width_mm, x + shape.head_half_width_mm),
            (y - shape.head_half_width_mm, y + shape.head_half_width_mm),
            (max(0.0, z - view.sizes.disc_height_mm), shape.beam_high_mm),
        )
    return _hull(view, beam), _hull(view, head)


def _hull(view: BoardView, corners: list[tuple[float, float, float]]) -> Outline:
    points = view.project(np.array(corners)).astype(np.float32)
    return np.asarray(cv2.convexHull(points), dtype=np.float64).reshape(-1, 2)


def _box(xs: tuple[float, float], ys: tuple[float, float], zs: tuple[float, float]) -> list[tuple[float, float, float]]:
    return [(x, y, z) for x in xs for y in ys for z in zs]
