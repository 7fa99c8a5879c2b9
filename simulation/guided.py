"""A hand led by a person who looks at a screen: press, move and release become gestures of the simulated hand.

Nothing is told to anybody: what the hand does to the discs has to be seen by the camera.
"""

import threading
from collections import deque
from dataclasses import dataclass

from damludo.simulation.gestures import RackView
from damludo.simulation.hand import GRIP_RADIUS_MM, Carry, Put, SimulatedHand, Take, Withdraw
from damludo.simulation.table import DiscColour, Table

LINGER_S, LINGER_BESIDE_S = 1.0, 0.1
"""The hand stays over the board for so long after it let go: the next disc may follow. Beside it, it need not."""
TREMOR_MM, TREMOR_S = 5.0, 0.15
"""A hand that waits is never quite still: it moves by so much, with pauses of so long."""
ABANDONED_S = 15.0
"""A hand that holds a disc and is led no more puts it back after this time: whoever led it has gone."""


@dataclass(frozen=True, slots=True)
class _Act:
    kind: str  # "press", "move", "release"
    x_mm: float
    y_mm: float
    whole: bool = False


class GuidedHand:
    """A `Part` that leads a `SimulatedHand`, itself a part of the same world. `press`, `move` and `release` come from any thread.

    Beside the board lie the racks. A person who takes a disc from a rack takes the last one, and one who lays a disc beside the
    board lays it into the first free slot: so does this hand, wherever beside the board it is pressed or released.

    Attributes:
        in_charge: it was led last; whoever leads the hand in another way takes that over by setting it to False.
    """

    def __init__(self, hand: SimulatedHand, table: Table) -> None:
        self._hand, self._table = hand, table
        self._lock = threading.Lock()
        self._acts: deque[_Act] = deque()
        self._led = False
        self.in_charge = False
        self._taken_at: tuple[float, float] | None = None
        self._idle_since_s: float | None = None
        self._let_go_s: float | None = None
        self._linger_s = LINGER_S
        self._tremor = TREMOR_MM

    @property
    def led(self) -> bool:
        """True from a press until the hand has left the table."""
        return self._led or bool(self._acts)

    def press(self, x_mm: float, y_mm: float, *, whole: bool = False) -> bool:
        """Reach to a point of the board frame and lift the disc there, or the `whole` stack.

        Returns:
            False, and nothing is done, if the hand is free and there is no disc within its grip.
        """
        free = not self._hand.busy and not self._acts and not self._hand.held
        if free and self._table.upper_disc_near(*self._reach(x_mm, y_mm), GRIP_RADIUS_MM) is None:
            return False
        self.in_charge = True
        self._add(_Act("press", x_mm, y_mm, whole))
        return True

    def move(self, x_mm: float, y_mm: float) -> None:
        """Go along to a point; only the newest one counts."""
        with self._lock:
            if self._acts and self._acts[-1].kind == "move":
                self._acts.pop()
            self._acts.append(_Act("move", x_mm, y_mm))

    def release(self, x_mm: float, y_mm: float) -> None:
        """Put down at a point what is held."""
        self._add(_Act("release", x_mm, y_mm))

    def advance_to(self, time_s: float) -> None:
        """Give the hand its next gesture when it has finished the one before."""
        if self._hand.busy:
            self._idle_since_s = None
            return
        act = self._next()
        if act is not None:
            self._led, self._let_go_s = True, None
            self._linger_s = LINGER_BESIDE_S if self._beside(act.x_mm, act.y_mm) else LINGER_S
            self._begin(act)
        elif self._led:
            self._wait(time_s)

    def _add(self, act: _Act) -> None:
        with self._lock:
            self._acts.append(act)

    def _next(self) -> _Act | None:
        with self._lock:
            return self._acts.popleft() if self._acts else None

    def _begin(self, act: _Act) -> None:
        held = self._hand.held
        match act.kind:
            case "press" if not held:
                x, y = self._reach(act.x_mm, act.y_mm)
                self._taken_at = x, y
                self._hand.do([Take(x, y, act.whole)])
            case "release":
                if held and self._beside(act.x_mm, act.y_mm):
                    rack = RackView(self._table)
                    slots = [rack.free_slot(disc.colour is DiscColour.WHITE) for disc in held]
                    self._hand.do([Put(slot.x_mm, slot.y_mm, exact=True, single=True) for slot in slots])
                else:
                    self._hand.do([Put(act.x_mm, act.y_mm, exact=True)])
            case _:  # a press while something is held leads the hand on: its release was lost
                self._hand.do([Carry(act.x_mm, act.y_mm)])

    def _wait(self, time_s: float) -> None:
        if self._idle_since_s is None:
            self._idle_since_s = time_s
        if self._let_go_s is None:
            self._let_go_s = time_s
        idle_s = time_s - self._idle_since_s
        if self._hand.held:
            if time_s - self._let_go_s >= ABANDONED_S and self._taken_at is not None:
                self._hand.do([Put(*self._taken_at, exact=True)])
                self._let_go_s = None
                return
        elif time_s - self._let_go_s >= self._linger_s:
            self._hand.do([Withdraw()])
            self._led = False
            return
        if idle_s >= TREMOR_S:
            self._tremble()

    def _tremble(self) -> None:
        hand = self._table.hand
        self._tremor = -self._tremor
        self._hand.do([Carry(hand.x_mm + self._tremor, hand.y_mm - 0.5 * self._tremor)])

    def _beside(self, x_mm: float, y_mm: float) -> bool:
        layout = self._table.layout
        margin = 0.5 * layout.square_mm if layout.lines else 0.0
        return not (-margin <= x_mm <= layout.width_mm + margin and -margin <= y_mm <= layout.height_mm + margin)

    def _reach(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Return where to reach: beside the board, to the last disc of the rack on that side, if it holds any."""
        if not self._beside(x_mm, y_mm):
            return x_mm, y_mm
        white = x_mm < 0.5 * self._table.layout.width_mm
        try:
            slot = RackView(self._table).full_slot(white)
        except ValueError:
            return x_mm, y_mm
        return slot.x_mm, slot.y_mm
