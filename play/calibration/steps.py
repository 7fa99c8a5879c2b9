"""`damludo calibrate camera|board|pieces|check`: pictures in, profile out."""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np

from damludo.calibration.board import MOST_WRONG, best_turn, contradictions, set_up
from damludo.calibration.errors import BadFit, NoProfile
from damludo.calibration.height import measure_height
from damludo.calibration.profile import CameraProfile, Record, camera_path, load_camera, save_camera
from damludo.calibration.quality import (
    PoseQuality,
    SquareQuality,
    mean_picture,
    pose_quality,
    require_good,
    square_quality,
)
from damludo.play.calibration.pictures import EyesChoice, Taken, setting_notes, stored, taking
from damludo.play.content import grid_of_board, layout_for
from damludo.rules.traits import Variant
from damludo.vision.board import find_board, find_candidates, refined_view, view_from_corners
from damludo.vision.cards import find_markers, view_from_cards
from damludo.vision.content import BoardSizes, Content
from damludo.vision.errors import BoardNotFound, NoBoardSeen, SideUnknown
from damludo.vision.frame import Image
from damludo.vision.look import Look, learn_look
from damludo.vision.sides import SIDES, corners_of, turned
from damludo.vision.teaching import learn_stacks
from damludo.vision.view import BoardView, grid_of

DARK = 32
"""No point of a picture taken in the dark is brighter."""
HEIGHT_TOLERANCE_MM = 3.0
"""A height measured on one king is about 2 mm right (rendered tables): it checks the ruler, it does not replace it."""


@dataclass(frozen=True, eq=False, slots=True)
class Calibrated:
    """The result of a step.

    Attributes:
        method: how the board was found: "start position", "squares", "corner cards", "given corners" or "profile".
        squares: None if no pieces were looked at.
        picture: the mean of the pictures.
        notes: sentences for the person.
    """

    step: str
    profile: CameraProfile
    path: Path
    method: str
    frames: int
    pose: PoseQuality
    squares: SquareQuality | None
    picture: Image
    notes: tuple[str, ...]
    cpu_ms: float


@dataclass(frozen=True, eq=False, slots=True)
class _Found:
    view: BoardView
    white_at: str
    method: str
    look: Look | None = None


def _find(taken: Taken, choice: EyesChoice) -> _Found:
    """Find the board: by given corners, by the start position on it, by corner cards, or by its bare squares."""
    grid, image = grid_of_board(choice.variant.board), taken.frames[0].image
    if choice.corners is not None:
        view = view_from_corners(choice.corners, (image.shape[1], image.shape[0]), grid, choice.sizes, refine=image)
        side = choice.white_at or best_turn(image, view, choice.start, choice.paints)
        return _Found(turned(view, SIDES[0], side), side, "given corners")
    try:
        view, look, side = set_up(taken.frames, grid, choice.start, choice.sizes, choice.white_at, choice.paints)
        return _Found(view, side, "start position", look)
    except BoardNotFound as error:
        seen = not isinstance(error, NoBoardSeen)
        found = _by_cards(image, choice)
        if found is None and isinstance(error, SideUnknown):
            raise
        found = found or (_by_squares(image, choice) if seen else None)
        if found is None:
            if int(image.max()) < DARK:
                raise BoardNotFound(
                    f"the picture is black (its brightest point is {image.max()} of 255): take the cap off the lens, or light "
                    f"the board"
                ) from error
            other = _other_board(image, choice, larger=seen)
            if other is not None:
                raise BoardNotFound(
                    f"a board of {other} x {other} squares is seen, but {choice.variant.names['en']} is played on one of "
                    f"{choice.variant.board.columns} x {choice.variant.board.rows}; name the game that is set up with --game KEY"
                ) from error
            raise BoardNotFound(
                f"{error}; other ways: --corners \"x,y x,y x,y x,y\", or corner cards ('damludo calibrate print-cards')"
            ) from error
        return found


def _other_board(image: Image, choice: EyesChoice, larger: bool) -> int | None:
    """Return how many squares a side a board has that is seen instead of the one that is needed; `larger`: only larger ones."""
    board = choice.variant.board
    for side in (8, 10, 12):
        if side > board.columns if larger else (board.columns, board.rows, board.lines) != (side, side, False):
            with contextlib.suppress(BoardNotFound):
                # It is a hint only, so one look is enough: a picture without any board must be answered soon.
                find_board(image, grid_of(side, side), choice.sizes, most_looks=1)
                return side
    return None


def _by_cards(image: Image, choice: EyesChoice) -> _Found | None:
    if not find_markers(image):
        return None
    view = view_from_cards(image, grid_of_board(choice.variant.board), choice.sizes, choice.card)
    refined = refined_view(view, image)
    return _Found(refined or view, _side_of(view), "corner cards")


def _side_of(view: BoardView) -> str:
    """Return the side of the picture where rank 1 of a pose lies."""
    corners = view.project(corners_of(view.grid, view.sizes, SIDES[0]))
    # Corner k of the list is seen first: then White sits k quarter turns on.
    return SIDES[int(corners.sum(axis=1).argmin())]


def _by_squares(image: Image, choice: EyesChoice) -> _Found | None:
    """An empty board, or one with a game on it: the squares tell where it lies, the person where White sits."""
    grid = grid_of_board(choice.variant.board)
    if choice.white_at is None:
        if find_candidates(image, grid, choice.sizes):
            raise BoardNotFound(
                "the board is seen, but not with the start position on it; say with --white-at where White sits "
                "(bottom, right, top or left of the picture), or set the discs up"
            )
        return None
    try:
        return _Found(find_board(image, grid, choice.sizes, choice.white_at).view, choice.white_at, "squares")
    except BoardNotFound:
        return None


def calibrate(step: str, choice: EyesChoice, tell: Callable[[str], None] = lambda _: None) -> Calibrated:
    """Do one step ("camera", "board", "pieces" or "check") and keep the profile.

    Args:
        tell: told what is being done, in a few words.

    Raises:
        BadFit: the result misses its limit; nothing is kept.
        NoProfile: there is nothing to check.
        BoardNotFound, CameraError, BadPicture, CommandError: as their sentences say.
    """
    tell(choice.doing)
    with taking(choice) as taken:
        begin = time.process_time()
        path = choice.file or camera_path(choice.where.data, taken.camera, choice.board_name)
        old = _old_profile(path, taken.images[0])
        if step == "check":
            if old is None:
                raise NoProfile(
                    f"there is no profile {path} for pictures of this size; make it with 'damludo calibrate pieces'"
                )
            tell("Comparing the profile with what the camera sees ...")
            return _checked(taken, choice, old, path, begin)
        tell("Looking for the board ...")
        found = _known(old, taken, choice) if step == "pieces" and choice.corners is None else None
        found = found or _find(taken, choice)
        tell("Measuring how well the squares' crossings fit ...")
        pose = pose_quality(found.view, taken.images)
        require_good(pose)
        look, squares, notes = None, None, list(setting_notes(taken.settings))
        if step == "pieces":
            tell("Learning what squares and discs look like ...")
            look, squares, more = _pieces(taken, choice, found)
            notes += more
        profile = _profile(step, taken, choice, found, pose, look, squares, old)
        cpu_ms = round(1000 * (time.process_time() - begin), 1)
    done = Calibrated(
        step, profile, path, found.method, len(taken.frames), pose, squares, _mean(taken), tuple(notes), cpu_ms
    )
    _keep(done)
    return done


def _old_profile(path: Path, image: Image) -> CameraProfile | None:
    """Return the profile that is to be renewed, if there is one for pictures of this size."""
    if not path.exists():
        return None
    profile = load_camera(path)
    return profile if profile.image_size == (image.shape[1], image.shape[0]) else None


def _known(old: CameraProfile | None, taken: Taken, choice: EyesChoice) -> _Found | None:
    """Return the pose of the profile if it still explains the picture."""
    grid = grid_of_board(choice.variant.board)
    if old is None or (old.grid.columns, old.grid.rows, old.grid.lines) != (grid.columns, grid.rows, grid.lines):
        return None
    view = replace(old.view, grid=grid, sizes=choice.sizes)
    if choice.white_at not in (None, old.white_at) or choice.sizes.square_mm != old.sizes.square_mm:
        return None
    refined = refined_view(view, _mean(taken))
    if refined is None or not pose_quality(refined, taken.images).good:
        return None
    if choice.white_at is None and not _still_at(old.white_at, refined, taken, choice):
        return None
    return _Found(refined, old.white_at, "profile")


def _still_at(side: str, view: BoardView, taken: Taken, choice: EyesChoice) -> bool:
    """Return whether White may still sit where the profile says: with the sides exchanged, all squares are filled as before."""
    try:
        return best_turn(_mean(taken), turned(view, side, SIDES[0]), choice.start, choice.paints) == side
    except SideUnknown:
        return choice.paints is None


def _pieces(taken: Taken, choice: EyesChoice, found: _Found) -> tuple[Look, SquareQuality, list[str]]:
    """Learn the look of squares and discs on the start position."""
    wrong = contradictions(
        taken.images[0], found.view, learn_look(taken.images, found.view, choice.start), choice.start
    )
    if len(wrong) > MOST_WRONG * len(choice.start):
        names = ", ".join(choice.variant.board.name(place) for place in wrong[:8])
        raise BoardNotFound(
            f"{len(wrong)} squares do not show the start position ({names}); set up all discs as for the first move"
        )
    look = found.look
    if look is None:
        look = learn_look(taken.images, found.view, choice.start)
        look = replace(look, stack=learn_stacks(taken.images, found.view, look, choice.start))
    squares = square_quality(found.view, look, taken.images, choice.start)
    return look, squares, _height_notes(taken, choice, found.view, look)


def _height_notes(taken: Taken, choice: EyesChoice, view: BoardView, look: Look) -> list[str]:
    """Measure a disc's height on a king, if there is one, and compare it with what was told."""
    if choice.king is None:
        return []
    content = choice.start.get(choice.king, Content.EMPTY)
    if content is Content.EMPTY:
        return [f"no man stands on {choice.variant.board.name(choice.king)} at the start: no king was measured"]
    if choice.king_pictures:
        images = [frame.image for frame in stored(choice.king_pictures)]
    elif taken.more is not None:
        images = [frame.image for frame in taken.more()]
    else:
        return ["stored pictures show no king; give pictures of one with --king-picture FILE"]
    try:
        measured = measure_height(view, look, images, choice.king, Content(int(content) + 1))
    except BadFit as error:
        return [f"the height of the discs was not measured: {error}"]
    told = view.sizes.disc_height_mm
    if abs(measured.disc_height_mm - told) <= HEIGHT_TOLERANCE_MM:
        return [
            f"a disc is about {measured.disc_height_mm:.0f} mm high, which agrees with the {told:g} mm that were told"
        ]
    return [
        f"a disc seems to be {measured.disc_height_mm:.0f} mm high, but {told:g} mm were told; measure one with a ruler and give "
        "--disc-mm DIAMETER,HEIGHT"
    ]


def _profile(
    step: str,
    taken: Taken,
    choice: EyesChoice,
    found: _Found,
    pose: PoseQuality,
    look: Look | None,
    squares: SquareQuality | None,
    old: CameraProfile | None,
) -> CameraProfile:
    view = replace(found.view, residual_px=pose.error_px)
    fresh = CameraProfile.of_view(
        taken.camera, choice.board_name, view, found.white_at, look.to_dict() if look else None
    )
    if old is not None:
        same = old.white_at == found.white_at and old.grid == view.grid
        fresh = replace(fresh, history=old.history, settings=old.settings)
        if look is None and same:
            fresh = replace(fresh, look=old.look, margins=old.margins, blind=old.blind)
    if taken.settings:
        fresh = replace(fresh, settings=dict(taken.settings))
    if squares is not None:
        places = range(view.grid.columns * view.grid.rows)
        margins = tuple(round(squares.margins.get(place, -1.0), 2) for place in places)
        fresh = replace(fresh, margins=margins, blind={str(place): why for place, why in squares.blind.items()})
    return fresh.remembering(_record(step, pose, squares))


def _record(step: str, pose: PoseQuality, squares: SquareQuality | None) -> Record:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    least = None if squares is None else round(squares.least, 2)
    blind = 0 if squares is None else len(squares.blind)
    return Record(
        now, step, round(pose.error_px, 3), round(pose.error_mm, 3), round(pose.error_squares, 4), least, blind
    )


def _checked(taken: Taken, choice: EyesChoice, old: CameraProfile, path: Path, begin: float) -> Calibrated:
    """Compare the profile with what the camera sees: the crossings, and the squares if the start position stands there."""
    grid = grid_of_board(choice.variant.board)
    view = (
        old.view if old.grid.lines != grid.lines or old.grid.columns != grid.columns else replace(old.view, grid=grid)
    )
    pose = pose_quality(view, taken.images)
    notes = list(setting_notes(taken.settings))
    try:
        require_good(pose)
    except BadFit as error:
        notes.append(str(error))
    squares = None
    if old.look and pose.good:
        look = Look.from_dict(old.look)
        squares = square_quality(view, look, taken.images, choice.start)
        if squares.wrong:
            names = ", ".join(choice.variant.board.name(place) for place in squares.wrong[:8])
            notes.append(
                f"{len(squares.wrong)} squares do not show the start position of {choice.variant.key}: {names}"
            )
    profile = old.remembering(_record("check", pose, squares)) if pose.seen else old
    cpu_ms = round(1000 * (time.process_time() - begin), 1)
    done = Calibrated(
        "check", profile, path, "profile", len(taken.frames), pose, squares, _mean(taken), tuple(notes), cpu_ms
    )
    save_camera(profile, path)
    return done


def _mean(taken: Taken) -> Image:
    return mean_picture(taken.images)


def _keep(done: Calibrated) -> None:
    save_camera(done.profile, done.path)
    # The report shows what the calibration saw; without the picture it still tells the numbers.
    picture_path(done.path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    cv2.imwrite(str(picture_path(done.path)), done.picture, [cv2.IMWRITE_JPEG_QUALITY, 92])


def picture_path(profile: Path) -> Path:
    """Return where the picture of a profile is kept: not beside it, where it would join those of a folder that is watched."""
    return profile.parent / "reports" / profile.with_suffix(".jpg").name


def is_good(done: Calibrated) -> bool:
    """The pose is within its limit, and hardly a square contradicts the start position."""
    wrong = len(done.squares.wrong) if done.squares else 0
    return done.pose.good and wrong <= 0.1 * len(done.profile.grid.playable)


def tilt_deg(view: BoardView) -> float:
    """Return the angle between the camera's axis and the vertical."""
    rotation, _ = cv2.Rodrigues(view.rotation_vector)
    return float(np.degrees(np.arccos(np.clip(abs(rotation[2, 2]), 0, 1))))


def sizes_for(variant: Variant, square_mm: float, disc_mm: tuple[float, float], measured: bool) -> BoardSizes:
    """Return the sizes for a game's board; sizes that were not measured shrink with the number of squares, as the table's do."""
    if measured:
        return BoardSizes(square_mm, *disc_mm)
    layout = layout_for(variant, square_mm, *disc_mm)
    return BoardSizes(layout.square_mm, layout.disc_diameter_mm, layout.disc_height_mm)
