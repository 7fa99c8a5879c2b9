"""`damludo gantry test`: a short trial of every part of the gantry, at low speed and near the home corner."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from damludo.play.console import ExitCode, note, print_json
from damludo.play.gantry.by_hand import HANDS_OFF
from damludo.play.gantry.devices import GantryChoice, profile_of, reach
from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import RobotError
from damludo.robot.frames import GantryPoint
from damludo.robot.gantry import Gantry
from damludo.robot.motion import Dwell, Magnet, MotionPlan
from damludo.robot.planner import jog

OUT_MM = 20.0
"""How far each axis moves out and back."""
PULL_S = 0.3


@dataclass(frozen=True, slots=True)
class Trial:
    """One line of the result; `passed` None: not tried, since something before it failed."""

    name: str
    passed: bool | None
    text: str


class NotPassed(Exception):
    """What was tried did not happen; the sentence says what to look at."""


def try_gantry(choice: GantryChoice, as_json: bool) -> int:
    """Try connection, homing, every axis and the magnet; exit code 5 if any of them fails."""
    trials: list[Trial] = []
    note(HANDS_OFF)
    with reach(choice) as reached:
        profile = profile_of(reached.controller, choice.where, choice.calibration)
        with Gantry(reached.line, GRBL, reached.clock, profile.machine if profile else None) as gantry:
            for trial in _trials(gantry):
                trials.append(trial)
                if not as_json:
                    print(f"{_MARK[trial.passed]:<9} {trial.name}: {trial.text}", flush=True)
    passed = all(trial.passed for trial in trials)
    if as_json:
        print_json({"passed": passed, "trials": [asdict(trial) for trial in trials]})
    else:
        print("The gantry works." if passed else "The gantry does not work yet: mend what failed, then test again.")
    return ExitCode.FINE if passed else ExitCode.DEVICE_FAULT


_MARK = {True: "pass", False: "FAIL", None: "not tried"}


def _trials(gantry: Gantry) -> Iterator[Trial]:
    """Try one thing after the other. After a failure nothing that moves is tried: the position may be wrong."""
    sound = True
    for name, action in _ACTIONS:
        if not sound:
            yield Trial(name, None, "something before it failed")
            continue
        try:
            yield Trial(name, True, action(gantry))
        except (RobotError, NotPassed) as error:
            sound = False
            yield Trial(name, False, str(error))


def _connect(gantry: Gantry) -> str:
    info = gantry.connect()
    if info.warnings:
        raise NotPassed("; ".join(info.warnings))
    return info.greeting or "answers"


def _home(gantry: Gantry) -> str:
    gantry.home()
    return "all three end switches were found and left"


def _switches(gantry: Gantry) -> str:
    pressed = sorted(set(gantry.status().pins) & set("XYZ"))
    if pressed:
        raise NotPassed(
            f"the end switch of {', '.join(pressed)} is still pressed after homing; look at it and its cable"
        )
    return "none is pressed away from the home corner"


def _axis(axis: int) -> Callable[[Gantry], str]:
    def out_and_back(gantry: Gantry) -> str:
        start = gantry.position
        place = [start.x_mm, start.y_mm, start.z_mm]
        # Away from the end switch, which is the nearer end of the travel.
        middle = 0.5 * (gantry.limits.low_mm[axis] + gantry.limits.high_mm[axis])
        place[axis] += OUT_MM if place[axis] < middle else -OUT_MM
        out = GantryPoint(*place)
        gantry.run(jog(start, out, gantry.limits))
        gantry.run(jog(out, start, gantry.limits))
        return f"{OUT_MM:.0f} mm out and back; look whether it did"

    return out_and_back


def _magnet(gantry: Gantry) -> str:
    here = gantry.position
    gantry.run(MotionPlan(here, (Magnet(True), Dwell(PULL_S))))
    on = gantry.status().spindle
    gantry.run(MotionPlan(here, (Magnet(False), Dwell(PULL_S))))
    off = gantry.status().spindle
    if on == 0 or off:
        raise NotPassed(
            f"the controller reports power {on} when on and {off} when off; see $30 and $32 with 'damludo gantry settings'"
        )
    return "switched on and off; two clicks should be heard"


def _home_again(gantry: Gantry) -> str:
    gantry.home()
    return "the end switches were found again"


_ACTIONS: tuple[tuple[str, Callable[[Gantry], str]], ...] = (
    ("controller", _connect),
    ("homing", _home),
    ("end switches", _switches),
    ("x", _axis(0)),
    ("y", _axis(1)),
    ("z", _axis(2)),
    ("magnet", _magnet),
    ("homing again", _home_again),
)
