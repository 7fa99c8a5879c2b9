"""Each generation plays with what was learnt from those before it, and a run that is repeated gives the same."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from damludo.engine.train.generations import Work, learn
from damludo.engine.train.sampling import file_of, items
from damludo.engine.train.self_play import Item, self_play
from damludo.engine.weights import reasoned_weights
from damludo.rules.variants import variant

ITEM = Item("english", seed=1, games=2, nodes=8, compiled=False)


def _ignore(step: int, told: float) -> None:
    pass


@pytest.mark.slow
def test_the_second_generation_plays_with_the_weights_of_the_first(tmp_path: Path) -> None:
    first = learn(Work(ITEM, 1, tmp_path, 1, 3), _ignore, _ignore)
    both = learn(Work(ITEM, 2, tmp_path, 1, 3), _ignore, _ignore)
    again = learn(Work(ITEM, 2, tmp_path, 1, 3), _ignore, _ignore)

    later = replace(ITEM, weights=first.weights.tobytes())
    made = {file_of(item, tmp_path) for template in (ITEM, later) for item in items(template, ITEM.games)}
    assert set(tmp_path.iterdir()) == made
    assert np.array_equal(both.weights, again.weights)
    assert both.positions > first.positions


def test_other_weights_play_other_games() -> None:
    contrary = (-reasoned_weights(variant("english"))).tobytes()

    assert not np.array_equal(self_play(replace(ITEM, weights=contrary)).sets, self_play(ITEM).sets)
