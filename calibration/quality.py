"""How good a calibration is: the crossings' error in px, mm and squares, and how surely each square can be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.calibration.errors import BadFit
from damludo.vision.board import crossing_errors
from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.lines import rule_errors
from damludo.vision.look import Look
from damludo.vision.patches import Patches
from damludo.vision.squares import SquareReader
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]

MOST_ERROR_SQUARES = 0.08
"""A pose whose crossings miss by more (root mean square) is refused."""
CLEAR_ERROR_SQUARES = 0.04
"""Crossings of dark and light squares that miss by less are no saddles by chance."""
LEAST_SEEN = 0.35
"""Part of the crossings that must be seen."""
CLIPPED_PART = 0.25
"""A square of which more than this is white or black beyond the camera's range is blind."""
BRIGHTEST, DARKEST = 250, 4
FAINT = 0.35
"""A square whose step to its neighbours is less than this part of the usual one is blind: glare or deep shadow."""
LEAST_STEP = 0.1
"""Squares that differ by less in log colour are all of one colour: no step between them tells of the light."""
LIT = 0.5
"""Where the light squares around are at least this part as bright as usual, a black disc is black by itself, not by a shadow."""
CLEAR_NATS = 6.0
"""A square read by less than this in the picture that taught it is weak."""


MOST_IN_MEAN = 250
"""More pictures would overflow 16 bits."""


@dataclass(frozen=True, eq=False, slots=True)
class PoseQuality:
    """How well a pose explains a picture.

    Attributes:
        points_mm, errors_px: crossings that are seen, shape (n, 3), and by how much they miss, shape (n, 2); where squares of
            one colour are parted by lines, points of these lines.
        expected: how many of them there are.
        square_px: mean side of a square in the picture.
        square_mm: side of a square.
    """

    points_mm: Floats
    errors_px: Floats
    expected: int
    square_px: float
    square_mm: float

    @property
    def error_px(self) -> float:
        """Root mean square error of the crossings; not a number if none is seen."""
        return float(np.sqrt((self.errors_px**2).sum(axis=1).mean())) if len(self.errors_px) else float("nan")

    @property
    def error_squares(self) -> float:
        """The same in sides of a square."""
        return self.error_px / self.square_px

    @property
    def error_mm(self) -> float:
        """The same on the board."""
        return self.error_squares * self.square_mm

    @property
    def seen(self) -> int:
        """How many crossings are seen near their places."""
        return len(self.points_mm)

    @property
    def good(self) -> bool:
        """Enough crossings are seen and they miss by less than the limit."""
        return self.seen >= LEAST_SEEN * self.expected and self.error_squares <= MOST_ERROR_SQUARES


def pose_quality(view: BoardView, images: Sequence[Image]) -> PoseQuality:
    """Measure a pose on the mean of some pictures of one size."""
    image = mean_picture(images)
    points, errors = crossing_errors(view, image)
    corners = view.project(view.outer_corners_mm())
    edges = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    columns, rows = view.grid.columns - view.grid.lines, view.grid.rows - view.grid.lines
    square_px = float(edges.sum() / (2 * (columns + rows)))
    expected = 3 * columns * rows + columns + rows if view.grid.lines else (columns - 1) * (rows - 1)
    quality = PoseQuality(points, errors, expected, square_px, view.sizes.square_mm)
    if view.grid.lines or (quality.good and quality.error_squares < CLEAR_ERROR_SQUARES):
        return quality
    # Squares of one colour have no crossings but by chance; the lines that part them tell as much.
    points, errors = rule_errors(view, image)
    expected = 2 * ((columns - 1) * rows + columns * (rows - 1))
    ruled = PoseQuality(points, errors, expected, square_px, view.sizes.square_mm)
    return ruled if ruled.good and not (quality.good and quality.error_px <= ruled.error_px) else quality


def require_good(quality: PoseQuality) -> None:
    """Refuse a pose that does not explain its picture.

    Raises:
        BadFit: with the error and the limit.
    """
    if quality.seen < LEAST_SEEN * quality.expected:
        raise BadFit(
            f"only {quality.seen} of {quality.expected} crossings are seen where they should be (limit "
            f"{LEAST_SEEN:.0%}); the camera or the board was moved, or the light is too dim: find the board again with "
            "'damludo calibrate board'"
        )
    if not quality.good:
        limit = MOST_ERROR_SQUARES * quality.square_mm
        raise BadFit(
            f"the crossings miss their places by {quality.error_mm:.1f} mm = {quality.error_px:.1f} px (limit {limit:.1f} mm = "
            f"{MOST_ERROR_SQUARES} square); keep camera and board still, let the whole board be seen, and repeat "
            "'damludo calibrate board'"
        )


def mean_picture(images: Sequence[Image]) -> Image:
    """Average pictures of one scene: the sensor's noise falls with the root of their number."""
    if len(images) == 1:
        return images[0]
    # Added one by one: a stack of large pictures would take gigabytes.
    count = min(len(images), MOST_IN_MEAN)
    total = np.full(images[0].shape, count // 2, dtype=np.uint16)
    for image in images[:count]:
        total += image
    return np.asarray(total // count, dtype=np.uint8)


@dataclass(frozen=True, eq=False, slots=True)
class SquareQuality:
    """How surely the squares can be read.

    Attributes:
        margins: nats by which the true content led in the picture that taught it, by place; kings count as men.
        blind: why a square cannot be trusted whatever stands on it, by place.
        weak: places that were read by less than `CLEAR_NATS` although they are not blind: disc and square look alike there.
        wrong: places that were not read as what stands there.
    """

    margins: Mapping[int, float]
    blind: Mapping[int, str]
    weak: tuple[int, ...]
    wrong: tuple[int, ...]

    @property
    def least(self) -> float:
        """The smallest margin."""
        return min(self.margins.values(), default=0.0)


def square_quality(
    view: BoardView, look: Look, images: Sequence[Image], content: Mapping[int, Content]
) -> SquareQuality:
    """Measure every playable square of pictures with known content."""
    reader = SquareReader(view, look)
    table = np.mean([reader.read(image) for image in images], axis=0)
    sides = np.stack([table[:, 0], table[:, 1:3].max(axis=1), table[:, 3:5].max(axis=1)], axis=1)
    margins: dict[int, float] = {}
    for place, truth in content.items():
        wanted = 1 if truth.is_white else 2 if truth.is_black else 0
        others = [sides[place, side] for side in range(3) if side != wanted]
        margins[place] = float(sides[place, wanted] - max(others))
    blind = blind_squares(view, look, mean_picture(images), content)
    weak = tuple(place for place, margin in margins.items() if 0 <= margin < CLEAR_NATS and place not in blind)
    wrong = tuple(place for place, margin in margins.items() if margin < 0)
    return SquareQuality(margins, blind, weak, wrong)


def blind_squares(
    view: BoardView, look: Look, image: Image, content: Mapping[int, Content] | None = None
) -> dict[int, str]:
    """Return the playable squares on which nothing can be told, with the reason: glare, darkness, or out of the picture.

    Args:
        content: what stands there, if that is known. A black disc may be as black as the camera can tell: no darkness, as long as
            the squares around it are lit and the empty ones are lighter.
    """
    patches = Patches(view, look.radius)
    clipped = _clipped(view, image)
    of_one_colour = view.grid.lines or float(np.abs(look.step).max()) < LEAST_STEP
    contrast = np.ones(len(patches.places)) if of_one_colour else patches.local_contrast(image)
    honest = _black_by_themselves(view, image, clipped, content or {})
    blind: dict[int, str] = {}
    for row, place in enumerate(int(p) for p in patches.places):
        bright, dark, outside = clipped[place]
        if outside > 0.2:
            blind[place] = "partly outside the picture; turn or raise the camera"
        elif bright > CLIPPED_PART:
            blind[place] = "glare: a lamp or window is mirrored there; move the lamp or the camera"
        elif (dark > CLIPPED_PART and place not in honest) or contrast[row] < FAINT:
            why = "too dark" if dark > CLIPPED_PART else "hardly any contrast (sheen or deep shadow)"
            blind[place] = f"{why}; light the board more evenly"
    return blind


def _black_by_themselves(
    view: BoardView, image: Image, clipped: Mapping[int, tuple[float, float, float]], content: Mapping[int, Content]
) -> set[int]:
    """Return the places of black discs that are dark although the light squares around them are not, nor empty dark ones."""
    if any(clipped[place][1] > CLIPPED_PART for place, stands in content.items() if stands is Content.EMPTY):
        return set()
    places = [place for place, stands in content.items() if stands.is_black]
    around = np.array([_light_around(view, image, place) for place in content])
    usual = float(np.median(around)) if len(around) else 0.0
    light = dict(zip(content, around, strict=True))
    return {place for place in places if light[place] >= LIT * usual}


def _light_around(view: BoardView, image: Image, place: int) -> float:
    """Return how bright the lighter third of a place and its eight neighbours is, as far as they lie on the board."""
    line = np.linspace(-1.4, 1.4, 15) * view.sizes.square_mm
    x, y = np.meshgrid(line, line)
    points = view.centre_mm(place) + np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    corners = view.outer_corners_mm()
    inside = ((points >= corners.min(axis=0)) & (points <= corners.max(axis=0)))[:, :2].all(axis=1)
    pixels = np.rint(view.project(points[inside])).astype(np.intp)
    height, width = image.shape[:2]
    seen = pixels[((pixels >= 0) & (pixels < [width, height])).all(axis=1)]
    return float(np.percentile(image[seen[:, 1], seen[:, 0]].max(axis=1), 70)) if len(seen) else 0.0


def _clipped(view: BoardView, image: Image) -> dict[int, tuple[float, float, float]]:
    """Return for each playable place the parts of its square that are too bright, too dark, and outside the picture."""
    line = (np.arange(7) - 3) / 7.5
    x, y = np.meshgrid(line, line)
    offsets = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)]) * view.sizes.square_mm
    height, width = image.shape[:2]
    result = {}
    for place in view.grid.playable:
        pixels = np.rint(view.project(view.centre_mm(place) + offsets)).astype(np.intp)
        inside = ((pixels >= 0) & (pixels < [width, height])).all(axis=1)
        values = image[pixels[inside, 1], pixels[inside, 0]]
        # All three channels: a red disc under a warm lamp may fill the red one honestly.
        bright = float((values.min(axis=1) >= BRIGHTEST).mean()) if len(values) else 0.0
        dark = float((values.max(axis=1) <= DARKEST).mean()) if len(values) else 0.0
        result[place] = bright, dark, float(1.0 - inside.mean())
    return result
