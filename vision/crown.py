"""Does a second disc lie on the one that was just put down? A closer look at one place, when much depends on it.

`height` judges all places of a picture in little time and takes what the men taught for the truth. Here everything that may be
a little different is fitted together: where the discs lie, their paint, how the light on this square changed, what a lamp mirrors
in it, and, as far as the men left it open, the shadow's length and darkness, the walls and the edges. Only what none of these
explains tells a king from a man.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from damludo.vision.frame import Image
from damludo.vision.height import (
    DENSER,
    GROUND,
    KNOWN_GROUND,
    MOST_HEIGHT_NATS,
    ROBUST,
    SAMPLES_A_FACT,
    STRIDE,
    prior,
    sample_weights,
)
from damludo.vision.light import LightField
from damludo.vision.patches import Patches
from damludo.vision.stack import SIDE, Canvas, Floats, StackField, StackLook, paint_on
from damludo.vision.stack_numbers import STEPS, STRIDES, Numbers, doubt, level_of, numbers_of, shared_by

SLOPE = 0.02
"""Standard deviation of how the light on a place has changed across it, relative, for a square."""
GLOW = 0.02
"""Standard deviation of brightness that is added: something mirrored in the varnish."""
GLOW_SLOPE = 0.03
"""... and of how that changes across the place, for a square."""
SAME_DISC, OTHER_DISC = 0.01, 0.08
"""Standard deviation of the top's paint against the wall's: of a man it is one disc, of a king another one lies on top."""
EXTRA = 8
"""Numbers of the state between the offsets and the scene's numbers."""
USUAL_COST = 0.55
"""Cost for each sample above which a fit explains too little to be fully believed; 19 of 20 good ones cost less than 0.5."""
MUCH_LIGHT = 2.5
"""... and a change of the light that is as unusual: where nothing stirred 19 of 20 stay below. A reflection or a shadow that
came with the disc is not as smooth as what is fitted."""
ROUNDS, FULL_ROUNDS = 5, 2
"""Rounds of fitting; in so many of them the derivatives by the scene's numbers are taken anew."""
ALIKE = 7.0
"""So many neighbouring samples err alike and count as one: fewer than `SAMPLES_A_FACT`, as much of that is fitted here."""
SCENE = len(STEPS)
"""Numbers of the scene that stacks of one side share."""


@dataclass(frozen=True, eq=False, slots=True)
class _Reference:
    """A quiet picture of a known board: the light, and which places were empty, and which may have held something, shape (p,)."""

    image: Image
    light: LightField
    empty: NDArray[np.bool_]
    occupied: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class _Fit:
    """The best fit of a stack.

    Attributes:
        cost: minus twice the log-likelihood, everything that was fitted integrated out.
        feet: offsets, shape (2,) or (4,).
        light: by how much the light on the place has changed, but for its strength: squared, in deviations of what is usual.
    """

    cost: float
    feet: Numbers
    light: float


class CrownJudge:
    """Looks closely at single places of one view; the geometry is laid out once, when it is first needed.

    Args:
        patches: the places.
        look: learnt from men.
    """

    def __init__(self, patches: Patches, look: StackLook) -> None:
        self._patches, self._look = patches, look
        self._reference: _Reference | None = None

    @cached_property
    def _field(self) -> StackField:
        half = np.arange(0, SIDE * SIDE, 2)  # SIDE is odd: a chequerboard
        return StackField(self._patches, np.repeat(half[None], len(self._patches.places), axis=0))

    @cached_property
    def _around(self) -> list[list[tuple[int, NDArray[np.bool_]]]]:
        return self._field.neighbours(self._look)

    @cached_property
    def _learnt(self) -> list[tuple[Numbers, float, Numbers]]:
        """What was learnt of each side's stacks: the scene's numbers, the level of the tops, the numbers' precision."""
        look = self._look
        known = [np.asarray(np.linalg.inv(doubt(look, side)), dtype=np.float64) for side in (0, 1)]
        return [(numbers_of(look, side), level_of(look, side), known[side]) for side in (0, 1)]

    def remember(self, image: Image, light: LightField, empty: NDArray[np.bool_], occupied: NDArray[np.bool_]) -> None:
        """Keep a quiet picture of a board that is known; `empty` and `occupied` as for `HeightJudge.learn_ground`."""
        self._reference = _Reference(image, light, empty, occupied)

    def evidence(self, image: Image, light: LightField, row: int, side: int, occupied: NDArray[np.bool_]) -> float:
        """Return the log-likelihood of a king minus that of a man, nats.

        Args:
            image: the picture.
            light: on it.
            row: the place, as a position among the grid's playable ones.
            side: whose disc lies there, 0 White's, 1 Black's.
            occupied: shape (p,), the places that may hold something now.
        """
        rows, field = np.array([row]), self._field
        floor, weight = self._ground(row, side, occupied)
        canvas = Canvas(field, rows, field.x[rows], field.y[rows], floor)
        seen = field.brightness(image, light, rows)[0]
        closely = _Closely(canvas, self._look, side, seen, weight, *self._learnt[side])
        man = closely.fit(np.zeros(2))
        tip, _ = field.seen_at(rows, man.feet[None].astype(np.float32), field.height)
        middle, growth = field.seen_at(rows, np.zeros((1, 2), np.float32), 2 * field.height)
        # His top lies where the man's was found, or, where that was lost on the board, his foot does (see `height`).
        starts = ((tip - middle)[0] / growth, man.feet)
        king = min((closely.fit(np.tile(start, 2)) for start in starts), key=lambda fit: fit.cost)
        man = min(man, closely.fit(king.feet[:2]), key=lambda fit: fit.cost)
        poor = min(man.cost, king.cost) / max(int(np.count_nonzero(weight)), 1)
        trust = USUAL_COST / max(poor, USUAL_COST) * MUCH_LIGHT / max(man.light, king.light, MUCH_LIGHT)
        return float(trust * np.clip(0.5 * (man.cost - king.cost), -MOST_HEIGHT_NATS, MOST_HEIGHT_NATS))

    def _ground(self, row: int, side: int, occupied: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return the brightness of the empty place, shape (1, n), and the weights of the samples, shape (n,)."""
        rows, sides, reference = np.array([row]), np.array([side]), self._reference
        floor, ground = self._field.floor(self._look, rows), np.full((1, self._field.x.shape[1]), GROUND, np.float32)
        if reference is not None and reference.empty[row]:
            clear = ~self._spoilt(row, reference.occupied)
            seen = self._field.brightness(reference.image, reference.light, rows)
            floor, ground = np.where(clear, seen, floor), np.where(clear, np.float32(KNOWN_GROUND), ground)
        weight = sum(sample_weights(self._field, self._look, rows, sides, discs, ground)[0] for discs in (1, 2))
        usable = self._field.on_board[row] & ~self._spoilt(row, occupied)
        return floor, np.asarray(0.5 * DENSER * SAMPLES_A_FACT / ALIKE * weight * usable, dtype=np.float32)

    def _spoilt(self, row: int, occupied: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which samples of a place stacks on other places may cover or shade, shape (n,)."""
        spoilt = np.zeros(self._field.x.shape[1], dtype=bool)
        for other, samples in self._around[row]:
            if occupied[other]:
                spoilt |= samples
        return spoilt


@dataclass(frozen=True, eq=False, slots=True)
class _Closely:
    """One place, looked at closely.

    Attributes:
        canvas: of this place alone.
        look: learnt from men.
        side: whose disc lies there.
        seen: brightness, shape (n,).
        weight: one over the variance of each sample, shape (n,).
        numbers: the scene's nine numbers as they were learnt, shape (9,).
        level: the usual brightness of the side's tops.
        told: precision of the numbers, shape (9, 9).
    """

    canvas: Canvas
    look: StackLook
    side: int
    seen: Floats
    weight: Floats
    numbers: Numbers
    level: float
    told: Numbers

    def fit(self, feet: Numbers) -> _Fit:
        """Fit a stack by a robust Gauss-Newton from these offsets; the cost is that of the best round.

        The state is: offsets; gains of disc, board and top; the light's slope along x and y; glow and its slopes; changes of the
        scene's numbers.
        """
        k = len(feet)
        known, state = self._prior(k), np.zeros(k + EXTRA + SCENE)
        state[:k] = feet
        best = (np.inf, state, 0.0)
        by_numbers, doubtful = np.zeros((SCENE, len(self.seen))), ALIKE / (DENSER * ROBUST**2)
        stride = np.concatenate([np.full(k + EXTRA, STRIDE), STRIDES])
        for number in range(ROUNDS + 1):
            steps = STEPS if number < FULL_ROUNDS else STEPS[:0]
            bright, design = self._painted(state, k, steps)
            if len(steps):
                by_numbers = design[k + EXTRA :]
            design = np.concatenate([design[: k + EXTRA], by_numbers])
            rest = self.seen - bright
            chi = rest * rest * self.weight
            trusted = design * (self.weight / (1 + chi * doubtful) ** 2)
            normal = trusted @ design.T + known
            cost = float((chi / (1 + chi * doubtful)).sum() + state @ known @ state)
            if cost < best[0]:
                best = cost, state.copy(), float(np.linalg.slogdet(normal)[1])
            state = state + np.clip(np.linalg.solve(normal, trusted @ rest - known @ state), -stride, stride)
        light = float(best[1][k + 3 : k + EXTRA] ** 2 @ np.diag(known)[k + 3 : k + EXTRA])
        return _Fit(best[0] + best[2] - float(np.linalg.slogdet(known)[1]), best[1][:k], light)

    def _prior(self, offsets: int) -> Numbers:
        """Return the precision matrix of the state."""
        face = SAME_DISC if offsets == 2 else OTHER_DISC
        extra = np.array([face, SLOPE, SLOPE, GLOW, GLOW_SLOPE, GLOW_SLOPE]) ** -2.0
        known = np.diag(np.concatenate([np.zeros(offsets + 2), extra, np.zeros(SCENE)]))
        known[: offsets + 2, : offsets + 2] = prior(offsets)
        known[offsets + EXTRA :, offsets + EXTRA :] = self.told
        return known

    def _painted(self, state: Numbers, k: int, steps: Numbers) -> tuple[Numbers, Numbers]:
        """Return the brightness, shape (n,), and its derivatives by the state, shape (state, n); the numbers' only by steps."""
        numbers = self.numbers + state[k + EXTRA :]
        tried = np.concatenate([numbers[None], numbers + np.diag(steps)]) if len(steps) else numbers[None]
        shared = shared_by(self.level, tried)
        feet = np.repeat(state[None, :k].astype(np.float32), len(tried), axis=0)
        canvas, sides = self.canvas.part(np.zeros(len(tried), dtype=np.intp)), np.full(len(tried), self.side)
        painted = paint_on(canvas, self.look, sides, feet, shared)
        disc, board, face, tilt_x, tilt_y, glow, glow_x, glow_y = state[k : k + EXTRA]
        x, y = canvas.x[0], canvas.y[0]
        plain = (painted.wall + painted.face) * (1 + disc) + painted.face * face + painted.floor * (1 + board)
        light, added = 1 + tilt_x * x + tilt_y * y, np.stack([np.ones_like(x), x, y])
        of_light = np.stack([painted.face[0] * light, plain[0] * x, plain[0] * y])
        by_numbers = (plain[1:] - plain[0]) / STEPS[: len(steps), None] * light
        design = np.concatenate([painted.design[:, 0] * light, of_light, added, by_numbers])
        return plain[0] * light + np.array([glow, glow_x, glow_y]) @ added, design
