"""A camera's pictures as an http stream (MJPEG), so that `cv2.VideoCapture(url)` can look through the simulated camera.

Only this machine can reach it: it is bound to 127.0.0.1, and a `Host` header that names anything else is refused, so a page of a
foreign site cannot look in by turning its own name to our address.
"""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator

import cv2
import uvicorn
from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from damludo.vision.errors import VisionError
from damludo.vision.frame import FrameSource

BOUNDARY = "picture"
JPEG_QUALITY = 92
PATH = "/stream.mjpg"
IDLE_S = 0.5
"""A client's generator looks up at least this often, also when no picture comes: it must end when the server does."""
PAUSE_S = 0.03
"""Between two pictures: some 25 pictures a second."""


class _OnlyThisMachine:
    """Refuse requests whose `Host` is not an address of this server."""

    def __init__(self, app: ASGIApp, allowed: frozenset[str]) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            hosts = [value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host"]
            if len(hosts) != 1 or hosts[0] not in self._allowed:
                refusal = Response("This stream is for programs on the same machine only.", status_code=400)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class PictureServer:
    """A running stream. Use it as a context manager, or call `close`.

    Attributes:
        url: what to give to `cv2.VideoCapture`.
        port: the port it listens at.
        clients: how many streams are open.
    """

    def __init__(self, source: FrameSource, listening: socket.socket) -> None:
        host, self.port = listening.getsockname()[:2]
        self.url = f"http://{host}:{self.port}{PATH}"
        self.clients = 0
        self._source = source
        self._socket = listening
        self._stop = threading.Event()
        self._newest: tuple[int, bytes] = (0, b"")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._fresh: asyncio.Event | None = None
        config = uvicorn.Config(
            _OnlyThisMachine(
                self._app(), frozenset(f"{name}:{self.port}" for name in (host, "localhost", "127.0.0.1"))
            ),
            log_config=None,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._threads = [
            threading.Thread(target=self._serve, name="picture server", daemon=True),
            threading.Thread(target=self._pump, name="picture pump", daemon=True),
        ]

    def __enter__(self) -> "PictureServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Begin to serve; returns when requests are taken."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End all streams and the server; the source stays open. May be called more than once."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._wake()
        self._server.should_exit = True
        for thread in self._threads:
            thread.join(timeout=5.0)
        self._socket.close()

    def _app(self) -> FastAPI:
        app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

        @app.get(PATH)
        async def stream() -> StreamingResponse:
            return StreamingResponse(
                self._pictures(),
                media_type=f"multipart/x-mixed-replace; boundary={BOUNDARY}",
                headers={"Cache-Control": "no-store"},
            )

        return app

    async def _pictures(self) -> AsyncIterator[bytes]:
        """Send each newest picture. Sending waits for the client, so a slow one gets fewer pictures, never older ones."""
        self.clients += 1
        sent, _ = self._newest  # from before this client came: too old to show
        try:
            while not self._stop.is_set():
                number, jpeg = self._newest
                if number != sent:
                    sent = number
                    head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                    yield head.encode("ascii") + jpeg + b"\r\n"
                else:
                    await self._wait_for_fresh()
        finally:
            self.clients -= 1

    async def _wait_for_fresh(self) -> None:
        fresh = self._fresh
        if fresh is None:
            await asyncio.sleep(0.01)
            return
        fresh.clear()
        try:
            await asyncio.wait_for(fresh.wait(), IDLE_S)
        except TimeoutError:
            return

    def _serve(self) -> None:
        asyncio.run(self._serve_forever())

    async def _serve_forever(self) -> None:
        self._fresh = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        await self._server.serve(sockets=[self._socket])
        self._loop = None

    def _pump(self) -> None:
        count = 0
        while not self._stop.is_set():
            if not self.clients:
                # Nobody looks: a simulated camera need not draw.
                self._stop.wait(0.02)
                continue
            try:
                frame = self._source.read()
            except VisionError:
                # The camera is gone or the recording over: the streams stay open and simply stand still, as with a real one.
                return
            done, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            if done:
                count += 1
                self._newest = (count, data.tobytes())
                self._wake()
            # A webcam gives no more; drawing more would only take the processor from who looks at them.
            self._stop.wait(PAUSE_S)

    def _wake(self) -> None:
        loop, fresh = self._loop, self._fresh
        if loop is None or fresh is None:
            return
        try:
            loop.call_soon_threadsafe(fresh.set)
        except RuntimeError:
            # The loop closed between the look and the call: there is nobody to wake.
            return


def serve_pictures(source: FrameSource, host: str = "127.0.0.1", port: int = 0) -> PictureServer:
    """Serve a camera's pictures as MJPEG in a thread.

    Args:
        source: read by the server's thread alone from now on; it must end a `read` within a second or so.
        host: an address of this machine's loopback.
        port: 0 takes a free one.

    Returns:
        The running server; close it.

    Raises:
        OSError: the port is taken.
    """
    listening = socket.create_server((host, port))
    server = PictureServer(source, listening)
    server.start()
    return server
