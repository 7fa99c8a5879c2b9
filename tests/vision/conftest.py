"""A drawn board: squares, discs, a hand, a lamp. Nothing of it comes from the renderer of the simulated table."""

from collections.abc import Callable, Mapping
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.vision.content import BoardSizes, Content
from damludo.vision.frame import Image
from damludo.vision.view import BoardView, grid_of

SQUARE_PX = 44
LEFT, TOP = 144, 64
PAINT = {Content.WHITE_MAN: (150, 200, 230), Content.BLACK_MAN: (40, 40, 60)}
DarkSquares = tuple(place for place in range(64) if (place // 8 + place % 8) % 2 == 0)

Draw = Callable[..., Image]


def start_content() -> dict[int, Content]:
    """Three rows of men of each side on the dark squares."""
    content = dict.fromkeys(DarkSquares, Content.EMPTY)
    for place in DarkSquares:
        if place // 8 < 3:
            content[place] = Content.WHITE_MAN
        if place // 8 > 4:
            content[place] = Content.BLACK_MAN
    return content


def centre_px(place: int) -> tuple[float, float]:
    """Where a place is drawn: White sits at the bottom."""
    rank, file = divmod(place, 8)
    return LEFT + (file + 0.5) * SQUARE_PX, TOP + (7 - rank + 0.5) * SQUARE_PX


def draw_board(
    content: Mapping[int, Content],
    light: NDArray[np.float64] | float = 1.0,
    seed: int = 0,
    arm_to: tuple[float, float] | None = None,
    offsets: Mapping[int, tuple[float, float]] | None = None,
    noise: float = 2.0,
) -> Image:
    """Draw 640 x 480 px seen from above.

    Args:
        light: factor on the brightness, a number or shape (480, 640).
        seed: of the sensor's noise.
        arm_to: finger tips of an arm that comes from below, px.
        offsets: px by which discs lie off the middle of their places.
    """
    image = np.full((480, 640, 3), (70, 100, 130), np.float32)
    side = 8 * SQUARE_PX
    for rank in range(8):
        for file in range(8):
            x, y = LEFT + file * SQUARE_PX, TOP + (7 - rank) * SQUARE_PX
            image[y : y + SQUARE_PX, x : x + SQUARE_PX] = (60, 80, 110) if (rank + file) % 2 == 0 else (160, 195, 215)
    cv2.rectangle(image, (LEFT - 2, TOP - 2), (LEFT + side + 1, TOP + side + 1), (30, 40, 50), 2)
    for place, what in content.items():
        if what is not Content.EMPTY:
            x, y = np.add(centre_px(place), (offsets or {}).get(place, (0.0, 0.0)))
            cv2.circle(
                image, (round(x * 8), round(y * 8)), round(0.38 * SQUARE_PX * 8), PAINT[what], -1, cv2.LINE_AA, 3
            )
    if arm_to is not None:
        tip = (round(arm_to[0]), round(arm_to[1]))
        cv2.line(image, (tip[0], 520), (tip[0], tip[1] + 45), (120, 60, 40), 70)
        cv2.ellipse(image, (tip[0], tip[1] + 30), (32, 40), 0, 0, 360, (140, 170, 220), -1)
    shape = light[..., None].astype(np.float32) if isinstance(light, np.ndarray) else np.float32(light)
    soft = cv2.GaussianBlur(image * shape, (0, 0), 0.8)
    rows, columns = 37 * seed % 480, 101 * seed % 640
    return np.clip(soft + noise * np.roll(_grain(), (rows, columns), (0, 1)), 0, 255).astype(np.uint8)


@cache
def _grain() -> NDArray[np.float32]:
    """Noise of deviation 1; every frame shifts it, which is cheaper than to draw it anew."""
    return np.random.default_rng(1).standard_normal((480, 640, 3), dtype=np.float32)


@pytest.fixture(name="draw")
def _draw() -> Draw:
    """`draw_board`."""
    return draw_board


@pytest.fixture(name="at_px")
def _at_px() -> Callable[[int], tuple[float, float]]:
    """`centre_px`."""
    return centre_px


@pytest.fixture
def start() -> dict[int, Content]:
    """The start position."""
    return start_content()


@pytest.fixture
def view_from_above() -> BoardView:
    """The exact pose of the drawn board: 880 mm above it, discs without height."""
    square_mm, focal = 50.0, 800.0
    distance = focal * square_mm / SQUARE_PX
    # Board y runs up in the picture, camera y down: a half turn about x. Pixel (LEFT - 0.5, ...) is the corner of a1.
    x = (LEFT - 0.5 - 319.5) * distance / focal
    y = (TOP + 8 * SQUARE_PX - 0.5 - 239.5) * distance / focal
    return BoardView(
        grid_of(8, 8, DarkSquares),
        BoardSizes(square_mm, 38.0, 0.0),
        (640, 480),
        focal,
        0.0,
        np.array([np.pi, 0.0, 0.0]),
        np.array([x, y, distance]),
    )
