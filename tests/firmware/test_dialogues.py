"""One table of dialogues for every controller: the model in Python, the firmware on this computer, the flashed image.

The tables in `dialogues/` hold dialogues; each starts with `== title` on a freshly opened port whose greeting was read.
    -> text        send a line                  <- text        the next line is this
    -] text        send it without a line end   <~ pattern     the next line matches this
    => 0x18        send one real-time byte      <. seconds     nothing comes for so long
    .. seconds     wait                         # comment
    @ home         home and check the answer    @ fault name n ask for a fault
    @ open         open the port anew           @ magnet on|off  the pin of the magnet is so
    @ press BUTTON... hold these buttons pressed (reset, hold, resume), and no others
    -N id text     send a numbered line with its check sum
A title that ends in `(python)`, or in `(avr native)`, is for those controllers alone; everything else holds for all.
The form is free of our own code, so that foreign controllers can be held against the same tables.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from damludo.robot.errors import LineSilent
from damludo.simulation.controllers import CONTROLLERS

pytestmark = pytest.mark.simulation

TABLES = Path(__file__).parent / "dialogues"


def _dialogues() -> list[Any]:
    found = []
    for path in sorted(TABLES.glob("*.txt")):
        for part in re.split(r"^== ", path.read_text(encoding="ascii"), flags=re.MULTILINE)[1:]:
            title, _, body = part.partition("\n")
            alone = re.search(r"\(((?:python|native|avr| )+)\)$", title)
            for kind in alone[1].split() if alone else CONTROLLERS:
                found.append(pytest.param(kind, body, id=f"{kind}: {path.stem}: {title}"))
    return found


def test_there_are_at_least_eighty_dialogues_for_all_controllers() -> None:
    titles = [str(dialogue.id).partition(": ") for dialogue in _dialogues()]

    common = set.intersection(*({title for kind, _, title in titles if kind == wanted} for wanted in CONTROLLERS))
    assert len(common) >= 80


@pytest.mark.parametrize(("kind", "body"), _dialogues())
def test_the_controller_answers_as_in_the_table(kind: str, body: str, make_bench: Callable[[str], Any]) -> None:
    stage = _Stage(make_bench(kind))
    for number, line in enumerate(body.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            word, _, text = line.partition(" ")
            stage.play(word, text, f"line {number}: {line}")
    stage.nothing_left()


def _check_sum(data: bytes) -> int:
    """CRC-16/CCITT-FALSE by long division of the bits: another way than the controllers go."""
    bits = int.from_bytes(bytes((data[0] ^ 0xFF, data[1] ^ 0xFF)) + data[2:] + b"\0\0")
    for place in range(8 * len(data) - 1, -1, -1):
        if bits >> place + 16 & 1:
            bits ^= 0x11021 << place
    return bits


def test_the_check_sum_is_that_of_the_catalogue() -> None:
    assert _check_sum(b"123456789") == 0x29B1


class _Stage:
    def __init__(self, bench: Any) -> None:
        self.bench = bench
        assert [bench.line.receive(1.0) for _ in range(3)] == [
            "",
            "Grbl 1.1h ['$' for help]",
            "[MSG:'$H'|'$X' to unlock]",
        ]

    def play(self, kind: str, text: str, where: str) -> None:
        line = self.bench.line
        if kind == "->":
            line.send(text)
        elif kind == "-N":
            number, _, command = text.partition(" ")
            body = f"N{number} {command}"
            line.send(f"{body}*{_check_sum(body.encode()):04X}")
        elif kind == "-]":
            for letter in text:
                line.realtime(ord(letter))
        elif kind == "=>":
            line.realtime(int(text, 16) if text.startswith("0x") else ord(text))
        elif kind == "<-":
            assert self._next(where) == text, where
        elif kind == "<~":
            answer = self._next(where)
            assert re.fullmatch(text, answer), f"{where}; came: {answer}"
        elif kind == "<.":
            with pytest.raises(LineSilent):
                pytest.fail(f"{where}; came: {line.receive(float(text))}")
        elif kind == "..":
            self.bench.wait(float(text))
        else:
            assert kind == "@", where
            self._do(text, where)

    def _next(self, where: str) -> str:
        try:
            return str(self.bench.line.receive(30.0))
        except LineSilent:
            pytest.fail(f"{where}; nothing came")

    def _do(self, text: str, where: str) -> None:
        name, *rest = text.split()
        if name == "home":
            assert self.bench.ask("$H") == ["ok"], where
        elif name == "fault":
            self.bench.controller.faults.ask(rest[0], float(rest[1]))
        elif name == "magnet":
            edges = self.bench.axes.magnet
            assert (bool(edges) and edges[-1][1]) == (rest[0] == "on"), where
        elif name == "press":
            self.bench.controller.press(*rest)
        else:
            assert name == "open", where
            self.bench.open()

    def nothing_left(self) -> None:
        with pytest.raises(LineSilent):
            pytest.fail(f"one line too many: {self.bench.line.receive(0.5)}")
