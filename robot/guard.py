"""The port to whoever watches the table for hands while the machine moves."""

from dataclasses import dataclass
from typing import Protocol

from damludo.robot.frames import GantryPoint


@dataclass(frozen=True, slots=True)
class CarriageSight:
    """Where the carriage is, for whoever watches the table.

    Attributes:
        position: gantry frame; None while it is not known (homing).
        time_s: when the controller reported it.
        magnet_on: a disc may hang on the magnet.
    """

    position: GantryPoint | None
    time_s: float
    magnet_on: bool


class Guard(Protocol):
    """Watches for hands."""

    def clear(self, carriage: CarriageSight) -> bool:
        """Return True if nobody's hand is where the machine may move.

        Asked once before anything moves, then about 10 times a second. An exception holds the motion and ends the plan.
        """


class NoGuard:
    """Sees nothing: for a machine that nobody can reach into, and for tests of motion alone."""

    def clear(self, carriage: CarriageSight) -> bool:
        """Return True."""
        return True
