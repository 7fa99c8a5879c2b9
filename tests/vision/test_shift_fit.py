"""What changed a patch: a shift that all channels share, or light."""

import numpy as np
import pytest

from damludo.vision.shift_fit import ADDED, Held, carried, fit, light_terms, slopes_of, unexplained

SIDE = 25
LINE = np.linspace(-1.0, 1.0, SIDE)
X, Y = np.meshgrid(LINE, LINE)
PLANES = np.stack([np.ones_like(X), X, Y], axis=-1).reshape(-1, ADDED)
HALVES = np.stack([X < 0, X > 0, Y < 0, Y > 0]).reshape(4, -1)


def disc(x: float, y: float, softness: float, levels: tuple[float, float] = (40.0, 90.0)) -> np.ndarray:
    """A patch, shape (1, side, side, 3), with a disc of 10 samples' radius so far from its middle."""
    away = np.hypot(X * 12 - x, Y * 12 - y) - 10.0
    grey = levels[0] + (levels[1] - levels[0]) / (1.0 + np.exp(-away / softness))
    return np.asarray(np.repeat(grey[None, ..., None], 3, axis=3), dtype=np.float32)


def samples(patches: np.ndarray) -> np.ndarray:
    return np.asarray(np.moveaxis(patches.reshape(len(patches), -1, 3), 2, 1), dtype=np.float64)


def fitted(before: np.ndarray, after: np.ndarray, held: Held | None = None) -> np.ndarray:
    slopes = -np.stack([samples(slope) for slope in slopes_of(0.5 * (before + after))], axis=-1)
    old, change = samples(before), samples(after) - samples(before)
    return np.asarray(fit(slopes, light_terms(old, PLANES), change, np.ones_like(change), HALVES, held).shift[0])


def usual(size: float) -> Held:
    return Held(0.8, np.full((1, 3, 2 * ADDED), size))


def test_a_patch_is_carried_toward_greater_coordinates() -> None:
    patch = np.arange(SIDE * SIDE * 3, dtype=np.float32).reshape(SIDE, SIDE, 3)
    assert np.array_equal(carried(patch, np.array([2.0, 1.0]))[1:, 2:], patch[:-1, :-2])
    assert carried(patch, np.zeros(2)) is patch


@pytest.mark.parametrize("held", [None, usual(3.0)], ids=["any light", "usual light"])
def test_a_shift_of_a_sharp_disc_is_fitted_whatever_light_may_do(held: Held | None) -> None:
    shift = fitted(disc(0.0, 0.0, 0.7), disc(0.3, -0.5, 0.7), held)
    assert shift == pytest.approx((0.3, -0.5), abs=0.06)


def test_any_light_imitates_the_soft_rim_that_usual_light_does_not() -> None:
    """Softness as of a picture out of focus: what is added on one side is multiplied away on the disc."""
    before, after = disc(0.0, -0.5, 3.5), disc(0.0, 0.5, 3.5)
    assert fitted(before, after)[1] < 0.15
    assert fitted(before, after, usual(0.3))[1] > 0.7


def test_usual_light_is_taken_for_light() -> None:
    """A lamp that makes one side 6 % brighter, as it does everywhere."""
    before = disc(0.0, 0.0, 0.7)
    after = (before * (1.0 + 0.06 * X)[None, ..., None]).astype(np.float32)
    assert fitted(before, after, usual(5.0)) == pytest.approx((0.0, 0.0), abs=0.01)


def test_light_leaves_nothing_unexplained_of_light_and_much_of_a_stain() -> None:
    before = samples(disc(0.0, 0.0, 0.7))
    terms, own = light_terms(before, PLANES), np.ones_like(before)
    lit = before * 1.1 + 5.0 * PLANES[:, 1]
    assert unexplained(terms, lit - before, own, 0.8).max() < 1e-6
    stain = np.hypot(X - 0.3, Y).ravel() < 0.2
    left = unexplained(terms, lit - before + 30.0 * stain, own, 0.8)[0]
    assert left[stain].min() > 0.9
    assert left[~stain].max() < 0.2


def test_light_that_is_held_explains_less() -> None:
    before = samples(disc(0.0, 0.0, 0.7))
    terms, own = light_terms(before, PLANES), np.ones_like(before)
    change = 20.0 * np.broadcast_to(PLANES[:, 1], before.shape)
    assert unexplained(terms, change, own, 0.8).max() < 1e-6
    assert unexplained(terms, change, own, 0.8, usual(0.1).stiffness).mean() > 0.5
