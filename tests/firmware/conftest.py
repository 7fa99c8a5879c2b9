"""What the tests of the firmware share: a bench with a controller, bare axes instead of a table, and an open line."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from damludo.robot.errors import LineSilent
from damludo.simulation.clock import World
from damludo.simulation.controllers import CONTROLLERS, avr_command, make_controller, native_command
from damludo.simulation.grbl_faults import Faults
from damludo.simulation.grbl_motion import INFINITY
from damludo.simulation.grbl_settings import AXES, Settings, Vector
from damludo.simulation.process import BoardProcess, Steps
from damludo.simulation.transport import MemoryLine, Peer

START_MM = -6.0
"""The axes stand near their switches: the flashed image is simulated ten thousand times slower than the model in Python."""
STOP_MM = 3.0


class BareAxes:
    """Mechanics without a table: axes between two hard stops, switches at 0, a magnet that only notes when it was switched."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.position: Vector = (START_MM, START_MM, START_MM)
        self.magnet: list[tuple[float, bool]] = []
        self.jolts: list[float] = []
        self.next_event_s = INFINITY
        self._counted: Vector = (0.0, 0.0, 0.0)

    def pass_event(self, time_s: float) -> None:
        """Nothing happens by itself."""

    def follow(self, time_s: float, position: Vector) -> None:
        """Go as far as the motors were stepped, but not through the frame."""
        way = [position[i] - self._counted[i] for i in range(3)]
        self._counted = position
        x, y, z = (min(STOP_MM, self.position[i] + way[i]) for i in range(3))
        self.position = x, y, z

    def set_count(self, position: Vector) -> None:
        """The step counters were set anew."""
        self._counted = position

    def jolt(self, speed: float, direction: Vector) -> None:
        """Note a dead stop."""
        self.jolts.append(speed)

    def switches(self) -> tuple[bool, bool, bool]:
        """Return the switches, or what a fault makes of them."""
        x, y, z = (self._switch(axis) for axis in range(3))
        return x, y, z

    def _switch(self, axis: int) -> bool:
        name = AXES[axis].lower()
        if self.faults.lasting(f"switch_open_{name}"):
            return False
        return self.position[axis] >= 0 or self.faults.lasting(f"switch_closed_{name}")

    def set_magnet(self, time_s: float, on: bool) -> None:
        """Note the switching."""
        self.magnet.append((time_s, on))


@dataclass
class Bench:
    """A controller on bare axes."""

    world: World
    axes: BareAxes
    controller: Peer
    line: MemoryLine

    def open(self) -> None:
        """Open the port anew, which restarts the controller."""
        self.line = MemoryLine(self.world, self.controller)

    def lines(self, quiet_s: float = 0.3) -> list[str]:
        """Return all lines until nothing comes for a while."""
        lines: list[str] = []
        while True:
            try:
                lines.append(self.line.receive(quiet_s))
            except LineSilent:
                return lines

    def ask(self, text: str, timeout_s: float = 60.0) -> list[str]:
        """Send a line; return everything up to its answer."""
        self.line.send(text)
        lines = [self.line.receive(timeout_s)]
        while not lines[-1].startswith(("ok", "error:")):
            lines.append(self.line.receive(timeout_s))
        return lines

    def status(self) -> str:
        """Return a status report."""
        self.line.realtime(ord("?"))
        return self.line.receive(1.0)

    def wait(self, seconds: float) -> None:
        """Let the world live."""
        self.world.advance_to(self.world.time_s + seconds)


MS = 1_000_000
"""In ns."""


class Wire:
    """A process alone, without a table: what is said, and when what happens, to the ns."""

    def __init__(self, process: BoardProcess) -> None:
        """Switch it on, wait for the greeting, unlock it, and let it go anywhere."""
        self.process = process
        process.reset()
        self.until(b"[MSG:'$H'")
        self.live(200)
        for line in ("$X", "$20=0"):
            self.obey(line)

    @property
    def now_ns(self) -> int:
        """Its time."""
        return self.process.report.now_ns

    @property
    def steps(self) -> Steps:
        """Where the axes stand."""
        return self.process.report.steps

    def live(self, ms: float, data: bytes = b"") -> None:
        """Send and live for a while."""
        self.process.advance(self.now_ns + round(ms * MS), data)

    def until(self, word: bytes, limit_s: float = 60.0, step_ms: float = 2.0) -> bytes:
        """Live until this was said; return all that was said, and forget it."""
        end_ns = self.now_ns + limit_s * 1000 * MS
        while word not in self.process.output:
            assert self.now_ns < end_ns, bytes(self.process.output)
            self.live(step_ms)
        said = bytes(self.process.output)
        self.process.output.clear()
        return said

    def obey(self, line: str) -> bytes:
        """Send a line and live until its answer."""
        self.process.output.clear()
        self.live(0.1, line.encode() + b"\n")
        said = b""
        while not said.startswith(b"ok") and b"\nok" not in said:
            said += self.until(b"\n")
            assert b"error" not in said, (line, said)
            assert b"ALARM" not in said, (line, said)
        return said

    def report(self) -> str:
        """Return a status report."""
        self.process.output.clear()
        self.live(0.1, b"?")
        return self.until(b">\r\n").decode()


@pytest.fixture
def make_wire(tmp_path: Path) -> Iterator[Callable[[str], Wire]]:
    """A firmware ("avr", "native"), unlocked, its axes far from everything; every step is traced to the file `trace`."""
    wires: list[Wire] = []

    def make(kind: str) -> Wire:
        command = avr_command() if kind == "avr" else native_command()
        process = BoardProcess(command, trace=tmp_path / "trace", start=(-40_000, -40_000, -40_000))
        wires.append(Wire(process))
        return wires[-1]

    yield make
    for wire in wires:
        wire.process.close()


@pytest.fixture
def make_bench() -> Iterator[Callable[[str], Bench]]:
    """A bench with one of `CONTROLLERS`, as after opening the port: the greeting waits to be read."""
    made: list[Bench] = []

    def make(kind: str) -> Bench:
        world, axes = World(), BareAxes()
        controller = make_controller(kind, axes, Settings())
        world.add(controller)
        made.append(Bench(world, axes, controller, MemoryLine(world, controller)))
        return made[-1]

    yield make
    for bench in made:
        bench.controller.close()


@pytest.fixture(params=CONTROLLERS)
def bench(request: pytest.FixtureRequest, make_bench: Callable[[str], Bench]) -> Bench:
    """A bench with each of the controllers in turn."""
    return make_bench(request.param)


@pytest.fixture
def homed(bench: Bench) -> Bench:
    """... which is homed."""
    bench.lines()
    assert bench.ask("$H") == ["ok"]
    return bench
