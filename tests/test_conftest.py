"""The rules about skipped tests hold: they are what makes CI trustworthy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = """
import pytest

def test_passes(): pass

def test_needs_what_is_not_there(test_data): pass

@pytest.mark.hardware
def test_with_hardware(): raise AssertionError
"""
WHOLE_MODULE = "import pytest\npytest.skip('no camera here', allow_module_level=True)\n"


def _pytest(root: Path, folder: Path, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text((root / "tests" / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "test_example.py").write_text(text, encoding="utf-8")
    settings = folder / "pytest.ini"
    settings.write_text("[pytest]\nmarkers = hardware: real\n", encoding="utf-8")
    kept = {key: value for key, value in os.environ.items() if key != "DAMLUDO_REQUIRE"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", str(settings), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={**kept, "DAMLUDO_TEST_DATA": str(folder / "missing"), **environment},
    )


def test_missing_test_data_skip_with_the_reason(root: Path, tmp_path: Path) -> None:
    done = _pytest(root, tmp_path, EXAMPLE)

    assert done.returncode == 0
    assert "1 passed, 1 skipped, 1 deselected" in done.stdout


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        pytest.param(EXAMPLE, "1 passed, 1 deselected, 1 error", id="a fixture that skips"),
        pytest.param(
            EXAMPLE.replace("(test_data): pass", "(): pytest.skip('why')"),
            "1 failed, 1 passed, 1 deselected",
            id="a test",
        ),
        pytest.param(WHOLE_MODULE, "1 error", id="a module"),
    ],
)
def test_a_skip_is_a_failure_where_everything_is_required(root: Path, tmp_path: Path, text: str, counts: str) -> None:
    done = _pytest(root, tmp_path, text, DAMLUDO_REQUIRE="all")

    assert done.returncode != 0
    assert counts in done.stdout
