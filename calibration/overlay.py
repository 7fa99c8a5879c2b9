"""A picture with what was found drawn over it: the grid, the discs where they should be seen, how far crossings miss."""

from collections.abc import Callable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.calibration.quality import PoseQuality
from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.view import BoardView

WIDTH_PX = 1280
"""Pictures are shown this wide: thin lines over a small picture would hide what they show."""
GRID, EDGE, MISS, BLIND = (80, 220, 80), (40, 255, 40), (40, 40, 255), (0, 140, 255)
DISC = {1: (255, 255, 255), 2: (30, 30, 30)}
ENLARGED = 10
"""Errors of crossings are drawn so many times longer than they are."""
_SHIFT = 4


def overlay(
    image: Image,
    view: BoardView,
    pose: PoseQuality | None = None,
    content: Mapping[int, Content] | None = None,
    blind: Mapping[int, str] | None = None,
) -> Image:
    """Draw over a copy of a picture, enlarged to a width of at least `WIDTH_PX`.

    Args:
        image: shape (h, w, 3).
        view: where the board is.
        pose: its crossings' errors are drawn enlarged.
        content: discs are outlined at their height where they should stand.
        blind: squares that are crossed out.
    """
    scale = max(1.0, WIDTH_PX / image.shape[1])
    canvas = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)

    def place(points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((view.project(points_mm) + 0.5) * scale - 0.5, dtype=np.float64)

    for line, outer in _lines(view):
        _draw(canvas, place(line), EDGE if outer else GRID, 2 if outer else 1)
    for square, stands in (content or {}).items():
        if stands is not Content.EMPTY:
            rim = place(_rim(view, square, stands))
            _draw(canvas, rim, (128, 128, 128), 3)
            _draw(canvas, rim, DISC[1 if stands.is_white else 2], 1)
    for square in blind or {}:
        middle, arm = view.centre_mm(square), 0.3 * view.sizes.square_mm
        for dx in (-arm, arm):
            _draw(canvas, place(np.array([middle - np.array([dx, arm, 0]), middle + np.array([dx, arm, 0])])), BLIND, 3)
    if pose is not None and pose.seen:
        for at, miss in zip(place(pose.points_mm), pose.errors_px, strict=True):
            cv2.circle(canvas, _whole(at), 3, MISS, 1, cv2.LINE_AA)
            _draw(canvas, np.array([at, at + ENLARGED * scale * miss]), MISS, 2)
    _label(canvas, view, place)
    return canvas


def _lines(view: BoardView) -> list[tuple[NDArray[np.float64], bool]]:
    """Return the grid's lines as chains of points, shape (n, 3): lenses bend them; and whether they are outer ones."""
    side, lines = view.sizes.square_mm, view.grid.lines
    columns, rows = view.grid.columns - lines, view.grid.rows - lines
    result = []
    for across, count, length in ((0, columns, rows), (1, rows, columns)):
        along = np.linspace(0, length * side, 4 * length + 1)
        for k in range(count + 1):
            points = np.zeros((len(along), 3))
            points[:, across], points[:, 1 - across] = k * side, along
            result.append((points, k in (0, count)))
    return result


def _rim(view: BoardView, square: int, stands: Content) -> NDArray[np.float64]:
    angle = np.linspace(0, 2 * np.pi, 33)
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(33)]) * view.sizes.disc_diameter_mm / 2
    return np.asarray(view.centre_mm(square, stands.discs * view.sizes.disc_height_mm) + circle, dtype=np.float64)


def _label(canvas: Image, view: BoardView, place: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> None:
    """Write the names of files and ranks beside the board."""
    grid, out = view.grid, (0.35 if not view.grid.lines else 0.6) * view.sizes.square_mm
    for file in range(grid.columns):
        _write(canvas, chr(ord("a") + file), place((view.centre_mm(file) * [1, 0, 1] - [0, out, 0])[None])[0])
    for rank in range(grid.rows):
        middle = view.centre_mm(rank * grid.columns)
        _write(canvas, str(rank + 1), place((middle * [0, 1, 1] - [out, 0, 0])[None])[0])


def _write(canvas: Image, text: str, at: NDArray[np.float64]) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.6, 2)
    corner = _whole(at + np.array([-width / 2, height / 2]))
    cv2.putText(canvas, text, corner, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 4, cv2.LINE_AA)
    cv2.putText(canvas, text, corner, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 255), 1, cv2.LINE_AA)


def _draw(canvas: Image, points: NDArray[np.float64], colour: tuple[int, int, int], width: int) -> None:
    fixed = np.rint(np.clip(points, -20000, 20000) * 2**_SHIFT).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(canvas, [fixed], False, colour, width, cv2.LINE_AA, _SHIFT)


def _whole(at: NDArray[np.float64]) -> tuple[int, int]:
    x, y = np.rint(np.clip(at, -20000, 20000)).astype(int).tolist()
    return int(x), int(y)
