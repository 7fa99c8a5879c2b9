"""Errors of the robot.

RobotError
├── LineError            the controller cannot be reached
│   ├── PortNotFound     there is no such serial port
│   ├── PortBusy         another program holds it
│   ├── LineSilent       no answer in time
│   └── LineClosed       cable or simulation gone
├── NotOurController     something else answers on the port
├── WrongSettings        the controller's settings do not fit this machine
├── ControllerAlarm      the controller reports an alarm; position may be lost
├── ControllerError      the controller refused a line
├── NotHomed             position unknown: home first
├── OutOfReach           target outside the travel
├── BadImage             the firmware's image is missing or damaged
└── Stopped              STOP was pressed
"""


class RobotError(Exception):
    """Root of the errors of `damludo.robot`."""


class LineError(RobotError):
    """The controller cannot be reached."""


class PortNotFound(LineError):
    """There is no such serial port."""


class PortBusy(LineError):
    """Another program holds the serial port."""


class LineSilent(LineError):
    """No answer came in time."""


class LineClosed(LineError):
    """The cable or the simulation is gone."""


class NotOurController(RobotError):
    """Something else answers on the port."""


class WrongSettings(RobotError):
    """The controller's settings (travel, steps per mm) do not fit this machine."""


class ControllerAlarm(RobotError):
    """The controller reports an alarm; the position may be lost.

    Attributes:
        number: of the controller's alarm table; 0 if it only said that it is in alarm.
    """

    def __init__(self, message: str, number: int = 0) -> None:
        super().__init__(message)
        self.number = number


class ControllerError(RobotError):
    """The controller refused a line.

    Attributes:
        number: of the controller's error table; 0 if the fault was found by the driver.
    """

    def __init__(self, message: str, number: int = 0) -> None:
        super().__init__(message)
        self.number = number


class NotHomed(RobotError):
    """The position is unknown: home first."""


class OutOfReach(RobotError):
    """The target lies outside the travel of an axis."""

    def __init__(self, axis: str, target_mm: float, travel_mm: tuple[float, float]) -> None:
        low, high = travel_mm
        super().__init__(
            f"{axis} = {target_mm:.1f} mm is outside the travel {low:.1f}..{high:.1f} mm; "
            f"check the board's place with 'damludo calibrate gantry'"
        )
        self.axis, self.target_mm, self.travel_mm = axis, target_mm, travel_mm


class BadImage(RobotError):
    """The file is no image for this controller."""

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(f"the firmware image {path} cannot be used: {reason}; install Damludo again")


class Stopped(RobotError):
    """STOP was pressed."""
