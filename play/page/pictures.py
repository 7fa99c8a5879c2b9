"""The camera's picture for the page: the newest one, encoded once for everybody, at most ten times a second."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.play.match.ports import Eyes
from damludo.simulation.table import DiscColour, Table
from damludo.vision.content import LETTER_OF_CONTENT, Content
from damludo.vision.frame import Frame, FrameSource
from damludo.vision.motion import Scene
from damludo.vision.reading import BoardReading
from damludo.vision.view import BoardView
from damludo.vision.watcher import BoardWatcher

RATE_HZ = 10.0
JPEG_QUALITY = 80
WIDEST_PX = 960
"""A wider picture is reduced: the page shows it no larger."""


class NewestFrame:
    """A `FrameSource` that hands on another's pictures and keeps the newest for who looks on. Costs its reader one assignment."""

    def __init__(self, source: FrameSource) -> None:
        self._source = source
        self.frame: Frame | None = None

    def read(self) -> Frame:
        """Return the other source's next picture."""
        frame = self._source.read()
        self.frame = frame
        return frame

    def close(self) -> None:
        """Close the other source."""
        self._source.close()


class Encoder:
    """Makes the newest picture a JPEG, when asked, at most `RATE_HZ` times a second; used by the server's threads.

    Attributes:
        source: gives the newest picture, None before the first.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self.source: Callable[[], Frame | None] = lambda: None
        self._now_s = now_s
        self._lock = threading.Lock()
        self._frame: Frame | None = None
        self._made_s = -1.0
        self._newest: tuple[int, bytes] = (0, b"")

    def newest(self) -> tuple[int, bytes]:
        """Return a running number and the JPEG of the newest picture; (0, empty) before the first one."""
        with self._lock:
            frame = self.source()
            if frame is None or frame is self._frame or self._now_s() - self._made_s < 1.0 / RATE_HZ:
                return self._newest
            self._frame, self._made_s = frame, self._now_s()
            done, data = cv2.imencode(".jpg", reduced(frame.image), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            if done:
                self._newest = (self._newest[0] + 1, data.tobytes())
            return self._newest


def reduced(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture no wider than `WIDEST_PX`."""
    height, width = image.shape[:2]
    if width <= WIDEST_PX:
        return image
    size = (WIDEST_PX, round(height * WIDEST_PX / width))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


# --- where things are in the picture ------------------------------------------------------------------------------------------


def camera_json(view: BoardView) -> dict[str, Any]:
    """Return the size of the picture and where the board is in it, px."""
    width, height = view.image_size
    playable = view.grid.playable
    centres = view.project(np.array([view.centre_mm(place) for place in playable]))
    columns = view.grid.columns
    names = [f"{chr(ord('a') + place % columns)}{place // columns + 1}" for place in playable]
    return {
        "width": width,
        "height": height,
        "corners": _rounded(view.project(view.outer_corners_mm())),
        "squares": dict(zip(names, _rounded(centres), strict=True)),
    }


def ground_point(view: BoardView, point: tuple[float, float], z_mm: float) -> tuple[float, float]:
    """Return the point (x, y) of the board frame, mm, at height `z_mm` that is seen at a point of the picture, px."""
    pixel = np.array([[point]], dtype=np.float64)
    x, y = np.asarray(cv2.undistortPoints(pixel, view.camera_matrix, view.distortion), dtype=np.float64).reshape(2)
    rotation = np.asarray(cv2.Rodrigues(view.rotation_vector)[0], dtype=np.float64)
    eye = -rotation.T @ np.asarray(view.translation_mm, dtype=np.float64).reshape(3)
    ray = rotation.T @ np.array([x, y, 1.0])
    if abs(ray[2]) < 1e-9:
        return float(eye[0]), float(eye[1])  # along the horizon: nowhere on the board
    way = (z_mm - eye[2]) / ray[2]
    return float(eye[0] + way * ray[0]), float(eye[1] + way * ray[1])


# --- what is shown over it ----------------------------------------------------------------------------------------------------


def hand_outline(watcher: BoardWatcher) -> list[list[float]] | None:
    """Return the convex outline of the largest thing that hides the board, px of the picture; None if nothing does."""
    cover, region = watcher.motion.cover, watcher.motion.region
    if cover is None or not cover.mask.any():
        return None
    contours, _ = cv2.findContours(cover.mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    hull = np.asarray(cv2.convexHull(max(contours, key=cv2.contourArea)), dtype=np.float64).reshape(-1, 2)
    width, height = region.size
    stretch = np.array([(region.x1 - region.x0) / width, (region.y1 - region.y0) / height])
    return _rounded((hull + 0.5) * stretch - 0.5 + (region.x0, region.y0))


def readings_json(reading: BoardReading) -> dict[str, dict[str, Any]]:
    """Return what is seen on each playable square, and how sure that is."""
    probability = reading.probability()
    columns = reading.grid.columns
    shown = {}
    for place in reading.grid.playable:
        best = int(probability[place].argmax())
        name = f"{chr(ord('a') + place % columns)}{place // columns + 1}"
        shown[name] = {
            "content": LETTER_OF_CONTENT[Content(best)],
            "confidence": round(float(probability[place][best]), 3),
        }
    return shown


def _rounded(points: NDArray[np.float64]) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]


def table_json(table: Table, lock: AbstractContextManager[Any]) -> dict[str, Any]:
    """Return where all discs, the hand and the carriage of a simulated table are, mm of the board frame."""
    with lock:
        discs = [
            [round(d.x_mm, 1), round(d.y_mm, 1), round(d.z_mm, 1), "w" if d.colour is DiscColour.WHITE else "b"]
            for d in table.discs
        ]
        hand, carriage = table.hand, table.carriage
        return {
            "discs": discs,
            "hand": [round(hand.x_mm, 1), round(hand.y_mm, 1)] if hand.present else None,
            "carriage": [round(carriage.x_mm, 1), round(carriage.y_mm, 1)] if carriage.present else None,
        }


class ShownEyes:
    """`Eyes` that let the page see what they see; the match pays for one outline of the hand, ten times a second at most.

    Args:
        eyes: that look.
        outline: of the hand, in the newest picture.
        carriage: outlines of the machine's moving parts, none when they are parked.
        show: takes the overlay, if it is another than before.
        truth: tells where the things of a simulated table are. At a real table a person sees them; here the page is his only eye.
            It goes to the page alone: the match has to look.
        looked: called ten times a second at most.
    """

    def __init__(
        self,
        eyes: Eyes,
        outline: Callable[[], list[list[float]] | None],
        carriage: Callable[[], Sequence[NDArray[np.float64]]],
        show: Callable[[Mapping[str, Any]], None],
        truth: Callable[[], Mapping[str, Any]] | None = None,
        looked: Callable[[], None] = lambda: None,
    ) -> None:
        self._looked = looked
        self._eyes, self._outline, self._carriage, self._show = eyes, outline, carriage, show
        self._truth = truth
        self._readings: dict[str, dict[str, Any]] = {}
        self._shown: Mapping[str, Any] = {}
        self._next_s = 0.0

    def look(self, frame_rate_hz: float) -> Scene:
        """Look, and show hand and carriage."""
        scene = self._eyes.look(frame_rate_hz)
        if scene.time_s >= self._next_s:
            self._next_s = scene.time_s + 1.0 / RATE_HZ
            self._looked()
            carriage = self._carriage()
            self._offer(
                {
                    "hand": self._outline() if scene.hand else None,
                    "carriage": [_rounded(part) for part in carriage] or None,
                    "readings": self._readings,
                    **({} if self._truth is None else {"table": self._truth()}),
                },
                scene.time_s,
            )
        return scene

    def read(self) -> BoardReading:
        """Read, and show what was read."""
        reading = self._eyes.read()
        self._readings = readings_json(reading)
        self._offer({**self._shown, "readings": self._readings}, reading.time_s)
        return reading

    def believe(self, content: Mapping[int, Content]) -> None:
        """Believe."""
        self._eyes.believe(content)

    def _offer(self, overlay: Mapping[str, Any], time_s: float) -> None:
        if overlay != self._shown:
            self._shown = overlay
            self._show({"time_s": round(time_s, 2), **overlay})
