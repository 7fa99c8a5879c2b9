"""A plan on its way through the line: what was sent, and until when it must be done."""

from collections import deque
from dataclasses import dataclass

from damludo.robot.frames import GantryPoint
from damludo.robot.gcode import Order

ACCEPT_LIMIT_S = 1.0
"""A line of motion is taken, not done, within this time; after it the report is asked what became of it."""
DONE_FACTOR, DONE_EXTRA_S = 2.0, 2.0
"""Motion is given this many times its computed time, and this much more."""
SETTLED_S = 0.25
"""A report that comes this long after a limit was asked for after it."""


@dataclass(slots=True)
class Execution:
    """The orders of one plan. An order leaves `waiting` when it is sent, so none is ever sent twice.

    Time limits are measured in active time, which stands still while the motion is held: a hand above the board is no fault.

    Attributes:
        waiting: orders not sent yet.
        end: where the carriage stands at last.
        sent: the last order sent.
        active_s: time since the start without holds.
        motion_done_s: active time at which the motion sent so far should be over.
        suspect_s: active time from which a report may speak in place of a lost `ok`.
        limit_s: active time at which the order sent last counts as lost.
        floods: how many times in a row there was more to read than was read.
        astray: how many reports in a row said Idle elsewhere than at the end.
    """

    waiting: deque[Order]
    end: GantryPoint
    sent: Order | None = None
    active_s: float = 0.0
    motion_done_s: float = 0.0
    suspect_s: float = 0.0
    limit_s: float = 0.0
    floods: int = 0
    astray: int = 0

    def take(self) -> Order:
        """Return the next order, to be sent at once."""
        order = self.waiting.popleft()
        begin = self.active_s
        self.motion_done_s = max(self.motion_done_s, begin) + order.duration_s
        self.suspect_s = (self.motion_done_s if order.blocks else begin) + ACCEPT_LIMIT_S + SETTLED_S
        self.limit_s = begin + DONE_FACTOR * (self.motion_done_s - begin) + DONE_EXTRA_S
        self.sent = order
        return order

    @property
    def sent_text(self) -> str:
        """The line sent last."""
        return self.sent.text if self.sent is not None else ""
