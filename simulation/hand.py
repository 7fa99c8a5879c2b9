"""The simulated hand: carries out a list of gestures on the simulated table, as time passes."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from damludo.simulation.table import Disc, Table

GRIP_RADIUS_MM = 22.0
"""A hand takes the uppermost disc whose centre is this near to where it reaches."""
REACH_S = 0.12
"""Time of a gesture beside its way."""
CARRY_HEIGHT_MM = 45.0
"""How high a hand carries a disc above the board."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How a person moves: mean speed over the board, pauses between gestures, and how well discs are centred.

    Attributes:
        speed_mm_s: of the hand over the board.
        pause_s: between two gestures.
        spread_mm: standard deviation of a placed disc's offset from the centre of its square, each axis.
    """

    speed_mm_s: float = 550.0
    pause_s: float = 0.12
    spread_mm: float = 1.5


@dataclass(frozen=True, slots=True)
class Take:
    """Reach to a point and lift the uppermost disc there, or the `whole` stack."""

    x_mm: float
    y_mm: float
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Put:
    """Carry what is held to a point and let it go there.

    Attributes:
        exact: without the spread of the pace.
        single: of several held discs only the lowest is let go.
    """

    x_mm: float
    y_mm: float
    exact: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take the hand out of the picture."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Keep still, wherever the hand is."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Point:
    """Hold the hand over a point and touch nothing."""

    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class Carry:
    """Go on to a point, above the discs, without a stop: a stretch of a way that is not known to its end yet."""

    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class Push:
    """Reach to a point and push the uppermost disc there aside, as a sleeve or a finger does that means something else."""

    x_mm: float
    y_mm: float
    dx_mm: float
    dy_mm: float


Gesture = Take | Put | Withdraw | Wait | Point | Carry | Push


@dataclass(frozen=True, slots=True)
class _Leg:
    """One stretch of the hand's path: from here to a point within a time, then an act."""

    target: tuple[float, float, float]
    seconds: float
    act: Gesture


class SimulatedHand:
    """A `Part` of the world. `side` is -1.0 for a person at rank 1 of the board, +1.0 for one at the last rank."""

    def __init__(self, table: Table, side: float, pace: Pace, random: np.random.Generator) -> None:
        self.pace = pace
        self._table, self._side, self._random = table, side, random
        self._gestures: deque[Gesture] = deque()
        self._leg: _Leg | None = None
        self._leg_start = (0.0, 0.0, 0.0)
        self._leg_start_s = 0.0
        self._time_s = 0.0
        layout = table.layout
        self._edge_mm = -110.0 if side < 0 else layout.height_mm + 110.0
        self._home = (0.5 * layout.width_mm + 60.0, self._edge_mm + 190.0 * side, 90.0)
        table.hand.elbow_x_mm = 0.5 * layout.width_mm + 80.0
        table.hand.elbow_y_mm = self._edge_mm + 330.0 * side

    @property
    def busy(self) -> bool:
        """True while a gesture is going on or waits."""
        return self._leg is not None or bool(self._gestures)

    @property
    def held(self) -> list[Disc]:
        """The discs in the hand, the lowest first."""
        return sorted((disc for disc in self._table.discs if disc.held_by == "hand"), key=lambda disc: disc.z_mm)

    def do(self, gestures: Sequence[Gesture]) -> None:
        """Carry out gestures after those that wait already."""
        self._gestures.extend(gestures)

    def advance_to(self, time_s: float) -> None:
        """Live up to `time_s`."""
        while True:
            if self._leg is None:
                if not self._gestures:
                    break
                self._begin(self._gestures.popleft())
            assert self._leg is not None
            end_s = self._leg_start_s + self._leg.seconds
            self._move((min(time_s, end_s) - self._leg_start_s) / self._leg.seconds)
            if time_s < end_s:
                break
            self._time_s = end_s
            self._act(self._leg.act)
            self._leg = None
        self._time_s = time_s

    def _begin(self, gesture: Gesture) -> None:
        hand, z = self._table.hand, CARRY_HEIGHT_MM
        if not hand.present and not isinstance(gesture, Wait):
            hand.present = True
            hand.x_mm, hand.y_mm, hand.z_mm = self._home
        self._leg_start = (hand.x_mm, hand.y_mm, hand.z_mm)
        self._leg_start_s = self._time_s
        match gesture:
            case Take(x, y) | Put(x, y):
                target = (x, y, z)
                if isinstance(gesture, Put) and not gesture.exact:
                    dx, dy = self._random.normal(0.0, self.pace.spread_mm, 2)
                    target = (x + float(dx), y + float(dy), z)
                seconds = self._duration(target) + self.pace.pause_s
            case Point(x, y) | Push(x, y):
                target = (x, y, z)
                seconds = self._duration(target) + self.pace.pause_s
            case Carry(x, y):
                target = (x, y, z)
                seconds = self._duration(target) - REACH_S
            case Withdraw():
                target, seconds = self._home, self._duration(self._home)
            case Wait(wait_s):
                target, seconds = self._leg_start, wait_s
        self._leg = _Leg(target, max(seconds, 1e-3), gesture)

    def _duration(self, target: tuple[float, float, float]) -> float:
        way = math.hypot(target[0] - self._leg_start[0], target[1] - self._leg_start[1])
        return REACH_S + way / self.pace.speed_mm_s

    def _move(self, done: float) -> None:
        """Move along the leg, smoothly; the hand comes down to the discs at the end of a take or a put."""
        assert self._leg is not None
        hand, start, target = self._table.hand, self._leg_start, self._leg.target
        eased = done * done * (3.0 - 2.0 * done)
        hand.x_mm = start[0] + (target[0] - start[0]) * eased
        hand.y_mm = start[1] + (target[1] - start[1]) * eased
        low = isinstance(self._leg.act, Take | Put | Push) and done > 0.8
        height = target[2] if not low else target[2] * (1.0 - done) / 0.2 + 12.0
        hand.z_mm = height if low else start[2] + (target[2] - start[2]) * min(1.0, done / 0.3)
        for lying, held in enumerate(self.held):
            held.x_mm, held.y_mm = hand.x_mm, hand.y_mm
            held.z_mm = max(0.0, hand.z_mm - 6.0) + lying * self._table.layout.disc_height_mm

    def _act(self, gesture: Gesture) -> None:
        table, hand = self._table, self._table.hand
        match gesture:
            case Take(x, y, whole):
                disc = table.upper_disc_near(x, y, GRIP_RADIUS_MM)
                if disc is not None:
                    for lifted in [disc, *(self._below(disc) if whole else ())]:
                        table.lift(lifted, "hand")
            case Put(single=single):
                for held in self.held[: 1 if single else None]:
                    self._put(held, hand.x_mm, hand.y_mm)
            case Push(x, y, dx, dy):
                self._push(x, y, dx, dy)
            case Withdraw():
                hand.present = False
            case Wait() | Point() | Carry():
                pass

    def _below(self, disc: Disc) -> list[Disc]:
        """Return the discs that another one lies on."""
        near = 0.6 * self._table.layout.disc_diameter_mm
        return [
            other
            for other in self._table.discs
            if other.held_by is None
            and other.z_mm < disc.z_mm
            and math.hypot(other.x_mm - disc.x_mm, other.y_mm - disc.y_mm) < near
        ]

    def _push(self, x_mm: float, y_mm: float, dx_mm: float, dy_mm: float) -> None:
        """Shift the whole stack: a king's discs go together."""
        upper = self._table.upper_disc_near(x_mm, y_mm, GRIP_RADIUS_MM)
        if upper is None:
            return
        at = (upper.x_mm, upper.y_mm)
        for disc in self._table.discs:
            if disc.held_by is None and math.dist((disc.x_mm, disc.y_mm), at) < GRIP_RADIUS_MM / 2:
                disc.x_mm, disc.y_mm = disc.x_mm + dx_mm, disc.y_mm + dy_mm
        self._table.version += 1

    def _put(self, disc: Disc, x_mm: float, y_mm: float) -> None:
        below = self._table.upper_disc_near(x_mm, y_mm, self._table.layout.disc_diameter_mm * 0.6)
        if below is not None:
            # A person who crowns a man sets the second disc square on the first one.
            dx, dy = self._random.normal(0.0, 0.4 * self.pace.spread_mm, 2)
            x_mm, y_mm = below.x_mm + float(dx), below.y_mm + float(dy)
        self._table.put_down(disc, x_mm, y_mm)
