"""Who may speak with the page's server: this machine's browser, on our own page, and nobody else.

A page of a foreign site can make a browser send requests here, or turn its own name to our address. So `Host` must name this
server, and `Origin`, where a browser sends one, must be this server's; for a WebSocket, which no same-origin rule protects, it
must be there.
"""

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost", "[::1]")

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Sent with every answer: nothing of another host is loaded, nobody frames the page or shows the camera's picture in his own."""

POLICY_VIOLATION = 1008


class Guard:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = frozenset(f"{name}:{port}" for name in NAMES)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or hand on with our headers on the answer."""
        if scope["type"] == "http":
            refusal = self._refusal(scope, origin_needed=False)
            if refusal is not None:
                await refusal(scope, receive, _with_headers(send))
                return
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            if self._refusal(scope, origin_needed=True) is not None:
                # Closed before it was accepted: the browser sees a 403.
                await send({"type": "websocket.close", "code": POLICY_VIOLATION})
                return
            await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, *, origin_needed: bool) -> PlainTextResponse | None:
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return PlainTextResponse("This page is for browsers on the same machine only.", status_code=400)
        origins = _values(scope, b"origin")
        if (origins or origin_needed) and (len(origins) != 1 or origins[0].lower() not in self._origins):
            return PlainTextResponse("Another site's page may not speak with this one.", status_code=403)
        return None


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sending
