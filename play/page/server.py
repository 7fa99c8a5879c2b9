"""The server of the page: FastAPI in a thread of its own, bound to this machine's loopback.

Each client has an event to wake it, the number of what it was sent last and a short queue of answers: nothing grows with a slow
client. It gets the newest state when it can take one, and never an older one.
"""

import asyncio
import contextlib
import errno
import json
import socket
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Response, WebSocket
from fastapi.responses import FileResponse, PlainTextResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.middleware.gzip import GZipMiddleware
from starlette.websockets import WebSocketDisconnect

from damludo.play.page.catalogue import UnknownTexts, games_json, texts_json
from damludo.play.page.desk import Desk
from damludo.play.page.feed import Feed
from damludo.play.page.guard import Guard
from damludo.play.page.pictures import RATE_HZ, Encoder

HOST = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
PORTS_TRIED = 20
MOST_SOCKETS = 32
MOST_STREAMS = 8
MOST_ANSWERS = 64
LONGEST_MESSAGE = 16_384
BOUNDARY = "picture"
IDLE_S = 1.0
"""A waiting client looks up at least this often: it must end when the server does."""
TRY_AGAIN_LATER = 1013


class Client:
    """One WebSocket: what it was sent, and what it is to be told."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.version = 0
        self.since = 0
        self.overlay = 0
        self.answers: deque[str] = deque(maxlen=MOST_ANSWERS)


class PageServer:
    """A running server. Use it as a context manager.

    Attributes:
        port: where it listens.
        clients: WebSockets that are open.
        was_opened: somebody has looked at the page since the start.
    """

    def __init__(self, feed: Feed, desk: Desk, encoder: Encoder, listening: socket.socket) -> None:
        self.port: int = listening.getsockname()[1]
        self.was_opened = False
        self.clients: set[Client] = set()
        self._feed, self._desk, self._encoder = feed, desk, encoder
        self._socket = listening
        self._streams = 0
        self._stopping = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server = uvicorn.Server(
            uvicorn.Config(
                Guard(self._app(), self.port),
                log_config=None,
                lifespan="off",
                ws_max_size=LONGEST_MESSAGE,
                ws_per_message_deflate=False,  # on one machine packing costs more than it saves
                timeout_graceful_shutdown=1,
            )
        )
        self._thread = threading.Thread(target=self._serve, name="page", daemon=True)

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://{HOST}:{self.port}/"

    def __enter__(self) -> "PageServer":
        self._feed.changed = self._wake_all
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all connections and the server. May be called more than once."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._feed.changed = lambda: None
        self._wake_all()
        self._server.should_exit = True
        self._thread.join(timeout=5.0)
        self._socket.close()

    def _serve(self) -> None:
        asyncio.run(self._serve_forever())

    async def _serve_forever(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.serve(sockets=[self._socket])
        self._loop = None

    def _wake_all(self) -> None:
        """Wake the clients; from any thread, without waiting."""
        loop = self._loop
        if loop is not None and self.clients:
            # The loop may close between the look and the call: then there is nobody to wake.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._wake_here)

    def _wake_here(self) -> None:
        for client in self.clients:
            client.wake.set()

    # --- what is served ---------------------------------------------------------------------------------------------------------

    def _app(self) -> FastAPI:
        # FastAPI's own pages of documentation load their scripts from another host: they stay off.
        app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

        @app.get("/")
        async def page() -> Response:
            return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})

        @app.get("/healthz")
        async def health() -> Response:
            return _json({"epoch": self._desk.epoch, "n": self._feed.snapshot().n, "clients": len(self.clients)})

        @app.get("/camera.jpg")
        async def picture() -> Response:
            _, jpeg = await asyncio.to_thread(self._encoder.newest)
            if not jpeg:
                return PlainTextResponse("There is no picture yet.", 503)
            return Response(jpeg, media_type="image/jpeg", headers={"Cache-Control": "no-store"})

        @app.get("/camera.mjpeg")
        async def stream() -> Response:
            if self._streams >= MOST_STREAMS:
                return PlainTextResponse("Too many pages show the camera's picture.", 503)
            media = f"multipart/x-mixed-replace; boundary={BOUNDARY}"
            return StreamingResponse(self._pictures(), media_type=media, headers={"Cache-Control": "no-store"})

        app.websocket("/events")(self._events)
        app.mount("/static", GZipMiddleware(StaticFiles(directory=STATIC)))
        app.mount("/", GZipMiddleware(_documents()))
        return app

    async def _pictures(self) -> AsyncIterator[bytes]:
        """Send each newest picture. Sending waits for the client, so a slow one gets fewer pictures, never older ones."""
        self._streams += 1
        sent = 0
        try:
            yield f"--{BOUNDARY}\r\n".encode("ascii")
            while not self._stopping.is_set():
                number, jpeg = await asyncio.to_thread(self._encoder.newest)
                if number != sent:
                    sent = number
                    head = f"Content-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                    # The next boundary goes along: a browser shows a picture only when it has seen its end.
                    yield head.encode("ascii") + jpeg + f"\r\n--{BOUNDARY}\r\n".encode("ascii")
                await asyncio.sleep(1.0 / RATE_HZ)
        finally:
            self._streams -= 1

    # --- the WebSocket ----------------------------------------------------------------------------------------------------------

    async def _events(self, websocket: WebSocket) -> None:
        await websocket.accept()
        if len(self.clients) >= MOST_SOCKETS:
            await websocket.close(TRY_AGAIN_LATER, "too many pages are open")
            return
        client = Client()
        self.clients.add(client)
        self.was_opened = True
        client.wake.set()
        sending = asyncio.create_task(self._send(websocket, client))
        try:
            while True:
                await self._take(client, await websocket.receive_text())
        except (WebSocketDisconnect, RuntimeError, KeyError):
            # Gone, or it sent bytes: nothing is owed to it.
            return
        finally:
            self.clients.discard(client)
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await sending

    async def _take(self, client: Client, text: str) -> None:
        try:
            message: Any = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            message = {}
        if message.get("command") == "since":
            since = message.get("n")
            client.since = since if isinstance(since, int) and since >= 0 else 0
            client.version = 0
        elif message.get("command") == "stop":
            # The line to the gantry may block; nobody else shall wait for it.
            self._tell(client, await asyncio.to_thread(self._desk.handle, message))
        else:
            self._tell(client, self._desk.handle(message))
        client.wake.set()

    def _tell(self, client: Client, answer: dict[str, Any] | None) -> None:
        if answer is None:
            return
        client.answers.append(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))

    async def _send(self, websocket: WebSocket, client: Client) -> None:
        """Send what is new whenever there is something; each round sends the newest of everything."""
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(client.wake.wait(), IDLE_S)
            client.wake.clear()
            while client.answers:
                await websocket.send_text(client.answers.popleft())
            if self._feed.version != client.version:
                snapshot = self._feed.snapshot()
                message = snapshot.message(self._desk.epoch, client.since)
                client.version, client.since = snapshot.version, snapshot.n
                await websocket.send_text(message)
            number, overlay = self._feed.overlay()
            if number != client.overlay:
                client.overlay = number
                await websocket.send_text(overlay)
        await websocket.close(1001)


def _documents() -> FastAPI:
    """Return what never changes while the server runs."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/games.json")
    async def games() -> Response:
        return _json(games_json())

    @app.get("/texts/{name}.json")
    async def texts(name: str) -> Response:
        try:
            return _json(texts_json(name))
        except UnknownTexts as error:
            return PlainTextResponse(str(error), 404)

    return app


@contextlib.contextmanager
def serve_page(feed: Feed, desk: Desk, encoder: Encoder, port: int) -> Iterator[PageServer]:
    """Serve the page while the context lasts.

    Args:
        port: wanted; if it is taken, the next free one is used; 0 takes any.

    Raises:
        OSError: none of them can be had.
    """
    with PageServer(feed, desk, encoder, listen(port)) as server:
        yield server


def listen(port: int) -> socket.socket:
    """Return a socket that listens at a port of the loopback, or at the next free one.

    Raises:
        OSError: none of `PORTS_TRIED` ports can be had.
    """
    for candidate in range(port, port + PORTS_TRIED):
        try:
            return socket.create_server((HOST, candidate))
        except OSError as error:
            if error.errno != errno.EADDRINUSE or candidate == port + PORTS_TRIED - 1:
                raise
    raise AssertionError("the last port either listens or raises")


def _json(document: object) -> Response:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Response(text, media_type="application/json", headers={"Cache-Control": "no-cache"})
