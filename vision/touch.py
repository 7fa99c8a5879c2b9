"""Was a disc touched? What a camera can prove of it: that it lies elsewhere than before, measured from quiet to quiet.

The rim of a disc that was shifted by d changes the patch around it by -gradient . d. Light changes the same patch, too: a lamp
multiplies the grey levels, a reflection adds to them, both smoothly. So both are fitted at once, and what light explains is no
shift. A shift moves all sides of the rim the same way; what it says of one half of the patch the other half must confirm.
A finger tip or a sleeve that hides a part of the rim also moves it. But every sample around a shifted disc shows the ground as it
was or the disc carried along; what hides it is neither, and what hangs over it takes its light.

A disc that was turned on the spot, or on which a finger rested, leaves nothing to see, and so nothing to prove.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import Patches, PatchSampler, grey_levels

Floats = NDArray[np.float64]

ROUNDS = 4
"""Reweighted rounds of the robust fit."""
STRANGE_SQUARES, SMOOTH_SAMPLES = 0.003, 2.5
"""If a shift is known no better than this, little was explained: the patches are smoothed by so much for a first guess."""
PASSES, SETTLED_SAMPLES = 4, 0.8
"""A patch is carried along at most so often, until less than this is left."""
MOST_SQUARES = 0.4
"""A disc that lies further off stands on another square."""
ROBUST = 2.5
"""Deviations from which a sample loses its say: a neighbour's shadow came or went there."""
INNER_RADII, INNER_WEIGHT = 0.7, 0.3
"""Inside of this the top's own pattern is seen, which turns with the disc: it has less say than the rim."""
OUTER_RADII, OUTER_WEIGHT = 1.1, 0.35
"""Outside of this the ground is seen, which stays whatever the disc does: around a dark disc on a dark square it would win."""
SAMPLES_A_FACT = 7.0
"""So many neighbouring samples err alike (blur, compression, grain)."""
LEAST_NOISE = 0.25
"""Grey levels: rounding in a picture without noise is no precision."""
SATURATED = 250.0
"""Grey level from which a sample says nothing of what lies there."""
FEWEST_IN_COMMON = 6
"""What so many discs and more did together was the camera."""
SECTORS = 8
"""The rim is looked at in so many parts: a finger tip at the rim covers about one."""
SHADE_SPREAD = 4.0
"""So many times the middle departure from the light of all discs may be any disc's."""
LEAST_CARRIED_SQUARES = 0.002
"""A shorter shift changes too little to weigh what it leaves unexplained against it."""
SCALES = 3
"""Index of what scales a whole patch among what light may do in a channel."""
NEXT_SQUARES = 1.5
"""A disc no further off throws its shadow on the patch."""
FACING_COSINE = 0.7
"""... on the samples that lie its way, within 45 degrees."""

MOST_FOREIGN, MOST_FOREIGN_SQUARES = 5.0, 0.17
"""More than this is left over, as a multiple and as the shift that would change as much, only where something hides a part of the
rim (most of 479 discs that were shifted: 4.2 and 0.13; a finger tip at the rim leaves 7 and more, or 0.22 and more)."""
MOST_SHADE = 0.2
"""The light of one disc alone changes by more (its logarithm) only where something hangs over it (most of 627 discs: 0.11)."""


@dataclass(frozen=True, slots=True)
class Shift:
    """How a disc lies against where it lay before.

    Attributes:
        x, y: shift along the board's x and y, in squares.
        error: its standard error along an axis, in squares.
        agreed: what every half of the rim shows of it at least, along its own direction, in squares; <= 0 if one shows none.
        usual: the middle size of what was measured on all discs of the same pictures, in squares; 0 if they were too few.
        foreign: change that neither the shift nor light explains on one side of the rim, against what the shift explains on the
            side where it explains most.
        shade: by how much its own light was scaled against that of the other discs, as a logarithm; 0 if they were too few.
    """

    x: float
    y: float
    error: float
    agreed: float
    usual: float = 0.0
    foreign: float = 0.0
    shade: float = 0.0

    @property
    def size(self) -> float:
        """Length of the shift, in squares."""
        return math.hypot(self.x, self.y)

    @property
    def hidden(self) -> bool:
        """Whether something hid the disc in one of the pictures, so that the shift proves nothing."""
        over = self.foreign > MOST_FOREIGN or self.foreign * self.size > MOST_FOREIGN_SQUARES
        return over or self.shade > MOST_SHADE


class ShiftMeter:
    """Measures shifts of discs between two quiet pictures of one sampler."""

    def __init__(self, sampler: PatchSampler) -> None:
        self._pitch, self._columns = sampler.pitch_squares, sampler.grid.columns
        self._rows = {place: row for row, place in enumerate(sampler.grid.playable)}
        weight = np.where(sampler.radii < INNER_RADII, INNER_WEIGHT, 1.0) * (sampler.radii <= sampler.radii[0].min())
        weight[sampler.radii > OUTER_RADII] *= OUTER_WEIGHT
        # The outermost samples have no gradient.
        weight[[0, -1]] = weight[:, [0, -1]] = 0.0
        self._keep = weight > 0
        self._weight: Floats = weight[self._keep].astype(np.float64)
        line = np.linspace(-1, 1, sampler.side)
        x, y = (plane[self._keep] for plane in np.meshgrid(line, line))
        self._planes = np.stack([np.ones_like(x), x, y], axis=-1)
        self._halves = np.stack([x < 0, x > 0, y < 0, y > 0])
        self._ring = sampler.radii[self._keep] >= INNER_RADII
        self._ways = np.stack([x, y], axis=-1) / np.maximum(np.hypot(x, y), 1e-9)[:, None]
        turn = np.floor(np.arctan2(y, x) / (2 * math.pi / SECTORS) + 0.5).astype(int) % SECTORS
        self._sectors = (turn == np.arange(SECTORS)[:, None]) & self._ring

    def measure(
        self, before: Patches, after: Patches, places: list[int], changed: Sequence[int] = ()
    ) -> dict[int, Shift]:
        """Return how discs were shifted.

        Args:
            before, after: patches of all playable places.
            places: of all discs that stand where they stood: what they did together was the camera, which trembled.
            changed: places where a disc came or went: its shadow came and went with it, so what faces them says nothing.
        """
        if not places:
            return {}
        rows = [self._rows[place] for place in places]
        old, new = grey_levels(before[rows]), grey_levels(after[rows])
        found, halves, error = self._follow(old, new, np.broadcast_to(self._weight, (len(rows), 1, len(self._weight))))
        weight = self._turned_away(places, changed)
        halves = np.concatenate([halves, found[:, None]], axis=1)
        facing = np.flatnonzero((weight < self._weight).any(axis=(1, 2)))
        if len(facing):
            halves[facing, -1] = self._follow(old[facing], new[facing], weight[facing])[0]
        foreign, scale = self._hidden(old, new, found, weight)
        # What a reflection adds changes the brightness, but scales nothing.
        shade = np.minimum(scale, _shades(before[rows], after[rows], self._keep))
        if len(places) >= FEWEST_IN_COMMON:
            common = np.median(found, axis=0)
            found, halves = found - common, halves - common
        size = np.hypot(found[:, 0], found[:, 1])
        along = found / np.maximum(size, 1e-9)[:, None]
        agreed = np.einsum("nhi,ni->nh", halves, along).min(axis=1)
        usual = float(np.median(size)) if len(places) >= FEWEST_IN_COMMON else 0.0
        squares = self._pitch * np.column_stack([found, error, agreed, np.full_like(error, usual)])
        of_each = np.column_stack([squares, foreign, shade]).tolist()
        return {place: Shift(*values) for place, values in zip(places, of_each, strict=True)}

    def _turned_away(self, places: list[int], changed: Sequence[int]) -> Floats:
        """Return the weights of the samples, 0 for those that face a changed place; shape (places, 1, samples)."""
        weight = np.repeat(self._weight[None, None], len(places), axis=0)
        for n, place in enumerate(places):
            rank, file = divmod(place, self._columns)
            for other in changed:
                away = np.array([other % self._columns - file, other // self._columns - rank], dtype=np.float64)
                distance = float(np.hypot(*away))
                if 0 < distance <= NEXT_SQUARES:
                    weight[n, 0, self._ring & (self._ways @ away > FACING_COSINE * distance)] = 0.0
        return weight

    def _hidden(self, before: Patches, after: Patches, found: Floats, weight: Floats) -> tuple[Floats, Floats]:
        """Return what is foreign on one side of the rim, and the logarithm of how light scaled the patch; each of shape (n,).

        Whatever hides the rim in one of the pictures is in the other one only as far as the shift carries it: both ways are
        tried. Discs that lie as they lay have 0 of both.
        """
        foreign, scale = np.zeros(len(found)), np.zeros(len(found))
        moved = np.flatnonzero(np.hypot(found[:, 0], found[:, 1]) * self._pitch >= LEAST_CARRIED_SQUARES)
        if len(moved):
            old, new, way, weight = before[moved], after[moved], found[moved], weight[moved]
            there, back = self._left(old, new, way, weight), self._left(new, old, -way, weight)
            foreign[moved], scale[moved] = np.maximum(there, back)
        return foreign, scale

    def _left(self, before: Patches, after: Patches, way: Floats, weight: Floats) -> Floats:
        """Return both for patches that are carried along one way, shape (2, n)."""
        carried = np.stack([_carried(patch, along) for patch, along in zip(before, way, strict=True)])
        old = self._channels(carried)
        moved, fit = old - self._channels(before), self._step(carried, after, weight, still=True)
        # Each sample shows the disc carried along, or the ground, which stayed.
        left = np.minimum(np.abs(fit.unlit), np.abs(fit.unlit + moved))
        strength = np.stack([left, moved], axis=1) ** 2 * (weight > 0)[:, None]
        sides = strength.mean(axis=2) @ (self._sectors / self._sectors.sum(axis=1, keepdims=True)).T
        most = np.sqrt(sides.max(axis=2))
        gain = 1.0 + np.median(fit.light[..., SCALES] / np.maximum(old.mean(axis=2), 1.0), axis=1)
        return np.stack([most[:, 0] / np.maximum(most[:, 1], LEAST_NOISE), np.abs(np.log(np.maximum(gain, 0.1)))])

    def _follow(self, before: Patches, after: Patches, weight: Floats) -> tuple[Floats, Floats, Floats]:
        """Fit, carry the old patches along, and fit what is left: the rim of a far shifted disc is no slope any more.

        Returns:
            Shifts, shape (n, 2), those of the halves, shape (n, 4, 2), and standard errors, shape (n,); in samples.
        """
        fit = self._step(before, after, weight)
        found, halves, error = fit.shift, fit.halves, fit.error
        step = np.hypot(found[:, 0], found[:, 1])
        strange = np.flatnonzero(error > STRANGE_SQUARES / self._pitch)
        if len(strange):
            # The rim may have gone so far that it counted as an outlier: smoothed, it still reaches where it was.
            coarse = self._step(_smoothed(before[strange]), _smoothed(after[strange]), weight[strange]).shift
            away = np.hypot(coarse[:, 0], coarse[:, 1])
            found[strange[away > step[strange]]] = coarse[away > step[strange]]
            step[strange] = np.maximum(step[strange], away)
        most = MOST_SQUARES / self._pitch
        for _ in range(PASSES):
            far = np.flatnonzero(step >= SETTLED_SAMPLES)
            if not len(far):
                break
            found[far] = np.clip(found[far], -most, most)
            carried = np.stack([_carried(before[n], found[n]) for n in far])
            fit = self._step(carried, after[far], weight[far])
            halves[far], error[far] = found[far, None] + fit.halves, fit.error
            found[far] += fit.shift
            step[:], step[far] = 0.0, np.hypot(fit.shift[:, 0], fit.shift[:, 1])
        return found, halves, error

    def _step(self, before: Patches, after: Patches, weight: Floats, still: bool = False) -> "_Fit":
        """Return the shifts that small ones would have been; 0 if the discs are told to be `still`."""
        slopes = [self._channels(slope) for slope in _slopes(0.5 * (before + after))]
        old, new = self._channels(before), self._channels(after)
        own = weight * ((old < SATURATED) & (new < SATURATED))
        # What light does in one channel: it adds, and it multiplies, each with a slope.
        relative = old / np.maximum(old.mean(axis=2, keepdims=True), 1.0)
        added = np.broadcast_to(self._planes, (*old.shape, 3))
        light = np.concatenate([added, relative[..., None] * added], axis=-1)
        return _fit(-np.stack(slopes, axis=-1) * (not still), light, new - old, own, self._halves)

    def _channels(self, patches: Patches) -> Floats:
        """Return the samples that count, shape (n, 3, samples)."""
        return np.moveaxis(patches[:, self._keep], 2, 1).astype(np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class _Fit:
    """What `_fit` found, in samples.

    Attributes:
        shift: shape (n, 2).
        halves: shape (n, h, 2), what each half of the samples shows under the same light.
        error: shape (n,), greater standard error of any mixture of x and y.
        unlit: shape (n, 3, samples), the change that light does not explain.
        light: shape (n, 3, k), what light does.
    """

    shift: Floats
    halves: Floats
    error: Floats
    unlit: Floats
    light: Floats


def _shades(before: Patches, after: Patches, keep: NDArray[np.bool_]) -> Floats:
    """Return how far each patch's light departs from the middle one's, its logarithm in the channel that shows most; (n,)."""
    if len(before) < FEWEST_IN_COMMON:
        return np.zeros(len(before))
    light = np.median((after - before)[:, keep], axis=1).astype(np.float64)
    own = np.abs(light - np.median(light, axis=0)).max(axis=1)
    # A shade that falls on half of the board is nobody's own.
    return np.asarray(np.maximum(own - SHADE_SPREAD * float(np.median(own)), 0.0))


def _smoothed(patches: Patches) -> Patches:
    smooth = [cv2.GaussianBlur(patch, (0, 0), SMOOTH_SAMPLES, borderType=cv2.BORDER_REPLICATE) for patch in patches]
    return np.asarray(np.stack(smooth), dtype=np.float32)


def _carried(patch: Patches, way: Floats) -> Patches:
    """Return a patch, shape (side, side, 3), carried along by so many samples."""
    if not way.any():
        return patch
    matrix = np.array([[1.0, 0.0, way[0]], [0.0, 1.0, way[1]]])
    moved = cv2.warpAffine(patch, matrix, patch.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, dtype=np.float32)


def _slopes(patches: Patches) -> tuple[Patches, Patches]:
    """Return the gradients along x and y, a sample; Sobel's, without the patches' edges."""
    along_x, along_y = np.zeros_like(patches), np.zeros_like(patches)
    smooth = patches[:, :-2] + 2.0 * patches[:, 1:-1] + patches[:, 2:]
    along_x[:, 1:-1, 1:-1] = (smooth[:, :, 2:] - smooth[:, :, :-2]) / 8.0
    smooth = patches[:, :, :-2] + 2.0 * patches[:, :, 1:-1] + patches[:, :, 2:]
    along_y[:, 1:-1, 1:-1] = (smooth[:, 2:] - smooth[:, :-2]) / 8.0
    return along_x, along_y


def _fit(slopes: Floats, light: Floats, change: Floats, own: Floats, halves: NDArray[np.bool_]) -> _Fit:
    """Explain changes by a shift that all channels share and by a change of light in each of them, outliers reweighted.

    Args:
        slopes: shape (n, 3, samples, 2): what a shift of one sample along x, and along y, would change.
        light: shape (n, 3, samples, k): what light may change in a channel.
        change: shape (n, 3, samples).
        own: the weight of each sample, of the same shape.
        halves: shape (h, samples), True for the samples of each half.
    """
    weight, design = own, np.concatenate([slopes, light], axis=-1)
    few = 1e-6 * np.eye(design.shape[-1])
    for turn in range(ROUNDS):
        weighted = (design * weight[..., None]).swapaxes(-1, -2)
        normal, right = weighted @ design + few, (weighted @ change[..., None])[..., 0]
        # The light of each channel is eliminated (a Schur complement), then the channels add up.
        mixed, inverse = normal[..., :2, 2:], np.linalg.inv(normal[..., 2:, 2:])
        gain = mixed @ inverse
        shift_normal = (normal[..., :2, :2] - gain @ mixed.swapaxes(-1, -2)).sum(axis=1) + few[:2, :2]
        shift_right = (right[..., :2] - (gain @ right[..., 2:, None])[..., 0]).sum(axis=1)
        shift = np.linalg.solve(shift_normal, shift_right[..., None])[..., 0]
        left = right[..., 2:] - (mixed.swapaxes(-1, -2) @ shift[:, None, :, None])[..., 0]
        lit = (inverse @ left[..., None])[..., 0]
        unlit = change - (light @ lit[..., None])[..., 0]
        rest = np.abs(unlit - (slopes @ shift[:, None, :, None])[..., 0])
        noise = np.maximum(1.48 * np.median(rest.reshape(len(rest), -1), axis=1), LEAST_NOISE)
        if turn < ROUNDS - 1:
            weight = own / (1.0 + (rest / (ROBUST * noise[:, None, None])) ** 2)
    spread = np.linalg.inv(shift_normal) * (noise**2 * SAMPLES_A_FACT)[:, None, None]
    error = np.sqrt(np.maximum(np.linalg.eigvalsh(spread)[:, -1], 0.0))
    return _Fit(shift, _of_halves(slopes, unlit, weight, halves), error, unlit, lit)


def _of_halves(slopes: Floats, unlit: Floats, weight: Floats, halves: NDArray[np.bool_]) -> Floats:
    """Return the shift that each half of the samples shows by itself, shape (n, h, 2)."""
    flat = slopes.reshape(len(slopes), -1, 2)
    parts = []
    for half in halves:
        weighted = flat * (weight * half).reshape(len(flat), -1, 1)
        normal = weighted.swapaxes(-1, -2) @ flat + 1e-6 * np.eye(2)
        right = weighted.swapaxes(-1, -2) @ unlit.reshape(len(flat), -1, 1)
        parts.append(np.linalg.solve(normal, right)[..., 0])
    return np.stack(parts, axis=1)


SHIFT_WEIGHTS = (5.96, 1.87, -1.17)
"""Logistic regression on the logarithms of the agreed part of the shift, of its size and of the usual size. Fitted on 24 rendered
tables under changed lamps, exposures, shadows, reflections and neighbours: 6,589 discs that were not moved, 370 that were."""
SHIFT_UNITS, SHIFT_LEAST = (0.01, 0.01, 0.001), (0.0003, 0.0003, 0.0005)
"""Squares: the unit of each, and what counts as no less."""
SHIFT_BIAS = 2.6
"""... and its constant, for one touched disc among fifty that a hand was over."""
NOT_COVERED_LOG_ODDS = -3.0
"""A disc that no hand was seen over was hardly touched; but a finger tip at the edge may be overlooked."""
MOST_LOG_ODDS = 7.0
HIDDEN_LOG_ODDS = -3.0
"""What a shift is worth at most that is measured on a disc which something hides."""
WORTH_TELLING = 0.5
"""A shift that is less sure is not told."""
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
    CONTACT = "contact"
    """A finger tip stayed over the disc, which lies as it lay: it may have hovered. For the log, nothing more."""


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


def shift_confidence(shift: Shift, *, covered: bool = True) -> float:
    """Return how certain it is that a disc with this shift was moved.

    Args:
        shift: as measured.
        covered: a hand was seen over it.
    """
    odds = SHIFT_BIAS if covered else SHIFT_BIAS + NOT_COVERED_LOG_ODDS
    values = (shift.agreed, shift.size, shift.usual)
    for value, weight, unit, least in zip(values, SHIFT_WEIGHTS, SHIFT_UNITS, SHIFT_LEAST, strict=True):
        odds += weight * math.log(max(value, least) / unit)
    if shift.hidden:
        odds = min(odds, HIDDEN_LOG_ODDS)
    return 1.0 / (1.0 + math.exp(-min(max(odds, -20.0), MOST_LOG_ODDS)))


def lift_confidence(frames_seen_empty: int, shift: Shift) -> float:
    """Return how certain it is that a disc was lifted and put back."""
    seen = 1.0 - 0.5 ** (2 * frames_seen_empty)
    # Without a shift it is one kind of evidence alone: never enough to hold anybody to a move.
    return min(seen, 0.998) if shift.size >= LIFT_SHIFT_SQUARES and not shift.hidden else min(seen, 0.9)


CONTACT_FRAMES = 3
"""A finger tip that stays over a disc for so many pictures, a third of a second and more, may have touched it."""


def contact_confidence(frames: int) -> float:
    """Return how certain it is that a finger tip that stayed over a disc touched it: never likely, it may have hovered."""
    return 0.3 * (1.0 - 0.8**frames)
