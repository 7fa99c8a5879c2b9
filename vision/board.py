"""Finding the board in a picture, with the discs standing on it.

Saddle points are linked to a lattice (`lattice`), a camera is fitted (`pose`), and of all windows of the board's size the one
whose squares alternate best in brightness is taken: the wooden frame continues some lines but does not alternate.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.alternation import alternation_maps, continued, weakest_side, window_sums
from damludo.vision.border import fitted_to_border
from damludo.vision.content import BoardSizes, Grid
from damludo.vision.dots import refined_on_dots
from damludo.vision.errors import BadPose, BoardNotFound
from damludo.vision.finding import BoardFinding, square_px
from damludo.vision.frame import Image
from damludo.vision.lattice import FEWEST_IN_PATCH, Lattice, Saddles, beside, components, find_saddles, grow, link
from damludo.vision.lines import find_line_boards, line_errors, refined_on_lines, refined_on_rules
from damludo.vision.plain import plain_corners
from damludo.vision.pose import fit_view
from damludo.vision.sides import SIDES, corners_of
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]

LEAST_SQUARE_PX = 6.0
"""Given corners that span smaller squares are mistaken: no disc could be told from noise there."""
WORKING_SIZES_PX = (960, 520, 1500)
"""Longer side of the picture to work at, tried in this order: fine saddles first, then coarse, then small squares."""
COARSE_PX, LEAST_COLOUR = 10, 8.0
"""Colours are compared in fields of so many px; a board of one brightness with two colours 40 levels apart, on a tenth of the
picture, makes them deviate by 12."""
LEAST_ALTERNATION = 0.6
"""Mean alternation (-1..1) of the window's inner edges that a board must have; photographs: true 0.7..1, false below 0.5."""
CLEAR_ALTERNATION = 0.9
"""A window that alternates so well is the board: no other patch of crossings is looked at."""
LEAST_OF_SIDE = 0.3
"""Mean alternation along each of the four outer rows: a frame's row has about 0, a row under glare still 0.4."""
LEAST_MARGIN = 0.25
"""How much better than the window one row off, per square of that row; a T-crossing at the frame gives about 1.5."""
MOST_CONTINUED = 0.35
"""A row beyond a side alternates by less than this, within itself and against the board: of boards on any ground by 0.15 at
most, of windows of a chequered cloth by 0.6 to 1."""
CLOTHS = 1
"""So many lattices that go on beyond the board's size are taken away to see what lies on them."""
MOST_RESIDUAL_SQUARES = 0.06
"""A pose whose crossings miss by more than this (root mean square) is refused: those of photographed boards miss by 0.01 to
0.034; what chance brings near the places of a board that shows no crossings, by 0.07 and more."""
ERROR_REACH = 0.3
"""Crossings are looked for so far from their place, in squares, when a view is checked."""
CLICK_SQUARES = 0.6
"""A click misses its corner by less than this, in squares; the next row would be 1 away."""
MOST_WINDOWS, NEARLY_AS_GOOD = 4, 0.2
"""Windows given as candidates: at most so many, whose alternation is at most this much below the best one's."""
LEAST_CROSSINGS = 0.35
"""Part of the inner crossings that must be seen."""


def find_board(
    image: Image, grid: Grid, sizes: BoardSizes | None = None, white_at: str = "bottom", most_looks: int | None = None
) -> BoardFinding:
    """Find the board.

    Args:
        image: shape (h, w, 3), BGR.
        grid: the board.
        sizes: of squares and discs.
        white_at: side of the picture where White's rank 1 lies; the picture of the squares alone cannot tell.
        most_looks: in how many sizes and tones the picture is looked at; None: in all. A picture of noise takes long in each.

    Raises:
        BoardNotFound: no board, or not surely enough.
    """
    candidates = find_candidates(image, grid, sizes, white_at, most_looks)
    if not candidates:
        raise BoardNotFound(
            f"no board of {grid.columns} x {grid.rows} squares is seen; the whole board must be in the picture, "
            "in even light, or give the four corners yourself"
        )
    best = candidates[0]
    if best.continued > MOST_CONTINUED:
        raise BoardNotFound(
            f"the squares that are seen go on beyond a board of {grid.columns} x {grid.rows}; a larger board is found by its own "
            "size, a chequered cloth must not show beside the board, or give the four corners yourself"
        )
    if best.margin < LEAST_MARGIN:
        raise BoardNotFound(
            f"the board may lie one row further (lead {best.margin:.2f}, needed {LEAST_MARGIN}); "
            "light it more evenly or give the four corners yourself"
        )
    return best


def find_candidates(
    image: Image, grid: Grid, sizes: BoardSizes | None = None, white_at: str = "bottom", most_looks: int | None = None
) -> list[BoardFinding]:
    """Return the possible places of the board, the best first; those after it lie shifted by one row or column."""
    if grid.lines:
        return find_line_boards(image, grid, sizes or BoardSizes(), white_at)
    found: list[BoardFinding] = []
    for tone, scale in islice(_tones(image), most_looks):
        findings = _find_in_tone(tone, scale, image, grid, sizes or BoardSizes(), white_at, must_end=bool(found))
        if findings and findings[0].continued <= MOST_CONTINUED:
            return findings
        found = found or findings
    return found


def view_from_corners(
    corners: Floats,
    image_size: tuple[int, int],
    grid: Grid,
    sizes: BoardSizes | None = None,
    white_at: str = "bottom",
    refine: Image | None = None,
) -> BoardView:
    """Return the pose that four outer corners mean.

    Args:
        corners: shape (4, 2), px, in picture order (corner 1 has the smallest x + y, then clockwise).
        image_size: (width, height), px.
        grid, sizes: the board.
        white_at: side of the picture where White's rank 1 lies.
        refine: a picture in which a board near the corners, or crossings near the expected ones, are looked for; without
            them the corners stand as they were given.

    Raises:
        BadPose: the corners do not span a board.
    """
    sizes = sizes or BoardSizes()
    board = corners_of(grid, sizes, white_at)
    _refuse_small(np.asarray(corners, dtype=np.float64), grid)
    view = fit_view(grid, sizes, board, np.asarray(corners, dtype=np.float64), image_size)
    if refine is None:
        return view
    if grid.lines:
        pulled = refined_on_lines(view, refine)
        return pulled if pulled is not None and _near_clicks(pulled, corners, board) else view
    for finding in find_candidates(refine, grid, sizes, white_at):
        if _near_clicks(finding.view, corners, board):
            return finding.view
    # Lines between squares of one colour show saddles by chance, and discs on them look like dots, a little beside their squares.
    pulls = (_refined(view, refine), refined_on_rules(view, refine))
    near = [pulled for pulled in pulls if pulled is not None and _near_clicks(pulled, corners, board)]
    if near:
        return min(near, key=lambda pulled: pulled.residual_px)
    dotted = refined_on_dots(view, refine)
    return dotted if dotted is not None and _near_clicks(dotted, corners, board) else view


def _refuse_small(corners: Floats, grid: Grid) -> None:
    """Raise `BadPose` for corners of a board that is too small to be read."""
    side = square_px(corners, grid.columns - grid.lines, grid.rows - grid.lines)
    if side < LEAST_SQUARE_PX:
        raise BadPose(
            f"the four corners span squares of {side:.1f} px, at least {LEAST_SQUARE_PX:.0f} are needed; give the outer "
            "corners of the field in px"
        )


def _near_clicks(view: BoardView, corners: Floats, board: Floats) -> bool:
    """Return whether a view has its corners where they were clicked, within CLICK_SQUARES."""
    side = square_px(corners, view.grid.columns - view.grid.lines, view.grid.rows - view.grid.lines)
    return bool(np.linalg.norm(view.project(board) - corners, axis=1).max() < CLICK_SQUARES * side)


def _tones(image: Image) -> Iterator[tuple[NDArray[np.float32], float]]:
    """Give brightness at some working sizes, then the colour channels (a blue and green board has one brightness)."""
    height, width = image.shape[:2]
    seen = set()
    for size in WORKING_SIZES_PX:
        scale = min(1.0, size / max(height, width))
        if scale in seen or min(height, width) * scale < 48:
            continue
        seen.add(scale)
        yield _tone(_gray(_shrunk(image, scale))), scale
    scale = min(1.0, WORKING_SIZES_PX[0] / max(height, width))
    small = _shrunk(image, scale)
    if min(small.shape[:2]) >= 48 and _coloured(small):
        for channel in (2, 0, 1):
            yield _tone(small[:, :, channel]), scale


def _coloured(image: Image) -> bool:
    """Return whether the channels tell what the brightness does not, over areas as large as squares; noise does so px by px."""
    coarse = cv2.resize(image, None, fx=1 / COARSE_PX, fy=1 / COARSE_PX, interpolation=cv2.INTER_AREA).astype(
        np.float32
    )
    return bool((coarse - coarse.mean(axis=2, keepdims=True)).std(axis=(0, 1)).max() > LEAST_COLOUR)


def _shrunk(image: Image, scale: float) -> Image:
    if scale >= 1.0:
        return image
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _gray(image: Image) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _tone(gray: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return log brightness: a shadow then is a constant, and dark pictures have crossings as strong as bright ones."""
    table = np.log(np.arange(256) + 12.0).astype(np.float32)
    return np.asarray(table[gray], dtype=np.float32)


def _find_in_tone(
    tone: NDArray[np.float32],
    scale: float,
    image: Image,
    grid: Grid,
    sizes: BoardSizes,
    white_at: str,
    must_end: bool = False,
) -> list[BoardFinding]:
    """Return the windows of one tone, the best first; with `must_end` only such as the squares do not go on beyond."""
    saddles = find_saddles(tone)
    best: list[BoardFinding] = []
    for _ in range(CLOTHS + 1):
        findings, lattice = _best_lattice(saddles, tone, scale, image, grid, sizes, white_at, must_end or bool(best))
        if findings and (not best or _worth(findings[0]) > _worth(best[0])):
            best = findings
        if lattice is None:
            break
        # A cloth is linked to the board that lies on it: what belongs to the cloth goes, and the board stays.
        saddles = beside(saddles, lattice, (tone.shape[1], tone.shape[0]))
    return best


def _best_lattice(
    saddles: Saddles,
    tone: NDArray[np.float32],
    scale: float,
    image: Image,
    grid: Grid,
    sizes: BoardSizes,
    white_at: str,
    must_end: bool,
) -> tuple[list[BoardFinding], Lattice | None]:
    """Return the windows on the lattice that shows a board best, and a lattice that goes on beyond if no board was found."""
    size = (tone.shape[1], tone.shape[0])
    reach = max(grid.columns, grid.rows) + 2
    best: list[BoardFinding] = []
    cloth: Lattice | None = None
    for numbers, coordinates in components(saddles, link(saddles)) if len(saddles.pixels) >= FEWEST_IN_PATCH else []:
        lattice = grow(saddles, numbers, coordinates, size, reach)
        if lattice is None:
            continue
        findings, goes_on = _windows(lattice, tone, scale, image, grid, sizes, white_at, must_end or bool(best))
        cloth = lattice if goes_on and cloth is None else cloth
        if findings and (not best or _worth(findings[0]) > _worth(best[0])):
            best = findings
        if best and _worth(best[0]) > (True, CLEAR_ALTERNATION) and best[0].margin > LEAST_MARGIN:
            break
    return best, None if best and _worth(best[0])[0] else cloth


def _worth(finding: BoardFinding) -> tuple[bool, float]:
    """Order findings on different lattices: one that ends where a board does before a cloth's window, then by alternation."""
    return finding.continued <= MOST_CONTINUED, finding.alternation


def _windows(
    lattice: Lattice,
    tone: NDArray[np.float32],
    scale: float,
    image: Image,
    grid: Grid,
    sizes: BoardSizes,
    white_at: str,
    must_end: bool,
) -> tuple[list[BoardFinding], bool]:
    """Return the windows of the board's size whose squares alternate, the best first, and whether they go on beyond it.

    With `must_end` no window if they do: a chequered cloth shows many such in every tone.
    """
    n = max(grid.columns, grid.rows)
    low, high = int(lattice.indices.min()) - n - 1, int(lattice.indices.max()) + n + 1
    across, along = alternation_maps(lattice, tone, low, high)
    shapes = {(grid.columns, grid.rows), (grid.rows, grid.columns)}
    scored = []
    for columns, rows in sorted(shapes):
        total = window_sums(across, columns - 1, rows) + window_sums(along, columns, rows - 1)
        edges = (columns - 1) * rows + columns * (rows - 1)
        sound = weakest_side(across, along, columns, rows) > LEAST_OF_SIDE
        for v, u in np.argwhere((total > 0.8 * LEAST_ALTERNATION * edges) & sound):
            scored.append((float(total[v, u]), int(u) + low, int(v) + low, columns, rows, edges))
    scored.sort(key=lambda s: -s[0])
    if not scored or scored[0][0] < LEAST_ALTERNATION * scored[0][5]:
        return [], False
    second = scored[1][0] if len(scored) > 1 else 0.8 * LEAST_ALTERNATION * scored[0][5]
    margin = (scored[0][0] - second) / n
    near = [window for window in scored[:MOST_WINDOWS] if window[0] > scored[0][0] - NEARLY_AS_GOOD * window[5]]
    findings: list[BoardFinding] = []
    beyond = [
        continued(across, along, slice(u - low, u - low + c), slice(v - low, v - low + r)) for _, u, v, c, r, _ in near
    ]
    goes_on = beyond[0] > MOST_CONTINUED
    for window, its_beyond in zip(near, beyond, strict=True) if not (goes_on and must_end) else ():
        finding = _finding(lattice, window, margin, scale, image, grid, sizes, white_at)
        if finding is not None:
            findings.append(replace(finding, continued=its_beyond))
        elif not findings:
            break
    return findings, goes_on


def _finding(
    lattice: Lattice,
    window: tuple[float, int, int, int, int, int],
    margin: float,
    scale: float,
    image: Image,
    grid: Grid,
    sizes: BoardSizes,
    white_at: str,
) -> BoardFinding | None:
    """Fit the pose to the crossings of one window in full resolution; None if too few are seen or they miss."""
    total, u0, v0, columns, rows, edges = window
    ends = np.array([[u0, v0], [u0 + columns, v0], [u0 + columns, v0 + rows], [u0, v0 + rows]], dtype=np.float64)
    corners = lattice.project(ends)
    turn = int(corners.sum(axis=1).argmin())  # corner 1 is the one with the smallest x + y
    if ((columns, rows) if turn % 2 == 0 else (rows, columns)) != _shape_in_picture(grid, white_at):
        return None
    inside = ((lattice.indices > [u0, v0]) & (lattice.indices < [u0 + columns, v0 + rows])).all(axis=1)
    if inside.sum() < LEAST_CROSSINGS * (columns - 1) * (rows - 1):
        return None
    # Lattice coordinates -> board coordinates is the affine map that carries the four ends to the four corners.
    board = corners_of(grid, sizes, white_at)
    ordered = np.roll(ends, -turn, axis=0)
    affine, *_ = np.linalg.lstsq(np.column_stack([ordered, np.ones(4)]), board[:, :2], rcond=None)
    flat = np.column_stack([lattice.indices[inside], np.ones(inside.sum())]) @ affine
    points = np.column_stack([flat, np.zeros(len(flat))])
    pixels = (lattice.pixels[inside] + 0.5) / scale - 0.5
    size = (image.shape[1], image.shape[0])
    try:
        view = fit_view(grid, sizes, points, pixels, size)
    except (BadPose, np.linalg.LinAlgError):
        return None
    finding = BoardFinding(view, white_at, view.project(board), total / edges, margin, int(inside.sum()))
    if finding.residual_squares > MOST_RESIDUAL_SQUARES:
        return None
    fitted = fitted_to_border(view, image, points, pixels)
    return replace(finding, view=fitted, corners=plain_corners(fitted, board, points, pixels))


def _shape_in_picture(grid: Grid, white_at: str) -> tuple[int, int]:
    return (grid.columns, grid.rows) if SIDES.index(white_at) % 2 == 0 else (grid.rows, grid.columns)


def crossing_errors(view: BoardView, image: Image) -> tuple[Floats, Floats]:
    """Compare a view with the crossings that a picture shows.

    Returns:
        Points of the board, shape (n, 3) in mm, and how far from their expected place they are seen, shape (n, 2) in px. On a
        board of lines: points of the lines, and the part of the error across them.
    """
    if view.grid.lines:
        return line_errors(view, image)
    saddles, pixels = _saddles_of(image)
    points, parity = _inner_crossings(view)
    crossing, saddle = _near(view, points, parity, saddles, pixels, ERROR_REACH)
    seen = points[crossing]
    return seen, pixels[saddle] - view.project(seen) if len(seen) else np.zeros((0, 2))


def four_corners(view: BoardView, image: Image) -> Floats:
    """Return the corners of a view's plain grid in a picture, shape (4, 2), in the order of `outer_corners_mm`.

    See `plain`: these are the four points that tell a board, not the places where the bent view ends.
    """
    board = view.outer_corners_mm()
    if view.grid.lines:
        return view.project(board)
    points, errors = crossing_errors(view, image)
    seen = view.project(board)
    missed = np.linalg.norm(errors, axis=1)
    most = MOST_RESIDUAL_SQUARES * square_px(seen, view.grid.columns, view.grid.rows)
    # Boards without crossings, of dots, show saddles all the same: by chance, anywhere near the places.
    if len(points) < LEAST_CROSSINGS * (view.grid.columns - 1) * (view.grid.rows - 1) or np.median(missed) > most:
        return seen
    return plain_corners(view, board, points, view.project(points) + errors)


def refined_view(view: BoardView, image: Image) -> BoardView | None:
    """Return a view that is nearly right, fitted to the crossings as a picture shows them; None if too few are seen."""
    if view.grid.lines:
        return refined_on_lines(view, image)
    return _refined(view, image)


def _refined(view: BoardView, image: Image) -> BoardView | None:
    """Fit a view to the saddles near the crossings it predicts, first generously, then strictly."""
    grid = view.grid
    saddles, pixels = _saddles_of(image)
    points, parity = _inner_crossings(view)
    current = view
    for reach in (0.42, 0.3, 0.2, 0.15):
        matched = _near(current, points, parity, saddles, pixels, reach)
        if len(matched[0]) < LEAST_CROSSINGS * len(points):
            return None
        try:
            current = fit_view(grid, view.sizes, points[matched[0]], pixels[matched[1]], view.image_size)
        except (BadPose, np.linalg.LinAlgError):
            return None
    missed = np.linalg.norm(current.project(points[matched[0]]) - pixels[matched[1]], axis=1)
    outer = current.project(current.outer_corners_mm())
    if np.sqrt((missed**2).mean()) > MOST_RESIDUAL_SQUARES * square_px(outer, grid.columns, grid.rows):
        return None
    return fitted_to_border(current, image, points[matched[0]], pixels[matched[1]])


def _saddles_of(image: Image) -> tuple[Saddles, Floats]:
    """Return the saddles of a picture, and where they are in its full size."""
    height, width = image.shape[:2]
    scale = min(1.0, WORKING_SIZES_PX[0] / max(height, width))
    saddles = find_saddles(_tone(_gray(_shrunk(image, scale))))
    return saddles, (saddles.pixels + 0.5) / scale - 0.5


def _inner_crossings(view: BoardView) -> tuple[Floats, Floats]:
    """Return the inner crossings, shape (n, 3) in mm, and 1 for even ones, -1 for odd ones."""
    grid, side = view.grid, view.sizes.square_mm
    y, x = np.mgrid[1 : grid.rows, 1 : grid.columns]
    points = np.column_stack([x.ravel() * side, y.ravel() * side, np.zeros(x.size)]).astype(np.float64)
    return points, np.where((x + y).ravel() % 2 == 0, 1.0, -1.0)


def _near(
    view: BoardView, points: Floats, parity: Floats, saddles: Saddles, pixels: Floats, reach: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return pairs (crossing, saddle) nearer than `reach` squares with the polarity of the majority."""
    if not len(pixels):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    where = view.project(points)
    half = np.array([view.sizes.square_mm / 2, view.sizes.square_mm / 2, 0.0])
    side = np.linalg.norm(view.project(points + half) - view.project(points - half), axis=1) / np.sqrt(2)
    distance = np.linalg.norm(where[:, None] - pixels[None], axis=2)
    close = distance < reach * side[:, None]
    weight = (saddles.polarity[None, :] * parity[:, None] * saddles.strength[None, :])[close].sum()
    direction = weight / max(abs(weight), 1e-12)
    agree = (saddles.polarity[None, :] * parity[:, None] * direction.conj()).real
    cost = np.where(close & (agree > 0.5), distance, np.inf)
    nearest = cost.argmin(axis=1)
    found = np.isfinite(cost[np.arange(len(points)), nearest])
    return np.nonzero(found)[0], nearest[found]
