"""The server: who may speak with it, what it sends, and that slow or gone clients cost nothing."""

import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from damludo.play.match.events import EventKind
from damludo.play.page.catalogue import texts_json
from damludo.play.page.feed import KEPT_EVENTS
from damludo.play.page.server import MOST_SOCKETS, MOST_STREAMS, listen

Served = Any  # conftest's
Receive = Callable[..., Any]
PAGE = Path(__file__).resolve().parents[3] / "play" / "page"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """One for all tests: making one costs more than a request."""
    with httpx.Client(timeout=20.0, verify=False) as client:
        yield client


def _get(client: httpx.Client, served: Served, path: str, **headers: str) -> httpx.Response:
    return client.get(f"{served.origin}{path}", headers=headers)


# --- who may speak ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("LOCALHOST:{port}", 200),
        ("[::1]:{port}", 200),
        ("localhost", 400),
        ("localhost:1", 400),
        ("localhost.:{port}", 400),
        ("evil.example", 400),
        ("evil.example:{port}", 400),
        ("127.0.0.1.evil.example:{port}", 400),
        ("192.168.0.7:{port}", 400),
        ("", 400),
    ],
)
def test_only_names_of_this_machine_are_answered(client: httpx.Client, shared: Served, host: str, status: int) -> None:
    assert _get(client, shared, "/healthz", Host=host.format(port=shared.server.port)).status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:{port}", 200),
        ("http://localhost:{port}", 200),
        ("https://127.0.0.1:{port}", 403),
        ("http://127.0.0.1", 403),
        ("http://evil.example", 403),
        ("null", 403),
        ("file://", 403),
    ],
)
def test_a_page_of_another_origin_is_refused(client: httpx.Client, shared: Served, origin: str, status: int) -> None:
    said = _get(client, shared, "/healthz", Origin=origin.format(port=shared.server.port))
    assert said.status_code == status


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_a_socket_of_another_origin_is_refused(shared: Served, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        shared.browser(origin=origin)
    assert refused.value.response.status_code == 403


def test_a_socket_without_an_origin_is_refused(shared: Served) -> None:
    with socket.create_connection(("127.0.0.1", shared.server.port)) as raw:
        raw.sendall(
            f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{shared.server.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert raw.recv(64).startswith(b"HTTP/1.1 403")


def test_a_socket_by_a_foreign_name_is_refused(shared: Served) -> None:
    with socket.create_connection(("127.0.0.1", shared.server.port)) as raw:
        raw.sendall(
            f"GET /events HTTP/1.1\r\nHost: evil.example\r\nOrigin: {shared.origin}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert raw.recv(64).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize("path", ["/", "/healthz", "/games.json", "/camera.jpg", "/nothing", "/static/nothing.js"])
def test_every_answer_forbids_what_we_do_not_need(client: httpx.Client, shared: Served, path: str) -> None:
    headers = _get(client, shared, path).headers
    assert headers["content-security-policy"].startswith("default-src 'self'; ")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["cross-origin-resource-policy"]) == ("nosniff", "same-origin")
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path", ["/docs", "/redoc", "/openapi.json", "/static/..%2fserver.py", "/static/%2e%2e/server.py"]
)
def test_what_is_not_the_page_is_not_served(client: httpx.Client, shared: Served, path: str) -> None:
    assert _get(client, shared, path).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed_by_a_request(client: httpx.Client, shared: Served, method: str) -> None:
    for path in ("/", "/events", "/healthz", "/games.json", "/camera.jpg"):
        assert client.request(method, f"{shared.origin}{path}").status_code in (404, 405)


def test_no_file_that_is_served_names_another_host() -> None:
    files = [path for folder in ("static", "texts") for path in sorted((PAGE / folder).glob("*"))]
    assert files
    namespaces = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1999/xlink")
    for path in files:
        text = path.read_text(encoding="utf-8")
        for name in namespaces:
            text = text.replace(name, "")
        assert re.findall(r"""(?:https?:|wss?:|["'(]//)[^\s"'`$]*\w\.\w[^\s"')`]*""", text) == [], path.name


# --- what is sent -------------------------------------------------------------------------------------------------------------


def test_a_browser_gets_the_whole_state_at_once(served: Served, receive: Receive) -> None:
    with served.browser() as browser:
        message = receive(browser, "state")
    assert (message["epoch"], message["n"]) == ("e1", 2)
    assert [event["kind"] for event in message["events"]] == ["started", "turn"]
    state = message["state"]
    assert (state["turn"], state["say"]["text"]) == (
        "you",
        "Your move, white. Drag one of your discs, here or in the picture.",
    )
    assert state["position"] == {"c3": "w", "g1": "w", "d4": "b", "h8": "b"}


def test_two_browsers_and_a_reload_show_the_same(served: Served, receive: Receive) -> None:
    with served.browser() as first, served.browser() as second:
        receive(first, "state")
        receive(second, "state")
        served.stage.tell(EventKind.NOTE, "Heard.")
        one, two = receive(first, "state"), receive(second, "state")
    with served.browser() as reloaded:
        three = receive(reloaded, "state")
    assert one["state"] == two["state"] == three["state"]
    assert [event["n"] for event in one["events"]] == [3]
    assert [event["n"] for event in three["events"]] == [1, 2, 3]


def test_who_missed_events_asks_for_them(served: Served, receive: Receive) -> None:
    with served.browser() as browser:
        receive(browser, "state")
        browser.send(json.dumps({"command": "since", "n": 1}))
        assert [event["n"] for event in receive(browser, "state")["events"]] == [2]
        browser.send(json.dumps({"command": "since", "n": "x"}))
        assert [event["n"] for event in receive(browser, "state")["events"]] == [1, 2]


def test_events_of_long_ago_are_forgotten_and_the_state_is_not(served: Served, receive: Receive) -> None:
    for number in range(KEPT_EVENTS + 50):
        served.stage.tell(EventKind.NOTE, f"note {number}")
    with served.browser() as browser:
        message = receive(browser, "state")
    assert len(message["events"]) == KEPT_EVENTS
    assert (message["n"], message["state"]["turn"]) == (KEPT_EVENTS + 52, "you")


def test_a_command_is_answered_to_who_gave_it(served: Served, receive: Receive) -> None:
    with served.browser() as browser:
        browser.send(json.dumps({"id": "a", "epoch": "e1", "command": "ping"}))
        assert receive(browser, "answer") == {"kind": "answer", "id": "a", "ok": True, "text": ""}
        browser.send(json.dumps({"id": "b", "epoch": "old", "command": "stop"}))
        assert receive(browser, "say_again")["epoch"] == "e1"
        browser.send(json.dumps({"id": "c", "epoch": "e1", "command": "stop"}))
        assert receive(browser, "answer")["ok"] is True
    assert served.stage.stops == [1]


@pytest.mark.parametrize(
    "text", ["", "x", "[]", "7", "null", '{"command":', "[" * 15_000, '{"id":{}}', '{"command":["stop"]}']
)
def test_nonsense_is_answered_and_harms_nobody(served: Served, receive: Receive, text: str) -> None:
    with served.browser() as browser:
        browser.send(text)
        assert receive(browser, "answer")["ok"] is False
        browser.send(json.dumps({"id": "a", "epoch": "e1", "command": "ping"}))
        assert receive(browser, "answer")["ok"] is True
    assert served.stage.stops == []


@pytest.mark.parametrize("message", ["x" * 20_000, b"\x00\xff"])
def test_too_long_a_message_or_bytes_end_the_connection_alone(served: Served, receive: Receive, message: Any) -> None:
    with served.browser() as rude, served.browser() as browser:
        rude.send(message)
        browser.send(json.dumps({"id": "a", "epoch": "e1", "command": "ping"}))
        assert receive(browser, "answer")["ok"] is True


def test_the_newest_overlay_is_sent_after_the_first_state(served: Served, receive: Receive) -> None:
    served.stage.feed.show_overlay({"time_s": 1.0, "hand": None, "carriage": None, "readings": {}})
    served.stage.feed.show_overlay({"time_s": 2.0, "hand": [[1, 2]], "carriage": None, "readings": {}})
    with served.browser() as browser:
        assert receive(browser, "overlay")["hand"] == [[1, 2]]


def test_a_slow_client_gets_the_newest_state_and_piles_up_nothing(served: Served, receive: Receive) -> None:
    with served.browser() as slow:
        for number in range(3000):
            served.stage.tell(EventKind.NOTE, f"note {number} {'x' * 200}")
        deadline = time.monotonic() + 60
        while receive(slow, "state")["n"] < 3002:
            assert time.monotonic() < deadline
    assert len(served.stage.feed._events) == KEPT_EVENTS


def test_more_sockets_than_allowed_are_turned_away(client: httpx.Client, served: Served, receive: Receive) -> None:
    with contextlib.ExitStack() as open_pages:
        for _ in range(MOST_SOCKETS):
            receive(open_pages.enter_context(served.browser()), "state")
        with served.browser() as one_more, pytest.raises(ConnectionClosed, match="1013"):
            one_more.recv(timeout=10)
    deadline = time.monotonic() + 10
    while served.server.clients and time.monotonic() < deadline:
        time.sleep(0.02)
    assert served.server.clients == set()


def test_more_streams_than_allowed_are_turned_away_and_make_room_when_they_leave(served: Served) -> None:
    address = f"{served.origin}/camera.mjpeg"
    with contextlib.ExitStack() as open_pages:
        pages = [open_pages.enter_context(httpx.Client(timeout=10.0)) for _ in range(MOST_STREAMS)]
        streams = [open_pages.enter_context(page.stream("GET", address)).iter_raw() for page in pages]
        assert all(next(stream).startswith(b"--picture") for stream in streams)
        with httpx.Client(timeout=10.0) as page, page.stream("GET", address) as one_more:
            assert one_more.status_code == 503
    deadline = time.monotonic() + 30
    while served.server._streams and time.monotonic() < deadline:
        time.sleep(0.02)
    assert served.server._streams == 0


def test_two_hundred_streams_that_were_left_leave_nothing_behind(served: Served) -> None:
    # The server's own thread opens three files of its event loop a moment after its start: they are no stream's. Nor is a
    # connection that would ask whether it has begun, and is closed later.
    begun = time.monotonic() + 10
    while not served.server._server.started and time.monotonic() < begun:
        time.sleep(0.01)
    open_files = len(os.listdir("/proc/self/fd"))
    visits = 0
    with httpx.Client(timeout=10.0) as page:
        while visits < 200:
            with page.stream("GET", f"{served.origin}/camera.mjpeg") as stream:
                if stream.status_code == 503:  # those that were left before are still being taken down
                    time.sleep(0.05)
                    continue
                assert next(stream.iter_raw()).startswith(b"--picture")
                visits += 1
    deadline = time.monotonic() + 30
    while (served.server._streams or len(os.listdir("/proc/self/fd")) > open_files) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (served.server._streams, len(os.listdir("/proc/self/fd"))) == (0, open_files)


def test_the_picture_is_sent_as_one_and_as_a_stream(client: httpx.Client, served: Served) -> None:
    one = _get(client, served, "/camera.jpg")
    assert (one.headers["content-type"], one.content[:3]) == ("image/jpeg", b"\xff\xd8\xff")
    with client.stream("GET", f"{served.origin}/camera.mjpeg") as stream:
        assert stream.headers["content-type"] == "multipart/x-mixed-replace; boundary=picture"
        received = b""
        for part in stream.iter_raw():
            received += part
            if received.count(b"--picture") == 2:
                break
    head, body = received.split(b"\r\n\r\n", 1)
    assert head.startswith(b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: ")
    assert body == one.content + b"\r\n--picture\r\n"


def test_before_the_first_picture_there_is_none(client: httpx.Client, served: Served) -> None:
    served.stage.encoder.source = lambda: None
    assert _get(client, served, "/camera.jpg").status_code == 503


def test_the_games_are_listed_with_board_start_and_two_lines(client: httpx.Client, shared: Served) -> None:
    games = {game["key"]: game for game in _get(client, shared, "/games.json").json()}
    assert len(games) == 21
    for game in games.values():
        assert [line.endswith(".") for line in game["lines"]] == [True, True]
        assert max(len(line) for line in game["lines"]) <= 90
        assert len(game["squares"]) == game["columns"] * game["rows"]
        assert set(game["start"]) <= {square["name"] for square in game["squares"] if square["playable"]}
    assert [games[key]["men"] for key in ("damludo", "canadian", "hawaiian", "thai")] == [12, 30, 32, 8]


def test_what_is_loaded_first_is_small(client: httpx.Client, shared: Served) -> None:
    size = 0
    for path in ("/", *(f"/static/{file.name}" for file in (PAGE / "static").glob("*"))):
        with client.stream("GET", shared.origin + path, headers={"Accept-Encoding": "gzip"}) as answer:
            size += sum(len(part) for part in answer.iter_raw())
    assert size <= 100_000


def test_texts_are_served_for_each_language(client: httpx.Client, shared: Served) -> None:
    assert _get(client, shared, "/texts/en.json").json() == {}
    for language in ("eo", "sl"):
        assert _get(client, shared, f"/texts/{language}.json").json() == texts_json(language)
    assert _get(client, shared, "/texts/xx.json").status_code == 404


def test_a_taken_port_is_stepped_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with listen(port) as found:
            assert found.getsockname()[0] == "127.0.0.1"
            assert port < found.getsockname()[1] < port + 20


def test_closing_the_server_ends_every_connection(served: Served, receive: Receive) -> None:
    with served.browser() as browser:
        receive(browser, "state")
        begin = time.monotonic()
        served.server.close()
        assert time.monotonic() - begin < 4.0
        with pytest.raises(ConnectionClosed):
            receive(browser, "nothing more", timeout_s=5)
