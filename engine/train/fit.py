"""Logistic regression: the weights under which the results of the games are likeliest."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.engine.features import PHASES, blocks_of, features_of
from damludo.engine.train.model import Floats, Model, model_of
from damludo.engine.train.packing import coarsened
from damludo.engine.train.positions import Positions
from damludo.engine.train.sparse import Sparse, sparse
from damludo.rules.traits import Variant

STEPS = 80
RATE = 0.2
"""Of the first step, in deviations of a parameter; it falls to 0."""
HELD_OUT = 10
"""One game in so many is kept from the fit, to judge it by."""
TRUST = 0.5
"""The share of the search's own score in what a position is told to be worth; the rest is the result."""
EASE = 400.0
"""A worth of so many hundredths of a man is where the search for the scale begins."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What came out.

    Attributes:
        weights: shape (weights,), int16.
        scale: hundredths of a man that make the chance to win e times as great against that to lose.
        games, positions: how many were learnt from.
        loss_before, loss_after: mean loss of the positions that were held out and occur in no game learnt from, in nats: with
            the reasoned weights, with the learnt ones.
    """

    weights: NDArray[np.int16]
    scale: float
    games: int
    positions: int
    loss_before: float
    loss_after: float


def learnable(variant: Variant, positions: Positions) -> Positions:
    """Return the positions whose worth is the sum of weights and nothing else: both sides are there, and no lone king holds
    out.
    """
    drawish = features_of(variant)["DRAWISH"]
    assert isinstance(drawish, int)
    sets = positions.bits(64 * 2)
    white, black = sets[:, 0].sum(axis=1), sets[:, 1].sum(axis=1)
    lone = (np.minimum(white, black) == 1) & (white + black <= drawish + 1) & (drawish > 0)
    return positions.where((white > 0) & (black > 0) & ~lone)


def _rare(variant: Variant, model: Model, matrix: Sparse) -> NDArray[np.bool_]:
    """Which weights belong to patterns that no position shows, nor one with the colours swapped."""
    met = matrix.met(len(model.reasoned)).reshape(PHASES, -1)
    rare = ~(met | met[:, model.mirror])
    rare[:, : min(place for place, _ in blocks_of(variant))] = False
    found: NDArray[np.bool_] = rare.ravel()
    return found


def _among(some: Positions, others: Positions) -> NDArray[np.bool_]:
    """Which of the positions are among the others."""
    names = [
        np.column_stack([those.sets.reshape(-1, 8), those.black_moves.astype(np.uint64)]) for those in (some, others)
    ]
    own, known = (np.ascontiguousarray(name).view(f"V{8 * 9}").ravel() for name in names)
    return np.isin(own, known)


def fit(variant: Variant, positions: Positions, progress: Callable[[int, float], None], steps: int = STEPS) -> Fit:
    """Fit the weights of a game in so many steps; `progress` is told each step and its loss."""
    usable = learnable(variant, positions)
    held = usable.game % HELD_OUT == HELD_OUT - 1
    model = model_of(variant)
    known = usable.where(~held)
    unknown = usable.where(held & ~_among(usable, known))
    matrix, judged = sparse(variant, known), sparse(variant, unknown)
    scale = _scale(matrix.worth(model.reasoned), known.result)
    goal = (1 - TRUST) * known.result + TRUST * chance_of(known.score / scale)
    weights = _descend(model, matrix, goal, scale, progress, steps)
    limits = np.iinfo(np.int16)
    rounded = np.clip(np.rint(weights), limits.min, limits.max).astype(np.int16)
    rounded = coarsened(rounded, _rare(variant, model, matrix))
    before, after = (
        loss(judged.worth(those.astype(np.float64)) / scale, unknown.result) for those in (model.reasoned, rounded)
    )
    games = len(np.unique(known.game))
    return Fit(rounded, scale, games, len(known), before, after)


def loss(odds: Floats, result: Floats) -> float:
    """Return the mean of -log P(result), where `odds` are the logarithms of the odds that White wins; a draw is half of each."""
    return float(np.mean(np.logaddexp(0, odds) - result * odds)) if len(odds) else 0.0


def chance_of(odds: Floats) -> Floats:
    """Return the chance that White wins."""
    half = np.exp(-np.abs(odds))
    chance: Floats = np.where(odds >= 0, 1.0, half) / (1 + half)
    return chance


def _scale(worth: Floats, result: Floats) -> float:
    """The scale under which the reasoned weights tell the results best: so the unit stays what it is."""
    tried = EASE * 2.0 ** np.arange(-3, 3.01, 0.125)
    return float(min(tried, key=lambda scale: loss(worth / scale, result)))


def _descend(
    model: Model,
    matrix: Sparse,
    result: Floats,
    scale: float,
    progress: Callable[[int, float], None],
    steps: int,
) -> Floats:
    """Find the likeliest parameters with Adam.

    Source: D. P. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1.
    """
    parameters = np.zeros(model.shape)
    mean, square = np.zeros(model.shape), np.zeros(model.shape)
    for step in range(1, steps + 1):
        odds = matrix.worth(model.weights(parameters)) / scale
        progress(step, loss(odds, result))
        surplus = (chance_of(odds) - result) / scale
        gradient = model.back(matrix.back(surplus, len(model.reasoned))) + parameters
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        rate = RATE * (1 - step / (steps + 1))
        change = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        parameters -= rate * change
    return model.weights(parameters)
