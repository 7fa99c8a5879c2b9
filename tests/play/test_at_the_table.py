"""What comes before and after a match at the table: settings, the page's port, a board that is not set up yet, the next game."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from damludo.play.at_the_table import WebChoice, _EitherCommands, _Elsewhere, _first_game, _page, _Session
from damludo.play.cli import main
from damludo.play.folders import folders
from damludo.play.match.loop import Match
from damludo.play.match.ports import Command, NewGame, Order
from damludo.play.page.page import Page, open_page
from damludo.play.settings import PlaySettings
from damludo.play.table.simulated import SimulatedTable, set_table
from damludo.play.table_parts import Sitting, TableParts
from damludo.play.terminal import Terminal
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock
from damludo.vision.errors import BoardNotFound

pytestmark = pytest.mark.simulation

WANTED = NewGame("english", 1, Colour.BLACK)


@pytest.fixture
def page() -> Iterator[Page]:
    with open_page(0, variant("english"), Colour.WHITE, 1, simulation=True) as page:
        yield page


def _session(page: Page, simulated: SimulatedTable, home: Path, terminal: Terminal) -> _Session:
    clock = LockstepClock(simulated.world)
    no_gantry: Any = None  # finding the board needs none
    parts = TableParts(simulated.layout, simulated.camera(), no_gantry, clock, no_gantry)
    return _Session(Sitting(WANTED), folders(str(home)), page, terminal, parts)


def _disordered() -> SimulatedTable:
    simulated = set_table(variant("english"), 1, Colour.WHITE)
    for disc in simulated.table.discs[:20]:
        disc.x_mm += 600.0
    simulated.table.version += 1
    return simulated


def test_the_first_game_needs_its_board_set_up(page: Page, tmp_path: Path) -> None:
    with pytest.raises(BoardNotFound):
        _session(page, _disordered(), tmp_path, Terminal())._find_board(patient=False)


def test_for_the_next_game_the_board_is_waited_for(page: Page, tmp_path: Path) -> None:
    simulated, terminal = _disordered(), Terminal()
    session = _session(page, simulated, tmp_path, terminal)
    said: list[str] = []

    def set_up_then(text: str, *_: object, **__: object) -> None:
        said.append(text)
        if len(said) == 2:
            for disc in simulated.table.discs[:20]:
                disc.x_mm -= 600.0
            simulated.table.version += 1

    page.tell = lambda clock, *told, **more: set_up_then(*told, **more)  # type: ignore[method-assign]
    session._find_board(patient=True)
    assert said[1].startswith("Please set up the board for a game of English draughts; I do not see it yet: ")


def test_who_leaves_while_the_board_is_waited_for_leaves(page: Page, tmp_path: Path) -> None:
    terminal = Terminal()
    terminal.typed("quit")
    with pytest.raises(_Elsewhere) as left:
        _session(page, _disordered(), tmp_path, terminal)._find_board(patient=True)
    assert left.value.wanted is None


class _Orders:
    def __init__(self, *orders: Order) -> None:
        self._orders = list(orders)

    def poll(self) -> Order | None:
        return self._orders.pop(0) if self._orders else None


def test_who_interrupts_a_match_is_told_where_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(match: Match) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Match, "run", interrupted)
    # A keyboard at which nobody types: the end of the input would end the match.
    typed, keyboard = os.pipe()
    with os.fdopen(typed) as stdin:
        with os.fdopen(keyboard, "w"):
            monkeypatch.setattr("sys.stdin", stdin)
            told = ["--home", str(tmp_path), "play", "--sim", "--speed", "20", "--web-port", "0", "--no-browser"]
            assert main(told) == 130
        for reader in (thread for thread in threading.enumerate() if thread.name == "terminal"):
            reader.join(10.0)
    (kept,) = (tmp_path / "data" / "journals").iterdir()
    assert f"The game is kept in {kept}" in capsys.readouterr().out


def test_commands_come_from_everybody() -> None:
    commands = _EitherCommands((_Orders(Command.GO), _Orders(Command.HINT, Command.QUIT)))
    assert [commands.poll() for _ in range(4)] == [Command.GO, Command.HINT, Command.QUIT, None]


def test_after_a_game_the_table_looks_on_until_another_one_is_wanted(page: Page, tmp_path: Path) -> None:
    session = _session(page, _disordered(), tmp_path, Terminal())
    thai, looks = NewGame("thai", 2, Colour.WHITE), list[int]()
    session._commands = _EitherCommands((_Orders(Command.GO, Command.RESIGN, thai, Command.QUIT),))
    assert session._wait_for_order(lambda: looks.append(1)) == thai
    assert session._wait_for_order(lambda: looks.append(1)) is None
    assert len(looks) == 4


@pytest.mark.parametrize(
    "settings",
    [
        PlaySettings(machine="red"),
        PlaySettings(level=11),
        PlaySettings(clock="soon"),
        PlaySettings(game="chess"),
        PlaySettings(ponder="maybe"),
    ],
    ids=lambda settings: settings.game + settings.machine + settings.clock,
)
def test_a_setting_that_cannot_be_is_said_before_anything_moves(settings: PlaySettings) -> None:
    with pytest.raises(Exception, match=r"must be|level|not understood|chess"):
        _first_game(settings)


def test_a_taken_port_is_said_with_the_one_that_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with _page(WebChoice(port, browser=False), WANTED, simulation=True) as page:
            assert (
                capsys.readouterr().out
                == f"The page at the table: http://127.0.0.1:{page.port}/ (port {port} is taken)\n"
            )
