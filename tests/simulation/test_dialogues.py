"""Dialogues with the simulated controller, from the tables in `dialogues/`.

A table holds dialogues; each starts with `== title` on a freshly opened port whose greeting was read.
    -> text        send a line                  <- text        the next line is this
    => 0x18        send one real-time byte      <~ pattern     the next line matches this
    .. seconds     wait                         <. seconds     nothing comes for so long
    @ home         home and check the answer    @ fault name n ask for a fault
    @ open         open the port anew           # comment
The form is free of our own code, so that other controllers can be held against the same tables.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from damludo.robot.errors import LineSilent
from damludo.simulation.transport import MemoryLine

pytestmark = pytest.mark.simulation

TABLES = Path(__file__).parent / "dialogues"


def _dialogues() -> list[Any]:
    found = []
    for path in sorted(TABLES.glob("*.txt")):
        for part in re.split(r"^== ", path.read_text(encoding="ascii"), flags=re.MULTILINE)[1:]:
            title, _, body = part.partition("\n")
            found.append(pytest.param(body, id=f"{path.stem}: {title}"))
    return found


def test_there_are_at_least_forty_dialogues() -> None:
    assert len(_dialogues()) >= 40


@pytest.mark.parametrize("body", _dialogues())
def test_the_controller_answers_as_in_the_table(body: str, make_machine: Callable[..., Any]) -> None:
    stage = _Stage(make_machine())
    for number, line in enumerate(body.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            stage.play(*_parts(line), f"line {number}: {line}")
    stage.nothing_left()


def _parts(line: str) -> tuple[str, str]:
    kind, _, text = line.partition(" ")
    return kind, text


class _Stage:
    def __init__(self, machine: Any) -> None:
        self.machine = machine
        self.line: MemoryLine = machine.line
        self._greeting()

    def _greeting(self) -> None:
        assert [self.line.receive(1.0) for _ in range(3)] == [
            "",
            "Grbl 1.1h ['$' for help]",
            "[MSG:'$H'|'$X' to unlock]",
        ]

    def play(self, kind: str, text: str, where: str) -> None:
        if kind == "->":
            self.line.send(text)
        elif kind == "=>":
            self.line.realtime(int(text, 16) if text.startswith("0x") else ord(text))
        elif kind == "<-":
            assert self.line.receive(30.0) == text, where
        elif kind == "<~":
            answer = self.line.receive(30.0)
            assert re.fullmatch(text, answer), f"{where}; came: {answer}"
        elif kind == "<.":
            with pytest.raises(LineSilent):
                pytest.fail(f"{where}; came: {self.line.receive(float(text))}")
        elif kind == "..":
            world = self.machine.world
            world.advance_to(world.time_s + float(text))
        else:
            assert kind == "@", where
            self._do(text)

    def _do(self, text: str) -> None:
        name, *rest = text.split()
        controller = self.machine.controller
        if name == "home":
            self.line.send("$H")
            assert self.line.receive(30.0) == "ok"
        elif name == "fault":
            controller.faults.ask(rest[0], float(rest[1]))
        else:
            assert name == "open"
            self.line = MemoryLine(self.machine.world, controller)

    def nothing_left(self) -> None:
        with pytest.raises(LineSilent):
            pytest.fail(f"one line too many: {self.line.receive(0.5)}")
