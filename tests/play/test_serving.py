"""A game through the real device paths: pyserial on a pseudo-terminal, OpenCV on an http stream, at wall-clock pace."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from damludo.play.journal import read_journal

pytestmark = pytest.mark.simulation


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Any]:
    """Start `damludo simulate --serve` and give what it prints."""
    command = [sys.executable, "-m", "damludo.play.cli", "--home", str(tmp_path), "simulate", "--serve", "--json"]
    command += ["--game", "english", "--seed", "7", "--human", "random+fast", "--speed", "3"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        if process.stdout is not None:
            process.stdout.close()


@pytest.mark.slow
def test_a_whole_game_is_played_over_a_served_table(served: Any, tmp_path: Path) -> None:
    home = tmp_path / "player"
    command = [sys.executable, "-m", "damludo.play.cli", "--home", str(home), "play", "--game", "english"]
    command += ["--machine", "black", "--level", "6", "--serial", served["serial"], "--camera", served["camera"]]
    command += ["--calibration", served["calibration"]]
    # An open standard input without a word: the person sits at the table, not at the keyboard.
    reader, writer = os.pipe()
    played = subprocess.run(command, stdin=reader, capture_output=True, text=True, timeout=900, check=False)
    os.close(writer)
    os.close(reader)
    assert played.returncode == 0, played.stderr
    (journal,) = (home / "data" / "journals").iterdir()
    events = [entry["event"] for entry in read_journal(journal).entries]
    assert events[-1] == "result", played.stdout[-2000:]
    assert "illegal" not in events
    assert events.count("move") > 20
