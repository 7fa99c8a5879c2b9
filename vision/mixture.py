"""What stands on the squares of one picture, judged all together and without any teaching.

The traits of a square come from one of three sources: the empty square of its colour, a disc of the one side, of the other. What
the sources look like is unknown; expectation maximisation finds it from several first guesses, and the explanation with the
greatest posterior wins. The constants are what is known of boards and discs beforehand; a posterior mode of each scale keeps a
source with few places from shrinking to one point.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.vision.traits import CHANNELS, Traits

Floats = NDArray[np.float64]

DEGREES = 4.0
"""Degrees of freedom of Student's distributions: gloss and a neighbour's shadow are outliers."""
EMPTY_SCALE = np.array([0.035, 0.025, 0.03, 0.2])
DISC_SCALE = np.array([0.15, 0.08, 0.08, 0.3])
"""Usual spread of contrast (three log colours) and roughness."""
PLACES_BEHIND_SCALE = 6.0
"""The usual spread counts as much as so many places."""
EMPTY_CONTRAST = 0.03
"""The middle of an empty square differs from its corners by so much at most (one standard deviation of the mean)."""
RISE, RISE_SPREAD = 1.2, 0.5
"""By so much a disc makes its square rougher (natural logarithm)."""
ROUND_EMPTY, ROUND_DISC = (0.55, 0.17), (2.2, 0.9)
"""Mean and spread of the log odds of roundness."""
SELDOM_ROUND = 0.07
"""So many discs are not round to the eye: cut by gloss, or chess men."""
DISC_COLOUR = 1.5
"""Spread of the colours that discs may have."""
NATS_A_SIDE, NATS_A_COLOUR, NATS_MARKED = 10.0, 4.0, 12.0
"""What an explanation costs that has discs of one more side, discs on one more colour of squares, marks on each empty square."""
BOTH_COLOURS = -3.0
"""Discs on both colours cost so much more (negative: less) than twice one colour."""
MOST_PART, NATS_A_DISC_TOO_MANY = 0.27, 3.0
"""No game has more discs of one side than this part of all squares."""
ROUNDS, SETTLED = 25, 0.02
THRESHOLDS = (0.1, 0.2, 0.35, 0.6)
"""First guesses: a contrast above these is a disc; so is a roughness that surpasses the smooth squares by the next ones."""
ROUGHER = (0.3, 0.6, 1.0)
MARKED_THRESHOLDS = (0.2, 0.5)
FEWEST_TO_PART, LEAST_APART = 6, 0.6
"""So many places that an explanation calls empty are parted in smooth and rough ones that are so far apart in the mean (natural
logarithm); then it is asked whether the rough ones hold discs of the colour of their squares."""
MARKINGS = ((False, False), (True, False), (False, True), (True, True))
IMPROVEMENTS = 2
"""So often the best explanation is varied: once for each colour of squares."""
_NOT_MARKED, _MARKED = np.array([False, False]), np.array([True, True])


@dataclass(frozen=True, eq=False, slots=True)
class Mixture:
    """An explanation of a picture.

    Attributes:
        log_likelihood: shape (p, 3): each place's traits under (empty, disc of one side, of the other), with their shares.
        disc: shape (2, 3), log colour of the two sides' discs; even squares have 0.
        marked: shape (2,), whether the empty squares of each colour carry a mark.
        score: natural logarithm of the posterior, up to a constant; compares explanations of one picture.
    """

    log_likelihood: Floats
    disc: Floats
    marked: NDArray[np.bool_]
    score: float

    @property
    def probability(self) -> Floats:
        """Shape (p, 3)."""
        weight = np.exp(self.log_likelihood - self.log_likelihood.max(axis=1, keepdims=True))
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def explain(traits: Traits) -> Mixture:
    """Return the best explanation."""
    data = _Data(traits)
    best: Mixture | None = None
    for occupied, marked in _guesses(traits):
        for played in ((True, False), (False, True), (True, True), (False, False)):
            discs = occupied & np.array(played)[traits.odd]
            if any(played) and not discs.any():
                continue
            for sides in (2, 1) if discs.any() else (0,):
                found = _settled(data, _first_shares(data, discs, sides), np.array(played), marked)
                if best is None or found.score > best.score:
                    best = found
    assert best is not None  # the guess that all is empty is always tried
    for _ in range(IMPROVEMENTS):
        found = max(_beside(data, traits, best), key=lambda mixture: mixture.score)
        if found.score <= best.score + SETTLED:
            break
        best = found
    return best


def _beside(data: "_Data", traits: Traits, known: Mixture) -> Iterator[Mixture]:
    """Give explanations that differ from a known one in what no first guess varies by itself.

    The empty squares of one colour alone may carry marks, or have what looks like one: a shadow, the blur of their neighbours.
    One colour's discs may be empty squares. And those that are called empty but are far rougher than others may hold discs:
    white ones on white squares have no contrast; beside discs that have, only their roughness tells them.
    """
    shares = known.probability
    fewer = 1 + int(shares[:, 2].sum() < shares[:, 1].sum())
    occupied = shares[:, 0] < 0.5
    starts = [shares]
    starts += [_first_shares(data, occupied & (traits.odd == colour), 2) for colour in np.unique(traits.odd)]
    for colour in np.unique(traits.odd):
        rows = np.nonzero(~occupied & (traits.odd == colour))[0]
        more_discs = shares.copy()
        more_discs[rows[_rougher(traits.rough[rows])]] = np.eye(3)[fewer]
        starts.append(more_discs)
    for start in starts:
        played = np.array([(start[traits.odd == colour, 0] < 0.5).any() for colour in (0, 1)])
        for marked in MARKINGS:
            yield _settled(data, start, played, np.array(marked))


def _rougher(rough: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which values belong to the upper one of the two groups that they part in (least squares); none if hardly apart."""
    line = np.sort(rough.astype(np.float64))
    if len(line) < FEWEST_TO_PART:
        return np.zeros(len(rough), dtype=bool)
    below = np.arange(1, len(line))
    lower = line.cumsum()[:-1] / below
    apart = (line.sum() - lower * below) / (len(line) - below) - lower
    best = int((below * (len(line) - below) * apart**2).argmax())
    if apart[best] < LEAST_APART:
        return np.zeros(len(rough), dtype=bool)
    return np.asarray(rough > (line[best] + line[best + 1]) / 2)


class _Data:
    """The traits as the sources see them."""

    def __init__(self, traits: Traits) -> None:
        plain = np.stack([np.zeros(3), traits.step.astype(np.float64)])
        self.odd = traits.odd
        self.of_colour = np.stack([traits.odd == 0, traits.odd == 1], axis=1).astype(np.float64)
        self.empty = np.column_stack([traits.contrast, traits.rough]).astype(np.float64)
        self.disc = self.empty.copy()
        self.disc[:, :3] += plain[traits.odd]
        empty = _round_density(traits.round, *ROUND_EMPTY)
        disc = _round_density(np.minimum(traits.round, ROUND_DISC[0]), *ROUND_DISC)
        self.round = np.stack(
            [empty, np.logaddexp(np.log(1 - SELDOM_ROUND) + disc, np.log(SELDOM_ROUND) + empty)], axis=1
        )


def _round_density(values: NDArray[np.float32], mean: float, spread: float) -> Floats:
    away = (values.astype(np.float64) - mean) / spread
    return np.asarray(-(DEGREES + 1) / 2 * np.log1p(away**2 / DEGREES) - np.log(spread))


def _guesses(traits: Traits) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Return which places might hold discs, and whether the empty squares of each colour carry a mark."""
    contrast = traits.contrast * CHANNELS
    away = np.linalg.norm(contrast, axis=1)
    usual, smooth = np.zeros((2, 3)), np.zeros(2)
    for colour in np.unique(traits.odd):
        usual[colour] = np.median(contrast[traits.odd == colour], axis=0)
        smooth[colour] = np.percentile(traits.rough[traits.odd == colour], 20)
    rougher = traits.rough - smooth[traits.odd]
    other = np.linalg.norm(contrast - usual[traits.odd], axis=1)
    return (
        [(away > least, _NOT_MARKED) for least in THRESHOLDS]
        + [(rougher > least, _NOT_MARKED) for least in ROUGHER]
        + [(other > least, _MARKED) for least in MARKED_THRESHOLDS]
    )


def _first_shares(data: _Data, discs: NDArray[np.bool_], sides: int) -> Floats:
    """Return the sources' shares of the places, shape (p, 3): discs divided in two by colour (2-means), or all of one side."""
    shares = np.zeros((len(discs), 3))
    shares[~discs, 0] = 1
    shares[discs, 1] = 1
    if sides < 2 or not discs.any():
        return shares
    colour = data.disc[discs, :3] * CHANNELS
    means = [colour[np.linalg.norm(colour - np.median(colour, axis=0), axis=1).argmax()]]
    means.append(colour[np.linalg.norm(colour - means[0], axis=1).argmax()])
    first = np.ones(len(colour), dtype=bool)
    for _ in range(8):
        first = np.linalg.norm(colour - means[0], axis=1) <= np.linalg.norm(colour - means[1], axis=1)
        if first.all() or not first.any():
            break
        means = [np.median(colour[first], axis=0), np.median(colour[~first], axis=0)]
    shares[discs, 1], shares[discs, 2] = first, ~first
    return shares


def _settled(data: _Data, shares: Floats, played: NDArray[np.bool_], marked: NDArray[np.bool_]) -> Mixture:
    """Improve an explanation until it no longer changes (expectation maximisation with weights for outliers)."""
    weight = np.ones_like(shares)
    smooth = [np.median(data.empty[data.odd == c, 3]) if (data.odd == c).any() else 0.0 for c in (0, 1)]
    empty, scale = np.column_stack([np.zeros((2, 3)), smooth]), np.tile(EMPTY_SCALE, (2, 1))
    disc, disc_scale = np.zeros((2, 2, 4)), np.tile(DISC_SCALE, (2, 1))
    # The round shapes that marks make are no discs.
    round_empty = np.where(marked[data.odd], data.round[:, 1], data.round[:, 0])
    score = -np.inf
    for _ in range(ROUNDS):
        empty, scale = _empties(data, shares[:, 0], weight[:, 0], empty, scale, marked)
        disc, disc_scale = _discs(data, shares[:, 1:], weight[:, 1:], disc_scale, empty)
        counts = data.of_colour.T @ shares
        part = np.where(
            played[:, None], (counts + np.array([2, 1, 1])) / (counts.sum(axis=1, keepdims=True) + 4), [1.0, 0, 0]
        )
        away = [(data.empty - empty[data.odd]) / scale[data.odd]]
        away += [(data.disc - disc[side][data.odd]) / disc_scale[side] for side in (0, 1)]
        square = np.stack([(a * a).sum(axis=1) for a in away], axis=1)
        sharp = np.column_stack(
            [np.log(scale).sum(axis=1)[data.odd], np.tile(np.log(disc_scale).sum(axis=1), (len(shares), 1))]
        )
        density = -(DEGREES + 4) / 2 * np.log1p(square / DEGREES) - sharp
        density += np.column_stack([round_empty, data.round[:, 1], data.round[:, 1]]) + np.log(part + 1e-12)[data.odd]
        total = np.logaddexp.reduce(density, axis=1)
        shares = np.exp(density - total[:, None])
        weight = (DEGREES + 4) / (DEGREES + square)
        if abs(float(total.sum()) - score) < SETTLED:
            break
        score = float(total.sum())
    worth = score + _prior(shares, empty, scale, disc, disc_scale, played, marked)
    return Mixture(density, disc[:, 0, :3], marked, worth)


def _empties(
    data: _Data, share: Floats, weight: Floats, mean: Floats, scale: Floats, marked: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return mean and scale of the empty squares of each colour, shape (2, 4); a mean without places stays."""
    of_colour = data.of_colour * (share * weight)[:, None]
    mass = of_colour.sum(axis=0)[:, None]
    near_nothing = np.where(marked[:, None], 0.0, (scale / [EMPTY_CONTRAST] * [1, 1, 1, 0]) ** 2)
    mean = np.where(mass > 0.5, of_colour.T @ data.empty / (mass + near_nothing + 1e-9), mean)
    squares = of_colour.T @ data.empty**2 - 2 * mean * (of_colour.T @ data.empty) + mean**2 * mass
    count = (data.of_colour.T @ share)[:, None]
    return mean, _scale(squares, count, EMPTY_SCALE)


def _discs(data: _Data, share: Floats, weight: Floats, scale: Floats, empty: Floats) -> tuple[Floats, Floats]:
    """Return mean, shape (2 sides, 2 colours of squares, 4), and scale, shape (2, 4), of the discs.

    Their colour is their own; how rough they make a square depends on the square.
    """
    mean = np.zeros((2, 2, 4))
    mean[:, :, 3] = empty[:, 3] + RISE
    heavy = share * weight
    for side in np.nonzero(share.sum(axis=0) > 0.5)[0]:
        mean[side, :, :3] = heavy[:, side] @ data.disc[:, :3] / (heavy[:, side].sum() + 1e-9)
        tied = (scale[side, 3] / RISE_SPREAD) ** 2
        mass = data.of_colour.T @ heavy[:, side]
        rough = data.of_colour.T @ (heavy[:, side] * data.disc[:, 3])
        mean[side, :, 3] = (rough + tied * (empty[:, 3] + RISE)) / (mass + tied)
    squares = np.stack([heavy[:, side] @ (data.disc - mean[side][data.odd]) ** 2 for side in (0, 1)])
    return mean, _scale(squares, share.sum(axis=0)[:, None], DISC_SCALE)


def _scale(squares: Floats, count: Floats, usual: Floats) -> Floats:
    behind = PLACES_BEHIND_SCALE
    return np.asarray(np.sqrt((np.maximum(squares, 0) + behind * usual**2) / (count + behind)))


def _prior(
    shares: Floats,
    empty: Floats,
    scale: Floats,
    disc: Floats,
    disc_scale: Floats,
    played: NDArray[np.bool_],
    marked: NDArray[np.bool_],
) -> float:
    """Return the logarithm of an explanation's prior probability."""
    count = shares[:, 1:].sum(axis=0)
    worth = _scale_prior(scale, EMPTY_SCALE).sum()
    worth -= np.where(marked, NATS_MARKED, 0.5 * (empty[:, :3] ** 2).sum(axis=1) / EMPTY_CONTRAST**2).sum()
    for side in np.nonzero(count > 0.5)[0]:
        rise = disc[side, played, 3] - empty[played, 3] - RISE
        worth += _scale_prior(disc_scale[side], DISC_SCALE) - NATS_A_SIDE
        worth -= 0.5 * ((disc[side, 0, :3] / DISC_COLOUR) ** 2).sum() + 0.5 * ((rise / RISE_SPREAD) ** 2).sum()
    worth -= NATS_A_COLOUR * played.sum() + BOTH_COLOURS * played.all()
    return float(worth - NATS_A_DISC_TOO_MANY * np.maximum(0, count - MOST_PART * len(shares)).sum())


def _scale_prior(scale: Floats, usual: Floats) -> Floats:
    """Return the log density of a scale against its usual value (inverse gamma)."""
    behind = PLACES_BEHIND_SCALE
    return np.asarray((behind * (np.log(usual / scale) + 0.5 - 0.5 * (usual / scale) ** 2)).sum(axis=-1))
