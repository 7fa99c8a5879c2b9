"""A game through the real device paths: pyserial on a pseudo-terminal, OpenCV on an http stream, at wall-clock pace."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from damludo.play.records.journal import read_journal

pytestmark = pytest.mark.simulation

DAMLUDO = [sys.executable, "-m", "damludo.play.cli"]
WAITS = "I wait: take your hand off the board."
PATIENCE_S = 8.0
"""The person at the keyboard says that no hand is there after this time."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Any]:
    """Start `damludo simulate --serve` and give what it prints."""
    options = ["--game", "english", "--seed", "7", "--human", "random+fast", "--speed", "1.5"]
    command = [*DAMLUDO, "--home", str(tmp_path), "simulate", "--serve", "--json", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(timeout=20) == 130
        finally:
            process.kill()
            process.stdout.close()


@pytest.mark.slow
def test_a_whole_game_is_played_over_a_served_table(served: Any, tmp_path: Path) -> None:
    home = tmp_path / "player"
    options = ["--game", "english", "--machine", "black", "--level", "6"]
    devices = ["--serial", served["serial"], "--camera", served["camera"], "--calibration", served["calibration"]]
    said, code = _watched([*DAMLUDO, "--home", str(home), "play", *options, *devices], limit_s=600)
    assert code == 0, said[-2000:]
    (journal,) = (home / "data" / "journals").iterdir()
    events = [entry["event"] for entry in read_journal(journal).entries]
    assert events[-1] == "result", said[-2000:]
    assert "illegal" not in events
    assert events.count("move") > 20


def _watched(command: list[str], limit_s: float) -> tuple[str, int]:
    """Run a match with a person at the keyboard who says "go" when it waits too long for a hand that is not there."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    keyboard, screen, said = process.stdin, process.stdout, []

    def go() -> None:
        with suppress(OSError):  # the match may end in this very moment
            keyboard.write("go\n")
            keyboard.flush()

    end = threading.Timer(limit_s, process.kill)
    end.start()
    patience = threading.Timer(PATIENCE_S, go)
    for line in screen:
        said.append(line)
        patience.cancel()
        if line.startswith(WAITS):
            patience = threading.Timer(PATIENCE_S, go)
            patience.start()
    code = process.wait()
    for timer in (patience, end):
        timer.cancel()
        if timer.ident is not None:
            timer.join()
    with suppress(OSError):  # a word that nobody read any more
        keyboard.close()
    screen.close()
    return "".join(said), code
