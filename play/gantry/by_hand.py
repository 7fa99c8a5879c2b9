"""`damludo gantry`: the gantry by hand, one thing at a time."""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping

from damludo.play.console import CommandError, ExitCode, note, print_json
from damludo.play.gantry.devices import GantryChoice, no_profile, profile_of, reach
from damludo.play.table.setup import planner_over
from damludo.play.table.simulated import measured_map
from damludo.robot.controller import Controller
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import RobotError, WrongSettings
from damludo.robot.frames import GantryPoint
from damludo.robot.gantry import Gantry
from damludo.robot.machine import MachineSettings, grbl_of_settings, settings_of_grbl
from damludo.robot.motion import Dwell, Magnet, MotionPlan
from damludo.robot.places import Place, Rack
from damludo.robot.planner import Planner
from damludo.rules.errors import RulesError
from damludo.rules.fen import read_square

HANDS_OFF = "Keep your hands off the table: the gantry moves."

_SLOT = re.compile(r"^(white|black)(\d{1,3})$", re.ASCII)


def ask(question: str) -> str:
    """Return the line typed, "" at the end of the input."""
    print(question, flush=True)
    try:
        return input().strip().lower()
    except EOFError:
        return ""


def show_status(choice: GantryChoice, as_json: bool) -> int:
    """Tell who answers and how it is; nothing moves."""
    with reach(choice) as reached, Gantry(reached.line, GRBL, reached.clock) as gantry:
        info = gantry.connect()
        report = gantry.status()
        profile = profile_of(reached.controller, choice.where, choice.calibration)
        warnings = [*info.warnings, *_differences(profile.machine if profile else None, gantry.machine)]
        if profile is None and reached.table is None:
            warnings.append(str(no_profile(choice.where)))
        document = {
            "port": reached.port,
            "controller": reached.controller,
            "simulated": reached.table is not None,
            "greeting": info.greeting,
            "state": report.state,
            "homed": False,  # opening the port restarts a controller, and a position from before could not be trusted
            "pins": report.pins,
            "magnet": bool(report.spindle),
            "measured": profile is not None,
            "warnings": warnings,
        }
    if as_json:
        print_json(document)
        return ExitCode.FINE
    simulated = " (SIMULATION)" if document["simulated"] else ""
    print(f"{reached.controller} on {reached.port}{simulated}: {info.greeting or 'no greeting'}")
    print(f"state {report.state}, position not known before homing, magnet {'on' if report.spindle else 'off'}")
    print(f"end switches pressed: {', '.join(sorted(report.pins)) or 'none'}")
    for warning in warnings:
        print(f"warning: {warning}")
    return ExitCode.FINE


def home(choice: GantryChoice) -> int:
    """Find the end switches."""
    with reach(choice) as reached:
        profile = profile_of(reached.controller, choice.where, choice.calibration)
        with Gantry(reached.line, GRBL, reached.clock, profile.machine if profile else None) as gantry:
            gantry.connect()
            print(HANDS_OFF, flush=True)
            gantry.home()
            print(f"The gantry is at home: {_text(gantry.position)}.")
    return ExitCode.FINE


def go_to(choice: GantryChoice, square: str) -> int:
    """Travel above a square."""
    place = _place(choice, square)
    with _over_the_board(choice) as (gantry, planner):
        _get_ready(gantry, lambda start: planner.go_to(place, start))
        gantry.run(planner.go_to(place, gantry.position))
        print(f"The magnet stands above {place.name}: {_text(gantry.position)}.")
    return ExitCode.FINE


def park(choice: GantryChoice) -> int:
    """Travel to where the carriage waits out of the camera's sight."""
    with _over_the_board(choice) as (gantry, planner):
        _get_ready(gantry, planner.park)
        gantry.park(planner)
        print(f"The gantry is parked: {_text(gantry.position)}.")
    return ExitCode.FINE


def pick(choice: GantryChoice, square: str, discs: int) -> int:
    """Take the uppermost disc of a square; put it where the person says, since the magnet lets go when the program ends."""
    place = _place(choice, square)
    with _over_the_board(choice) as (gantry, planner):
        _get_ready(gantry, lambda start: planner.pick(place, start, discs))
        gantry.run(planner.pick(place, gantry.position, discs))
        print(f"The magnet has pulled above {place.name}.")
        answer = ask("Type the empty square to put the disc on, or press Enter to put it back:")
        try:
            target, below = (_place(choice, answer), 0) if answer and answer != place.name else (place, discs - 1)
            plan = planner.place(target, gantry.position, below)
        except (RulesError, RobotError):
            # The disc must not fall from the height when the magnet goes off.
            gantry.run(planner.place(place, gantry.position, discs - 1))
            raise
        gantry.run(plan)
        print(f"The magnet has let go on {target.name}.")
    return ExitCode.FINE


def place(choice: GantryChoice, square: str, discs: int) -> int:
    """Take a disc from the person's hand above a square, and put it down there."""
    target = _place(choice, square)
    with _over_the_board(choice) as (gantry, planner):
        _get_ready(gantry, lambda start: planner.place(target, start, discs))
        gantry.run(planner.go_to(target, gantry.position))
        gantry.run(MotionPlan(gantry.position, (Magnet(True), Dwell(planner.handling.grip_s))))
        ask(f"Hold a disc to the magnet above {target.name}, take your hands away, then press Enter:")
        gantry.run(planner.place(target, gantry.position, discs))
        print(f"The magnet has let go on {target.name}.")
    return ExitCode.FINE


def settings(choice: GantryChoice, changes: Mapping[int, str], restore: bool, as_json: bool) -> int:
    """Show the settings that the controller keeps; before that change some, or put back those of the profile. Nothing moves."""
    with reach(choice) as reached:
        controller = Controller(reached.line, GRBL, reached.clock, None)
        controller.greet()
        profile = profile_of(reached.controller, choice.where, choice.calibration)
        if restore and profile is None:
            raise no_profile(choice.where)
        before = controller.read_settings()
        wanted = {**(grbl_of_settings(profile.machine) if restore and profile else {}), **changes}
        for number, value in wanted.items():
            if not _same(before.get(number), value):
                controller.write_setting(number, value)
        now = controller.read_settings()
    for number, value in wanted.items():
        if not _same(now.get(number), value):
            raise CommandError(
                f"${number} is still {now.get(number)}: the controller did not store {value}; give a value that it can have",
                ExitCode.DEVICE_FAULT,
            )
    changed = {number: value for number, value in now.items() if value != before.get(number)}
    for number, value in changed.items():
        note(f"${number} was {before.get(number)}, is now {value}")
    _show_settings(now, profile.machine if profile else None, as_json)
    return ExitCode.FINE


def _show_settings(values: Mapping[int, str], expected: MachineSettings | None, as_json: bool) -> None:
    warnings: list[str] = []
    machine = None
    try:
        machine = settings_of_grbl(values)
    except WrongSettings as error:
        warnings.append(str(error))
    if machine is not None:
        warnings += _differences(expected, machine)
    if as_json:
        print_json({"settings": {str(number): value for number, value in values.items()}, "warnings": warnings})
        return
    for number, value in values.items():
        print(f"${number:<4} {value:>12}  {MEANINGS.get(number, '')}".rstrip())
    for warning in warnings:
        print(f"warning: {warning}")


def _same(found: str | None, wanted: str) -> bool:
    try:
        # The controller tells fewer digits than it was given.
        return found is not None and abs(float(found) - float(wanted)) < 0.002
    except ValueError:
        # A disturbed line; what it said of the number is not known.
        return False


def _differences(expected: MachineSettings | None, found: MachineSettings) -> list[str]:
    if expected is None:
        return []
    try:
        expected.compare(found)
    except WrongSettings as error:
        return [str(error)]
    return []


@contextlib.contextmanager
def _over_the_board(choice: GantryChoice) -> Iterator[tuple[Gantry, Planner]]:
    """A connected gantry and its planner; nothing has moved yet."""
    with reach(choice) as reached:
        profile = profile_of(reached.controller, choice.where, choice.calibration)
        if reached.table is not None and choice.calibration is None:
            # A simulated table measures itself: everything can be tried before there is a profile.
            profile = None
        elif profile is None:
            raise no_profile(choice.where)
        with Gantry(reached.line, GRBL, reached.clock, profile.machine if profile else None) as gantry:
            gantry.connect()
            board = profile.board if profile else measured_map(reached.simulated_table, gantry)
            yield gantry, planner_over(board, gantry.limits, reached.layout)


def _get_ready(gantry: Gantry, plan: Callable[[GantryPoint], MotionPlan]) -> None:
    """Home, after the whole plan was tried on paper from there: what is out of reach is refused before anything moves."""
    plan(gantry.machine.home)
    print(HANDS_OFF, flush=True)
    gantry.home()


def _place(choice: GantryChoice, name: str) -> Place:
    """Return the place of a square (c3, or a field number) or of a rack's slot (white5)."""
    slot = _SLOT.match(name)
    if slot is None:
        return choice.layout.square(read_square(choice.variant, name))
    try:
        return choice.layout.rack_slot(Rack(slot[1]), int(slot[2]))
    except ValueError as error:
        raise CommandError(f"{name}: {error}", ExitCode.BAD_INPUT) from error


def _text(point: GantryPoint) -> str:
    return f"x {point.x_mm:.1f}, y {point.y_mm:.1f}, z {point.z_mm:.1f} mm from the home corner"


MEANINGS: Mapping[int, str] = {
    1: "motors rest after so many ms; 255: never",
    10: "what a report holds",
    13: "reports in inches",
    20: "soft limits",
    21: "hard limits",
    22: "homing",
    23: "axes that home at their low end (1 x, 2 y, 4 z)",
    24: "homing, locating, mm/min",
    25: "homing, seeking, mm/min",
    26: "debounce of the end switches, ms",
    27: "pull-off from the end switches, mm",
    30: "magnet's full power",
    32: "laser mode: must be 0",
    **{100 + axis: f"{name}: steps per mm" for axis, name in enumerate("xyz")},
    **{110 + axis: f"{name}: greatest speed, mm/min" for axis, name in enumerate("xyz")},
    **{120 + axis: f"{name}: acceleration, mm/s2" for axis, name in enumerate("xyz")},
    **{130 + axis: f"{name}: travel, mm" for axis, name in enumerate("xyz")},
}
"""What the numbers of the settings mean. Source: GRBL 1.1, settings."""
