"""Patches of crossings: work on pictures that show none is bounded."""

import numpy as np
import pytest

from damludo.vision import lattice
from damludo.vision.lattice import Indices, Saddles, components, find_saddles, link


def noise(seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.random.default_rng(seed).normal(0, 1, (540, 960)).astype(np.float32)


def test_saddles_that_hang_together_are_counted_as_by_walking_over_links() -> None:
    links = link(find_saddles(noise(3)))
    sizes = np.zeros(len(links), dtype=int)
    for seed in range(len(links)):
        reached, border = {seed}, [seed]
        for here in border:
            for there in set(links[here][links[here] >= 0].tolist()) - reached:
                reached.add(there)
                border.append(there)
        sizes[seed] = len(reached)
    assert lattice._hanging_together(links).tolist() == sizes.tolist()


def test_of_noise_only_large_patches_are_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise links hundreds of saddles to pairs and threes."""
    saddles = find_saddles(noise(4))
    links = link(saddles)
    walk, walks = lattice._walk, 0

    def counted(saddles: Saddles, links: Indices, seed: int) -> dict[int, tuple[int, int]]:
        nonlocal walks
        walks += 1
        return walk(saddles, links, seed)

    monkeypatch.setattr(lattice, "_walk", counted)
    patches = components(saddles, links)
    assert len(saddles.pixels) == lattice.MOST_SADDLES
    assert walks < 60
    assert all(len(numbers) >= lattice.FEWEST_IN_PATCH for numbers, _ in patches)
