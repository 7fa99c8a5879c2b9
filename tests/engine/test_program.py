"""The kernels run compiled and plain, with the same results; what was compiled once is not compiled again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from damludo.engine.layout import layout_of
from damludo.engine.port import Limits
from damludo.engine.program import can_compile, program_of
from damludo.engine.search import AlphaBeta
from damludo.engine.writing import ONE_WORD, PLAIN, TWO_WORDS, source_of
from damludo.rules.game import Game
from damludo.rules.variants import VARIANTS, variant

needs_numba = pytest.mark.skipif(not can_compile(), reason="numba is not installed here")

PLAY = """
import json, sys
from damludo.engine.port import Limits
from damludo.engine.program import can_compile
from damludo.engine.search import AlphaBeta
from damludo.rules.game import Game
from damludo.rules.variants import variant

said = []
choice = AlphaBeta(Limits(nodes=4_000), compiled=can_compile(), report=said.append).choose(Game.new(variant("alquerque")))
loaded = [value for name in list(sys.modules) if name.startswith("damludo_") for value in vars(sys.modules[name]).values()]
compiled = [value.stats for value in loaded if hasattr(value, "stats")]
print(json.dumps({
    "move": [choice.move.origin, *choice.move.path], "score": choice.score, "nodes": choice.nodes, "said": said,
    "misses": sum(sum(stats.cache_misses.values()) for stats in compiled),
    "hits": sum(sum(stats.cache_hits.values()) for stats in compiled),
    "numba": sys.modules.get("numba") is not None,
}))
"""


def _play(package: Path, cache: Path, before: str = "", **environment: str) -> dict[str, object]:
    """Let a fresh process choose a move with the package found below a folder."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "NUMBA_DISABLE_JIT")}
    done = subprocess.run(
        [sys.executable, "-c", f"{before}\n{PLAY}"],
        check=True,
        capture_output=True,
        text=True,
        env={**kept, "PYTHONPATH": str(package), "XDG_CACHE_HOME": str(cache), **environment},
    )
    result: dict[str, object] = json.loads(done.stdout)
    return result


@pytest.fixture
def names(root: Path) -> Path:
    """The folder below which the checkout is found as `damludo`."""
    return root / ".names"


@needs_numba
@pytest.mark.slow
def test_the_second_start_compiles_nothing_and_plays_the_same(names: Path, root: Path, tmp_path: Path) -> None:
    """The first start is that of a package in a folder that cannot be written."""
    package = tmp_path / "damludo"
    for part in ("rules", "engine"):
        shutil.copytree(root / part, package / part, ignore=shutil.ignore_patterns("__pycache__"))
    folders = [package, *(path for path in package.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        first = _play(tmp_path, tmp_path / "cache", PYTHONDONTWRITEBYTECODE="1")
    finally:
        for folder in folders:
            folder.chmod(0o755)
    second = _play(names, tmp_path / "cache")
    without = _play(names, tmp_path / "cache", NUMBA_DISABLE_JIT="1")
    for ending in ("*moves*.perft-*.nbi", "*moves*.generate-*.nbc"):
        (file,) = (tmp_path / "cache").rglob(ending)
        file.write_bytes(file.read_bytes()[:20])
    after_a_power_cut = _play(names, tmp_path / "cache")

    assert first["misses"]
    assert list(package.rglob("*.nb?")) == []
    assert first["said"] != []
    assert (second["misses"], second["said"]) == (0, [])
    assert second["hits"]
    for what in ("move", "score", "nodes"):
        assert first[what] == second[what] == without[what] == after_a_power_cut[what]
    assert after_a_power_cut["misses"]
    assert after_a_power_cut["said"] == first["said"]
    assert _play(names, tmp_path / "cache")["misses"] == 0


MISSING = "import sys; sys.modules['numba'] = None"
UNFIT = "import sys; sys.path.insert(0, {folder!r})"


@pytest.mark.parametrize("before", [MISSING, UNFIT])
def test_without_a_numba_that_works_the_engine_plays_all_the_same(before: str, names: Path, tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('numba needs another numpy')")

    played = _play(names, tmp_path, before=before.format(folder=str(tmp_path)))

    assert played["numba"] is False
    choice = AlphaBeta(Limits(nodes=4_000), compiled=False).choose(Game.new(variant("alquerque")))
    assert played["move"] == [choice.move.origin, *choice.move.path]


def test_an_unwritable_cache_is_replaced_by_a_temporary_folder(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file where the cache folder should be")
    code = "from damludo.engine.program import cache_folder; print(cache_folder())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(taken), "TMPDIR": str(tmp_path)},
    )

    assert Path(done.stdout.strip()).is_relative_to(tmp_path)


@pytest.mark.parametrize("key", VARIANTS)
def test_no_name_of_a_constant_is_left_in_what_is_written(key: str) -> None:
    for part in ("moves", "search"):
        for form in (ONE_WORD, PLAIN):
            text = source_of(variant(key), part, form)
            assert "HAS_KINGS" not in text
            assert "DRAWISH" not in text
            compile(text, key, "exec")


def test_the_large_board_lies_in_two_words() -> None:
    assert layout_of(variant("canadian").board).width == 78
    assert "UniTuple(int64, 2)" in source_of(variant("canadian"), "moves", TWO_WORDS)


def test_plain_kernels_are_made_once() -> None:
    assert program_of(variant("alquerque"), False) is program_of(variant("alquerque"), False)
