"""Generations of self-play: each plays with the weights that were learnt from all before it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from damludo.engine.train.fit import Fit, fit
from damludo.engine.train.positions import joined
from damludo.engine.train.sampling import Progress, items, sample
from damludo.engine.train.self_play import Item
from damludo.rules.variants import variant


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be learnt from.

    Attributes:
        item: the games of a generation; the first one plays with the item's own weights.
        generations: how many.
        folder: where games are kept.
        jobs: processes.
        steps: of each fit.
    """

    item: Item
    generations: int
    folder: Path
    jobs: int
    steps: int


def learn(work: Work, played: Progress, fitted: Callable[[int, float], None]) -> Fit:
    """Return what is learnt from the games of all generations together."""
    game, item = variant(work.item.game), work.item
    parts, found = [], None
    for _ in range(work.generations):
        parts.append(sample(items(item, item.games), work.folder, work.jobs, played))
        found = fit(game, joined(parts), fitted, work.steps)
        item = replace(item, weights=found.weights.tobytes())
    assert found is not None
    return found
