"""Setting up on the start position: which way the board lies, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from damludo.calibration.board import best_turn, set_up, set_up_at
from damludo.play.benches.set_ups import random_view, set_up_on
from damludo.play.content import board_content, grid_of_board
from damludo.robot.places import TableLayout
from damludo.rules.variants import variant
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.furnish import furnished_table
from damludo.simulation.optics import Bgr, Optics
from damludo.simulation.table import DiscColour
from damludo.vision.content import BoardSizes, Content
from damludo.vision.errors import BadPose, BoardNotFound, SideUnknown
from damludo.vision.frame import Frame
from damludo.vision.sides import turned
from damludo.vision.view import grid_of

DARK = tuple(place for place in range(64) if (place // 8 + place % 8) % 2 == 0)
START = {
    place: Content.WHITE_MAN if place < 24 else Content.BLACK_MAN if place >= 40 else Content.EMPTY for place in DARK
}
GRID = grid_of(8, 8, DARK)


def camera_on(content: dict[int, Content], side: DiscColour, **paint: Bgr) -> SimulatedCamera:
    table = furnished_table(TableLayout(), content, 2, np.random.default_rng(1))
    table.carriage.present = False
    optics = Optics.seeded(3, side)
    return SimulatedCamera(table, LockstepClock(World()), replace(optics, paint=replace(optics.paint, **paint)))  # type: ignore[arg-type]


@pytest.mark.simulation
@pytest.mark.parametrize(("side", "white_at"), [(DiscColour.WHITE, "bottom"), (DiscColour.BLACK, "top")])
def test_start_position_tells_where_white_sits(side: DiscColour, white_at: str) -> None:
    camera = camera_on(START, side)
    view, _, found = set_up([camera.read(), camera.read()], GRID, START, BoardSizes())
    assert found == white_at
    assert np.abs(view.project(view.outer_corners_mm()) - camera.corners_px()).max() < 2.0


@pytest.mark.simulation
@pytest.mark.parametrize(("side", "white_at"), [(DiscColour.WHITE, "bottom"), (DiscColour.BLACK, "top")])
def test_given_corners_do_not_say_where_white_sits_but_the_position_does(side: DiscColour, white_at: str) -> None:
    camera = camera_on(START, side)
    around = camera.corners_px()[::-1]
    corners = np.roll(around, -int(around.sum(axis=1).argmin()), axis=0)
    view, _, found = set_up_at(corners, camera.read().image, GRID, START, BoardSizes())
    assert found == white_at
    assert np.abs(view.project(view.outer_corners_mm()) - camera.corners_px()).max() < 2.0


@pytest.mark.simulation
@pytest.mark.parametrize(("side", "white_at"), [(DiscColour.WHITE, "bottom"), (DiscColour.BLACK, "top")])
def test_red_discs_are_lighter_than_black_ones(side: DiscColour, white_at: str) -> None:
    """The mean of the logarithms of their channels says the opposite: red reflects nearly no green and blue."""
    camera = camera_on(START, side, white=(16, 16, 170), black=(44, 42, 42))
    assert set_up([camera.read()], GRID, START, BoardSizes())[2] == white_at


@pytest.mark.simulation
def test_discs_that_are_as_light_as_each_other_do_not_tell_where_white_sits() -> None:
    frame = camera_on(START, DiscColour.BLACK, white=(30, 30, 160), black=(80, 76, 60)).read()
    with pytest.raises(SideUnknown, match="the discs of both sides are about as light"):
        set_up([frame], GRID, START, BoardSizes())
    assert set_up([frame], GRID, START, BoardSizes(), white_at="top")[2] == "top"


@pytest.mark.simulation
def test_corners_of_something_else_are_refused() -> None:
    frame = camera_on(START, DiscColour.WHITE).read()
    corner = np.array([[0.0, 0.0], [80.0, 0.0], [80.0, 80.0], [0.0, 80.0]])
    with pytest.raises(BoardNotFound, match="or the corners are not those of the board"):
        set_up_at(corner, frame.image, GRID, START, BoardSizes())
    with pytest.raises(BadPose, match=r"span squares of 1\.2 px, at least 6 are needed"):
        set_up_at(corner / 8, frame.image, GRID, START, BoardSizes())


@pytest.mark.simulation
def test_a_wrong_word_about_white_is_answered_with_the_right_one() -> None:
    frame = camera_on(START, DiscColour.WHITE).read()
    with pytest.raises(BoardNotFound, match="turn the board, or say --white-at bottom"):
        set_up([frame], GRID, START, BoardSizes(), white_at="left")


@pytest.mark.simulation
def test_another_position_is_refused() -> None:
    moved = dict(START)
    for place in DARK[:8]:
        moved[place] = Content.EMPTY
    with pytest.raises(BoardNotFound, match="do not show the position that the game begins with"):
        set_up([camera_on(moved, DiscColour.WHITE).read()], GRID, START, BoardSizes(), white_at="bottom")


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("key", "seed"),
    [
        pytest.param("alquerque", 1101, id="a board of lines under its discs"),
        pytest.param("portuguese", 1002, id="light discs on light squares"),
        pytest.param("turkish", 1015, id="no square is always empty"),
    ],
)
def test_boards_of_every_kind_are_set_up_without_help(key: str, seed: int) -> None:
    seen = set_up_on(variant(key), seed)
    assert (seen.refused, seen.right) == ("", True)


@pytest.mark.simulation
def test_a_full_board_serves_from_either_side_and_a_word_decides() -> None:
    game = variant("hawaiian")
    camera, _, sizes = random_view(game, 1017)
    grid, start = grid_of_board(game.board), board_content(game.board.playable, game.start)
    frame = camera.read()
    assert set_up([frame], grid, start, sizes)[2] == "bottom"
    view, _, side = set_up([frame], grid, start, sizes, white_at="top")
    assert side == "top"
    assert best_turn(frame.image, turned(view, "top", "bottom"), start) == "bottom"


def test_a_picture_of_nothing_is_refused() -> None:
    frame = Frame(np.full((480, 640, 3), 90, dtype=np.uint8), 0.0, 0)
    with pytest.raises(BoardNotFound, match="no board of 8 x 8 squares"):
        set_up([frame], GRID, START, BoardSizes())


def test_no_picture_is_refused() -> None:
    with pytest.raises(BoardNotFound, match="no picture"):
        set_up([], GRID, START, BoardSizes())
