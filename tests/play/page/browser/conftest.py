"""A browser, and a table that only says what it is told to: every situation of the page in a moment, without match or camera."""

import asyncio
import contextlib
import json
import os
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from damludo.play.content import board_content, layout_for
from damludo.play.page.catalogue import games_json
from damludo.play.page.guard import HEADERS
from damludo.play.page.shown import board_json, pieces_json, position_json
from damludo.robot.places import Rack, TableLayout
from damludo.rules.fen import parse_fen
from damludo.rules.position import Colour, Position
from damludo.rules.traits import Variant
from damludo.rules.variants import variant
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.furnish import furnished_table
from damludo.simulation.optics import Optics
from damludo.simulation.table import DiscColour, Table

HERE = Path(__file__).parent
STATIC = Path(__file__).resolve().parents[4] / "play" / "page" / "static"
CHROMIUM = os.environ.get("DAMLUDO_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SPARE = 4

State = dict[str, Any]


# --- states -------------------------------------------------------------------------------------------------------------------


def racks_beside(game: Variant, position: Position) -> dict[str, int]:
    """Return how many discs lie in the racks beside a position: the spare ones and what is not on the board any more."""

    def discs(of: Position, colour: Colour) -> int:
        return sum(
            piece.discs
            for piece in board_content(game.board.playable, of).values()
            if piece.is_white is (colour is Colour.WHITE)
        )

    return {colour.word: SPARE + discs(game.start, colour) - discs(position, colour) for colour in Colour}


def state_of(key: str = "damludo", fen: str | None = None, *, you: str = "white", **changes: Any) -> State:
    """Return a whole state of the page: the human's turn in some position, but for `changes`."""
    game = variant(key)
    position = game.start if fen is None else parse_fen(game, fen)
    layout = layout_for(game)
    slots = {
        rack.value: [[p.x_mm, p.y_mm] for p in (layout.rack_slot(rack, n + 1) for n in range(layout.slots))]
        for rack in Rack
    }
    can = dict.fromkeys(("stop", "resign", "draw", "take_back", "hint", "set_position", "new_game", "clock"), True)
    state: State = {
        "simulation": True,
        "speed": 1,
        "version": "test",
        "language": "en",
        "game": {
            "key": key,
            "name": game.names["en"],
            "names": dict(game.names),
            "columns": game.board.columns,
            "rows": game.board.rows,
            "square_mm": layout.square_mm,
            "disc_mm": layout.disc_diameter_mm,
            "lines": game.board.lines,
            "numeric": game.board.numeric,
            "squares": board_json(game.board),
            "men": {"white": "w", "black": "b"},
            "pieces": pieces_json(game),
        },
        "you": you,
        "flipped": you == "black",
        "level": 3,
        "position": position_json(game, position.cells),
        "turn": "you",
        "to_move": position.side.word,
        "say": {"text": f"Your move, {you}.", "tone": "do", "choices": []},
        "ruling": None,
        "marks": {"last": [], "due": [], "wrong": []},
        "moves": [],
        "sets": [],
        "clocks": None,
        "lights": {
            "camera": {"state": "good", "text": "sees the board"},
            "gantry": {"state": "good", "text": "ready"},
            "engine": {"state": "good", "text": "level 3"},
        },
        "racks": {**racks_beside(game, position), "slots": slots},
        "can": {**can, "go": False, "draw_text": "Offer a draw"},
        "hint": None,
        "camera": None,
        "result": None,
    }
    return {**state, **changes}


def moves_of(*texts: str, first: str = "white") -> list[State]:
    """Return a list of moves, by turns."""
    sides = (first, "black" if first == "white" else "white")
    return [
        {"ply": n + 1, "side": sides[n % 2], "text": text, "notation": text, "seconds": 4.0 + 3 * n, "note": ""}
        for n, text in enumerate(texts)
    ]


# --- the picture --------------------------------------------------------------------------------------------------------------


@cache
def picture_of(key: str, fen: str | None) -> tuple[bytes, State]:
    """Return a rendered picture of a position, and where the board is in it."""
    game = variant(key)
    position = game.start if fen is None else parse_fen(game, fen)
    camera = _camera(layout_for(game), game, position)
    layout = layout_for(game)
    done, jpeg = cv2.imencode(".jpg", camera.read().image, [cv2.IMWRITE_JPEG_QUALITY, 80])
    assert done
    places = [layout.square(s) for s in game.board.playable]
    centres = camera.project(np.array([[p.x_mm, p.y_mm, 0.0] for p in places]))
    where = {
        "width": camera.pose.width,
        "height": camera.pose.height,
        "corners": camera.corners_px().round(1).tolist(),
        "squares": {p.name: xy for p, xy in zip(places, centres.round(1).tolist(), strict=True)},
    }
    return jpeg.tobytes(), where


def _camera(layout: TableLayout, game: Variant, position: Position) -> SimulatedCamera:
    table = _furnished(layout, game, position)
    return SimulatedCamera(table, LockstepClock(World()), Optics(seed=4))


def _furnished(layout: TableLayout, game: Variant, position: Position) -> Table:
    content = board_content(game.board.playable, position)
    table = furnished_table(layout, content, 0, np.random.default_rng(1))
    for side, count in racks_beside(game, position).items():
        for number in range(count):
            slot = layout.rack_slot(Rack(side), number + 1)
            table.add_disc(DiscColour(side), slot.x_mm, slot.y_mm)
    return table


def discs_of(key: str, fen: str | None = None) -> list[list[Any]]:
    """Return the true discs of a simulated table with a position on it."""
    game = variant(key)
    table = _furnished(layout_for(game), game, game.start if fen is None else parse_fen(game, fen))
    return [[round(d.x_mm, 1), round(d.y_mm, 1), round(d.z_mm, 1), d.colour.value[0]] for d in table.discs]


# --- the server ---------------------------------------------------------------------------------------------------------------


@dataclass
class FakeTable:
    """Serves the page and the state it is told to show.

    Attributes:
        commands: what pages have sent, in order, without pings.
        answers: what to say to a command by name; the others are just taken.
        served: path and size of everything that was fetched.
    """

    port: int = 0
    epoch: str = "first"
    n: int = 0
    state: State = field(default_factory=state_of)
    overlay: State = field(default_factory=dict)
    events: list[State] = field(default_factory=list)
    jpeg: bytes = b""
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    commands: list[State] = field(default_factory=list)
    answers: dict[str, State] = field(default_factory=dict)
    served: list[tuple[str, int]] = field(default_factory=list)
    clients: dict[WebSocket, asyncio.Event] = field(default_factory=dict)
    refusing: bool = False
    loop: asyncio.AbstractEventLoop | None = None

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://127.0.0.1:{self.port}/"

    def show(self, state: State, overlay: State | None = None, *, fen: str | None = None, text: str = "") -> None:
        """Show a state; with a camera, its picture is that of `fen`."""
        key = state["game"]["key"]
        if state["camera"] is not None:
            self.jpeg, state["camera"] = picture_of(key, fen)
        self.n += 1
        event: State = {
            "n": self.n,
            "kind": "turn",
            "time_s": 3.0 * self.n,
            "text": text or state["say"]["text"],
            "data": {},
        }
        self.events.append(event)
        self.state, self.overlay = state, overlay or {}
        self.wake()

    def wake(self) -> None:
        """Let all clients be sent what is new."""
        if self.loop is not None:
            for wake in list(self.clients.values()):
                self.loop.call_soon_threadsafe(wake.set)

    def named(self, name: str) -> list[State]:
        """Return the commands of a name that came."""
        return [command for command in self.commands if command.get("command") == name]

    def drop(self) -> None:
        """Break all connections, as a cable that is pulled does, and refuse new ones."""
        self.refusing = True
        self.wake()

    def restore(self, epoch: str | None = None) -> None:
        """Take connections again; `epoch` is that of a server that was started anew."""
        self.refusing, self.epoch = False, epoch or self.epoch

    async def events_socket(self, socket: WebSocket) -> None:
        """Speak with one page."""
        if self.refusing:
            await socket.close(1013)
            return
        await socket.accept()
        wake = self.clients[socket] = asyncio.Event()
        wake.set()
        sending = asyncio.create_task(self._send(socket, wake))
        try:
            while True:
                await self._take(socket, await socket.receive_json())
        except (WebSocketDisconnect, RuntimeError):
            return
        finally:
            self.clients.pop(socket, None)
            sending.cancel()

    async def _send(self, socket: WebSocket, wake: asyncio.Event) -> None:
        sent = 0
        while True:
            await wake.wait()
            wake.clear()
            if self.refusing:
                await socket.close(1012)
                return
            await self._send_state(socket, sent)
            sent = self.n
            if self.overlay:
                await socket.send_json({"kind": "overlay", "time_s": float(self.n), **self.overlay})

    async def _send_state(self, socket: WebSocket, since: int) -> None:
        events = [event for event in self.events if event["n"] > since]
        message = {"kind": "state", "epoch": self.epoch, "n": self.n, "events": events, "state": self.state}
        await socket.send_json(message)

    async def _take(self, socket: WebSocket, message: State) -> None:
        if message.get("command") == "since":
            await self._send_state(socket, message["n"])
            return
        if message.get("command") != "ping":
            self.commands.append(message)
        answer = self.answers.get(str(message.get("command")), {"ok": True, "text": ""})
        await socket.send_json({"kind": "answer", "id": message.get("id"), **answer})

    async def camera(self, _: object) -> Response:
        """Serve the picture as a stream that stays open, as the real one does."""
        head = b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(self.jpeg)

        async def pictures() -> AsyncIterator[bytes]:
            for _ in range(2):
                yield head + self.jpeg + b"\r\n"
            while not self.refusing and self.loop is not None:
                await asyncio.sleep(0.2)

        return StreamingResponse(pictures(), media_type="multipart/x-mixed-replace; boundary=picture")


def _application(fake: FakeTable) -> Callable[..., Any]:
    async def texts(request: Any) -> Response:
        found = fake.texts.get(request.path_params["language"])
        return Response(status_code=404) if found is None else JSONResponse(found)

    application = Starlette(
        routes=[
            Route("/", lambda _: FileResponse(STATIC / "index.html")),
            Route("/games.json", lambda _: JSONResponse(games_json())),
            Route("/texts/{language}.json", texts),
            Route("/camera.mjpeg", fake.camera),
            WebSocketRoute("/events", fake.events_socket),
            Mount("/static", GZipMiddleware(StaticFiles(directory=STATIC))),
        ]
    )

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *((k.encode(), v.encode()) for k, v in HEADERS.items())]
            elif message["type"] == "http.response.body":
                fake.served.append((scope["path"], len(message.get("body", b""))))
            await send(message)

        await application(scope, receive, sending)

    return guarded


@contextlib.contextmanager
def serve(fake: FakeTable) -> Iterator[FakeTable]:
    """Serve a fake table on a free port."""
    config = uvicorn.Config(
        _application(fake), host="127.0.0.1", port=0, log_config=None, lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    started = threading.Event()

    async def run() -> None:
        fake.loop = asyncio.get_running_loop()
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        fake.port = server.servers[0].sockets[0].getsockname()[1]
        started.set()
        await serving

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield fake
    finally:
        fake.drop()
        server.should_exit = True
        thread.join(10)
        fake.loop = None


# --- fixtures -----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium without a window."""
    if not Path(CHROMIUM).is_file():
        pytest.skip(f"there is no Chromium at {CHROMIUM}: install the package chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def fake() -> Iterator[FakeTable]:
    """A served table that says what it is told to."""
    with serve(FakeTable()) as fake:
        yield fake


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, fake: FakeTable) -> Iterator[OpenPage]:
    """Opens the page on the fake table: `open_page(width=360, scheme="dark")`. Whatever goes wrong in the page fails the test."""
    contexts = []
    problems: list[str] = []

    def opened(
        *, width: int = 1440, height: int = 900, scheme: Any = "light", url: str | None = None, **more: Any
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console", lambda line: problems.append(line.text) if line.type == "error" and not fake.refusing else None
        )
        page.goto(url or fake.url)
        page.locator("#board-view [role=grid]").wait_for()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [problem for problem in problems if "WebSocket" not in problem] == []


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which `make test` installs from npm into this folder by its lock file."""
    script = HERE / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        pytest.skip(f"axe-core is not installed: run 'npm ci' in {HERE}")
    return script.read_text(encoding="utf-8")


# --- situations ---------------------------------------------------------------------------------------------------------------


def show_situation(fake: FakeTable, told: State) -> None:
    """Show a situation of `situations.json`."""
    key, fen = told.get("game", "damludo"), told.get("fen")
    first = variant(key).start.side.word
    state = state_of(
        key, fen, you=told.get("you", "white"), moves=moves_of(*told.get("moves", "").split(), first=first)
    )
    state |= {"camera": {} if told.get("picture") else None, **told.get("state", {})}
    state["can"] |= {**dict.fromkeys(told.get("cannot", ()), False), **dict.fromkeys(told.get("can", ()), True)}
    lying = told.get("on_the_table", fen)
    overlay = {"hand": None, "carriage": None, "readings": {}, **told.get("overlay", {})}
    if state["simulation"]:
        overlay["table"] = {"discs": discs_of(key, lying), "hand": None, "carriage": None}
    fake.show(state, overlay, fen=lying)


@pytest.fixture
def make_state() -> Callable[..., State]:
    """`state_of`: a whole state, but for what is given."""
    return state_of


@pytest.fixture
def situations() -> dict[str, Callable[[FakeTable], None]]:
    """What the page can be told to show, by name."""
    told = json.loads((HERE / "situations.json").read_text(encoding="utf-8"))
    return {name: partial(show_situation, told=situation) for name, situation in told.items()}
