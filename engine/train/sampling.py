"""Many work items, kept in a folder: what is there is not made again."""

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

from damludo.engine.train.positions import Positions, joined, load
from damludo.engine.train.self_play import Item, self_play

GAMES_OF_AN_ITEM = 50
Progress = Callable[[int, int], None]
"""Told how many games are there, and of how many."""


def items(template: Item, games: int) -> list[Item]:
    """Return the work items for so many games; the seeds count up from the template's, in steps far from other seeds."""
    numbers = range(0, games, GAMES_OF_AN_ITEM)
    return [
        replace(
            template,
            seed=template.seed * 1_000_000 + number // GAMES_OF_AN_ITEM,
            games=min(GAMES_OF_AN_ITEM, games - number),
        )
        for number in numbers
    ]


def file_of(item: Item, folder: Path) -> Path:
    """Return where the positions of an item are kept; its name tells all that they follow from."""
    low, high = item.opening
    judged = "reasoned" if item.weights is None else hashlib.sha256(item.weights).hexdigest()[:12]
    return folder / f"{item.game}-{judged}-{item.nodes}-{low}-{high}-{item.games}-{item.seed}.npz"


def sample(work: list[Item], folder: Path, jobs: int, progress: Progress) -> Positions:
    """Return the positions of all items, in their order, and make those that are missing."""
    missing = [item for item in work if not file_of(item, folder).exists()]
    games = sum(item.games for item in work)
    done = games - sum(item.games for item in missing)
    progress(done, games)
    for item in _made(missing, folder, jobs):
        done += item.games
        progress(done, games)
    return joined([load(file_of(item, folder)) for item in work])


def _made(missing: list[Item], folder: Path, jobs: int) -> Iterator[Item]:
    if jobs == 1 or len(missing) < 2:
        for item in missing:
            yield make(item, folder)
        return
    # The first item alone: it compiles the kernels, which the others then find.
    yield make(missing[0], folder)
    with ProcessPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(make, item, folder) for item in missing[1:]]):
            yield future.result()


def make(item: Item, folder: Path) -> Item:
    """Play an item and keep it."""
    self_play(item).save(file_of(item, folder))
    return item
