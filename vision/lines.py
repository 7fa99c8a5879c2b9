"""Finding a board of lines: 5x5 crossings on a plate, under the discs of a game, or bare.

Such a board has no light and dark squares. What it has is a lattice of blobs: discs darker or lighter than the plate, or,
where nothing stands, the knots of the lines. Blobs are grown to a lattice, and the lines that show between two
crossings pull the pose into place, wherever the discs lie.

Boards whose squares are all of one colour, parted by drawn lines, have no light and dark squares either: where somebody says
their corners are, their lines tell whether that is so.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.blobs import Window, best_windows
from damludo.vision.content import BoardSizes, Grid
from damludo.vision.errors import BadPose
from damludo.vision.finding import BoardFinding
from damludo.vision.frame import Image
from damludo.vision.pose import NOISE_PX, fit_view
from damludo.vision.sides import SIDES, corners_of
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]
Tone = NDArray[np.float32]
_Strokes = tuple[Floats, Floats, Floats]
"""Middles of strokes, ways across them and halves along them, shape (n, 3) each, mm and squares."""

FEWEST_STROKES = 10
BLOB_NOISE = 0.06
"""Error expected of a blob, in steps of the lattice: discs lie beside their places, and shadows pull their blobs."""
SEARCHES = ((0.26, 0.8), (0.24, 1.8), (0.22, 9.0), (0.18, 9.0), (0.12, 9.0))
"""Round by round: how far beside its place a line is looked for, and how far from a blob, in squares: what lies far from the
blobs is known from the near lines only."""
ROUGH_PX = 0.8
"""Error expected of a line in all rounds but the last."""
LEAST_LINES = 0.7
"""Part of the lines, weighted by how clear they are, that a board must show."""
SETTLED_ROUND = 2
"""From this round on a board shows as many lines as it ever will: rendered ones 0.95 and more of them, others 0.7 or less."""
MOST_MISSED = 0.03
"""Median distance of the lines from their places, in squares; rendered boards 0.01, noise 0.06."""
BESIDE, CLEARER = 0.25, 1.5
"""So far beside the lines, in squares, is bare plate; the lines must be so many times clearer than what is found there."""
RULED_AT, HALF_RULED = 0.15, 0.09
"""A line that parts two squares is looked for so far from its crossings, where no disc on the squares hides it; half of what is
looked at of it along it; in squares."""
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
    for window in best_windows(tone, grid):
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
    return _errors_of(view, image, _strokes(view.grid, view.sizes))


def refined_on_rules(view: BoardView, image: Image) -> BoardView | None:
    """Return a view of squares of one colour, nearly right, pulled onto the lines that part them; None if too few show."""
    strokes = _rules(view.grid, view.sizes)
    refined = _on_lines(view, strokes[0], _tone(image), strokes)
    return refined[0] if refined is not None and refined[1] >= LEAST_LINES else None


def rule_errors(view: BoardView, image: Image) -> tuple[Floats, Floats]:
    """Return what `line_errors` does, of the lines that part squares of one colour; nothing if there are none near the view."""
    if refined_on_rules(view, image) is None:
        return np.zeros((0, 3)), np.zeros((0, 2))
    return _errors_of(view, image, _rules(view.grid, view.sizes))


def _errors_of(view: BoardView, image: Image, strokes: _Strokes) -> tuple[Floats, Floats]:
    points, across, along = strokes
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


def _view_of(
    window: Window, grid: Grid, sizes: BoardSizes, white_at: str, image_size: tuple[int, int]
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


def _on_lines(
    view: BoardView, blobs: Floats, tone: Tone, strokes: _Strokes | None = None
) -> tuple[BoardView, float] | None:
    """Fit the view to the lines that show between the crossings; return it and the part of the lines seen, 0..1."""
    points, across, along = strokes or _strokes(view.grid, view.sizes)
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
        if round_ >= SETTLED_ROUND and part < LEAST_LINES:
            return None
        near = away <= farthest
        good = near & (contrast > 0.3 * typical) & (np.abs(stubs.offset) < 0.95 * reach)
        if good.sum() < max(FEWEST_STROKES, 0.35 * near.sum()):
            return None
        side = view.sizes.square_mm
        seen = view.project(points[good] + across[good] * stubs.offset[good, None] * side)
        try:
            # The first rounds only have to bring the next lines within reach: they go on from where the fit stands.
            last = round_ == len(SEARCHES) - 1
            noise_px, near = (NOISE_PX, None) if last else (ROUGH_PX, view)
            view = fit_view(view.grid, view.sizes, points[good], seen, view.image_size, noise_px, near)
        except (BadPose, np.linalg.LinAlgError):
            return None
    # In noise and grain something darker is found everywhere: then it is found beside the lines, too.
    reach = SEARCHES[-1][0]
    lines = _stubs(view, smooth, points, across, along, reach)
    beside = _stubs(view, smooth, points + across * (BESIDE * view.sizes.square_mm), across, along, reach)
    clear = np.median(np.abs(lines.contrast)) > CLEARER * np.median(np.abs(beside.contrast))
    return (view, part) if clear and np.median(np.abs(lines.offset)) < MOST_MISSED else None


def _rules(grid: Grid, sizes: BoardSizes) -> _Strokes:
    """Return where the lines between squares are looked for, as `_strokes` does, at both ends of each; the border has others."""
    inner_x, inner_y = np.arange(1.0, grid.columns), np.arange(1.0, grid.rows)
    ends_x = (np.arange(grid.columns)[:, None] + [RULED_AT, 1 - RULED_AT]).ravel()
    ends_y = (np.arange(grid.rows)[:, None] + [RULED_AT, 1 - RULED_AT]).ravel()
    upright = np.stack(np.meshgrid(inner_x, ends_y), axis=-1).reshape(-1, 2)
    level = np.stack(np.meshgrid(ends_x, inner_y), axis=-1).reshape(-1, 2)
    x_way, y_way = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    middles = np.concatenate([upright, level])
    across = np.concatenate([np.tile(x_way, (len(upright), 1)), np.tile(y_way, (len(level), 1))])
    along = HALF_RULED * np.concatenate([np.tile(y_way, (len(upright), 1)), np.tile(x_way, (len(level), 1))])
    return np.column_stack([middles * sizes.square_mm, np.zeros(len(middles))]), across, along


def _strokes(grid: Grid, sizes: BoardSizes) -> _Strokes:
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
