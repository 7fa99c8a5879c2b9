"""Draws onto a picture what the eyes make of it: grid, readings with their confidence, what hides the board, words."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import LETTER_OF_CONTENT, Content
from damludo.vision.frame import Image
from damludo.vision.reading import BoardReading
from damludo.vision.region import Region
from damludo.vision.view import BoardView

GRID, SURE, DOUBTFUL, HIDDEN, WORDS = (200, 160, 40), (80, 220, 80), (40, 140, 255), (40, 40, 230), (255, 255, 255)
"""Colours, BGR."""
SURE_ENOUGH = 0.95
STEPS = 4
"""A grid line is drawn in so many pieces, so that it bends with the lens."""


def draw_overlay(
    image: Image,
    view: BoardView,
    reading: BoardReading | None = None,
    mask: NDArray[np.uint8] | None = None,
    region: Region | None = None,
    words: Sequence[str] = (),
) -> Image:
    """Return a copy of a picture with what is known of it.

    Args:
        image: shape (h, w, 3).
        view: where the board is.
        reading: the newest one, if the board was read.
        mask: what hides the board, 1 = hidden, at the reduced size of `region`.
        region: the watched part of the picture; needed with a mask.
        words: lines of text, written into the upper left corner.
    """
    canvas = image.copy()
    if mask is not None and region is not None:
        _tint(canvas, mask, region)
    _draw_grid(canvas, view)
    if reading is not None:
        _draw_reading(canvas, view, reading)
    for number, line in enumerate(words):
        _write(canvas, line, (8, 20 + 20 * number), WORDS, 0.5)
    return canvas


def _tint(canvas: Image, mask: NDArray[np.uint8], region: Region) -> None:
    size = (region.x1 - region.x0, region.y1 - region.y0)
    wide = cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST) > 0
    part = canvas[region.y0 : region.y1, region.x0 : region.x1]
    part[wide] = (0.5 * part[wide] + 0.5 * np.array(HIDDEN)).astype(np.uint8)


def _draw_grid(canvas: Image, view: BoardView) -> None:
    grid, side = view.grid, view.sizes.square_mm
    columns, rows = grid.columns - grid.lines, grid.rows - grid.lines
    ends = [((x, 0), (x, rows)) for x in range(columns + 1)] + [((0, y), (columns, y)) for y in range(rows + 1)]
    for start, end in ends:
        points = np.linspace(start, end, STEPS + 1) * side
        seen = view.project(np.column_stack([points, np.zeros(len(points))]))
        cv2.polylines(canvas, [np.round(seen * 8).astype(np.int32)], False, GRID, 1, cv2.LINE_AA, 3)


def _draw_reading(canvas: Image, view: BoardView, reading: BoardReading) -> None:
    probability = reading.probability()
    for place, content in reading.most_likely().items():
        sure = float(probability[place].max())
        if content is Content.EMPTY and sure >= SURE_ENOUGH:
            continue
        x, y = view.project(view.centre_mm(place, content.discs * view.sizes.disc_height_mm)[None])[0]
        colour = SURE if sure >= SURE_ENOUGH else DOUBTFUL
        _write(
            canvas, f"{LETTER_OF_CONTENT[content]}{round(99 * sure):02d}", (round(x) - 12, round(y) + 5), colour, 0.4
        )


def _write(canvas: Image, text: str, at: tuple[int, int], colour: tuple[int, int, int], size: float) -> None:
    """Write light letters on a dark rim: they are read on any wood."""
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)
