"""Transfers to motion plans: heights, order of the steps, limits. Nothing moves here."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from damludo.robot.errors import OutOfReach, RobotError
from damludo.robot.frames import GantryMap, GantryPoint
from damludo.robot.machine import GantryLimits
from damludo.robot.motion import Dwell, Lower, Magnet, MotionPlan, Raise, Step, Travel, straight_move
from damludo.robot.places import Place, Transfer


@dataclass(frozen=True, slots=True)
class Handling:
    """How discs are handled.

    Attributes:
        disc_height_mm: of one disc.
        highest_stack: the most discs that can lie on one place while the carriage travels (a king is two).
        clearance_mm: air between the highest stack and a carried disc.
        press_mm: how far the sprung magnet is pressed on the disc it takes.
        gap_mm: how far above its target a disc is let go; it must not be pressed.
        grip_s, release_s: how long the magnet needs to take and to let go.
        pace: share of the machine's speed that is used, above 0 and at most 1.
    """

    disc_height_mm: float = 9.0
    highest_stack: int = 2
    clearance_mm: float = 6.0
    press_mm: float = 0.5
    gap_mm: float = 0.5
    grip_s: float = 0.1
    release_s: float = 0.1
    pace: float = 1.0

    def __post_init__(self) -> None:
        sizes = (self.disc_height_mm, self.clearance_mm, self.pace, self.grip_s, self.release_s)
        if not all(math.isfinite(v) and v > 0 for v in sizes) or self.pace > 1 or self.highest_stack < 1:
            raise RobotError(
                f"the handling of the discs holds a number that cannot be: {self}; "
                f"make the profile anew with 'damludo calibrate gantry'"
            )
        if not (0 <= self.press_mm < self.disc_height_mm and 0 <= self.gap_mm < self.clearance_mm):
            raise RobotError(
                f"press {self.press_mm} mm or gap {self.gap_mm} mm is more than a disc or the clearance allows; "
                f"make the profile anew with 'damludo calibrate gantry'"
            )

    @property
    def travel_height_mm(self) -> float:
        """Height of the magnet's face above the board while it travels with a disc."""
        return (self.highest_stack + 1) * self.disc_height_mm + self.clearance_mm


class _Draft:
    """A plan that grows: knows where the carriage is, checks every point before it is added."""

    def __init__(self, start: GantryPoint, limits: GantryLimits, pace: float) -> None:
        self.start = self.point = start
        self.steps: list[Step] = []
        self._limits = replace(limits, speed_mm_per_s=_scaled(limits.speed_mm_per_s, pace))

    def travel(self, x_mm: float, y_mm: float) -> None:
        target = GantryPoint(x_mm, y_mm, self.point.z_mm)
        timing = self._move(target)
        if timing is not None:
            self.steps.append(Travel(x_mm, y_mm, *timing))

    def height(self, z_mm: float) -> None:
        target = GantryPoint(self.point.x_mm, self.point.y_mm, z_mm)
        kind = Raise if z_mm > self.point.z_mm else Lower
        timing = self._move(target)
        if timing is not None:
            self.steps.append(kind(z_mm, *timing))

    def magnet(self, on: bool, settle_s: float) -> None:
        self.steps += [Magnet(on), Dwell(settle_s)]

    def _move(self, target: GantryPoint) -> tuple[float, float] | None:
        self._limits.check(target)
        # Less than the wire can say (0.001 mm) is no move: a step must have a duration.
        if self.point.distance_mm(target) < 0.001:
            return None
        timing = straight_move(self.point, target, self._limits)
        self.point = target
        return timing

    def plan(self) -> MotionPlan:
        return MotionPlan(self.start, tuple(self.steps))


class Planner:
    """Makes motion plans for one machine over one board.

    Args:
        board: map from the board frame to the gantry frame.
        limits: travel and speeds of the machine.
        handling: disc height and margins.
        park_mm: x, y of the gantry frame where the carriage waits out of the camera's sight; the home corner if not given.
    """

    def __init__(
        self,
        board: GantryMap,
        limits: GantryLimits,
        handling: Handling | None = None,
        park_mm: tuple[float, float] | None = None,
    ) -> None:
        self.board = board
        self.limits = limits
        self.handling = handling if handling is not None else Handling()
        self._park_mm = park_mm if park_mm is not None else (limits.low_mm[0], limits.low_mm[1])
        self._travel_z_mm = board.surface_z_mm + self.handling.travel_height_mm
        low, high = limits.low_mm[2], limits.high_mm[2]
        if not low <= self._travel_z_mm <= high:
            raise OutOfReach("z", self._travel_z_mm, (low, high))

    @property
    def travel_z_mm(self) -> float:
        """Gantry z at which the carriage travels."""
        return self._travel_z_mm

    def transfers(self, transfers: Sequence[Transfer], start: GantryPoint, park: bool = False) -> MotionPlan:
        """Plan transfers in the order given; `park` adds the way to the parking place.

        Raises:
            OutOfReach: any point of the whole plan is outside the travel.
            RobotError: a stack is higher than the travel height allows, or has no disc to take.
        """
        draft = self._draft(start)
        for transfer in transfers:
            self._pick(draft, transfer.source, transfer.source_discs)
            self._place(draft, transfer.target, transfer.target_discs)
        if park:
            draft.travel(*self._park_mm)
        return draft.plan()

    def pick(self, place: Place, start: GantryPoint, discs: int = 1) -> MotionPlan:
        """Plan to take the uppermost of `discs` discs and to stay above the place with it."""
        draft = self._draft(start)
        self._pick(draft, place, discs)
        return draft.plan()

    def place(self, place: Place, start: GantryPoint, discs: int = 0) -> MotionPlan:
        """Plan to put the held disc on the `discs` discs of a place."""
        draft = self._draft(start)
        self._place(draft, place, discs)
        return draft.plan()

    def go_to(self, place: Place, start: GantryPoint) -> MotionPlan:
        """Plan to travel above a place."""
        draft = self._draft(start)
        self._above(draft, place)
        return draft.plan()

    def park(self, start: GantryPoint) -> MotionPlan:
        """Plan the way to the parking place."""
        draft = self._draft(start)
        draft.travel(*self._park_mm)
        return draft.plan()

    def _draft(self, start: GantryPoint) -> _Draft:
        draft = _Draft(start, self.limits, self.handling.pace)
        draft.height(self._travel_z_mm)
        return draft

    def _above(self, draft: _Draft, place: Place) -> None:
        target = self.board.to_gantry(place.x_mm, place.y_mm)
        draft.travel(target.x_mm, target.y_mm)

    def _pick(self, draft: _Draft, place: Place, discs: int) -> None:
        self._check_stack(place, discs, lowest=1)
        self._above(draft, place)
        draft.height(self.board.surface_z_mm + discs * self.handling.disc_height_mm - self.handling.press_mm)
        draft.magnet(True, self.handling.grip_s)
        draft.height(self._travel_z_mm)

    def _place(self, draft: _Draft, place: Place, discs: int) -> None:
        self._check_stack(place, discs, lowest=0)
        self._above(draft, place)
        draft.height(self.board.surface_z_mm + (discs + 1) * self.handling.disc_height_mm + self.handling.gap_mm)
        draft.magnet(False, self.handling.release_s)
        draft.height(self._travel_z_mm)

    def _check_stack(self, place: Place, discs: int, lowest: int) -> None:
        if not lowest <= discs <= self.handling.highest_stack:
            raise RobotError(
                f"{discs} discs on {place.name} cannot be handled (allowed {lowest}..{self.handling.highest_stack}); "
                f"put the discs right by hand and go on"
            )


def jog(start: GantryPoint, target: GantryPoint, limits: GantryLimits, pace: float = 0.3) -> MotionPlan:
    """Plan a small move by hand: up before it goes sideways, down after it.

    Raises:
        OutOfReach: the target is outside the travel.
    """
    draft = _Draft(start, limits, pace)
    if target.z_mm > start.z_mm:
        draft.height(target.z_mm)
    draft.travel(target.x_mm, target.y_mm)
    draft.height(target.z_mm)
    return draft.plan()


def _scaled(values: tuple[float, float, float], factor: float) -> tuple[float, float, float]:
    return values[0] * factor, values[1] * factor, values[2] * factor
