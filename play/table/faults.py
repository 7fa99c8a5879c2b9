"""Faults of a simulated game: what was asked for, when it begins, and the camera that suffers it as a real one would.

A fault is asked for by NAME@plyN: it begins when N plies were made. The names begin with the part that fails.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from damludo.play.console import CommandError, ExitCode
from damludo.play.match.ports import Clock
from damludo.simulation.camera_faults import CameraFault, FaultyCamera
from damludo.vision.camera import FROZEN_S, READ_TIMEOUT_S, SteadyCamera
from damludo.vision.errors import CameraLost
from damludo.vision.frame import Frame, FrameSource
from damludo.vision.soundness import Soundness


@dataclass(frozen=True, slots=True)
class Effect:
    """What a named fault does to the camera: a kind of `CameraFault`, for how long (s), to each so many-th picture."""

    kind: str
    seconds: float
    every: int = 1


FAULTS: Mapping[str, Effect] = {
    "camera-torn": Effect("torn", 4.0, every=3),
    "camera-grey": Effect("grey", 4.0, every=3),
    "camera-black": Effect("black", 4.0, every=4),
    "camera-stuck": Effect("stuck", 6.0),
    "camera-unplugged": Effect("unplugged", 8.0),
    "camera-resized": Effect("resized", 10.0),
    "camera-late": Effect("late", 30.0),
}
"""A loss is shorter than the patience of `SteadyCamera`: such a game has to go on by itself."""
LAST_PLY = 30
"""Faults that are drawn by chance begin before this ply."""


@dataclass(frozen=True, slots=True)
class PlannedFault:
    """A fault, and how many plies were made when it begins."""

    name: str
    ply: int


def parse_faults(text: str, seed: int) -> tuple[PlannedFault, ...]:
    """Return the faults that a text like "camera-stuck@ply4,camera-torn@ply9" or "random:3" asks for, in their order.

    Raises:
        CommandError: an unknown name or form; the known ones are listed.
    """
    if drawn := re.fullmatch(r"random:([1-9][0-9]?)", text, re.ASCII):
        chance, names = np.random.default_rng((seed, 6)), list(FAULTS)
        planned = [
            PlannedFault(names[int(chance.integers(len(names)))], int(chance.integers(LAST_PLY)))
            for _ in range(int(drawn[1]))
        ]
    else:
        planned = [_parse_one(word.strip()) for word in text.split(",")]
    return tuple(sorted(planned, key=lambda fault: fault.ply))


def _parse_one(word: str) -> PlannedFault:
    found = re.fullmatch(r"([a-z-]+)@ply([0-9]{1,4})", word, re.ASCII)
    if found is None or found[1] not in FAULTS:
        raise CommandError(
            f"'{word[:60]}' is no fault; write NAME@plyN, several joined by ',', or random:COUNT; the names are "
            f"{', '.join(FAULTS)}",
            ExitCode.USAGE,
        )
    return PlannedFault(found[1], int(found[2]))


class SuffersFaults:
    """A camera in step with a simulated clock that suffers the faults whose ply has come, seen as `Camera` sees a real one.

    Args:
        source: the camera.
        clock: its clock.
        planned: in the order of their plies.

    Attributes:
        source: what a match looks through: sound pictures alone; it comes back after a loss.
    """

    def __init__(self, source: FrameSource, clock: Clock, planned: Sequence[PlannedFault]) -> None:
        self._clock, self._planned = clock, list(planned)
        self._begun: dict[str, int] = {}
        self._faulty = FaultyCamera(source, clock, ())
        self.source = SteadyCamera(self._opened(), self._opened, clock)

    def _opened(self) -> "ScreenedCamera":
        return ScreenedCamera(self._faulty, self._clock)

    def plies_made(self, count: int) -> None:
        """Be told how many plies were made: faults that were planned for then begin, one after the other."""
        while self._planned and self._planned[0].ply <= count:
            fault = self._planned.pop(0)
            effect, now_s = FAULTS[fault.name], self._clock.now_s()
            self._faulty.begin(CameraFault(effect.kind, now_s, now_s + effect.seconds, effect.every))
            self._begun[fault.name] = self._begun.get(fault.name, 0) + 1

    def told(self) -> dict[str, dict[str, int]]:
        """Return for each fault how often it began and how many pictures it spoilt."""
        return {
            name: {"begun": begun, "pictures": self._faulty.spoilt[FAULTS[name].kind]}
            for name, begun in sorted(self._begun.items())
        }


class ScreenedCamera:
    """What `Camera` makes of a driver's pictures, without its thread: unsound ones are held back, a frozen camera is lost."""

    def __init__(self, driver: FrameSource, clock: Clock) -> None:
        self._driver, self._clock, self._soundness = driver, clock, Soundness()

    def read(self) -> Frame:
        """Return the next sound picture.

        Raises:
            CameraLost: the driver has none, repeats its last one, or none is sound in time.
        """
        begin_s = self._clock.now_s()
        while self._clock.now_s() - begin_s < READ_TIMEOUT_S:
            frame = self._driver.read()
            sound = self._soundness.accepts(frame.image, frame.time_s)
            if self._soundness.same_s >= FROZEN_S:
                raise CameraLost("the camera is frozen; plug it in again")
            if sound:
                return frame
            self._clock.sleep(1 / 30)
        raise CameraLost("the camera gave only pictures that are torn or late; check its cable")

    @property
    def held_back(self) -> dict[str, int]:
        """How many pictures were held back, by the reason."""
        return self._soundness.held_back

    def hold_settings(self) -> dict[str, str]:
        """A simulated camera has no automatics."""
        return {}

    def close(self) -> None:
        """The driver is closed by whoever opened it: it is looked through again."""
