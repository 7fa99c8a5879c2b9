"""Corner cards: pose and White's side from printed markers."""

import cv2
import numpy as np
import pytest

from damludo.vision.cards import DICTIONARY, CardSize, find_markers, marker_corners_mm, view_from_cards
from damludo.vision.content import BoardSizes
from damludo.vision.errors import BoardNotFound
from damludo.vision.frame import Image
from damludo.vision.view import BoardView, grid_of

GRID, SIZES, CARD = grid_of(8, 8), BoardSizes(), CardSize()


def view_with_white_at_the_top() -> BoardView:
    """A camera 0.75 m above the middle, slanted by 20 degrees, that sees White's side at the top."""
    slant, turn = np.radians(20), np.pi
    down = np.array([[1, 0, 0], [0, -1, 0], [0, 0, -1.0]])
    tip = np.array([[1, 0, 0], [0, np.cos(slant), -np.sin(slant)], [0, np.sin(slant), np.cos(slant)]])
    around = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    rotation = tip @ down @ around
    middle = rotation @ np.array([200.0, 200.0, 0.0])
    vector = cv2.Rodrigues(rotation)[0].ravel()
    return BoardView(GRID, SIZES, (1280, 720), 900.0, 0.0, np.asarray(vector), np.array([0.0, 0.0, 900.0]) - middle)


def photograph(view: BoardView, numbers: tuple[int, ...] = (0, 1, 2, 3), swap: bool = False) -> Image:
    """Draw the markers on white cards around a gray board."""
    image = np.full((720, 1280, 3), 110, np.uint8)
    corners = marker_corners_mm(GRID, SIZES, CARD)
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    for number in numbers:
        where = corners[(number + 1) % 4 if swap else number]
        middle = where.mean(axis=0)
        card = view.project(middle + (where - middle) * (1 + 2 * CARD.margin_mm / CARD.marker_mm))
        cv2.fillConvexPoly(image, np.rint(card).astype(np.int32), (245, 245, 245), cv2.LINE_AA)
        marker = cv2.cvtColor(cv2.aruco.generateImageMarker(dictionary, number, 120), cv2.COLOR_GRAY2BGR)
        ends = np.array([[-0.5, -0.5], [119.5, -0.5], [119.5, 119.5], [-0.5, 119.5]], dtype=np.float32)
        plane = cv2.getPerspectiveTransform(ends, view.project(where).astype(np.float32))
        cv2.warpPerspective(marker, plane, (1280, 720), image, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8), dtype=np.uint8)


@pytest.mark.parametrize("numbers", [(0, 1, 2, 3), (0, 1, 3), (1, 2, 3), (0, 2, 3), (0, 1, 2)])
def test_cards_tell_pose_and_side(numbers: tuple[int, ...]) -> None:
    truth = view_with_white_at_the_top()
    view = view_from_cards(photograph(truth, numbers), GRID, SIZES, CARD)
    missed = np.linalg.norm(view.project(view.outer_corners_mm()) - truth.project(truth.outer_corners_mm()), axis=1)
    assert missed.max() < 0.05 * 50


def test_cards_in_a_large_picture_are_found_in_a_shrunk_one_and_placed_in_full() -> None:
    image = photograph(view_with_white_at_the_top())
    large = np.asarray(cv2.resize(image, (2560, 1440), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    found, usual = find_markers(large), find_markers(image)
    assert found.keys() == {0, 1, 2, 3}
    for number, quad in found.items():
        assert np.abs((quad + 0.5) / 2 - 0.5 - usual[number]).max() < 0.3


def test_one_card_is_too_few() -> None:
    with pytest.raises(BoardNotFound, match="1 of 4 corner cards"):
        view_from_cards(photograph(view_with_white_at_the_top(), (2,)), GRID, SIZES, CARD)


def test_cards_at_wrong_corners_are_refused() -> None:
    with pytest.raises(BoardNotFound, match="upright as White sees it"):
        view_from_cards(photograph(view_with_white_at_the_top(), swap=True), GRID, SIZES, CARD)


def test_a_board_without_cards_has_no_markers() -> None:
    assert find_markers(np.full((480, 640, 3), 110, np.uint8)) == {}
