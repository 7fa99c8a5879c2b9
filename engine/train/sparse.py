"""What the evaluation multiplies its weights with in a position, as in `kernels/evaluation.py`: seen by White, linear."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.engine.features import BY_SQUARE, PHASES, blocks_of, kings_hold, phase_of, weights_size
from damludo.engine.judgement import weights_of
from damludo.engine.layout import layout_of
from damludo.engine.train.positions import Positions
from damludo.engine.weights import FREEDOM, MAN_WORTH, SCALE, TURN
from damludo.rules.position import Colour
from damludo.rules.traits import Variant


@dataclass(frozen=True, slots=True)
class Part:
    """Entries of the matrix.

    Attributes:
        rows: their positions; None where there is one for every position, in order.
        columns: their weights.
        values: what the weights are multiplied with; None for 1.
    """

    rows: NDArray[np.int64] | None
    columns: NDArray[np.int64]
    values: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Sparse:
    """A matrix of positions and weights by its entries that are not 0.

    Attributes:
        parts: the entries.
        positions: how many there are.
        units: what the entries of each position are multiplied with.
    """

    parts: tuple[Part, ...]
    positions: int
    units: NDArray[np.float64]

    def worth(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix times weights: what each position is worth for White, in hundredths of a man."""
        total = np.zeros(self.positions)
        for part in self.parts:
            entries = weights[part.columns]
            if part.values is not None:
                entries *= part.values
            total += entries if part.rows is None else np.bincount(part.rows, entries, self.positions)
        return total * self.units

    def back(self, by_position: NDArray[np.float64], size: int) -> NDArray[np.float64]:
        """Return the transposed matrix times one number for each position: one for each of `size` weights."""
        total = np.zeros(size)
        by_position = by_position * self.units
        for part in self.parts:
            entries = by_position if part.rows is None else by_position[part.rows]
            total += np.bincount(part.columns, entries if part.values is None else entries * part.values, size)
        return total

    def met(self, size: int) -> NDArray[np.bool_]:
        """Return which of `size` weights have an entry."""
        found = np.zeros(size, np.bool_)
        for part in self.parts:
            found[part.columns] = True
        return found


def sparse(variant: Variant, positions: Positions) -> Sparse:
    """Return what the weights are multiplied with, shape (n, weights_size(variant)); where the stuck side wins with its sign
    turned.
    """
    width = layout_of(variant.board).width
    one = weights_size(variant) // PHASES
    white, black, kings, extra = positions.bits(width).transpose(1, 0, 2)
    pieces = (white | black).sum(axis=1)
    base = one * _phases(variant)[pieces]
    # Exchanges favour who has more: that weight is not learnt, so it is a factor of the balance.
    more = 1 + weights_of(variant).ahead / (64 * (pieces + 4))
    found: list[Part] = []
    men = white & ~kings & ~extra, black & ~kings & ~extra
    found.append(Part(None, base + MAN_WORTH, (men[0].sum(axis=1) - men[1].sum(axis=1).astype(int)) * more))
    turn = np.where(positions.black_moves, -1.0, 1.0)
    found.append(Part(None, base + TURN, turn))
    if positions.freedom.any():
        found.append(Part(None, base + FREEDOM, turn * positions.freedom))
    bit_of = layout_of(variant.board).bit_of
    for place, squares in blocks_of(variant):
        bits = [bit_of[square] for square in squares]
        powers = 3 ** np.arange(len(bits))
        found.append(Part(None, base + place + (men[0][:, bits] + 2 * men[1][:, bits]) @ powers, None))
    for colour, own in enumerate((white, black)):
        for kind, those in ((1, kings), (2, extra)):
            row, bit = np.nonzero(own & those)
            found.append(Part(row, base[row] + BY_SQUARE + (colour * 3 + kind) * width + bit, more[row]))
    units = np.full(len(positions), (-1.0 if variant.stuck_player_wins else 1.0) / SCALE)
    if kings_hold(variant):
        several = np.minimum(white.sum(axis=1), black.sum(axis=1)) > 1
        units[several & (white & kings).any(axis=1) & (black & kings).any(axis=1)] /= 2
    return Sparse(tuple(found), len(positions), units)


def _phases(variant: Variant) -> NDArray[np.int64]:
    """The phase by the number of pieces."""
    playable = variant.board.playable
    start = sum(variant.start.cells[square] != 0 for square in playable)
    return np.array([phase_of(count, start) for count in range(len(playable) + 1)])


def mirror_of(variant: Variant) -> NDArray[np.int64]:
    """Return for each weight of one phase its counterpart when the board is turned and the colours are swapped."""
    layout = layout_of(variant.board)
    last = variant.board.columns * variant.board.rows - 1
    counterpart = np.arange(weights_size(variant) // PHASES)
    for colour in Colour:
        for kind in range(3):
            for square in variant.board.playable:
                here = BY_SQUARE + (colour * 3 + kind) * layout.width + layout.bit_of[square]
                there = BY_SQUARE + (colour.other * 3 + kind) * layout.width + layout.bit_of[last - square]
                counterpart[here] = there
    place_of = {squares: place for place, squares in blocks_of(variant)}
    for squares, place in place_of.items():
        turned = tuple(last - square for square in reversed(squares))
        if turned in place_of:
            numbers = np.arange(3 ** len(squares))
            digits = numbers[:, None] // 3 ** np.arange(len(squares)) % 3
            swapped = np.array((0, 2, 1))[digits[:, ::-1]]
            counterpart[place + numbers] = place_of[turned] + swapped @ 3 ** np.arange(len(squares))
    return counterpart
