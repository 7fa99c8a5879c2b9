"""Network cameras that stall, tear, change their resolution or go away, looked at through OpenCV itself."""

import socket
import threading
import time
from collections.abc import Callable, Iterator

import cv2
import numpy as np
import pytest

from damludo.vision.camera import Camera, SteadyCamera
from damludo.vision.capture import CaptureProcess
from damludo.vision.errors import CameraLost, CameraNotFound
from damludo.vision.frame import Frame, Image

Script = Callable[[int, int], bytes | None]
"""What is sent as picture n of connection k: bytes; None hangs until the server is closed; b"" closes the connection."""

HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n"


class Stream:
    """An MJPEG server that does as it is told."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._end = threading.Event()
        self.connections = 0
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/stream.mjpg"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._end.set()
        self._listening.close()

    def _accept(self) -> None:
        while not self._end.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection, self.connections), daemon=True).start()
            self.connections += 1

    def _serve(self, connection: socket.socket, number: int) -> None:
        with connection:
            try:
                connection.recv(4096)
                connection.sendall(HEAD)
                for picture in range(100_000):
                    if self._end.wait(0.03):
                        return
                    data = self._script(number, picture)
                    if data is None:
                        self._end.wait()
                        return
                    if not data:
                        return
                    part = b"--next\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data)
                    connection.sendall(part + data + b"\r\n")
            except OSError:
                return


def jpeg(number: int, size: tuple[int, int] = (320, 240)) -> bytes:
    """A noisy picture whose blue tells its number: 60 + number."""
    noise = np.random.default_rng(number).integers(0, 12, (size[1], size[0], 3))
    image = np.asarray(noise + np.array([60 + number % 120, 120, 150]), dtype=np.uint8)
    good, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert good
    return data.tobytes()


@pytest.fixture
def stream() -> Iterator[Callable[[Script], Stream]]:
    running: list[Stream] = []

    def start(script: Script) -> Stream:
        running.append(Stream(script))
        return running[-1]

    yield start
    for server in running:
        server.close()


def steady(url: str, timeout_s: float = 6.0) -> SteadyCamera:
    def again() -> Camera:
        return Camera(url, read_timeout_s=timeout_s)

    return SteadyCamera(again(), again, patience_s=60.0)


def read_until(source: SteadyCamera, done: Callable[[Frame], bool], most_s: float = 60.0) -> list[Frame]:
    frames, end_s = [source.read()], time.monotonic() + most_s
    while not done(frames[-1]):
        assert time.monotonic() < end_s
        frames.append(source.read())
    return frames


def blue(image: Image) -> float:
    return float(image[:, :, 0].mean())


def test_a_stream_gives_its_newest_pictures(stream: Callable[[Script], Stream]) -> None:
    source = steady(stream(lambda _, n: jpeg(n)).url)
    frames = read_until(source, lambda frame: frame.number >= 12)
    assert frames[0].image.shape == (240, 320, 3)
    assert blue(frames[-1].image) > blue(frames[0].image) + 5
    source.close()


def test_a_stream_that_stalls_is_lost_in_time_and_opened_anew(stream: Callable[[Script], Stream]) -> None:
    server = stream(lambda k, n: jpeg(n) if k or n < 25 else None)
    source = steady(server.url, timeout_s=1.5)
    frames = read_until(source, lambda _: server.connections > 1)
    frames += read_until(source, lambda frame: frame.number > frames[-1].number + 3)
    assert [frame.number for frame in frames] == sorted({frame.number for frame in frames})
    source.close()


def test_a_stream_that_never_answers_ends_when_it_is_told_to(stream: Callable[[Script], Stream]) -> None:
    server = stream(lambda k, n: None)
    begin_s = time.monotonic()
    with pytest.raises(CameraNotFound, match="cannot be opened"):
        Camera(server.url, open_capture=lambda source: CaptureProcess(source, open_timeout_s=1.5))
    assert time.monotonic() - begin_s < 10.0


def test_torn_pictures_of_a_stream_are_not_shown(stream: Callable[[Script], Stream]) -> None:
    """Every fifth picture lacks its second half; what the decoder puts there must never be seen."""

    def script(_: int, n: int) -> bytes:
        whole = jpeg(n)
        return whole[: len(whole) // 2] if n % 5 == 4 else whole

    source = steady(stream(script).url)
    frames = read_until(source, lambda frame: frame.number >= 60)
    for frame in frames:
        upper, lower = frame.image[:100], frame.image[-60:]
        assert abs(blue(upper) - blue(lower)) < 3.0
        assert abs(float(lower[:, :, 2].mean()) - 155.0) < 5.0
    assert source._camera.held_back["torn"] > 0
    source.close()


def test_another_resolution_of_the_same_shape_is_scaled(stream: Callable[[Script], Stream]) -> None:
    source = steady(stream(lambda k, n: jpeg(n, (320, 240) if k == 0 else (640, 480)) if k or n < 30 else b"").url)
    frames = read_until(source, lambda frame: frame.number >= 45)
    assert {frame.image.shape for frame in frames} == {(240, 320, 3)}
    source.close()


def test_another_shape_is_refused_with_what_to_do(stream: Callable[[Script], Stream]) -> None:
    source = steady(stream(lambda k, n: jpeg(n, (320, 240) if k == 0 else (640, 360)) if k or n < 30 else b"").url)
    with pytest.raises(CameraLost, match="changed from 320 x 240 to 640 x 360 px"):
        read_until(source, lambda _: False)
    source.close()


def test_a_resolution_that_changes_within_a_stream_is_noticed(stream: Callable[[Script], Stream]) -> None:
    source = steady(stream(lambda _, n: jpeg(n, (320, 240) if n < 30 else (640, 480))).url)
    frames = read_until(source, lambda frame: frame.number >= 60)
    assert {frame.image.shape for frame in frames} == {(240, 320, 3)}
    assert abs(blue(frames[-1].image[:120]) - blue(frames[-1].image[120:])) < 3.0
    source.close()
