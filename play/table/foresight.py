"""Where the carriage may be at a hurried simulated table, whose reports are old when a picture is taken.

A report is as old as one interval of asking, and as the work of the eyes. Both are spent on the wall's clock, and the simulated
carriage goes on several times as fast meanwhile: from a standstill it may be anywhere up to its greatest speed ahead.
"""

import math
from collections.abc import Callable, Sequence

from damludo.play.table.arm import HandGuard
from damludo.play.table.carriage import CarriageShape, carriage_outlines
from damludo.robot.frames import GantryMap
from damludo.vision.motion import Outline
from damludo.vision.view import BoardView

FASTEST_MM_S = 450.0
"""Of a carriage whose two axes move at 300 mm/s each, rounded up."""
NO_WAY_MM = 0.2
"""Less than this tells no direction."""


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
            path.append(_ahead(there, here, FASTEST_MM_S * age_s))
        return carriage_outlines(view(), shape, path)

    return outlines


def _ahead(
    there: tuple[float, float, float], here: tuple[float, float, float], reach_mm: float
) -> tuple[float, float, float]:
    """Return the point that lies `reach_mm` behind `here` on the way from `there`, at most; `here` where there is no way."""
    way = [b - a for a, b in zip(there, here, strict=True)]
    length = math.hypot(way[0], way[1])
    if length < NO_WAY_MM:
        return here
    factor = max(1.0, (reach_mm - length) / length)
    return here[0] + factor * way[0], here[1] + factor * way[1], here[2]
