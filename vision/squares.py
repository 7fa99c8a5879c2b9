"""Reading the squares of one picture: for every place, how likely each content is.

For each sample the colour is compared with the empty square and with both sides' discs (Student's t: an outlier costs little).
A hypothesis "one disc, here" is the sum over the samples that it would cover; a king covers what two discs cover.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import Content
from damludo.vision.crown import CrownJudge
from damludo.vision.frame import Image
from damludo.vision.height import HeightJudge
from damludo.vision.light import LightField
from damludo.vision.look import Look, normalised
from damludo.vision.patches import FINE, SPACING, STEP, Patches
from damludo.vision.reading import MOST_NATS
from damludo.vision.view import BoardView

Floats = NDArray[np.float32]

DEGREES = 4.0
"""Degrees of freedom of the colour distributions."""
ANYTHING = -1.0
"""Log density of a sample that neither square nor disc explains (gloss, a mark, a shadow); the same for all hypotheses."""
BEYOND = 0.35
"""Weight of samples beyond a place's own square: a neighbour's disc, its shadow or the frame may be there."""
INDEPENDENT = 10.0
"""So many independent samples a disc is worth: neighbours share grain, shadow and blur."""
OFF_CENTRE = 0.12
"""Standard deviation of a disc's offset, in squares."""
CHOICE = 2.0
"""Nats taken off a disc because the best of many offsets is taken: noise fits one of them."""
SECOND_DISC = 0.8
"""Nats taken off a king, whose mask takes a man's shadow for disc, too: balanced on 164 rendered discs (tilts 7..29)."""
AROUND = np.array([[-1, -1, -1, 0, 0, 0, 1, 1, 1], [-1, 0, 1] * 3])
"""Steps along y, and along x, from a fine offset to itself and its neighbours, shape (2, 9)."""


class SquareReader:
    """Reads pictures of one view and look; the geometry is laid out once."""

    def __init__(self, view: BoardView, look: Look) -> None:
        self.view, self.look = view, look
        self._patches = Patches(view, look.radius)
        odd = self._patches.odd
        self._empty = _Colour.of(_planes(look.empty[odd]), _planes(look.empty_spread[odd]))
        self._discs = tuple(_Colour.of(look.disc[side], look.disc_spread[side]) for side in (0, 1))
        covered = math.pi * (look.radius / SPACING) ** 2
        beyond = np.abs(self._patches.grid_of_samples).max(axis=1) > 0.5
        self._own = np.where(beyond, np.float32(0.0), np.float32(1.0))
        weight = np.where(beyond, BEYOND, 1.0) * min(1.0, INDEPENDENT / covered)
        fine = self._patches.masks * weight.astype(np.float32)
        places = len(fine)
        coarse = np.ascontiguousarray(fine[:, :, 1::2, 1::2])
        self._coarse_shape = coarse.shape[:4]
        self._coarse = coarse.reshape(places, -1, coarse.shape[-1])
        self._fine = fine
        off = -(self._patches.offsets**2).sum(axis=1) / (2 * OFF_CENTRE**2)
        self._prior = off.reshape(FINE, FINE).astype(np.float32)
        self._heights = HeightJudge(self._patches, look.stack) if look.stack is not None else None
        self._crowns = CrownJudge(self._patches, look.stack) if look.stack is not None else None

    def read(self, image: Image, believed: Mapping[int, Content] | None = None) -> NDArray[np.float64]:
        """Return log-likelihoods, shape (rows * columns, 5), as in `BoardReading`.

        Args:
            image: shape (h, w, 3), BGR, as large as the view's picture.
            believed: what surely stands where; whether it is a man or a king is not asked there, which is most of the work.
        """
        found, where, light = self._outlines(image)
        if self._heights is not None:
            side = found.argmax(axis=1)
            side = np.where(side > 0, (side - 1) // 2, -1)
            settled = np.isin(self._patches.places, list(believed or ()))
            offset = where[np.arange(len(side)), np.maximum(side, 0)]
            found = _by_height(found, side, self._heights.evidence(image, light, side, offset, ~settled))
        found = np.maximum(found, found.max(axis=1, keepdims=True) - MOST_NATS)
        result = np.zeros((self.view.grid.rows * self.view.grid.columns, 5))
        result[self._patches.places] = found
        return result

    def learn_ground(self, image: Image, content: Mapping[int, Content]) -> None:
        """Learn how each empty square looks, from a quiet picture of a board that surely holds this; it helps to see crowns.

        Args:
            image: shape (h, w, 3), BGR, as large as the view's picture, with no hand over the board.
            content: of all playable places.
        """
        if self._heights is None or self._crowns is None:
            return
        empty = np.array([content.get(int(place)) is Content.EMPTY for place in self._patches.places])
        _, light = normalised(self._patches, image, self.look.step)
        self._heights.learn_ground(image, light, empty, ~empty)
        self._crowns.remember(image, light, empty, ~empty)

    def crown_evidence(self, image: Image, places: Collection[int], content: Mapping[int, Content]) -> dict[int, float]:
        """Look closely at discs that were just put down; see `CrownJudge`.

        Args:
            image: shape (h, w, 3), BGR, as large as the view's picture, with no hand over the board.
            places: with a disc each.
            content: what seems to stand on all playable places; whether it is crowned does not matter.

        Returns:
            Log-likelihood of a king minus that of a man, nats, for each place; nothing if no heights were learnt.
        """
        if self._crowns is None or not places:
            return {}
        occupied = np.array([content.get(int(place)) is not Content.EMPTY for place in self._patches.places])
        _, light = normalised(self._patches, image, self.look.step)
        result = {}
        for row in np.nonzero(np.isin(self._patches.places, list(places)))[0]:
            place = int(self._patches.places[row])
            side = 0 if content[place].is_white else 1
            result[place] = self._crowns.evidence(image, light, int(row), side, occupied)
        return result

    def evidence(self, image: Image) -> NDArray[np.float64]:
        """Return what the outlines alone say, shape (p, 5), nats against the empty square, without any limit."""
        return np.asarray(self._outlines(image)[0], dtype=np.float64)

    def explained(self, image: Image) -> float:
        """Return how well look and view explain a picture: log density of a sample, mean over all places; compares looks."""
        colours, light = normalised(self._patches, image, self.look.step)
        inside = np.abs(self._patches.grid_of_samples).max(axis=1) < 0.5
        empty = self._empty.fit(_planes(colours))[:, inside].mean(axis=1)
        best, _ = self._best_offset(self._gain(colours, light.reflected))
        odds = self.look.occupied[self._patches.odd]
        covered = math.pi * (self.look.radius / SPACING) ** 2
        # The evidence counts a disc's samples as `INDEPENDENT` ones; here all samples count alike.
        share = max(1.0, covered / INDEPENDENT) / inside.sum()
        disc = np.maximum(best.reshape(len(best), -1).max(axis=1) + odds, 0.0) * share
        return float((empty + disc).mean())

    def _outlines(self, image: Image) -> tuple[Floats, Floats, LightField]:
        """Return the evidence of the outlines, shape (p, 5), where men would stand, and the light."""
        colours, light = normalised(self._patches, image, self.look.step)
        best, where = self._best_offset(self._gain(colours, light.reflected))
        man, king = np.moveaxis(best, 1, 0)
        odds = self.look.occupied[self._patches.odd]
        found = np.stack(
            [np.zeros(len(man)), man[:, 0] + odds, king[:, 0] + odds, man[:, 1] + odds, king[:, 1] + odds], axis=1
        )
        return np.asarray(found, dtype=np.float32), where, light

    def _best_offset(self, gain: Floats) -> tuple[Floats, Floats]:
        """Return the evidence for a disc of each kind and side at its best offset, shape (p, 2 kinds, 2 sides).

        Also returns where a man of each side would stand, shape (p, 2 sides, 2), squares off the middle.

        Args:
            gain: shape (p, 2 sides, samples).

        Coarse offsets first; then, where a disc is likely, the fine ones around the best: a man and a king differ by the
        width of a sliver, which half a coarse step would hide.
        """
        places, kinds, rows, columns = self._coarse_shape
        scores = _weighed(self._coarse, gain).reshape(places, 2, kinds, rows * columns)
        scores += self._prior[1::2, 1::2].ravel()
        best, where = scores.max(axis=3), scores.argmax(axis=3)
        at_man = np.stack([2 * (where[:, :, 0] % columns) + 1, 2 * (where[:, :, 0] // columns) + 1], axis=-1)
        likely = np.nonzero(best.max(axis=(1, 2)) > 0)[0]
        if len(likely):
            side, row = best[likely].max(axis=2).argmax(axis=1), np.arange(len(likely))[:, None]
            # Where the height is fitted, the king's outline only has to say whose it is.
            for kind in range(kinds if self._heights is None else 1):
                at = where[likely, side, kind]
                yy, xx = (2 * v[:, None] + 1 + near for v, near in zip(np.divmod(at, columns), AROUND, strict=True))
                fine = _weighed(self._fine[likely[:, None], kind, yy, xx], gain[likely])
                fine += self._prior[yy, xx][:, None]
                best[likely, :, kind] = fine.max(axis=2)
                if kind == 0:
                    found = fine.argmax(axis=2)
                    at_man[likely] = np.stack([xx[row, found], yy[row, found]], axis=-1)
        best[:, :, 1] -= SECOND_DISC
        return best.transpose(0, 2, 1) - np.float32(CHOICE), ((at_man - FINE // 2) * STEP).astype(np.float32)

    def _gain(self, colours: Floats, reflected: Floats) -> Floats:
        """Return how much better each sample fits a disc than the empty square: shape (p, 2 sides, samples), nats.

        The empty square may show what its corners show of a reflection, shape (p, 3). That takes from what speaks for a disc, but
        never speaks against one: an arm over the whole square looks no other.
        """
        planes = _planes(colours)
        disc = np.stack([disc.fit(planes) for disc in self._discs], axis=1)
        gain = disc - self._empty.fit(planes)[:, None]
        rows = np.flatnonzero(reflected.any(axis=1))
        if len(rows):
            mirrors = self._empty.of_places(rows).plus(reflected[rows].T[:, :, None] * self._own)
            lit = mirrors.fit(planes[:, rows])
            gain[rows] = np.minimum(gain[rows], np.maximum(disc[rows] - lit[:, None], np.float32(0.0)))
        return np.asarray(gain, dtype=np.float32)


@dataclass(frozen=True, eq=False, slots=True)
class _Colour:
    """Colours with a spread.

    Numbers of one colour channel lie in one piece: a sum over three neighbours in memory takes ten times longer than over three
    planes.

    Attributes:
        mean: shape (3,), or (3, p, samples) where each sample has its own.
        scale: one over the spread, of the same shape.
        constant: logarithm of the density's peak, up to a number that all share; of that shape without the channels.
    """

    mean: Floats
    scale: Floats
    constant: Floats

    @classmethod
    def of(cls, mean: Floats, spread: Floats) -> "_Colour":
        """Return the colours of a mean and its standard deviation, both channel first."""
        scale = np.float32(1.0) / spread
        return cls(mean, scale, np.log(scale).sum(axis=0))

    def of_places(self, rows: NDArray[np.intp]) -> "_Colour":
        """Return those of some places."""
        return _Colour(self.mean[:, rows], self.scale[:, rows], self.constant[rows])

    def plus(self, more: Floats) -> "_Colour":
        """Return the same with something added to the means."""
        return _Colour(self.mean + more, self.scale, self.constant)

    def fit(self, planes: Floats) -> Floats:
        """Return the log density of samples, shape (3, p, samples): (p, samples), no less than `ANYTHING` (Student's t)."""
        far = np.zeros(planes.shape[1:], dtype=np.float32)
        for plane, mean, scale in zip(planes, self.mean, self.scale, strict=True):
            away = plane - mean
            away *= scale
            away *= away
            far += away
        far *= np.float32(1 / DEGREES)
        far += 1
        # `np.log1p` is not vectorised, and the constants are no more exact than what it saves.
        np.log(far, out=far)
        far *= np.float32(-(DEGREES + 3) / 2)
        far += self.constant
        return far.clip(ANYTHING, np.inf, out=far)


def _planes(colours: Floats) -> Floats:
    """Return colours, shape (p, samples, 3), as planes, shape (3, p, samples)."""
    return np.ascontiguousarray(colours.transpose(2, 0, 1))


def _weighed(masks: Floats, gain: Floats) -> Floats:
    """Return what masks, shape (p, masks, samples), cover of a gain, shape (p, 2, samples): (p, 2, masks).

    Two products with vectors for each place, whose masks the second one finds in the cache: a product with a matrix as narrow as
    two columns takes longer.
    """
    return np.asarray((masks[:, None] @ gain[..., None])[..., 0])


def _by_height(found: Floats, side: NDArray[np.intp], evidence: NDArray[np.float64]) -> Floats:
    """Return log-likelihoods, shape (p, 5), in which the fitted height, not the outline, tells men and kings apart."""
    result = found.copy()
    for which in (0, 1):
        rows = np.nonzero(side == which)[0]
        man, king = 1 + 2 * which, 2 + 2 * which
        better = found[rows, man : king + 1].max(axis=1)
        result[rows, man] = better + np.minimum(0, -evidence[rows])
        result[rows, king] = better + np.minimum(0, evidence[rows])
    return result
