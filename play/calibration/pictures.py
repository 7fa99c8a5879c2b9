"""The pictures that a calibration looks at: of a camera, of files, or of the simulated table."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from damludo.play.console import CommandError, ExitCode
from damludo.play.content import board_content
from damludo.play.folders import Folders
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.vision.camera import SteadyCamera, open_source, spoken
from damludo.vision.cards import CardSize
from damludo.vision.content import BoardSizes, Content
from damludo.vision.errors import BadPicture, EndOfFrames
from damludo.vision.frame import Frame, FrameSource, Image
from damludo.vision.paint import Paints
from damludo.vision.picture import load_picture

MOST_PIXELS_IN_ALL = 60_000_000
"""Of stored pictures: 60 of a webcam, four of a telephone."""
WARM_UP_S = 1.5
"""A webcam needs so long to find its exposure."""


def camera_name(source: str) -> str:
    """Return the name of a camera in the names of its profiles."""
    return f"camera-{source}" if source.isdigit() else spoken(source)


def board_name(variant: Variant) -> str:
    """Return the name of a game's board in the names of profiles, unless the person gave it another."""
    board = variant.board
    return f"{board.columns}x{board.rows}{'-lines' if board.lines else ''}"


@dataclass(frozen=True, eq=False, slots=True)
class EyesChoice:
    """Which camera over which board is calibrated, and how.

    Attributes:
        source: as typed; "" with pictures or the simulated table.
        pictures: stored pictures instead of a camera, all of one size and one scene.
        seed: of the simulated table, None for a real camera.
        corners: four outer corners in picture order, shape (4, 2), px, snapped to the crossings; None: found.
        white_at: side of the picture where White's rank 1 lies; None: found.
        board: name of the board; it makes the profile's name.
        file: of the profile; None: the usual place.
        king: where a king stands, and pictures of it, to check the height of the discs.
        paints: of the discs, if they were told.
    """

    variant: Variant
    sizes: BoardSizes
    where: Folders
    source: str = ""
    pictures: tuple[str, ...] = ()
    seed: int | None = None
    corners: NDArray[np.float64] | None = None
    white_at: str | None = None
    board: str = ""
    file: Path | None = None
    frames: int = 8
    card: CardSize = field(default_factory=CardSize)
    king: int | None = None
    king_pictures: tuple[str, ...] = ()
    paints: Paints | None = None

    @property
    def board_name(self) -> str:
        """The board's name: given, or after its size."""
        return self.board or board_name(self.variant)

    @property
    def doing(self) -> str:
        """What is told while the pictures are had."""
        return "Reading the pictures ..." if self.pictures else "Taking pictures: keep your hands off the board ..."

    @property
    def start(self) -> dict[int, Content]:
        """What stands on the board."""
        return board_content(self.variant.board.playable, self.variant.start)


@dataclass(frozen=True, eq=False, slots=True)
class Taken:
    """Pictures of one scene.

    Attributes:
        camera: name of the camera; it makes the profile's name.
        settings: what the camera was told and whether it obeyed.
        more: takes pictures again, of what stands on the board then; None for stored ones.
    """

    frames: list[Frame]
    camera: str
    settings: Mapping[str, str]
    more: Callable[[], list[Frame]] | None = None

    @property
    def images(self) -> list[Image]:
        """The pictures alone."""
        return [frame.image for frame in self.frames]


@contextlib.contextmanager
def taking(choice: EyesChoice) -> Iterator[Taken]:
    """Take pictures from where the choice says.

    Raises:
        CommandError: no camera is named.
        CameraError, BadPicture: there are no pictures.
    """
    if choice.pictures:
        yield Taken(stored(choice.pictures), "pictures", {})
    elif choice.seed is not None:
        yield _simulated(choice)
    elif choice.source:
        with contextlib.closing(open_source(choice.source)) as source:
            yield _live(source, choice)
    else:
        raise CommandError(
            "no camera is named; give --camera SOURCE, stored pictures with --picture FILE, or try --sim "
            "('damludo doctor' lists the cameras)",
            ExitCode.NO_DEVICE,
        )


def stored(paths: Sequence[str]) -> list[Frame]:
    """Read pictures of one scene.

    Raises:
        BadPicture: one cannot be read, they differ in size, or are too many to hold.
    """
    frames: list[Frame] = []
    for number, path in enumerate(paths):
        image = load_picture(path)
        if number * image.shape[0] * image.shape[1] > MOST_PIXELS_IN_ALL:
            raise BadPicture(
                f"{len(paths)} pictures of {image.shape[1]} x {image.shape[0]} px are too many to hold (limit "
                f"{MOST_PIXELS_IN_ALL // 1_000_000} million pixels in all); give fewer or smaller ones"
            )
        frames.append(Frame(image, float(number), number))
    sizes = {frame.image.shape for frame in frames}
    if len(sizes) > 1:
        raise BadPicture("the pictures have different sizes; give pictures of one camera that did not move")
    return frames


def _simulated(choice: EyesChoice) -> Taken:
    from damludo.play.table.simulated import set_table
    from damludo.simulation.table import Disc

    assert choice.seed is not None
    simulated = set_table(choice.variant, choice.seed, Colour.WHITE)
    simulated.table.carriage.present = False
    camera = simulated.camera()
    frames = [camera.read() for _ in range(choice.frames)]

    def with_king() -> list[Frame]:
        under: Disc = next(d for d in simulated.table.discs if simulated.table.square_of(d) == choice.king)
        crown = simulated.table.add_disc(under.colour, under.x_mm, under.y_mm)
        pictures = [camera.read() for _ in range(choice.frames)]
        simulated.table.discs.remove(crown)
        return pictures

    return Taken(frames, f"simulated-{choice.seed}", {}, with_king)


def settled(source: FrameSource) -> Mapping[str, str]:
    """Let a camera find its exposure, then stop its automatics there: they would pump whenever a hand comes in.

    Returns:
        For each of them "held at VALUE" or "not obeyed"; nothing for what is no camera.

    Raises:
        CameraLost: it gives no pictures.
    """
    if not isinstance(source, SteadyCamera):
        return {}
    begin = source.read().time_s
    while source.read().time_s - begin < WARM_UP_S:
        pass
    return source.hold_settings()


def setting_notes(settings: Mapping[str, str]) -> Iterator[str]:
    """Give the sentence about the automatics that go on, if any do."""
    deaf = [name for name, told in settings.items() if told == "not obeyed"]
    if deaf:
        yield f"the camera keeps its automatic {', '.join(deaf)}: brightness may drift, which is watched during the game"


def _live(source: FrameSource, choice: EyesChoice) -> Taken:
    settings = settled(source)

    def take() -> list[Frame]:
        frames: list[Frame] = []
        while len(frames) < choice.frames:
            try:
                frames.append(source.read())
            except EndOfFrames:
                if not frames:
                    raise
                break
        return frames

    return Taken(take(), camera_name(choice.source), settings, take)
