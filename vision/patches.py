"""Where to look: for one view, the sample points of every place and the masks of discs at all offsets, heights and parallaxes.

Everything is laid out once for a view; reading a frame is then one remap and two matrix products.
"""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.frame import Image
from damludo.vision.light import terms
from damludo.vision.view import BoardView

Floats = NDArray[np.float32]

PATCH = 17
"""Samples along a side of a place's patch."""
SPACING = 0.09
"""Distance of two samples, in squares: the patch spans 1.44 squares, room for a king's parallax."""
FINE = 15
"""Offsets of a disc's centre along x and along y; every second one is tried first."""
STEP = 0.04
"""Distance of two offsets, in squares: they reach 0.28 each way."""
SIDE_PX = 22.0
"""The picture is shrunk so that a square has about this side: one sample then stands for its surroundings."""
SPOT_INSET = 0.1
"""Distance of the light's spots from the sides of their square, in squares."""
DARK = 10.0
"""Added before the logarithm: the camera's dark noise must not become colour."""

_LOG = np.log(np.arange(256, dtype=np.float32) + DARK)
_TO_TONE = np.array([[1 / 3, -0.5, 1.0], [1 / 3, -0.5, -1.0], [1 / 3, 1.0, 0.0]], dtype=np.float32)
"""Log B, G, R (rows) to brightness, red against the others, blue against green (columns)."""
_FROM_TONE = np.linalg.inv(_TO_TONE)


def values_of_tones(colours: Floats) -> Floats:
    """Return the pixel values (B, G, R) that `tones` made such colours of, shape (..., 3)."""
    return np.asarray(np.exp(colours @ _FROM_TONE) - DARK, dtype=np.float32)


def tones(image: Image) -> Floats:
    """Return log colours of a picture, shape (h, w, 3): brightness, red against the others, blue against green."""
    return np.asarray(cv2.LUT(image, _LOG).reshape(-1, 3) @ _TO_TONE, dtype=np.float32).reshape(image.shape)


@dataclass(frozen=True, eq=False)
class Patches:
    """Sample points and masks of one view.

    Attributes:
        view: the pose.
        radius: of a disc, in squares.
    """

    view: BoardView
    radius: float

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """The playable places, shape (p,)."""
        return np.array(self.view.grid.playable, dtype=np.intp)

    @cached_property
    def centres(self) -> Floats:
        """Centres of the playable places in squares, shape (p, 2)."""
        side = self.view.sizes.square_mm
        return np.array([self.view.centre_mm(int(p))[:2] / side for p in self.places], dtype=np.float32)

    @cached_property
    def odd(self) -> NDArray[np.intp]:
        """Colour of the square of each place: 1 where rank + file is odd; all 0 on a board of lines; shape (p,)."""
        rank, file = np.divmod(self.places, self.view.grid.columns)
        return np.asarray((rank + file) % 2 * (not self.view.grid.lines), dtype=np.intp)

    @cached_property
    def grid_of_samples(self) -> Floats:
        """Sample points relative to a place's centre, in squares, shape (PATCH * PATCH, 2)."""
        line = (np.arange(PATCH, dtype=np.float32) - PATCH // 2) * np.float32(SPACING)
        x, y = np.meshgrid(line, line)
        return np.column_stack([x.ravel(), y.ravel()])

    @cached_property
    def shrink(self) -> int:
        """The picture is shrunk to one part in so many (a whole number: shrinking by area is then cheap)."""
        corners = self.view.project(self.view.outer_corners_mm())
        perimeter = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).sum())
        side = perimeter / (2 * (self.view.grid.columns + self.view.grid.rows))
        return max(1, round(side / SIDE_PX))

    def _pixels(self, xy: Floats) -> tuple[Floats, Floats]:
        """Return where points of the board's surface (in squares, shape (n, 2)) are in the shrunk picture."""
        flat = np.column_stack([xy * self.view.sizes.square_mm, np.zeros(len(xy))]).astype(np.float64)
        pixels = (self.view.project(flat) + 0.5) / self.shrink - 0.5
        return pixels[:, 0].astype(np.float32), pixels[:, 1].astype(np.float32)

    @cached_property
    def spots(self) -> tuple[Floats, Floats]:
        """The light's spots: shape (n, 2) in squares, and 1 on odd squares, 0 on even ones, shape (n,)."""
        grid = self.view.grid
        y, x = np.mgrid[0 : grid.rows - grid.lines, 0 : grid.columns - grid.lines].astype(np.float32)
        near, far = (0.35, 0.65) if grid.lines else (SPOT_INSET, 1 - SPOT_INSET)
        inset = np.array([[near, near], [far, near], [near, far], [far, far]], dtype=np.float32)
        spots = (np.stack([x, y], axis=-1)[:, :, None, :] + inset).reshape(-1, 2)
        odd = np.repeat(((x + y) % 2 * (not grid.lines)).ravel(), 4)
        return spots, odd.astype(np.float32)

    @cached_property
    def around(self) -> NDArray[np.intp]:
        """The 16 spots nearest to each place, shape (p, 16): those around the four corners of its square."""
        spots, _ = self.spots
        distance = np.linalg.norm(self.centres[:, None] - spots[None], axis=2)
        return np.argsort(distance, axis=1, kind="stable")[:, :16]

    def unit(self, xy: Floats) -> Floats:
        """Carry points in squares to -1..1 over the board."""
        size = np.array([self.view.grid.columns, self.view.grid.rows], dtype=np.float32)
        return np.asarray(2 * xy / size - 1, dtype=np.float32)

    @cached_property
    def spot_design(self) -> Floats:
        """`terms` of the spots, shape (n, 6)."""
        return terms(self.unit(self.spots[0]))

    @cached_property
    def place_design(self) -> Floats:
        """`terms` of the places' centres, shape (p, 6)."""
        return terms(self.unit(self.centres))

    @cached_property
    def _maps(self) -> tuple[Floats, Floats]:
        samples = (self.centres[:, None, :] + self.grid_of_samples[None]).reshape(-1, 2)
        every = np.concatenate([samples, self.spots[0]])
        x, y = self._pixels(every)
        missing = -len(x) % PATCH  # cv2.remap wants a rectangle, and fewer than 32767 of anything along a side
        return tuple(np.pad(v, (0, missing), mode="edge").reshape(-1, PATCH) for v in (x, y))  # type: ignore[return-value]

    def sample(self, image: Image) -> tuple[Floats, Floats]:
        """Return the log colours of the patches, shape (p, PATCH * PATCH, 3), and of the spots, shape (n, 3)."""
        if self.shrink > 1:
            width, height = image.shape[1] // self.shrink, image.shape[0] // self.shrink
            whole = image[: height * self.shrink, : width * self.shrink]
            image = np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
        pixels = cv2.remap(image, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        seen = tones(np.asarray(pixels, dtype=np.uint8)).reshape(-1, 3)
        patch = len(self.places) * PATCH * PATCH
        return seen[:patch].reshape(len(self.places), PATCH * PATCH, 3), seen[patch : patch + len(self.spots[0])]

    def local_contrast(self, image: Image) -> Floats:
        """Return how strongly the two colours of squares differ around each place, shape (p,), 1 = as usual on this board."""
        _, spots = self.sample(image)
        odd = self.spots[1]
        nearby = np.take(odd, self.around)
        values = np.take(spots, self.around, axis=0)
        means = [
            (values * (nearby == kind)[..., None]).sum(axis=1) / np.maximum((nearby == kind).sum(axis=1), 1)[:, None]
            for kind in (0, 1)
        ]
        step = np.linalg.norm(means[1] - means[0], axis=1)
        return np.asarray(step / max(float(np.median(step)), 1e-6), dtype=np.float32)

    @cached_property
    def camera_at(self) -> NDArray[np.float64]:
        """The camera's place in the board frame, in squares, shape (3,)."""
        rotation, _ = cv2.Rodrigues(self.view.rotation_vector)
        return np.asarray(-rotation.T @ self.view.translation_mm / self.view.sizes.square_mm, dtype=np.float64)

    def lifted(self, xy: NDArray[np.float64], height: float) -> tuple[NDArray[np.float64], float]:
        """Return where points at a height (squares) appear on the board's surface, and by how much things grow there."""
        camera = self.camera_at
        growth = float(camera[2] / max(camera[2] - height, 0.2))
        return camera[:2] + (xy - camera[:2]) * growth, growth

    @cached_property
    def offsets(self) -> NDArray[np.float64]:
        """Offsets of a disc's centre, shape (FINE * FINE, 2), in squares, x running first."""
        line = (np.arange(FINE) - FINE // 2) * STEP
        x, y = np.meshgrid(line, line)
        return np.column_stack([x.ravel(), y.ravel()])

    def covered(self, discs: int, offsets: NDArray[np.float64]) -> Floats:
        """Return what a stack of 1 or 2 discs covers, for all places and offsets: shape (p, o, PATCH * PATCH), 0..1.

        A stack hides the capsule between its foot and its top (both as seen from the camera on the board's surface).
        """
        height = discs * self.view.sizes.disc_height_mm / self.view.sizes.square_mm
        centres = self.centres[:, None, :].astype(np.float64)
        top, growth = self.lifted(centres + offsets, height)
        way = top - centres - offsets
        length = np.maximum((way**2).sum(axis=-1, keepdims=True), 1e-12)
        fx, fy = (offsets[None, :, k, None].astype(np.float32) for k in (0, 1))
        wx, wy = (way[:, :, k : k + 1].astype(np.float32) for k in (0, 1))
        x, y = (self.grid_of_samples[None, None, :, k] - f for k, f in ((0, fx), (1, fy)))
        along = np.clip((x * wx + y * wy) / length.astype(np.float32), 0, 1)
        distance = np.hypot(x - along * wx, y - along * wy)
        radius = np.float32(self.radius) * (1 + np.float32(growth - 1) * along)
        return np.asarray(np.clip((radius - distance) / np.float32(SPACING) + np.float32(0.5), 0, 1), dtype=np.float32)

    @cached_property
    def masks(self) -> Floats:
        """Masks of men and kings at all fine offsets, shape (p, 2, FINE, FINE, PATCH * PATCH); axis 2 is y."""
        stacks = [self.covered(discs, self.offsets) for discs in (1, 2)]
        return np.stack(stacks, axis=1).reshape(len(self.places), 2, FINE, FINE, PATCH * PATCH)

    def top(self, discs: NDArray[np.intp], inner: float = 0.85) -> NDArray[np.bool_]:
        """Return the samples on the top of discs that stand in the middle, shape (p, PATCH * PATCH).

        Args:
            discs: shape (p,), how many discs lie on each place.
            inner: part of the radius that surely belongs to the top.
        """
        height = discs * self.view.sizes.disc_height_mm / self.view.sizes.square_mm
        result = np.zeros((len(self.places), PATCH * PATCH), dtype=bool)
        for row, centre in enumerate(self.centres.astype(np.float64)):
            seen, growth = self.lifted(centre, float(height[row]))
            distance = np.linalg.norm(centre + self.grid_of_samples - seen, axis=1)
            result[row] = distance < inner * self.radius * growth
        return result
