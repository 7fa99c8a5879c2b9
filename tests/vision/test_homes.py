"""Reading without a game: the start position teaches."""

from collections.abc import Callable

import numpy as np
import pytest

from damludo.vision.content import Content
from damludo.vision.errors import BoardNotFound
from damludo.vision.frame import Image
from damludo.vision.homes import HomesReader
from damludo.vision.view import BoardView

Draw = Callable[..., Image]
Board = dict[int, Content]
C3, D4 = 18, 27


def seen(reader: HomesReader, image: Image, believed: Board | None) -> Board:
    table = reader.read(image, believed)
    return {place: Content(int(table[place].argmax())) for place in range(64)}


def full(board: Board) -> Board:
    return {place: board.get(place, Content.EMPTY) for place in range(64)}


def test_the_start_position_is_recognised_with_the_lighter_men_as_white(
    view_from_above: BoardView, draw: Draw, start: Board
) -> None:
    assert HomesReader(view_from_above, draw(start)).content == full(start)


def test_colours_do_not_depend_on_the_side(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    turned = {63 - place: content for place, content in start.items()}
    assert HomesReader(view_from_above, draw(turned)).content == full(turned)


@pytest.mark.parametrize("gain", [1.0, 0.7])
def test_a_later_position_is_read(view_from_above: BoardView, draw: Draw, start: Board, gain: float) -> None:
    reader = HomesReader(view_from_above, draw(start))
    after = start | {C3: Content.EMPTY, D4: Content.WHITE_MAN, 45: Content.EMPTY}
    assert seen(reader, draw(after, light=gain, seed=1), start) == full(after)


def test_a_lamp_beside_the_board_is_taken_off(view_from_above: BoardView, draw: Draw, start: Board) -> None:
    light = np.tile(np.linspace(1.2, 0.5, 640), (480, 1))
    assert HomesReader(view_from_above, draw(start, light=light)).content == full(start)


@pytest.mark.parametrize("men", [{}, {27: Content.WHITE_MAN, 36: Content.BLACK_MAN, 20: Content.WHITE_MAN}])
def test_what_is_no_start_position_is_refused(view_from_above: BoardView, draw: Draw, men: Board) -> None:
    with pytest.raises(BoardNotFound, match="start of a game"):
        HomesReader(view_from_above, draw(men))
