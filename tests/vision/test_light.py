"""The light that is fitted to the corners of the squares: against its plain twin, and what outliers do to it."""

import numpy as np
import pytest

from damludo.vision.light import LOCAL_SHARE, OUTLIER, ROUNDS, fit_light, terms

STEP = np.array([-0.8, 0.1, -0.05], np.float32)


def plainly_fitted(
    design: np.ndarray, colour: np.ndarray, odd: np.ndarray, around: np.ndarray, step: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Fit as `fit_light` does: a regression in double precision, medians by NumPy."""
    full = design if step is not None else np.column_stack([design, odd])
    target = (colour if step is None else colour - odd[:, None] * step).astype(np.float64)
    weight = np.ones(len(full))
    for _ in range(ROUNDS):
        normal = (full.T * weight) @ full + 1e-3 * np.eye(full.shape[1])
        solution = np.linalg.solve(normal, (full.T * weight) @ target)
        residual = target - full @ solution
        size = np.linalg.norm(residual, axis=1)
        weight = 1 / (1 + (size / max(OUTLIER, 1.5 * np.median(size))) ** 2)
    local = LOCAL_SHARE * np.median(residual[around], axis=1)
    corners = residual[around[:, :4]] - local[:, None]
    return solution[:6], solution[6] if step is None else step, local, corners


@pytest.mark.parametrize("step", [STEP, None], ids=["step known", "step fitted"])
@pytest.mark.parametrize("nearest", [15, 16])
def test_light_is_that_of_the_plain_fit(step: np.ndarray | None, nearest: int) -> None:
    random = np.random.default_rng(1)
    xy = random.uniform(-1, 1, (257, 2)).astype(np.float32)
    odd = random.integers(0, 2, 257).astype(np.float32)
    design = terms(xy)
    colour = design @ random.normal(0, 0.5, (6, 3)).astype(np.float32) + odd[:, None] * STEP
    colour += random.normal(0, 0.05, (257, 3)).astype(np.float32)
    colour[::7] += np.float32(0.6)  # glare, an overhanging disc
    around = np.stack([random.permutation(257)[:nearest] for _ in range(50)])
    found = fit_light(design, colour, odd, around, step)
    expected = plainly_fitted(design, colour, odd, around, step)
    for name, value in zip(("coefficients", "step", "local", "corners"), expected, strict=True):
        np.testing.assert_allclose(getattr(found, name), value, atol=2e-5, err_msg=name)
