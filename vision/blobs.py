"""Blobs that lie as the places of a board do: discs of one paint, or the knots of bare lines.

A lattice is grown from blobs of one size that are all darker or all lighter than what is around them, and laid over the board in
each way that it fits; then the blobs of the other paint are taken in where the board's other places are expected.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import Grid

Floats = NDArray[np.float64]
Place = tuple[int, int]
Tone = NDArray[np.float32]

WORKING_SIDE_PX = 640
"""Longer side of the picture that blobs are looked for in."""
SIGMAS_PX = (2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0, 22.0)
"""Sizes of blobs: a disc of radius r is found best at r / 1.4, a knot of lines at about their width."""
MOST_BLOBS, SEEDS, BASES = 110, 14, 3
"""Blobs of one size that are looked at; those that a lattice may begin with; pairs of neighbours tried for each."""
REACH = 0.17
"""A blob this near to where the lattice expects one, in steps of the lattice, belongs to it."""
FEWEST_BLOBS = 8
LATTICES_A_SIZE = 2
"""Lattices of one size of blobs that are laid over the board."""
MOST_NARROW, MOST_WIDE, SAME_WINDOW = 20, 10, 0.2
"""Windows of blobs of one paint and of both that are tried on the lines; they are the same if their corners differ by less than
this, in steps."""
SIMILAR = 1.6
"""Discs of both paints make blobs whose radii differ by less than this factor."""
EVEN = 0.03
"""Root mean square by which blobs of a board miss their places, in steps of the lattice: people set discs down so."""
ALIKE = 4.0
"""Discs of one paint make blobs whose strengths differ by less than this factor."""
LARGE_BLOB = 0.2
"""Blobs with a larger radius, in squares, are discs and lie at a disc's height."""


@dataclass(frozen=True, eq=False, slots=True)
class Window:
    """A lattice laid over the board.

    Attributes:
        uv: shape (n, 2): column and row of each blob on the board as it is seen, from 0.
        pixels: shape (n, 2): the blobs.
        corners: shape (4, 2), px: where the outer crossings would be.
        step: of the lattice, px.
        large: the blobs are discs.
        score: how many places of the board have a blob, each counted the less the farther it lies off.
    """

    uv: Floats
    pixels: Floats
    corners: Floats
    step: float
    large: bool
    score: float


def best_windows(tone: Tone, grid: Grid) -> list[Window]:
    """Return the windows that are worth a look at the lines, the best first, none twice."""
    spots: list[Floats] = []
    wide: list[Window] = []
    narrow: list[Window] = []
    lattices = list(_lattices(tone, grid, spots))
    for lattice, radius_px, _ in sorted(lattices, key=lambda found: -found[2]):
        ratio = np.concatenate(spots)[:, 2] / radius_px
        near = np.concatenate(spots)[(ratio > 1 / SIMILAR) & (ratio < SIMILAR)]
        wide += _windows(lattice, near[:, :2], radius_px, grid)
        # The walls and shadows of light discs on a light plate are dark blobs, too, half a step off: without them, then.
        narrow += _windows(lattice, np.zeros((0, 2)), radius_px, grid)
    wide.sort(key=lambda window: -window.score)
    kept: list[Window] = []
    # Of one paint alone the strongest lattices are the likeliest; of both, those that fill most of the board.
    for window in chain.from_iterable(zip_longest(narrow[:MOST_NARROW:2], narrow[1:MOST_NARROW:2], wide[:MOST_WIDE])):
        if window is not None and all(
            np.abs(window.corners - other.corners).max() > SAME_WINDOW * window.step for other in kept
        ):
            kept.append(window)
    return kept


def _lattices(tone: Tone, grid: Grid, spots: list[Floats]) -> Iterator[tuple[dict[Place, Floats], float, float]]:
    """Give lattices of blobs (coordinates to px of the whole picture), their radius in px, and their strength together.

    All blobs, of any size and sign, are added to `spots`: shape (n, 3), x, y and radius in px of the whole picture.
    """
    scale = min(1.0, WORKING_SIDE_PX / max(tone.shape))
    small = tone if scale >= 1 else np.asarray(cv2.resize(tone, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    for sigma in SIGMAS_PX:
        shrink = 2 ** max(0, int(np.log2(sigma / 2.8)))
        size = (small.shape[1] // shrink, small.shape[0] // shrink)
        level = cv2.resize(small, size, interpolation=cv2.INTER_AREA) if shrink > 1 else small
        blurred = cv2.GaussianBlur(level, (0, 0), sigma / shrink)
        bend = np.asarray(cv2.Laplacian(blurred, cv2.CV_32F), dtype=np.float32) * np.float32((sigma / shrink) ** 2)
        for sign in (1.0, -1.0):
            blobs = _blobs(bend * np.float32(sign), sigma / shrink)
            radius = np.full(len(blobs), 1.4 * sigma / scale)
            spots.append(np.column_stack([(blobs[:, :2] + 0.5) * shrink / scale - 0.5, radius]))
            for lattice, strength in _strongest_lattices(blobs, max(grid.columns, grid.rows)):
                whole = {place: ((at + 0.5) * shrink / scale - 0.5) for place, at in lattice.items()}
                yield whole, 1.4 * sigma / scale, strength


def _blobs(bend: Tone, sigma: float) -> Floats:
    """Return the strongest maxima, shape (n, 3): x, y in px, strength."""
    width = 2 * round(sigma) + 1
    peak = (bend >= cv2.dilate(bend, np.ones((width, width), np.uint8))) & (bend > 0)
    peak[:2], peak[-2:], peak[:, :2], peak[:, -2:] = False, False, False, False
    y, x = np.nonzero(peak)
    order = np.argsort(-bend[y, x], kind="stable")[:MOST_BLOBS]
    return np.column_stack([x[order], y[order], bend[y[order], x[order]]]).astype(np.float64)


def _strongest_lattices(blobs: Floats, most: int) -> list[tuple[dict[Place, Floats], float]]:
    """Return lattices, at most `most` wide and high, that grow from the strongest blobs; each with its blobs' strength."""
    found: list[tuple[dict[Place, Floats], float]] = []
    if len(blobs) < FEWEST_BLOBS:
        return found
    blobs, strength = blobs[:, :2], blobs[:, 2]
    way = blobs[None] - blobs[:, None]
    ratio = strength[None] / strength[:, None]
    alike = (ratio < ALIKE) & (ratio > 1 / ALIKE)
    distance = np.linalg.norm(way, axis=2) + np.eye(len(blobs)) * 1e9 + ~alike * 1e9
    seen: set[int] = set()
    for seed in range(min(SEEDS, len(blobs))):
        if seed in seen:
            continue
        near = np.argsort(distance[seed], kind="stable")[:7]
        near = near[distance[seed, near] < 1e8]
        for u, v in _bases(way[seed, near]):
            grown = _regular(_grow(np.where(alike[seed][:, None], blobs, 1e9), seed, u, v, most), blobs)
            if len(grown) >= FEWEST_BLOBS:
                lattice = {place: blobs[number] for place, number in grown.items()}
                found.append((lattice, float(strength[list(grown.values())].sum()) * _evenness(lattice)))
                if len(grown) > 1.2 * FEWEST_BLOBS:
                    seen |= set(grown.values())
                    break
    found.sort(key=lambda pair: -pair[1])
    return found[:LATTICES_A_SIZE]


def _regular(lattice: dict[Place, int], blobs: Floats) -> dict[Place, int]:
    """Return the part of a lattice that one plane explains: blobs of the wood's grain make lattices, but bent ones."""
    if len(lattice) < FEWEST_BLOBS:
        return {}
    kept = _consistent(np.array(list(lattice), dtype=np.float64), blobs[list(lattice.values())])
    regular = {place: at for (place, at), good in zip(lattice.items(), kept, strict=True) if good}
    spans = np.ptp(np.array(list(regular) or [(0, 0)]), axis=0)
    return regular if spans.min() >= 1 else {}


def _evenness(lattice: dict[Place, Floats]) -> float:
    """Return 0..1: how little blobs miss the plane that explains them best; discs of a set-up miss by 0.03 steps."""
    places, pixels = np.array(list(lattice), dtype=np.float64), np.array(list(lattice.values()))
    plane, _ = cv2.findHomography(places, pixels, 0)
    if plane is None:
        return 0.0
    missed = cv2.perspectiveTransform(places.reshape(-1, 1, 2), plane).reshape(-1, 2) - pixels
    step = float(np.linalg.norm(np.ptp(pixels, axis=0))) / max(float(np.linalg.norm(np.ptp(places, axis=0))), 1.0)
    return float(1 / (1 + (missed**2).sum(axis=1).mean() / (EVEN * step) ** 2))


def _bases(ways: Floats) -> list[tuple[Floats, Floats]]:
    """Return pairs of neighbours that may be a step right and a step down on a board seen from above, the shortest first."""
    pairs = []
    for i, u in enumerate(ways):
        for v in ways[i + 1 :]:
            a, b = float(np.hypot(*u)), float(np.hypot(*v))
            cross = float(u[0] * v[1] - u[1] * v[0])
            if abs(cross) > 0.72 * a * b and 0.5 < a / b < 2.0 and min(a, b) > 6:
                pairs.append((a + b, (u, v) if cross > 0 else (v, u)))
    pairs.sort(key=lambda pair: pair[0])
    return [pair for _, pair in pairs[:BASES]]


def _grow(blobs: Floats, seed: int, u: Floats, v: Floats, most: int) -> dict[Place, int]:
    """Grow a lattice (numbers of blobs) from a blob and two steps; each place passes its own steps on: perspective bends them."""
    at: dict[Place, Floats] = {(0, 0): blobs[seed]}
    steps: dict[Place, tuple[Floats, Floats]] = {(0, 0): (u, v)}
    numbers: dict[Place, int] = {(0, 0): seed}
    used = {seed}
    queue: list[Place] = [(0, 0)]
    low, high = [0, 0], [0, 0]
    for here in queue:
        across, down = steps[here]
        ways = at[here] + np.array([across, -across, down, -down])
        gaps = np.hypot(ways[:, 0, None] - blobs[:, 0], ways[:, 1, None] - blobs[:, 1])
        nearest_of, reach_of = gaps.argmin(axis=1), REACH * np.hypot(*np.array([across, across, down, down]).T)
        for way, (axis, sign) in enumerate(((0, 1), (0, -1), (1, 1), (1, -1))):
            place = (here[0] + sign * (axis == 0), here[1] + sign * (axis == 1))
            if place in at or max(high[axis], place[axis]) - min(low[axis], place[axis]) >= most:
                continue
            nearest = int(nearest_of[way])
            if nearest in used or gaps[way, nearest] > reach_of[way]:
                continue
            used.add(nearest)
            at[place], numbers[place] = blobs[nearest], nearest
            seen = (blobs[nearest] - at[here]) * sign
            mixed = list(steps[here])
            mixed[axis] = 0.5 * (mixed[axis] + seen)
            steps[place] = (mixed[0], mixed[1])
            low[axis], high[axis] = min(low[axis], place[axis]), max(high[axis], place[axis])
            queue.append(place)
    return numbers


def _windows(lattice: dict[Place, Floats], spots: Floats, radius_px: float, grid: Grid) -> Iterator[Window]:
    """Lay a lattice over the board in each way that puts all its blobs on places, and take in the blobs of the other paint."""
    places, pixels = np.array(list(lattice), dtype=np.float64), np.array(list(lattice.values()))
    low, high = places.min(axis=0), places.max(axis=0)
    step = float(np.linalg.norm(np.ptp(pixels, axis=0))) / max(float(np.linalg.norm(high - low)), 1.0)
    last = np.array([grid.columns - 1, grid.rows - 1])
    large = radius_px > LARGE_BLOB * step
    v, u = np.mgrid[0 : grid.rows, 0 : grid.columns]
    board = np.column_stack([u.ravel(), v.ravel()]).astype(np.float64)
    for du in range(int(high[0] - last[0]), int(low[0]) + 1):
        for dv in range(int(high[1] - last[1]), int(low[1]) + 1):
            uv, at, plane = _spread(places - [du, dv], pixels, board, spots, step)
            corners = _mapped(plane, np.array([[0, 0], [last[0], 0], last, [0, last[1]]], dtype=np.float64))
            missed = np.linalg.norm(_mapped(plane, uv) - at, axis=1) / (REACH * step)
            score = float((1 - np.minimum(missed, 1) ** 2).sum())
            if np.isfinite(corners).all():
                yield Window(uv, at, np.roll(corners, -int(corners.sum(1).argmin()), axis=0), step, large, score)


def _spread(uv: Floats, pixels: Floats, board: Floats, spots: Floats, step: float) -> tuple[Floats, Floats, Floats]:
    """Take in blobs from ring to ring where the board's other places are expected.

    Returns:
        Columns and rows, the blobs there, and the plane that carries the former to the latter, shape (3, 3).
    """
    plane = _plane(uv, pixels)
    for _ in range(len(board) if len(spots) else 0):
        expected = _mapped(plane, board)
        x, y = expected[:, :1] - spots[:, 0], expected[:, 1:] - spots[:, 1]
        gap = x * x + y * y
        nearest = gap.argmin(axis=1)
        away = np.abs(board[:, None] - uv[None]).max(axis=2).min(axis=1)
        taken = (gap[np.arange(len(board)), nearest] < (REACH * step) ** 2) & (away <= 1)
        if taken.sum() < FEWEST_BLOBS:
            break
        before, uv, pixels = len(uv), board[taken], spots[nearest[taken]]
        plane = _plane(uv, pixels)
        if len(uv) <= before:
            break
    return uv, pixels, plane


def _plane(uv: Floats, pixels: Floats) -> Floats:
    """Return the homography that carries points to pixels with the least algebraic error, shape (3, 3)."""
    middle, spread = pixels.mean(axis=0), max(float(pixels.std()), 1.0)
    x, y = ((pixels - middle) / spread).T
    u, v = uv.T
    rows = np.zeros((2 * len(uv), 8))
    upper, lower = rows[: len(uv)], rows[len(uv) :]
    upper[:, 0] = lower[:, 3] = u
    upper[:, 1] = lower[:, 4] = v
    upper[:, 2] = lower[:, 5] = 1.0
    upper[:, 6], upper[:, 7] = -u * x, -v * x
    lower[:, 6], lower[:, 7] = -u * y, -v * y
    solution, *_ = np.linalg.lstsq(rows, np.concatenate([x, y]), rcond=None)
    back = np.array([[spread, 0, middle[0]], [0, spread, middle[1]], [0, 0, 1.0]])
    return np.asarray(back @ np.append(solution, 1.0).reshape(3, 3), dtype=np.float64)


def _mapped(plane: Floats, uv: Floats) -> Floats:
    """Carry points through a homography."""
    far = uv @ plane[:, :2].T + plane[:, 2]
    return np.asarray(far[:, :2] / np.where(np.abs(far[:, 2:]) < 1e-9, 1e-9, far[:, 2:]), dtype=np.float64)


def _consistent(places: Floats, pixels: Floats) -> NDArray[np.bool_]:
    span = float(np.linalg.norm(np.ptp(pixels, axis=0))) / max(float(np.linalg.norm(np.ptp(places, axis=0))), 1.0)
    _, mask = cv2.findHomography(places, pixels, cv2.RANSAC, ransacReprojThreshold=0.07 * span, maxIters=200)
    return np.zeros(len(pixels), dtype=bool) if mask is None else np.asarray(mask).ravel().astype(bool)
