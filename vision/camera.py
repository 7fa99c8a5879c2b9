"""A real camera over OpenCV: a thread that always holds the newest sound picture, over a driver in a process of its own."""

import contextlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Protocol

import cv2
import numpy as np

from damludo.vision.capture import Capture, CaptureProcess
from damludo.vision.clock import Clock
from damludo.vision.errors import BadPicture, CameraError, CameraLost, CameraNotFound
from damludo.vision.frame import Frame, FrameSource, Image
from damludo.vision.recording import PictureFolder, VideoFile, check_dimensions
from damludo.vision.soundness import Soundness

READ_TIMEOUT_S = 3.0
"""A camera that gives no picture for so long is lost (a webcam in the dark needs 0.2 s for one)."""
FROZEN_S = 2.0
"""The same bytes for so long: the driver repeats its last picture for ever, as some do when the plug is out."""


class Camera:
    """A `FrameSource` over a webcam, a device file or a network stream.

    A driver keeps a queue of a few pictures; a slow reader would get old ones. So a thread reads all the time, stamps each
    picture when it arrives and keeps only the newest. Torn, black and belated pictures are held back (`Soundness`). The driver
    lives in a process of its own (`CaptureProcess`): a call of it that never returns is ended by `close`.

    Args:
        source: number of the camera, device path, or an http/rtsp URL; what is said of it leaves out a password.
        clock: stamps the frames; the monotonic clock of this computer if None.
        read_timeout_s: after so long without a new picture `read` gives up.
        frozen_s: identical pictures for so long are a fault; None for sources whose pictures may be identical.
        open_capture: opens the device.

    Raises:
        CameraNotFound: the device cannot be opened or gives no first picture.
    """

    def __init__(
        self,
        source: int | str,
        clock: Clock | None = None,
        read_timeout_s: float = READ_TIMEOUT_S,
        frozen_s: float | None = FROZEN_S,
        open_capture: Callable[[int | str], Capture] | None = None,
    ) -> None:
        self.source = spoken(source)
        self._named, self._repair = f"camera {self.source}", "check its cable and plug it in again"
        if _is_stream(source):
            self._named, self._repair = f"the stream {self.source}", "see whether its device is on and in the network"
        self._clock: Clock = clock if clock is not None else _MonotonicClock()
        self._read_timeout_s, self._frozen_s = read_timeout_s, frozen_s
        self._soundness = Soundness()
        self._capture = (open_capture or CaptureProcess)(source)
        if not self._capture.isOpened():
            self._capture.release()
            raise CameraNotFound(_cannot_open(source))
        self._news = threading.Condition()
        self._newest: Frame | None = None
        self._fault: str | None = None
        self._given = 0
        self._closing = False
        self._hold_wanted = False
        self._held: dict[str, str] | None = None
        self._thread = threading.Thread(target=self._run, name=self._named, daemon=True)
        self._thread.start()

    def read(self) -> Frame:
        """Return the newest picture, waiting for one that was not given yet.

        Raises:
            CameraLost: none came in time, the camera is frozen, or it was closed.
        """
        with self._news:
            if not self._news.wait_for(self._has_news, timeout=self._read_timeout_s):
                doubt = self._soundness.doubt
                told = "only pictures that are torn or late" if doubt else "no picture"
                raise CameraLost(f"{self._named} gave {told} for {self._read_timeout_s:g} s; {self._repair}")
            if self._fault is not None or self._newest is None:
                raise CameraLost(self._fault or f"{self._named} is closed")
            self._given = self._newest.number
            return self._newest

    def hold_settings(self) -> dict[str, str]:
        """Stop the automatics of exposure, white balance and focus where they stand now; they would pump when a hand comes in.

        Returns:
            For each: "held at VALUE" or "not obeyed". A driver that says nothing and does nothing is found out by reading back.

        Raises:
            CameraLost: the camera does not answer.
        """
        with self._news:
            self._hold_wanted, self._held = True, None
            done = self._news.wait_for(lambda: self._held is not None or self._fault is not None, self._read_timeout_s)
            if self._held is None or not done:
                raise CameraLost(self._fault or f"{self._named} does not answer; {self._repair}")
            return self._held

    def close(self) -> None:
        """Let go of the device; a driver that hangs is ended."""
        with self._news:
            self._closing = True
            if self._fault is None:
                self._fault = f"{self._named} is closed"
            self._news.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=0.5)
            if self._thread.is_alive():
                self._capture.kill()
                self._thread.join(timeout=1.0)

    @property
    def held_back(self) -> dict[str, int]:
        """How many pictures were held back, by the reason."""
        return self._soundness.held_back

    def __enter__(self) -> "Camera":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _has_news(self) -> bool:
        return self._fault is not None or (self._newest is not None and self._newest.number > self._given)

    def _run(self) -> None:
        """Read until closed or lost. The device belongs to this thread: releasing it elsewhere during a read crashes drivers."""
        number = 0
        try:
            while not self._closing:
                if self._hold_wanted:
                    held = _held_settings(self._capture)
                    with self._news:
                        self._hold_wanted, self._held = False, held
                        self._news.notify_all()
                good, image = self._capture.read()
                now_s = self._clock.now_s()
                if not good or image is None:
                    return self._fail(f"{self._named} stopped; {self._repair}")
                try:
                    image = _as_bgr(image)
                except BadPicture as error:
                    return self._fail(str(error))
                sound = self._soundness.accepts(image, now_s)
                if self._frozen_s is not None and self._soundness.same_s >= self._frozen_s:
                    return self._fail(
                        f"{self._named} is frozen: the same picture for {self._frozen_s:g} s; {self._repair}"
                    )
                if not sound:
                    continue
                number += 1
                with self._news:
                    self._newest = Frame(image, now_s, number)
                    self._news.notify_all()
        finally:
            self._capture.release()

    def _fail(self, why: str) -> None:
        with self._news:
            if self._fault is None:
                self._fault = why
            self._news.notify_all()


RETRY_S, PATIENCE_S = 0.5, 20.0
"""A lost camera is opened anew this often, for so long: time to put a plug back in."""
SAME_SHAPE = 0.02
"""Pictures whose ratio of width to height differs by less than this part show the same, in another resolution."""


class OpenCamera(Protocol):
    """What `SteadyCamera` needs of a camera: `Camera`, or one that is simulated in step."""

    @property
    def held_back(self) -> dict[str, int]: ...

    def read(self) -> Frame: ...

    def hold_settings(self) -> dict[str, str]: ...

    def close(self) -> None: ...


class SteadyCamera:
    """A camera that comes back: when it is lost it is opened anew, also under another number, and frames go on counting.

    Its pictures keep the size of the first one: a driver that starts anew in another resolution of the same shape is scaled.

    Args:
        camera: open.
        again: opens it anew.
        clock: waits between tries.
        patience_s: after so long without a camera the loss is told.
    """

    def __init__(
        self,
        camera: OpenCamera,
        again: Callable[[], OpenCamera],
        clock: Clock | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._camera, self._again, self._patience_s = camera, again, patience_s
        self._clock: Clock = clock if clock is not None else _MonotonicClock()
        self._number = 0
        self._held = False
        self._closed = False
        self._size: tuple[int, int] | None = None

    def read(self) -> Frame:
        """Return the newest picture; may take as long as the camera is away.

        Raises:
            CameraLost: it did not come back, it came back with pictures of another shape, or it was closed.
        """
        lost_s: float | None = None
        while True:
            try:
                frame = self._camera.read()
            except CameraError as error:
                lost_s = self._clock.now_s() if lost_s is None else lost_s
                if self._closed or self._clock.now_s() - lost_s >= self._patience_s:
                    raise CameraLost(str(error)) from error
                self._reopen()
                continue
            self._number += 1
            return Frame(self._of_one_size(frame.image), frame.time_s, self._number)

    def _of_one_size(self, image: Image) -> Image:
        height, width = image.shape[:2]
        if self._size is None:
            self._size = (width, height)
        if (width, height) == self._size:
            return image
        if abs(width * self._size[1] / (height * self._size[0]) - 1) > SAME_SHAPE:
            raise CameraLost(
                f"the camera's pictures changed from {self._size[0]} x {self._size[1]} to {width} x {height} px, which shows "
                f"another part of the table; set the camera back to the first format, or start anew"
            )
        shrinks = width > self._size[0]
        way = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        return np.asarray(cv2.resize(image, self._size, interpolation=way), dtype=np.uint8)

    def hold_settings(self) -> dict[str, str]:
        """Stop the automatics, as `Camera.hold_settings`; again whenever the camera comes back."""
        self._held = True
        return self._camera.hold_settings()

    def close(self) -> None:
        """Let go of the device."""
        self._closed = True
        self._camera.close()

    def _reopen(self) -> None:
        self._camera.close()
        self._clock.sleep(RETRY_S)
        with contextlib.suppress(CameraError):
            self._camera = self._again()
            if self._held:
                self._camera.hold_settings()


def spoken(source: int | str) -> str:
    """Return a source as it may be shown and kept: without the user name and password of a URL."""
    text = str(source)
    scheme, mark, rest = text.partition("://")
    if not mark:
        return text
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def _is_stream(source: int | str) -> bool:
    return isinstance(source, str) and "://" in source


def _cannot_open(source: int | str) -> str:
    if _is_stream(source):
        return f"the stream {spoken(source)} cannot be opened; open the same address in a browser: it must show moving pictures"
    return (
        f"camera {source} cannot be opened; check its plug, that no other program uses it, and its number with "
        f"'damludo doctor'"
    )


def stable_name(number: int, links: Path = Path("/dev/v4l/by-id"), devices: Path = Path("/dev")) -> str | None:
    """Return the link that names camera `number` by its make and serial number; a replugged camera may get another number."""
    device = devices / f"video{number}"
    for link in sorted(links.glob("*")) if links.is_dir() else ():
        if link.resolve() == device.resolve():
            return str(link)
    return None


def _steady(source: int | str, clock: Clock | None) -> SteadyCamera:
    camera = Camera(source, clock)
    link = stable_name(source) if isinstance(source, int) else None

    def again() -> Camera:
        # OpenCV opens Video4Linux devices by number or by their plain path only.
        return Camera(os.path.realpath(link) if link else source, clock)

    return SteadyCamera(camera, again, clock)


_AUTOMATICS = (
    ("exposure", cv2.CAP_PROP_AUTO_EXPOSURE, (1.0, 0.25), cv2.CAP_PROP_EXPOSURE),
    ("white balance", cv2.CAP_PROP_AUTO_WB, (0.0,), cv2.CAP_PROP_WB_TEMPERATURE),
    ("focus", cv2.CAP_PROP_AUTOFOCUS, (0.0,), cv2.CAP_PROP_FOCUS),
)
"""Name, switch of the automatic, what means "by hand" for it (Video4Linux says 1, DirectShow 0.25), and the value."""


def _held_settings(capture: Capture) -> dict[str, str]:
    """Switch the automatics off and put back the values that they had found; tell what the driver made of it."""
    told: dict[str, str] = {}
    for name, switch, by_hand, value_of in _AUTOMATICS:
        value = capture.get(value_of)
        obeyed = any(capture.set(switch, off) and abs(capture.get(switch) - off) < 1e-3 for off in by_hand)
        if obeyed:
            capture.set(value_of, value)
            told[name] = f"held at {capture.get(value_of):g}"
        else:
            told[name] = "not obeyed"
    return told


def open_source(
    source: str, frame_rate: float | None = None, times: Path | None = None, clock: Clock | None = None
) -> FrameSource:
    """Open what a person calls a camera: a number, a device, a stream, a video file or a folder of pictures.

    Args:
        source: as typed.
        frame_rate: pictures a second of a folder, or instead of what a video file says.
        times: file with the time of every picture of a folder.
        clock: for real cameras.

    Raises:
        CameraNotFound: there is no such thing.
        BadPicture: the times file does not fit the folder.
    """
    if source.isascii() and source.isdigit():
        return _steady(int(source), clock)
    if "://" in source:
        return _steady(source, clock)
    path = Path(source)
    if path.is_dir():
        return PictureFolder(path, frame_rate=frame_rate, times=times)
    if path.is_file():
        return VideoFile(path, frame_rate=frame_rate)
    if path.exists():
        return _steady(source, clock)
    raise CameraNotFound(
        f"there is no camera, file or folder '{source}'; give a camera number, a video, a folder or a URL"
    )


class _MonotonicClock:
    """The computer's monotonic clock."""

    def now_s(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        if seconds > 0:
            time.sleep(seconds)


def _as_bgr(image: Image) -> Image:
    """Return (h, w, 3) uint8 whatever the driver gives (gray, BGRA)."""
    if image.dtype != np.uint8 or image.ndim not in (2, 3):
        raise BadPicture("the camera gives pictures that are not 8 bit; choose another format for it")
    height, width = image.shape[:2]
    check_dimensions(width, height, "the camera's picture")
    if image.ndim == 2 or image.shape[2] == 1:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    if image.shape[2] == 4:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2BGR), dtype=np.uint8)
    return image
