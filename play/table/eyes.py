"""The real eyes of a match: a source of pictures and a watcher over them."""

from collections.abc import Callable, Mapping, Sequence

from damludo.play.match.ports import Clock
from damludo.vision.content import Content
from damludo.vision.frame import FrameSource
from damludo.vision.motion import Outline, Scene
from damludo.vision.reading import BoardReading
from damludo.vision.touch import TouchEvidence
from damludo.vision.view import BoardView
from damludo.vision.watcher import BoardWatcher


class CameraEyes:
    """`Eyes` over a camera.

    Attributes:
        watcher: follows the board.
        ignore: returns the outlines of the machine's moving parts in the picture, none when they are parked out of it.
        busy: a picture is being taken or looked through: what it shows grows old.
    """

    def __init__(self, source: FrameSource, watcher: BoardWatcher, clock: Clock) -> None:
        self._source, self.watcher, self._clock = source, watcher, clock
        self._last_s = -1.0
        self.ignore: Callable[[], Sequence[Outline]] = tuple
        self.busy = False

    @property
    def view(self) -> BoardView:
        """Where board and camera stand now."""
        return self.watcher.view

    def touches(self, content: Mapping[int, Content]) -> tuple[TouchEvidence, ...]:
        """Return what the last `read` proves of touched discs that stand where they stood; `content` is what stands now."""
        return self.watcher.touches(content)

    def look(self, frame_rate_hz: float) -> Scene:
        """Wait for the next picture at a frame rate and say what happens in it."""
        self._clock.sleep(self._last_s + 1.0 / frame_rate_hz - self._clock.now_s())
        self.busy = True
        try:
            frame = self._source.read()
            self._last_s = frame.time_s
            return self.watcher.update(frame, self.ignore())
        finally:
            self.busy = False

    def read(self) -> BoardReading:
        """Return the reading of the newest quiet pictures."""
        return self.watcher.read()

    def believe(self, content: Mapping[int, Content]) -> None:
        """Be told what stands on the squares of the newest quiet pictures."""
        self.watcher.believe(content)
