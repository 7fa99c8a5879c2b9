"""What changes by itself is no motion; what a hand does is, whatever the camera."""

import numpy as np
import pytest

from damludo.vision.unrest import MOST_CHANGE, USUAL_CHANGE, Unrest

SHAPE = (40, 60)
EVERYWHERE = np.ones(SHAPE, dtype=np.uint8)


def noise(level: float, frames: int) -> list[np.ndarray]:
    random = np.random.default_rng(3)
    return [np.abs(random.normal(0.0, level, SHAPE)).astype(np.float32) for _ in range(frames)]


def test_a_calm_picture_keeps_the_usual_limit() -> None:
    unrest = Unrest(SHAPE)
    for change in noise(0.01, 100):
        unrest.learn(change, EVERYWHERE)
    assert np.quantile(unrest.limit, 0.98) == pytest.approx(USUAL_CHANGE)


def test_the_noise_of_a_cheap_camera_in_the_dark_is_no_motion_after_a_few_seconds() -> None:
    unrest = Unrest(SHAPE)
    changes = noise(0.03, 200)
    assert unrest.moving(changes[0]).mean() > 0.03
    for change in changes[:-1]:
        unrest.learn(change, EVERYWHERE)
    assert unrest.moving(changes[-1]).mean() < 0.015


def test_a_hand_that_passes_leaves_no_trace() -> None:
    unrest = Unrest(SHAPE)
    for _ in range(12):
        unrest.learn(np.full(SHAPE, 0.5, dtype=np.float32), EVERYWHERE)
    assert np.quantile(unrest.limit, 0.98) == pytest.approx(USUAL_CHANGE)


def test_a_hand_is_motion_in_the_most_restless_picture() -> None:
    unrest = Unrest(SHAPE)
    for _ in range(1_000):
        unrest.learn(np.full(SHAPE, 0.14, dtype=np.float32), EVERYWHERE)
    assert unrest.limit.max() == pytest.approx(MOST_CHANGE)
    assert unrest.moving(np.full(SHAPE, 0.2, dtype=np.float32)).all()


def test_what_the_machine_does_is_not_learnt() -> None:
    unrest, seen = Unrest(SHAPE), EVERYWHERE.copy()
    seen[:, :30] = 0
    for _ in range(1_000):
        unrest.learn(np.full(SHAPE, 0.5, dtype=np.float32), seen)
    assert unrest.limit[:, :30].max() == pytest.approx(USUAL_CHANGE)
    assert unrest.limit[:, 30:].min() == pytest.approx(MOST_CHANGE)
