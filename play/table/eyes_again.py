"""Finding the board of a game that was cut off: its discs are few, and some may lie where they should not."""

from collections.abc import Iterator
from pathlib import Path

from damludo.calibration.board import contradictions
from damludo.calibration.errors import CalibrationError
from damludo.calibration.profile import CameraProfile, load_camera, save_camera
from damludo.play.content import board_content
from damludo.play.match.ports import Clock
from damludo.play.table.setup import CalibratedEyes, calibrate_eyes, eyes_with
from damludo.rules.game import Game
from damludo.vision.board import find_candidates, refined_view
from damludo.vision.content import BoardSizes
from damludo.vision.errors import VisionError
from damludo.vision.frame import Frame, FrameSource
from damludo.vision.look import Look
from damludo.vision.sides import turned
from damludo.vision.view import BoardView

SAME_BOARD = 0.25
"""A board on which at most this part of the places contradicts the game is its board; a person puts these places right."""


def keep_eyes(seen: CalibratedEyes, name: str, path: Path) -> None:
    """Keep where the board was found and what it looks like, for a game that may be cut off.

    Raises:
        OSError: the file cannot be written.
    """
    save_camera(CameraProfile.of_view("camera", name, seen.view, seen.white_at, seen.look.to_dict()), path)


def find_again(
    source: FrameSource, clock: Clock, game: Game, sizes: BoardSizes, kept: Path, white_at: str | None = None
) -> CalibratedEyes:
    """Find the board of a game that goes on.

    What was kept serves as long as the camera and the light are as they were; else the position on the board teaches anew.

    Args:
        kept: file of `keep_eyes`; it may be missing.
        white_at: the side of the picture where White's rank 1 lies, if a person says so.

    Raises:
        BoardNotFound: it is not found, or does not look like the position; the sentence says what to do.
        CameraError: no pictures.
    """
    profile = _kept_profile(kept)
    if profile is not None and white_at in (None, profile.white_at):
        frame = source.read()
        content = board_content(game.variant.board.playable, game.position)
        look = Look.from_dict(profile.look)
        tried = [(len(contradictions(frame.image, view, look, content)), view) for view in _views(profile, frame)]
        wrong, view = min(tried, key=lambda pair: pair[0], default=(len(content), profile.view))
        if wrong <= SAME_BOARD * len(content):
            return eyes_with(source, clock, view, look, profile.white_at)
        white_at = profile.white_at
    return calibrate_eyes(source, clock, game.variant, game.position, sizes, white_at)


def _kept_profile(path: Path) -> CameraProfile | None:
    try:
        return load_camera(path)
    except CalibrationError:
        return None  # the position on the board serves as well, if enough discs are left


def _views(profile: CameraProfile, frame: Frame) -> Iterator[BoardView]:
    """Yield where the board may be: where it was, and wherever a board is seen."""
    height, width = frame.image.shape[:2]
    if (width, height) == profile.image_size:
        here = refined_view(profile.view, frame.image)
        if here is not None:
            yield here
    try:
        findings = find_candidates(frame.image, profile.grid, profile.sizes, profile.white_at)
    except VisionError:
        return
    for finding in findings:
        yield turned(finding.view, finding.white_at, profile.white_at)
