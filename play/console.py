"""What all commands share: exit codes, one-sentence errors, JSON on standard output."""

import json
import sys
from enum import IntEnum

from damludo.engine.errors import EngineError
from damludo.robot.errors import (
    BadImage,
    ControllerAlarm,
    ControllerError,
    LineError,
    NotOurController,
    RobotError,
    Stopped,
)
from damludo.rules.errors import RulesError


class ExitCode(IntEnum):
    """The exit codes that scripts rely on."""

    FINE = 0
    INTERNAL = 1
    USAGE = 2
    BAD_INPUT = 3
    NO_DEVICE = 4
    DEVICE_FAULT = 5
    NOT_CALIBRATED = 6
    WRONG_BOARD = 7
    ILLEGAL_MOVE = 8
    STOPPED = 9
    INTERRUPTED = 130


class CommandError(Exception):
    """A sentence for the person at the keyboard, with the exit code that goes with it."""

    def __init__(self, message: str, code: ExitCode) -> None:
        super().__init__(message)
        self.code = code


class Progress:
    """One line on standard error that tells how far a long command is: rewritten on a terminal, nothing elsewhere."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Replace the line."""
        if self.shown:
            print(f"\r{text}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Go on below the line."""
        if self.shown:
            print(file=sys.stderr)


def cannot_write(path: object, error: OSError) -> CommandError:
    """Return the error of a file of the user's that could not be written."""
    reason = error.strerror or type(error).__name__
    return CommandError(f"{path} cannot be written ({reason}); name another folder, with free room", ExitCode.BAD_INPUT)


def counted(count: int, one: str, many: str) -> str:
    """Return a number with the form of the word that goes with it: "1 ply", "5 plies"."""
    return f"{count} {one if count == 1 else many}"


def exit_code_of(error: Exception) -> ExitCode:
    """Return the exit code of an error; INTERNAL for one that nobody foresaw."""
    if isinstance(error, CommandError):
        return error.code
    # Looked up by name, so that an error of the rules does not import OpenCV.
    vision = sys.modules.get("damludo.vision.errors")
    if vision is not None:
        if isinstance(error, vision.CameraNotFound):
            return ExitCode.NO_DEVICE
        if isinstance(error, vision.CameraError):
            return ExitCode.DEVICE_FAULT
        if isinstance(error, vision.BoardNotFound | vision.BadPose):
            return ExitCode.NOT_CALIBRATED
        if isinstance(error, vision.VisionError):
            return ExitCode.BAD_INPUT
    calibration = sys.modules.get("damludo.calibration.errors")
    if calibration is not None and isinstance(error, calibration.CalibrationError):
        return ExitCode.NOT_CALIBRATED
    simulation = sys.modules.get("damludo.simulation.errors")
    if simulation is not None and isinstance(error, simulation.SimulationError):
        return ExitCode.NO_DEVICE if isinstance(error, simulation.ToolMissing) else ExitCode.DEVICE_FAULT
    for kinds, code in (
        ((Stopped,), ExitCode.STOPPED),
        ((BadImage,), ExitCode.BAD_INPUT),
        ((ControllerAlarm, ControllerError, RobotError), ExitCode.DEVICE_FAULT),
        ((RulesError, EngineError), ExitCode.BAD_INPUT),
    ):
        if isinstance(error, kinds):
            return ExitCode.NO_DEVICE if isinstance(error, LineError | NotOurController) else code
    return ExitCode.INTERNAL


def print_json(document: object) -> None:
    """Print exactly one JSON document (one line) on standard output."""
    print(json.dumps(document, ensure_ascii=False), flush=True)


def fail(message: str) -> None:
    """Print an error on standard error."""
    print(f"damludo: {message}", file=sys.stderr)


def note(message: str) -> None:
    """Print a progress line on standard error."""
    print(message, file=sys.stderr)


def write_report(error: Exception) -> str:
    """Write the traceback of an internal error to a file and return its name."""
    # Here, because no command that works needs them.
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="damludo-report-", suffix=".txt", delete=False) as file:
        traceback.print_exception(error, file=file)
    return file.name
