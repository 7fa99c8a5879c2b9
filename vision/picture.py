"""Pictures from files: checked before they are decoded, so that a broken or huge file is a sentence and not a crash."""

import struct
from pathlib import Path

import cv2
import numpy as np

from damludo.vision.errors import BadPicture
from damludo.vision.frame import Image

MOST_PIXELS = 60_000_000
"""Largest picture that is decoded; a header may claim terabytes."""
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
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadPicture(f"the picture {str(path)!r} cannot be read ({reason}); check the file's name") from error
    size = header_size(data)
    if size is not None and size[0] * size[1] > MOST_PIXELS:
        raise BadPicture(
            f"the picture {str(path)!r} says it has {size[0]} x {size[1]} pixels (limit {MOST_PIXELS // 1_000_000} million); "
            "shrink it first"
        )
    if _cut_off(data):
        raise BadPicture(f"the picture {str(path)!r} ends too early; copy or take it again")
    image = _decoded(data)
    if image is None or image.ndim != 3:
        raise BadPicture(f"the file {str(path)!r} holds no picture that can be read; JPEG and PNG are known")
    if min(image.shape[:2]) < LEAST_SIDE_PX:
        raise BadPicture(
            f"the picture {str(path)!r} has {image.shape[1]} x {image.shape[0]} pixels (at least {LEAST_SIDE_PX} each way); "
            "take a larger one"
        )
    return image


def header_size(data: bytes) -> tuple[int, int] | None:
    """Return (width, height) as the header of a JPEG or PNG says, None for other formats or without one."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
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


def _cut_off(data: bytes) -> bool:
    """Return whether a JPEG or PNG lacks its end mark (cameras pad files with zeros or notes behind it)."""
    if data[:2] == b"\xff\xd8":
        return data.rfind(b"\xff\xd9") < data.rfind(b"\xff\xda")
    return data[:4] == b"\x89PNG" and b"IEND" not in data[-64:]


def _decoded(data: bytes) -> Image | None:
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, dtype=np.uint8)
