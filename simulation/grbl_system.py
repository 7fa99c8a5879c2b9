"""The `$` commands of the simulated controller."""

from damludo.simulation.grbl_homing import home
from damludo.simulation.grbl_motion import INFINITY
from damludo.simulation.grbl_parser import move_target, parse, parse_jog, read_number
from damludo.simulation.grbl_settings import Refused
from damludo.simulation.grbl_state import Core, Program, State, modes_report, offsets_report

_MOVING = (State.RUN, State.HOLD, State.DOOR, State.JOG, State.HOME)
_HELP = "[HLP:$$ $# $G $I $N $x=val $Nx=line $J=line $SLP $C $X $H ~ ! ? ctrl-x]"
_VERSION = "[VER:1.1h.20190830:{}]"
_OPTIONS = "[OPT:V,15,128]"
_IDENTITY = "[DAMLUDO:{},N1,{},{}]"
"""Version, the extension it speaks, why it started, how often it did."""


def obey_dollar(core: Core, text: str) -> Program:
    """Obey one `$` line.

    Raises:
        Refused: the number GRBL gives.
    """
    if text == "$":
        core.write(_HELP)
        return 0
    if text.startswith("$J"):
        return (yield from _jog(core, text))
    if text[1] in "$GCX":
        return _obey_in_motion(core, text)
    if core.state not in (State.IDLE, State.ALARM):
        raise Refused(8)
    return (yield from _obey_at_rest(core, text))


def _obey_in_motion(core: Core, text: str) -> int:
    if len(text) > 2:
        raise Refused(3)
    if text == "$G":
        core.write(modes_report(core))
    elif text == "$$":
        if core.state in _MOVING:
            raise Refused(8)
        for line in core.settings.lines():
            core.write(line)
    elif text == "$C":
        _check_mode(core)
    elif core.state is State.ALARM:
        if "reset" in core.pressed:
            raise Refused(13)
        core.write("[MSG:Caution: Unlocked]")
        core.state = State.IDLE
    return 0


def _check_mode(core: Core) -> None:
    if core.state is State.CHECK:
        core.state = State.IDLE
        core.abort = True
        core.write("[MSG:Disabled]")
    elif core.state is State.IDLE:
        core.state = State.CHECK
        core.write("[MSG:Enabled]")
    else:
        raise Refused(8)


def _obey_at_rest(core: Core, text: str) -> Program:
    letter = text[1]
    if letter == "H":
        return (yield from _home(core, text))
    if text == "$#":
        for line in offsets_report(core):
            core.write(line)
    elif text == "$I":
        core.write(_VERSION.format(core.settings.build_info))
        core.write(_OPTIONS)
        core.write(_IDENTITY.format(core.version, "power" if core.starts <= 1 else "external", core.starts))
    elif text == "$SLP":
        core.state = State.SLEEP
        core.switch_magnet(False)
        core.write("[MSG:Sleeping]")
    elif letter == "N":
        return (yield from _startup_line(core, text))
    else:
        return (yield from _change(core, text))
    return 0


def _home(core: Core, text: str) -> Program:
    if not core.settings.on(22):
        raise Refused(5)
    if len(text) > 2:
        raise Refused(3)
    if "reset" in core.pressed:
        raise Refused(13)
    return (yield from home(core))


def _startup_line(core: Core, text: str) -> Program:
    if text == "$N":
        for i, line in enumerate(core.settings.startup):
            core.write(f"$N{i}={line}")
        return 0
    if text[2] not in "01" or text[3:4] != "=":
        raise Refused(3)
    if core.state is not State.IDLE:
        raise Refused(8)
    if text[4:]:
        parse(text[4:], core.modal)
    core.settings.startup[int(text[2])] = text[4:]
    return (yield from core.write_eeprom())


def _change(core: Core, text: str) -> Program:
    if text.startswith("$I="):
        core.settings.build_info = text[3:]
    elif text.startswith("$RST="):
        core.settings.restore(text[5:])
        core.write("[MSG:Restoring defaults]")
        core.abort = True
    else:
        _store(core, text)
    yield from core.write_eeprom()
    return 0


def _store(core: Core, text: str) -> None:
    if not (text[1].isdigit() or text[1] in "+-."):
        raise Refused(3)
    number, at = read_number(text, 1)
    if text[at : at + 1] != "=":
        raise Refused(3)
    value, end = read_number(text, at + 1)
    if end != len(text) or not 0 <= number <= 255:
        raise Refused(3)
    core.settings.store(int(number), value)


def _jog(core: Core, text: str) -> Program:
    if core.state not in (State.IDLE, State.JOG):
        raise Refused(8)
    if text[2:3] != "=":
        raise Refused(3)
    block = parse_jog(text[3:], core.modal)
    target = move_target(block, core.parsed_end, core.work_offset())
    travel = core.settings.axes(130)
    if core.settings.on(20) and any(target[axis] > 0 or target[axis] < -travel[axis] for axis in range(3)):
        raise Refused(15)
    while core.planner.full:
        yield INFINITY
    core.parsed_end = target
    core.planner.add(core.now, target, block.modal.feed_mm_s)
    if core.planner.moving:
        core.state = State.JOG
    return 0
