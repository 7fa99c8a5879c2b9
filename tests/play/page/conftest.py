"""A page without a match: the test tells it the events, and speaks with it as browsers do."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.page.desk import Desk, Links
from damludo.play.page.feed import Feed
from damludo.play.page.pictures import Encoder
from damludo.play.page.server import PageServer, serve_page
from damludo.play.page.shown import TableShown
from damludo.play.page.state import waiting_state
from damludo.robot.places import TableLayout
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.vision.frame import Frame

FEN = "W:Wc3,g1:Bd4,h8"
EPOCH = "e1"


@dataclass
class Stage:
    """A feed and a desk at a table that only notes what it is told."""

    feed: Feed
    desk: Desk
    encoder: Encoder
    stops: list[int] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)

    def tell(self, kind: EventKind, text: str = "", **data: Any) -> None:
        self.feed(MatchEvent(kind, 1.0, text, data))

    def begin(self) -> None:
        """Tell the first events of a match: it is the person's turn."""
        racks = {"white": 4, "black": 4}
        self.tell(EventKind.STARTED, "Damludo", game="damludo", machine="black", fen=FEN, level=3, racks=racks)
        self.tell(EventKind.TURN, "Your move, white.", side="white", ply=1, claims=[], clocks=None)

    def command(self, name: str, key: str = "k1", epoch: str = EPOCH, **more: Any) -> Any:
        return self.desk.handle({"id": key, "epoch": epoch, "command": name, **more})


def _picture(number: int = 1) -> Frame:
    return Frame(np.full((48, 64, 3), number % 255, np.uint8), 0.1 * number, number)


def _begun_stage() -> Stage:
    state = waiting_state(variant("damludo"), Colour.WHITE, 3, simulation=True)
    feed, encoder = Feed(state, TableShown(True, "1.0")), Encoder()
    stage = Stage(feed, Desk(feed, EPOCH), encoder)
    stage.desk.links = Links(lambda: stage.stops.append(1), TableLayout(), set_speed=stage.speeds.append)
    encoder.source = lambda: _picture()
    stage.begin()
    return stage


@pytest.fixture
def stage() -> Stage:
    """A page that was begun, at a table without a hand to lead."""
    return _begun_stage()


@dataclass
class Served:
    """A stage behind a real server on a free port."""

    stage: Stage
    server: PageServer

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def browser(self, origin: str | None = None, host: str = "127.0.0.1") -> ClientConnection:
        """Open a WebSocket as a browser does."""
        return connect(
            f"ws://{host}:{self.server.port}/events",
            origin=Origin(origin or self.origin),
            compression=None,
        )


@pytest.fixture
def served(stage: Stage) -> Iterator[Served]:
    with serve_page(stage.feed, stage.desk, stage.encoder, 0) as server:
        yield Served(stage, server)


@pytest.fixture(scope="module")
def shared() -> Iterator[Served]:
    """A server for tests that change nothing."""
    stage = _begun_stage()
    with serve_page(stage.feed, stage.desk, stage.encoder, 0) as server:
        yield Served(stage, server)


@pytest.fixture
def receive() -> Callable[..., Any]:
    """Return a function that takes messages from a browser's socket up to the first of a kind."""

    def take(browser: ClientConnection, kind: str, timeout_s: float = 20.0) -> Any:
        while True:
            message = json.loads(browser.recv(timeout=timeout_s))
            if message["kind"] == kind:
                return message

    return take
