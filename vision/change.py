"""What changed on the places between two quiet pictures: the most reliable thing a camera can tell about a board.

Each place is compared with itself, so its own wood, paint and glare drop out. A lamp scales the brightness of a patch, a
reflection adds to it, its texture stays: what counts is how much of the patch around the disc's top neither of them explains,
divided by the median of all places of the same pair of pictures.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.frame import Image
from damludo.vision.view import BoardView

Patches = NDArray[np.float32]
"""Log-brightness around the tops of the discs, shape (places, side, side, 3); along axis 2 the board's x, along axis 1 its y."""

PATCH_RADII = 1.25
"""The patch reaches so many disc radii far: the ring outside of the disc shows the square that a change leaves as it is."""
SCORE_QUANTILE = 0.85
"""The ring is a third of the patch; the quantile lies within it or within the disc, whichever varies more."""
NOISE_FLOOR = 0.012
"""Least median score in log-brightness: a picture without noise must not turn rounding into evidence."""
DISTURBED_SCORE = 5.0
"""Typical score of a disc that was taken, put down or pushed by a tenth of a square (least of 35 changed squares: 5.1)."""
MOST_EVIDENCE = 15.0
"""Limit of the log-likelihood ratio of one place."""

GAIN_RANGE = (0.75, 1.33)
"""The light of one place changes against that of the whole board by no more than this; a disc that was taken would be no light at
all."""

_FLOOR = np.float32(6.0)
"""Added to grey levels before their logarithm is taken, which would make much of the noise in the dark."""
_LOG_OF_VALUE = np.log(np.arange(256, dtype=np.float32) + _FLOOR)


@dataclass(frozen=True, eq=False, slots=True)
class ChangeEvidence:
    """The comparison of two quiet pictures.

    Attributes:
        score: shape (rows * columns,), departure from the light's change, 1 = like the median place; 0 for places that are not
            playable.
        log_likelihood_ratio: shape (rows * columns,), disturbed against undisturbed; 0 for places that are not playable.
    """

    score: NDArray[np.float64]
    log_likelihood_ratio: NDArray[np.float64]


class PatchSampler:
    """Cuts the patches of all playable places out of a picture.

    Args:
        view: where the board is in the picture.
        side: samples along a side of a patch, if the patches are to be compared with those of another view.

    Attributes:
        side: samples along a side.
        radii: shape (side, side), how far the samples are from the middle, in radii of a disc.
        pitch_squares: distance of two samples.
    """

    def __init__(self, view: BoardView, side: int | None = None) -> None:
        self.grid = view.grid
        radius_mm = PATCH_RADII * view.sizes.disc_diameter_mm / 2
        corners = view.project(view.outer_corners_mm())
        px_per_mm = float(np.linalg.norm(corners[1] - corners[0])) / (
            (view.grid.columns - view.grid.lines) * view.sizes.square_mm
        )
        side = side or int(np.clip(round(1.4 * radius_mm * px_per_mm), 10, 28))
        self.side, self.pitch_squares = side, 2 * radius_mm / side / view.sizes.square_mm
        # One sample stands for so many pixels: smoothed before, so that none is left out and noise is averaged.
        self._sigma_px = max(0.6, radius_mm * px_per_mm / side)
        line = (np.arange(side) + 0.5) / side * 2.0 - 1.0
        x, y = np.meshgrid(line, line)
        self.radii = (np.hypot(x, y) * PATCH_RADII).astype(np.float32)
        self._inside = np.flatnonzero(x * x + y * y <= 1.0)
        # What a reflection adds: the same everywhere, or more on one side.
        self._slopes = np.stack([np.ones(x.size), x.ravel(), y.ravel()], axis=1)
        self._added = _base(self._slopes[self._inside])
        offsets = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1) * radius_mm
        top = view.sizes.disc_height_mm
        points = np.concatenate([view.centre_mm(place, top) + offsets for place in self.grid.playable])
        where = view.project(points).astype(np.float32).reshape(len(self.grid.playable), -1, 2)
        self._x, self._y = np.ascontiguousarray(where[..., 0]), np.ascontiguousarray(where[..., 1])

    def sample(self, image: Image | NDArray[np.float32]) -> Patches:
        """Return the patches of the playable places, in the grid's order.

        Args:
            image: shape (h, w, 3), BGR; grey levels of several pictures' mean need not be whole numbers.
        """
        smooth = cv2.GaussianBlur(image, (0, 0), self._sigma_px)
        values = cv2.remap(smooth, self._x, self._y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        shape = (len(self.grid.playable), self.side, self.side, 3)
        logs = cv2.LUT(values, _LOG_OF_VALUE) if values.dtype == np.uint8 else cv2.log(values + _FLOOR)
        return np.asarray(logs, dtype=np.float32).reshape(shape)

    def pattern(self, values: Patches) -> Patches:
        """Return every other sample in the middle of each patch, without what lies on a plane; shape (places, n)."""
        inside = values.reshape(len(values), -1, 3)[:, self._inside]
        rest = inside - self._added @ (self._added.T @ inside)
        return np.asarray(rest[:, ::2].reshape(len(rest), -1), dtype=np.float32)

    def uneven(self, values: Patches, within: float) -> Patches:
        """Return what does not lie on a plane within so many radii of a disc; shape (places, n)."""
        chosen = np.flatnonzero(self.radii < within)
        added = _base(self._slopes[chosen])
        inside = values.reshape(len(values), -1, 3)[:, chosen]
        return np.asarray((inside - added @ (added.T @ inside)).reshape(len(values), -1), dtype=np.float32)

    def compare(self, before: Patches, after: Patches) -> ChangeEvidence:
        """Return what changed between two pictures of one view."""
        flat = [patches.reshape(len(patches), -1, 3)[:, self._inside] for patches in (before, after)]
        score = unexplained_scores(flat[0], flat[1], self._added)
        playable = list(self.grid.playable)
        scores = np.zeros(self.grid.rows * self.grid.columns)
        ratios = np.zeros(self.grid.rows * self.grid.columns)
        scores[playable] = score
        ratios[playable] = evidence_of_score(score)
        return ChangeEvidence(scores, ratios)


def _base(columns: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return an orthonormal base of what columns span."""
    return np.linalg.qr(columns)[0].astype(np.float32)


def grey_levels(patches: Patches) -> Patches:
    """Return the grey levels whose logarithms patches are."""
    return np.asarray(np.exp(patches) - _FLOOR, dtype=np.float32)


def relative_scores(before: Patches, after: Patches) -> NDArray[np.float64]:
    """Return how much every patch departs from a mere scaling of its brightness, in units of the median patch.

    Args:
        before, after: shape (places, samples, 3).

    Returns:
        Shape (places,).
    """
    ratio = after - before
    return _against_the_median(np.abs(ratio - np.median(ratio, axis=1, keepdims=True)))


def unexplained_scores(before: Patches, after: Patches, added: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return how much of every patch neither a lamp nor a reflection explains, in units of the median patch.

    Args:
        before, after: shape (places, samples, 3).
        added: orthonormal base of what a reflection may add, shape (samples, k).

    Returns:
        Shape (places,).
    """
    old, new = grey_levels(before), grey_levels(after)
    usual = np.median((new[:, ::3] + _FLOOR) / (old[:, ::3] + _FLOOR), axis=(0, 1))
    old, rest = (grey - added @ (added.T @ grey) for grey in (old, new))
    gain = (old * rest).sum(axis=1) / np.maximum((old * old).sum(axis=1), 1e-6)
    gain = np.clip(gain, GAIN_RANGE[0] * usual, GAIN_RANGE[1] * usual)
    rest -= gain[:, None] * old
    # Back to log-brightness, in which the noise of all patches is alike.
    return _against_the_median(np.abs(rest) * np.exp(-after))


def _against_the_median(departure: Patches) -> NDArray[np.float64]:
    """Return the score of each patch, shape (places,), from departures, shape (places, samples, 3)."""
    mean = departure.mean(axis=2)
    rank = int(SCORE_QUANTILE * (mean.shape[1] - 1))
    score = np.partition(mean, rank, axis=1)[:, rank].astype(np.float64)
    return np.asarray(score / max(float(np.median(score)), NOISE_FLOOR))


def evidence_of_score(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log-likelihood ratios disturbed against undisturbed for the relative scores of one pair of pictures.

    Undisturbed: the logarithm is normal around 0 with the scene's own deviation (from the upper quantile of all places, which few
    moves reach), and one place in thirty has a tail: a shadow's edge, a reflection. Disturbed: normal around log(2 x
    `DISTURBED_SCORE`) with deviation 0.7.
    """
    value = np.log(np.maximum(score, 0.2))
    deviation = float(np.clip(np.quantile(value, 0.8) / 0.84, 0.2, 0.5))
    # Less change than usual is no evidence of a change.
    value = np.maximum(value, 0.0)
    usual = np.logaddexp(
        np.log(0.97) + _log_normal(value, 0.0, deviation), np.log(0.03) + _log_normal(value, 2.0 * deviation + 0.3, 0.4)
    )
    typical = np.log(2.0 * DISTURBED_SCORE)
    # Scores beyond the typical one are never less convincing than the typical one.
    disturbed = _log_normal(np.minimum(value, typical), typical, 0.7)
    return np.asarray(np.clip(disturbed - usual, -MOST_EVIDENCE, MOST_EVIDENCE))


def _log_normal(value: NDArray[np.float64], mean: float, deviation: float) -> NDArray[np.float64]:
    """Logarithm of a normal density without the factor that all share."""
    return np.asarray(-0.5 * ((value - mean) / deviation) ** 2 - np.log(deviation))
