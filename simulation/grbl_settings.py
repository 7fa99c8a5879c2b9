"""What the simulated controller keeps without power: numbered settings, work offsets, start-up lines.

The numbers are those of GRBL 1.1; the defaults are a table gantry: 700 x 640 x 70 mm, 200 mm/s across, 60 mm/s up and down.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

Vector = tuple[float, float, float]
AXES = "XYZ"

STEP_RATE_LIMIT_HZ = 30_000.0
"""The step interrupt of the 16 MHz controller is not called more often."""

_WHOLE = {0: 10, 1: 255, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 10: 1, 13: 0, 20: 1, 21: 1, 22: 1, 23: 0, 26: 100, 32: 0}
_OWN = {160: 0, 161: 1000, 162: 2000, 163: 300, 164: 30}
"""Of the gantry's own firmware: z by a servo, its pulses in us at both ends, longest time of the magnet and of the servo in s."""
_FRACTIONS = {
    11: 0.010,
    12: 0.002,
    24: 300.0,
    25: 3000.0,
    27: 2.0,
    30: 1000.0,
    31: 0.0,
    100: 80.0,
    101: 80.0,
    102: 400.0,
    110: 12000.0,
    111: 12000.0,
    112: 3600.0,
    120: 1000.0,
    121: 1000.0,
    122: 1000.0,
    130: 700.0,
    131: 640.0,
    132: 70.0,
}
_SWITCHES = frozenset({4, 5, 6, 13, 20, 21, 22, 32, 160})


class Refused(Exception):
    """The controller answers `error:code`."""

    def __init__(self, code: int) -> None:
        super().__init__(f"error:{code}")
        self.code = code


def _defaults() -> dict[int, float]:
    return {**_WHOLE, **_FRACTIONS, **_OWN}


@dataclass(slots=True)
class Settings:
    """The EEPROM.

    Attributes:
        values: by number.
        offsets: work offsets G54 to G59, mm.
        startup: the two start-up lines.
        build_info: text of `$I=`.
    """

    values: dict[int, float] = field(default_factory=_defaults)
    offsets: list[Vector] = field(default_factory=lambda: [(0.0, 0.0, 0.0)] * 6)
    startup: list[str] = field(default_factory=lambda: ["", ""])
    build_info: str = ""

    def on(self, number: int) -> bool:
        """Tell whether a switch is set."""
        return self.values[number] != 0

    def axes(self, first: int) -> Vector:
        """Return the three values from a number on (100 steps/mm, 110 mm/min, 120 mm/s^2, 130 mm)."""
        return self.values[first], self.values[first + 1], self.values[first + 2]

    def store(self, number: int, value: float) -> None:
        """Change one setting.

        Raises:
            Refused: 3 unknown number, 4 negative, 6 pulse below 3 us, 10 soft limits without homing, 12 too many steps a second.
        """
        if value < 0:
            raise Refused(4)
        if number not in self.values:
            raise Refused(3)
        if number == 0 and value < 3:
            raise Refused(6)
        if number == 20 and value and not self.on(22):
            raise Refused(10)
        if 100 <= number < 120:
            other = self.values[number + 10 if number < 110 else number - 10]
            if value * other > STEP_RATE_LIMIT_HZ * 60:
                raise Refused(12)
        if number in _SWITCHES:
            value = float(value != 0)
        if number in _OWN:
            value = float(int(value) & 0xFFFF)
        self.values[number] = float(int(value) & 255) if number in _WHOLE else value
        if number == 22 and not value:
            self.values[20] = 0.0

    def restore(self, what: str) -> None:
        """Go back to the defaults: "$" settings, "#" offsets, "*" everything.

        Raises:
            Refused: 3, any other letter.
        """
        if what not in ("$", "#", "*"):
            raise Refused(3)
        if what in "$*":
            self.values = _defaults()
        if what in "#*":
            self.offsets = [(0.0, 0.0, 0.0)] * 6
        if what == "*":
            self.startup, self.build_info = ["", ""], ""

    def lines(self) -> Iterable[str]:
        """Return what `$$` prints."""
        for number in sorted(self.values):
            value = self.values[number]
            yield f"${number}={value:.0f}" if number in _WHOLE or number in _OWN else f"${number}={value:.3f}"
