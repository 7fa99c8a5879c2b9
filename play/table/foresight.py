"""Where the carriage may be when a picture is taken, some time after it was reported: what the eyes must not take for a hand."""

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
REPORT_S = 0.1
"""The gantry reports where it is ten times a second."""

Place = tuple[float, float, float]
"""Of the magnet's face, mm of the board frame: x, y, height."""


def outlines_of_carriage(
    guard: HandGuard,
    board: GantryMap,
    view: Callable[[], BoardView],
    now_s: Callable[[], float],
    *,
    hurried: bool = False,
) -> Callable[[], Sequence[Outline]]:
    """Return what tells the outlines of beam and head, from where they were reported to where they may be; none when parked.

    Args:
        guard: keeps the last two reports.
        view: where board and camera stand at that moment.
        now_s: the time on the clock that stamps the reports.
        hurried: the table lives faster than the clock on the wall, which the eyes' work takes its time from.
    """
    shape, may_be = CarriageShape(), _farthest if hurried else _going_on

    def outlines() -> Sequence[Outline]:
        sight, before = guard.sight, guard.sight_before
        if sight is None or sight.position is None:
            return ()
        here = board.to_board(sight.position)
        path = [here]
        if before is not None and before.position is not None:
            there = board.to_board(before.position)
            path.append(may_be(there, here, sight.time_s - before.time_s, now_s() - sight.time_s))
        return carriage_outlines(view(), shape, path)

    return outlines


def _going_on(there: Place, here: Place, between_s: float, age_s: float) -> Place:
    """Return where a carriage is that goes on as it did between its last two reports.

    The last one is up to one interval old when a picture is taken: at 300 mm/s the carriage is 30 mm further by then. A busy
    computer may be later than that: then it may have come as far as it can.
    """
    late_s = age_s - max(REPORT_S, between_s)
    x, y, _ = _ahead(there, here, 2 * math.dist(there[:2], here[:2]) + FASTEST_MM_S * max(0.0, late_s))
    return x, y, 2 * here[2] - there[2]


def _farthest(there: Place, here: Place, between_s: float, age_s: float) -> Place:
    """Return where a carriage is that went off at its greatest speed when it was reported the time before.

    The report before counts too: a stamp tells when a report was read, and it may have waited to be read.
    """
    return _ahead(there, here, FASTEST_MM_S * (between_s + age_s))


def _ahead(there: Place, here: Place, reach_mm: float) -> Place:
    """Return the point `reach_mm` from `there` on the way over `here`, as far again behind it at least; `here` without a way."""
    way = [b - a for a, b in zip(there, here, strict=True)]
    length = math.hypot(way[0], way[1])
    if length < NO_WAY_MM:
        return here
    factor = max(1.0, (reach_mm - length) / length)
    return here[0] + factor * way[0], here[1] + factor * way[1], here[2]
