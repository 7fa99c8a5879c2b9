"""The outlines of the carriage: beam and head, each for itself."""

from collections.abc import Callable

import cv2
import numpy as np

from damludo.play.table.carriage import CarriageShape, carriage_outlines
from damludo.vision.view import BoardView

Inside = Callable[[np.ndarray, tuple[float, float, float]], bool]

SHAPE = CarriageShape()
AT = (120.0, 260.0, 9.0)


def test_the_beam_crosses_the_board_and_the_head_reaches_the_magnet(slanted_view: BoardView, inside: Inside) -> None:
    beam, head = carriage_outlines(slanted_view, SHAPE, [AT])
    for x in (0.0, 200.0, 400.0):
        assert inside(beam, (x, AT[1], 120.0))
    assert inside(head, AT)
    assert not inside(head, (330.0, AT[1], 120.0))


def test_both_reach_as_far_as_the_way(slanted_view: BoardView, inside: Inside) -> None:
    there = (300.0, 200.0, 60.0)
    beam, head = carriage_outlines(slanted_view, SHAPE, [AT, there])
    assert inside(head, AT)
    assert inside(head, there)
    assert inside(beam, (0.0, 230.0, 120.0))


def test_two_outlines_hide_less_than_their_hull(slanted_view: BoardView) -> None:
    beam, head = carriage_outlines(slanted_view, SHAPE, [AT])
    hull = cv2.convexHull(np.vstack([beam, head]).astype(np.float32))
    area = sum(cv2.contourArea(outline.astype(np.float32)) for outline in (beam, head))
    assert area < 0.95 * cv2.contourArea(hull)
