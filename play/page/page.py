"""The page as the rest of the program knows it: listener, commands, and where a table's parts are shown."""

import contextlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.match.ports import Clock, Order
from damludo.play.page.desk import Desk, Links
from damludo.play.page.feed import Feed
from damludo.play.page.pictures import Encoder, NewestFrame, ShownEyes, camera_json, ground_point, hand_outline
from damludo.play.page.server import PageServer, serve_page
from damludo.play.page.shown import TableShown
from damludo.play.page.state import PageState, state_before_going_on, waiting_state
from damludo.play.records.record import Record
from damludo.play.table.setup import CalibratedEyes
from damludo.robot.places import TableLayout
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.simulation.guided import GuidedHand
from damludo.vision.view import BoardView


class Page:
    """A served page. `Listener` and `Commands` of one match after the other."""

    def __init__(self, feed: Feed, desk: Desk, encoder: Encoder, server: PageServer) -> None:
        self._feed, self._desk, self._encoder, self._server = feed, desk, encoder, server

    @property
    def url(self) -> str:
        """Address for the browser."""
        return self._server.url

    @property
    def port(self) -> int:
        """Port of the server."""
        return self._server.port

    @property
    def was_opened(self) -> bool:
        """Somebody has looked at the page since the start."""
        return self._server.was_opened

    @property
    def speed(self) -> float:
        """Pace of the simulated table, as it was chosen last."""
        return self._feed.table.speed

    def __call__(self, event: MatchEvent) -> None:
        """Show one event of the match."""
        self._feed(event)

    def poll(self) -> Order | None:
        """Return the next command that came through the page."""
        return self._desk.poll()

    def said_go(self) -> bool:
        """Return True once for each time somebody said that no hand is there."""
        return self._desk.said_go()

    @property
    def simulation(self) -> bool:
        """Camera, gantry and hand are simulated."""
        return self._feed.table.simulation

    def prepare(
        self,
        state: PageState,
        events: Sequence[MatchEvent],
        clock: Clock,
        layout: TableLayout,
        stop: Callable[[], None],
        text: str,
    ) -> None:
        """Show that a table is made ready for a game; from now on it can be stopped.

        Args:
            state: of a game that begins.
            events: what happened in it already, if it goes on.
        """
        self._desk.forget()
        self._desk.links = Links(stop, layout)
        self._encoder.source = lambda: None
        self._feed.now_s = clock.now_s
        self._feed.show_table(camera=None, layout=layout, offer=None)
        self._feed.begin(state_before_going_on(state, events))
        self.tell(clock, text)

    def offer(self, record: Record | None) -> None:
        """Offer to go on with a game that was cut off."""
        if record is not None:
            names = dict(record.game.variant.names)
            self._feed.show_table(offer={"names": names, "time": record.when, "plies": record.plies})

    def tell(self, clock: Clock, text: str, device: str = "gantry", light: str = "wait", tone: str = "wait") -> None:
        """Say what is made ready."""
        data = {"device": device, "light": light, "tone": tone}
        self._feed(MatchEvent(EventKind.PREPARING, clock.now_s(), text, data))

    def fault(self, clock: Clock, error: Exception, device: str) -> None:
        """Say that a device has failed."""
        self._feed(MatchEvent(EventKind.FAULT, clock.now_s(), str(error), {"device": device}))

    def look_through(self, source: NewestFrame) -> None:
        """Show the pictures that a source gives to its reader."""
        self._encoder.source = lambda: source.frame

    def seat(
        self,
        seen: CalibratedEyes,
        stop: Callable[[], None],
        layout: TableLayout,
        hand: GuidedHand | None = None,
        set_speed: Callable[[float], None] | None = None,
        truth: Callable[[], Mapping[str, Any]] | None = None,
    ) -> ShownEyes:
        """Show a table that is ready and let the page's commands reach it; return the eyes that the match shall use."""
        self._desk.links = Links(
            stop, layout, hand, lambda point: ground_point(seen.eyes.view, point, layout.disc_height_mm), set_speed
        )
        return ShownEyes(
            seen.eyes,
            lambda: hand_outline(seen.eyes.watcher),
            lambda: seen.eyes.ignore(),
            self._feed.show_overlay,
            truth,
            _Followed(self._feed, seen).look,
        )


class _Followed:
    """Tells the page where the squares are in the picture, at first and whenever a bumped camera was found again."""

    def __init__(self, feed: Feed, seen: CalibratedEyes) -> None:
        self._feed, self._seen = feed, seen
        self._view: BoardView | None = None
        self.look()

    def look(self) -> None:
        view = self._seen.eyes.view
        if view is not self._view:
            self._view = view
            self._feed.show_table(camera=camera_json(view))


@contextlib.contextmanager
def open_page(
    port: int,
    game: Variant,
    human: Colour,
    level: int,
    *,
    simulation: bool,
    speed: float = 1.0,
    language: str | None = None,
) -> Iterator[Page]:
    """Serve the page while the context lasts.

    Raises:
        OSError: no port can be had.
    """
    table = TableShown(simulation, _version(), speed, language)
    feed = Feed(waiting_state(game, human, level, simulation=simulation), table)
    desk, encoder = Desk(feed, secrets.token_hex(8)), Encoder()
    with serve_page(feed, desk, encoder, port) as server:
        yield Page(feed, desk, encoder, server)


def _version() -> str:
    try:
        return version("damludo")
    except PackageNotFoundError:
        return ""
