"""Steps of a motion plan and the time they take."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from damludo.robot.frames import GantryPoint
from damludo.robot.machine import GantryLimits


def trapezoid_s(distance_mm: float, speed_mm_per_s: float, acceleration_mm_per_s2: float) -> float:
    """Return the time of a move from rest to rest with constant acceleration.

    d/v + v/a if full speed is reached (d >= v^2/a), else 2 sqrt(d/a).
    """
    if distance_mm >= speed_mm_per_s**2 / acceleration_mm_per_s2:
        return distance_mm / speed_mm_per_s + speed_mm_per_s / acceleration_mm_per_s2
    return 2.0 * math.sqrt(distance_mm / acceleration_mm_per_s2)


def straight_move(start: GantryPoint, end: GantryPoint, limits: GantryLimits) -> tuple[float, float]:
    """Return (speed along the way in mm/s, duration in s) of the fastest straight move that no axis forbids.

    The controller slows the whole line until every axis keeps its limit: the axis with the greatest share of the way counts.
    """
    deltas = (end.x_mm - start.x_mm, end.y_mm - start.y_mm, end.z_mm - start.z_mm)
    distance = math.hypot(*deltas)
    if distance == 0.0:
        return max(limits.speed_mm_per_s), 0.0
    shares = [abs(delta) / distance for delta in deltas]
    speed = min(v / share for v, share in zip(limits.speed_mm_per_s, shares, strict=True) if share > 0)
    acceleration = min(a / share for a, share in zip(limits.acceleration_mm_per_s2, shares, strict=True) if share > 0)
    return speed, trapezoid_s(distance, speed, acceleration)


@dataclass(frozen=True, slots=True)
class Travel:
    """Move in the plane at travel height."""

    x_mm: float
    y_mm: float
    speed_mm_per_s: float
    duration_s: float


@dataclass(frozen=True, slots=True)
class Lower:
    """Move straight down to a height."""

    z_mm: float
    speed_mm_per_s: float
    duration_s: float


@dataclass(frozen=True, slots=True)
class Raise:
    """Move straight up to a height."""

    z_mm: float
    speed_mm_per_s: float
    duration_s: float


@dataclass(frozen=True, slots=True)
class Magnet:
    """Switch the magnet, after all motion before it."""

    on: bool
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Dwell:
    """Stand still, after all motion before it: the magnet needs time to take or to let go."""

    duration_s: float


Step = Travel | Lower | Raise | Magnet | Dwell


@dataclass(frozen=True, slots=True)
class MotionPlan:
    """Steps to be done in order, each at most once. Every point was checked against the limits when the plan was made.

    Attributes:
        start: where the carriage must stand.
        steps: what to do.
    """

    start: GantryPoint
    steps: tuple[Step, ...]

    @property
    def duration_s(self) -> float:
        """The time that the machine needs; without the host's."""
        return sum(step.duration_s for step in self.steps)

    @property
    def end(self) -> GantryPoint:
        """Where the carriage stands after the last step."""
        return [self.start, *(point for _, point in self.walk())][-1]

    def walk(self) -> Iterator[tuple[Step, GantryPoint]]:
        """Yield every step with the point where the carriage stands after it."""
        point = self.start
        for step in self.steps:
            point = after(step, point)
            yield step, point


def after(step: Step, point: GantryPoint) -> GantryPoint:
    """Return where the carriage stands after a step that began at `point`."""
    if isinstance(step, Travel):
        return GantryPoint(step.x_mm, step.y_mm, point.z_mm)
    if isinstance(step, Lower | Raise):
        return GantryPoint(point.x_mm, point.y_mm, step.z_mm)
    return point
