"""What the terminal answers to typed lines."""

import io
import os
from pathlib import Path

import pytest

from damludo.play.match.ports import Command, SetPosition
from damludo.play.terminal import Terminal
from damludo.rules.fen import format_fen, parse_fen
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


def _typed(line: str, fen: str = "W:Wc3,g1:Bf6,h8") -> tuple[object, str]:
    """Return the order that a line becomes in a position, and what is answered."""
    output = io.StringIO()
    terminal = Terminal(output)
    rules = variant("damludo")
    game = Game.new(rules, parse_fen(rules, fen))
    terminal.follow(lambda: game, Colour.WHITE)
    terminal.typed(line)
    return terminal.poll(), output.getvalue()


@pytest.mark.parametrize(
    ("line", "fen"),
    [
        ("set e5=B c3=.", "W:Wg1:BKe5,f6,h8"),
        ("set C3=. D4=w to=b", "B:Wg1,d4:Bf6,h8"),
        ("set W:Wa1:Bh8", "W:Wa1:Bh8"),
    ],
)
def test_what_truly_stands_is_typed_as_changes_or_whole(line: str, fen: str) -> None:
    order, answer = _typed(line)
    assert isinstance(order, SetPosition)
    assert (format_fen(variant("damludo"), order.position), answer) == (fen, "")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("set", "or the whole position, like  set W:Wg1,c3:Bf6,h8"),
        ("set e5=z", "This cannot be: 'e5=z' is no change like e5=b"),
        ("set e4=b", "This cannot be: e4 is not a square"),
        ("set d8=w", "This cannot be: no white man can stand on d8: there it becomes a white king."),
        ("set c3", "This cannot be: "),
    ],
)
def test_a_position_that_cannot_be_is_answered_at_once(line: str, answer: str) -> None:
    order, told = _typed(line)
    assert order is None
    assert answer in told
