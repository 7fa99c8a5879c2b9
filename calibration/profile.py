"""Profiles: what was measured once and is kept in files. JSON, versioned, written whole or not at all."""

import json
import math
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from damludo.calibration.errors import BadProfile, NoProfile
from damludo.robot.errors import RobotError
from damludo.robot.frames import GantryMap
from damludo.robot.machine import MachineSettings
from damludo.robot.planner import Handling
from damludo.vision.content import BoardSizes, Grid
from damludo.vision.sides import SIDES
from damludo.vision.view import BoardView

VERSION = 1
MAX_BYTES = 4_000_000
"""No profile is this long; a longer file is something else."""

MOST_RECORDS = 50
"""So many calibrations and checks are remembered."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Record:
    """One calibration or check, kept so that a table that gets worse is seen.

    Attributes:
        time: when, ISO 8601 in UTC, as the caller's clock says.
        step: "camera", "board", "pieces" or "check".
        error_px, error_mm, error_squares: root mean square error of the crossings.
        least_margin: nats by which the least clear place was read; None if no places were read.
        blind: how many squares were blind.
    """

    time: str
    step: str
    error_px: float
    error_mm: float
    error_squares: float
    least_margin: float | None = None
    blind: int = 0


@dataclass(frozen=True, slots=True)
class CameraProfile:
    """One camera over one board.

    Attributes:
        camera, board: names; they make the file's name.
        grid, sizes: the board and what was measured of it by hand.
        image_size: (width, height), px.
        focal_px, k1: lens.
        rotation_vector, translation_mm: camera_from_board, as in `BoardView`.
        residual_px: of the pose.
        white_at: side of the picture where White's rank 1 lies: bottom, right, top or left.
        look: how squares and discs look; written and read by the eyes alone, plain JSON.
        margins: nats by which each place of the board was read rightly at the set-up; -1 where nothing is played; empty before
            the pieces were learnt.
        blind: why a square cannot be trusted, by its number as text.
        settings: what the camera was told (exposure, white balance, focus), and whether it obeyed.
        history: calibrations and checks, the oldest first.
    """

    camera: str
    board: str
    grid: Grid
    sizes: BoardSizes
    image_size: tuple[int, int]
    focal_px: float
    k1: float
    rotation_vector: tuple[float, float, float]
    translation_mm: tuple[float, float, float]
    residual_px: float = 0.0
    white_at: str = "bottom"
    look: Mapping[str, Any] = field(default_factory=dict)
    margins: tuple[float, ...] = ()
    blind: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[Record, ...] = ()

    def __post_init__(self) -> None:
        _require(self.camera != "" and self.board != "", "a profile needs the names of camera and board")
        _require(self.white_at in SIDES, f"white_at is {self.white_at!r}, allowed are {', '.join(SIDES)}")
        _require(
            all(16 <= side <= 20_000 for side in self.image_size), f"the picture's size {self.image_size} cannot be"
        )
        _require(1 <= self.grid.columns <= 20 and 1 <= self.grid.rows <= 20, f"the board {self.grid} cannot be")
        places = self.grid.columns * self.grid.rows
        _require(all(0 <= p < places for p in self.grid.playable), "a playable place is not on the board")
        _require(
            0.1 * max(self.image_size) < self.focal_px < 100 * max(self.image_size), f"focal length {self.focal_px} px"
        )
        _require(abs(self.k1) < 2, f"the lens' distortion k1 = {self.k1} cannot be")
        _require(
            1 <= self.sizes.square_mm <= 500
            and 1 <= self.sizes.disc_diameter_mm <= 1.5 * self.sizes.square_mm
            and 0 <= self.sizes.disc_height_mm <= 100,
            f"the sizes {self.sizes} cannot be",
        )
        numbers = (*self.rotation_vector, *self.translation_mm, self.residual_px)
        _require(all(map(math.isfinite, numbers)), "the camera's pose holds a value that is no number")
        _require(self.translation_mm[2] > 0, "the board lies behind the camera")
        _require(len(self.margins) in (0, places), f"{len(self.margins)} margins for {places} places")
        _require(len(self.history) <= 10 * MOST_RECORDS, "the history is too long")

    @classmethod
    def of_view(
        cls, camera: str, board: str, view: BoardView, white_at: str = "bottom", look: Mapping[str, Any] | None = None
    ) -> "CameraProfile":
        """Make a profile of a pose."""
        rotation = tuple(float(v) for v in np.ravel(view.rotation_vector))
        translation = tuple(float(v) for v in np.ravel(view.translation_mm))
        return cls(
            camera,
            board,
            view.grid,
            view.sizes,
            view.image_size,
            view.focal_px,
            view.k1,
            (rotation[0], rotation[1], rotation[2]),
            (translation[0], translation[1], translation[2]),
            view.residual_px,
            white_at,
            dict(look or {}),
        )

    def remembering(self, record: Record) -> "CameraProfile":
        """Return the profile with one more record in its history."""
        return replace(self, history=(*self.history, record)[-MOST_RECORDS:])

    @property
    def view(self) -> BoardView:
        """The pose as the eyes use it."""
        return BoardView(
            self.grid,
            self.sizes,
            self.image_size,
            self.focal_px,
            self.k1,
            np.array(self.rotation_vector),
            np.array(self.translation_mm),
            self.residual_px,
        )


@dataclass(frozen=True, slots=True)
class GantryProfile:
    """One gantry: how its frame lies to the board's, its settings, its handling.

    Attributes:
        controller: serial number of the controller's USB device; it makes the file's name.
        board: map from the board frame to the gantry frame.
        machine: the settings that the controller must have.
        handling: heights and times.
        park_mm: x, y of the gantry frame where the carriage waits; None: at the home corner.
        worst_mm: greatest residual of the map.
    """

    controller: str
    board: GantryMap
    machine: MachineSettings = field(default_factory=MachineSettings)
    handling: Handling = field(default_factory=Handling)
    park_mm: tuple[float, float] | None = None
    worst_mm: float = 0.0

    def __post_init__(self) -> None:
        _require(self.controller != "", "a profile needs the controller's serial number")
        _require(0 <= self.worst_mm < 50, f"a residual of {self.worst_mm} mm cannot be")
        if self.park_mm is not None:
            _require(all(map(math.isfinite, self.park_mm)), "the parking place is no number")


def camera_path(data: Path, camera: str, board: str) -> Path:
    """Return where the profile of a camera over a board is kept."""
    return data / "calibration" / f"{_slug(camera)}--{_slug(board)}.json"


def camera_profiles(data: Path, camera: str) -> list[Path]:
    """Return the files of a camera's profiles, of all boards, the newest first."""
    paths = (data / "calibration").glob(f"{_slug(camera)}--*.json")
    return sorted(paths, key=lambda path: (-path.stat().st_mtime_ns, path.name))


def is_camera_profile(path: Path) -> bool:
    """Return whether a file says that it is the profile of a camera; other files and missing ones are not."""
    try:
        with path.open("rb") as file:
            document = json.loads(file.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("format") == _format_of("camera")


def gantry_path(data: Path, controller: str) -> Path:
    """Return where the profile of a gantry is kept."""
    return data / "calibration" / f"gantry-{_slug(controller)}.json"


def save_camera(profile: CameraProfile, path: Path) -> None:
    """Write a camera profile; an old file stays whole until the new one is on the disk."""
    _write(path, "camera", asdict(profile))


def save_gantry(profile: GantryProfile, path: Path) -> None:
    """Write a gantry profile; an old file stays whole until the new one is on the disk."""
    _write(path, "gantry", asdict(profile))


def load_camera(path: Path) -> CameraProfile:
    """Read a camera profile.

    Raises:
        NoProfile: there is no such file.
        BadProfile: it is damaged, of another kind, newer than this program, or holds what cannot be.
    """
    return _read(
        path, "camera", CameraProfile, "leave --calibration out: the board is then found by the position on it"
    )


def load_gantry(path: Path) -> GantryProfile:
    """Read a gantry profile; raises as `load_camera` does."""
    return _read(path, "gantry", GantryProfile, "make it anew with 'damludo calibrate gantry'")


def _format_of(kind: str) -> str:
    return f"damludo {kind} profile"


def _slug(name: str) -> str:
    """Make a file name that cannot leave its folder."""
    slug = re.sub(r"[^A-Za-z0-9_.]+", "-", name).strip("-.")
    if not slug:
        raise BadProfile(
            f"the name {name!r} holds no letter or digit, so no file can be named after it; choose another name"
        )
    return slug[:80]


def _write(path: Path, kind: str, body: dict[str, Any]) -> None:
    document = {"format": _format_of(kind), "version": VERSION, kind: body}
    try:
        text = json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise BadProfile(f"the {kind} profile holds what JSON cannot ({error}); nothing was written") from error
    # Beside the profiles lie pictures of somebody's room: for nobody but this user.
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    # The rename itself is on the disk only when the folder is.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _read(path: Path, kind: str, made: type[_T], remedy: str) -> _T:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise NoProfile(f"there is no {kind} profile {path}; {remedy}") from error
    except OSError as error:
        raise BadProfile(f"{path} cannot be read ({error.strerror}); {remedy}") from error
    if len(raw) > MAX_BYTES:
        raise BadProfile(f"{path} is longer than {MAX_BYTES} bytes and no profile; {remedy}")
    try:
        document = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadProfile(f"{path} is damaged ({error}); {remedy}") from error
    if not isinstance(document, dict) or document.get("format") != _format_of(kind):
        raise BadProfile(f"{path} is no {kind} profile; {remedy}")
    version = document.get("version")
    if version != VERSION or isinstance(version, bool):
        raise BadProfile(
            f"{path} has version {version!r}, this program reads version {VERSION}; update Damludo, or {remedy}"
        )
    try:
        return _build(made, document.get(kind), kind)
    except (BadProfile, RobotError) as error:
        raise BadProfile(f"{path}: {error}; {remedy}") from error


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise BadProfile(sentence)


def _build(made: type[_T], value: object, where: str) -> _T:
    """Make a dataclass of JSON: every field by its declared type, unknown ones refused, missing ones by their default."""
    if not isinstance(value, dict):
        raise BadProfile(f"{where} is not an object")
    declared = get_type_hints(made)
    for name in value:
        _require(name in declared, f"{where}.{name} is unknown")
    arguments = {name: _convert(declared[name], item, f"{where}.{name}") for name, item in value.items()}
    try:
        return made(**arguments)
    except TypeError as error:
        raise BadProfile(f"{where} lacks a value ({error})") from error


def _convert(kind: Any, value: object, where: str) -> Any:
    """Return `value` as the declared type `kind`; a number for a float must be finite, True is no number."""
    origin = get_origin(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _build(kind, value, where)
    if origin is UnionType:
        (inner,) = (part for part in get_args(kind) if part is not NoneType)
        return None if value is None else _convert(inner, value, where)
    if origin is tuple:
        return _convert_tuple(get_args(kind), value, where)
    if kind is float:
        _require(isinstance(value, int | float) and not isinstance(value, bool), f"{where} is not a number")
        number = float(str(value))
        _require(math.isfinite(number), f"{where} is not a finite number")
        return number
    expected = dict if origin is not None else kind
    _require(type(value) is expected, f"{where} is not {_NAMES[expected]}")
    return value


_NAMES: Mapping[type, str] = {dict: "an object", str: "a text", bool: "true or false", int: "a whole number"}


def _convert_tuple(parts: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise BadProfile(f"{where} is not a list")
    kinds = parts[:1] * len(value) if Ellipsis in parts else parts
    _require(len(kinds) == len(value), f"{where} has {len(value)} values instead of {len(kinds)}")
    return tuple(_convert(part, item, f"{where}[{n}]") for n, (part, item) in enumerate(zip(kinds, value, strict=True)))
