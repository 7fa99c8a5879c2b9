"""Where the carriage may be at a hurried simulated table, whose reports are old when a picture is taken.

A report is as old as one interval of asking, and as the work of the eyes. Both are spent on the wall's clock, and the simulated
carriage goes on several times as fast meanwhile: from a standstill it may be anywhere up to its greatest speed ahead.
"""

from collections.abc import Callable, Sequence

from damludo.play.table.arm import FASTEST_MM_S, HandGuard, ahead
from damludo.play.table.carriage import CarriageShape, carriage_outlines
from damludo.robot.frames import GantryMap
from damludo.vision.motion import Outline
from damludo.vision.view import BoardView


def outlines_ahead(
    guard: HandGuard, board: GantryMap, view: Callable[[], BoardView], now_s: Callable[[], float]
) -> Callable[[], Sequence[Outline]]:
    """Return what the eyes must not take for a hand, from where the carriage was reported to the farthest it may be by now.

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
            # The report before counts too: a stamp tells when a report was read, and it may have waited to be read.
            age_s = now_s() - before.time_s
            path.append(ahead(there, here, FASTEST_MM_S * age_s))
        return carriage_outlines(view(), shape, path)

    return outlines
