"""The part of the picture that is watched: the playing field and its surroundings, at reduced size."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.view import BoardView

Gray: TypeAlias = NDArray[np.float32]
Mask: TypeAlias = NDArray[np.uint8]

SQUARE_IN_REDUCED_PX = 11
"""The picture is reduced until one square is about so many pixels wide: edges of squares and discs survive, noise does not."""
MARGIN_SQUARES = 0.45
"""The watched region reaches so far beyond the field: a disc on an edge square stays inside, an arm crosses the border."""
NEAR_BORDER_PX = 2
"""An arm whose outline is a pixel off still comes as near to the region's border as this, at reduced size."""

FOOT_RADII = 0.8
"""A disc may lie a little off the middle of its place: so much of its radius it hides for certain."""
STACK_DISCS = 2
"""So many discs lie on one place at most."""
BLUR_SQUARES = 0.4
"""So far beyond the outline of discs the picture changes: the comparison looks at surroundings, and discs cast shadows."""

_LOG_OF_GRAY = np.log(np.arange(256, dtype=np.float32) + 6.0)


@dataclass(frozen=True, eq=False, slots=True)
class Spot:
    """What discs on one place hide, at reduced size.

    Attributes:
        place: its index.
        foot: what one disc hides for certain, 1 there.
        reach: all that a stack may change, 1 there.
        outermost: the place lies at the edge of the board.
        odd: rank + file is odd: where all squares are played on, every second one is of the other colour.
    """

    place: int
    foot: Mask
    reach: Mask
    outermost: bool
    odd: bool


class Region:
    """The part of the picture that is watched: the playing field and a margin, at reduced size.

    Args:
        corners_px: outer corners of the playing field in the picture, shape (4, 2), px, in turn: at a1, along rank 1, opposite,
            along file a (a line board: the outer crossings).
        columns, rows: number of places.
        image_size: (width, height) in px.
        lines: True for a board of crossings.
        view: the pose, if it is known; without it, `spots` is empty.
    """

    def __init__(
        self,
        corners_px: NDArray[np.float64],
        columns: int,
        rows: int,
        image_size: tuple[int, int],
        lines: bool = False,
        view: BoardView | None = None,
    ) -> None:
        self.columns, self.rows, self._view = columns, rows, view
        # Units of the plane: one square; a line board gets half a square around its outer crossings.
        half = 0.5 if lines else 0.0
        low, right, top = half, columns - half, rows - half
        plane = np.array([[low, low], [right, low], [right, top], [low, top]], dtype=np.float32)
        corners = np.asarray(corners_px, dtype=np.float32).reshape(4, 2)
        picture_from_plane = np.asarray(cv2.getPerspectiveTransform(plane, corners), dtype=np.float64)
        far = MARGIN_SQUARES
        box = np.array(
            [[-far, -far], [columns + far, -far], [columns + far, rows + far], [-far, rows + far]], dtype=np.float32
        )
        outline = cv2.perspectiveTransform(box.reshape(1, 4, 2), picture_from_plane)[0]
        self._crop(outline, image_size)
        square_px = math.sqrt(float(cv2.contourArea(corners)) / ((right - low) * (top - low)))
        self.scale = max(1.0, square_px / SQUARE_IN_REDUCED_PX)
        self.square_px = square_px / self.scale
        width = max(8, round((self.x1 - self.x0) / self.scale))
        height = max(8, round((self.y1 - self.y0) / self.scale))
        self.size = (width, height)
        self.inside = self.polygon(outline)
        self.area_px = self.square_px**2
        self.place_of_pixel = self._places(picture_from_plane)
        self.border = self._edge(1)
        self._outline = outline
        self.near_border = self._edge(NEAR_BORDER_PX)

    @classmethod
    def of_view(cls, view: BoardView) -> "Region":
        """Return the region of a calibrated board."""
        corners = view.project(view.outer_corners_mm())
        return cls(corners, view.grid.columns, view.grid.rows, view.image_size, view.grid.lines, view)

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """What discs on each of the playable places hide."""
        view = self._view
        if view is None:
            return ()
        radius, height = view.sizes.disc_diameter_mm / 2, view.sizes.disc_height_mm
        wider = self.kernel(2 * BLUR_SQUARES)
        found = []
        for place in view.grid.playable:
            foot = self.polygon(_outline_of_discs(view, place, FOOT_RADII * radius, height))
            stack = self.polygon(_outline_of_discs(view, place, radius, STACK_DISCS * height))
            rank, file = divmod(place, self.columns)
            outermost = rank in (0, self.rows - 1) or file in (0, self.columns - 1)
            reach = np.asarray(cv2.dilate(stack, wider), dtype=np.uint8)
            found.append(Spot(place, foot, reach, outermost, odd=(rank + file) % 2 == 1))
        return tuple(found)

    @cached_property
    def inner_field(self) -> Mask:
        """The playing field without its outermost pixels, 1 there."""
        field = (self.place_of_pixel < self.columns * self.rows).astype(np.uint8)
        return np.asarray(cv2.erode(field, np.ones((3, 3), np.uint8)), dtype=np.uint8)

    @cached_property
    def border_sides(self) -> Mask:
        """Of the border's pixels the nearest side of the watched part, 1 to 4 in turn; elsewhere 0."""
        corners = self._at_reduced_size(self._outline)
        along = np.roll(corners, -1, axis=0) - corners
        y, x = np.nonzero(self.border)
        to_pixel = np.column_stack([x, y])[:, None, :] - corners
        off = np.abs(along[:, 0] * to_pixel[..., 1] - along[:, 1] * to_pixel[..., 0]) / np.hypot(*along.T)
        sides = np.zeros_like(self.border)
        sides[y, x] = 1 + off.argmin(axis=1)
        return sides

    def reduce(self, image: NDArray[np.uint8]) -> Gray:
        """Return the log-brightness of the region at reduced size, shape (h, w), float32."""
        part = image[self.y0 : self.y1, self.x0 : self.x1]
        # Gray first: the reduction then has one channel to average instead of three.
        gray = cv2.resize(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), self.size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.LUT(gray, _LOG_OF_GRAY), dtype=np.float32)

    def polygon(self, points_px: NDArray[np.float64] | NDArray[np.float32]) -> Mask:
        """Return the mask (1 inside) of a polygon given in px of the full picture, shape (n, 2)."""
        points = self._at_reduced_size(points_px)
        mask = np.zeros((self.size[1], self.size[0]), dtype=np.uint8)
        # fillPoly takes integers; far points are cut so that they cannot overflow.
        cv2.fillPoly(mask, [np.round(np.clip(points, -20000, 20000)).astype(np.int32)], (1.0,))
        return mask

    def _at_reduced_size(self, points_px: NDArray[np.float64] | NDArray[np.float32]) -> NDArray[np.float64]:
        """Return where points given in px of the full picture, shape (n, 2), are in the reduced one."""
        shrink = np.array([self.size[0] / (self.x1 - self.x0), self.size[1] / (self.y1 - self.y0)], dtype=np.float64)
        return (np.asarray(points_px, dtype=np.float64) - (self.x0, self.y0) + 0.5) * shrink - 0.5

    def _edge(self, width_px: int) -> Mask:
        """Return the outermost pixels of the region, 1 there."""
        side = 2 * width_px + 1
        eroded = cv2.erode(self.inside, np.ones((side, side), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
        return np.asarray(cv2.subtract(self.inside, np.asarray(eroded, dtype=np.uint8)), dtype=np.uint8)

    def kernel(self, squares: float) -> Mask:
        """Return a round structuring element with a diameter in squares."""
        side = round(squares * self.square_px) | 1
        return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), dtype=np.uint8)

    def _crop(self, outline: NDArray[np.float32], image_size: tuple[int, int]) -> None:
        width, height = image_size
        self.x0 = int(np.clip(math.floor(float(outline[:, 0].min())), 0, width - 8))
        self.x1 = int(np.clip(math.ceil(float(outline[:, 0].max())), self.x0 + 8, width))
        self.y0 = int(np.clip(math.floor(float(outline[:, 1].min())), 0, height - 8))
        self.y1 = int(np.clip(math.ceil(float(outline[:, 1].max())), self.y0 + 8, height))

    def _places(self, picture_from_plane: NDArray[np.float64]) -> NDArray[np.intp]:
        """Index of the place at every reduced pixel, `columns * rows` outside of the field."""
        width, height = self.size
        xs = (np.arange(width) + 0.5) * (self.x1 - self.x0) / width - 0.5 + self.x0
        ys = (np.arange(height) + 0.5) * (self.y1 - self.y0) / height - 0.5 + self.y0
        pixels = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(1, -1, 2)
        plane = cv2.perspectiveTransform(pixels, np.linalg.inv(picture_from_plane))[0]
        file, rank = np.floor(plane[:, 0]).astype(np.intp), np.floor(plane[:, 1]).astype(np.intp)
        field = (file >= 0) & (file < self.columns) & (rank >= 0) & (rank < self.rows)
        places = np.where(field, rank * self.columns + file, self.columns * self.rows)
        return np.asarray(places.reshape(height, width), dtype=np.intp)


def _outline_of_discs(view: BoardView, place: int, radius_mm: float, height_mm: float) -> NDArray[np.float32]:
    """Return the hull, px of the full picture, shape (n, 2), of an upright cylinder on a place."""
    turn = np.linspace(0.0, 2 * math.pi, 24, endpoint=False)
    ring = radius_mm * np.column_stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)])
    points = np.concatenate([view.centre_mm(place, z_mm) + ring for z_mm in (0.0, height_mm)])
    hull = cv2.convexHull(view.project(points).astype(np.float32))
    return np.asarray(hull, dtype=np.float32).reshape(-1, 2)
