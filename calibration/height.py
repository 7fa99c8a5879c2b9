"""The height of a disc, measured on one stacked king: its top stands where the camera's slant moves it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from damludo.calibration.errors import BadFit
from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.look import Look
from damludo.vision.squares import SquareReader
from damludo.vision.view import BoardView

HEIGHTS = np.linspace(0.08, 0.40, 17)
"""Heights of one disc that are tried, in squares."""
LEAST_LEAD_NATS = 1.5
"""By so much the best height must be better than a stack without height."""
LEAST_TILT_SQUARES = 0.12
"""So far, in squares, a stack of two usual discs must lean in the picture: from straight above no height is seen."""


@dataclass(frozen=True, slots=True)
class MeasuredHeight:
    """Height of one disc.

    Attributes:
        disc_height_mm: the best.
        lead_nats: how much better it explains the picture than no height at all.
    """

    disc_height_mm: float
    lead_nats: float


def measure_height(
    view: BoardView, look: Look, images: Sequence[Image], place: int, content: Content
) -> MeasuredHeight:
    """Measure the height of a disc on pictures of a king.

    Args:
        view, look: of the board as it was learnt.
        images: with the king on it.
        place: where it stands.
        content: whose king it is.

    Raises:
        BadFit: the camera looks from too far above, or the stack cannot be seen clearly.
    """
    middle = view.centre_mm(place)
    side_px = float(
        np.linalg.norm(view.project(middle + np.array([view.sizes.square_mm, 0, 0])) - view.project(middle))
    )
    lean = view.project(middle + np.array([0, 0, 0.4 * view.sizes.square_mm])) - view.project(middle)
    if np.linalg.norm(lean) < LEAST_TILT_SQUARES * side_px:
        raise BadFit(
            "the camera looks at that square from too far above to see a height; take a square farther from the camera, or "
            "measure a disc with a ruler (--disc-mm DIAMETER,HEIGHT)"
        )
    scores = np.array([_score(view, look, images, place, content, height) for height in (0.0, *HEIGHTS)])
    best = int(scores[1:].argmax())
    lead = float(scores[1 + best] - scores[0])
    if lead < LEAST_LEAD_NATS or best in (0, len(HEIGHTS) - 1):
        raise BadFit(
            f"no stack of two discs is seen clearly there (lead {lead:.1f} nats, needed {LEAST_LEAD_NATS}); put one disc upon "
            "another exactly, or measure a disc with a ruler (--disc-mm DIAMETER,HEIGHT)"
        )
    return MeasuredHeight(float(_peak(scores[1:], best) * view.sizes.square_mm), lead)


def _score(view: BoardView, look: Look, images: Sequence[Image], place: int, content: Content, height: float) -> float:
    """Return how well a king of discs of one height, in squares, explains the place."""
    sizes = replace(view.sizes, disc_height_mm=max(height, 1e-3) * view.sizes.square_mm)
    one = replace(view, sizes=sizes, grid=replace(view.grid, playable=(place,)))
    reader = SquareReader(one, replace(look, stack=None))
    return float(np.mean([reader.evidence(image)[0, int(content)] for image in images]))


def _peak(scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]], best: int) -> float:
    """Return where the parabola through the best score and its neighbours has its top."""
    left, middle, right = scores[best - 1 : best + 2]
    bend = left - 2 * middle + right
    shift = 0.5 * (left - right) / bend if bend < 0 else 0.0
    return float(HEIGHTS[best] + np.clip(shift, -0.5, 0.5) * (HEIGHTS[1] - HEIGHTS[0]))
