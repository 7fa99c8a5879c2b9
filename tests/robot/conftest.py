"""A controller that follows a script to the letter, and a machine to talk about."""

from collections import deque
from collections.abc import Callable

import pytest

from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import LineSilent
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry
from damludo.robot.machine import MachineSettings
from damludo.robot.places import TableLayout
from damludo.robot.planner import Planner

SETTINGS = """
    -> $$
    <- $1=255
    <- $10=1
    <- $13=0
    <- $22=1
    <- $23=3
    <- $24=300.000
    <- $25=2400.000
    <- $26=25
    <- $27=1.000
    <- $100=80.000
    <- $101=80.000
    <- $102=400.000
    <- $110=12000.000
    <- $111=12000.000
    <- $112=3000.000
    <- $120=1000.000
    <- $121=1000.000
    <- $122=400.000
    <- $130=600.000
    <- $131=500.000
    <- $132=80.000
    <- ok
"""
GREETING = """
    .. 1.6
    <-
    <- Grbl 1.1h ['$' for help]
    <- [MSG:'$H'|'$X' to unlock]
    = <Alarm|MPos:0.000,0.000,0.000|FS:0,0>
"""
HOMED = f"""
    {GREETING}
    {SETTINGS}
    -> $H
    = none
    .. 12
    = <Idle|MPos:-599.000,-499.000,-1.000|FS:0,0|WCO:0.000,0.000,0.000>
    <- ok
"""


class ManualClock:
    """A clock that the script moves."""

    def __init__(self) -> None:
        self.time_s = 0.0

    def now_s(self) -> float:
        return self.time_s

    def sleep(self, seconds: float) -> None:
        self.time_s += max(seconds, 0.0)


class ScriptedLine:
    """A `Line` that plays a dialogue and fails the test when the host says anything else.

    `-> TEXT` the host must send this; `<- TEXT` the controller says this; `.. S` seconds pass; `! BYTE` the host must send
    this real-time byte; `= REPORT` every query is answered by this from now on (`none`: not at all).
    """

    def __init__(self, dialogue: str, clock: ManualClock) -> None:
        self.clock = clock
        self.sent: list[str] = []
        self.bytes: list[int] = []
        self.closed = False
        self.report = "none"
        self._script = deque(line.strip() for line in dialogue.strip().splitlines() if line.strip())
        self._inbox: deque[str] = deque()
        self._due_s: float | None = None

    def send(self, text: str) -> None:
        self._play()
        head = self._script[0] if self._script else "the end of the script"
        assert f"-> {text}".strip() == head
        self._script.popleft()
        self.sent.append(text)

    def receive(self, timeout_s: float) -> str:
        until_s = self.clock.time_s + timeout_s
        while True:
            self._play()
            if self._inbox:
                return self._inbox.popleft()
            if self._due_s is None or self._due_s > until_s:
                self.clock.time_s = until_s
                raise LineSilent("the script is silent")
            self.clock.time_s = self._due_s

    def realtime(self, byte: int) -> None:
        if byte == 0x3F:
            self._play()
            if self.report != "none":
                self._inbox.append(self.report)
            return
        self.bytes.append(byte)
        self._play()
        if self._script and self._script[0] == f"! {byte:#04x}":
            self._script.popleft()

    def close(self) -> None:
        self.closed = True

    @property
    def rest(self) -> list[str]:
        """What was not played yet."""
        self._play()
        return list(self._script)

    def _play(self) -> None:
        while self._script:
            head = self._script[0]
            if head.startswith(".."):
                if self._due_s is None:
                    self._due_s = self.clock.time_s + float(head[2:])
                if self.clock.time_s < self._due_s - 1e-9:
                    return
                self._due_s = None
            elif head.startswith("<-"):
                self._inbox.append(head[2:].strip())
            elif head.startswith("="):
                self.report = head[1:].strip()
            else:
                return
            self._script.popleft()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def scripted(clock: ManualClock) -> Callable[[str], tuple[Gantry, ScriptedLine]]:
    """A gantry at a scripted line; `{GREETING}`, `{SETTINGS}` and `{HOMED}` stand for the usual beginnings."""

    def make(dialogue: str, expected: MachineSettings | None = None) -> tuple[Gantry, ScriptedLine]:
        text = dialogue.replace("{HOMED}", HOMED).replace("{GREETING}", GREETING).replace("{SETTINGS}", SETTINGS)
        line = ScriptedLine(text, clock)
        return Gantry(line, GRBL, clock, expected), line

    return make


@pytest.fixture
def homed(scripted: Callable[[str], tuple[Gantry, ScriptedLine]]) -> Callable[[str], tuple[Gantry, ScriptedLine]]:
    """A gantry that is connected and homed; the dialogue goes on from there."""

    def make(dialogue: str) -> tuple[Gantry, ScriptedLine]:
        gantry, line = scripted("{HOMED}" + dialogue)
        gantry.connect()
        gantry.home()
        return gantry, line

    return make


@pytest.fixture
def machine() -> MachineSettings:
    """What the settings of the script say."""
    return MachineSettings()


@pytest.fixture
def layout() -> TableLayout:
    return TableLayout()


@pytest.fixture
def planner(machine: MachineSettings) -> Planner:
    """Board origin at (100, 50), surface at 20 mm: travel height is 20 + 3 * 9 + 6 = 53 mm."""
    return Planner(GantryMap(x0_mm=100.0, y0_mm=50.0, surface_z_mm=20.0), machine.limits)
