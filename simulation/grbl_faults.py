"""Faults of the simulated controller and gantry, asked for by name."""

from collections.abc import Mapping

FAULTS: Mapping[str, str] = {
    "lost_ok": "the n-th `ok` from now is never sent",
    "garbled_ok": "the n-th `ok` from now arrives with a flipped bit",
    "silent": "after n more lines nothing is sent any more; lines are still obeyed",
    "reset_in_move": "the supply dips in the middle of the n-th move from now: restart, position forgotten",
    "limit_glitch": "the n-th switching of the magnet from now is seen by a limit input: ALARM:1",
    "switch_open_x": "the x limit switch never closes",
    "switch_open_y": "the y limit switch never closes",
    "switch_open_z": "the z limit switch never closes",
    "switch_closed_x": "the x limit switch never opens",
    "switch_closed_y": "the y limit switch never opens",
    "switch_closed_z": "the z limit switch never opens",
    "slip_x": "n mm are lost on the x axis in the next move",
    "slip_y": "n mm are lost on the y axis in the next move",
    "magnet_weak": "the next n switchings-on of the magnet take nothing",
    "drop_in_transit": "the disc falls off in the n-th carried move from now",
    "blank_eeprom": "the settings are lost at the next start: error:7 around the banner",
}
"""Every name and what its number n means (where it means something)."""


class Faults:
    """The faults that wait to happen."""

    def __init__(self, wanted: Mapping[str, float] | None = None) -> None:
        self._left: dict[str, float] = {}
        for name, value in (wanted or {}).items():
            self.ask(name, value)

    @property
    def asked(self) -> bool:
        """Whether any fault waits or lasts; most runs have none, and this is quick to ask."""
        return bool(self._left)

    def ask(self, name: str, value: float = 1) -> None:
        """Let a fault happen from now on.

        Raises:
            ValueError: there is no such fault.
        """
        if name not in FAULTS:
            raise ValueError(f"there is no fault '{name}'; known are {', '.join(sorted(FAULTS))}")
        self._left[name] = value

    def heal(self, name: str) -> None:
        """Let a fault happen no more."""
        self._left.pop(name, None)

    def lasting(self, name: str) -> bool:
        """Tell whether a lasting fault is there."""
        return name in self._left

    def due(self, name: str) -> bool:
        """Count one chance of a fault to happen; True when this is the n-th, which also ends it."""
        if not self._left or name not in self._left:
            return False
        self._left[name] -= 1
        if self._left[name] > 0:
            return False
        del self._left[name]
        return True

    def used_up(self, name: str) -> bool:
        """Count one use of a fault that begins after n uses and then lasts."""
        if not self._left or name not in self._left:
            return False
        self._left[name] -= 1
        return self._left[name] < 0

    def take(self, name: str) -> float:
        """Return the number of a fault and end it; 0 if it was not asked for."""
        return self._left.pop(name, 0.0) if self._left else 0.0
