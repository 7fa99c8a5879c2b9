"""The lattice of crossings: saddle points of the brightness, linked to neighbours, grown to a grid.

Where four squares meet, the brightness is a saddle. Discs stand inside the squares, so the crossings stay visible when
the board is set up. Each saddle knows the directions of its two grid lines (where the Hessian's quadratic form vanishes)
and its polarity; neighbours on a board lie along these lines and have the opposite polarity.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.errors import BadPose
from damludo.vision.pose import Camera, fit_camera

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

BLUR_PX = 1.6
"""Smoothing before the second derivatives: more hides squares of 15 px, less shows the wood's grain."""
MOST_SADDLES = 700
"""Only the strongest are kept; 12x12 boards have 121 crossings, texture and discs give the others."""
OPPOSITE = -0.6
"""Neighbouring crossings have opposite polarity: cosine of twice the angle between their axes."""
LEAST_STEP_PX = 6.0
"""Neighbouring crossings are farther apart than this."""
NEIGHBOUR_COSINE = 0.966
"""A neighbour lies within 15 degrees of a grid line."""
FEWEST_IN_PATCH = 8
"""A patch of which one plane explains fewer crossings is grain or a pattern."""
CHANCE_IN_PATCH, MOST_MISSED = 20, 0.15
"""Grain and noise make patches of which one plane explains up to 16 crossings by chance, but badly: it misses them by 0.1 to 0.4
squares (root mean square, for the degrees of freedom that are left), those of boards by 0.01 to 0.1."""
LEAST_SEEN = 0.4
"""A lattice grows no further if fewer of the crossings that it foretells are seen; boards showed 0.55 to 1, noise 0.1 to 0.35."""
PLANE_POINTS = 4
"""So many points a plane meets always."""
MOST_DRAWS = 200
"""So often four points are drawn: if four of ten belong to the plane, 99 of 100 patches show it. Noise takes all draws."""
MATCH_SQUARES = 0.2
"""A saddle this near to where a crossing is expected is that crossing."""


FAR = 1e9
"""Added to the distance of what is not looked for."""


@dataclass(frozen=True, eq=False, slots=True)
class Saddles:
    """Saddle points of a picture, the strongest first.

    Attributes:
        pixels: shape (n, 2), x, y, to a fraction of a px.
        polarity: shape (n,), complex, length 1: exp(2i * angle of the greatest curvature).
        lines: shape (n, 2, 2): unit vectors along the two grid lines.
        strength: shape (n,).
    """

    pixels: Floats
    polarity: NDArray[np.complex128]
    lines: Floats
    strength: Floats


@dataclass(frozen=True, eq=False, slots=True)
class Lattice:
    """Crossings with whole-numbered coordinates, and the camera that explains them.

    Attributes:
        indices: shape (n, 2), int: u to the right, v down (in the turn in which it was found, never mirrored).
        pixels: shape (n, 2).
        camera: fitted with the unit "one square" to the points (u, -v, 0).
    """

    indices: Indices
    pixels: Floats
    camera: Camera

    def project(self, uv: Floats) -> Floats:
        """Carry lattice coordinates, shape (n, 2), into the picture, shape (n, 2)."""
        return self.camera.project(_on_plane(uv))


def find_saddles(tone: NDArray[np.float32]) -> Saddles:
    """Return the saddle points of a brightness, shape (h, w), at least 16 px wide and high."""
    smooth = np.asarray(cv2.GaussianBlur(tone, (0, 0), BLUR_PX), dtype=np.float32)
    xx = cv2.Sobel(smooth, cv2.CV_32F, 2, 0, ksize=3)
    yy = cv2.Sobel(smooth, cv2.CV_32F, 0, 2, ksize=3)
    xy = cv2.Sobel(smooth, cv2.CV_32F, 1, 1, ksize=3)
    # Sobel's second derivatives are 4 times, its mixed one is 4 times the true ones: one common scale, so no correction.
    saddle = np.asarray(xy * xy - xx * yy, dtype=np.float32)
    peak = (saddle >= cv2.dilate(saddle, np.ones((5, 5), np.uint8))) & (saddle > 1e-9)
    peak[:3] = peak[-3:] = False
    peak[:, :3] = peak[:, -3:] = False
    y, x = np.nonzero(peak)
    order = np.argsort(-saddle[y, x], kind="stable")[: 3 * MOST_SADDLES]
    y, x = y[order], x[order]
    a, b, c = (m[y, x].astype(np.float64) for m in (xx, xy, yy))
    radius = np.hypot((a - c) / 2, b)
    # A crossing curves up one way as much as down the other; the rim of a disc does not.
    good = np.abs(a + c) < 1.1 * radius
    y, x = y[good][:MOST_SADDLES], x[good][:MOST_SADDLES]
    a, b, c, radius = (v[good][:MOST_SADDLES] for v in (a, b, c, radius))
    pixels = np.column_stack([x, y]).astype(np.float64) + _subpixel(smooth, x, y, a, b, c)
    polarity = np.asarray(((a - c) / 2 + 1j * b) / radius, dtype=np.complex128)
    axis = np.angle(polarity) / 2
    # d^T H d = 0 for d at the angle +-half_opening from the axis of greatest curvature.
    half_opening = 0.5 * np.arccos(np.clip(-(a + c) / 2 / radius, -1, 1))
    lines = np.stack([np.stack([np.cos(t), np.sin(t)], axis=1) for t in (axis + half_opening, axis - half_opening)], 1)
    return Saddles(pixels, polarity, lines, np.sqrt(saddle[y, x].astype(np.float64)))


def _subpixel(smooth: NDArray[np.float32], x: Indices, y: Indices, a: Floats, b: Floats, c: Floats) -> Floats:
    """Return the way to where the gradient vanishes, shape (n, 2), at most 1 px each way."""
    # The scale of Sobel's derivatives: first ones 8 times, second ones 4 times the true value.
    gx = 4 * (smooth[y, x + 1] - smooth[y, x - 1]).astype(np.float64) / 2
    gy = 4 * (smooth[y + 1, x] - smooth[y - 1, x]).astype(np.float64) / 2
    determinant = a * c - b * b
    step = np.column_stack([(b * gy - c * gx) / determinant, (b * gx - a * gy) / determinant])
    return np.asarray(np.clip(step, -1.0, 1.0), dtype=np.float64)


def link(saddles: Saddles) -> Indices:
    """Return for each saddle its neighbours along +line 0, -line 0, +line 1, -line 1; shape (n, 4), -1 where none.

    Links are mutual: each of the two is the nearest of the other in that direction.
    """
    p = saddles.pixels.astype(np.float32)
    polarity = np.column_stack([saddles.polarity.real, saddles.polarity.imag]).astype(np.float32)
    strength = saddles.strength.astype(np.float32)
    weaker = strength[:, None] < 5 * strength[None, :]
    x, y = p[None, :, 0] - p[:, None, 0], p[None, :, 1] - p[:, None, 1]
    distance = np.sqrt(x * x + y * y)
    allowed = (polarity @ polarity.T < OPPOSITE) & weaker & weaker.T & (distance > LEAST_STEP_PX)
    # Adding a great length to what is no neighbour is four times faster than choosing between two.
    far = np.float32(FAR)
    length = distance + far * ~allowed
    cone = np.float32(NEIGHBOUR_COSINE) * distance
    nearest = np.full((len(p), 4), -1, dtype=np.int64)
    every = np.arange(len(p))
    for line in (0, 1):
        direction = saddles.lines[:, line].astype(np.float32)
        along = x * direction[:, :1] + y * direction[:, 1:]
        for side, beside in ((0, along <= cone), (1, along >= -cone)):
            candidate = length + far * beside
            best = candidate.argmin(axis=1)
            found = candidate[every, best] < far
            nearest[found, 2 * line + side] = best[found]
    mutual = np.zeros_like(nearest, dtype=bool)
    for k in range(4):
        has = nearest[:, k] >= 0
        mutual[has, k] = (nearest[nearest[has, k]] == np.nonzero(has)[0][:, None]).any(axis=1)
    return np.where(mutual, nearest, -1)


def components(saddles: Saddles, links: Indices, most: int = 4) -> list[tuple[Indices, Indices]]:
    """Walk the links; return for the largest patches (saddle numbers, shape (m,), and coordinates, shape (m, 2))."""
    free = _hanging_together(links) >= FEWEST_IN_PATCH
    patches = []
    for seed in range(len(links)):
        if free[seed] and (links[seed] >= 0).sum() >= 2:
            patch = _walk(saddles, links, seed)
            numbers = np.array(list(patch), dtype=np.int64)
            free[numbers] = False
            if len(patch) >= FEWEST_IN_PATCH:
                patches.append((numbers, np.array(list(patch.values()), dtype=np.int64)))
    patches.sort(key=lambda patch: -len(patch[0]))
    return patches[:most]


def _hanging_together(links: Indices) -> Indices:
    """Return for each saddle how many hang together with it by links, shape (n,)."""
    every = np.arange(len(links))
    leader, linked = every, np.where(links >= 0, links, every[:, None])
    while True:
        lowest = np.minimum(leader, leader[linked].min(axis=1))
        lowest = lowest[lowest]
        if np.array_equal(lowest, leader):
            return np.bincount(leader, minlength=len(links))[leader]
        leader = lowest


def _walk(saddles: Saddles, links: Indices, seed: int) -> dict[int, tuple[int, int]]:
    """Give whole-numbered coordinates to all saddles that hang together with a seed; a place is given once."""
    first, second = saddles.lines[seed]
    if first[0] * second[1] - first[1] * second[0] < 0:  # u to v turns clockwise as x to y does: never mirrored
        second = -second
    at: dict[int, tuple[int, int]] = {seed: (0, 0)}
    axes = {seed: (first, second)}
    taken = {(0, 0)}
    queue = [seed]
    for here in queue:
        u_axis, v_axis = axes[here]
        for there in links[here]:
            if there < 0 or int(there) in at:
                continue
            way = saddles.pixels[there] - saddles.pixels[here]
            along, across = float(way @ u_axis), float(way @ v_axis)
            step = (int(np.sign(along)), 0) if abs(along) > abs(across) else (0, int(np.sign(across)))
            place = (at[here][0] + step[0], at[here][1] + step[1])
            if place in taken:
                continue
            taken.add(place)
            at[int(there)] = place
            axes[int(there)] = _aligned(saddles.lines[there], u_axis, v_axis)
            queue.append(int(there))
    return at


def _aligned(lines: Floats, u_axis: Floats, v_axis: Floats) -> tuple[Floats, Floats]:
    """Name the two lines of a saddle as its neighbour's are named."""
    if abs(lines[0] @ u_axis) + abs(lines[1] @ v_axis) < abs(lines[1] @ u_axis) + abs(lines[0] @ v_axis):
        lines = lines[::-1]
    return lines[0] * np.sign(lines[0] @ u_axis), lines[1] * np.sign(lines[1] @ v_axis)


def _on_plane(uv: Floats | Indices) -> Floats:
    return np.column_stack([uv[:, 0], -uv[:, 1], np.zeros(len(uv))]).astype(np.float64)


def grow(
    saddles: Saddles, numbers: Indices, coordinates: Indices, image_size: tuple[int, int], reach: int
) -> Lattice | None:
    """Make a lattice of a patch: fit a camera, throw out what it does not explain, take in what it predicts; repeat.

    Args:
        saddles: all saddles.
        numbers, coordinates: a patch as `components` gives it.
        image_size: (width, height), px.
        reach: how many crossings the lattice may be wide and high at most.

    Returns:
        None if no camera explains the patch.
    """
    inliers = _consistent(saddles.pixels[numbers], coordinates)
    numbers, coordinates = numbers[inliers], coordinates[inliers]
    if len(numbers) < FEWEST_IN_PATCH or _by_chance(saddles.pixels[numbers], coordinates):
        return None
    lattice: Lattice | None = None
    for _ in range(12):
        try:
            near = None if lattice is None else lattice.camera
            camera = fit_camera(_on_plane(coordinates), saddles.pixels[numbers], image_size, near)
        except (BadPose, np.linalg.LinAlgError):
            return lattice
        lattice = Lattice(coordinates, saddles.pixels[numbers], camera)
        next_numbers, next_coordinates, expected = _rematch(
            saddles, lattice, reach, _parity_polarity(saddles, numbers, coordinates)
        )
        if len(next_numbers) < max(6.0, LEAST_SEEN * expected):
            return lattice
        if np.array_equal(next_numbers, numbers):
            break
        numbers, coordinates = next_numbers, next_coordinates
    return lattice


def beside(saddles: Saddles, lattice: Lattice, image_size: tuple[int, int]) -> Saddles:
    """Return the saddles that are no crossings of a lattice, which is thought to go on over the whole picture."""
    low, high = lattice.indices.min(axis=0), lattice.indices.max(axis=0)
    half = np.array([[0.5, 0.5]])
    side = np.linalg.norm(lattice.project(low + half) - lattice.project(high - half)) / max(
        np.hypot(*(high - low - 1)), 1.0
    )
    rows = int(np.hypot(*image_size) / max(float(side), LEAST_STEP_PX)) + 1
    u, v = np.meshgrid(np.arange(low[0] - rows, high[0] + rows + 1), np.arange(low[1] - rows, high[1] + rows + 1))
    at = lattice.project(np.column_stack([u.ravel(), v.ravel()]).astype(np.float64))
    near = ((at > -side) & (at < np.array(image_size) + side)).all(axis=1)
    away = np.array([np.linalg.norm(at[near] - pixel, axis=1).min() for pixel in saddles.pixels])
    keep = away > MATCH_SQUARES * side
    return Saddles(saddles.pixels[keep], saddles.polarity[keep], saddles.lines[keep], saddles.strength[keep])


def _consistent(pixels: Floats, coordinates: Indices) -> NDArray[np.bool_]:
    """Return which points one homography explains (lens distortion allowed for by a wide threshold)."""
    span = float(np.linalg.norm(np.ptp(pixels, axis=0))) / max(float(np.linalg.norm(np.ptp(coordinates, axis=0))), 1.0)
    _, mask = cv2.findHomography(
        coordinates.astype(np.float64),
        pixels,
        cv2.RANSAC,
        ransacReprojThreshold=float(0.25 * span),
        maxIters=MOST_DRAWS,
    )
    return np.zeros(len(pixels), dtype=bool) if mask is None else np.asarray(mask).ravel().astype(bool)


def _by_chance(pixels: Floats, coordinates: Indices) -> bool:
    """Return whether so few points miss the plane that explains them best by so much that no board need be behind them."""
    if len(pixels) >= CHANCE_IN_PATCH:
        return False
    places = coordinates.astype(np.float64)
    plane, _ = cv2.findHomography(places, pixels, 0)
    if plane is None:
        return True
    middle = places.mean(axis=0)
    seen = cv2.perspectiveTransform(np.vstack([places, middle + np.eye(2), middle])[None], plane)[0]
    (ux, uy), (vx, vy) = seen[-3] - seen[-1], seen[-2] - seen[-1]
    missed = ((seen[:-3] - pixels) ** 2).sum() / abs(ux * vy - uy * vx)
    return bool(missed > MOST_MISSED**2 * (len(pixels) - PLANE_POINTS))


def _parity_polarity(saddles: Saddles, numbers: Indices, coordinates: Indices) -> NDArray[np.complex128]:
    """Return the mean polarity of even crossings, shape (1,); odd ones have its negative."""
    sign = np.where(coordinates.sum(axis=1) % 2 == 0, 1.0, -1.0)
    mean = (saddles.polarity[numbers] * sign).sum()
    return np.array([mean / max(abs(mean), 1e-9)])


def _rematch(
    saddles: Saddles, lattice: Lattice, reach: int, polarity: NDArray[np.complex128]
) -> tuple[Indices, Indices, int]:
    """Return the saddles near predicted crossings, ordered by coordinates, and how many are predicted: one ring more than now."""
    low = np.maximum(lattice.indices.min(0) - 1, lattice.indices.max(0) - reach)
    high = np.minimum(lattice.indices.max(0) + 1, lattice.indices.min(0) + reach)
    u, v = np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1))
    uv = np.column_stack([u.ravel(), v.ravel()])
    half = np.array([0.5, 0.5])
    where = lattice.project(uv.astype(np.float64))
    side = np.linalg.norm(lattice.project(uv + half) - lattice.project(uv - half), axis=1) / np.sqrt(2)
    x, y = (where[:, k, None] - saddles.pixels[None, :, k] for k in (0, 1))
    distance = x * x + y * y
    expected = polarity * np.where(uv.sum(axis=1) % 2 == 0, 1.0, -1.0)
    agree = np.column_stack([expected.real, expected.imag]) @ np.stack([saddles.polarity.real, saddles.polarity.imag])
    taken = (agree > 0.3) & (distance < (MATCH_SQUARES * side[:, None]) ** 2)
    best = (distance + FAR * ~taken).argmin(axis=1)
    found = taken[np.arange(len(uv)), best]
    return best[found].astype(np.int64), uv[found].astype(np.int64), len(uv)
