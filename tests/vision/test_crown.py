"""Crowned or not, looked at closely: painted discs under scenes that were learnt wrong, other paint, other light."""

import math
from dataclasses import replace

import numpy as np
import pytest

from damludo.vision.content import BoardSizes, Content
from damludo.vision.crown import CrownJudge
from damludo.vision.frame import Image
from damludo.vision.height import HeightJudge
from damludo.vision.joining import filled, with_crowns
from damludo.vision.light import LightField
from damludo.vision.patches import Patches
from damludo.vision.stack import SIDE, TOP_SIDE, Canvas, StackField, StackLook, paint_on
from damludo.vision.stack_numbers import doubt, level_of, numbers_of, shared_by, with_numbers
from damludo.vision.view import BoardView, grid_of

DARK = tuple(place for place in range(64) if (place // 8 + place % 8) % 2 == 0)
ROWS, SIDES, NOBODY = np.arange(32), np.arange(32) % 2, np.zeros(32, dtype=bool)
LIGHT = LightField(*(np.zeros(shape, np.float32) for shape in ((6, 3), (3,), (32, 3), (32, 4, 3))))
LOOKED_AT = (0, 5, 11, 14, 18, 23, 25, 30)
TOLD = np.diag([2e6, 1e5, 2e4, 2e3, 500.0, 200.0, 200.0, 4e3, 1e4, 4e3, 1e4])
"""About as well as 24 men tell the numbers of a scene."""


@pytest.fixture
def field() -> StackField:
    """A board seen at 12 degrees from above White's side."""
    view = BoardView(
        grid_of(8, 8, DARK), BoardSizes(), (640, 480), 620.0, 0.0,
        np.array([math.pi - math.radians(12), 0.0, 0.0]), np.array([-200.0, 185.0, 800.0]),
    )  # fmt: skip
    return StackField(Patches(view, 0.38))


@pytest.fixture
def look() -> StackLook:
    """Light and dark discs on dark squares, a short shadow to the left."""
    ground = np.ones((2, SIDE * SIDE), np.float32)
    top = np.stack([np.full((TOP_SIDE, TOP_SIDE), level, np.float32) for level in (2.0, 0.6)])
    wall = np.array([[1.2, 0.1], [0.4, 0.05]], np.float32)
    return StackLook(0.38, 0.06, np.array([-0.45, 0.2], np.float32), 0.12, 0.25, 0.5, ground, top, wall, TOLD)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """Brightness of the whole patches, shape (32, SIDE * SIDE); every field sees the one that a picture's grey level names."""
    pictures: list[np.ndarray] = []

    def brightness(self: StackField, image: Image, _light: LightField, rows: np.ndarray | None = None) -> np.ndarray:
        seen = np.take_along_axis(pictures[image[0, 0, 0]], self.number, axis=1)
        return np.asarray(seen if rows is None else seen[rows])

    monkeypatch.setattr(StackField, "brightness", brightness)
    return pictures


def picture(number: int) -> Image:
    return np.full((480, 640, 3), number, np.uint8)


def noisy(bright: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.asarray(bright * (1 + 0.015 * random.standard_normal(bright.shape)), dtype=np.float32)


def stacks(field: StackField, look: StackLook, discs: int, seed: int, paint_of_crown: float = 0.0) -> np.ndarray:
    """Paint a stack on every place, up to 0.06 square off the middle; the upper disc's paint may differ by a part."""
    random = np.random.default_rng(seed)
    lower = random.uniform(-0.06, 0.06, (32, 2))
    feet = np.concatenate([lower, lower + random.uniform(-0.02, 0.02, (32, 2))][:discs], axis=1).astype(np.float32)
    painted = paint_on(Canvas.of(field, look, ROWS), look, SIDES, feet)
    return noisy(painted.bright + paint_of_crown * painted.face, seed)


def kings(judge: CrownJudge, number: int) -> np.ndarray:
    """Return the evidence for kings on some places, each looked at as if the others were empty."""
    return np.array([judge.evidence(picture(number), LIGHT, row, int(SIDES[row]), NOBODY) for row in LOOKED_AT])


def test_men_and_kings_are_told_apart(field: StackField, look: StackLook, shown: list[np.ndarray]) -> None:
    shown += [noisy(field.floor(look, ROWS), 1), stacks(field, look, 1, 2), stacks(field, look, 2, 3)]
    judge = CrownJudge(field.patches, look)
    judge.remember(picture(0), LIGHT, ~NOBODY, NOBODY)
    assert kings(judge, 1).max() < -3
    assert kings(judge, 2).min() > 3


def test_a_shadow_that_was_learnt_too_short_and_too_dark_makes_no_man_of_a_king(
    field: StackField, look: StackLook, shown: list[np.ndarray]
) -> None:
    """Men hardly tell a short shadow's length from its darkness; a whole picture's heights take what was learnt for true."""
    told = np.diag([2e6, 1e5, 1e3, 100.0, 50.0, 20.0, 20.0, 4e3, 1e4, 4e3, 1e4])
    wrong = replace(look, shadow=look.shadow * np.float32(0.6), strength=0.5, contact=0.66, soft=0.18, told=told)
    shown += [noisy(field.floor(look, ROWS), 1), stacks(field, look, 2, 3)]
    coarse, judge = HeightJudge(field.patches, wrong), CrownJudge(field.patches, wrong)
    coarse.learn_ground(picture(0), LIGHT, ~NOBODY, NOBODY)
    judge.remember(picture(0), LIGHT, ~NOBODY, NOBODY)
    alone = [np.where(row == ROWS, SIDES, -1) for row in LOOKED_AT]
    offset = np.zeros((32, 2), np.float32)
    single = [coarse.evidence(picture(1), LIGHT, side, offset)[side >= 0][0] for side in alone]
    assert min(single) < -4
    assert kings(judge, 1).min() > -2


def test_a_crown_of_other_paint_is_a_crown(field: StackField, look: StackLook, shown: list[np.ndarray]) -> None:
    shown += [noisy(field.floor(look, ROWS), 1), stacks(field, look, 2, 3, paint_of_crown=-0.15)]
    judge = CrownJudge(field.patches, look)
    judge.remember(picture(0), LIGHT, ~NOBODY, NOBODY)
    assert kings(judge, 1).min() > 0


def test_a_lamp_that_is_mirrored_beside_the_disc_leaves_less_to_be_said(
    field: StackField, look: StackLook, shown: list[np.ndarray]
) -> None:
    mirrored = 0.5 * np.exp(-((field.x - 0.5) ** 2 + (field.y - 0.3) ** 2) / 0.15)
    plain = stacks(field, look, 1, 2)
    shown += [noisy(field.floor(look, ROWS), 1), plain, (plain + mirrored).astype(np.float32)]
    judge = CrownJudge(field.patches, look)
    judge.remember(picture(0), LIGHT, ~NOBODY, NOBODY)
    clear, misled = kings(judge, 1), kings(judge, 2)
    assert np.abs(misled).mean() < 0.5 * np.abs(clear).mean()


def test_a_place_that_was_not_seen_empty_tells_less(
    field: StackField, look: StackLook, shown: list[np.ndarray]
) -> None:
    shown += [noisy(field.floor(look, ROWS), 1), stacks(field, look, 1, 2)]
    judge = CrownJudge(field.patches, look)
    unseen = kings(judge, 1)
    judge.remember(picture(0), LIGHT, ~NOBODY, NOBODY)
    assert (kings(judge, 1) < unseen).mean() > 0.9


def test_numbers_of_a_scene_are_its_own(look: StackLook) -> None:
    sides = np.array([1])
    shared = shared_by(level_of(look, 1), numbers_of(look, 1)[None])
    np.testing.assert_allclose(shared.wall, look.wall[sides], atol=1e-6)
    np.testing.assert_allclose(shared.shadow, look.shadow[None], atol=1e-6)
    assert with_numbers(look, numbers_of(look, 0)[:7]).strength == pytest.approx(look.strength)


def test_what_men_told_is_doubted_less(look: StackLook) -> None:
    unknown = replace(look, told=np.zeros((11, 11)))
    assert (np.diag(doubt(look, 0)) < np.diag(doubt(unknown, 0))).all()


def test_a_profile_that_does_not_say_how_well_numbers_are_known_is_read(look: StackLook) -> None:
    data = look.to_dict()
    del data["told"]
    assert not StackLook.from_dict(data).told.any()


def test_only_places_that_were_empty_are_filled() -> None:
    believed = {1: Content.EMPTY, 3: Content.WHITE_MAN, 5: Content.EMPTY}
    assert filled(believed, {1: Content.WHITE_KING, 3: Content.WHITE_KING, 5: Content.EMPTY}) == [1]


def test_a_closer_look_tells_the_crown_and_nothing_else() -> None:
    table = np.array([[-9.0, -1.0, 0.0, -7.0, -8.0], [0.0, -5.0, -5.0, -5.0, -5.0]])
    joined = with_crowns(table, {0: -4.0})
    assert joined.tolist() == [[-9.0, 0.0, -4.0, -7.0, -8.0], table[1].tolist()]
    assert with_crowns(table, {}).tolist() == table.tolist()


@pytest.mark.parametrize(
    ("whole_board", "closer", "joined"),
    [
        pytest.param(-9.8, 17.6, 7.8, id="a low sun in the varnish of a man"),
        pytest.param(-9.8, 6.0, -3.8, id="hardly a king"),
        pytest.param(4.0, 17.6, 17.6, id="both see a king"),
        pytest.param(4.0, -6.0, -6.0, id="a man whose shadow was taken for a disc"),
    ],
)
def test_a_king_that_only_the_closer_look_sees_is_doubted(whole_board: float, closer: float, joined: float) -> None:
    """A man was told to carry a crown that was not due: neither stack explained his varnish in a sunbeam, a king less badly."""
    table = np.array([[-15.0, -18.0, -18.0, 0.0, whole_board]])
    row = with_crowns(table, {0: closer})[0]
    assert row[Content.BLACK_KING] - row[Content.BLACK_MAN] == pytest.approx(joined)
