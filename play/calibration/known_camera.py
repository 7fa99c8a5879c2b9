"""The profile that `damludo calibrate` wrote, for a match: which one it is, and whether it still fits what the camera sees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from damludo.calibration.board import MOST_WRONG, contradictions
from damludo.calibration.errors import CalibrationError
from damludo.calibration.profile import CameraProfile, camera_path, camera_profiles, load_camera
from damludo.calibration.quality import mean_picture, pose_quality
from damludo.play.calibration.pictures import board_name, camera_name
from damludo.play.console import CommandError, ExitCode, note
from damludo.play.content import board_content, grid_of_board
from damludo.play.folders import Folders
from damludo.play.match.ports import Clock
from damludo.play.table.setup import CALIBRATION_FRAMES, CalibratedEyes, calibrate_eyes, eyes_with
from damludo.rules.position import Position
from damludo.rules.traits import Variant
from damludo.vision.board import refined_view
from damludo.vision.camera import spoken
from damludo.vision.content import BoardSizes
from damludo.vision.errors import BoardNotFound
from damludo.vision.frame import FrameSource, Image
from damludo.vision.look import Look, learn_look
from damludo.vision.teaching import learn_stacks
from damludo.vision.view import BoardView

SAME_MM = 0.02
"""A square's side in the profile and in the settings may differ by this part; more is worth a word."""


@dataclass(frozen=True, eq=False, slots=True)
class KnownCamera:
    """A camera that was calibrated.

    Attributes:
        source: the camera, as typed.
        asked: the person named the file; then it is used or refused, never passed over.
    """

    profile: CameraProfile
    path: Path
    source: str
    asked: bool


def known_camera(source: str, variant: Variant, where: Folders, given: Path | None) -> KnownCamera | None:
    """Return the profile to play with: the one given, else the camera's own for this board, else its newest for such a board.

    Raises:
        CommandError: the one given is of another board.
        CalibrationError: the one given is missing or damaged.
    """
    if given is not None:
        profile = load_camera(given)
        if not _is_of(profile, variant):
            raise CommandError(
                f"{given} is the profile of a board of {profile.grid.columns} x {profile.grid.rows}, but {variant.names['en']} "
                f"is played on one of {variant.board.columns} x {variant.board.rows}; leave --calibration out, or make one with "
                f"'damludo calibrate pieces --camera {spoken(source)} --game {variant.key}'",
                ExitCode.NOT_CALIBRATED,
            )
        return KnownCamera(profile, given, source, asked=True)
    own = camera_path(where.data, camera_name(source), board_name(variant))
    for path in (own, *camera_profiles(where.data, camera_name(source))):
        if not path.exists():
            continue
        try:
            profile = load_camera(path)
        except CalibrationError as error:
            note(f"The camera's profile is not used: {error}")
            continue
        if _is_of(profile, variant):
            return KnownCamera(profile, path, source, asked=False)
    return None


def _is_of(profile: CameraProfile, variant: Variant) -> bool:
    board, grid = variant.board, profile.grid
    return (grid.columns, grid.rows, grid.lines) == (board.columns, board.rows, board.lines)


def eyes_by_profile(
    source: FrameSource,
    clock: Clock,
    variant: Variant,
    position: Position,
    sizes: BoardSizes,
    known: KnownCamera,
    white_at: str | None = None,
) -> tuple[CalibratedEyes, str]:
    """Look through a calibrated camera, with a known position on the board.

    The profile tells where the board lies and where White sits; how discs look is learnt anew in today's light, and taken from
    the profile where that reads the position better. A profile that does not fit any more is refused if it was asked for, else
    passed over: the board is then found by its discs.

    Returns:
        The eyes, and what to tell the person about the profile.

    Raises:
        CommandError: the profile was asked for and does not fit.
        BoardNotFound: the board is not found without it, either; the sentence says what to do.
        CameraError: no pictures.
    """
    images = [source.read().image for _ in range(CALIBRATION_FRAMES)]
    why, view = _place(known.profile, variant, sizes, images, white_at)
    if view is not None:
        content = board_content(variant.board.playable, position)
        fresh, kept = learn_look(images, view, content), known.profile.look
        looks = [fresh, *([Look.from_dict(kept)] if kept else [])]
        wrong = [contradictions(images[0], view, look, content) for look in looks]
        best = min(range(len(looks)), key=lambda n: len(wrong[n]))
        if len(wrong[best]) <= MOST_WRONG * len(content):
            look = looks[best]
            if look is fresh:
                look = replace(look, stack=learn_stacks(images, view, look, content))
            return eyes_with(source, clock, view, look, known.profile.white_at), _told(known, variant, sizes)
        names = ", ".join(variant.board.name(place) for place in wrong[best][:8])
        why = f"{len(wrong[best])} squares do not show the position ({names}), as if board or camera were moved by a square"
    renew = f"damludo calibrate pieces --camera {spoken(known.source)} --game {variant.key}"
    if known.asked:
        raise CommandError(
            f"the profile {known.path} does not fit: {why}; make it anew with '{renew}', or leave --calibration out: the board "
            f"is then found by the discs on it",
            ExitCode.NOT_CALIBRATED,
        )
    try:
        seen = calibrate_eyes(source, clock, variant, position, sizes, white_at)
    except BoardNotFound as error:
        raise BoardNotFound(f"{error} (the profile {known.path.name} does not fit, either: {why})") from error
    return seen, (
        f"The profile {known.path.name} is stale: {why}. The board was found by the discs on it; renew the profile when you "
        f"like: {renew}"
    )


def _place(
    profile: CameraProfile, variant: Variant, sizes: BoardSizes, images: Sequence[Image], white_at: str | None
) -> tuple[str, BoardView | None]:
    """Return where the board lies now by the profile, or why that cannot be told."""
    height, width = images[0].shape[:2]
    if (width, height) != profile.image_size:
        made = f"{profile.image_size[0]} x {profile.image_size[1]}"
        return f"it was made with pictures of {made} px, the camera gives {width} x {height}", None
    if white_at not in (None, profile.white_at):
        return f"White sits at the {profile.white_at} in it, --white-at says {white_at}", None
    # A camera knows no mm: seen twice as large at twice the distance is the same picture.
    shown = replace(
        profile.view,
        grid=grid_of_board(variant.board),
        sizes=sizes,
        translation_mm=np.array(profile.translation_mm) * (sizes.square_mm / profile.sizes.square_mm),
    )
    refined = refined_view(shown, mean_picture(images))
    if refined is None:
        return "the crossings of the board are not where they were: the camera or the board was moved", None
    quality = pose_quality(refined, images)
    if not quality.good:
        return f"the crossings miss their places by {quality.error_mm:.1f} mm: the camera or the board was moved", None
    return "", refined


def _told(known: KnownCamera, variant: Variant, sizes: BoardSizes) -> str:
    profile = known.profile
    sentences = [f"The camera's profile is {known.path}."]
    if abs(profile.sizes.square_mm / sizes.square_mm - 1) > SAME_MM:
        sentences.append(
            f"Its squares have {profile.sizes.square_mm:g} mm, the settings say {sizes.square_mm:g} mm, which hold: if they are "
            f"wrong, write square_mm = {profile.sizes.square_mm:g} below [board] into settings.toml."
        )
    if profile.blind:
        names = ", ".join(variant.board.name(int(place)) for place in profile.blind)
        sentences.append(f"Hard to see when it was made: {names}.")
    return " ".join(sentences)
