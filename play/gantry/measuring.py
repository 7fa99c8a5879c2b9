"""`damludo calibrate gantry`: where the board lies to the gantry, measured by hand with typed moves."""

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from damludo.calibration.errors import BadFit
from damludo.calibration.gantry import GantryFit, PointPair, fit_gantry
from damludo.calibration.profile import GantryProfile, gantry_path, save_gantry
from damludo.play.console import CommandError, ExitCode, note, print_json
from damludo.play.gantry.by_hand import HANDS_OFF
from damludo.play.gantry.devices import GantryChoice, Reached, reach
from damludo.play.table.simulated import measured_fit
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import OutOfReach
from damludo.robot.frames import GantryPoint
from damludo.robot.gantry import Gantry
from damludo.robot.machine import MachineSettings
from damludo.robot.places import TableLayout
from damludo.robot.planner import Handling, jog

DEEPEST_MM = 10.0
"""The greatest single move down: a forgotten decimal point must not drive the magnet through the board."""
ABOVE_MM = 3.0
"""So far above the lowest point so far the magnet stops when it finds the next one by itself."""

HELP_TEXT = """Move the magnet with x, y and z and the distance in mm, several on a line if you like: x+120 y+40.5 z-2
  x, y: away from the home corner is +     z: up is +, at most 10 mm down at a time
  top   lift the magnet to the top         ok    it stands right, take this point
  back  measure the point before again     quit  end, and keep nothing"""

_JOG = re.compile(r"^([xyz])([+-]\d{1,4}(?:\.\d{1,3})?)$")


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """A crossing of the board's lines, mm of the board frame."""

    name: str
    x_mm: float
    y_mm: float


def crossings(layout: TableLayout) -> tuple[NamedPoint, ...]:
    """Return the points that are measured: four corners and the crossing next to the centre."""
    last_file, last_rank = chr(ord("a") + layout.columns - 1), layout.rows
    width, height = layout.width_mm, layout.height_mm
    corner = "the crossing" if layout.lines else "the outer corner of square"
    steps_x, steps_y = (layout.columns - layout.lines) // 2, (layout.rows - layout.lines) // 2
    ends = 0 if layout.lines else 1
    middle = f"{chr(ord('a') + steps_x - ends)}{steps_y + 1 - ends}"
    centre = f"the crossing {middle}" if layout.lines else f"the inner corner of {middle}, next to the centre"
    return (
        NamedPoint(f"{corner} a1", 0.0, 0.0),
        NamedPoint(f"{corner} {last_file}1", width, 0.0),
        NamedPoint(f"{corner} {last_file}{last_rank}", width, height),
        NamedPoint(f"{corner} a{last_rank}", 0.0, height),
        NamedPoint(centre, steps_x * layout.square_mm, steps_y * layout.square_mm),
    )


class Jogger:
    """Lets a person move the carriage with typed lines."""

    def __init__(self, gantry: Gantry, lines: Iterable[str], say: Callable[[str], None]) -> None:
        self._gantry, self._say = gantry, say
        self._lines: Iterator[str] = iter(lines)

    def until_ok(self, what: str) -> GantryPoint | None:
        """Obey until the person says ok; return the place, or None for "back".

        Raises:
            CommandError: the person gives up, or the input ends.
        """
        self._say(what)
        for line in self._lines:
            for word in line.lower().split():
                if word == "ok":
                    return self._gantry.position
                if word == "back":
                    return None
                if word == "quit":
                    raise CommandError("ended before all points were measured; nothing was kept", ExitCode.INTERRUPTED)
                if not self._obey(word):
                    # What follows a refused word was meant for another place.
                    break
            place = self._gantry.position
            self._say(f"  x {place.x_mm:.2f}  y {place.y_mm:.2f}  z {place.z_mm:.2f}")
        raise CommandError(
            "the input ended before all points were measured; nothing was kept: repeat 'damludo calibrate gantry'",
            ExitCode.NOT_CALIBRATED,
        )

    def go(self, target: GantryPoint) -> None:
        """Travel at the top and come down above a point."""
        top = self._gantry.limits.high_mm[2]
        for x, y, z in ((None, None, top), (target.x_mm, target.y_mm, top), (target.x_mm, target.y_mm, target.z_mm)):
            here = self._gantry.position
            point = GantryPoint(here.x_mm if x is None else x, here.y_mm if y is None else y, min(z, top))
            self._gantry.run(jog(here, point, self._gantry.limits))

    def _obey(self, word: str) -> bool:
        here, limits = self._gantry.position, self._gantry.limits
        found = _JOG.match(word)
        if word == "top":
            target = GantryPoint(here.x_mm, here.y_mm, limits.high_mm[2])
        elif found is None:
            self._say(
                HELP_TEXT if word in ("help", "?") else f"'{word}' is not understood; nothing moves.\n{HELP_TEXT}"
            )
            return False
        else:
            axis, way = found[1], float(found[2])
            if axis == "z" and way < -DEEPEST_MM:
                self._say(f"{word} is more than {DEEPEST_MM:.0f} mm down at once; nothing moves.")
                return False
            target = GantryPoint(
                here.x_mm + way * (axis == "x"), here.y_mm + way * (axis == "y"), here.z_mm + way * (axis == "z")
            )
        try:
            plan = jog(here, target, limits)
        except OutOfReach as error:
            self._say(f"Nothing moves: {error.axis} would be {error.target_mm:.1f}, its travel is {error.travel_mm}.")
            return False
        self._gantry.run(plan)
        return True


def measure_by_hand(gantry: Gantry, layout: TableLayout, jogger: Jogger) -> GantryFit:
    """Let a person show the crossings and the surface; return the fit.

    Raises:
        CommandError: the person gave up.
        BadFit: the points do not fit to a gantry over a board.
    """
    points = crossings(layout)
    shown: list[GantryPoint] = []
    while len(shown) < len(points):
        point = points[len(shown)]
        guess = _guess(points, shown, point)
        if guess is not None:
            jogger.go(guess)
        place = jogger.until_ok(
            f"Point {len(shown) + 1} of {len(points)}: bring the magnet's middle above {point.name}."
        )
        if place is not None:
            shown.append(place)
        elif shown:
            shown.pop()
    touched = None
    while touched is None:
        touched = jogger.until_ok("Height: bring the magnet down until its face just touches the bare board.")
    jogger.go(GantryPoint(touched.x_mm, touched.y_mm, gantry.limits.high_mm[2]))
    return fit_gantry(_pairs(points, shown), surface_z_mm=touched.z_mm)


def _pairs(points: tuple[NamedPoint, ...], shown: list[GantryPoint]) -> list[PointPair]:
    return [PointPair(p.x_mm, p.y_mm, s.x_mm, s.y_mm) for p, s in zip(points, shown, strict=False)]


def _guess(points: tuple[NamedPoint, ...], shown: list[GantryPoint], point: NamedPoint) -> GantryPoint | None:
    """Return where the next point should be, once three are known."""
    if len(shown) < 3:
        return None
    try:
        board = fit_gantry(_pairs(points, shown), min(place.z_mm for place in shown)).board
    except BadFit:
        # The whole set is judged, with a sentence, at the end; until then the person finds the points alone.
        return None
    return board.to_gantry(point.x_mm, point.y_mm, ABOVE_MM)


def fit_of_file(file: Path, machine: MachineSettings) -> GantryFit:
    """Fit points measured before.

    The file: `{"surface_z_mm": -61.5, "points": [{"board_mm": [0, 0], "machine_mm": [-630.2, -590.1]}, ...]}`; machine
    coordinates are those the controller reports (MPos), `surface_z_mm` is the one at which the magnet touches the board.

    Raises:
        CommandError: the file cannot be read, or lacks a number.
        BadFit: the points do not fit.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        surface = _number(document["surface_z_mm"])
        pairs = []
        for point in document["points"]:
            board_x, board_y = map(_number, point["board_mm"])
            machine_x, machine_y = map(_number, point["machine_mm"])
            place = machine.from_machine((machine_x, machine_y, surface))
            pairs.append(PointPair(board_x, board_y, place.x_mm, place.y_mm))
    except OSError as error:
        raise CommandError(
            f"{file} cannot be read ({error.strerror}); name a file of measured points", ExitCode.BAD_INPUT
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(
            f"{file} does not hold measured points ({error}); it should look like "
            '{"surface_z_mm": -61.5, "points": [{"board_mm": [0, 0], "machine_mm": [-630.2, -590.1]}, ...]}',
            ExitCode.BAD_INPUT,
        ) from error
    return fit_gantry(pairs, surface_z_mm=machine.from_machine((0.0, 0.0, surface)).z_mm)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return float(value)


def calibrate_gantry(choice: GantryChoice, points: Path | None, as_json: bool) -> int:
    """Measure, fit, keep the profile, and tell how good it is."""
    with reach(choice) as reached, Gantry(reached.line, GRBL, reached.clock) as gantry:
        info = gantry.connect()
        for warning in info.warnings:
            note(f"warning: {warning}")
        fit = fit_of_file(points, gantry.machine) if points else _measure(reached, gantry)
        handling = Handling(disc_height_mm=reached.layout.disc_height_mm)
        profile = GantryProfile(reached.controller, fit.board, gantry.machine, handling, None, fit.worst_mm)
    file = gantry_path(choice.where.data, reached.controller)
    save_gantry(profile, file)
    _tell(fit, file, reached.controller, as_json)
    return ExitCode.FINE


def _measure(reached: Reached, gantry: Gantry) -> GantryFit:
    note(f"{HANDS_OFF} It finds its home first. Take all discs off the board.")
    gantry.home()
    if reached.table is not None:
        note("The simulated table measures itself.")
        return measured_fit(reached.table, gantry)
    note(HELP_TEXT)
    return measure_by_hand(gantry, reached.layout, Jogger(gantry, sys.stdin, note))


def _tell(fit: GantryFit, file: Path, controller: str, as_json: bool) -> None:
    out_of_square_deg = math.degrees(fit.out_of_square_rad)
    if as_json:
        print_json(
            {
                "file": str(file),
                "controller": controller,
                "points": len(fit.residuals_mm),
                "rms_mm": round(fit.rms_mm, 3),
                "worst_mm": round(fit.worst_mm, 3),
                "out_of_square_deg": round(out_of_square_deg, 3),
                "scales": [round(scale, 5) for scale in fit.board.scales],
                "surface_z_mm": round(fit.board.surface_z_mm, 3),
            }
        )
        return
    print(f"{len(fit.residuals_mm)} points: error {fit.rms_mm:.2f} mm rms, {fit.worst_mm:.2f} mm at worst")
    print(f"axes out of square by {out_of_square_deg:.2f} degrees")
    print(f"The profile is kept in {file}")
