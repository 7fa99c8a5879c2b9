"""`damludo play`: games with a person, over a real table or over the simulated one behind a real serial port."""

import contextlib
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from damludo.play.choreography import Racks
from damludo.play.clock import WallClock
from damludo.play.console import CommandError, ExitCode
from damludo.play.content import SPARE_DISCS, layout_for
from damludo.play.devices import profile_of_port
from damludo.play.events import Listener, fan_out
from damludo.play.folders import Folders
from damludo.play.journal import open_journal
from damludo.play.match import Match, MatchSettings
from damludo.play.page.page import Page, open_page
from damludo.play.page.pictures import NewestFrame, table_json
from damludo.play.ports import Clock, Command, Commands, Eyes, NewGame, Order
from damludo.play.settings import BoardSettings, PlaySettings
from damludo.play.setup import CalibratedEyes, calibrate_eyes, guarded_arm, machine_player, show_carriage
from damludo.play.simulated import measured_map, set_table
from damludo.play.terminal import Terminal
from damludo.play.timekeeping import parse_time_control
from damludo.play.touching import TouchMode, TouchRule
from damludo.play.typed_moves import TypedMoves
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import RobotError
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry
from damludo.robot.places import TableLayout
from damludo.robot.serial_line import SerialLine
from damludo.rules.game import Game
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.rules.variants import variant
from damludo.simulation.clock import PacedClock
from damludo.simulation.guided import GuidedHand
from damludo.simulation.realtime import RealTime
from damludo.simulation.transport import PseudoTerminal
from damludo.vision.camera import open_source
from damludo.vision.content import BoardSizes
from damludo.vision.errors import BoardNotFound, VisionError
from damludo.vision.frame import FrameSource

HOMING = "The gantry finds its home: keep your hands off the table."
HURRY = 10.0
"""A simulated table is made ready so many times faster than a real one: nobody is there to be hurt."""
LAG_S = 0.15
"""Of simulated time: two pictures of a match that waits for a hand."""
SEARCH_AGAIN_S = 1.0
"""Between two looks for a board that is being set up."""
NEXT_ORDER_HZ = 10.0
HINT_LEVEL = 7
"""Hints are of at least this level; it needs well below a second."""


@dataclass(frozen=True, slots=True)
class WebChoice:
    """Where the page is served; `browser`: open it too."""

    port: int
    browser: bool


@dataclass(frozen=True, slots=True)
class TableParts:
    """What a match is played with.

    Attributes:
        board_map: gives the map from board to gantry, once the gantry has told its settings.
        white_at: the side of the picture where White's rank 1 lies, None: found from the start position.
        typed, guided: carry out what is typed, or led on the page, where there is no hand; None on a real table.
        time: lets a simulated table live; None on a real one.
        truth: tells the page where the things of a simulated table are; None on a real one.
    """

    layout: TableLayout
    source: FrameSource
    gantry: Gantry
    clock: Clock
    board_map: Callable[[Gantry], GantryMap]
    white_at: str | None = None
    typed: TypedMoves | None = None
    guided: GuidedHand | None = None
    time: RealTime | None = None
    truth: Callable[[], Mapping[str, Any]] | None = None


@contextlib.contextmanager
def simulated_parts(
    variant: Variant, human: Colour, seed: int, speed: float, controller: str = "python"
) -> Iterator[TableParts]:
    """The simulated table, at the pace of the clock on the wall, its controller behind a pseudo-terminal."""
    table = set_table(variant, seed, human, controller)
    clock = PacedClock(table.world)
    typed = TypedMoves(table)
    guided = GuidedHand(typed.hand, table.table)
    table.world.add(guided)
    typed.led_elsewhere = lambda: guided.in_charge
    with (
        contextlib.closing(table.controller),
        RealTime(table.world, speed) as living,
        PseudoTerminal(table.controller, table.world) as port,
        Gantry(SerialLine(port.path), GRBL, clock) as gantry,
    ):
        yield TableParts(
            table.layout,
            table.camera(clock),
            gantry,
            clock,
            lambda gantry: measured_map(table, gantry),
            typed=typed,
            guided=guided,
            time=living,
            truth=lambda: table_json(table.table, table.world.lock),
        )


@contextlib.contextmanager
def real_parts(
    variant: Variant,
    where: Folders,
    board: BoardSettings,
    camera: str,
    port: str,
    calibration: str | None,
    white_at: str | None,
) -> Iterator[TableParts]:
    """A real table: a camera and a controller on a serial port."""
    profile = profile_of_port(port, where, Path(calibration) if calibration else None)
    clock = WallClock()
    layout = layout_for(variant, board.square_mm, board.disc_diameter_mm, board.disc_height_mm)
    with (
        contextlib.closing(open_source(camera, clock=clock)) as source,
        Gantry(SerialLine(port), GRBL, clock, profile.machine) as gantry,
    ):
        yield TableParts(layout, source, gantry, clock, lambda _: profile.board, white_at)


OpenTable = Callable[[Variant, Colour], contextlib.AbstractContextManager[TableParts]]
"""Opens a table for a game and the side that the person plays."""


def play_simulated(
    settings: PlaySettings, where: Folders, web: WebChoice, seed: int, speed: float, controller: str = "python"
) -> int:
    """Play over the simulated table: what is typed, or led on the page, is done by the simulated hand, and then seen."""
    first = _first_game(settings)
    print("SIMULATION: camera, gantry and your hand are simulated.")
    with _page(web, first, simulation=True, speed=speed) as page:
        return _play_on(
            first,
            TouchMode(settings.touch),
            where,
            page,
            lambda game, human: simulated_parts(game, human, seed, page.speed, controller),
        )


def play_real(
    settings: PlaySettings,
    where: Folders,
    web: WebChoice,
    board: BoardSettings,
    camera: str,
    port: str,
    calibration: str | None,
    white_at: str | None,
) -> int:
    """Play over a real table."""
    first = _first_game(settings)
    with _page(web, first, simulation=False) as page:
        return _play_on(
            first,
            TouchMode(settings.touch),
            where,
            page,
            lambda game, human: real_parts(game, where, board, camera, port, calibration, white_at),
        )


def _first_game(settings: PlaySettings) -> NewGame:
    """Return what the settings ask for; a value that does not exist is said before anything moves."""
    if settings.machine not in ("white", "black"):
        raise CommandError(f"play.machine = '{settings.machine}' must be 'white' or 'black'", ExitCode.BAD_INPUT)
    if settings.touch not in list(TouchMode):
        raise CommandError(f"play.touch = '{settings.touch}' must be strict, ask or off", ExitCode.BAD_INPUT)
    machine_player(settings.level, seed=0)
    parse_time_control(settings.clock)
    machine = Colour.WHITE if settings.machine == "white" else Colour.BLACK
    return NewGame(variant(settings.game).key, settings.level, machine, settings.clock)


@contextlib.contextmanager
def _page(web: WebChoice, first: NewGame, *, simulation: bool, speed: float = 1.0) -> Iterator[Page]:
    with contextlib.ExitStack() as stack:
        try:
            page = stack.enter_context(
                open_page(
                    web.port,
                    variant(first.game),
                    first.machine.other,
                    first.level,
                    simulation=simulation,
                    speed=speed,
                )
            )
        except OSError as error:
            raise CommandError(
                f"the page cannot be served at port {web.port} or near it ({error.strerror}); "
                f"name another one with --web-port N",
                ExitCode.USAGE,
            ) from error
        taken = f" (port {web.port} is taken)" if web.port not in (0, page.port) else ""
        print(f"The page at the table: {page.url}{taken}", flush=True)
        if web.browser and _has_display():
            # In a thread of its own: some browsers keep the caller until they are closed.
            threading.Thread(target=webbrowser.open, args=(page.url,), name="browser", daemon=True).start()
        yield page


def _has_display() -> bool:
    """Say whether a browser would open beside the terminal, and not in it."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


@dataclass(frozen=True, slots=True)
class _EitherCommands:
    """`Commands` of everybody who may give some."""

    sources: Sequence[Commands]

    def poll(self) -> Order | None:
        for source in self.sources:
            order = source.poll()
            if order is not None:
                return order
        return None


def _play_on(first: NewGame, touch: TouchMode, where: Folders, page: Page, open_table: OpenTable) -> int:
    """Play one game after the other, as long as another one is wanted."""
    terminal = Terminal()
    terminal.read_lines(sys.stdin)
    wanted: NewGame | None = first
    code = ExitCode.FINE
    while wanted is not None:
        game = variant(wanted.game)
        human = wanted.machine.other
        print(f"{game.names['en']}: you play {human.word}.", flush=True)
        with open_table(game, human) as parts:
            session = _Session(wanted, where, page, terminal, parts, touch)
            try:
                wanted, code = session.play(patient=wanted is not first)
            except (VisionError, RobotError) as error:
                device = "camera" if isinstance(error, VisionError) else "gantry"
                page.fault(parts.clock, error, device)
                if page.was_opened:
                    time.sleep(0.5)  # so that the page still shows why it falls silent
                raise
            finally:
                terminal.leave()
    return code


class _Session:
    """One game at an open table, with what comes before and after it."""

    def __init__(
        self,
        wanted: NewGame,
        where: Folders,
        page: Page,
        terminal: Terminal,
        parts: TableParts,
        touch: TouchMode = TouchMode.ASK,
    ) -> None:
        self._touch = touch
        self._wanted, self._where, self._page, self._terminal, self._parts = wanted, where, page, terminal, parts
        self._game = Game.new(variant(wanted.game))
        self._source = NewestFrame(parts.source)
        self._commands = _EitherCommands((terminal, page))

    def play(self, *, patient: bool) -> tuple[NewGame | None, ExitCode]:
        """Play; return the game that is wanted next and the exit code if it is none.

        Args:
            patient: wait until the board is set up and can be found; otherwise it has to be.
        """
        self._page.prepare(
            self._game.variant,
            self._wanted.machine.other,
            self._wanted.level,
            self._parts.clock,
            self._parts.layout,
            self._parts.gantry.stop,
            HOMING,
        )
        seen = self._make_ready(patient)
        if seen is None:
            return None, ExitCode.FINE
        path = self._where.journals / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{self._game.variant.key}.jsonl"
        with contextlib.closing(open_journal(path)) as journal:
            match, eyes = self._match(seen, journal)
            try:
                result = match.run()
            finally:
                # After Ctrl-C and when a device is lost it matters most.
                print(f"The game is kept in {path}", flush=True)
            wanted = match.wanted
            # Whoever plays in the terminal alone starts the next game there; at the page the table waits for it.
            if result is not None and self._page.was_opened:
                wanted = self._wait_for_order(lambda: eyes.look(NEXT_ORDER_HZ))
        return wanted, ExitCode.STOPPED if match.stopped else ExitCode.FINE

    def _make_ready(self, patient: bool) -> CalibratedEyes | None:
        """Home the gantry and find the board; None if the person ends it before that."""
        parts, living = self._parts, self._parts.time
        print(HOMING, flush=True)
        pace = living.speed if living else 1.0
        if living:
            living.speed = max(pace, HURRY)
        parts.gantry.connect()
        parts.gantry.home()
        self._page.tell(parts.clock, "The gantry is at home.", light="good")
        self._page.look_through(self._source)
        if living:
            living.speed, living.brake = pace, self._eyes_lag
        seen = self._find_board(patient)
        if seen is not None:
            print(
                f"The camera sees the board; White's first rank is at the {seen.white_at} of the picture.", flush=True
            )
        return seen

    def _eyes_lag(self) -> bool:
        """Say whether the eyes have not looked for a while: at a hurried table a slow computer would miss what happens."""
        frame = self._source.frame
        return frame is None or self._parts.clock.now_s() - frame.time_s > LAG_S

    def _find_board(self, patient: bool) -> CalibratedEyes | None:
        parts = self._parts
        sizes = BoardSizes(parts.layout.square_mm, parts.layout.disc_diameter_mm, parts.layout.disc_height_mm)
        self._page.tell(parts.clock, "The camera looks for the board.", "camera")
        while True:
            try:
                return calibrate_eyes(
                    self._source, parts.clock, self._game.variant, self._game.position, sizes, parts.white_at
                )
            except BoardNotFound as error:
                if not patient:
                    raise
                name = self._game.variant.names["en"]
                text = f"Please set up the board for a game of {name}; I do not see it yet: {error}"
                self._page.tell(parts.clock, text, "camera", tone="do")
            if self._commands.poll() is Command.QUIT:
                return None
            parts.clock.sleep(SEARCH_AGAIN_S)

    def _match(self, seen: CalibratedEyes, journal: Listener) -> tuple[Match, Eyes]:
        parts, terminal, page, wanted = self._parts, self._terminal, self._page, self._wanted
        human = wanted.machine.other
        board = parts.board_map(parts.gantry)
        terminal.follow(lambda: match.game, human)
        listeners: list[Listener] = [journal, page, terminal]
        if parts.typed is not None:
            parts.typed.follow(lambda: match.game)
            terminal.type_move = self._type_move
            # The hand hears first: whoever answers the very line "Your move" must not be told to wait.
            listeners.insert(1, parts.typed.hear)
        listener = fan_out(listeners)
        arm, guard = guarded_arm(parts.gantry, board, parts.layout, seen.eyes, parts.clock, listener, self._said_go)
        show_carriage(seen, guard, board)
        terminal.stop = arm.stop
        set_speed = self._set_speed if parts.time else None
        eyes = page.seat(seen, arm.stop, parts.layout, parts.guided, set_speed, parts.truth)
        settings = MatchSettings(
            self._game,
            wanted.machine,
            parts.layout,
            Racks(SPARE_DISCS, SPARE_DISCS),
            time=parse_time_control(wanted.clock),
            player_of=lambda level: machine_player(level, seed=0),
            adviser=machine_player(max(wanted.level, HINT_LEVEL), seed=0),
            level=wanted.level,
            touch=TouchRule(self._touch, seen.eyes.touches),
            # Only the watch for hands: what was learnt of the discs still holds, whatever hid them.
            look_anew=lambda: seen.eyes.watcher.motion.restart(),
        )
        player = machine_player(wanted.level, seed=0)
        match = Match(settings, eyes, player, arm, parts.clock, self._commands, listener)
        return match, eyes

    def _said_go(self) -> bool:
        # Both are asked: each forgets what was said when it is.
        return any([self._terminal.said_go(), self._page.said_go()])

    def _type_move(self, text: str) -> str | None:
        typed, guided = self._parts.typed, self._parts.guided
        assert typed is not None
        if guided is not None:
            guided.in_charge = False
        return typed(text)

    def _set_speed(self, speed: float) -> None:
        if self._parts.time is not None:
            self._parts.time.speed = speed

    def _wait_for_order(self, look: Callable[[], object]) -> NewGame | None:
        """After a game: go on looking until the person wants another one, or leaves."""
        while True:
            look()
            order = self._commands.poll()
            if isinstance(order, NewGame):
                return order
            if order is Command.QUIT:
                return None
