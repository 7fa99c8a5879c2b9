"""Drivers that hang, crash or are left behind: each lives in a real child process, which is ended when it does not answer."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from damludo.vision.camera import Camera, SteadyCamera
from damludo.vision.capture import CaptureProcess
from damludo.vision.errors import CameraLost, CameraNotFound

DRIVER = '''
import os, pathlib, time
import numpy as np

class Driver:
    """Gives pictures of one brightness each; `source` names a folder and what goes wrong in it, at the n-th picture."""
    def __init__(self, source):
        self.folder, self.wrong, self.at = source.split("|")
        times = pathlib.Path(self.folder) / "opened"
        self.opening = int(times.read_text()) if times.exists() else 0
        times.write_text(str(self.opening + 1))
        self.number, self.settings = 0, {}
        if self.wrong == "open":
            time.sleep(3600)
    def isOpened(self):
        return self.wrong != "closed"
    def read(self):
        time.sleep(0.01)
        if self.number == int(self.at) and self.opening == 0:
            if self.wrong == "hang":
                time.sleep(3600)
            if self.wrong == "crash":
                os.abort()
            if self.wrong == "print":
                os.write(1, b"a driver that talks among the answers")
        self.number += 1
        shape = (48, 64) if self.wrong == "grey" else (48, 64, 3)
        return True, np.full(shape, 30 + self.number + 100 * (self.opening > 0), np.uint8)
    def get(self, prop):
        return self.settings.get(prop, 0.5)
    def set(self, prop, value):
        self.settings[prop] = value
        return prop != 7
    def release(self):
        pathlib.Path(self.folder, "released").touch()
'''

Open = Callable[..., CaptureProcess]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens a scripted driver in a child: what goes wrong, at which picture."""
    (tmp_path / "scripted_driver.py").write_text(DRIVER)
    monkeypatch.syspath_prepend(str(tmp_path))

    def open_(wrong: str = "nothing", at: int = 0, read_s: float = 10.0, open_s: float = 30.0) -> CaptureProcess:
        return CaptureProcess(f"{tmp_path}|{wrong}|{at}", read_s, open_s, "scripted_driver:Driver")

    return open_


def read_on(source: Camera, count: int) -> None:
    for _ in range(count):
        source.read()


def child_of(capture: CaptureProcess) -> int:
    return capture._process.pid


def is_gone(pid: int, within_s: float = 10.0) -> bool:
    end_s = time.monotonic() + within_s
    while time.monotonic() < end_s:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_pictures_and_settings_come_through_whole(opened: Open, tmp_path: Path) -> None:
    capture = opened()
    assert capture.isOpened()
    for number in (1, 2, 3):
        good, image = capture.read()
        assert good
        assert image is not None
        assert np.array_equal(image, np.full((48, 64, 3), 30 + number, np.uint8))
    assert (capture.get(5), capture.set(5, 2.25), capture.get(5), capture.set(7, 1.0)) == (0.5, True, 2.25, False)
    capture.release()
    assert (tmp_path / "released").exists()
    assert is_gone(child_of(capture))


def test_a_grey_picture_stays_grey(opened: Open) -> None:
    capture = opened("grey")
    assert capture.read()[1].shape == (48, 64, 1)  # type: ignore[union-attr]
    capture.release()


def test_what_a_driver_prints_does_not_come_among_the_answers(opened: Open) -> None:
    capture = opened("print", at=1)
    images = [capture.read()[1] for _ in range(3)]
    assert [image[0, 0, 0] for image in images if image is not None] == [31, 32, 33]
    capture.release()


@pytest.mark.parametrize("wrong", ["hang", "crash"])
def test_a_read_that_never_returns_fails_and_ends_the_child(opened: Open, wrong: str) -> None:
    capture = opened(wrong, at=1, read_s=0.5)
    assert capture.read()[0]
    assert capture.read() == (False, None)
    assert is_gone(child_of(capture))
    assert capture.read() == (False, None)
    assert capture.get(5) == 0.0
    capture.release()


def test_an_open_that_never_returns_is_a_camera_that_is_not_found(opened: Open) -> None:
    with pytest.raises(CameraNotFound, match="cannot be opened"):
        Camera(0, open_capture=lambda _: opened("open", open_s=0.5))


def test_a_hanging_driver_blocks_neither_the_reader_nor_the_end(opened: Open) -> None:
    capture = opened("hang", at=2, read_s=3600.0)
    source = Camera(0, read_timeout_s=0.5, open_capture=lambda _: capture)
    begin_s = time.monotonic()
    with pytest.raises(CameraLost, match="no picture for"):
        read_on(source, 5)
    source.close()
    assert time.monotonic() - begin_s < 30.0
    assert is_gone(child_of(capture))
    assert not source._thread.is_alive()


@pytest.mark.parametrize("wrong", ["hang", "crash"])
def test_a_driver_that_hangs_or_crashes_is_replaced_and_the_pictures_go_on(opened: Open, wrong: str) -> None:
    def again() -> Camera:
        return Camera(0, read_timeout_s=5.0, open_capture=lambda _: opened(wrong, at=3, read_s=0.3))

    source = SteadyCamera(again(), again, patience_s=60.0)
    frames = [source.read()]
    while frames[-1].image[0, 0, 0] < 130:
        frames.append(source.read())
    assert [frame.number for frame in frames] == list(range(1, len(frames) + 1))
    source.close()


ORPHAN = """
import sys
sys.path[:] = {path!r}
from damludo.vision.capture import CaptureProcess
capture = CaptureProcess({source!r}, 3600.0, {open_s}, "scripted_driver:Driver")
print(capture._process.pid, flush=True)
capture.read()
"""


def started(opened: Open, tmp_path: Path, wrong: str) -> "subprocess.Popen[str]":
    code = ORPHAN.format(path=sys.path, source=f"{tmp_path}|{wrong}|0", open_s=3600.0)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def test_a_child_whose_parent_was_killed_ends_although_its_driver_hangs(opened: Open, tmp_path: Path) -> None:
    with started(opened, tmp_path, "hang") as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    assert is_gone(child)


@pytest.mark.parametrize("wrong", ["hang", "open"])
def test_ctrl_c_ends_a_program_whose_driver_hangs(opened: Open, tmp_path: Path, wrong: str) -> None:
    with started(opened, tmp_path, wrong) as parent:
        while not (tmp_path / "opened").exists():
            time.sleep(0.02)
        time.sleep(0.2)
        os.kill(parent.pid, signal.SIGINT)
        try:
            assert parent.wait(10.0) != 0
        finally:
            parent.kill()  # or the end of the block waits for it
