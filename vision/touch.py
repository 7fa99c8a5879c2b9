"""Was a disc touched? What a camera can prove of it: that it lies elsewhere than before, measured from quiet to quiet.

The rim of a disc that was shifted by d changes the patch around it by -gradient . d: a matched filter, which no mere change of
light resembles. A disc that was turned on the spot, or on which a finger rested, leaves nothing to see, and so nothing to prove.
"""

import math
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import Patches, PatchSampler

Floats = NDArray[np.float64]

ROUNDS = 4
"""Reweighted rounds of the robust fit."""
PASSES, SETTLED_SAMPLES = 4, 0.8
"""A patch is carried along at most so often, until less than this is left."""
MOST_SQUARES = 0.4
"""A disc that lies further off stands on another square."""
ROBUST = 2.5
"""Deviations from which a sample loses its say: a neighbour's shadow came or went there."""
INNER_RADII, INNER_WEIGHT = 0.7, 0.3
"""Inside of this the top's own pattern is seen, which turns with the disc: it has less say than the rim."""
SAMPLES_A_FACT = 7.0
"""So many neighbouring samples err alike (blur, compression, grain)."""
LEAST_NOISE = 0.004
"""Log-brightness: rounding in a picture without noise is no precision."""


@dataclass(frozen=True, slots=True)
class Shift:
    """How a disc lies against where it lay before.

    Attributes:
        x, y: shift along the board's x and y, in squares.
        error: its standard error along an axis, in squares.
    """

    x: float
    y: float
    error: float

    @property
    def size(self) -> float:
        """Length of the shift, in squares."""
        return math.hypot(self.x, self.y)


class ShiftMeter:
    """Measures shifts of discs between two quiet pictures of one sampler."""

    def __init__(self, sampler: PatchSampler) -> None:
        self._pitch = sampler.pitch_squares
        self._rows = {place: row for row, place in enumerate(sampler.grid.playable)}
        weight = np.where(sampler.radii < INNER_RADII, INNER_WEIGHT, 1.0) * (sampler.radii <= sampler.radii[0].min())
        # The outermost samples have no gradient.
        weight[[0, -1]] = weight[:, [0, -1]] = 0.0
        self._weight = weight.astype(np.float32)
        line = np.linspace(-1, 1, sampler.side, dtype=np.float32)
        self._x, self._y = np.meshgrid(line, line)

    def measure(self, before: Patches, after: Patches, places: list[int]) -> dict[int, Shift]:
        """Return how the discs on some places were shifted."""
        return {place: self._one(before[self._rows[place]], after[self._rows[place]]) for place in places}

    def _one(self, before: Patches, after: Patches) -> Shift:
        """Fit, carry the old patch along, and fit what is left: the rim of a far shifted disc is no slope any more."""
        found, error = np.zeros(2), 0.0
        for _ in range(PASSES):
            carried = before
            if found.any():
                way = np.array([[1.0, 0.0, found[0]], [0.0, 1.0, found[1]]])
                side = before.shape[0]
                carried = np.asarray(
                    cv2.warpAffine(before, way, (side, side), borderMode=cv2.BORDER_REPLICATE), dtype=np.float32
                )
            step, error = self._step(carried, after)
            found = np.clip(found + step, -MOST_SQUARES / self._pitch, MOST_SQUARES / self._pitch)
            if float(np.hypot(*step)) < SETTLED_SAMPLES:
                break
        return Shift(float(found[0]) * self._pitch, float(found[1]) * self._pitch, error * self._pitch)

    def _step(self, before: Patches, after: Patches) -> tuple[Floats, float]:
        """Return the shift that a small one would have been, shape (2,), and its standard error, in samples."""
        keep = self._weight > 0
        middle = 0.5 * (before + after)
        slopes = [cv2.Sobel(middle, cv2.CV_32F, *way, ksize=3, scale=0.125)[keep] for way in ((1, 0), (0, 1))]
        change = (after - before)[keep]
        shape = change.shape
        even = [np.broadcast_to(plane[keep][:, None], shape) for plane in (self._x, self._y)]
        # Each channel has its own change of light, and all share its slope.
        channels = [np.broadcast_to(row, shape) for row in np.eye(3, dtype=np.float32)]
        design = np.stack([-slopes[0], -slopes[1], *even, *channels], axis=-1).reshape(-1, 7).astype(np.float64)
        own = np.repeat(self._weight[keep], 3).astype(np.float64)
        return _robust_fit(design, change.ravel().astype(np.float64), own)


def _robust_fit(design: Floats, target: Floats, own: Floats) -> tuple[Floats, float]:
    """Return the first two unknowns of a reweighted fit, and the greater standard error of any mixture of them."""
    weight, normal = own, np.eye(design.shape[1])
    solution: Floats = np.zeros(design.shape[1])
    noise = 1.0
    for _ in range(ROUNDS):
        weighted = design * weight[:, None]
        normal = weighted.T @ design + 1e-6 * np.eye(design.shape[1])
        solution = np.asarray(np.linalg.solve(normal, weighted.T @ target), dtype=np.float64)
        rest = np.abs(target - design @ solution)
        noise = max(LEAST_NOISE, 1.48 * float(np.median(rest)))
        weight = own / (1.0 + (rest / (ROBUST * noise)) ** 2)
    spread = np.linalg.inv(normal)[:2, :2] * noise**2 * SAMPLES_A_FACT
    return solution[:2], math.sqrt(max(float(np.linalg.eigvalsh(spread)[-1]), 0.0))


SHIFT_WEIGHTS = ((6.7, 0.0125), (1.5, 6.0), (2.8, 3.0))
"""Logistic regression on the logarithms of the shift (squares), the shift in standard errors and the change score: weight and
unit of each. Fitted on 45 rendered set-ups under changed lamps, exposures, reflections and neighbours: 1,401 discs that were not
moved, some 900 that were."""
SHIFT_BIAS = 5.2
"""... and its constant, for one touched disc among twenty that a hand was over."""
MOST_LOG_ODDS = 7.0
WORTH_MEASURING = 1.05
"""Change score below which nothing was shifted: 0.03 square gives 1.2 and more, even of a dark disc on a dark square."""
SEEN_EMPTY_FRAMES = 3
"""A place that was seen empty in so many pictures beside the hand was empty."""
LIFT_SHIFT_SQUARES = 0.015
"""Nobody puts a disc back nearer than this to where it lay; one that lies as before may not have been lifted at all."""


class TouchKind(Enum):
    """What was seen of a touch."""

    LIFTED = "lifted"
    """The place was seen empty and holds its disc again: provable."""
    SHIFTED = "shifted"
    """The disc lies elsewhere on its place: provable, but a sleeve does that too."""


@dataclass(frozen=True, slots=True)
class TouchEvidence:
    """A disc that stands on its place and was touched since the baseline.

    Attributes:
        place: where it stands.
        kind: what was seen.
        confidence: that it was touched, 0..1.
        shift_squares: how far it lies from where it lay.
        before, after: numbers of the two frames that prove it.
    """

    place: int
    kind: TouchKind
    confidence: float
    shift_squares: float
    before: int
    after: int


def shift_confidence(shift: Shift, score: float) -> float:
    """Return how certain it is that a disc with this shift and change score was moved."""
    values = (shift.size, shift.size / max(shift.error, 1e-9), score)
    odds = SHIFT_BIAS
    for value, (weight, unit) in zip(values, SHIFT_WEIGHTS, strict=True):
        odds += weight * math.log(max(value, 1e-6) / unit)
    return 1.0 / (1.0 + math.exp(-min(max(odds, -20.0), MOST_LOG_ODDS)))


def lift_confidence(frames_seen_empty: int, shift: Shift) -> float:
    """Return how certain it is that a disc was lifted and put back."""
    seen = 1.0 - 0.5 ** (2 * frames_seen_empty)
    # Without a shift it is one kind of evidence alone: never enough to hold anybody to a move.
    return min(seen, 0.998) if shift.size >= LIFT_SHIFT_SQUARES else min(seen, 0.9)
