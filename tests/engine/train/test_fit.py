"""What is learnt is the evaluation's own sum, seen alike by both sides, and tells results better than reason did."""

from collections.abc import Callable

import numpy as np
import pytest

from damludo.engine.memory import Searcher
from damludo.engine.train.fit import EASE, fit, learnable, loss
from damludo.engine.train.model import model_of
from damludo.engine.train.positions import Positions, joined
from damludo.engine.train.self_play import Item, self_play
from damludo.engine.train.sparse import mirror_of, sparse
from damludo.engine.weights import reasoned_weights
from damludo.rules.moves import legal_moves, play
from damludo.rules.position import Colour, Position
from damludo.rules.variants import VARIANTS, variant

AsRules = Callable[[str, Positions], list[Position]]


@pytest.mark.parametrize("key", ["english", "damludo", "anti", "canadian", "oneway", "dameo", "hawaiian"])
def test_the_sum_is_the_evaluation_of_the_kernels(key: str, as_rules: AsRules) -> None:
    """With any weights, but for what the kernels round off."""
    game = variant(key)
    positions = learnable(game, self_play(Item(key, seed=1, games=1, nodes=8, opening=(2, 20), compiled=False)))
    chance = np.random.default_rng(1)
    weights = (reasoned_weights(game) + chance.integers(-300, 300, len(reasoned_weights(game)))).astype(np.int16)
    weights[3 :: len(weights) // 3] = reasoned_weights(game)[3]  # this one is not learnt
    judge = Searcher(game, compiled=False, weights=weights)

    ours = sparse(game, positions).worth(weights.astype(np.float64))

    assert len(positions) > 5
    for number, position in enumerate(as_rules(key, positions)):
        theirs = judge.evaluate(position) * (1 if position.side is Colour.WHITE else -1)
        assert ours[number] == pytest.approx(theirs, abs=2)


@pytest.mark.parametrize("key", list(VARIANTS))
def test_the_counterpart_of_the_counterpart_is_the_weight(key: str) -> None:
    mirror = mirror_of(variant(key))

    assert np.array_equal(mirror[mirror], np.arange(len(mirror)))


@pytest.mark.parametrize("key", ["english", "international", "turkish", "oneway"])
def test_without_parameters_the_weights_are_the_reasoned_ones(key: str) -> None:
    model = model_of(variant(key))

    assert np.array_equal(model.weights(np.zeros(model.shape)), reasoned_weights(variant(key)))


def test_the_gradient_is_the_slope() -> None:
    """Along a random direction, against the difference of two values; the model is linear."""
    model, chance = model_of(variant("english")), np.random.default_rng(2)
    way, by_weights = chance.normal(size=model.shape), chance.normal(size=len(model.reasoned))

    rise = by_weights @ (model.weights(way) - model.reasoned)

    assert (model.back(by_weights) * way).sum() == pytest.approx(rise)


def test_both_sides_are_judged_alike_whatever_is_learnt() -> None:
    game, chance = variant("english"), np.random.default_rng(3)
    model = model_of(game)
    weights = np.rint(model.weights(chance.normal(size=model.shape))).astype(np.int16)
    judge = Searcher(game, compiled=False, weights=weights)
    swapped = (0, 3, 4, 1, 2)
    position = game.start
    for ply in range(30):
        turned = Position(bytes(swapped[code] for code in reversed(position.cells)), position.side.other)
        assert judge.evaluate(position) == pytest.approx(judge.evaluate(turned), abs=1)
        moves = legal_moves(game, position)
        position = play(game, position, moves[ply % len(moves)])


def test_the_loss_is_that_of_the_textbook() -> None:
    odds, result = np.array([0.0, np.log(3.0), 0.0]), np.array([1.0, 1.0, 0.5])

    assert loss(odds, result) == pytest.approx((np.log(2) - np.log(0.75) + np.log(2)) / 3)


@pytest.mark.slow
def test_a_hidden_worth_is_found() -> None:
    """Results drawn as if a man were worth half as much more with the move: the fit finds out, on games it did not see."""
    game, chance = variant("english"), np.random.default_rng(4)
    parts = [self_play(Item("english", seed, 10, 4, (8, 30), compiled=False)) for seed in range(3)]
    positions = joined(parts)
    truth = reasoned_weights(game).astype(np.float64)
    truth[1 :: len(truth) // 3] += 1_500
    odds = sparse(game, positions).worth(truth) / EASE
    positions.result[:] = chance.random(len(positions)) < 1 / (1 + np.exp(-odds))
    positions.score[:] = np.clip(sparse(game, positions).worth(truth), -2_000, 2_000)
    losses: list[float] = []

    found = fit(game, positions, lambda step, loss: losses.append(loss), steps=12)

    assert losses[-1] < losses[0]
    assert found.loss_after < found.loss_before
    assert all(found.weights[1 :: len(truth) // 3] > reasoned_weights(game)[1 :: len(truth) // 3])
