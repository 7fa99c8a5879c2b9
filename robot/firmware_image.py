"""The prebuilt image of the controller's firmware, and what stands in it."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from damludo.robot.errors import BadImage

FOLDER = Path(__file__).parent / "firmware_images"
MANIFEST = "manifest.json"
FLASH_BYTES = 32_256
"""Flash of the ATmega328P without the 512 bytes of the Uno's boot loader."""


@dataclass(frozen=True, slots=True)
class FirmwareImage:
    """An image in Intel HEX.

    Attributes:
        path: the file.
        version: what it answers to `$I` after `DAMLUDO:`.
        size: bytes of flash.
    """

    path: Path
    version: str
    size: int


def prebuilt_image(folder: Path = FOLDER) -> FirmwareImage:
    """Return the image that the manifest names, after a look at every byte.

    Raises:
        BadImage: manifest or image is missing, damaged, or they do not belong together.
    """
    manifest = folder / MANIFEST
    try:
        told = json.loads(manifest.read_text(encoding="utf-8"))
        path, version, digest = folder / str(told["image"]), str(told["version"]), told["sha256"]
        data = path.read_bytes()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadImage(manifest, str(error)) from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise BadImage(path, f"it is not the one that {manifest.name} names")
    code = read_hex(path)
    if version.encode() not in code:
        raise BadImage(path, f"version {version} is not in it")
    return FirmwareImage(path, version, len(code))


def read_hex(path: Path) -> bytes:
    """Return the bytes of an Intel HEX file that begins at 0; gaps are 0xFF.

    Raises:
        BadImage: a line is damaged, or it does not fit the flash.
    """
    flash = bytearray()
    for number, line in enumerate(path.read_bytes().decode("ascii", "replace").split(), 1):
        try:
            record = bytes.fromhex(line.removeprefix(":"))
        except ValueError:
            raise BadImage(path, f"line {number} is damaged") from None
        # Source: Intel Hexadecimal Object File Format Specification, revision A: length, address, type, data, checksum.
        if len(record) < 5 or record[0] != len(record) - 5 or sum(record) & 0xFF:
            raise BadImage(path, f"line {number} is damaged")
        if record[3] == 0:
            start = record[1] << 8 | record[2]
            flash += b"\xff" * (start + record[0] - len(flash))
            flash[start : start + record[0]] = record[4:-1]
    if not 0 < len(flash) <= FLASH_BYTES:
        raise BadImage(path, f"it has {len(flash)} bytes, there is room for {FLASH_BYTES}")
    return bytes(flash)
