"""Man or king? Stacks of one and of two discs are fitted to the picture; how well each fits tells how high the stack is.

One disc is 9 mm high, so colour and outline of a square hardly change by a second one. What changes is small but known
beforehand: the top moves away from the camera, the wall on the camera's side and the cast shadow double. All of these were
learnt from the men of the start position (`teaching`), and so the king's look is predicted, not guessed.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from damludo.vision.frame import Image
from damludo.vision.light import LightField
from damludo.vision.patches import Patches
from damludo.vision.stack import Canvas, Floats, Rows, StackField, StackLook, paint, paint_on

OFFSET = 0.06
"""Standard deviation of a disc's offset from the middle, in squares."""
CROWN_OFFSET = 0.03
"""Standard deviation of the upper disc's offset from the lower one, in squares."""
GAIN = 0.06
"""Relative deviation of a disc's paint, and of the light on one square."""
FLAT, GROUND, SOLID, RIM = 0.010, 0.05, 0.025, 0.05
"""Deviations of samples: everywhere; of the board's and of the discs' brightness (grain); where an edge is misplaced."""
KNOWN_GROUND = 0.02
"""The same as `GROUND` where this very square was seen empty: its grain is known, only the light on it may have changed."""
SAMPLES_A_FACT = 10.0
"""So many neighbouring samples err alike (grain, blur, compression) and count as one; fitted on 24 rendered set-ups."""
ROBUST = 4.0
"""Deviations from which a sample loses its say (gloss, a mark, a finger's shadow)."""
ROUNDS, TRIES = 2, 2
MORE_ROUNDS = 4
"""... and so many more where a king seems to stand."""
STRIDE = 0.08
"""Most that an offset may change in one round (squares)."""
MOST_HEIGHT_NATS = 20.0
"""No stack says more than this."""
POOR = 0.5
"""A fit that costs more than this for each sample explains little (three of four right fits cost less)."""
FAR_OFF = 0.1
"""An offset of an outline beyond this (squares) is compared with none at all before it is believed."""
SAMPLES = 170
"""So many samples of a place are used, of every second one: neighbours tell nearly the same."""
DENSER = 2
"""Each of these stands for so many of the whole patch."""


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """The best fit of stacks of one height to some places.

    Attributes:
        cost: shape (p,), minus twice the log-likelihood, offsets integrated out.
        feet: shape (p, 2) or (p, 4), as in `paint`.
        gains: shape (p, 2), relative departure of disc and board from their brightness.
    """

    cost: Floats
    feet: Floats
    gains: Floats


def fit_stacks(
    field: StackField, look: StackLook, rows: Rows, side: Rows, seen: Floats, weight: Floats, feet: Floats, rounds: int
) -> Fit:
    """Fit offsets and gains by a robust Gauss-Newton.

    Args:
        rows, side: as in `paint`.
        seen: brightness, shape (p, n).
        weight: one over the variance of each sample, shape (p, n).
        feet: offsets to start from; their number says how many discs.
    """
    return fit_on(Canvas.of(field, look, rows), look, side, seen, weight, feet, rounds)


def fit_on(
    canvas: Canvas,
    look: StackLook,
    side: Rows,
    seen: Floats,
    weight: Floats,
    feet: Floats,
    rounds: int,
    denser: float = 1,
) -> Fit:
    """Fit as `fit_stacks` does, on places whose samples are gathered already.

    `denser` is by how much more than that of one of many neighbours the weight of a sample is.
    """
    known, doubt = prior(feet.shape[1]), np.float32(SAMPLES_A_FACT / (denser * ROBUST**2))
    state = np.concatenate([feet, np.zeros((len(feet), 2), np.float32)], axis=1)
    doubtful = weight * doubt
    for _ in range(rounds):
        design = paint_on(canvas, look, side, state[:, :-2]).design
        by_place = design.transpose(1, 0, 2)
        rest = seen - design[-2] * (1 + state[:, -2:-1])
        rest -= design[-1] * (1 + state[:, -1:])
        for _ in range(TRIES):
            hard = rest * rest
            hard *= doubtful
            hard += 1
            hard *= hard
            weighted = (design * np.divide(weight, hard, out=hard)).transpose(1, 0, 2)
            # Symmetric, so its columns may come as rows: products with vectors, faster than one of such narrow matrices.
            normal = (weighted[:, None] @ by_place[..., None])[..., 0] + known
            pull = (weighted @ rest[..., None])[..., 0] - state @ known
            step = np.linalg.solve(normal, pull[..., None])[..., 0].clip(-STRIDE, STRIDE)
            state = state + step
            rest -= (step[:, None] @ by_place)[:, 0]
    chi = rest * rest * weight
    cost = (chi / (1 + chi * doubt)).sum(axis=1) + ((state @ known) * state).sum(axis=1)
    cost += np.linalg.slogdet(normal)[1] - np.linalg.slogdet(known)[1]
    return Fit(cost, state[:, :-2], state[:, -2:])


@cache
def prior(offsets: int) -> Floats:
    """Return the precision matrix of so many offsets, 2 or 4, and of the gains of disc and board; nobody may write there."""
    known = np.diag([OFFSET**-2] * 2 + [0.0] * (offsets - 2) + [GAIN**-2] * 2)
    if offsets == 4:
        tie = np.kron([[1, -1], [-1, 1]], np.eye(2)) * CROWN_OFFSET**-2
        known[:4, :4] += tie
    known = known.astype(np.float32)
    known.flags.writeable = False
    return known


def sample_weights(
    field: StackField, look: StackLook, rows: Rows, side: Rows, discs: int, ground: float | Floats = GROUND
) -> Floats:
    """Return one over the variance of the samples around a stack in the middle, shape (p, n).

    `ground` is the deviation of the board's brightness, relative to it: one, or shape (p, n).
    """
    painted = paint(field, look, rows, side, np.zeros((len(rows), 2 * discs), dtype=np.float32))
    solid = painted.top_cover + painted.wall_cover
    contrast = np.clip(np.abs(painted.bright - field.floor(look, rows)), 0, 1)
    deviation = FLAT + ground * painted.floor + SOLID * (painted.wall + painted.face)
    deviation = deviation + 4 * RIM * solid * (1 - solid) * contrast
    return np.asarray(1 / (SAMPLES_A_FACT * deviation**2), dtype=np.float32)


class HeightJudge:
    """Judges heights in pictures of one view; the geometry is laid out once.

    Args:
        patches: the places.
        look: learnt from men.
    """

    def __init__(self, patches: Patches, look: StackLook) -> None:
        self._look = look
        self._field = StackField(patches, telling_samples(StackField(patches), look, SAMPLES))
        rows = np.arange(len(patches.places))
        self._weights, self._weights_where_known = (
            _weights(self._field, look, rows, g) for g in (GROUND, KNOWN_GROUND)
        )
        self._others, self._spoilt = _neighbourhood(self._field, look)
        self._canvas = Canvas.of(self._field, look, rows)

    def learn_ground(
        self, image: Image, light: LightField, empty: NDArray[np.bool_], occupied: NDArray[np.bool_]
    ) -> None:
        """Learn what empty places look like, each for itself: how a stack darkens its own square tells more than how it differs
        from the usual square.

        Args:
            image: the picture, with nothing over the board.
            light: on it.
            empty, occupied: shape (p,), places that surely hold nothing, and those that may hold something.
        """
        rows = np.nonzero(empty)[0]
        if not len(rows):
            return
        beside = np.append(occupied, False)[self._others[rows]]
        clear = ~(self._spoilt[rows] & beside[:, :, None]).any(axis=1)
        seen = self._field.brightness(image, light, rows)
        self._canvas.floor[rows] = np.where(clear, seen, self._canvas.floor[rows])
        known = self._weights_where_known[:, rows]
        self._weights[:, rows] = np.where(clear, known, self._weights[:, rows])

    def evidence(
        self, image: Image, light: LightField, side: Rows, offset: Floats, asked: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """Return log-likelihoods of a king minus those of a man, shape (p,), nats; 0 for empty places and where not asked.

        Args:
            image: the picture.
            light: on it.
            side: shape (p,): 0 White's disc, 1 Black's, -1 nothing stands there.
            offset: shape (p, 2): about where the disc would stand if it were a man, squares off the middle.
            asked: shape (p,), True where the height is wanted; everywhere if not given.
        """
        result = np.zeros(len(side))
        rows = np.nonzero((side >= 0) if asked is None else (side >= 0) & asked)[0]
        if not len(rows):
            return result
        seen = self._field.brightness(image, light, rows)
        weight = self._weights[side[rows], rows]
        occupied = np.append(side >= 0, False)[self._others[rows]]
        weight[(self._spoilt[rows] & occupied[:, :, None]).any(axis=1)] = 0
        canvas = self._canvas.part(rows)
        start = self._start(canvas, side[rows], seen, weight, offset[rows])
        man = fit_on(canvas, self._look, side[rows], seen, weight, start, ROUNDS, DENSER)
        king = self._best_king(canvas, side[rows], seen, weight, man)
        self._settle(canvas, side[rows], seen, weight, man, king)
        result[rows] = np.clip(0.5 * (man.cost - king.cost), -MOST_HEIGHT_NATS, MOST_HEIGHT_NATS)
        return result

    def _best_king(self, canvas: Canvas, side: Rows, seen: Floats, weight: Floats, man: Fit) -> Fit:
        """Return the best kings where these are the best men.

        A man that is fitted to a king takes the king's top for his own; but where a dark top is lost on dark wood, he takes the
        king's foot, and from the king whose top is there no fit leads back. Then neither explains what is seen.
        """
        every = np.arange(len(side))
        poor = np.nonzero(man.cost > POOR * seen.shape[1])[0]
        # One fit of all starts: a second call for a few places would cost half as much as the first for all.
        rows = np.concatenate([every, poor])
        feet = np.concatenate([self._foot_of_king(canvas.rows, man.feet), man.feet[poor]])
        part = canvas.part(rows) if len(poor) else canvas
        king = fit_on(part, self._look, side[rows], seen[rows], weight[rows], np.tile(feet, 2), ROUNDS, DENSER)
        of = np.arange(len(side))
        second = len(side) + np.arange(len(poor))
        of[poor] = np.where(king.cost[second] < king.cost[poor], second, poor)
        return Fit(king.cost[of], king.feet[of], king.gains[of])

    def _settle(self, canvas: Canvas, side: Rows, seen: Floats, weight: Floats, man: Fit, king: Fit) -> None:
        """Fit on, in place, where a king seems to stand: he was sought from where the man was found, and is fitted better."""
        again = np.nonzero(king.cost < man.cost)[0]
        if not len(again):
            return
        part = canvas.part(again)
        for fit in (man, king):
            longer = fit_on(
                part, self._look, side[again], seen[again], weight[again], fit.feet[again], MORE_ROUNDS, DENSER
            )
            fit.cost[again] = np.minimum(fit.cost[again], longer.cost)

    def _start(self, canvas: Canvas, side: Rows, seen: Floats, weight: Floats, offset: Floats) -> Floats:
        """Return where to start, shape (p, 2): at the offset, or in the middle if a disc far off fits no better than one there.

        An outline cannot tell a dark disc on a dark square from its shadow.
        """
        far = np.nonzero((offset * offset).sum(axis=1) > FAR_OFF**2)[0]
        if not len(far):
            return offset
        part, doubt = canvas.part(far), np.float32(SAMPLES_A_FACT / (DENSER * ROBUST**2))
        misfit = []
        for tried in (offset[far], np.zeros_like(offset[far])):
            rest = seen[far] - paint_on(part, self._look, side[far], tried).bright
            chi = rest * rest * weight[far]
            misfit.append((chi / (1 + chi * doubt)).sum(axis=1))
        start = offset.copy()
        start[far[misfit[1] < misfit[0]]] = 0
        return start

    def _foot_of_king(self, rows: Rows, feet: Floats) -> Floats:
        """Return where kings stand whose tops are seen where those of these men are, shape (p, 2)."""
        tip, _ = self._field.seen_at(rows, feet, self._field.height)
        middle, growth = self._field.seen_at(rows, np.zeros_like(feet), 2 * self._field.height)
        return np.asarray((tip - middle) / np.float32(growth), dtype=np.float32)


def _weights(field: StackField, look: StackLook, rows: Rows, ground: float) -> Floats:
    """Return the weights of the samples for each side's stacks, whatever their height, shape (2, p, n)."""
    weights = []
    for side in (0, 1):
        sides = np.full(len(rows), side)
        man, king = (sample_weights(field, look, rows, sides, discs, ground) for discs in (1, 2))
        weights.append(DENSER * 0.5 * (man + king) * field.on_board)
    return np.stack(weights)


def _neighbourhood(field: StackField, look: StackLook) -> tuple[Rows, NDArray[np.bool_]]:
    """Return the places around each place, shape (p, k), -1 where there are fewer, and what they may spoil, shape (p, k, n)."""
    around = field.neighbours(look)
    most = max((len(pairs) for pairs in around), default=0)
    others = np.full((len(around), most), -1, dtype=np.intp)
    spoilt = np.zeros((len(around), most, field.x.shape[1]), dtype=bool)
    for row, pairs in enumerate(around):
        for k, (other, samples) in enumerate(pairs):
            others[row, k], spoilt[row, k] = other, samples
    return others, spoilt


def telling_samples(field: StackField, look: StackLook, most: int) -> Rows:
    """Return the samples that tell most about height or offset, shape (p, most), as numbers in the whole patch."""
    rows = np.arange(len(field.patches.places))
    told = np.zeros(field.x.shape, dtype=np.float32)
    for side in (0, 1):
        sides = np.full(len(rows), side)
        weight = np.sqrt(sample_weights(field, look, rows, sides, 1)) * field.on_board
        for dx, dy in ((0, 0), (OFFSET, 0), (-OFFSET, 0), (0, OFFSET), (0, -OFFSET)):
            foot = np.tile(np.array([dx, dy], dtype=np.float32), (len(rows), 1))
            man, king = paint(field, look, rows, sides, foot), paint(field, look, rows, sides, np.tile(foot, 2))
            differ = np.abs(king.bright - man.bright)
            move = 0.5 * OFFSET * (np.abs(man.slopes).sum(axis=1) + np.abs(king.slopes).sum(axis=1))
            np.maximum(told, weight * (differ + move), out=told)
    told[:, 1::2] = -1  # SIDE is odd: a chequerboard
    return np.argsort(-told, axis=1, kind="stable")[:, :most]
