"""What the fuzzer found worth keeping stays harmless."""

import runpy
from pathlib import Path

import pytest

TARGETS = runpy.run_path(str(Path(__file__).parent / "targets.py"))


@pytest.mark.parametrize("target", TARGETS["TARGETS"])
def test_no_seed_breaks_a_promise(target: str) -> None:
    seeds = TARGETS["seeds"](target)
    for seed in seeds:
        TARGETS["hold_to_limits"](target, seed)
    assert len(seeds) == len(set(seeds)) > 5
