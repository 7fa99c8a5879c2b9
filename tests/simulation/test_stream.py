"""The http stream of pictures, looked at through OpenCV."""

import http.client
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import cv2
import numpy as np
import pytest

from damludo.simulation.stream import PATH, PictureServer, serve_pictures
from damludo.vision.errors import EndOfFrames
from damludo.vision.frame import Frame, Image

pytestmark = pytest.mark.simulation


class _Counting:
    """A camera whose pictures are numbered: the brightness of two patches counts 1s and 25s."""

    def __init__(self, seconds: float = 0.02) -> None:
        self.number = 0
        self.limit = 10**9
        self._seconds = seconds

    def read(self) -> Frame:
        time.sleep(self._seconds)
        self.number += 1
        if self.number > self.limit:
            raise EndOfFrames("the recording is over")
        return Frame(self._numbered(np.full((64, 128, 3), 128, np.uint8)), self.number * self._seconds, self.number)

    def _numbered(self, image: Image) -> Image:
        image[:64, :64], image[:64, 64:128] = 10 * (self.number % 25), 10 * (self.number // 25)
        return image

    def close(self) -> None:
        return


@pytest.fixture
def camera() -> _Counting:
    return _Counting()


@pytest.fixture
def server(camera: _Counting) -> Iterator[PictureServer]:
    with serve_pictures(camera) as running:
        yield running


def _wait_for(condition: Callable[[], bool], seconds: float = 8.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


@contextmanager
def _get(server: PictureServer, host: str = "", path: str = PATH) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5.0)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    with closing(connection), connection.getresponse() as response:
        yield response


def _here(server: PictureServer) -> str:
    return f"127.0.0.1:{server.port}"


def _read_picture(response: http.client.HTTPResponse) -> Image:
    assert response.readline() == b"--picture\r\n"
    assert response.readline() == b"Content-Type: image/jpeg\r\n"
    size = int(response.readline().split(b":")[1])
    assert response.readline() == b"\r\n"
    data = response.read(size)
    assert response.readline() == b"\r\n"
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return image.astype(np.uint8)


def test_opencv_sees_the_pictures(server: PictureServer) -> None:
    capture = cv2.VideoCapture(server.url)
    numbers = []
    for _ in range(5):
        done, image = capture.read()
        assert done
        assert image.shape == (64, 128, 3)
        numbers.append(_number(image.astype(np.uint8)))
    capture.release()
    # How many are left out between two is a matter of how busy the computer is.
    assert all(first < second for first, second in itertools.pairwise(numbers))


def test_streams_end_when_the_clients_leave(server: PictureServer) -> None:
    threads = threading.active_count()
    for _ in range(20):
        with _get(server, _here(server)) as response:
            assert _read_picture(response).shape == (64, 128, 3)
    assert _wait_for(lambda: server.clients == 0)
    assert threading.active_count() <= threads


@pytest.mark.slow
def test_two_hundred_visits_leave_nothing_behind(server: PictureServer) -> None:
    def visit() -> None:
        with _get(server, _here(server)) as response:
            assert _read_picture(response).shape == (64, 128, 3)

    for _ in range(20):
        visit()
    files, size = len(os.listdir("/proc/self/fd")), _resident_mb()
    for _ in range(200):
        visit()
    assert _wait_for(lambda: server.clients == 0)
    assert _wait_for(lambda: len(os.listdir("/proc/self/fd")) <= files + 2)
    assert _resident_mb() < size + 20


def _resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class _Big(_Counting):
    """A camera whose pictures hardly shrink, so that a client who does not read stops its stream."""

    def read(self) -> Frame:
        frame = super().read()
        image = np.random.default_rng(self.number).integers(0, 255, (480, 640, 3), np.uint8)
        return Frame(self._numbered(image), frame.time_s, frame.number)


@pytest.mark.slow
def test_a_slow_client_skips_to_the_newest_picture() -> None:
    camera = _Big()
    with serve_pictures(camera) as server, _get(server, _here(server)) as response:
        first = _number(_read_picture(response))
        assert _wait_for(lambda: camera.number >= 80, 20.0)
        target, received, number = camera.number, 0, first
        while number < target:
            number = _number(_read_picture(response))
            received += 1
    assert received < target - first - 20


def _number(image: Image) -> int:
    low, high = (round(float(image[16:48, x : x + 32].mean()) / 10) for x in (16, 80))
    return 25 * high + low


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.:{port}", "192.168.1.5:{port}", ""]
)
def test_a_foreign_host_name_is_refused(server: PictureServer, host: str) -> None:
    with _get(server, host.format(port=server.port)) as response:
        assert response.status == 400


@pytest.mark.parametrize("host", ["localhost:{port}", "LOCALHOST:{port}", "127.0.0.1:{port}"])
def test_this_machine_is_served(server: PictureServer, host: str) -> None:
    with _get(server, host.format(port=server.port)) as response:
        assert response.status == 200
        assert response.getheader("Content-Type") == "multipart/x-mixed-replace; boundary=picture"


def test_there_is_nothing_else(server: PictureServer) -> None:
    with _get(server, _here(server), "/docs") as response:
        assert response.status == 404


def test_closing_ends_open_streams_and_threads(camera: _Counting) -> None:
    before = set(threading.enumerate())
    server = serve_pictures(camera)
    with _get(server, _here(server)) as response:
        assert _read_picture(response).shape == (64, 128, 3)
        server.close()
        server.close()
        assert set(threading.enumerate()) <= before
        assert server.clients == 0


def test_nobody_looking_costs_no_pictures(server: PictureServer, camera: _Counting) -> None:
    time.sleep(0.2)
    assert camera.number == 0


def test_a_recording_that_ends_leaves_the_server_up(server: PictureServer, camera: _Counting) -> None:
    camera.limit = 3
    with _get(server, _here(server)) as response:
        assert _read_picture(response).shape == (64, 128, 3)
    assert _wait_for(lambda: server.clients == 0)
    with _get(server, _here(server)) as response:
        assert response.status == 200
