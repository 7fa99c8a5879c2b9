"""Finding a board of lines: 5x5 crossings on a plate, under the discs of a game, or bare.

Such a board has no light and dark squares. What it has is a lattice of blobs: discs darker or lighter than the plate, or,
where nothing stands, the knots of the lines. Blobs are grown to a lattice, and the lines that show between two
crossings pull the pose into place, wherever the discs lie.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import BoardSizes, Grid
from damludo.vision.errors import BadPose
from damludo.vision.finding import BoardFinding
from damludo.vision.frame import Image
from damludo.vision.pose import NOISE_PX, fit_view
from damludo.vision.sides import SIDES, corners_of
from damludo.vision.view import BoardView

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
FEWEST_BLOBS, FEWEST_STROKES = 8, 10
LATTICES_A_SIZE = 2
"""Lattices of one size of blobs that are laid over the board."""
MOST_NARROW, MOST_WIDE, SAME_WINDOW = 20, 10, 0.2
"""Windows of blobs of one paint and of both that are tried on the lines; they are the same if their corners differ by less than
this, in steps."""
BLOB_NOISE = 0.06
"""Error expected of a blob, in steps of the lattice: discs lie beside their places, and shadows pull their blobs."""
SIMILAR = 1.6
"""Discs of both paints make blobs whose radii differ by less than this factor."""
EVEN = 0.03
"""Root mean square by which blobs of a board miss their places, in steps of the lattice: people set discs down so."""
ALIKE = 4.0
"""Discs of one paint make blobs whose strengths differ by less than this factor."""
SEARCHES = ((0.26, 0.8), (0.24, 1.8), (0.22, 9.0), (0.18, 9.0), (0.12, 9.0))
"""Round by round: how far beside its place a line is looked for, and how far from a blob, in squares: what lies far from the
blobs is known from the near lines only."""
ROUGH_PX = 0.8
"""Error expected of a line in all rounds but the last."""
LEAST_LINES = 0.7
"""Part of the lines, weighted by how clear they are, that a board must show."""
MOST_MISSED = 0.03
"""Median distance of the lines from their places, in squares; rendered boards 0.01, noise 0.06."""
BESIDE, CLEARER = 0.25, 1.5
"""So far beside the lines, in squares, is bare plate; the lines must be so many times clearer than what is found there."""
LARGE_BLOB = 0.2
"""Blobs with a larger radius, in squares, are discs and lie at a disc's height."""
HALF_GAP, HALF_DIAGONAL = 0.08, 0.14
"""Half of what is looked at of a line along it, in squares along each axis: between two discs, and on a diagonal."""
_OFFSETS = np.linspace(-1.0, 1.0, 33)
_ALONG = np.linspace(-1.0, 1.0, 7)


def find_line_boards(image: Image, grid: Grid, sizes: BoardSizes, white_at: str = "bottom") -> list[BoardFinding]:
    """Return the possible places of a board of lines, the best first; the others lie shifted by a row or a column.

    Args:
        image: shape (h, w, 3).
        grid: with `lines`, as many columns as rows.
        sizes: of squares and discs.
        white_at: side of the picture where White's rank 1 lies.
    """
    tone = _tone(image)
    found: list[BoardFinding] = []
    for window in _best_windows(tone, grid):
        laid = _view_of(window, grid, sizes, white_at, (image.shape[1], image.shape[0]))
        if laid is None:
            continue
        view, blobs = laid
        refined = _on_lines(view, blobs, tone)
        if refined is not None and refined[1] >= LEAST_LINES:
            corners = view.project(corners_of(grid, sizes, white_at))
            if corners.sum(axis=1).argmin() == 0:
                corners = refined[0].project(corners_of(grid, sizes, white_at))
                found.append(BoardFinding(refined[0], white_at, corners, refined[1], 0.0, len(blobs)))
        if any(finding.alternation > 0.85 for finding in found):
            break
    return _distinct(found)


def refined_on_lines(view: BoardView, image: Image) -> BoardView | None:
    """Return a view that is nearly right, pulled onto the lines that a picture shows; None if too few show."""
    side = view.sizes.square_mm
    y, x = np.mgrid[0 : view.grid.rows, 0 : view.grid.columns]
    crossings = np.column_stack([x.ravel() * side, y.ravel() * side, np.zeros(x.size)]).astype(np.float64)
    refined = _on_lines(view, crossings, _tone(image))
    return refined[0] if refined is not None and refined[1] >= LEAST_LINES else None


def line_errors(view: BoardView, image: Image) -> tuple[Floats, Floats]:
    """Return points on the lines, shape (n, 3) in mm, and how far beside their place they are seen, shape (n, 2) in px."""
    points, across, along = _strokes(view.grid, view.sizes)
    smooth = np.asarray(cv2.GaussianBlur(_tone(image), (0, 0), 0.8), dtype=np.float32)
    stubs = _stubs(view, smooth, points, across, along, SEARCHES[0][0])
    sign = 1.0 if np.median(stubs.contrast) > 0 else -1.0
    good = stubs.contrast * sign > 0.5 * np.median(np.abs(stubs.contrast))
    moved = points[good] + across[good] * stubs.offset[good, None] * view.sizes.square_mm
    return points[good], view.project(moved) - view.project(points[good])


def _tone(image: Image) -> Tone:
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return np.asarray(np.log(gray.astype(np.float32) + 12.0), dtype=np.float32)


def _distinct(found: list[BoardFinding]) -> list[BoardFinding]:
    """Return the findings, best first, without those that only repeat another."""
    kept: list[BoardFinding] = []
    for finding in sorted(found, key=lambda f: -f.alternation):
        if all(np.abs(finding.corners - other.corners).max() > 3.0 for other in kept):
            kept.append(finding)
    return kept[:4]


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
        for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
            place = (here[0] + sign * (axis == 0), here[1] + sign * (axis == 1))
            if place in at or max(high[axis], place[axis]) - min(low[axis], place[axis]) >= most:
                continue
            step = steps[here][axis] * sign
            gap = np.hypot(*(blobs - (at[here] + step)).T)
            nearest = int(gap.argmin())
            if nearest in used or gap[nearest] > REACH * np.hypot(*step):
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


@dataclass(frozen=True, eq=False, slots=True)
class _Window:
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


def _best_windows(tone: Tone, grid: Grid) -> list[_Window]:
    """Return the windows that are worth a look at the lines, the best first, none twice."""
    spots: list[Floats] = []
    wide: list[_Window] = []
    narrow: list[_Window] = []
    lattices = list(_lattices(tone, grid, spots))
    for lattice, radius_px, _ in sorted(lattices, key=lambda found: -found[2]):
        ratio = np.concatenate(spots)[:, 2] / radius_px
        near = np.concatenate(spots)[(ratio > 1 / SIMILAR) & (ratio < SIMILAR)]
        wide += _windows(lattice, near[:, :2], radius_px, grid)
        # The walls and shadows of light discs on a light plate are dark blobs, too, half a step off: without them, then.
        narrow += _windows(lattice, np.zeros((0, 2)), radius_px, grid)
    wide.sort(key=lambda window: -window.score)
    kept: list[_Window] = []
    # Of one paint alone the strongest lattices are the likeliest; of both, those that fill most of the board.
    for window in chain.from_iterable(zip_longest(narrow[:MOST_NARROW:2], narrow[1:MOST_NARROW:2], wide[:MOST_WIDE])):
        if window is not None and all(
            np.abs(window.corners - other.corners).max() > SAME_WINDOW * window.step for other in kept
        ):
            kept.append(window)
    return kept


def _windows(lattice: dict[Place, Floats], spots: Floats, radius_px: float, grid: Grid) -> Iterator[_Window]:
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
                yield _Window(uv, at, np.roll(corners, -int(corners.sum(1).argmin()), axis=0), step, large, score)


def _spread(uv: Floats, pixels: Floats, board: Floats, spots: Floats, step: float) -> tuple[Floats, Floats, Floats]:
    """Take in blobs from ring to ring where the board's other places are expected.

    Returns:
        Columns and rows, the blobs there, and the plane that carries the former to the latter, shape (3, 3).
    """
    plane = _plane(uv, pixels)
    for _ in range(len(board) if len(spots) else 0):
        expected = _mapped(plane, board)
        gap = np.linalg.norm(expected[:, None] - spots[None], axis=2)
        away = np.abs(board[:, None] - uv[None]).max(axis=2).min(axis=1)
        taken = (gap.min(axis=1) < REACH * step) & (away <= 1)
        if taken.sum() < FEWEST_BLOBS:
            break
        before, uv, pixels = len(uv), board[taken], spots[gap.argmin(axis=1)[taken]]
        plane = _plane(uv, pixels)
        if len(uv) <= before:
            break
    return uv, pixels, plane


def _plane(uv: Floats, pixels: Floats) -> Floats:
    """Return the homography that carries points to pixels with the least algebraic error, shape (3, 3)."""
    middle, spread = pixels.mean(axis=0), max(float(pixels.std()), 1.0)
    x, y = ((pixels - middle) / spread).T
    u, v = uv.T
    one, none = np.ones(len(uv)), np.zeros(len(uv))
    rows = np.concatenate(
        [
            np.column_stack([u, v, one, none, none, none, -u * x, -v * x]),
            np.column_stack([none, none, none, u, v, one, -u * y, -v * y]),
        ]
    )
    solution, *_ = np.linalg.lstsq(rows, np.concatenate([x, y]), rcond=None)
    back = np.array([[spread, 0, middle[0]], [0, spread, middle[1]], [0, 0, 1.0]])
    return np.asarray(back @ np.append(solution, 1.0).reshape(3, 3), dtype=np.float64)


def _mapped(plane: Floats, uv: Floats) -> Floats:
    """Carry points through a homography."""
    far = np.column_stack([uv, np.ones(len(uv))]) @ plane.T
    return np.asarray(far[:, :2] / np.where(np.abs(far[:, 2:]) < 1e-9, 1e-9, far[:, 2:]), dtype=np.float64)


def _view_of(
    window: _Window, grid: Grid, sizes: BoardSizes, white_at: str, image_size: tuple[int, int]
) -> tuple[BoardView, Floats] | None:
    """Return the pose that a window means, and its blobs, shape (n, 3) in mm; None if there is none."""
    last = np.array([grid.columns - 1, grid.rows - 1])
    xy = np.column_stack([window.uv[:, 0], last[1] - window.uv[:, 1]])
    turn = _turn_in_picture(xy, window.pixels, last, white_at)
    flat = _turned(xy, last, turn) * sizes.square_mm
    points = np.column_stack([flat, np.zeros(len(flat))])
    noise_px = BLOB_NOISE * window.step
    try:
        view = fit_view(grid, sizes, points, window.pixels, image_size, noise_px)
        if window.large:
            # What discs hide of the board lies farther away.
            lift = view.project(points + np.array([0.0, 0.0, sizes.disc_height_mm])) - view.project(points)
            view = fit_view(grid, sizes, points, window.pixels - lift, image_size, noise_px)
    except (BadPose, np.linalg.LinAlgError):
        return None
    return view, points


def _turn_in_picture(xy: Floats, pixels: Floats, last: NDArray[np.int64], white_at: str) -> int:
    """Return by how many quarters places must be turned so that the first corner has the smallest x + y."""
    plane, _ = cv2.findHomography(xy, pixels, 0)
    if plane is None:
        return 0
    ends = np.array([[0, last[1]], last, [last[0], 0], [0, 0]], dtype=np.float64)
    corners = cv2.perspectiveTransform(ends.reshape(-1, 1, 2), plane).reshape(-1, 2)
    first = int(corners.sum(axis=1).argmin())
    return (SIDES.index(white_at) - first) % 4


def _consistent(places: Floats, pixels: Floats) -> NDArray[np.bool_]:
    span = float(np.linalg.norm(np.ptp(pixels, axis=0))) / max(float(np.linalg.norm(np.ptp(places, axis=0))), 1.0)
    _, mask = cv2.findHomography(places, pixels, cv2.RANSAC, ransacReprojThreshold=0.07 * span, maxIters=200)
    return np.zeros(len(pixels), dtype=bool) if mask is None else np.asarray(mask).ravel().astype(bool)


def _turned(xy: Floats, last: NDArray[np.int64], turn: int) -> Floats:
    """Turn board coordinates by quarters."""
    for _ in range(turn):
        xy = np.column_stack([xy[:, 1], last[0] - xy[:, 0]])
    return xy


@dataclass(frozen=True, eq=False, slots=True)
class _Stub:
    """What is seen between two neighbouring crossings.

    Attributes:
        offset: of the line from its expected place, in squares.
        contrast: how much darker (or, negative, lighter) than its sides it is.
    """

    offset: Floats
    contrast: Floats


def _on_lines(view: BoardView, blobs: Floats, tone: Tone) -> tuple[BoardView, float] | None:
    """Fit the view to the lines that show between the crossings; return it and the part of the lines seen, 0..1."""
    points, across, along = _strokes(view.grid, view.sizes)
    smooth = np.asarray(cv2.GaussianBlur(tone, (0, 0), 0.8), dtype=np.float32)
    part = 0.0
    away = np.linalg.norm(points[:, None] - blobs[None], axis=2).min(axis=1) / view.sizes.square_mm
    for round_, (reach, farthest) in enumerate(SEARCHES):
        stubs = _stubs(view, smooth, points, across, along, reach)
        sign = 1.0 if np.median(stubs.contrast) > 0 else -1.0
        contrast = stubs.contrast * sign
        typical = float(np.median(contrast[contrast > 0])) if (contrast > 0).any() else 0.0
        if typical < 0.02:
            return None
        part = float(np.clip(contrast / (0.6 * typical), 0, 1).mean())
        near = away <= farthest
        good = near & (contrast > 0.3 * typical) & (np.abs(stubs.offset) < 0.95 * reach)
        if good.sum() < max(FEWEST_STROKES, 0.35 * near.sum()):
            return None
        side = view.sizes.square_mm
        seen = view.project(points[good] + across[good] * stubs.offset[good, None] * side)
        try:
            # The first rounds only have to bring the next lines within reach: one start of the fit is enough.
            noise_px = NOISE_PX if round_ == len(SEARCHES) - 1 else ROUGH_PX
            view = fit_view(view.grid, view.sizes, points[good], seen, view.image_size, noise_px)
        except (BadPose, np.linalg.LinAlgError):
            return None
    # In noise and grain something darker is found everywhere: then it is found beside the lines, too.
    reach = SEARCHES[-1][0]
    lines = _stubs(view, smooth, points, across, along, reach)
    beside = _stubs(view, smooth, points + across * (BESIDE * view.sizes.square_mm), across, along, reach)
    clear = np.median(np.abs(lines.contrast)) > CLEARER * np.median(np.abs(beside.contrast))
    return (view, part) if clear and np.median(np.abs(lines.offset)) < MOST_MISSED else None


def _strokes(grid: Grid, sizes: BoardSizes) -> tuple[Floats, Floats, Floats]:
    """Return where lines are looked for: middles, shape (n, 3) in mm, ways across and halves along them, shape (n, 3).

    Between two neighbouring crossings hardly a fifth of the line shows when discs stand on both; of the diagonals, which
    join the crossings of even file + rank on every Alquerque board, a third and more does.
    """
    middles: list[tuple[float, float]] = []
    across: list[tuple[float, float]] = []
    along: list[tuple[float, float]] = []
    for y in range(grid.rows):
        for x in range(grid.columns):
            if x + 1 < grid.columns:
                middles.append((x + 0.5, y))
                across.append((0.0, 1.0))
                along.append((HALF_GAP, 0.0))
            if y + 1 < grid.rows:
                middles.append((x, y + 0.5))
                across.append((1.0, 0.0))
                along.append((0.0, HALF_GAP))
            if x + 1 < grid.columns and y + 1 < grid.rows:
                rising = 1.0 if (x + y) % 2 == 0 else -1.0
                middles.append((x + 0.5, y + 0.5))
                across.append((0.7071, -0.7071 * rising))
                along.append((HALF_DIAGONAL, HALF_DIAGONAL * rising))
    flat = [np.column_stack([np.array(v, dtype=np.float64), np.zeros(len(v))]) for v in (middles, across, along)]
    return flat[0] * sizes.square_mm, flat[1], flat[2]


def _stubs(view: BoardView, smooth: Tone, points: Floats, across: Floats, along: Floats, reach: float) -> _Stub:
    """Look for the line between two crossings, up to `reach` squares beside its place."""
    side = view.sizes.square_mm
    shift = across[:, None, None] * (_OFFSETS * reach * side)[:, None, None]
    slide = along[:, None, None] * (_ALONG * side)[None, :, None]
    where = view.project((points[:, None, None] + shift + slide).reshape(-1, 3)).astype(np.float32)
    shape = (len(points), len(_OFFSETS) * len(_ALONG))
    seen = cv2.remap(smooth, where[:, 0].reshape(shape), where[:, 1].reshape(shape), cv2.INTER_LINEAR)
    profile = seen.reshape(len(points), len(_OFFSETS), len(_ALONG)).mean(axis=2)
    # A line's own width is about a tenth of a square: its sides are farther away than that.
    apart = max(2, round(0.09 / reach * len(_OFFSETS) / 2))
    darker = np.full(profile.shape, 0.0)
    left, middle, right = profile[:, : -2 * apart], profile[:, apart:-apart], profile[:, 2 * apart :]
    dark, light = np.minimum(left, right) - middle, middle - np.maximum(left, right)
    darker[:, apart:-apart] = np.where(dark > light, np.maximum(dark, 0), -np.maximum(light, 0))
    sign = (
        1.0
        if np.abs(darker).max(axis=1).dot(np.sign(darker[np.arange(len(darker)), np.abs(darker).argmax(1)])) > 0
        else -1.0
    )
    strength = np.maximum(darker * sign, 0)
    best = strength.argmax(axis=1)
    rows = np.arange(len(points))
    contrast = strength[rows, best]
    window = np.abs(np.arange(len(_OFFSETS))[None] - best[:, None]) <= 2
    weight = strength * window + 1e-9 * (np.arange(len(_OFFSETS))[None] == best[:, None])
    offset = (weight @ (_OFFSETS * reach)) / weight.sum(axis=1)
    return _Stub(offset, contrast * sign)
