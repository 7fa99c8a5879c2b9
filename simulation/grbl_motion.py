"""Motion planner of the simulated controller: queued straight moves, trapezoids in closed form.

Nothing is stepped: position and speed are formulas of time, so a motion of ten seconds costs as much as one of ten milliseconds.
Speeds are mm/s along the path, accelerations mm/s^2.
"""

import math
from collections import deque
from dataclasses import dataclass

from damludo.simulation.grbl_settings import Settings, Vector

INFINITY = math.inf
LEAST_LIMIT = 0.01
"""A rate or acceleration of 0 can be stored; the motion then creeps, it does not divide by zero."""


class Profile:
    """Speed over the rest of a straight way: at most three phases of constant acceleration."""

    __slots__ = ("_phases", "end_s", "exit_speed", "start_mm", "start_s")

    def __init__(self, start_s: float, start_mm: float, exit_speed: float) -> None:
        self.start_s = self.end_s = start_s
        self.start_mm = start_mm
        self.exit_speed = exit_speed
        self._phases: list[tuple[float, float, float]] = []  # duration, speed at its start, acceleration

    def add(self, seconds: float, speed: float, acceleration: float) -> None:
        """Append a phase."""
        if seconds > 0:
            self._phases.append((seconds, speed, acceleration))
            self.end_s += seconds

    def at(self, time_s: float) -> tuple[float, float]:
        """Return way from the block's start and speed at a time."""
        left = time_s - self.start_s
        way = self.start_mm
        speed = self.exit_speed
        for seconds, speed_0, acceleration in self._phases:
            part = left if left < seconds else seconds
            way += (speed_0 + 0.5 * acceleration * part) * part
            speed = speed_0 + acceleration * part
            left -= seconds
            if left < 0:
                break
        return way, speed


def plan_profile(
    start_s: float, start_mm: float, rest_mm: float, entry: float, cruise: float, leave: float, acceleration: float
) -> Profile:
    """Plan the trapezoid over `rest_mm`: from `entry` to `cruise`, as much of it as there is room for, then down to `leave`."""
    double = 2.0 * acceleration
    profile = Profile(start_s, start_mm, leave)
    if entry > cruise:
        peak = cruise
        first = (entry**2 - peak**2) / double
    else:
        peak = min(cruise, math.sqrt(max(0.0, (double * rest_mm + entry**2 + leave**2) / 2.0)))
        peak = max(peak, entry, leave)
        first = (peak**2 - entry**2) / double
    last = max(0.0, (peak**2 - leave**2) / double)
    flat = rest_mm - first - last
    if flat < -1e-9 and rest_mm > 0:
        # No room for three phases (an override came late): one even change of speed over the whole rest.
        rate = (leave**2 - entry**2) / (2.0 * rest_mm)
        profile.add(2.0 * rest_mm / (entry + leave), entry, rate)
        return profile
    profile.add(abs(peak - entry) / acceleration, entry, math.copysign(acceleration, peak - entry))
    profile.add(max(0.0, flat) / peak if peak > 0 else 0.0, peak, 0.0)
    profile.add((peak - leave) / acceleration, peak, -acceleration)
    return profile


def plan_braking(start_s: float, start_mm: float, rest_mm: float, entry: float, acceleration: float) -> Profile:
    """Plan a feed hold: brake at once; the speed at the end of the rest may still be above 0."""
    way = entry**2 / (2.0 * acceleration)
    leave = 0.0 if way <= rest_mm else math.sqrt(max(0.0, entry**2 - 2.0 * acceleration * rest_mm))
    profile = Profile(start_s, start_mm, leave)
    profile.add((entry - leave) / acceleration, entry, -acceleration)
    return profile


@dataclass(slots=True)
class Leg:
    """One queued straight move, machine mm."""

    start: Vector
    end: Vector
    unit: Vector
    length_mm: float
    asked_speed: float  # as programmed; infinite for a rapid move
    axis_speed: float  # what the axes allow in this direction
    acceleration: float
    junction_speed: float  # the corner at its start allows this much
    entry_speed: float = 0.0
    rapid: bool = False


class Planner:
    """The queue of moves and the one that runs."""

    CAPACITY = 15

    def __init__(self, settings: Settings, position: Vector) -> None:
        self._settings = settings
        self._legs: deque[Leg] = deque()
        self._profile: Profile | None = None
        self._rest = position
        self.end = position
        self.feed_percent = 100
        self.rapid_percent = 100
        self.holding = False

    @property
    def empty(self) -> bool:
        """Nothing is queued and nothing runs."""
        return not self._legs

    @property
    def full(self) -> bool:
        """No further move is taken."""
        return len(self._legs) >= self.CAPACITY

    @property
    def free(self) -> int:
        """How many moves still fit."""
        return self.CAPACITY - len(self._legs)

    @property
    def moving(self) -> bool:
        """The axes turn."""
        return self._profile is not None

    @property
    def next_event_s(self) -> float:
        """When the running move (or the braking of a hold) ends."""
        return self._profile.end_s if self._profile is not None else INFINITY

    def place_at(self, position: Vector) -> None:
        """Forget everything queued; the axes rest at `position`."""
        self._legs.clear()
        self._profile = None
        self._rest = self.end = position
        self.holding = False

    def position_at(self, time_s: float) -> Vector:
        """Return the machine position."""
        if self._profile is None:
            return self._rest
        leg = self._legs[0]
        way, _ = self._profile.at(time_s)
        (x, y, z), (ux, uy, uz) = leg.start, leg.unit
        return x + ux * way, y + uy * way, z + uz * way

    def velocity_at(self, time_s: float) -> tuple[float, Vector]:
        """Return speed and direction."""
        if self._profile is None:
            return 0.0, (0.0, 0.0, 0.0)
        return self._profile.at(time_s)[1], self._legs[0].unit

    def add(self, time_s: float, target: Vector, speed: float | None) -> None:
        """Queue a straight move; `speed` None is a rapid move. A move shorter than a step is none."""
        leg = self._leg(target, speed)
        if leg is None:
            return
        self._legs.append(leg)
        self.end = leg.end
        self._plan(time_s)

    def _leg(self, target: Vector, speed: float | None) -> Leg | None:
        steps = self._settings.axes(100)
        x, y, z = (round(target[i] * steps[i]) / steps[i] for i in range(3))
        start = self.end
        dx, dy, dz = x - start[0], y - start[1], z - start[2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        if length < 1e-9:
            return None
        unit = dx / length, dy / length, dz / length
        rates = self._settings.axes(110)
        leg = Leg(
            start,
            (x, y, z),
            unit,
            length,
            INFINITY if speed is None else speed,
            _axis_limit((rates[0] / 60.0, rates[1] / 60.0, rates[2] / 60.0), unit),
            _axis_limit(self._settings.axes(120), unit),
            0.0,
            rapid=speed is None,
        )
        if self._legs:
            leg.junction_speed = self._junction(self._legs[-1].unit, unit)
        return leg

    def _junction(self, before: Vector, after: Vector) -> float:
        """Speed through a corner by GRBL's junction deviation: the circle that leaves the corner by at most `$11`."""
        cosine = -(before[0] * after[0] + before[1] * after[1] + before[2] * after[2])
        if cosine > 0.999999:
            return 0.0
        if cosine < -0.999999:
            return INFINITY
        across = [after[i] - before[i] for i in range(3)]
        size = math.sqrt(sum(part * part for part in across))
        direction = across[0] / size, across[1] / size, across[2] / size
        half = math.sqrt(0.5 * (1.0 - cosine))
        deviation = self._settings.values[11]
        return math.sqrt(_axis_limit(self._settings.axes(120), direction) * deviation * half / (1.0 - half))

    def _cruise(self, leg: Leg) -> float:
        if leg.rapid:
            return leg.axis_speed * self.rapid_percent / 100.0
        return max(1.0 / 60.0, min(leg.axis_speed, leg.asked_speed * self.feed_percent / 100.0))

    def _plan(self, time_s: float) -> None:
        """Look ahead: from the last move back, every entry slow enough to stop at the end; then the running move anew."""
        if self.holding or not self._legs:
            return
        leave = 0.0
        legs = self._legs
        for i in range(len(legs) - 1, 0, -1):
            leg, cruise = legs[i], self._cruise(legs[i])
            entry = math.sqrt(leave * leave + 2.0 * leg.acceleration * leg.length_mm)
            leg.entry_speed = leave = min(entry, leg.junction_speed, cruise, self._cruise(legs[i - 1]))
        way, speed = self._profile.at(time_s) if self._profile is not None else (self._way_done(), 0.0)
        self._run(time_s, way, speed)

    def _way_done(self) -> float:
        leg = self._legs[0]
        return math.dist(leg.start, self._rest)

    def _run(self, time_s: float, way: float, speed: float) -> None:
        leg = self._legs[0]
        rest = max(0.0, leg.length_mm - way)
        if self.holding:
            self._profile = plan_braking(time_s, way, rest, speed, leg.acceleration)
            return
        wanted = self._legs[1].entry_speed if len(self._legs) > 1 else 0.0
        reach = 2.0 * leg.acceleration * rest
        leave = min(wanted, math.sqrt(speed * speed + reach))
        leave = max(leave, math.sqrt(max(0.0, speed * speed - reach)))
        self._profile = plan_profile(time_s, way, rest, speed, self._cruise(leg), leave, leg.acceleration)

    def pass_event(self, time_s: float) -> None:
        """Live through `next_event_s`: go on to the next move, or come to rest in a hold."""
        profile = self._profile
        if profile is None:
            return
        leg = self._legs[0]
        way, _ = profile.at(profile.end_s)
        if self.holding and way < leg.length_mm - 1e-6:
            self._rest = self.position_at(profile.end_s)
            self._profile = None
            return
        self._rest = leg.end
        self._legs.popleft()
        self._profile = None
        if self._legs and not (self.holding and profile.exit_speed <= 0):
            self._run(time_s, 0.0, profile.exit_speed)

    def hold(self, time_s: float) -> None:
        """Brake now and stay."""
        self.holding = True
        if self._profile is not None:
            way, speed = self._profile.at(time_s)
            self._run(time_s, way, speed)

    def resume(self, time_s: float) -> None:
        """Go on after a hold."""
        self.holding = False
        self._plan(time_s)

    def override(self, time_s: float, feed_percent: int, rapid_percent: int) -> None:
        """Change the overrides of feed (10..200) and rapid moves (25, 50, 100)."""
        self.feed_percent, self.rapid_percent = feed_percent, rapid_percent
        self._plan(time_s)


def _axis_limit(limits: Vector, unit: Vector) -> float:
    """Return the greatest length along `unit` whose parts keep the limit of every axis."""
    best = INFINITY
    for limit, part in zip(limits, unit, strict=True):
        if part:
            best = min(best, limit / abs(part))
    return max(best, LEAST_LIMIT)
