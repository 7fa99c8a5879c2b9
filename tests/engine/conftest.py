"""Foreign engines that behave as badly as real ones, as scripts in their own processes."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

WELL_BEHAVED = """
import sys
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word == "hub":
        print('id name="Test engine" version=1 author=us country=-')
        print('param name=variant value=normal type=enum values="normal english"')
        print("wait")
    elif word == "init":
        print("ready")
    elif word == "ping":
        print("pong")
    elif word == "quit":
        break
    elif word == "go":
        {go}
    sys.stdout.flush()
"""

Script = Callable[..., str]


@pytest.fixture
def engine_script(tmp_path: Path) -> Script:
    """Return a function that writes an engine and returns its command: `go` is what it does when it is asked for a move."""

    def write(go: str = "pass", source: str = WELL_BEHAVED) -> str:
        path = tmp_path / f"engine{len(list(tmp_path.iterdir()))}.py"
        path.write_text(source.format(go=go) if source is WELL_BEHAVED else source, encoding="utf-8")
        return f"{sys.executable} -I {path}"

    return write
