"""How far does a disc lie from where it lay? Measured between two quiet pictures.

The rim of a disc that was shifted by d changes the patch around it by -gradient . d. Light changes the same patch, too: a lamp
multiplies the grey levels, a reflection adds to them, both smoothly. So both are fitted at once, and what light explains is no
shift. A shift moves all sides of the rim the same way; what it says of one half of the patch the other half must confirm.
A finger tip or a sleeve that hides a part of the rim also moves it. But every sample around a shifted disc shows the ground as it
was or the disc carried along; what hides it is neither, and what hangs over it takes its light.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import Patches, PatchSampler, grey_levels
from damludo.vision.shift_fit import (
    ADDED,
    LEAST_NOISE,
    SATURATED,
    STRAY_COST,
    Fit,
    Held,
    carried,
    fit,
    light_terms,
    slopes_of,
    unexplained,
)

Floats = NDArray[np.float64]

STRANGE_SQUARES, SMOOTH_SAMPLES = 0.003, 2.5
"""If a shift is known no better than this, little was explained: the patches are smoothed by so much for a first guess."""
PASSES, SETTLED_SAMPLES = 4, 0.8
"""A patch is carried along at most so often, until less than this is left."""
MOST_SQUARES = 0.4
"""A disc that lies further off stands on another square."""
INNER_RADII, INNER_WEIGHT = 0.7, 0.3
"""Inside of this the top's own pattern is seen, which turns with the disc: it has less say than the rim."""
OUTER_RADII, OUTER_WEIGHT = 1.1, 0.35
"""Outside of this the ground is seen, which stays whatever the disc does: around a dark disc on a dark square it would win."""
FEWEST_IN_COMMON = 6
"""What so many discs and more did together was the camera."""
SECTORS = 8
"""The rim is looked at in so many parts: a finger tip at the rim covers about one."""
SHADE_SPREAD = 4.0
"""So many times the middle departure from the light of all discs may be any disc's."""
LEAST_CARRIED_SQUARES = 0.002
"""A shorter shift changes too little to weigh what it leaves unexplained against it."""
SCALES = ADDED
"""Index of what scales a whole patch among what light may do in a channel."""
SUSPECT_SQUARES, SUSPECT_ERROR_SQUARES = 0.004, 0.003
"""A disc that seems shifted by so much, or whose shift is known no better, is looked for on other places, too."""
SEARCHED_SQUARES, SEARCHED_LEAST_SAMPLES = 0.12, 0.6
"""... around where it lay; further off the smoothed patch finds it, and nearer the fit."""
LIGHT_SPREAD, LEAST_ADDED, LEAST_SCALED = 3.0, 1.0, 0.01
"""Light does so many times what it does to the middle disc, and so many grey levels, or so much of the brightness, more."""
LEAST_PICTURE_NOISE = 0.8
"""Grey levels by which a carried rim errs at least."""
CLEARLY_BETTER = 0.9
"""A shift in usual light is taken if it leaves less than this part of what any light without a shift leaves."""
GROUND_RADII = 0.75
"""Beyond this the ground may show, wherever the disc lies on its square."""
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
        confirmed: False if light alone, without a shift, explains the patch as well; True where that was not tried.
    """

    x: float
    y: float
    error: float
    agreed: float
    usual: float = 0.0
    foreign: float = 0.0
    shade: float = 0.0
    confirmed: bool = True

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
        self._ground = sampler.radii[self._keep] > GROUND_RADII
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
        weight = self._turned_away(places, changed)
        found, halves, error, confirmed = self._found(old, new, weight)
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
        return {
            place: replace(Shift(*values), confirmed=sure)
            for place, values, sure in zip(places, of_each, confirmed.tolist(), strict=True)
        }

    def _found(self, old: Patches, new: Patches, turned: Floats) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        """Return shifts, those of the parts, shape (n, 5, 2), and standard errors; in samples; and which are confirmed.

        The last part is what does not face a changed place, `turned` away from it.
        """
        every = np.broadcast_to(self._weight, turned.shape)
        first = self._step(old, new, every)
        found, halves, error = self._follow(old, new, every, first)
        parts = np.concatenate([halves, found[:, None]], axis=1)
        facing = np.flatnonzero((turned < self._weight).any(axis=(1, 2)))
        if len(facing):
            part = (old[facing], new[facing], turned[facing])
            parts[facing, -1] = self._follow(*part, self._step(*part))[0]
        if len(old) < FEWEST_IN_COMMON:
            return found, parts, error, np.ones(len(old), dtype=np.bool_)
        held = self._usual_light(old, first)
        away = np.hypot(found[:, 0], found[:, 1])
        suspects = np.flatnonzero(
            (away > SUSPECT_SQUARES / self._pitch) | (error > SUSPECT_ERROR_SQUARES / self._pitch)
        )
        begin, confirmed = np.zeros((len(old), 2)), np.ones(len(old), dtype=np.bool_)
        if len(suspects):
            some = (old[suspects], new[suspects], turned[suspects], parts[suspects, -1], held.of(suspects))
            begin[suspects], own = self._searched(*some)
            confirmed[suspects] = own | begin[suspects].any(axis=1) | (away[suspects] > SEARCHED_SQUARES / self._pitch)
        better = np.flatnonzero(begin.any(axis=1))
        if len(better):
            pair, known = (old[better], new[better]), held.of(better)
            found[better], parts[better, :-1], error[better] = self._carry_on(
                *pair, every[better], begin[better], known
            )
            parts[better, -1] = self._carry_on(*pair, turned[better], begin[better], known)[0]
        return found, parts, error, confirmed

    def _usual_light(self, old: Patches, first: Fit) -> Held:
        """Return what light may do to any disc, going by what it did to the middle one."""
        bright = np.ones_like(first.light)
        bright[..., ADDED:] = np.maximum(self._channels(old).mean(axis=2), 1.0)[..., None]
        least = np.repeat([LEAST_ADDED, LEAST_SCALED], ADDED)
        usual = LIGHT_SPREAD * np.median(np.abs(first.light / bright), axis=0) + least
        return Held(max(float(np.median(first.noise)), LEAST_PICTURE_NOISE), usual * bright)

    def _searched(
        self, before: Patches, after: Patches, weight: Floats, found: Floats, held: Held
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Look for shifts in usual light that explain patches better than light alone does.

        A slope is no guide where a border of the ground lies along the rim, nor where light may do what a shift does; so the old
        patch is carried to many places and compared there. Each sample beside the disc may show the ground that stayed.

        Returns:
            About where each patch went, 0 if to no place of the grid, in samples, shape (n, 2); and whether it went where it was
            `found`.
        """
        weight = self._lit(before, after, weight)
        own, stiffness = weight.mean(axis=1), held.stiffness
        here = self._channels(before)
        terms, change = light_terms(here, self._planes), self._channels(after) - here
        enough = CLEARLY_BETTER * (own * unexplained(terms, change, weight, held.noise)).sum(axis=1)
        stayed = unexplained(terms, change, weight, held.noise, stiffness) + STRAY_COST

        def cost(ways: Floats) -> Floats:
            there = self._channels(np.stack([carried(*pair) for pair in zip(before, ways, strict=True)]))
            terms = light_terms(there, self._planes)
            left = unexplained(terms, self._channels(after) - there, weight, held.noise, stiffness)
            return np.asarray((own * np.where(self._ground, np.minimum(left, stayed), left)).sum(axis=1))

        least, best = enough, np.zeros((len(before), 2))
        for way in self._ways_to_search():
            left = cost(np.broadcast_to(way, best.shape))
            best[left < least] = way
            least = np.minimum(least, left)
        return best, cost(found) < enough

    def _ways_to_search(self) -> list[Floats]:
        """Return shifts on a grid, in samples."""
        most = SEARCHED_SQUARES / self._pitch
        line = np.arange(-math.floor(most), math.floor(most) + 1, dtype=np.float64)
        ways = (np.array([x, y]) for x in line for y in line)
        return [way for way in ways if SEARCHED_LEAST_SAMPLES <= math.hypot(*way) <= most]

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
        there = np.stack([carried(patch, along) for patch, along in zip(before, way, strict=True)])
        old = self._channels(there)
        moved, still = old - self._channels(before), self._step(there, after, weight, still=True)
        # Each sample shows the disc carried along, or the ground, which stayed.
        left = np.minimum(np.abs(still.unlit), np.abs(still.unlit + moved))
        strength = np.stack([left, moved], axis=1) ** 2 * (weight > 0)[:, None]
        sides = strength.mean(axis=2) @ (self._sectors / self._sectors.sum(axis=1, keepdims=True)).T
        most = np.sqrt(sides.max(axis=2))
        gain = 1.0 + np.median(still.light[..., SCALES] / np.maximum(old.mean(axis=2), 1.0), axis=1)
        return np.stack([most[:, 0] / np.maximum(most[:, 1], LEAST_NOISE), np.abs(np.log(np.maximum(gain, 0.1)))])

    def _follow(self, before: Patches, after: Patches, weight: Floats, first: Fit) -> tuple[Floats, Floats, Floats]:
        """Go on from a first fit: the rim of a far shifted disc is no slope any more.

        Returns:
            Shifts, shape (n, 2), those of the halves, shape (n, 4, 2), and standard errors, shape (n,); in samples.
        """
        found, halves, error = first.shift.copy(), first.halves.copy(), first.error.copy()
        step = np.hypot(found[:, 0], found[:, 1])
        strange = np.flatnonzero(error > STRANGE_SQUARES / self._pitch)
        if len(strange):
            # The rim may have gone so far that it counted as an outlier: smoothed, it still reaches where it was.
            coarse = self._step(_smoothed(before[strange]), _smoothed(after[strange]), weight[strange]).shift
            away = np.hypot(coarse[:, 0], coarse[:, 1])
            found[strange[away > step[strange]]] = coarse[away > step[strange]]
            step[strange] = np.maximum(step[strange], away)
        far = np.flatnonzero(step >= SETTLED_SAMPLES)
        if len(far):
            found[far], halves[far], error[far] = self._carry_on(before[far], after[far], weight[far], found[far])
        return found, halves, error

    def _carry_on(
        self, before: Patches, after: Patches, weight: Floats, begin: Floats, held: Held | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Carry the old patches along, fit what is left, and so on until little is; as `_follow` returns it."""
        found, halves, error = begin.copy(), np.zeros((len(begin), len(self._halves), 2)), np.zeros(len(begin))
        most, far = MOST_SQUARES / self._pitch, np.arange(len(begin))
        for _ in range(PASSES):
            found[far] = np.clip(found[far], -most, most)
            there = np.stack([carried(before[n], found[n]) for n in far])
            left = self._step(there, after[far], weight[far], None if held is None else held.of(far))
            halves[far], error[far] = found[far, None] + left.halves, left.error
            found[far] += left.shift
            far = far[np.hypot(left.shift[:, 0], left.shift[:, 1]) >= SETTLED_SAMPLES]
            if not len(far):
                break
        return found, halves, error

    def _step(
        self, before: Patches, after: Patches, weight: Floats, held: Held | None = None, *, still: bool = False
    ) -> Fit:
        """Return the shifts that small ones would have been; 0 if the discs are told to be `still`."""
        slopes = [self._channels(slope) for slope in slopes_of(0.5 * (before + after))]
        old, new = self._channels(before), self._channels(after)
        own = self._lit(before, after, weight)
        terms = light_terms(old, self._planes)
        return fit(-np.stack(slopes, axis=-1) * (not still), terms, new - old, own, self._halves, held)

    def _lit(self, before: Patches, after: Patches, weight: Floats) -> Floats:
        """Return the weight of each sample in each channel, 0 where one was too bright."""
        return weight * ((self._channels(before) < SATURATED) & (self._channels(after) < SATURATED))

    def _channels(self, patches: Patches) -> Floats:
        """Return the samples that count, shape (n, 3, samples)."""
        return np.moveaxis(patches[:, self._keep], 2, 1).astype(np.float64)


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
