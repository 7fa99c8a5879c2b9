"""Pictures from files: a folder in name order, a video; and the recorder that writes such folders."""

import itertools
import json
import math
import re
import struct
from pathlib import Path

import cv2
import numpy as np

from damludo.vision.errors import BadPicture, CameraNotFound, EndOfFrames
from damludo.vision.frame import Frame, Image
from damludo.vision.picture import MOST_BYTES, MOST_PIXELS

SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
"""Pictures that a folder is searched for."""
LEAST_SIDE_PX = 16
TIMES_NAME = "times.txt"
"""The recorder writes `NAME SECONDS` a line into this file; a folder that holds it needs no `--times`."""
USUAL_RATE = 10.0
"""Pictures a second of a folder about which nothing is known."""


class PictureFolder:
    """A `FrameSource` over the pictures of a folder, in name order (numbers in names count as numbers).

    Args:
        folder: holds the pictures; other files are left alone.
        frame_rate: pictures a second, if no times are known.
        times: a line `SECONDS` or `NAME SECONDS` for each picture, or JSON (a list, or an object by name). Default: `times.txt`
            in the folder, if it is there.

    Raises:
        CameraNotFound: no such folder, or no picture in it.
        BadPicture: the times do not fit the pictures or do not rise.
    """

    def __init__(self, folder: Path, frame_rate: float | None = None, times: Path | None = None) -> None:
        if not folder.is_dir():
            raise CameraNotFound(f"there is no folder '{folder}'; give the folder that holds the pictures")
        self._paths = sorted((p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES), key=_name_key)
        if not self._paths:
            raise CameraNotFound(f"no picture ({', '.join(SUFFIXES)}) in '{folder}'; give the folder that holds them")
        recorded = folder / TIMES_NAME
        if times is None and frame_rate is None and recorded.is_file():
            times = recorded
        if times is not None:
            self._times_s = read_times(times, [path.name for path in self._paths])
        else:
            rate = _checked_rate(frame_rate if frame_rate is not None else USUAL_RATE)
            self._times_s = [number / rate for number in range(len(self._paths))]
        self._next = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the pictures in the order they are given; frame number n is `names[n]`."""
        return tuple(path.name for path in self._paths)

    def read(self) -> Frame:
        """Return the next picture.

        Raises:
            EndOfFrames: all were given.
            BadPicture: it cannot be decoded.
        """
        if self._next >= len(self._paths):
            raise EndOfFrames("the folder has no more pictures")
        number = self._next
        self._next += 1
        return Frame(read_picture(self._paths[number]), self._times_s[number], number)

    def close(self) -> None:
        """Give no more pictures."""
        self._next = len(self._paths)


class VideoFile:
    """A `FrameSource` over a video file; frame n was taken at n / frame rate.

    Args:
        path: the video.
        frame_rate: instead of what the file says.

    Raises:
        CameraNotFound: no such file.
        BadPicture: it cannot be decoded.
    """

    def __init__(self, path: Path, frame_rate: float | None = None) -> None:
        if not path.is_file():
            raise CameraNotFound(f"there is no file '{path}'; give a video file")
        self._path = path
        self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise BadPicture(f"'{path}' cannot be read as a video; convert it to MJPEG or H.264")
        width = int(self._capture.get(cv2.CAP_PROP_FRAME_WIDTH))
        height = int(self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        check_dimensions(width, height, f"'{path}'")
        told = float(self._capture.get(cv2.CAP_PROP_FPS))
        usable = told if math.isfinite(told) and 0.0 < told <= 1000.0 else USUAL_RATE
        self._rate = _checked_rate(frame_rate if frame_rate is not None else usable)
        self._next = 0

    def read(self) -> Frame:
        """Return the next picture.

        Raises:
            EndOfFrames: the video is over.
        """
        good, image = self._capture.read() if self._capture.isOpened() else (False, None)
        if not good or image is None:
            self.close()
            raise EndOfFrames(f"the video '{self._path}' is over")
        number = self._next
        self._next += 1
        return Frame(np.asarray(image, dtype=np.uint8), number / self._rate, number)

    def close(self) -> None:
        """Let go of the file."""
        self._capture.release()


class Recorder:
    """Writes frames into a folder that `PictureFolder` can give again.

    Args:
        folder: made if it is missing; must not hold a recording.

    Raises:
        BadPicture: the folder holds a recording already.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / TIMES_NAME).exists():
            raise BadPicture(f"'{folder}' holds a recording already; give a new folder")
        self._folder = folder
        self._times = (folder / TIMES_NAME).open("x", encoding="utf-8")
        self._count = 0

    def write(self, frame: Frame) -> Path:
        """Store one frame without loss; return its file."""
        path = self._folder / f"f{self._count:06d}.png"
        good, data = cv2.imencode(".png", frame.image, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        if not good:
            raise BadPicture(f"frame {frame.number} cannot be written as PNG")
        path.write_bytes(data.tobytes())
        self._times.write(f"{path.name} {frame.time_s!r}\n")
        self._times.flush()
        self._count += 1
        return path

    def close(self) -> None:
        """Finish the recording; may be called more than once."""
        self._times.close()


def read_picture(path: Path) -> Image:
    """Read one picture file.

    Returns:
        Shape (h, w, 3), BGR, turned as the camera says (EXIF).

    Raises:
        CameraNotFound: no such file.
        BadPicture: too large, cut off, or not a picture.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise BadPicture(f"'{path}' has {size} bytes, more than {MOST_BYTES}; make it smaller")
        data = path.read_bytes()
    except OSError as error:
        raise CameraNotFound(f"'{path}' cannot be read ({error.strerror}); check its name") from error
    return decode_picture(data, f"'{path}'")


def decode_picture(data: bytes, name: str = "the picture") -> Image:
    """Decode a JPEG, PNG, BMP or WebP picture.

    The dimensions are read from the header before anything is decoded, so that a small file cannot ask for gigabytes; a file that
    was cut off is refused rather than completed with gray.

    Raises:
        BadPicture: too large, cut off, or not a picture.
    """
    width, height = _header_size(data, name)
    check_dimensions(width, height, name)
    image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise BadPicture(f"{name} cannot be decoded; take the picture again or convert it to PNG")
    return np.asarray(image, dtype=np.uint8)


def check_dimensions(width: int, height: int, name: str) -> None:
    """Refuse impossible dimensions.

    Raises:
        BadPicture: a side is under 16 px or the area over `MOST_PIXELS`.
    """
    if width < LEAST_SIDE_PX or height < LEAST_SIDE_PX or width * height > MOST_PIXELS:
        raise BadPicture(
            f"{name} has {width} x {height} px; sides of {LEAST_SIDE_PX} px and more and at most {MOST_PIXELS} px in all are read"
        )


def read_times(path: Path, names: list[str]) -> list[float]:
    """Return the time of every picture in s, in the order of `names`.

    Raises:
        CameraNotFound: the file cannot be read.
        BadPicture: a picture has no time, a line is no time, or the times do not rise.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CameraNotFound(f"the times file '{path}' cannot be read; check its name") from error
    by_name, in_order = _parsed_times(text, path)
    try:
        times = [by_name[name] for name in names] if by_name else in_order
    except KeyError as error:
        raise BadPicture(f"'{path}' has no time for the picture {error}; add the line NAME SECONDS") from error
    if len(times) != len(names):
        raise BadPicture(f"'{path}' has {len(times)} times for {len(names)} pictures; give one for each, in name order")
    for earlier, later in itertools.pairwise(times):
        if not (math.isfinite(later) and later > earlier):
            raise BadPicture(f"'{path}': {later:g} s follows {earlier:g} s; times must rise from picture to picture")
    return times


def _parsed_times(text: str, path: Path) -> tuple[dict[str, float], list[float]]:
    """Times by name and times in order; one of the two is empty."""
    try:
        if text.lstrip().startswith(("[", "{")):
            document = json.loads(text)
            if isinstance(document, dict):
                return {str(name): float(value) for name, value in document.items()}, []
            return {}, [float(value) for value in document]
        by_name: dict[str, float] = {}
        in_order: list[float] = []
        for line in text.splitlines():
            words = re.split(r"[\s,;]+", line.strip())
            if not words[0] or words[0].startswith("#"):
                continue
            if len(words) == 1:
                in_order.append(float(words[0]))
            else:
                by_name[words[0]] = float(words[1])
    except (TypeError, ValueError) as error:
        raise BadPicture(
            f"'{path}' is no list of times ({error}); write one line SECONDS or NAME SECONDS a picture"
        ) from error
    return by_name, in_order


def _checked_rate(rate: float) -> float:
    if not (math.isfinite(rate) and 0.0 < rate <= 1000.0):
        raise BadPicture(
            f"a frame rate of {rate:g} is impossible; give pictures a second, more than 0 and at most 1000"
        )
    return rate


def _name_key(path: Path) -> tuple[list[tuple[int, int, str]], str]:
    """f2 before f10; equal keys fall back to the plain name."""
    parts = re.split(r"([0-9]+)", path.name.lower())
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part], path.name


def _header_size(data: bytes, name: str) -> tuple[int, int]:
    """Width and height as the file's header says."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            if b"IEND" not in data[-64:]:
                raise BadPicture(f"{name} is cut off; copy it again")
            width, height = struct.unpack(">II", data[16:24])
            return width, height
        if data.startswith(b"\xff\xd8"):
            return _jpeg_size(data, name)
        if data.startswith(b"BM"):
            width, height = struct.unpack("<ii", data[18:26])
            return width, abs(height)
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _webp_size(data, name)
    except (struct.error, IndexError) as error:
        raise BadPicture(f"{name} is cut off; copy it again") from error
    raise BadPicture(f"{name} is no JPEG, PNG, BMP or WebP picture; convert it to PNG")


def _jpeg_size(data: bytes, name: str) -> tuple[int, int]:
    """Walk the segments to the frame header, then make sure that the picture has its end.

    Source: ITU-T T.81, annex B.
    """
    at, size = 2, (0, 0)
    while True:
        if data[at] != 0xFF:
            raise BadPicture(f"{name} is damaged; copy it again")
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0xDA:
            break
        (length,) = struct.unpack(">H", data[at + 2 : at + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            size = (width, height)
        at += 2 + length
    # A thumbnail in the EXIF segment has an end of its own, but it lies before the start of the scan.
    if data.rfind(b"\xff\xd9") < at:
        raise BadPicture(f"{name} is cut off; copy it again")
    return size


def _webp_size(data: bytes, name: str) -> tuple[int, int]:
    """Source: RFC 9649."""
    (length,) = struct.unpack("<I", data[4:8])
    if len(data) < length + 8:
        raise BadPicture(f"{name} is cut off; copy it again")
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack("<I", data[21:25])
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF
