"""What a square shows without any teaching: how its middle differs from its own corners, how rough it is, how round.

Corners of a square stay free of its disc, so middle minus corners is near nothing on an empty square in any light. A disc has a
rim: its square is rougher than an empty one of the same colour, and what is rough there points to one centre.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.frame import Image
from damludo.vision.light import fit_light
from damludo.vision.patches import Patches, tones
from damludo.vision.view import BoardView, grid_of

Floats = NDArray[np.float32]

SIDE = 24
"""Samples along a square's side."""
MARGIN = 6
"""Samples beyond a square that its gradients may reach into."""
CHANNELS = np.array([1.0, 1.6, 1.6], dtype=np.float32)
"""Colour differences count more than brightness, which shadow and gloss change."""
MIDDLE, CORE = 0.25, 0.2
"""Radius of the middle of a square, and of the middle of a disc whose centre was found, in squares."""
INSET, BEYOND = 0.08, 0.5
"""A square's corners: so far from its sides, so far from its centre, in squares."""
RIM = (0.2, 0.48)
"""Where a rim may lie, from the disc's centre, in squares."""
SHIFTS = (-4, -2, 0, 2, 4)
"""A disc's centre is looked for so many samples off the square's."""
DARK_NOISE = 0.003
"""Least gradient, log colour a sample."""
ROUGH_PERCENT, PLAIN_PERCENT, CAP_PERCENT = 80, 10, 90
"""Roughness is this percentile of a square's gradients; the plain square's energy that of its places, of which a sixth is empty
on a board of 12 x 12 that is set up; no sample counts for more than the last one."""
ISOTROPIC = 0.6
"""Part of a noise's energy that points to the best of the centres; one fixed centre would give a half."""
FOUND_ROUND = 0.8
"""So round a thing is a disc whose centre counts."""


@dataclass(frozen=True, eq=False, slots=True)
class Traits:
    """Traits of the playable places, shape (p, ...).

    Attributes:
        contrast: shape (p, 3), log colour (as `patches.tones`) of the middle minus that of the square's own corners.
        rough: shape (p,), natural logarithm of the gradient.
        round: shape (p,), part of the gradients' energy that points to one centre, 0.5..1, in log odds.
        odd: shape (p,), colour of the square, 1 where rank + file is odd.
        step: shape (3,), log colour of the odd squares minus that of the even ones.
    """

    contrast: Floats
    rough: Floats
    round: Floats
    odd: NDArray[np.intp]
    step: Floats


def traits_of(image: Image, view: BoardView) -> Traits:
    """Measure the traits of a board of squares (not of lines)."""
    every = replace(view, grid=grid_of(view.grid.columns, view.grid.rows))
    patches = Patches(every, 0.3)
    _, spots = patches.sample(image)
    step = fit_light(patches.spot_design, spots, patches.spots[1], patches.around).step
    tiles = _tiles(image, every)
    roundness, centres, rough = _round(tiles, patches.odd)
    contrast = np.stack([_contrast(tile, centre) for tile, centre in zip(tiles, centres, strict=True)])
    rows = list(view.grid.playable)
    part = np.clip(roundness, 0.01, 0.99)
    odds = np.log(part / (1 - part)).astype(np.float32)
    return Traits(contrast[rows], rough[rows], odds[rows], patches.odd[rows], step)


def _tiles(image: Image, view: BoardView) -> Floats:
    """Return each square with its surroundings, flattened, log colour: shape (p, t, t, 3), t = SIDE + 2 MARGIN."""
    grid, t = view.grid, SIDE + 2 * MARGIN
    corners = view.project(view.outer_corners_mm())
    around = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).sum())
    shrink = max(1, int(around / (2 * (grid.columns + grid.rows)) / SIDE + 0.3))
    if shrink > 1:
        width, height = image.shape[1] // shrink, image.shape[0] // shrink
        whole = image[: height * shrink, : width * shrink]
        image = np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    y, x = np.mgrid[0 : grid.rows * SIDE + 2 * MARGIN, 0 : grid.columns * SIDE + 2 * MARGIN]
    points = np.stack([x + 0.5 - MARGIN, y + 0.5 - MARGIN, np.zeros(x.shape)], axis=-1).reshape(-1, 3)
    pixels = (view.project(points / SIDE * view.sizes.square_mm) + 0.5) / shrink - 0.5
    maps = pixels.astype(np.float32).reshape(*x.shape, 2)
    seen = cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    flat = tones(np.asarray(seen, dtype=np.uint8))
    starts = [(r * SIDE, f * SIDE) for r in range(grid.rows) for f in range(grid.columns)]
    return np.stack([flat[top : top + t, left : left + t] for top, left in starts])


def _offsets() -> tuple[Floats, Floats]:
    """Return x and y of a tile's samples from the square's centre, in samples."""
    line = np.arange(SIDE + 2 * MARGIN, dtype=np.float32) + np.float32(0.5 - MARGIN - SIDE / 2)
    x, y = np.meshgrid(line, line)
    return x, y


def _contrast(tile: Floats, centre: tuple[int, int] | None) -> Floats:
    x, y = _offsets()
    inside = np.minimum(SIDE / 2 - np.abs(x), SIDE / 2 - np.abs(y)) > INSET * SIDE
    corners = inside & (np.hypot(x, y) > BEYOND * SIDE)
    at, radius = ((0, 0), MIDDLE) if centre is None else (centre, CORE)
    middle = np.hypot(x - at[0], y - at[1]) < radius * SIDE
    return np.asarray(np.median(tile[middle], axis=0) - np.median(tile[corners], axis=0), dtype=np.float32)


def _round(tiles: Floats, odd: NDArray[np.intp]) -> tuple[Floats, list[tuple[int, int] | None], Floats]:
    """Return how round each square's content is (0.5..1), where its centre lies if it is very round, and its roughness.

    The gradients that most squares of a colour have (their sides, a printed mark) are taken off first.
    """
    x, y = _offsets()
    own = np.maximum(np.abs(x), np.abs(y)) < SIDE / 2 - 1.5
    xx, xy, yy, steep = _gradients(tiles)
    energy = xx + yy
    rough = np.log(np.percentile(steep[:, np.hypot(x, y) < 0.43 * SIDE], ROUGH_PERCENT, axis=1) + DARK_NOISE)
    plain = np.zeros((2, *x.shape), dtype=np.float32)
    for colour in np.unique(odd):
        plain[colour] = np.percentile(energy[odd == colour], PLAIN_PERCENT, axis=0)
        plain[colour] = np.maximum(plain[colour], np.median(plain[colour]))
    usual = plain[odd]
    cap = np.percentile(energy[:, own], CAP_PERCENT, axis=1)[:, None, None]
    telling = np.minimum(1, cap / np.maximum(energy, 1e-12)) * np.maximum(0, 1 - usual / np.maximum(energy, 1e-12))
    best = np.zeros(len(tiles), dtype=np.float32)
    centre = np.zeros((len(tiles), 2), dtype=np.intp)
    for dy in SHIFTS:
        for dx in SHIFTS:
            across, down = x - dx, y - dy
            far = across**2 + down**2
            ring = own & (far > (RIM[0] * SIDE) ** 2) & (far < (RIM[1] * SIDE) ** 2)
            radial = xx * across**2 + 2 * xy * across * down + yy * down**2
            towards = (radial / far * telling)[:, ring].sum(axis=1)
            noise = usual[:, ring].sum(axis=1)
            part = (towards + ISOTROPIC * noise) / ((energy * telling)[:, ring].sum(axis=1) + noise)
            better = part > best
            best[better], centre[better] = part[better], (dx, dy)
    where = [(int(dx), int(dy)) if part > FOUND_ROUND else None for part, (dx, dy) in zip(best, centre, strict=True)]
    return best, where, rough.astype(np.float32)


def _gradients(tiles: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the structure tensor xx, xy, yy, summed over the channels, and the gradient's length; shape (p, t, t) each."""
    tensor = []
    for tile in tiles * CHANNELS:
        soft = cv2.GaussianBlur(tile, (0, 0), 0.8)
        gx, gy = cv2.Sobel(soft, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(soft, cv2.CV_32F, 0, 1) / 8
        sharp_x, sharp_y = cv2.Sobel(tile, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(tile, cv2.CV_32F, 0, 1) / 8
        steep = np.sqrt((sharp_x**2 + sharp_y**2).sum(axis=-1))
        tensor.append(np.stack([(gx * gx).sum(axis=-1), (gx * gy).sum(axis=-1), (gy * gy).sum(axis=-1), steep]))
    xx, xy, yy, steep = np.moveaxis(np.array(tensor, dtype=np.float32), 1, 0)
    return xx, xy, yy, steep
