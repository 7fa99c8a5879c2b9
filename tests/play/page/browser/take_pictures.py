"""Takes the pictures of the page for the documentation: `python -m pytest tests/play/page/browser/take_pictures.py`."""

import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page

LARGEST_BYTES = 150_000
COLOURS = 96


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "width", "height"), [("illegal", 360, 740), ("illegal", 768, 1024), ("play", 1440, 900)]
)
def test_take_a_picture(
    name: str,
    width: int,
    height: int,
    scheme: str,
    fake: Any,
    open_page: Callable[..., Page],
    situations: Mapping[str, Callable[[Any], None]],
    root: Path,
) -> None:
    situations[name](fake)
    page = open_page(width=width, height=height, scheme=scheme, reduced_motion="reduce")
    page.wait_for_timeout(1000)
    _keep(page, root / "docs" / "pictures" / f"page-{width}-{scheme}.png")


def test_take_a_picture_of_a_position_that_is_set(
    fake: Any, open_page: Callable[..., Page], situations: Mapping[str, Callable[[Any], None]], root: Path
) -> None:
    situations["play"](fake)
    squares = [square["name"] for square in fake.state["game"]["squares"] if square["playable"]]
    letters = {name: fake.state["position"].get(name, ".") for name in squares} | {"d6": "."}
    fake.overlay["readings"] = {name: {"content": letter, "confidence": 0.9} for name, letter in letters.items()}
    page = open_page(width=1024, height=760, reduced_motion="reduce")
    page.click("#set-position")
    page.click("#sheet .piece:has([value=W])")
    page.click("#sheet [data-square=a3]")
    page.wait_for_timeout(500)
    _keep(page, root / "docs" / "pictures" / "page-set-position.png")


def _keep(page: Page, target: Path) -> None:
    target.write_bytes(_packed(page.screenshot()))

    assert target.stat().st_size <= LARGEST_BYTES


def _packed(png: bytes) -> bytes:
    """Return the picture as a PNG with a palette of its own: a quarter of the size, and hardly another look."""
    decoded = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    image = decoded.astype(np.uint8)
    palette = _palette(image.reshape(-1, 3))
    # The nearest colour of the palette for each of 32 x 32 x 32 shades.
    shades = np.stack(np.meshgrid(*[np.arange(32) * 8.0 + 4.0] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    nearest = np.abs(shades - palette).sum(axis=2).argmin(axis=1).reshape(32, 32, 32).astype(np.uint8)
    blue, green, red = (image >> 3).transpose(2, 0, 1)
    return _png(nearest[blue, green, red], palette[:, ::-1].astype(np.uint8))


def _palette(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the colours, shape (COLOURS, 3), that stand best for all pixels, shape (n, 3)."""
    cv2.setRNGSeed(1)
    # Small things of rare colours (marks, buttons) count like large ones of common colours.
    kinds = np.unique(pixels >> 2, axis=0).astype(np.float32) * 4 + 2
    often = pixels[:: len(pixels) // 20_000].astype(np.float32)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 1.0)
    points = np.concatenate([often, kinds[:: max(1, len(kinds) // 5_000)]])
    return np.asarray(cv2.kmeans(points, COLOURS, None, stop, 1, cv2.KMEANS_PP_CENTERS)[2], dtype=np.float64)  # type: ignore[call-overload]


def _png(indices: NDArray[np.uint8], palette: NDArray[np.uint8]) -> bytes:
    """Return a PNG with a palette. Source: the PNG specification, chapters 5 and 11."""
    height, width = indices.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = np.concatenate([np.zeros((height, 1), np.uint8), indices], axis=1).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (b"IHDR", head), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in parts)
