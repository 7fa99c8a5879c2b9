"""The eyes in one object: frames go in; scenes, readings of the board and what a hand covered come out."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import ChangeEvidence, Patches, PatchSampler
from damludo.vision.content import Content
from damludo.vision.errors import BadPicture, VisionError
from damludo.vision.frame import Frame, Image
from damludo.vision.motion import MotionWatch, Region, Scene
from damludo.vision.reading import BoardReading
from damludo.vision.view import BoardView

QUIET_FRAMES = 5
"""So many of the newest quiet frames are averaged: halves the noise, costs a third of a second."""
TEMPER = 0.6
"""Weight of the absolute reading where a comparison with the baseline exists: its errors are alike in both pictures."""
CLIP_NATS = 30.0
"""No single place outvotes all others (see `BoardReading`)."""
NUDGE_LOG_PRIOR = -2.0
"""Log prior of a place that was disturbed and still holds what it held: lifted and put back, brushed by a sleeve."""
CHANGE_LOG_PRIOR = -2.0
"""Log prior of a place that was disturbed and holds something else: no likelier than being brushed."""
EMPTY_NUDGE_LOG_PRIOR = -16.0
"""The same for an empty place: there is nothing to lift or brush, only a shadow can have changed it. A dark disc on a dark square
hardly differs from the square, but it does change it."""
CONTRADICTION_NATS = 12.0
"""An absolute reading that prefers something else by so much, on a place that did not change, is a contradiction."""


class PictureReader(Protocol):
    """Reads one picture by itself, without the pictures before it."""

    def read(self, image: Image, believed: Mapping[int, Content] | None) -> NDArray[np.float64]:
        """Return log-likelihoods of the contents, shape (rows * columns, 5).

        Args:
            image: a quiet picture.
            believed: what probably stands there (helps to fit the light), or None.
        """


class BoardWatcher:
    """Follows one board from quiet picture to quiet picture.

    Args:
        view: where board and camera stand.
        reader: the absolute reading of one picture, which starts the tracking and cross-checks it.
    """

    def __init__(self, view: BoardView, reader: PictureReader) -> None:
        self.view = view
        self._reader = reader
        self._motion = MotionWatch(Region.of_view(view))
        self._sampler = PatchSampler(view)
        self._quiet: deque[Frame] = deque(maxlen=QUIET_FRAMES)
        self._was_quiet = False
        self._quiet_was_read = False
        self._believed: dict[int, Content] | None = None
        self._baseline: Patches | None = None
        self._baseline_due = False
        self._change: ChangeEvidence | None = None
        self._disagreement: tuple[int, ...] = ()

    @property
    def motion(self) -> MotionWatch:
        """What follows hands, with what hides the board in the newest picture."""
        return self._motion

    @property
    def covered(self) -> NDArray[np.bool_]:
        """True for the places that a hand was over since the last `believe`, shape (rows * columns,)."""
        return self._motion.covered

    @property
    def change(self) -> ChangeEvidence | None:
        """The comparison with the baseline that the last `read` used; None without a baseline."""
        return self._change

    @property
    def disagreement(self) -> tuple[int, ...]:
        """Places of the last `read` that did not change but look, taken absolutely, like something else than believed."""
        return self._disagreement

    @property
    def believed(self) -> dict[int, Content] | None:
        """What the match said last, or None."""
        return None if self._believed is None else dict(self._believed)

    def update(self, frame: Frame, ignore: NDArray[np.float64] | None = None) -> Scene:
        """Take in the next frame and say what goes on.

        Args:
            frame: later than the last one.
            ignore: polygon of a moving machine part in the picture, shape (n, 2), px; it is no evidence of a hand.

        Raises:
            BadPicture: the picture is not of the size that the board was found in.
        """
        height, width = frame.image.shape[:2]
        if (width, height) != self.view.image_size:
            raise BadPicture(
                f"the pictures changed their size from {self.view.image_size} to {(width, height)} px; "
                f"use pictures of one size, and start anew after another camera was plugged in"
            )
        scene = self._motion.update(frame, ignore)
        if scene.quiet:
            if not self._was_quiet:
                self._quiet.clear()
                self._quiet_was_read = False
            self._quiet.append(frame)
            if self._baseline_due and len(self._quiet) >= 3:
                self._take_baseline(tuple(self._quiet))
        elif scene.hand:
            # What the match believed may be over by the time the scene is quiet again.
            self._baseline_due = False
        self._was_quiet = scene.quiet
        return scene

    def quiet_frame(self) -> Frame | None:
        """Return the newest quiet frame, or None if there was none yet."""
        return self._quiet[-1] if self._quiet else None

    def read(self, frames: Sequence[Frame] = ()) -> BoardReading:
        """Read the board from the newest quiet frames, or from given ones that show the same scene.

        A place that did not change since `believe` strongly keeps its content; a changed place is what the picture shows.
        `change` and `disagreement` tell how the two agreed.

        Raises:
            VisionError: no quiet frame was seen yet.
        """
        frames = frames or tuple(self._quiet)
        if not frames:
            raise VisionError("the board was not quiet yet; take the hands away and wait half a second")
        self._quiet_was_read = True
        image = _average(frames)
        absolute = np.asarray(self._reader.read(image, self._believed), dtype=np.float64)
        self._change, self._disagreement = None, ()
        combined = absolute
        if self._baseline is not None and self._believed is not None:
            self._change = self._sampler.compare(self._baseline, self._sampler.sample(image))
            combined = combine(absolute, self._believed, self._change)
            self._disagreement = contradictions(absolute, self._believed, self._change)
        newest = frames[-1]
        table = _normalised(combined, self.view.grid.playable)
        return BoardReading(self.view.grid, table, newest.time_s, newest.number)

    def believe(self, content: Mapping[int, Content], frames: Sequence[Frame] = ()) -> None:
        """Take over what stands on the board (the match has confirmed it); later readings are compared with this moment.

        The newest quiet frames (or those given) become the baseline; if there is none since the last motion, the next ones do.
        """
        self._believed = dict(content)
        self._motion.forget_cover()
        self._baseline = None
        # Quiet frames of the past count only if the caller read them: what it confirms is what they show.
        if not frames and (self._was_quiet or self._quiet_was_read):
            frames = tuple(self._quiet)
        self._baseline_due = not frames
        if frames:
            self._take_baseline(frames)

    def restart(self) -> None:
        """Forget all pictures but not the belief: the camera was moved or a source was replaced."""
        self._motion.restart()
        self._quiet.clear()
        self._was_quiet = False
        self._baseline, self._baseline_due = None, self._believed is not None

    def _take_baseline(self, frames: Sequence[Frame]) -> None:
        self._baseline = self._sampler.sample(_average(frames))
        self._baseline_due = False


def _average(frames: Sequence[Frame]) -> Image:
    if len(frames) == 1:
        return frames[0].image
    total = np.zeros(frames[0].image.shape, dtype=np.float32)
    for frame in frames:
        cv2.accumulate(frame.image, total)
    return np.asarray(cv2.convertScaleAbs(total, alpha=1.0 / len(frames)), dtype=np.uint8)


def combine(
    absolute: NDArray[np.float64], believed: Mapping[int, Content], change: ChangeEvidence
) -> NDArray[np.float64]:
    """Join the absolute reading with the evidence of change.

    Args:
        absolute: shape (rows * columns, 5).
        believed: the content at the time of the baseline.
        change: the comparison with it.

    Returns:
        Log-likelihoods, shape (rows * columns, 5): an unchanged place can hold only what it held; a disturbed one holds anything,
        also what it held (put back).
    """
    table = TEMPER * (absolute - absolute.max(axis=1, keepdims=True))
    ratio = change.log_likelihood_ratio
    for place, content in believed.items():
        bonus = np.full(table.shape[1], CHANGE_LOG_PRIOR + ratio[place])
        nudge = EMPTY_NUDGE_LOG_PRIOR if content is Content.EMPTY else NUDGE_LOG_PRIOR
        bonus[int(content)] = np.logaddexp(0.0, nudge + ratio[place])
        table[place] += bonus
    return np.asarray(table)


def contradictions(
    absolute: NDArray[np.float64], believed: Mapping[int, Content], change: ChangeEvidence
) -> tuple[int, ...]:
    """Return the places that did not change but look like something else than believed."""
    return tuple(
        place
        for place, content in sorted(believed.items())
        if absolute[place].max() - absolute[place, int(content)] > CONTRADICTION_NATS
        and change.log_likelihood_ratio[place] < 0.0
    )


def _normalised(table: NDArray[np.float64], playable: tuple[int, ...]) -> NDArray[np.float64]:
    """Best of each row 0, none below -`CLIP_NATS`, rows that are not playable all zero."""
    result = np.zeros_like(table)
    rows = list(playable)
    result[rows] = np.maximum(table[rows] - table[rows].max(axis=1, keepdims=True), -CLIP_NATS)
    return result
