"""A camera that hangs, freezes, stops or gives old pictures: a scripted device stands in for the driver."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from damludo.vision.camera import Camera, SteadyCamera, spoken, stable_name
from damludo.vision.errors import CameraLost, CameraNotFound
from damludo.vision.frame import Frame, Image


class Device:
    """A driver: `picture(n)` gives the n-th picture, None ends it."""

    def __init__(self, picture: Callable[[int], Image | None], pause_s: float = 0.002, opened: bool = True) -> None:
        self._picture, self._pause_s, self._opened = picture, pause_s, opened
        self.given = 0
        self.released = threading.Event()
        self.settings: dict[int, float] = {}
        self.obeys: tuple[int, ...] = ()
        self.lies: tuple[int, ...] = ()

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return self._opened

    def read(self) -> tuple[bool, Image | None]:
        time.sleep(self._pause_s)
        image = self._picture(self.given)
        self.given += 1
        return image is not None, image

    def get(self, prop: int) -> float:
        return self.settings.get(prop, 0.0)

    def set(self, prop: int, value: float) -> bool:
        if prop in self.obeys:
            self.settings[prop] = value
        return prop in self.obeys or prop in self.lies

    def release(self) -> None:
        self.released.set()

    def kill(self) -> None:
        return


def counted(number: int) -> Image:
    return np.full((32, 32, 3), 20 + number % 230, np.uint8)


def camera(device: Device, read_timeout_s: float = 3.0, frozen_s: float = 2.0) -> Camera:
    return Camera(0, None, read_timeout_s, frozen_s, open_capture=lambda _: device)


def read_on(source: Camera | SteadyCamera, count: int) -> None:
    for _ in range(count):
        source.read()


def test_a_reader_that_is_slow_gets_the_newest_picture() -> None:
    device = Device(counted)
    with camera(device) as source:
        first = source.read()
        time.sleep(0.15)
        second = source.read()
    assert second.number - first.number > 5
    assert second.time_s > first.time_s


def test_no_picture_is_given_twice() -> None:
    with camera(Device(counted)) as source:
        numbers = [source.read().number for _ in range(20)]
    assert len(set(numbers)) == 20
    assert numbers == sorted(numbers)


def test_a_driver_that_hangs_is_lost_after_the_deadline() -> None:
    go = threading.Event()

    def hanging(number: int) -> Image:
        if number == 1:
            go.wait(5.0)
        return counted(number)

    source = camera(Device(hanging), read_timeout_s=0.1)
    source.read()
    with pytest.raises(CameraLost, match="no picture for"):
        source.read()
    go.set()
    source.close()


def test_the_same_picture_for_ever_is_a_frozen_camera() -> None:
    with camera(Device(lambda _: counted(7)), frozen_s=0.1) as source, pytest.raises(CameraLost, match="frozen"):
        read_on(source, 10000)


def test_a_source_whose_pictures_may_be_equal_is_not_frozen() -> None:
    device = Device(lambda _: counted(7))
    with Camera(0, frozen_s=None, open_capture=lambda _: device) as source:
        begin = time.monotonic()
        while time.monotonic() - begin < 0.1:
            source.read()


def test_a_camera_that_stops_is_lost() -> None:
    with camera(Device(lambda n: counted(n) if n < 3 else None)) as source, pytest.raises(CameraLost, match="stopped"):
        read_on(source, 5)


def test_closing_lets_go_of_the_device_and_may_be_repeated() -> None:
    device = Device(counted)
    source = camera(device)
    source.read()
    source.close()
    source.close()
    assert device.released.wait(1.0)
    with pytest.raises(CameraLost, match="closed"):
        source.read()


def test_a_device_that_does_not_open_is_not_found() -> None:
    device = Device(counted, opened=False)
    with pytest.raises(CameraNotFound, match="camera 0 cannot be opened"):
        camera(device)
    assert device.released.is_set()


def test_automatics_are_held_where_they_stand_and_a_lying_driver_is_found_out() -> None:
    """A driver may say yes to a setting and do nothing: only what is read back counts."""
    device = Device(counted)
    device.obeys = (cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_EXPOSURE)
    device.lies = (cv2.CAP_PROP_AUTOFOCUS,)
    device.settings = {cv2.CAP_PROP_AUTO_EXPOSURE: 3.0, cv2.CAP_PROP_EXPOSURE: 156.0, cv2.CAP_PROP_AUTOFOCUS: 1.0}
    device.settings[cv2.CAP_PROP_AUTO_WB] = 1.0
    with camera(device) as source:
        told = source.hold_settings()
    assert told == {"exposure": "held at 156", "white balance": "not obeyed", "focus": "not obeyed"}
    assert device.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0


def steady(devices: list[Device], patience_s: float = 5.0) -> SteadyCamera:
    """A camera whose plug is pulled and put back: each device in turn, then none."""
    left = iter(devices)

    def again() -> Camera:
        device = next(left, None)
        if device is None:
            raise CameraNotFound("camera 0 cannot be opened")
        return camera(device)

    return SteadyCamera(again(), again, SkippingClock(), patience_s)


class SkippingClock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def now_s(self) -> float:
        return self._now_s

    def sleep(self, seconds: float) -> None:
        self._now_s += seconds


def test_a_camera_that_is_plugged_in_again_goes_on_with_rising_numbers() -> None:
    first, second = Device(lambda n: counted(n) if n < 2 else None), Device(lambda n: counted(100 + n))
    source = steady([first, second])
    frames: list[Frame] = []
    while len(frames) < 3 or int(frames[-1].image[0, 0, 0]) < 100:
        frames.append(source.read())
    numbers = [frame.number for frame in frames]
    assert numbers == list(range(1, len(frames) + 1))
    assert first.released.wait(1.0)
    source.close()


def test_a_camera_that_does_not_come_back_is_lost_after_the_patience() -> None:
    source = steady([Device(lambda n: counted(n) if n < 1 else None)])
    with pytest.raises(CameraLost):
        read_on(source, 5)


def test_what_was_held_is_held_again_when_the_plug_is_back() -> None:
    """A camera that starts anew starts with its automatics on."""
    first, second = Device(lambda n: counted(n) if n < 40 else None), Device(lambda n: counted(100 + n))
    for device in (first, second):
        device.obeys = (cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_EXPOSURE)
        device.settings = {cv2.CAP_PROP_AUTO_EXPOSURE: 3.0, cv2.CAP_PROP_EXPOSURE: 90.0}
    source = steady([first, second])
    source.read()
    assert source.hold_settings()["exposure"] == "held at 90"
    while int(source.read().image[0, 0, 0]) < 100:
        pass
    assert second.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
    source.close()


def test_a_replugged_camera_is_known_by_its_link(tmp_path: Path) -> None:
    (tmp_path / "video2").touch()
    links = tmp_path / "by-id"
    links.mkdir()
    (links / "usb-Webcam_0815-video-index0").symlink_to(tmp_path / "video2")
    assert stable_name(2, links, tmp_path) == str(links / "usb-Webcam_0815-video-index0")
    assert stable_name(0, links, tmp_path) is None


def test_gray_pictures_become_colour() -> None:
    with camera(Device(lambda n: np.full((32, 32), 20 + n % 230, np.uint8))) as source:
        assert source.read().image.shape == (32, 32, 3)


def test_a_camera_that_is_missing_is_told_in_one_sentence_alone(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CameraNotFound, match="camera 97 cannot be opened"):
        Camera(97)

    assert capfd.readouterr().err == ""


def test_a_stream_that_is_not_there_is_called_a_stream_and_its_password_is_not_told() -> None:
    device = Device(counted, opened=False)
    with pytest.raises(CameraNotFound) as told:
        Camera("http://club:secret@cam.local:8080/live?channel=2", open_capture=lambda _: device)
    assert str(told.value).startswith(
        "the stream http://cam.local:8080/live?channel=2 cannot be opened; open the same address"
    )


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (0, "0"),
        ("/dev/video2", "/dev/video2"),
        ("rtsp://a:b@c@10.0.0.7/x", "rtsp://10.0.0.7/x"),
        ("http://cam/x?at=a@b", "http://cam/x?at=a@b"),
        ("http://cam", "http://cam"),
    ],
)
def test_a_source_is_spoken_of_without_its_password(source: int | str, shown: str) -> None:
    assert spoken(source) == shown
