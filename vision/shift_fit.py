"""Explains how patches changed: by a shift that all channels share, and by what light did in each of them.

Light adds and multiplies, smoothly over a patch. Six terms in each channel do that well, and too well: what is added on one side
and what is multiplied on the other cancel on the disc and do not on the ground, which is nearly what the rim of a shifted disc
does. So a fit may also be told what light did at most (`Held`), and how much a sample errs that is explained.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import Patches

Floats = NDArray[np.float64]

ROUNDS = 4
"""Reweighted rounds of the robust fit."""
ROUNDS_OF_LIGHT = 2
"""Rounds before, in which a patch that was carried along is not carried on: what does not agree with it has lost its say."""
ROBUST = 2.5
"""Deviations from which a sample loses its say: a neighbour's shadow came or went there."""
SAMPLES_A_FACT = 7.0
"""So many neighbouring samples err alike (blur, compression, grain)."""
LEAST_NOISE = 0.25
"""Grey levels: rounding in a picture without noise is no precision."""
SATURATED = 250.0
"""Grey level from which a sample says nothing of what lies there."""
ADDED = 3
"""So many terms of light in a channel add: everywhere, along x, along y. As many multiply."""
STRAY_COST = 0.02
"""What it costs to say that a sample stayed which the shift would have moved, as a part of what an unexplained one costs."""

_LITTLE = 1e-6


@dataclass(frozen=True, eq=False, slots=True)
class Held:
    """What is known of light and noise before a patch is looked at.

    Attributes:
        noise: grey levels by which a sample errs that is explained.
        light: shape (n, 3, 6), usual sizes of what light does, in grey levels; terms as `light_terms` gives them.
    """

    noise: float
    light: Floats

    def of(self, which: NDArray[np.intp]) -> "Held":
        """Return the same for some of the patches."""
        return Held(self.noise, self.light[which])

    @property
    def stiffness(self) -> Floats:
        """What the normal equations hold light with, shape (n, 3, 6, 6)."""
        return np.asarray((SAMPLES_A_FACT * self.noise**2 / self.light**2)[..., None] * np.eye(self.light.shape[-1]))


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """What `fit` found, in samples.

    Attributes:
        shift: shape (n, 2).
        halves: shape (n, h, 2), what each half of the samples shows under the same light.
        error: shape (n,), greater standard error of any mixture of x and y.
        unlit: shape (n, 3, samples), the change that light does not explain.
        light: shape (n, 3, k), what light does.
        noise: shape (n,), grey levels that the middle sample leaves unexplained, as a standard deviation.
    """

    shift: Floats
    halves: Floats
    error: Floats
    unlit: Floats
    light: Floats
    noise: Floats


def light_terms(samples: Floats, planes: Floats) -> Floats:
    """Return what light may do in one channel: it adds, and it multiplies, each with a slope.

    Args:
        samples: grey levels, shape (n, 3, samples).
        planes: 1, x and y of the samples, -1..1, shape (samples, 3).

    Returns:
        Shape (n, 3, samples, 6); what multiplies is relative to the patch's mean brightness.
    """
    relative = samples / np.maximum(samples.mean(axis=2, keepdims=True), 1.0)
    added = np.broadcast_to(planes, (*samples.shape, ADDED))
    return np.concatenate([added, relative[..., None] * added], axis=-1)


def carried(patch: Patches, way: Floats) -> Patches:
    """Return a patch, shape (side, side, 3), carried along by so many samples."""
    if not way.any():
        return patch
    matrix = np.array([[1.0, 0.0, way[0]], [0.0, 1.0, way[1]]])
    moved = cv2.warpAffine(patch, matrix, patch.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, dtype=np.float32)


def slopes_of(patches: Patches) -> tuple[Patches, Patches]:
    """Return the gradients along x and y, a sample; Sobel's, without the patches' edges."""
    along_x, along_y = np.zeros_like(patches), np.zeros_like(patches)
    smooth = patches[:, :-2] + 2.0 * patches[:, 1:-1] + patches[:, 2:]
    along_x[:, 1:-1, 1:-1] = (smooth[:, :, 2:] - smooth[:, :, :-2]) / 8.0
    smooth = patches[:, :, :-2] + 2.0 * patches[:, :, 1:-1] + patches[:, :, 2:]
    along_y[:, 1:-1, 1:-1] = (smooth[:, 2:] - smooth[:, :-2]) / 8.0
    return along_x, along_y


def fit(
    slopes: Floats, light: Floats, change: Floats, own: Floats, halves: NDArray[np.bool_], held: Held | None = None
) -> Fit:
    """Explain changes by a shift that all channels share and by a change of light in each of them, outliers reweighted.

    Args:
        slopes: shape (n, 3, samples, 2): what a shift of one sample along x, and along y, would change.
        light: shape (n, 3, samples, k): what light may change in a channel.
        change: shape (n, 3, samples).
        own: the weight of each sample, of the same shape.
        halves: shape (h, samples), True for the samples of each half.
        held: what is known before; the first rounds then begin from no shift at all.
    """
    weight, design = own, np.concatenate([np.zeros_like(slopes), light], axis=-1)
    few: Floats = _LITTLE * np.eye(design.shape[-1])
    if held is not None:
        few = np.broadcast_to(few, (*change.shape[:2], *few.shape)).copy()
        few[..., 2:, 2:] += held.stiffness
    for turn in range(0 if held is None else -ROUNDS_OF_LIGHT, ROUNDS):
        if turn >= 0:
            design[..., :2] = slopes
        weighted = (design * weight[..., None]).swapaxes(-1, -2)
        normal, right = weighted @ design + few, (weighted @ change[..., None])[..., 0]
        # The light of each channel is eliminated (a Schur complement), then the channels add up.
        mixed, inverse = normal[..., :2, 2:], np.linalg.inv(normal[..., 2:, 2:])
        gain = mixed @ inverse
        shift_normal = (normal[..., :2, :2] - gain @ mixed.swapaxes(-1, -2)).sum(axis=1) + _LITTLE * np.eye(2)
        shift_right = (right[..., :2] - (gain @ right[..., 2:, None])[..., 0]).sum(axis=1)
        shift = np.linalg.solve(shift_normal, shift_right[..., None])[..., 0]
        left = right[..., 2:] - (mixed.swapaxes(-1, -2) @ shift[:, None, :, None])[..., 0]
        lit = (inverse @ left[..., None])[..., 0]
        unlit = change - (light @ lit[..., None])[..., 0]
        rest = np.abs(unlit - (slopes @ shift[:, None, :, None])[..., 0])
        noise = np.maximum(1.48 * np.median(rest.reshape(len(rest), -1), axis=1), LEAST_NOISE)
        if turn < ROUNDS - 1:
            usual = noise if held is None else np.full_like(noise, held.noise)
            weight = own / (1.0 + (rest / (ROBUST * usual[:, None, None])) ** 2)
    spread = np.linalg.inv(shift_normal) * (noise**2 * SAMPLES_A_FACT)[:, None, None]
    error = np.sqrt(np.maximum(np.linalg.eigvalsh(spread)[:, -1], 0.0))
    return Fit(shift, _of_halves(slopes, unlit, weight, halves), error, unlit, lit, noise)


def _of_halves(slopes: Floats, unlit: Floats, weight: Floats, halves: NDArray[np.bool_]) -> Floats:
    """Return the shift that each half of the samples shows by itself, shape (n, h, 2)."""
    flat = slopes.reshape(len(slopes), -1, 2)
    parts = []
    for half in halves:
        weighted = flat * (weight * half).reshape(len(flat), -1, 1)
        normal = weighted.swapaxes(-1, -2) @ flat + _LITTLE * np.eye(2)
        right = weighted.swapaxes(-1, -2) @ unlit.reshape(len(flat), -1, 1)
        parts.append(np.linalg.solve(normal, right)[..., 0])
    return np.stack(parts, axis=1)


def unexplained(light: Floats, change: Floats, own: Floats, noise: float, stiffness: Floats | None = None) -> Floats:
    """Return what light does not explain of a change, each sample between 0 (all is explained) and 1; shape (n, samples).

    Args:
        light, change, own: as `fit` takes them.
        noise: grey levels by which a sample errs that is explained.
        stiffness: of `Held`; without it light may do anything.
    """
    few = _LITTLE * np.eye(light.shape[-1]) + (0.0 if stiffness is None else stiffness)
    weight, strange = own, np.zeros_like(change)
    for _ in range(ROUNDS_OF_LIGHT + 1):
        weighted = (light * weight[..., None]).swapaxes(-1, -2)
        lit = np.linalg.solve(weighted @ light + few, weighted @ change[..., None])
        strange = ((change - (light @ lit)[..., 0]) / (ROBUST * noise)) ** 2
        weight = own / (1.0 + strange)
    return np.asarray((strange / (1.0 + strange)).mean(axis=1))
