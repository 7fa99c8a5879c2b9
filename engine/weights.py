"""The weights of the evaluation: learnt ones where the package has them, otherwise chosen by reason."""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from damludo.engine.features import BLOCK_WEIGHTS, BY_SQUARE, PHASES, blocks_of, weights_size
from damludo.engine.judgement import MAN, Weights, centrality, standing_of_man, weights_of
from damludo.engine.layout import KINDS, NOWHERE, layout_of
from damludo.rules.position import Colour, Kind
from damludo.rules.traits import Variant

Array = NDArray[np.int16]
FOLDER = Path(__file__).parent / "weights_data"
SCALE = 8
"""Weights count so many to a hundredth of a man."""
MAN_WORTH, TURN, FREEDOM, AHEAD = range(4)


@cache
def weights_for(variant: Variant) -> Array:
    """Return the weights of a game, shape (weights_size(variant),)."""
    path = FOLDER / f"{variant.key}.npz"
    if path.is_file():
        with np.load(path) as stored:
            weights: Array = stored["weights"]
        if weights.shape == (weights_size(variant),) and weights.dtype == np.int16:
            return weights
    return reasoned_weights(variant)


def reasoned_weights(variant: Variant) -> Array:
    """Return weights made from material and a table of squares."""
    chosen = weights_of(variant)
    one = _single_weights(variant, chosen)
    size = weights_size(variant) // PHASES
    for place, squares in blocks_of(variant):
        one[place : place + BLOCK_WEIGHTS] = _block(variant, chosen, squares)
    assert one.shape == (size,)
    return np.tile(one, PHASES)


def _single_weights(variant: Variant, chosen: Weights) -> Array:
    layout = layout_of(variant.board)
    one = np.zeros(weights_size(variant) // PHASES, np.int16)
    one[MAN_WORTH] = chosen.piece[Kind.MAN] * SCALE
    one[TURN] = chosen.turn * SCALE
    one[FREEDOM] = chosen.mobility * SCALE
    one[AHEAD] = chosen.ahead
    for colour in Colour:
        for number, kind in enumerate(KINDS):
            if kind is Kind.MAN or kind not in variant.movers:
                continue
            for bit, square in enumerate(layout.square_of):
                if square != NOWHERE:
                    worth = chosen.piece[kind] + chosen.centre * centrality(variant, square)
                    place = BY_SQUARE + (colour * 3 + number) * layout.width + bit
                    one[place] = worth * SCALE * (1 if colour is Colour.WHITE else -1)
    return one


def _block(variant: Variant, chosen: Weights, squares: tuple[int, ...]) -> Array:
    """The weights of a block: what its squares are worth, shared among the blocks that a square belongs to."""
    table = np.zeros(BLOCK_WEIGHTS)
    numbers = np.arange(BLOCK_WEIGHTS)
    blocks = [block for _, block in blocks_of(variant)]
    for digit, square in enumerate(squares):
        share = sum(square in block for block in blocks)
        here = numbers // 3**digit % 3
        for colour, sign in ((Colour.WHITE, 1), (Colour.BLACK, -1)):
            worth = chosen.centre * centrality(variant, square) + standing_of_man(variant, chosen, colour, square)
            table += (here == colour + 1) * sign * worth * SCALE / share
    assert np.iinfo(np.int16).max > MAN * SCALE
    return np.rint(table).astype(np.int16)
