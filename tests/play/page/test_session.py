"""`damludo play --sim` as a browser meets it: moves by hand over the simulated table, taking back, another game."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from damludo.play.records.journal import read_journal

pytestmark = [pytest.mark.simulation, pytest.mark.slow]

PATIENCE_S = 120.0
Ready = Callable[[Any], bool]


@dataclass
class Browser:
    """A page that follows the state and moves discs."""

    socket: ClientConnection
    state: Any = None
    epoch: str = ""
    given: int = 0
    said: list[str] = field(default_factory=list)

    def until(self, ready: Ready) -> Any:
        """Follow until a state is as wanted; where the machine sees a hand that is not there, tell it so."""
        end_s = time.monotonic() + PATIENCE_S
        while self.state is None or not ready(self.state):
            assert time.monotonic() < end_s, self.said
            try:
                message = json.loads(self.socket.recv(timeout=5.0))
            except TimeoutError:
                continue
            if message["kind"] == "state":
                self.state, self.epoch = message["state"], message["epoch"]
                self.said.append(self.state["say"]["text"])
                if any(choice["id"] == "go" for choice in self.state["say"]["choices"]):
                    self.give("answer", choice="go")
        return self.state

    def give(self, command: str, **more: Any) -> None:
        self.given += 1
        text = json.dumps({"id": f"c{self.given}", "epoch": self.epoch, "command": command, **more})
        self.socket.send(text)

    def drag(self, source: str, target: str) -> None:
        for action, name in (("press", source), ("move", target), ("release", target)):
            self.give("hand", action=action, at={"board": self._middle(name)})

    def _middle(self, name: str) -> list[float]:
        square = next(square for square in self.state["game"]["squares"] if square["name"] == name)
        side = self.state["game"]["square_mm"]
        return [(square["column"] + 0.5) * side, (square["row"] + 0.5) * side]


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Any]:
    """Start the program; give it and the address of its page."""
    options = ["--game", "damludo", "--level", "1", "--web-port", "0", "--no-browser", "--speed", "3"]
    command = [sys.executable, "-m", "damludo.play.cli", "--home", str(tmp_path), "play", "--sim", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = next(line for line in process.stdout if line.startswith("The page at the table: "))
            yield process, address.split(": ", 1)[1].strip()
        finally:
            process.kill()


def _open(address: str) -> ClientConnection:
    origin = Origin(address.rstrip("/"))
    return connect(address.replace("http", "ws", 1) + "events", origin=origin, compression=None, ping_interval=None)


def test_a_person_plays_takes_back_and_begins_another_game_on_the_page(played: Any, tmp_path: Path) -> None:
    process, address = played
    with _open(address) as first:
        page = Browser(first)
        page.until(lambda state: state["turn"] == "you")
        page.drag("c3", "d4")
        state = page.until(lambda state: len(state["moves"]) == 2 and state["turn"] == "you")
        assert state["moves"][0]["text"] == "c3-d4"
        assert "d4" in state["position"]

        with _open(address) as second:
            assert Browser(second).until(lambda state: True)["position"] == state["position"]

        page.give("take_back")
        state = page.until(lambda state: state["moves"] == [] and state["turn"] == "you")
        assert "c3" in state["position"]
        assert "d4" not in state["position"]

        page.give("new_game", game="thai", level=1, side="black")
        state = page.until(lambda state: state["game"]["key"] == "thai" and state["turn"] == "you")
        assert (state["you"], state["flipped"], len(state["moves"])) == ("black", True, 1)
    process.communicate("quit\n", timeout=60)
    assert process.returncode == 0
    _check_journals(tmp_path / "data" / "journals")


def _check_journals(folder: Path) -> None:
    damludo, thai = (read_journal(path) for path in sorted(folder.iterdir()))
    kinds = [entry["event"] for entry in damludo.entries]
    assert kinds.count("move") == 2, "what was taken back stays"
    assert kinds[kinds.index("taken_back") + 1] == "turn"
    assert [entry["event"] for entry in thai.entries].count("move") == 1
    assert (damludo.cut_bytes, thai.cut_bytes) == (0, 0)
