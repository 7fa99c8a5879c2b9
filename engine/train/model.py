"""Which weights are learnt together: a rare pattern leans on what is common, and on what reason says.

A weight is its reasoned value, plus what was learnt for the pattern, for parts of it (each square of a block, its rows, its
squares of two by two) and for all phases at once. Every one of these is a parameter with a normal prior of mean 0; its
deviation, in hundredths of a man, says how far it may stray without much evidence.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.engine.features import BLOCK_WEIGHTS, BY_SQUARE, PHASES, blocks_of, weights_size
from damludo.engine.layout import layout_of
from damludo.engine.table_shape import is_symmetric
from damludo.engine.train.sparse import mirror_of
from damludo.engine.weights import AHEAD, FREEDOM, SCALE, TURN, reasoned_weights
from damludo.rules.traits import Variant

Floats = NDArray[np.float64]
SINGLE_DEVIATION, KIND_DEVIATION, SQUARE_DEVIATION = 20.0, 60.0, 10.0
PARTS = (
    *((12.0, (digit,)) for digit in range(8)),
    *((9.0, (digit, digit + 1, digit + 4, digit + 5)) for digit in range(3)),
    (7.5, (0, 1, 2, 3)),
    (7.5, (4, 5, 6, 7)),
    (6.0, tuple(range(8))),
)
"""Parts of a block with the deviation of what each one's patterns are worth; the lower row is 0 to 3, the upper 4 to 7."""
ALIKE_FOR_BOTH = (TURN, FREEDOM, AHEAD)
"""Weights that count for the side to move, so that they do not change sign with the colours."""


@dataclass(frozen=True, slots=True)
class Model:
    """The weights of a game as a linear function of parameters.

    Attributes:
        reasoned: the weights without anything learnt, shape (weights,).
        slots: for each weight of one phase the parameters that it takes, shape (taken, weights of one phase).
        deviations: of the parameters of one phase; 0 for a parameter that is none. Shape (parameters,).
        mirror: the counterpart of each weight of one phase for the other side; itself where the game is not symmetric.
        mirror_sign: 1 or -1, as the counterpart is equal or opposite.
    """

    reasoned: Floats
    slots: NDArray[np.int64]
    deviations: Floats
    mirror: NDArray[np.int64]
    mirror_sign: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the parameters: one row for each phase, and one for all phases."""
        return PHASES + 1, len(self.deviations)

    def weights(self, parameters: Floats) -> Floats:
        """Return the weights, shape (weights,)."""
        scaled = (parameters[:PHASES] + parameters[PHASES]) * self.deviations * SCALE
        added = sum((scaled[:, slots] for slots in self.slots), start=np.zeros((PHASES, self.slots.shape[1])))
        both = (added + self.mirror_sign * added[:, self.mirror]) / 2
        return self.reasoned + both.ravel()

    def back(self, gradient: Floats) -> Floats:
        """Return the gradient by the parameters, given that by the weights."""
        by_phase = gradient.reshape(PHASES, -1)
        # The mirror is its own inverse, so this is the transpose of what `weights` does.
        both = (by_phase + (self.mirror_sign * by_phase)[:, self.mirror]) / 2
        total = np.zeros((PHASES, len(self.deviations)))
        for slots in self.slots:
            for phase in range(PHASES):
                total[phase] += np.bincount(slots, both[phase], len(self.deviations))
        total *= self.deviations * SCALE
        return np.vstack([total, total.sum(axis=0)])


def model_of(variant: Variant) -> Model:
    """Return the model of a game."""
    size = weights_size(variant) // PHASES
    slots = np.zeros((len(PARTS), size), np.int64)
    deviations = [0.0]

    def added(deviation: float, number: int) -> int:
        first = len(deviations)
        deviations.extend([deviation] * number)
        return first

    for single in (0, TURN, FREEDOM):
        slots[0, single] = added(SINGLE_DEVIATION, 1)
    width = layout_of(variant.board).width
    slots[0, BY_SQUARE : BY_SQUARE + 6 * width] = added(SQUARE_DEVIATION, 6 * width) + np.arange(6 * width)
    slots[1, BY_SQUARE : BY_SQUARE + 6 * width] = added(KIND_DEVIATION, 6) + np.arange(6 * width) // width
    digits = np.arange(BLOCK_WEIGHTS)[:, None] // 3 ** np.arange(8) % 3
    for place, _ in blocks_of(variant):
        for number, (deviation, chosen) in enumerate(PARTS):
            patterns = digits[:, list(chosen)] @ 3 ** np.arange(len(chosen))
            slots[number, place : place + BLOCK_WEIGHTS] = added(deviation, 3 ** len(chosen)) + patterns
    mirror = mirror_of(variant) if is_symmetric(variant) else np.arange(size)
    sign = np.where(np.isin(np.arange(size), (0, *ALIKE_FOR_BOTH)) | (not is_symmetric(variant)), 1.0, -1.0)
    if is_symmetric(variant):
        sign = _of_lone(variant, mirror, sign)
    return Model(reasoned_weights(variant).astype(np.float64), slots, np.array(deviations), mirror, sign)


def _of_lone(variant: Variant, mirror: NDArray[np.int64], sign: Floats) -> Floats:
    """Blocks without a counterpart among the blocks stay as they are."""
    sign = sign.copy()
    for place, _ in blocks_of(variant):
        block = slice(place, place + BLOCK_WEIGHTS)
        if (mirror[block] == np.arange(place, place + BLOCK_WEIGHTS)).all():
            sign[block] = 1.0
    return sign
