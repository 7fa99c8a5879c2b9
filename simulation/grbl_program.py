"""The program of the simulated controller: reads lines, obeys them, answers. Waiting is yielding."""

from collections.abc import Generator
from dataclasses import replace

from damludo.simulation.grbl_motion import INFINITY
from damludo.simulation.grbl_parser import Action, Block, Modal, clean, move_target, parse
from damludo.simulation.grbl_settings import Refused, Vector
from damludo.simulation.grbl_state import Core, Program, State
from damludo.simulation.grbl_system import obey_dollar

LINE_LENGTH = 80
GREETING = "Grbl 1.1h ['$' for help]"


def run_program(core: Core, blank: bool) -> Program:
    """Greet, then serve lines for ever. `blank`: the EEPROM was found empty at this start."""
    if blank:
        core.write("error:7")
    core.write("")
    core.write(GREETING)
    if core.state in (State.ALARM, State.SLEEP):
        core.state = State.ALARM
        core.write("[MSG:'$H'|'$X' to unlock]")
    else:
        core.state = State.IDLE
    if blank:
        core.write(">:error:7")
        core.write(">:error:7")
    elif core.state is State.IDLE:
        yield from run_startup(core)
    while True:
        line = core.link.admit((yield from _read_line(core)), core.now)
        if line.reply is not None:
            core.write(line.reply)
            continue
        core.pending = True
        code = yield from _obey(core, line.text)
        if core.abort:
            # The reset that asked for the abort answers for this line.
            yield INFINITY
        answer(core, code, line.numbered)
        core.pending = False


def run_startup(core: Core) -> Program:
    """Obey the start-up lines and say so."""
    for line in core.settings.startup:
        if line:
            code = yield from _obey_gcode(core, line)
            core.write(f">{line}:{f'error:{code}' if code else 'ok'}")
    return 0


def answer(core: Core, code: int, numbered: bool = False) -> None:
    """Send the one answer of a line."""
    text = f"error:{code}" if code else "ok"
    if numbered:
        text = core.link.sign(text)
    if not code and core.faults.due("lost_ok"):
        return
    core.write(text.replace("o", "k") if not code and core.faults.due("garbled_ok") else text)


def _read_line(core: Core) -> Generator[float, None, str]:
    letters: list[str] = []
    ring = core.uart.ring
    while True:
        while not ring:
            yield INFINITY
        byte = ring.popleft()
        if byte in (10, 13):
            return "".join(letters)
        letters.append(chr(byte))


def _obey(core: Core, raw: str) -> Program:
    text = clean(raw)
    if len(text) > LINE_LENGTH - 1:
        return 11
    if not text:
        return 0
    try:
        if text[0] == "$":
            code = yield from obey_dollar(core, text)
            if text == "$H" and not code and not core.abort:
                code = yield from run_startup(core)
            return code
        if core.state in (State.ALARM, State.JOG):
            return 9
        return (yield from _obey_gcode(core, text))
    except Refused as refused:
        return refused.code


def _obey_gcode(core: Core, text: str) -> Program:
    try:
        block = parse(text, core.modal)
    except Refused as refused:
        return refused.code
    yield from _set_spindle(core, block.modal)
    if block.dwell_s is not None:
        yield from wait_for_rest(core)
        if core.state is not State.CHECK and block.dwell_s > 0:
            yield from _dwell(core, core.now + block.dwell_s)
    if block.modal.system != core.modal.system:
        core.wco_counter = 0
    core.modal = replace(block.modal, flow=None)
    if block.action is Action.MOVE:
        yield from _move(core, block)
    elif block.action is not Action.NONE:
        yield from _set_offset(core, block)
    yield from _flow(core, block.modal.flow)
    return 0


def wait_for_rest(core: Core) -> Program:
    """Wait until every queued move is done."""
    while not core.planner.empty:
        yield INFINITY
    return 0


def _dwell(core: Core, until_s: float) -> Program:
    while core.now < until_s:
        yield until_s
    return 0


def _set_spindle(core: Core, modal: Modal) -> Program:
    """Switch the magnet where the program says: not before the moves ahead of it are done."""
    turns = modal.spindle != 5
    if modal.spindle == core.modal.spindle and (modal.power == core.modal.power or not turns):
        return 0
    if core.state is State.CHECK:
        return 0
    yield from wait_for_rest(core)
    core.switch_magnet(turns and modal.power > 0)
    if core.faults.due("limit_glitch"):
        core.stop_dead()
        core.alarm(1)
        yield INFINITY
    return 0


def outside(core: Core, target: Vector) -> bool:
    """Tell whether a machine position lies outside the travel; the travel lies below 0 on every axis."""
    travel = core.settings.axes(130)
    return any(target[axis] > 0 or target[axis] < -travel[axis] for axis in range(3))


def _move(core: Core, block: Block) -> Program:
    target = move_target(block, core.parsed_end, core.work_offset())
    if core.settings.on(20) and outside(core, target):
        yield from _soft_limit(core)
    rapid = block.modal.motion == 0
    core.parsed_end = target
    if core.state is not State.CHECK:
        yield from queue_move(core, target, None if rapid else block.modal.feed_mm_s, State.RUN)
    return 0


def queue_move(core: Core, target: Vector, speed: float | None, state: State) -> Program:
    """Queue a move when there is room; an idle controller begins at once."""
    while core.planner.full:
        yield INFINITY
    core.planner.add(core.now, target, speed)
    if core.planner.moving and core.state is State.IDLE:
        core.state = state
    if core.planner.moving and core.faults.due("reset_in_move"):
        core.brownout_s = 0.5 * (core.now + core.planner.next_event_s)
    return 0


def _soft_limit(core: Core) -> Program:
    if core.planner.moving:
        core.planner.hold(core.now)
        while core.planner.moving:
            yield INFINITY
    core.stop_dead()
    core.alarm(2)
    yield INFINITY
    return 0


def _set_offset(core: Core, block: Block) -> Program:
    system = block.offset_index
    if block.action is Action.SET_OFFSET:
        offset = list(core.settings.offsets[system])
        for axis, value in block.axes.items():
            shift = core.shift[axis] if block.offset_is_position else 0.0
            offset[axis] = core.parsed_end[axis] - shift - value if block.offset_is_position else value
        core.settings.offsets[system] = offset[0], offset[1], offset[2]
        yield from core.write_eeprom()
    elif block.action is Action.SHIFT:
        base = core.settings.offsets[core.modal.system]
        shifted = list(core.shift)
        for axis, value in block.axes.items():
            shifted[axis] = core.parsed_end[axis] - base[axis] - value
        core.shift = shifted[0], shifted[1], shifted[2]
    else:
        core.shift = (0.0, 0.0, 0.0)
    core.wco_counter = 0
    return 0


def _flow(core: Core, flow: int | None) -> Program:
    if flow is None or flow == 1 or core.state is State.CHECK:
        return 0
    yield from wait_for_rest(core)
    if flow == 0:
        core.state = State.HOLD
        while core.state is State.HOLD:
            yield INFINITY
        return 0
    core.modal = replace(
        Modal(), motion=1, inches=core.modal.inches, feed_mm_s=core.modal.feed_mm_s, power=core.modal.power
    )
    core.switch_magnet(False)
    core.planner.override(core.now, 100, 100)
    core.wco_counter = 0
    core.write("[MSG:Pgm End]")
    return 0
