"""Reading rendered squares: random positions with kings and discs off the middle, the light, the profile's form of a look."""

import json
import math
from collections.abc import Callable, Mapping

import cv2
import numpy as np
import pytest

from damludo.calibration.board import set_up
from damludo.robot.places import TableLayout
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.furnish import furnished_table
from damludo.simulation.optics import Optics
from damludo.simulation.table import DiscColour
from damludo.vision.cold import cold_look
from damludo.vision.content import BoardSizes, Content
from damludo.vision.errors import BadPicture
from damludo.vision.frame import Frame, Image
from damludo.vision.look import Look, learn_look, normalised
from damludo.vision.patches import FINE, SPACING, Patches
from damludo.vision.squares import (
    ANYTHING,
    BEYOND,
    CHOICE,
    DEGREES,
    INDEPENDENT,
    OFF_CENTRE,
    SECOND_DISC,
    SquareReader,
)
from damludo.vision.view import BoardView, grid_of

Draw = Callable[..., Image]
D4 = 27
SIDE_OF = np.array([0, 1, 1, 2, 2])


def wrong_sides(reading: np.ndarray, content: Mapping[int, Content]) -> int:
    return sum(int(SIDE_OF[reading[place].argmax()] != SIDE_OF[what]) for place, what in content.items())


def scattered(start: Mapping[int, Content], seed: int) -> dict[int, Content]:
    random = np.random.default_rng(seed)
    kinds = [Content.EMPTY, Content.EMPTY, *(c for c in Content if c)]
    return {place: kinds[int(random.integers(len(kinds)))] for place in start}


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [2, 3, 6])
def test_rendered_positions_with_kings_are_read_without_a_mistake(start: dict[int, Content], seed: int) -> None:
    layout, random = TableLayout(), np.random.default_rng(seed)
    table = furnished_table(layout, start, 2, random)
    table.carriage.present = False
    camera = SimulatedCamera(
        table, LockstepClock(World()), Optics.seeded(seed, DiscColour(["white", "black"][seed % 2]))
    )
    frame = Frame(camera.render(table), 0.0, 0)
    view, look, _ = set_up([frame], grid_of(8, 8, tuple(start)), start, BoardSizes())
    reader = SquareReader(view, look)
    for number in range(1, 4):
        content = scattered(start, 10 * seed + number)
        shown = furnished_table(layout, content, 2, random, spread_mm=2.5)
        shown.carriage.present = False
        assert wrong_sides(reader.read(camera.render(shown, number)), content) == 0


@pytest.mark.parametrize("light", [0.5, 1.3])
def test_another_light_changes_no_reading(
    draw: Draw, start: dict[int, Content], view_from_above: BoardView, light: float
) -> None:
    reader = SquareReader(view_from_above, learn_look(draw(start), view_from_above, start))
    content = {**start, 22: Content.EMPTY, 27: Content.WHITE_MAN, 45: Content.EMPTY}
    slope = np.linspace(0.8, 1.2, 640)[None].repeat(480, axis=0)
    assert wrong_sides(reader.read(draw(content, light=light * slope)), content) == 0


@pytest.fixture
def glossy(draw: Draw, at_px: Callable[[int], tuple[float, float]], start: dict[int, Content]) -> Draw:
    """Draw a board of black and yellow squares with grey discs; a lamp is mirrored around d4, and a cloth may lie over it."""
    board = 255.0 * (draw(dict.fromkeys(start, Content.EMPTY)) / 255.0) ** 2.4
    x, y = (round(value) for value in at_px(D4))

    def shown(content: Mapping[int, Content], lamp: float = 0.0, cloth: float | None = None) -> Image:
        image = board.copy()
        for place in (place for place, what in content.items() if what):
            centre = (round(8 * at_px(place)[0]), round(8 * at_px(place)[1]))
            # The tops mirror more or less of the lamp themselves.
            grey = 200.0 if content[place].is_white else 60.0 + 20.0 * (place % 5)
            cv2.circle(image, centre, 130, (grey, 1.15 * grey, 1.5 * grey), -1, cv2.LINE_AA, 3)
        away = np.hypot(np.arange(640)[None] - x, np.arange(480)[:, None] - y)
        image += lamp * np.exp(-0.5 * (away / 60.0) ** 2)[..., None]
        if cloth is not None:
            image[y - 40 : y + 40, x - 40 : x + 40] = cloth
        return np.asarray(np.clip(image, 0, 255), dtype=np.uint8)

    return shown


@pytest.mark.parametrize("there", [Content.EMPTY, Content.BLACK_MAN])
def test_a_square_that_mirrors_the_lamp_holds_what_it_holds(
    glossy: Draw, start: dict[int, Content], view_from_above: BoardView, there: Content
) -> None:
    """A glossy black square as grey as a disc holds none, if its corners are as grey: no disc lies on them."""
    reader = SquareReader(view_from_above, learn_look(glossy(start), view_from_above, start))
    reading = reader.read(glossy({**start, D4: there}, lamp=70.0))
    assert SIDE_OF[reading[D4].argmax()] == SIDE_OF[there]


@pytest.mark.parametrize("grey", [30.0, 60.0, 120.0])
def test_what_covers_a_whole_square_does_not_make_it_empty(
    glossy: Draw, start: dict[int, Content], view_from_above: BoardView, grey: float
) -> None:
    """An arm over a square is as bright at its corners, too; it was read as the empty square that mirrors a lamp."""
    reader = SquareReader(view_from_above, learn_look(glossy(start), view_from_above, start))
    reading = reader.read(glossy(start, cloth=grey))
    assert reading[D4, Content.EMPTY] - reading[D4, 1:].max() < 5.0


def plain_evidence(view: BoardView, look: Look, image: Image) -> np.ndarray:
    """Return what `SquareReader.evidence` should, place by place, in double precision."""
    patches = Patches(view, look.radius)
    colours, light = normalised(patches, image, look.step)
    beyond = np.abs(patches.grid_of_samples).max(axis=1) > 0.5
    weight = np.where(beyond, BEYOND, 1.0) * min(1.0, INDEPENDENT / (math.pi * (look.radius / SPACING) ** 2))
    prior = -(patches.offsets**2).sum(axis=1).reshape(FINE, FINE) / (2 * OFF_CENTRE**2)

    def density(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
        far = -(DEGREES + 3) / 2 * np.log1p((((seen - mean) / spread) ** 2).sum(axis=1) / DEGREES)
        return np.asarray(np.maximum(far - np.log(spread).sum(axis=-1), ANYTHING), dtype=np.float64)

    rows = []
    for seen, odd, mirrored, masks in zip(colours, patches.odd, light.reflected, patches.masks, strict=True):
        mean, spread = look.empty[odd], look.empty_spread[odd]
        empty, lit = (density(m, spread) for m in (mean, mean + mirrored * ~beyond[:, None]))
        gain = np.empty((2, len(seen)))
        for side in (0, 1):
            disc = density(look.disc[side], look.disc_spread[side])
            gain[side] = np.minimum(disc - empty, np.maximum(disc - lit, 0)) if mirrored.any() else disc - empty
        scores = np.einsum("kyxn,sn->skyx", masks * weight, gain) + prior
        coarse = scores[:, :, 1::2, 1::2].reshape(2, 2, -1)
        best, where = coarse.max(axis=2), coarse.argmax(axis=2)
        side = best.max(axis=1).argmax()
        for kind in (0, 1) if best.max() > 0 else ():
            y, x = (2 * int(v) + 1 for v in divmod(where[side, kind], FINE // 2))
            best[:, kind] = scores[:, kind, y - 1 : y + 2, x - 1 : x + 2].max(axis=(1, 2))
        man, king = best.T - CHOICE
        rows.append(np.array([0, man[0], king[0] - SECOND_DISC, man[1], king[1] - SECOND_DISC]))
    played = look.occupied[patches.odd][:, None] * np.array([0, 1, 1, 1, 1])
    return np.asarray(played + rows, dtype=np.float64)


def test_outlines_say_what_they_say_place_by_place(
    glossy: Draw, start: dict[int, Content], view_from_above: BoardView
) -> None:
    look = learn_look(glossy(start), view_from_above, start)
    for image in (glossy({**start, D4: Content.WHITE_MAN}), glossy(start, lamp=70.0)):
        found = SquareReader(view_from_above, look).evidence(image)
        np.testing.assert_allclose(found, plain_evidence(view_from_above, look, image), rtol=1e-4, atol=1e-3)


def test_rows_of_unplayable_places_are_zero_and_none_outvotes_all(
    draw: Draw, start: dict[int, Content], view_from_above: BoardView
) -> None:
    image = draw(start)
    reading = SquareReader(view_from_above, learn_look(image, view_from_above, start)).read(image)
    assert reading.shape == (64, 5)
    assert not reading[[place for place in range(64) if place not in start]].any()
    assert (reading.max(axis=1) - reading.min(axis=1)).max() <= 30.0 + 1e-4


def test_a_look_survives_its_profile_form(draw: Draw, start: dict[int, Content], view_from_above: BoardView) -> None:
    image = draw(start)
    look = learn_look(image, view_from_above, start)
    again = Look.from_dict(json.loads(json.dumps(look.to_dict())))
    first, second = (SquareReader(view_from_above, which).read(image) for which in (look, again))
    np.testing.assert_allclose(first, second, atol=0.2)


def test_a_broken_profile_is_named(draw: Draw, start: dict[int, Content], view_from_above: BoardView) -> None:
    data = learn_look(draw(start), view_from_above, start).to_dict()
    with pytest.raises(BadPicture, match="wrong entry 'disc'"):
        Look.from_dict({**data, "disc": [[0.0, 1.0]]})
    del data["step"]
    with pytest.raises(BadPicture, match="leave the profile out and the look is learned anew"):
        Look.from_dict(data)


def test_a_cold_look_tells_the_sides_apart(draw: Draw, start: dict[int, Content], view_from_above: BoardView) -> None:
    image = draw(start)
    assert wrong_sides(SquareReader(view_from_above, cold_look(image, view_from_above)).read(image), start) == 0
