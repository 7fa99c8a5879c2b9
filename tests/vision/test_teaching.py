"""What men teach about a scene, on painted boards."""

import math

import numpy as np
import pytest

from damludo.vision.content import BoardSizes
from damludo.vision.look import Look
from damludo.vision.patches import Patches
from damludo.vision.stack import TOP_SIDE, Canvas, StackField, StackLook, paint_on, ramp
from damludo.vision.teaching import learn_from
from damludo.vision.view import BoardView, grid_of

LIGHT_SQUARES = tuple(place for place in range(64) if (place // 8 + place % 8) % 2 == 1)
MEN = np.array([*range(12), *range(20, 32)])
SIDES = (MEN >= 20).astype(np.intp)


def lit_board(field: StackField, shadow: tuple[float, float]) -> tuple[StackLook, np.ndarray]:
    """Men on light squares between dark ones, whose border is blurred over 0.1 square each way; shape (32, SIDE * SIDE)."""
    x, y = np.abs(field.x[0]), np.abs(field.y[0])
    aside = ramp(x - np.float32(0.5), 0.1), ramp(y - np.float32(0.5), 0.1)
    dark = aside[0] * (1 - aside[1]) + aside[1] * (1 - aside[0])
    ground = np.tile((1.0 - 0.55 * dark).astype(np.float32), (2, 1))
    top = np.stack([np.full((TOP_SIDE, TOP_SIDE), level, np.float32) for level in (1.3, 0.35)])
    wall = np.array([[0.8, 0.0], [0.22, 0.0]], np.float32)
    look = StackLook(0.38, 0.065, np.array(shadow, np.float32), 0.12, 0.25, 0.5, ground, top, wall)
    bright = field.floor(look, np.arange(32)).copy()
    random = np.random.default_rng(3)
    feet = random.normal(0.0, 0.03, (24, 2)).astype(np.float32)
    bright[MEN] = paint_on(Canvas.of(field, look, MEN), look, SIDES, feet).bright
    return look, (bright * (1 + 0.01 * random.standard_normal(bright.shape))).astype(np.float32)


@pytest.mark.parametrize("shadow", [(-0.3, 0.3), (0.8, 0.2)], ids=["short", "long"])
def test_the_soft_border_of_a_square_is_not_learnt_as_shadow(shadow: tuple[float, float]) -> None:
    view = BoardView(
        grid_of(8, 8, LIGHT_SQUARES), BoardSizes(), (640, 480), 620.0, 0.0,
        np.array([math.pi - math.radians(11), 0.0, 0.0]), np.array([-200.0, 185.0, 800.0]),
    )  # fmt: skip
    field = StackField(Patches(view, 0.38))
    true, bright = lit_board(field, shadow)
    nothing = np.zeros((2, 1, 3), np.float32)
    colours = Look(nothing[0, 0], nothing, nothing, nothing[:, 0], nothing[:, 0], 0.38, nothing[:, 0, 0])
    learnt = learn_from(field, colours, bright, np.isin(np.arange(32), MEN), MEN, SIDES)
    assert learnt.strength == pytest.approx(true.strength, abs=0.06)
    assert np.linalg.norm(learnt.shadow - true.shadow) < 0.2
