"""`damludo play`: games with a person, over a real table or over the simulated one behind a real serial port."""

import contextlib
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from damludo.engine.port import Player
from damludo.play.calibration.known_camera import eyes_by_profile
from damludo.play.console import CommandError, ExitCode, cannot_write, counted
from damludo.play.folders import Folders
from damludo.play.match.events import EventKind, Listener, MatchEvent, fan_out
from damludo.play.match.loop import Match, State
from damludo.play.match.ports import Command, Commands, Eyes, NewGame, Order, Resume
from damludo.play.match.settings import MatchSettings
from damludo.play.match.timekeeping import parse_time_control
from damludo.play.match.touching import TouchMode, TouchRule
from damludo.play.page.page import Page, open_page
from damludo.play.page.pictures import NewestFrame
from damludo.play.page.state import waiting_state
from damludo.play.records.journal import open_journal, reopen_journal
from damludo.play.records.record import SUFFIX, TIME_FORM, Record, camera_path, cut_off_record
from damludo.play.settings import BoardSettings, PlaySettings
from damludo.play.table.eyes_again import find_again, keep_eyes
from damludo.play.table.setup import CalibratedEyes, adviser, calibrate_eyes, guarded_arm, machine_player, show_carriage
from damludo.play.table.thinking_on import ThinkingOn, pondering_player
from damludo.play.table_parts import OpenTable, Sitting, TableParts, real_parts, simulated_parts
from damludo.play.terminal import Terminal
from damludo.robot.errors import RobotError
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.vision.content import BoardSizes
from damludo.vision.errors import BoardNotFound, VisionError

HOMING = "The gantry finds its home: keep your hands off the table."
HURRY = 10.0
"""A simulated table is made ready so many times faster than a real one: nobody is there to be hurt."""
LAG_S = 0.15
"""Of simulated time: two pictures of a match that waits for a hand."""
SEARCH_AGAIN_S = 1.0
"""Between two looks for a board that is being set up."""
NEXT_ORDER_HZ = 10.0
PONDER = ("on", "off")


@dataclass(frozen=True, slots=True)
class WebChoice:
    """Where the page is served; `browser`: open it too; `language`: None for that of the browser."""

    port: int
    browser: bool
    language: str | None = None


def play_simulated(
    settings: PlaySettings,
    where: Folders,
    web: WebChoice,
    seed: int,
    speed: float,
    controller: str = "python",
    record: Record | None = None,
) -> int:
    """Play over the simulated table: what is typed, or led on the page, is done by the simulated hand, and then seen."""
    first = _first(settings, record)
    print("SIMULATION: camera, gantry and your hand are simulated.")
    with _page(web, first.wanted, simulation=True, speed=speed) as page:
        return _play_on(
            first, settings.touch, where, page, lambda sitting: simulated_parts(sitting, seed, page.speed, controller)
        )


def play_real(
    settings: PlaySettings,
    where: Folders,
    web: WebChoice,
    board: BoardSettings,
    camera: str,
    port: str,
    calibration: Sequence[str],
    white_at: str | None,
    record: Record | None = None,
) -> int:
    """Play over a real table."""
    first = _first(settings, record)
    with _page(web, first.wanted, simulation=False) as page:
        return _play_on(
            first,
            settings.touch,
            where,
            page,
            lambda sitting: real_parts(
                sitting, where, board, camera, port, calibration, white_at, settings.ponder == PONDER[0]
            ),
        )


def _first(settings: PlaySettings, record: Record | None) -> Sitting:
    return Sitting(_first_game(settings)) if record is None else Sitting.going_on(record)


def _first_game(settings: PlaySettings) -> NewGame:
    """Return what the settings ask for; a value that does not exist is said before anything moves."""
    if settings.machine not in ("white", "black"):
        raise CommandError(f"play.machine = '{settings.machine}' must be 'white' or 'black'", ExitCode.BAD_INPUT)
    if settings.touch not in list(TouchMode):
        raise CommandError(f"play.touch = '{settings.touch}' must be strict, ask or off", ExitCode.BAD_INPUT)
    if settings.ponder not in PONDER:
        raise CommandError(f"play.ponder = '{settings.ponder}' must be {' or '.join(PONDER)}", ExitCode.BAD_INPUT)
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
                    language=web.language,
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


def _play_on(first: Sitting, touch: str, where: Folders, page: Page, open_table: OpenTable) -> int:
    """Play one game after the other, as long as another one is wanted."""
    terminal = Terminal()
    terminal.read_lines(sys.stdin)
    sitting: Sitting | None = first
    code = ExitCode.FINE
    while sitting is not None:
        offered = None if sitting.record else cut_off_record(where.journals, simulated=page.simulation)
        print(f"{sitting.variant.names['en']}: you play {sitting.human.word}.", flush=True)
        terminal.offer(_offer_text(offered))
        with open_table(sitting) as parts:
            session = _Session(sitting, where, page, terminal, parts, touch, offered)
            try:
                wanted, code = session.play(patient=sitting is not first)
            except (VisionError, RobotError) as error:
                device = "camera" if isinstance(error, VisionError) else "gantry"
                page.fault(parts.clock, error, device)
                if page.was_opened:
                    time.sleep(0.5)  # so that the page still shows why it falls silent
                raise
            finally:
                terminal.leave()
        if isinstance(wanted, NewGame):
            sitting = Sitting(wanted)
        else:
            sitting = Sitting.going_on(offered) if wanted is not None and offered is not None else None
    return code


def _offer_text(record: Record | None) -> str:
    if record is None:
        return ""
    plies, name = counted(record.plies, "ply", "plies"), record.game.variant.names["en"]
    return f"A game of {name} was cut off after {plies} ({record.when}): type 'resume' to go on with it."


class _Elsewhere(Exception):
    """A person wants another game, or (None) to leave, before the match began."""

    def __init__(self, wanted: NewGame | Resume | None) -> None:
        super().__init__()
        self.wanted = wanted


class _Session:
    """One game at an open table, with what comes before and after it."""

    def __init__(
        self,
        sitting: Sitting,
        where: Folders,
        page: Page,
        terminal: Terminal,
        parts: TableParts,
        touch: str = TouchMode.ASK,
        offered: Record | None = None,
    ) -> None:
        self._sitting, self._record, self._offered = sitting, sitting.record, offered
        self._touch = TouchMode(touch if sitting.record is None else sitting.record.touch)
        self._wanted, self._where, self._page, self._terminal, self._parts = (
            sitting.wanted,
            where,
            page,
            terminal,
            parts,
        )
        self._game = sitting.game
        self._thinking = ThinkingOn(sitting.human.word, self._player)
        self._source = NewestFrame(parts.source)
        self._commands = _EitherCommands((terminal, page))

    def play(self, *, patient: bool) -> tuple[NewGame | Resume | None, ExitCode]:
        """Play; return what is wanted next and the exit code if that is nothing.

        Args:
            patient: wait until the board is set up and can be found; otherwise it has to be. Where another game may be gone on
                with, or this one is, it is always waited for: its board stands there in whatever state.
        """
        events = () if self._record is None else self._record.events
        self._page.prepare(
            waiting_state(
                self._game.variant, self._sitting.human, self._wanted.level, simulation=self._page.simulation
            ),
            events,
            self._parts.clock,
            self._parts.layout,
            self._parts.gantry.stop,
            HOMING,
        )
        self._page.offer(self._offered)
        with contextlib.ExitStack() as stack:
            journal = None
            if self._record is not None:
                journal = stack.enter_context(contextlib.closing(reopen_journal(self._record.path)))
            try:
                seen = self._make_ready(patient or self._offered is not None or self._record is not None)
            except _Elsewhere as left:
                return left.wanted, ExitCode.FINE if self._record is None else ExitCode.WRONG_BOARD
            path = self._journal_path()
            if journal is None:
                journal = stack.enter_context(contextlib.closing(open_journal(path)))
            journal.warn = self._warn
            self._keep_eyes(seen, path)
            match, eyes = self._match(seen, journal)
            try:
                result = match.run()
            finally:
                self._thinking.rest()
                # After Ctrl-C and when a device is lost it matters most.
                print(f"The game is kept in {path}", flush=True)
            wanted = match.wanted
            # Whoever plays in the terminal alone starts the next game there; at the page the table waits for it.
            if result is not None and self._page.was_opened:
                wanted = self._wait_for_order(lambda: eyes.look(NEXT_ORDER_HZ))
        return wanted, self._code(match)

    def _code(self, match: Match) -> ExitCode:
        if match.stopped:
            return ExitCode.STOPPED
        never_right = self._record is not None and match.state is State.SETTING_UP
        return ExitCode.WRONG_BOARD if never_right else ExitCode.FINE

    def _journal_path(self) -> Path:
        if self._record is not None:
            return self._record.path
        return self._where.journals / f"{datetime.now(UTC):{TIME_FORM}}-{self._game.variant.key}{SUFFIX}"

    def _keep_eyes(self, seen: CalibratedEyes, journal: Path) -> None:
        path = camera_path(journal)
        try:
            keep_eyes(seen, self._game.variant.key, path)
        except OSError as error:
            raise cannot_write(path, error) from error

    def _warn(self, text: str) -> None:
        """Say at the table what the journal says; the journal itself does not hear it."""
        for listener in (self._page, self._terminal):
            listener(MatchEvent(EventKind.NOTE, self._parts.clock.now_s(), text))

    def _make_ready(self, patient: bool) -> CalibratedEyes:
        """Home the gantry and find the board."""
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
        print(f"The camera sees the board; White's first rank is at the {seen.white_at} of the picture.", flush=True)
        return seen

    def _eyes_lag(self) -> bool:
        """Say whether the eyes have not looked for a while: at a hurried table a slow computer would miss what happens."""
        frame = self._source.frame
        return frame is None or self._parts.clock.now_s() - frame.time_s > LAG_S

    def _find_board(self, patient: bool) -> CalibratedEyes:
        parts, told = self._parts, ""
        self._page.tell(parts.clock, "The camera looks for the board.", "camera")
        while True:
            try:
                return self._look_for_board()
            except BoardNotFound as error:
                if not patient:
                    raise
                name = self._game.variant.names["en"]
                text = f"Please set up the board for a game of {name}; I do not see it yet: {error}"
                self._page.tell(parts.clock, text, "camera", tone="do")
                if text != told:
                    told = text
                    print(text, flush=True)
            order = self._commands.poll()
            if isinstance(order, NewGame | Resume):
                raise _Elsewhere(order)
            if order is Command.QUIT:
                raise _Elsewhere(None)
            parts.clock.sleep(SEARCH_AGAIN_S)

    def _look_for_board(self) -> CalibratedEyes:
        parts, game, layout = self._parts, self._game, self._parts.layout
        sizes = BoardSizes(layout.square_mm, layout.disc_diameter_mm, layout.disc_height_mm)
        if self._record is not None:
            return find_again(self._source, parts.clock, game, sizes, self._record.camera_path, parts.white_at)
        if parts.known is None:
            return calibrate_eyes(self._source, parts.clock, game.variant, game.position, sizes, parts.white_at)
        seen, told = eyes_by_profile(
            self._source, parts.clock, game.variant, game.position, sizes, parts.known, parts.white_at
        )
        print(told, flush=True)
        self._page.tell(parts.clock, told, "camera", light="good")
        return seen

    def _match(self, seen: CalibratedEyes, journal: Listener) -> tuple[Match, Eyes]:
        parts, terminal, page, wanted, record = self._parts, self._terminal, self._page, self._wanted, self._record
        human = wanted.machine.other
        board = parts.board_map(parts.gantry)
        terminal.follow(lambda: match.game, human)
        self._thinking.follow(lambda: match.game)
        listeners: list[Listener] = [journal, page, terminal, self._thinking.hear]
        if parts.typed is not None:
            parts.typed.follow(lambda: match.game)
            terminal.type_move = self._type_move
            # The hand hears first: whoever answers the very line "Your move" must not be told to wait.
            listeners.insert(1, parts.typed.hear)
        listener = fan_out(listeners)
        arm, guard = guarded_arm(parts.gantry, board, parts.layout, seen.eyes, parts.clock, listener, self._said_go)
        show_carriage(seen, guard, board, parts.clock, hurried=parts.time is not None)
        if parts.time is not None:
            # The carriage must not run ahead of the picture that is looked through: it would be taken for a hand.
            parts.time.brake = lambda: seen.eyes.busy or self._eyes_lag()
        terminal.stop = arm.stop
        set_speed = self._set_speed if parts.time else None
        eyes = page.seat(seen, arm.stop, parts.layout, parts.guided, set_speed, parts.truth)
        settings = MatchSettings(
            self._game,
            wanted.machine,
            parts.layout,
            self._sitting.racks,
            time=parse_time_control(wanted.clock),
            player_of=self._thinking.player,
            adviser=adviser(self._game.variant, wanted.level),
            level=wanted.level,
            touch=TouchRule(self._touch, seen.eyes.touches, record.agreed if record else None),
            # Only the watch for hands: what was learnt of the discs still holds, whatever hid them.
            look_anew=lambda: seen.eyes.watcher.motion.restart(),
            cut_off=record.cut_off if record else None,
            about=parts.about,
            earlier=() if record is None else record.course.earlier,
        )
        player = self._thinking.player(wanted.level)
        match = Match(settings, eyes, player, arm, parts.clock, self._commands, listener)
        return match, eyes

    def _player(self, level: int) -> Player:
        return pondering_player(self._game.variant, level) if self._parts.ponders else machine_player(level, seed=0)

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

    def _wait_for_order(self, look: Callable[[], object]) -> NewGame | Resume | None:
        """After a game: go on looking until the person wants another one, or leaves."""
        while True:
            look()
            order = self._commands.poll()
            if isinstance(order, NewGame | Resume):
                return order
            if order is Command.QUIT:
                return None
