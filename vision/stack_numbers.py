"""The numbers that all stacks of one scene share: edges, shadows, walls; what is usual, and how well men have told them.

Eleven of them: radius, edge, soft, strength and contact as in `StackLook`, the shadow along x and y, then for White's and for
Black's discs the wall's two numbers as parts of the top's brightness.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from damludo.vision.stack import Floats, Shared, StackLook

Numbers = NDArray[np.float64]

NAMES = ("radius", "edge", "soft", "strength", "contact")
SHARED = 7
"""So many numbers do not depend on the side."""
STEPS = np.array([0.005, 0.005, 0.01, 0.02, 0.05, 0.05, 0.05, 0.02, 0.02])
"""For derivatives: of the shared numbers, then of one side's wall."""
STRIDES = np.array([0.02, 0.02, 0.04, 0.15, 0.15, 0.3, 0.3, 0.1, 0.1])
"""The most that they change in one round."""
USUAL = np.array([0.38, 0.065, 0.14, 0.35, 0.45, 0.0, 0.0])
UNSURE = np.array([0.1, 0.03, 0.05, 0.15, 0.10, 0.8, 0.8, 0.22, 0.05])
"""Standard deviations of what is usual (a short shadow hardly tells its length from its darkness)."""
LEAST = np.array([0.2, 0.03, 0.05, 0.0, 0.0, -2.0, -2.0])
MOST = np.array([0.47, 0.12, 0.25, 0.7, 0.9, 2.0, 2.0])


def of_side(side: int) -> NDArray[np.intp]:
    """Return which of the eleven numbers tell the look of one side's stacks, shape (9,)."""
    return np.array([*range(SHARED), SHARED + 2 * side, SHARED + 2 * side + 1])


def numbers_of(look: StackLook, side: int) -> Numbers:
    """Return the nine numbers of one side's stacks, those of `of_side`."""
    wall = look.wall[side] / level_of(look, side)
    return np.array([*(getattr(look, name) for name in NAMES), *look.shadow, *wall], dtype=np.float64)


def with_numbers(look: StackLook, numbers: Numbers) -> StackLook:
    """Return a look with other shared numbers, brought within their limits."""
    shared = np.clip(numbers[:SHARED], LEAST, MOST)
    named = dict(zip(NAMES, map(float, shared), strict=False))
    return replace(look, **named, shadow=shared[len(NAMES) :].astype(np.float32))  # type: ignore[arg-type]


def shared_by(level: float, numbers: Numbers) -> Shared:
    """Return what stacks of one side share if their numbers are these, shape (p, 9), brought within their limits.

    `level` is that of the side's tops.
    """
    clipped = np.clip(numbers[:, :SHARED], LEAST, MOST).astype(np.float32)
    radius, edge, soft, strength, contact = (clipped[:, k : k + 1] for k in range(len(NAMES)))
    wall: Floats = (numbers[:, SHARED:] * level).astype(np.float32)
    return Shared(radius, edge, soft, strength, contact, clipped[:, len(NAMES) :], wall)


def doubt(look: StackLook, side: int) -> Numbers:
    """Return the covariance of the nine numbers of one side's stacks, after what the men told, shape (9, 9)."""
    usual = np.concatenate([UNSURE, UNSURE[SHARED:]]) ** -2.0
    covariance = np.linalg.inv(look.told + np.diag(usual))
    return np.asarray(covariance[np.ix_(of_side(side), of_side(side))])


def level_of(look: StackLook, side: int) -> float:
    """Return the usual brightness of the tops of one side's discs."""
    return float(np.median(look.top[side]))
