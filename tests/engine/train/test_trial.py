"""Weights are judged by matches, and what is told about them is what was measured."""

from pathlib import Path

import numpy as np
import pytest

from damludo.engine.contest import Score
from damludo.engine.levels import ladder_of
from damludo.engine.port import Limits
from damludo.engine.train.card import Trial, card, ship
from damludo.engine.train.fit import Fit
from damludo.engine.train.ladder import CHANCE
from damludo.engine.train.packing import MOST_BYTES, TooManyWeights, coarsened, packed
from damludo.engine.train.self_play import Item
from damludo.engine.train.trial import levels_between, match, rungs
from damludo.engine.weights import reasoned_weights
from damludo.rules.variants import VARIANTS, variant


def _ignore(score: object) -> None:
    pass


def test_reason_beats_its_opposite() -> None:
    reasoned = reasoned_weights(variant("english"))

    score = match(variant("english"), (reasoned, -reasoned), Limits(nodes=60), 4, 1, _ignore, compiled=False)

    assert (score.wins, score.draws, score.losses) == (4, 0, 0)


def test_the_same_weights_win_as_much_as_they_lose() -> None:
    """Sides change within a pair, so each pair of games is the same game twice."""
    reasoned = reasoned_weights(variant("english"))

    score = match(variant("english"), (reasoned, reasoned), Limits(nodes=15), 2, 1, _ignore, compiled=False)

    assert score.wins == score.losses


def test_the_first_level_beats_chance() -> None:
    told: list[object] = []

    (rung,) = rungs(variant("english"), [1], 2, 1, told.append, compiled=False)

    assert told == [rung]
    assert (rung.level, rung.score.games) == (1, 2)
    assert rung.score.share >= 0.5
    assert rung.bout(variant("english")).lower == CHANCE


def test_only_levels_between_two_settings_are_measured() -> None:
    game = variant("english")
    nodes = [level.nodes for level in ladder_of(game)]

    assert levels_between(game, nodes[2], nodes[4]) == [3, 4, 5]
    assert levels_between(game, 1, nodes[9] - 1) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_the_card_says_what_was_measured() -> None:
    found = Fit(np.zeros(3, np.int16), 123.4, 90, 4_321, 0.5, 0.25)
    trials = [Trial("500 positions a move", Score(wins=60, draws=30, losses=10))]

    text = card(Item("english", 7, 100, 300), 2, "2030-01-02", found, trials, "damludo-train learn --game english")

    for line in (
        "| games | 2 times 100, of 300 positions for each move, after 6 to 16 random plies |",
        "| seed | 7 |",
        "| fitted on | 4321 quiet positions of 90 games |",
        "| loss on the games held out, before | 0.5000 |",
        "| loss on the games held out, after | 0.2500 |",
        "| 500 positions a move, learnt against reasoned | 60 won, 30 drawn, 10 lost: 75.0% |",
        "    damludo-train learn --game english",
    ):
        assert line in text.splitlines()


def test_what_is_shipped_is_what_the_engine_loads(tmp_path: Path) -> None:
    weights = reasoned_weights(variant("english"))

    path = ship("english", weights, "# Card\n", tmp_path / "weights")

    with np.load(path) as stored:
        assert np.array_equal(stored["weights"], weights)
    assert path.with_suffix(".md").read_text(encoding="utf-8") == "# Card\n"


def test_a_file_that_is_too_large_is_refused() -> None:
    noise = np.random.default_rng(1).integers(-30_000, 30_000, 200_000).astype(np.int16)

    with pytest.raises(TooManyWeights, match=f"at most {MOST_BYTES}"):
        packed(noise)


def test_rare_weights_are_rounded_where_the_file_would_be_too_large() -> None:
    noise = np.random.default_rng(1).integers(-500, 500, 300_000).astype(np.int16)
    rare = np.arange(len(noise)) % 8 != 0

    found = coarsened(noise, rare)

    assert len(packed(found)) <= MOST_BYTES
    assert np.array_equal(found[~rare], noise[~rare])
    assert np.abs(found - noise).max() <= 32


def test_weights_that_are_few_stay_as_they_are() -> None:
    noise = np.random.default_rng(1).integers(-500, 500, 100_000).astype(np.int16)

    assert np.array_equal(coarsened(noise, np.ones(len(noise), np.bool_)), noise)


def test_every_weights_file_of_the_package_is_loaded_small_and_has_its_card(root: Path) -> None:
    from damludo.engine.weights import weights_for

    for path in sorted((root / "engine" / "weights_data").glob("*.npz")):
        game = variant(path.stem)
        assert not np.array_equal(weights_for(game), reasoned_weights(game))
        assert path.stat().st_size <= MOST_BYTES
        assert path.with_suffix(".md").read_text(encoding="utf-8").startswith(f"# Weights of {game.key}\n")
    assert {path.stem for path in (root / "engine" / "weights_data").glob("*")} <= set(VARIANTS)
