"""The real arm of a match: a planner, a gantry, and a guard that watches for hands through the eyes."""

from collections.abc import Callable, Sequence

from damludo.play.match.ports import Eyes
from damludo.robot.errors import Stopped
from damludo.robot.gantry import Gantry, State
from damludo.robot.guard import CarriageSight
from damludo.robot.motion import MotionPlan
from damludo.robot.places import Transfer
from damludo.robot.planner import Planner

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
