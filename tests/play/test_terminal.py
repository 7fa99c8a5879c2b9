"""What the terminal answers to typed lines."""

import io
import os
from pathlib import Path

import pytest

from damludo.play.match.ports import Command
from damludo.play.terminal import Terminal
from damludo.rules.game import Game
from damludo.rules.position import Colour
from damludo.rules.variants import variant


@pytest.mark.parametrize(
    ("human", "answer"),
    [
        (Colour.WHITE, "a3-b4, c3-b4, c3-d4, e3-d4, e3-f4, g3-f4, g3-h4\n"),
        (Colour.BLACK, "It is the machine's turn; your moves are listed in yours.\n"),
    ],
)
def test_moves_lists_those_of_the_person_alone(human: Colour, answer: str) -> None:
    output = io.StringIO()
    terminal = Terminal(output)
    game = Game.new(variant("damludo"))
    terminal.follow(lambda: game, human)

    terminal.typed("moves")

    assert output.getvalue() == answer


def test_the_end_of_the_input_ends_the_match_but_a_service_has_no_input(tmp_path: Path) -> None:
    (tmp_path / "nothing").touch()
    for source, command in ((tmp_path / "nothing", Command.QUIT), (Path(os.devnull), None)):
        terminal = Terminal(io.StringIO())
        with source.open(encoding="utf-8") as lines:
            terminal.read_lines(lines).join(10.0)
        assert terminal.poll() == command
