"""The real arm of a match: a planner, a gantry, and a guard that watches for hands through the eyes."""

import math
from collections.abc import Callable, Sequence

from damludo.play.match.ports import Eyes
from damludo.play.table.carriage import CarriageShape, carriage_outlines
from damludo.robot.errors import Stopped
from damludo.robot.frames import GantryMap
from damludo.robot.gantry import Gantry, State
from damludo.robot.guard import CarriageSight
from damludo.robot.motion import MotionPlan
from damludo.robot.places import Transfer
from damludo.robot.planner import Planner
from damludo.vision.motion import Outline
from damludo.vision.view import BoardView

FASTEST_MM_S = 450.0
"""Of a carriage whose two axes move at 300 mm/s each, rounded up."""
NO_WAY_MM = 0.2
"""Less than this tells no direction."""
REPORT_S = 0.1
"""The gantry reports where it is ten times a second."""
NEXT_FRAME_HZ = 30.0
"""The gantry asks ten times a second; each time the next picture is taken, without another wait."""


class HandGuard:
    """Says whether the table is clear.

    Eyes may take something else for a hand, and go on doing so while everything stands still. Then a person may say that no hand
    is there; that holds until the eyes have seen a clear table again.

    Args:
        told: called with True or False when the answer changes.
        overruled: asked while a hand is seen; returns True if a person says that none is there.
    """

    def __init__(self, eyes: Eyes, told: Callable[[bool], None], overruled: Callable[[], bool]) -> None:
        self._eyes, self._told, self._overruled = eyes, told, overruled
        self._clear, self._trusted = True, False
        self.sight: CarriageSight | None = None
        self.sight_before: CarriageSight | None = None

    def clear(self, carriage: CarriageSight) -> bool:
        """Look once; return True if no hand is over the board."""
        self.sight_before, self.sight = self.sight, carriage
        hand = self._eyes.look(NEXT_FRAME_HZ).hand
        self._trusted = hand and (self._trusted or (not self._clear and self._overruled()))
        clear = not hand or self._trusted
        if clear != self._clear:
            self._clear = clear
            self._told(clear)
        return clear

    def forget_carriage(self) -> None:
        """Note that the carriage is parked out of the picture."""
        self.sight = self.sight_before = None


class GantryArm:
    """`Arm` over a gantry."""

    def __init__(self, gantry: Gantry, planner: Planner, guard: HandGuard) -> None:
        self._gantry, self._planner, self._guard = gantry, planner, guard
        self._not_begun: MotionPlan | None = None

    def carry(self, transfers: Sequence[Transfer]) -> None:
        """Carry discs one after the other, then park clear of the board; wait while a hand is over the board.

        Raises:
            OutOfReach: before anything moved.
            Stopped: STOP was pressed; what the magnet holds, it still holds.
            RobotError: the controller failed.
        """
        plan = self._planner.transfers(transfers, self._gantry.position, park=True)
        self._not_begun = None
        if self._gantry.state is State.STOPPED:
            # STOP came before: the gantry knows of nothing to go on with, so the plan is kept here.
            self._not_begun = plan
            raise Stopped("STOP was pressed before the carriage moved; say 'go' when it may move")
        self._run(plan)

    def stop(self) -> None:
        """Stand still at once; from any thread."""
        self._gantry.stop()

    def go_on(self) -> None:
        """Finish what was stopped, nothing if nothing was; raises as `carry` does."""
        if self._gantry.state is State.STOPPED:
            self._gantry.go_on(self._guard)
            self._guard.forget_carriage()
        plan, self._not_begun = self._not_begun, None
        if plan is not None:
            self._run(plan)

    def _run(self, plan: MotionPlan) -> None:
        self._gantry.run(plan, self._guard)
        self._guard.forget_carriage()


def outlines_of_carriage(
    guard: HandGuard, board: GantryMap, view: Callable[[], BoardView], now_s: Callable[[], float]
) -> Callable[[], Sequence[Outline]]:
    """Return what the eyes must not take for a hand: beam and head of the carriage; nothing when it is parked.

    The last report is up to one interval old when a picture is taken: at 300 mm/s the carriage is 30 mm further by then. So the
    outlines reach from where it was reported to where it will be if it goes on as it did since the report before. A busy computer
    may be later than that: then they reach on, as far as the carriage can have come.

    Args:
        view: where board and camera stand at that moment.
        now_s: the time on the clock that stamps the reports.
    """
    shape = CarriageShape()

    def outlines() -> Sequence[Outline]:
        sight, before = guard.sight, guard.sight_before
        if sight is None or sight.position is None:
            return ()
        here = board.to_board(sight.position)
        path = [here]
        if before is not None and before.position is not None:
            there = board.to_board(before.position)
            late_s = now_s() - sight.time_s - max(REPORT_S, sight.time_s - before.time_s)
            x, y, _ = ahead(there, here, 2 * math.dist(there[:2], here[:2]) + FASTEST_MM_S * max(0.0, late_s))
            path.append((x, y, 2 * here[2] - there[2]))
        return carriage_outlines(view(), shape, path)

    return outlines


def ahead(
    there: tuple[float, float, float], here: tuple[float, float, float], reach_mm: float
) -> tuple[float, float, float]:
    """Return the point that lies `reach_mm` behind `here` on the way from `there`, at most; `here` where there is no way."""
    way = [b - a for a, b in zip(there, here, strict=True)]
    length = math.hypot(way[0], way[1])
    if length < NO_WAY_MM:
        return here
    factor = max(1.0, (reach_mm - length) / length)
    return here[0] + factor * way[0], here[1] + factor * way[1], here[2]
