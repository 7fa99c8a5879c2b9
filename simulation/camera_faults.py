"""What a camera does when its cable, its driver or the computer fails, by name: for tests and for whole simulated games.

Each fault acts on the pictures of another camera, between two times of its clock. A real camera's pictures come through a driver,
so what is laid over them here is what a driver would give: pictures that are torn, black, frozen, old, of another size, or none.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from damludo.vision.clock import Clock
from damludo.vision.errors import CameraLost
from damludo.vision.frame import Frame, FrameSource, Image

FAULTS = ("torn", "grey", "black", "stuck", "late", "unplugged", "resized")
GREY = 128
"""What decoders put where a picture's bytes are missing."""
WAIT_S = 3.0
"""A reader waits so long for a camera that is not there."""


@dataclass(frozen=True, slots=True)
class CameraFault:
    """One fault.

    Attributes:
        kind: one of `FAULTS`. "torn": the lower half is that of the picture before; "grey": the lower third is missing;
            "black"; "stuck": the picture of the beginning for ever; "late": pictures `delay_s` old; "unplugged": no picture;
            "resized": half the size.
        start_s, end_s: when it acts, on the camera's clock.
        every: only each so many-th picture is spoilt.
        delay_s: of "late".
    """

    kind: str
    start_s: float
    end_s: float
    every: int = 1
    delay_s: float = 2.0

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise ValueError(f"'{self.kind}' is no fault of a camera; there are {', '.join(FAULTS)}")


class FaultyCamera:
    """A `FrameSource` that spoils the pictures of another one.

    Args:
        source: the camera.
        clock: its clock.
        faults: what happens to it.

    Attributes:
        spoilt: how many pictures were spoilt, by kind.
    """

    def __init__(self, source: FrameSource, clock: Clock, faults: Sequence[CameraFault]) -> None:
        self._source, self._clock, self._faults = source, clock, tuple(faults)
        self._last: Image | None = None
        self._stuck: Image | None = None
        self._queue: deque[Frame] = deque()
        self._number = 0
        self.spoilt: dict[str, int] = dict.fromkeys(FAULTS, 0)

    def read(self) -> Frame:
        """Return the next picture as it comes through the cable.

        Raises:
            CameraLost: the camera is unplugged; 3 s of its clock have passed.
        """
        now_s = self._clock.now_s()
        fault = next((f for f in self._faults if f.start_s <= now_s < f.end_s), None)
        if fault is not None and fault.kind == "unplugged":
            self._clock.sleep(min(WAIT_S, fault.end_s - now_s))
            self.spoilt["unplugged"] += 1
            raise CameraLost("the camera gave no picture for 3 s; check its cable and plug it in again")
        frame = self._source.read()
        self._number += 1
        image = frame.image
        if fault is not None and self._number % fault.every == 0:
            image = self._spoil(fault, frame)
            self.spoilt[fault.kind] += 1
        else:
            self._stuck = None
            self._queue.clear()
        self._last = frame.image
        return Frame(image, frame.time_s, frame.number)

    def begin(self, fault: CameraFault) -> None:
        """Let one more fault act."""
        self._faults = (*self._faults, fault)

    def close(self) -> None:
        """Close the camera."""
        self._source.close()

    def _spoil(self, fault: CameraFault, frame: Frame) -> Image:
        image = frame.image
        if fault.kind == "black":
            return np.zeros_like(image)
        if fault.kind == "torn" and self._last is not None:
            half = image.shape[0] // 2
            return np.concatenate([image[:half], self._last[half:]])
        if fault.kind == "grey":
            missing = image.copy()
            missing[2 * image.shape[0] // 3 :] = GREY
            return missing
        if fault.kind == "stuck":
            if self._stuck is None:
                self._stuck = image
            return self._stuck
        if fault.kind == "resized":
            size = (image.shape[1] // 2, image.shape[0] // 2)
            return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        self._queue.append(frame)
        while len(self._queue) > 1 and self._queue[1].time_s <= frame.time_s - fault.delay_s:
            self._queue.popleft()
        return self._queue[0].image
