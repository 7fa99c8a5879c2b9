"""The firmware's own tests: its parts, the whole of it on virtual time under the sanitizers, and a run of the fuzzers."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.simulation

EXACT_MOVES = 10_000


def _make(root: Path, *arguments: str) -> str:
    compiler = "clang++" if "run-fuzz" in arguments else "c++"
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}: make system")
    done = subprocess.run(
        ["make", "-C", str(root / "firmware"), "CXX=c++", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


@pytest.mark.slow
def test_parts_and_whole_hold_under_the_sanitizers(root: Path) -> None:
    told = _make(root, "check", f"MOVES={EXACT_MOVES}")
    assert "units: all hold" in told
    assert "machine: all hold" in told
    bars = re.findall(r"over the formula: ([\d.]+) \(bar ([\d.]+)\)", told)
    assert len(bars) == 3
    assert all(float(value) <= float(bar) for value, bar in bars)


@pytest.mark.slow
def test_a_short_fuzzing_finds_nothing(root: Path) -> None:
    """Ten minutes of each target were run before the corpus was stored; CI watches that nothing new breaks."""
    told = _make(root, "run-fuzz", "FUZZ_SECONDS=15")
    assert told.count("stat::number_of_executed_units") == 2


def test_the_kept_corpus_is_not_empty(root: Path) -> None:
    assert len(list((root / "firmware" / "fuzz" / "corpus").iterdir())) >= 20
