"""Corner cards: printed markers around the field, for boards whose squares cannot be found.

Each card lies on the frame with its tip at a corner of the playing field and its sides along the field's. All four are printed
upright as White sees them; the number tells the corner, so cards also tell where White sits.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import BoardSizes, Grid
from damludo.vision.errors import BadPose, BoardNotFound
from damludo.vision.frame import Image
from damludo.vision.pose import fit_view
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]

DICTIONARY = cv2.aruco.DICT_4X4_50
CORNERS = ("a1", "the last square of rank 1", "the square opposite a1", "the last square of file a")
"""At the outer corner of which square card number 0, 1, 2, 3 lies."""
OUTWARD = ((-1, -1), (1, -1), (1, 1), (-1, 1))
"""To which side of its corner each card lies, x and y of the board frame."""
FEWEST_CARDS = 3
"""Two cards leave the slant of the camera to small errors (a quarter of a square at the far corners); three hold it."""
MOST_ERROR = 0.12
"""Root mean square error of the markers' corners, in marker sides, from which the cards do not lie as they should."""
FIRST_LOOK_PX = 1280
"""Longer side of the picture in which cards are looked for first: one without any is then answered soon."""
FIELDS = 6
"""Along a side of a 4x4 marker with its black border."""
FIELD_PART, REACH_PX = 0.7, (2, 5)
"""How far around a corner is looked for it: part of a field, and its limits."""


@dataclass(frozen=True, slots=True)
class CardSize:
    """How large the cards are printed.

    Attributes:
        marker_mm: side of the black square.
        margin_mm: white around it.
    """

    marker_mm: float = 30.0
    margin_mm: float = 5.0


def marker_corners_mm(grid: Grid, sizes: BoardSizes, card: CardSize) -> Floats:
    """Return the markers' corners in the board frame, shape (4 cards, 4, 3); from top left, clockwise, as White sees them."""
    width = (grid.columns - grid.lines) * sizes.square_mm
    height = (grid.rows - grid.lines) * sizes.square_mm
    tips = np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
    half = card.marker_mm / 2
    middles = tips + np.array(OUTWARD) * (card.margin_mm + half)
    around = np.array([[-half, half], [half, half], [half, -half], [-half, -half]])
    flat = middles[:, None] + around[None]
    return np.concatenate([flat, np.zeros((4, 4, 1))], axis=2)


def find_markers(image: Image) -> Mapping[int, Floats]:
    """Return the corners, shape (4, 2) in px, of the markers 0 to 3 that are seen; the largest of equal numbers."""
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    scale = min(1.0, FIRST_LOOK_PX / max(gray.shape))
    found = _detected(gray, scale)
    if scale < 1.0 and 0 < len(found) < len(CORNERS):
        found = _detected(gray, 1.0) | found
    return {number: _refined(gray, quad) for number, quad in found.items()}


def _detected(gray: NDArray[np.uint8], scale: float) -> dict[int, Floats]:
    """Return what `find_markers` does, looked for in a shrunk picture and not refined."""
    small = gray if scale >= 1.0 else cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), cv2.aruco.DetectorParameters())
    corners, numbers, _ = detector.detectMarkers(small)
    found: dict[int, Floats] = {}
    # OpenCV 4 gives the numbers as (n, 1), OpenCV 5 as (n,), both give None for none.
    for number, quad in zip(np.array([] if numbers is None else numbers).reshape(-1), corners, strict=True):
        points = (np.asarray(quad, dtype=np.float64).reshape(4, 2) + 0.5) / scale - 0.5
        if 0 <= number < 4 and (int(number) not in found or _area(points) > _area(found[int(number)])):
            found[int(number)] = points
    return found


def _refined(gray: NDArray[np.uint8], quad: Floats) -> Floats:
    """Return the corners of a marker, shape (4, 2), to a third of a pixel.

    The detector's own refinement differs from version to version of OpenCV: with three cards it left 3 mm at the fourth corner.
    A window that reaches the marker's inner fields runs away from the corner.
    """
    field_px = np.sqrt(_area(quad)) / FIELDS
    reach = round(float(np.clip(FIELD_PART * field_px, *REACH_PX)))
    corners = quad.astype(np.float32).reshape(-1, 1, 2)
    cv2.cornerSubPix(
        gray, corners, (reach, reach), (-1, -1), (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 50, 0.005)
    )
    return np.asarray(corners, dtype=np.float64).reshape(4, 2)


def _area(quad: Floats) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


def view_from_cards(image: Image, grid: Grid, sizes: BoardSizes, card: CardSize) -> BoardView:
    """Return the pose that the corner cards tell; White's side is known from their numbers.

    Raises:
        BoardNotFound: fewer than two cards are seen, or they do not lie at the field's corners.
    """
    seen = find_markers(image)
    if len(seen) < FEWEST_CARDS:
        raise BoardNotFound(
            f"{len(seen)} of 4 corner cards are seen, at least {FEWEST_CARDS} are needed; print larger ones with "
            "'damludo calibrate print-cards --card-mm 40', or keep lamps from shining on them"
        )
    numbers = sorted(seen)
    points = marker_corners_mm(grid, sizes, card)[numbers].reshape(-1, 3)
    pixels = np.concatenate([seen[number] for number in numbers])
    try:
        view = fit_view(grid, sizes, points, pixels, (image.shape[1], image.shape[0]))
    except (BadPose, np.linalg.LinAlgError) as error:
        raise BoardNotFound(
            "the corner cards do not lie around one board; see 'damludo calibrate print-cards'"
        ) from error
    side_px = float(np.mean([np.sqrt(_area(quad)) for quad in seen.values()]))
    error_px = float(np.sqrt(((view.project(points) - pixels) ** 2).sum(axis=1).mean()))
    if error_px > MOST_ERROR * side_px:
        raise BoardNotFound(
            f"the corner cards miss their places by {error_px / side_px:.2f} of a marker (limit {MOST_ERROR}); lay each with "
            "its tip at its corner, upright as White sees it, and give --square-mm and --card-mm as they are"
        )
    return view
