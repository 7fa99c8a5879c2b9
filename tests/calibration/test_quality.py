"""What a calibration is worth: errors are measured, bad ones refused, blind squares named."""

from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from damludo.calibration.board import set_up
from damludo.calibration.errors import BadFit
from damludo.calibration.quality import blind_squares, pose_quality, require_good, square_quality
from damludo.play.benches.set_ups import random_view
from damludo.play.content import board_content, grid_of_board
from damludo.rules.variants import variant
from damludo.vision.board import view_from_corners
from damludo.vision.content import BoardSizes, Content
from damludo.vision.frame import Image
from damludo.vision.look import Look
from damludo.vision.view import BoardView, grid_of


@pytest.fixture(scope="module")
def english() -> tuple[BoardView, Look, Image, Mapping[int, Content]]:
    game = variant("english")
    camera, _, sizes = random_view(game, 1008)
    frame = camera.read()
    start = board_content(game.board.playable, game.start)
    view, look, _ = set_up([frame], grid_of_board(game.board), start, sizes)
    return view, look, frame.image, start


Scene = tuple[BoardView, Look, Image, Mapping[int, Content]]


@pytest.mark.simulation
def test_a_good_pose_misses_by_less_than_a_millimetre(english: Scene) -> None:
    view, _, image, _ = english
    quality = pose_quality(view, [image])
    assert quality.seen == quality.expected == 49
    assert quality.error_mm < 1.0
    assert quality.error_mm == pytest.approx(quality.error_squares * 50.0)
    require_good(quality)


@pytest.mark.simulation
def test_a_board_that_was_pushed_is_refused_with_the_error_and_the_limit(english: Scene) -> None:
    view, _, image, _ = english
    pushed = replace(view, translation_mm=view.translation_mm + np.array([7.0, 0.0, 0.0]))
    with pytest.raises(BadFit, match=r"miss their places by [5-9]\.\d mm .*limit 4\.0 mm"):
        require_good(pose_quality(pushed, [image]))


@pytest.mark.simulation
def test_a_board_that_is_gone_is_refused(english: Scene) -> None:
    view, _, image, _ = english
    with pytest.raises(BadFit, match="only 0 of 49 crossings"):
        require_good(pose_quality(view, [np.full_like(image, 90)]))


@pytest.mark.simulation
def test_glare_makes_squares_blind_and_says_so(english: Scene) -> None:
    view, look, image, _ = english
    glare = image.copy()
    x, y = np.rint(view.project(view.centre_mm(27)[None])[0]).astype(int)
    glare[y - 16 : y + 17, x - 16 : x + 17] = 255
    assert blind_squares(view, look, image) == {}
    assert list(blind_squares(view, look, glare)) == [27]
    assert "lamp or window" in blind_squares(view, look, glare)[27]


def crushed(scene: Scene, places: Mapping[int, Content], wanted: Content) -> Image:
    """Return the picture with the squares of one content black beyond what a camera can tell."""
    view, _, image, _ = scene
    black = image.copy()
    for place, stands in places.items():
        if stands is wanted:
            x, y = np.rint(view.project(view.centre_mm(place)[None])[0]).astype(int)
            cv2.circle(black, (int(x), int(y)), 13, (0, 0, 0), -1)
    return black


@pytest.mark.simulation
def test_a_disc_as_black_as_a_camera_can_tell_is_no_darkness(english: Scene) -> None:
    view, look, _, start = english
    assert blind_squares(view, look, crushed(english, start, Content.BLACK_MAN), start) == {}


@pytest.mark.simulation
def test_a_board_as_black_as_its_discs_is_dark(english: Scene) -> None:
    view, look, _, start = english
    both = crushed((view, look, crushed(english, start, Content.BLACK_MAN), start), start, Content.EMPTY)
    blind = blind_squares(view, look, both, start)
    assert sorted(blind) == sorted(place for place, stands in start.items() if stands is not Content.WHITE_MAN)
    assert "too dark" in blind[min(blind)]


@pytest.mark.simulation
def test_a_black_disc_in_a_deep_shadow_is_blind(english: Scene) -> None:
    view, look, _, start = english
    shadow = crushed(english, start, Content.BLACK_MAN)
    x, y = np.rint(view.project(view.centre_mm(62)[None])[0]).astype(int)
    shadow[y - 80 : y + 80, x - 80 : x + 80] //= 6
    blind = blind_squares(view, look, shadow, start)
    assert set(blind) >= {61, 63}
    assert "too dark" in blind[63]


@pytest.mark.simulation
def test_every_square_of_a_clear_start_is_read_with_a_margin(english: Scene) -> None:
    view, look, image, start = english
    quality = square_quality(view, look, [image], start)
    assert len(quality.margins) == 32
    assert (quality.wrong, quality.weak) == ((), ())
    assert quality.least > 6.0


CORNERS: NDArray[np.float64] = np.array([(168.5, 123.3), (458.7, 130.3), (521.4, 395.1), (117.1, 394.2)])


def one_coloured(ruled: bool = True) -> Image:
    """Draw a board of 8 x 8 squares of one colour in perspective, parted by lines or by nothing, with men on 32 of them."""
    side, margin = 60, 40
    flat = np.full((8 * side + 2 * margin, 8 * side + 2 * margin, 3), (96, 150, 196), np.uint8)
    ends = [margin + side * k for k in range(9)]
    for at in ends if ruled else (ends[0], ends[-1]):
        cv2.line(flat, (at, ends[0]), (at, ends[-1]), (34, 58, 96), 3)
        cv2.line(flat, (ends[0], at), (ends[-1], at), (34, 58, 96), 3)
    for rank, grey in ((1, 60), (2, 60), (5, 220), (6, 220)):
        for x in ends[:-1]:
            cv2.circle(flat, (x + side // 2, ends[rank] + side // 2 - 6), 24, (grey, grey, grey), -1, cv2.LINE_AA)
    outer = np.array([(ends[a], ends[b]) for a, b in ((0, 0), (-1, 0), (-1, -1), (0, -1))], np.float32)
    there = cv2.getPerspectiveTransform(outer, CORNERS.astype(np.float32))
    image = cv2.warpPerspective(flat, there, (640, 480), borderValue=(60, 70, 90), flags=cv2.INTER_AREA)
    noise = np.random.default_rng(1).normal(0.0, 2.0, image.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(image, (0, 0), 0.8) + noise, 0, 255), dtype=np.uint8)


def test_lines_that_part_squares_of_one_colour_tell_whether_corners_are_right() -> None:
    """No crossing of dark and light squares is on such a board, and its men look like dots."""
    image = one_coloured()
    clicked = CORNERS + np.array([(3.0, -2.0), (-2.0, 3.0), (2.0, 2.0), (-3.0, -2.0)])
    view = view_from_corners(clicked, (640, 480), grid_of(8, 8), BoardSizes(), refine=image)
    quality = pose_quality(view, [image])
    assert quality.good
    assert quality.error_squares < 0.02
    assert np.abs(view.project(view.outer_corners_mm()) - CORNERS[[3, 2, 1, 0]]).max() < 1.0


@pytest.mark.parametrize(
    ("ruled", "beside"),
    [pytest.param(True, 15.0, id="corners beside the board"), pytest.param(False, 0.0, id="no lines")],
)
def test_a_board_of_one_colour_is_not_good_where_its_lines_are_not(ruled: bool, beside: float) -> None:
    image = one_coloured(ruled)
    view = view_from_corners(CORNERS + beside, (640, 480), grid_of(8, 8), BoardSizes())
    with pytest.raises(BadFit):
        require_good(pose_quality(view, [image]))
