"""Pictures from files: checked before they are decoded, so that a broken or huge file is a sentence and not a crash."""

import struct
from pathlib import Path

import cv2
import numpy as np

from damludo.vision.errors import BadPicture
from damludo.vision.frame import Image

MOST_PIXELS = 36_000_000
"""Largest picture that is decoded; a header may claim terabytes. A progressive JPEG of this size needs 330 MB."""
MOST_BYTES = 100_000_000
LEAST_SIDE_PX = 64
"""Smallest picture in which a board can be seen."""
_SIZES = (0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF)
"""JPEG markers whose segment holds the picture's size (ITU-T T.81, table B.1)."""


def load_picture(path: str | Path) -> Image:
    """Read a picture file.

    Returns:
        Shape (h, w, 3), uint8, BGR.

    Raises:
        BadPicture: the file is missing, no picture, cut off, too small or too large.
    """
    try:
        length = Path(path).stat().st_size
        data = Path(path).read_bytes() if length <= MOST_BYTES else b""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadPicture(f"the picture {str(path)!r} cannot be read ({reason}); check the file's name") from error
    if length > MOST_BYTES:
        raise BadPicture(f"the file {str(path)!r} has {length} bytes (limit {MOST_BYTES}); shrink the picture first")
    size = header_size(data)
    if size is None:
        raise BadPicture(f"the file {str(path)!r} holds no picture that can be read; JPEG, PNG, BMP and WebP are known")
    if size[0] * size[1] > MOST_PIXELS:
        raise BadPicture(
            f"the picture {str(path)!r} says it has {size[0]} x {size[1]} pixels (limit {MOST_PIXELS // 1_000_000} million); "
            "shrink it first"
        )
    if _cut_off(data):
        raise BadPicture(f"the picture {str(path)!r} ends too early; copy or take it again")
    image = _decoded(data)
    if image is None or image.ndim != 3:
        raise BadPicture(f"the file {str(path)!r} holds no picture that can be read; JPEG, PNG, BMP and WebP are known")
    if min(image.shape[:2]) < LEAST_SIDE_PX:
        raise BadPicture(
            f"the picture {str(path)!r} has {image.shape[1]} x {image.shape[0]} pixels (at least {LEAST_SIDE_PX} each way); "
            "take a larger one"
        )
    return image


def header_size(data: bytes) -> tuple[int, int] | None:
    """Return (width, height) as the header of a JPEG, PNG, BMP or WebP says, None for other formats or without one.

    Formats whose header is not read here are not decoded: some of OpenCV's decoders believe every size they are told.
    """
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:2] == b"BM" and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        return abs(width), abs(height)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return _webp_size(data)
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _SIZES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        elif marker == 0x01 or 0xD0 <= marker <= 0xD9:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    """Source: RFC 9649, sections 2.5 to 2.7."""
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _cut_off(data: bytes) -> bool:
    """Return whether a JPEG, PNG or WebP lacks its end (cameras pad files with zeros or notes behind it)."""
    if data[:2] == b"\xff\xd8":
        return data.rfind(b"\xff\xd9") < data.rfind(b"\xff\xda")
    if data[:4] == b"RIFF":
        return len(data) < int.from_bytes(data[4:8], "little") + 8
    return data[:4] == b"\x89PNG" and b"IEND" not in data[-64:]


def _decoded(data: bytes) -> Image | None:
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, dtype=np.uint8)
