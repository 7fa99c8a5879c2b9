"""What a controller says of its machine: travel, rates, accelerations, homing; and what follows from it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from damludo.robot.errors import OutOfReach, WrongSettings
from damludo.robot.frames import GantryPoint

Triple = tuple[float, float, float]
AXES = ("x", "y", "z")

SECONDS_PER_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class GantryLimits:
    """Where the carriage may be and how fast, gantry frame.

    Attributes:
        low_mm, high_mm: the allowed range of x, y, z.
        speed_mm_per_s, acceleration_mm_per_s2: of each axis.
    """

    low_mm: Triple
    high_mm: Triple
    speed_mm_per_s: Triple
    acceleration_mm_per_s2: Triple

    def check(self, point: GantryPoint) -> None:
        """Do nothing for a point that can be reached.

        Raises:
            OutOfReach: an axis is outside its range, or not a number.
        """
        # A coordinate that went through an affine map and back may stick out by a rounding error.
        slack = 1e-6
        for axis, value, low, high in zip(
            AXES, (point.x_mm, point.y_mm, point.z_mm), self.low_mm, self.high_mm, strict=True
        ):
            if not low - slack <= value <= high + slack:
                raise OutOfReach(axis, value, (low, high))


@dataclass(frozen=True, slots=True)
class MachineSettings:
    """The settings of the machine that the driver needs, in mm and s (one unit for all controllers).

    Attributes:
        steps_per_mm, speed_mm_per_s, acceleration_mm_per_s2, travel_mm: of x, y, z.
        homing: the machine has end switches and `home` works.
        homes_low: for each axis, True if the switch is at the end of small coordinates (GRBL: bit of $23 set).
        seek_mm_per_s, locate_mm_per_s, debounce_s, pull_off_mm: of homing.
        motors_stay_on: False if the motors are released after a move and the carriage may drift.
    """

    steps_per_mm: Triple = (80.0, 80.0, 400.0)
    speed_mm_per_s: Triple = (200.0, 200.0, 50.0)
    acceleration_mm_per_s2: Triple = (1000.0, 1000.0, 400.0)
    travel_mm: Triple = (600.0, 500.0, 80.0)
    homing: bool = True
    homes_low: tuple[bool, bool, bool] = (True, True, False)
    seek_mm_per_s: float = 40.0
    locate_mm_per_s: float = 5.0
    debounce_s: float = 0.025
    pull_off_mm: float = 1.0
    motors_stay_on: bool = True

    def __post_init__(self) -> None:
        positive = (
            *self.steps_per_mm,
            *self.speed_mm_per_s,
            *self.acceleration_mm_per_s2,
            *self.travel_mm,
            self.seek_mm_per_s,
            self.locate_mm_per_s,
        )
        if not all(math.isfinite(v) and v > 0 for v in positive) or not 0 <= self.pull_off_mm < min(self.travel_mm):
            raise WrongSettings(
                f"the machine's settings hold a number that cannot be (steps {self.steps_per_mm}, travel {self.travel_mm}, "
                f"rates {self.speed_mm_per_s}); set them with 'damludo gantry settings'"
            )

    @property
    def limits(self) -> GantryLimits:
        """The range that stays clear of the end switches, and the speeds."""
        pull, travel = self.pull_off_mm, self.travel_mm
        top_free = travel[2] if self.homes_low[2] else travel[2] - pull
        return GantryLimits(
            low_mm=(pull, pull, pull if self.homes_low[2] else 0.0),
            high_mm=(travel[0], travel[1], top_free),
            speed_mm_per_s=self.speed_mm_per_s,
            acceleration_mm_per_s2=self.acceleration_mm_per_s2,
        )

    @property
    def home(self) -> GantryPoint:
        """Where the carriage stands after homing."""
        pull = self.pull_off_mm
        return GantryPoint(pull, pull, pull if self.homes_low[2] else self.travel_mm[2] - pull)

    @property
    def homing_limit_s(self) -> float:
        """The longest that a sound homing may last.

        The firmware seeks over at most 1.5 travels, pulls off, then locates over at most 5 pull-offs and pulls off again,
        axis after axis in the worst case; it reports nothing meanwhile, so only this time tells a lost controller.
        """
        seek = sum(1.5 * travel / self.seek_mm_per_s for travel in self.travel_mm)
        locate = 3 * 7 * self.pull_off_mm / self.locate_mm_per_s
        return seek + locate + 3 * 4 * self.debounce_s + 5.0

    def from_machine(self, machine: Triple) -> GantryPoint:
        """Carry machine coordinates (-travel..0 on every axis) to the gantry frame."""
        x, y = (
            value + travel if low else -value
            for value, travel, low in zip(machine[:2], self.travel_mm, self.homes_low, strict=False)
        )
        return GantryPoint(x, y, machine[2] + self.travel_mm[2])

    def to_machine(self, point: GantryPoint) -> Triple:
        """Carry a point of the gantry frame to machine coordinates."""
        x, y = (
            value - travel if low else -value
            for value, travel, low in zip((point.x_mm, point.y_mm), self.travel_mm, self.homes_low, strict=False)
        )
        return x, y, point.z_mm - self.travel_mm[2]

    def compare(self, found: "MachineSettings", tolerance: float = 0.02) -> None:
        """Refuse a controller whose travel, steps or homing corners are not those of this machine.

        Raises:
            WrongSettings: names the first difference. A blank memory shows itself this way.
        """
        for what, unit, mine, other in (
            ("steps", "per mm", self.steps_per_mm, found.steps_per_mm),
            ("travel", "mm", self.travel_mm, found.travel_mm),
        ):
            for axis, expected, value in zip(AXES, mine, other, strict=True):
                if abs(value - expected) > tolerance * expected:
                    raise WrongSettings(
                        f"the controller's {what} of {axis} is {value:g} {unit}, the profile says {expected:g}; nothing will "
                        f"move: restore the settings with 'damludo gantry settings --restore', or calibrate again"
                    )
        if self.homes_low != found.homes_low:
            raise WrongSettings(
                f"the controller homes to other ends ({found.homes_low}) than the profile says ({self.homes_low}); "
                f"calibrate again with 'damludo calibrate gantry'"
            )


def settings_of_grbl(values: Mapping[int, str]) -> MachineSettings | None:
    """Make settings of the answers to `$$`; None if the dump lacks what is needed (a relative with other settings).

    Source: GRBL 1.1 settings $22-$27, $100-$132; rates there are in mm/min, debounce in ms.

    Raises:
        WrongSettings: a value is no number, impossible, or reports come in inches.
    """
    numbers: dict[int, float] = {}
    for key, text in values.items():
        try:
            numbers[key] = float(text)
        except ValueError:
            continue
    if any(key not in numbers for base in (100, 110, 120, 130) for key in (base, base + 1, base + 2)):
        return None
    if numbers.get(13, 0.0):
        raise WrongSettings("the controller reports in inches ($13=1); change that with 'damludo gantry settings 13=0'")

    def three(base: int, divisor: float = 1.0) -> Triple:
        return numbers[base] / divisor, numbers[base + 1] / divisor, numbers[base + 2] / divisor

    mask = _integer(numbers.get(23, 0.0))
    return MachineSettings(
        steps_per_mm=three(100),
        speed_mm_per_s=three(110, SECONDS_PER_MINUTE),
        acceleration_mm_per_s2=three(120),
        travel_mm=three(130),
        homing=bool(_integer(numbers.get(22, 0.0)) & 1),
        homes_low=(bool(mask & 1), bool(mask & 2), bool(mask & 4)),
        seek_mm_per_s=numbers.get(25, 500.0) / SECONDS_PER_MINUTE,
        locate_mm_per_s=numbers.get(24, 25.0) / SECONDS_PER_MINUTE,
        debounce_s=numbers.get(26, 250.0) / 1000.0,
        pull_off_mm=numbers.get(27, 1.0),
        motors_stay_on=numbers.get(1, 255.0) == 255.0,
    )


def grbl_of_settings(machine: MachineSettings) -> dict[int, str]:
    """Return the settings of GRBL that make a controller fit a machine: the way back from `settings_of_grbl`."""
    numbers: dict[int, float] = {13: 0, 22: machine.homing, 26: 1000.0 * machine.debounce_s, 27: machine.pull_off_mm}
    numbers[23] = sum(low << axis for axis, low in enumerate(machine.homes_low))
    numbers[24] = machine.locate_mm_per_s * SECONDS_PER_MINUTE
    numbers[25] = machine.seek_mm_per_s * SECONDS_PER_MINUTE
    if machine.motors_stay_on:
        numbers[1] = 255
    for axis in range(3):
        numbers[100 + axis] = machine.steps_per_mm[axis]
        numbers[110 + axis] = machine.speed_mm_per_s[axis] * SECONDS_PER_MINUTE
        numbers[120 + axis] = machine.acceleration_mm_per_s2[axis]
        numbers[130 + axis] = machine.travel_mm[axis]
    return {number: f"{float(value):.3f}".rstrip("0").rstrip(".") for number, value in sorted(numbers.items())}


def _integer(value: float) -> int:
    return int(value) if math.isfinite(value) else 0
