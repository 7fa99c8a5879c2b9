"""Errors of the simulation.

SimulationError
├── ToolMissing          a compiler, a library or the source of a simulated controller is not there
└── ControllerCrashed    the process of a simulated controller ended by itself
"""


class SimulationError(Exception):
    """Root of the errors of `damludo.simulation`."""


class ToolMissing(SimulationError):
    """Something that a simulated controller is made of is not on this computer."""

    def __init__(self, what: str, packages: str = "") -> None:
        remedy = (
            f"Debian, Ubuntu, Raspberry Pi OS: sudo apt-get install {packages}" if packages else "install Damludo again"
        )
        super().__init__(f"{what}; {remedy}; or use the controller that needs nothing: --controller python")
        self.packages = packages


class ControllerCrashed(SimulationError):
    """The process of a simulated controller ended by itself."""
