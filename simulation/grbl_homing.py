"""Homing of the simulated controller: z first, then x and y together; fast to the switch, back, slowly to it, back."""

from damludo.simulation.grbl_motion import INFINITY, Profile, plan_profile
from damludo.simulation.grbl_settings import Vector
from damludo.simulation.grbl_state import Core, Program, State

SEARCH_FACTOR = 1.5
"""The switch is searched over this many travels."""
LOCATE_FACTOR = 5.0
"""... and found again over this many pull-offs."""
POLL_S = 0.002

_CYCLES = ((2,), (0, 1))


def home(core: Core) -> Program:
    """Home all axes. A failure gives its alarm and asks for a reset, whose `ok` comes before the banner."""
    core.state = State.HOME
    for axes in _CYCLES:
        yield from _home_axes(core, axes)
        if core.abort:
            return 0
    core.state = State.IDLE
    return 0


def _home_axes(core: Core, axes: tuple[int, ...]) -> Program:
    values = core.settings.values
    pull_off = values[27]
    search = SEARCH_FACTOR * max(values[130 + axis] for axis in axes)
    seek, feed = values[25] / 60.0, values[24] / 60.0
    for distance, speed, toward in (
        (search, seek, True),
        (pull_off, seek, False),
        (LOCATE_FACTOR * pull_off, feed, True),
        (pull_off, feed, False),
    ):
        yield from _travel(core, axes, distance, speed, toward)
        if core.abort:
            return 0
        yield core.now + max(values[26], 1.0) / 1000.0
    position = list(core.planner.end)
    for axis in axes:
        positive = not int(values[23]) >> axis & 1
        position[axis] = -pull_off if positive else pull_off - values[130 + axis]
    _set(core, position)
    return 0


def _set(core: Core, position: list[float]) -> None:
    place: Vector = (position[0], position[1], position[2])
    core.planner.place_at(place)
    core.parsed_end = place
    core.mechanics.set_count(place)


def _travel(core: Core, axes: tuple[int, ...], distance: float, speed: float, toward: bool) -> Program:
    """Move axes together; on the way to a switch each stops dead where its own closes."""
    start = list(core.planner.end)
    values = core.settings.values
    runs = {axis: plan_profile(core.now, 0.0, distance, 0.0, speed, 0.0, values[120 + axis]) for axis in axes}
    sign = {axis: (-1.0 if int(values[23]) >> axis & 1 else 1.0) * (1.0 if toward else -1.0) for axis in axes}
    while runs:
        position = _step(core, runs, sign, start)
        switches = core.mechanics.switches()
        for axis in tuple(runs):
            found, at_end = toward and switches[axis], core.now >= runs[axis].end_s
            if found or at_end:
                if toward and not found:
                    return _fail(core, 9)
                del runs[axis]
                start[axis] = position[axis]
        if runs:
            yield min(core.now + POLL_S, *(run.end_s for run in runs.values()), INFINITY)
    if not toward and any(core.mechanics.switches()[axis] for axis in axes):
        return _fail(core, 8)
    return 0


def _step(core: Core, runs: dict[int, Profile], sign: dict[int, float], start: list[float]) -> Vector:
    place = list(start)
    for axis, run in runs.items():
        place[axis] = start[axis] + sign[axis] * run.at(min(core.now, run.end_s))[0]
    position = place[0], place[1], place[2]
    core.planner.place_at(position)
    core.mechanics.follow(core.now, position)
    return position


def _fail(core: Core, alarm: int) -> int:
    core.alarm(alarm)
    core.abort = True
    return 0
