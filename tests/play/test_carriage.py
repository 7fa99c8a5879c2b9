"""The outlines of the carriage: beam and head, each for itself."""

import cv2
import numpy as np

from damludo.play.carriage import CarriageShape, carriage_outlines
from damludo.vision.content import BoardSizes
from damludo.vision.view import BoardView, grid_of

SHAPE = CarriageShape()
VIEW = BoardView(
    grid_of(8, 8),
    BoardSizes(),
    (640, 480),
    800.0,
    0.0,
    np.array([np.pi - 0.3, 0.0, 0.0]),
    np.array([-200.0, 200.0, 900.0]),
)
AT = (120.0, 260.0, 9.0)


def inside(outline: np.ndarray, point_mm: tuple[float, float, float]) -> bool:
    x, y = VIEW.project(np.array([point_mm]))[0]
    return cv2.pointPolygonTest(outline.astype(np.float32), (float(x), float(y)), False) >= 0


def test_the_beam_crosses_the_board_and_the_head_reaches_the_magnet() -> None:
    beam, head = carriage_outlines(VIEW, SHAPE, [AT])
    for x in (0.0, 200.0, 400.0):
        assert inside(beam, (x, AT[1], 120.0))
    assert inside(head, AT)
    assert not inside(head, (330.0, AT[1], 120.0))


def test_both_reach_as_far_as_the_way() -> None:
    there = (300.0, 200.0, 60.0)
    beam, head = carriage_outlines(VIEW, SHAPE, [AT, there])
    assert inside(head, AT)
    assert inside(head, there)
    assert inside(beam, (0.0, 230.0, 120.0))


def test_two_outlines_hide_less_than_their_hull() -> None:
    beam, head = carriage_outlines(VIEW, SHAPE, [AT])
    hull = cv2.convexHull(np.vstack([beam, head]).astype(np.float32))
    area = sum(cv2.contourArea(outline.astype(np.float32)) for outline in (beam, head))
    assert area < 0.95 * cv2.contourArea(hull)
