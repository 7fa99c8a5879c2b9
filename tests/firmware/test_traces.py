"""The flashed image and the firmware compiled for this computer make the same steps in the same order, at the same pace."""

import itertools
import random
from pathlib import Path

import pytest

from damludo.simulation.controllers import avr_command, native_command
from damludo.simulation.process import BoardProcess, Steps

pytestmark = [pytest.mark.simulation, pytest.mark.slow]

PLANS = 200
RING_BYTES = 127
"""A burst of at most so many bytes is planned whole before the first step: the traces do not hang on who is faster."""
MS = 1_000_000
STOPPED = "T 65535"
AT_REST = (-40_000, -40_000, -40_000)


def _plan(random_: random.Random) -> bytes:
    """Some straight moves near the origin, as many as one burst can hold."""
    lines: list[str] = []
    for _ in range(random_.randint(2, 9)):
        axes = random_.sample("XYZ", random_.randint(1, 3))
        words = "".join(f"{axis}{random_.uniform(-4, 4):.{random_.randint(0, 3)}f}" for axis in sorted(axes))
        fast = random_.random() < 0.3
        lines.append(f"G0{words}" if fast else f"G1{words}F{random_.choice((300, 1500, 6000, 12000))}")
        if sum(len(line) + 1 for line in lines) > RING_BYTES:
            lines.pop()
    return "".join(f"{line}\n" for line in lines).encode()


def _settings(random_: random.Random) -> list[bytes]:
    acceleration, junction = random_.choice((200, 1000, 4000)), random_.choice(("0.002", "0.01", "0.1"))
    return [
        b"$X\n",
        b"$20=0\n",
        *(b"$12%d=%d\n" % (axis, acceleration) for axis in range(3)),
        b"$11=%s\n" % junction.encode(),
    ]


def _say(board: BoardProcess, data: bytes, answers: int, quiet_ms: int = 0) -> None:
    """Send, and live until all answers are there and nothing has moved for a while."""
    board.output.clear()
    board.advance(board.report.now_ns + 5 * MS, data)
    while board.output.count(b"ok\r\n") < answers:
        board.advance(board.report.now_ns + 5 * MS)
        assert b"error" not in board.output
        assert b"ALARM" not in board.output
    while quiet_ms and b"<Idle" not in board.output:
        board.output.clear()
        board.advance(board.report.now_ns + quiet_ms * MS, b"?")


def _drive(command: list[str], trace: Path, seed: int) -> tuple[list[str], list[Steps]]:
    """Return the trace of each plan and where the axes stood after it."""
    random_ = random.Random(seed)
    places = []
    with BoardProcess(command, trace=trace, start=AT_REST) as board:
        board.reset()
        board.advance(2_000 * MS)
        for number in range(PLANS):
            if number % 50 == 0:
                for line in _settings(random_):
                    _say(board, line, 1)
            plan = _plan(random_)
            _say(board, plan, plan.count(b"\n"), quiet_ms=40)
            places.append(board.report.steps)
    lines = [line if line.startswith("T") else line.split(" ", 1)[1] for line in trace.read_text("ascii").splitlines()]
    # The start of the chip loads the timer too, before anything moves.
    return list(itertools.dropwhile(lambda line: line == STOPPED, lines)), places


def _around(trace: list[str], place: int) -> list[str]:
    return trace[max(0, place - 5) : place + 5]


def test_steps_and_timer_loads_are_the_same_over_two_hundred_plans(tmp_path: Path) -> None:
    avr, avr_places = _drive(avr_command(), tmp_path / "avr", seed=20)
    native, native_places = _drive(native_command(), tmp_path / "native", seed=20)

    assert avr_places == native_places
    assert len(avr) > 100 * PLANS
    differing = next((i for i, (one, other) in enumerate(zip(avr, native, strict=False)) if one != other), None)
    assert differing is None, (differing, _around(avr, differing), _around(native, differing))
    assert len(avr) == len(native)
