"""The corners of the plain grid, of cameras that are known exactly."""

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.board import find_board, view_from_corners
from damludo.vision.content import BoardSizes
from damludo.vision.plain import plain_corners
from damludo.vision.view import BoardView, grid_of

Floats = NDArray[np.float64]


def known_view(k1: float) -> BoardView:
    """A camera 62 cm from the middle of a board, tilted by 24 degrees."""
    rotation = np.array([np.pi - 0.42, 0.0, 0.1])
    middle = cv2.Rodrigues(rotation)[0] @ np.array([200.0, 200.0, 0.0])
    return BoardView(grid_of(8, 8), BoardSizes(), (640, 480), 560.0, k1, rotation, np.array([0.0, 0.0, 620.0]) - middle)


def crossings(view: BoardView) -> Floats:
    y, x = np.mgrid[1:8, 1:8]
    return np.column_stack([x.ravel(), y.ravel(), np.zeros(49)]) * view.sizes.square_mm


def missed(corners: Floats, view: BoardView, points: Floats) -> float:
    """Return by how much the grid that four corners mean misses points, root mean square, px."""
    board = view.outer_corners_mm()[:, :2].astype(np.float32)
    plane = cv2.getPerspectiveTransform(board, corners.astype(np.float32))
    seen = cv2.perspectiveTransform(points[None, :, :2], plane)[0]
    return float(np.sqrt(((seen - view.project(points)) ** 2).sum(axis=1).mean()))


def test_without_a_bent_lens_the_corners_are_those_that_are_seen() -> None:
    view = known_view(0.0)
    points, board = crossings(view), view.outer_corners_mm()
    assert np.abs(plain_corners(view, board, points, view.project(points)) - view.project(board)).max() < 1e-6


def test_a_bent_lens_leaves_the_grid_on_the_crossings_and_moves_the_corners() -> None:
    view = known_view(-0.12)
    points, board = crossings(view), view.outer_corners_mm()
    plain, seen = plain_corners(view, board, points, view.project(points)), view.project(board)
    assert missed(plain, view, points) < 0.4 * missed(seen, view, points)
    outward = (plain - seen) * (seen - seen.mean(axis=0))
    assert (outward.sum(axis=1) > 0).all()


def test_one_wrong_crossing_of_many_changes_nothing() -> None:
    view = known_view(0.0)
    points, board = crossings(view), view.outer_corners_mm()
    pixels = view.project(points)
    pixels[24] += 15.0
    assert np.abs(plain_corners(view, board, points, pixels) - view.project(board)).max() < 0.3


def test_where_no_crossing_is_seen_the_view_decides() -> None:
    view = known_view(0.0)
    board, none = view.outer_corners_mm(), np.zeros((0, 3))
    assert np.abs(plain_corners(view, board, none, none[:, :2]) - view.project(board)).max() < 1e-6


def test_four_corners_that_are_told_and_given_again_show_the_same_squares() -> None:
    """A bent lens draws the board; the corners that are told then are those that the program takes without looking."""
    view = known_view(-0.12)
    y, x = np.mgrid[0:480, 0:640].astype(np.float64)
    pixels = np.stack([x.ravel(), y.ravel()], axis=1).reshape(-1, 1, 2)
    straight = cv2.undistortPoints(pixels, view.camera_matrix, view.distortion).reshape(-1, 2)
    rotation, _ = cv2.Rodrigues(view.rotation_vector)
    plane = np.column_stack([rotation[:, :2], view.translation_mm])
    board = np.column_stack([straight, np.ones(len(straight))]) @ np.linalg.inv(plane).T
    rank, file = (np.floor(board[:, k] / board[:, 2] / view.sizes.square_mm).astype(int) for k in (1, 0))
    inside = (rank >= 0) & (rank < 8) & (file >= 0) & (file < 8)
    tone = np.where(inside, np.where((rank + file) % 2 == 0, 50, 210), 120).reshape(480, 640).astype(np.uint8)
    soft = np.asarray(cv2.GaussianBlur(tone, (0, 0), 0.8), dtype=np.uint8)
    image = np.repeat(soft[:, :, None], 3, axis=2)
    found = find_board(image, view.grid)
    middles = np.array([found.view.centre_mm(place) for place in range(64)])

    def missed_by(corners: Floats) -> float:
        again = view_from_corners(corners, (640, 480), view.grid)
        away = again.project(middles) - found.view.project(middles)
        return float(np.sqrt((away**2).sum(axis=1).mean()))

    seen = found.view.project(found.view.outer_corners_mm())[[3, 2, 1, 0]]
    assert missed_by(found.corners) < 0.6 * missed_by(seen)


def test_where_a_lens_bends_much_the_corners_are_those_that_are_seen() -> None:
    view = known_view(-0.25)
    points, board = crossings(view), view.outer_corners_mm()
    assert np.abs(plain_corners(view, board, points, view.project(points)) - view.project(board)).max() < 1e-9
