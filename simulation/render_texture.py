"""Wood, and the board and racks made of it, seen straight from above: textures in mm of the board frame."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.robot.places import Rack, TableLayout
from damludo.vision.frame import Image

Float32 = NDArray[np.float32]
Bgr = tuple[int, int, int]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in mm of the board frame."""

TEXELS_PER_MM = 2.0
SHEET = 1200
"""Side of a sheet of grain, texels."""
SHEETS = 3
"""Different sheets that boards and discs are cut from."""


@lru_cache(maxsize=8)
def grain_sheet(variant: int) -> Float32:
    """Return wood grain along x: shape (SHEET, SHEET), mean 0, standard deviation 1."""
    random = np.random.default_rng([variant, 0x600D])
    noise = random.standard_normal((SHEET, SHEET)).astype(np.float32)
    # What is smooth over 90 texels can be made eight times coarser.
    coarse = cv2.GaussianBlur(noise[::8, ::8].copy(), (0, 0), sigmaX=90 / 8, sigmaY=14 / 8)
    waves = _normal(cv2.resize(coarse, (SHEET, SHEET), interpolation=cv2.INTER_CUBIC))
    across = np.linspace(0, SHEET / 16.0, SHEET, dtype=np.float32)[:, None]
    rings = np.sin(across * 2.0 + 2.4 * waves) + 0.5 * np.sin(across * 5.3 + 3.1 * waves)
    noise = random.standard_normal((SHEET, SHEET)).astype(np.float32)
    fibres = _normal(cv2.GaussianBlur(noise, (0, 0), sigmaX=22, sigmaY=0.8))
    pores = _normal(cv2.GaussianBlur(np.roll(noise, 301, axis=0), (0, 0), sigmaX=7, sigmaY=0.6))
    pores = -np.maximum(pores - 1.3, 0)
    return _normal(0.55 * rings + 0.6 * fibres + 0.7 * pores + 0.45 * waves)


def _normal(values: NDArray[np.float32] | cv2.typing.MatLike) -> Float32:
    array = np.asarray(values, dtype=np.float32)
    return np.asarray((array - array.mean()) / array.std(), dtype=np.float32)


def stain(grain: Float32, colour: Bgr, contrast: float) -> Float32:
    """Paint grain, shape (h, w): shape (h, w, 3). Dark fibres are browner, so blue varies most."""
    shades = np.array([1.25, 1.0, 0.85], dtype=np.float32) * np.float32(contrast)
    return np.asarray(np.array(colour, dtype=np.float32) * (1.0 + grain[..., None] * shades), dtype=np.float32)


def rack_box(layout: TableLayout, white: bool) -> Box:
    """Return the outline of a rack's tray."""
    pitch = layout.rack_pitch_mm
    middle, half = 0.5 * layout.height_mm, 0.5 * layout.rack_rows * pitch + 5.0
    inner = layout.border_mm + 5.0
    outer = layout.border_mm + 8.0 + layout.rack_columns * pitch + 5.0
    if white:
        return -outer, middle - half, -inner, middle + half
    return layout.width_mm + inner, middle - half, layout.width_mm + outer, middle + half


def board_box(layout: TableLayout) -> Box:
    """Return the outline of the board with its frame."""
    edge = layout.border_mm
    return -edge, -edge, layout.width_mm + edge, layout.height_mm + edge


@dataclass(frozen=True, eq=False, slots=True)
class Texture:
    """A picture of a horizontal plane, seen from above with y upwards.

    Attributes:
        colour: shape (h, w, 3), float32, BGR 0..255.
        cover: shape (h, w), float32, 1 where something is.
        x0_mm, y1_mm: left and upper edge (pixel edges, not centres).
    """

    colour: Float32
    cover: Float32
    x0_mm: float
    y1_mm: float

    def layers(self) -> Image:
        """Return colour and cover as one picture, shape (h, w, 4)."""
        return np.asarray(np.clip(np.dstack([self.colour, self.cover * 255]) + 0.5, 0, 255), dtype=np.uint8)

    def place(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Carry points, shape (n, 2) in mm, to texels (0, 0 = centre of the first)."""
        scaled = (np.asarray(points_mm) - (self.x0_mm, self.y1_mm)) * (TEXELS_PER_MM, -TEXELS_PER_MM)
        return np.asarray(scaled - 0.5, dtype=np.float64)

    def window(self, box: Box) -> tuple[slice, slice]:
        """Return rows and columns of a box."""
        x0, y0, x1, y1 = box
        columns = slice(round((x0 - self.x0_mm) * TEXELS_PER_MM), round((x1 - self.x0_mm) * TEXELS_PER_MM))
        rows = slice(round((self.y1_mm - y1) * TEXELS_PER_MM), round((self.y1_mm - y0) * TEXELS_PER_MM))
        return rows, columns


@dataclass(frozen=True, slots=True)
class Woods:
    """What the board is made of (see `Paint`), and the seed of its grain."""

    light: Bgr
    dark: Bgr
    frame: Bgr
    contrast: float
    a1_dark: bool
    seed: int


@lru_cache(maxsize=4)
def furniture(layout: TableLayout, woods: Woods) -> Texture:
    """Return board, frame and racks from above."""
    margin = 6.0
    left, right = rack_box(layout, white=True), rack_box(layout, white=False)
    board = board_box(layout)
    x0, x1 = left[0] - margin, right[2] + margin
    y0, y1 = min(board[1], left[1]) - margin, max(board[3], left[3]) + margin
    shape = (round((y1 - y0) * TEXELS_PER_MM), round((x1 - x0) * TEXELS_PER_MM))
    texture = Texture(np.zeros((*shape, 3), np.float32), np.zeros(shape, np.float32), x0, y1)
    random = np.random.default_rng([woods.seed, 0xB0A7D])
    for rack, box in ((Rack.WHITE, left), (Rack.BLACK, right)):
        _tray(texture, layout, rack, box, woods, random)
    _frame(texture, board, layout, woods, random)
    if layout.lines:
        _lines(texture, layout, woods, random)
    else:
        _squares(texture, layout, woods, random)
    return texture


def _piece(random: np.random.Generator, rows: int, columns: int, upright: bool) -> Float32:
    """Cut a piece of wood: its grain runs along x, or along y if upright; larger than a sheet it is mirrored."""
    sheet = grain_sheet(int(random.integers(SHEETS)))
    height, width = (columns, rows) if upright else (rows, columns)
    y = int(random.integers(max(1, SHEET - height)))
    x = int(random.integers(max(1, SHEET - width)))
    piece = sheet[y : y + height, x : x + width]
    short = (0, max(0, height - piece.shape[0])), (0, max(0, width - piece.shape[1]))
    piece = np.pad(piece, short, mode="reflect")[:: int(random.choice([-1, 1])), :: int(random.choice([-1, 1]))]
    return np.ascontiguousarray(piece.T if upright else piece)


def _lay(texture: Texture, box: Box, colour: Bgr, contrast: float, random: np.random.Generator, upright: bool) -> None:
    rows, columns = texture.window(box)
    piece = _piece(random, rows.stop - rows.start, columns.stop - columns.start, upright)
    shade = 1.0 + 0.03 * float(random.standard_normal())
    texture.colour[rows, columns] = stain(piece, colour, contrast) * np.float32(shade)
    texture.cover[rows, columns] = 1.0


def _squares(texture: Texture, layout: TableLayout, woods: Woods, random: np.random.Generator) -> None:
    side = layout.square_mm
    for rank in range(layout.rows):
        for file in range(layout.columns):
            dark = ((file + rank) % 2 == 0) == woods.a1_dark
            box = (file * side, rank * side, (file + 1) * side, (rank + 1) * side)
            _lay(texture, box, woods.dark if dark else woods.light, woods.contrast, random, upright=not dark)
            rows, columns = texture.window(box)
            # Veneers never meet without a hair of glue and shade.
            for row, column in ((rows.start, columns), (rows.stop - 1, columns), (rows, columns.start)):
                texture.colour[row, column] *= np.float32(0.94)
            texture.colour[rows, columns.stop - 1] *= np.float32(0.94)


def _frame(texture: Texture, box: Box, layout: TableLayout, woods: Woods, random: np.random.Generator) -> None:
    x0, y0, x1, y1 = box
    edge = layout.border_mm
    _lay(texture, (x0, y0, x1, y0 + edge), woods.frame, woods.contrast, random, upright=False)
    _lay(texture, (x0, y1 - edge, x1, y1), woods.frame, woods.contrast, random, upright=False)
    for left in (x0, x1 - edge):
        rows, columns = texture.window((left, y0, left + edge, y1))
        piece = _piece(random, rows.stop - rows.start, columns.stop - columns.start, upright=True)
        wood = stain(piece, woods.frame, woods.contrast) * np.float32(0.96)
        mitred = _mitre(wood.shape[0], wood.shape[1], inner_right=left == x0)
        target = texture.colour[rows, columns]
        target[mitred] = wood[mitred]
        texture.cover[rows, columns] = 1.0
    _groove(texture, box, 0.8, 0.72)
    _groove(texture, (x0 + 4, y0 + 4, x1 - 4, y1 - 4), 0.6, 1.08)
    if not layout.lines:
        _groove(texture, (-2.0, -2.0, layout.width_mm + 2.0, layout.height_mm + 2.0), 2.0, 0.45)


def _mitre(rows: int, columns: int, inner_right: bool) -> NDArray[np.bool_]:
    """Where an upright side of the frame lies above the level sides: cut at 45 degrees at both ends."""
    y, x = np.mgrid[0:rows, 0:columns]
    inward = x if inner_right else columns - 1 - x
    return np.asarray((y >= inward) & (rows - 1 - y >= inward))


def _groove(texture: Texture, box: Box, width_mm: float, factor: float) -> None:
    """Darken (or lighten) a line along the inside of a box."""
    x0, y0, x1, y1 = box
    for part in (
        (x0, y0, x1, y0 + width_mm),
        (x0, y1 - width_mm, x1, y1),
        (x0, y0 + width_mm, x0 + width_mm, y1 - width_mm),
        (x1 - width_mm, y0 + width_mm, x1, y1 - width_mm),
    ):
        texture.colour[texture.window(part)] *= np.float32(factor)


def _lines(texture: Texture, layout: TableLayout, woods: Woods, random: np.random.Generator) -> None:
    """Draw the alquerque lines: each crossing joined to its neighbours, every second one also diagonally."""
    _lay(texture, board_box(layout), woods.light, woods.contrast, random, upright=False)
    _groove(texture, board_box(layout), 2.0, 0.8)
    side, ink = layout.square_mm, np.zeros(texture.cover.shape, np.uint8)
    last_file, last_rank = layout.columns - 1, layout.rows - 1
    strokes = [((file, 0), (file, last_rank)) for file in range(layout.columns)]
    strokes += [((0, rank), (last_file, rank)) for rank in range(layout.rows)]
    for rank in range(last_rank):
        for file in range(last_file):
            even = (file + rank) % 2 == 0
            strokes.append(((file + (not even), rank), (file + even, rank + 1)))
    for ends in strokes:
        start, end = np.round(texture.place(np.array(ends, dtype=np.float64) * side) * 16).astype(int)
        cv2.line(ink, start.tolist(), end.tolist(), 255, round(2.4 * TEXELS_PER_MM), cv2.LINE_AA, 4)
    share = (ink.astype(np.float32) / 255.0)[..., None] * np.float32(0.85)
    texture.colour[:] = texture.colour * (1 - share) + share * np.array(woods.dark, np.float32)


def _tray(
    texture: Texture, layout: TableLayout, rack: Rack, box: Box, woods: Woods, random: np.random.Generator
) -> None:
    """A shallow tray: a rim, and a round hollow for each slot."""
    _lay(texture, box, woods.frame, woods.contrast, random, upright=True)
    _groove(texture, box, 1.0, 0.7)
    x0, y0, x1, y1 = box
    _groove(texture, (x0 + 1, y0 + 1, x1 - 1, y1 - 1), 1.0, 1.12)
    rows, columns = texture.window(box)
    hollow = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
    radius = round((0.5 * layout.disc_diameter_mm + 1.5) * TEXELS_PER_MM * 16)
    for number in range(1, layout.slots + 1):
        slot = layout.rack_slot(rack, number)
        texel = texture.place(np.array([[slot.x_mm, slot.y_mm]]))[0] - (columns.start, rows.start)
        centre = np.round(texel * 16).astype(int)
        cv2.circle(hollow, centre.tolist(), radius, 255, -1, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(hollow, (0, 0), 3.0).astype(np.float32) / 255.0
    sharp = hollow.astype(np.float32) / 255.0
    # The floor of a hollow is darker, and darkest under its own wall.
    texture.colour[rows, columns] *= (1.0 - sharp * (0.42 - 0.24 * soft))[..., None]
