"""Kinds of faults of cameras and boards that people reported; docs/calibration.md lists which test watches which."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from damludo.calibration.board import set_up
from damludo.play.benches.set_ups import random_view
from damludo.play.content import board_content, grid_of_board, layout_for
from damludo.play.table.simulated import set_table
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.camera_faults import CameraFault, FaultyCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.furnish import furnished_table
from damludo.simulation.optics import Optics
from damludo.simulation.stream import serve_pictures
from damludo.vision.camera import Camera
from damludo.vision.content import BoardSizes, Content
from damludo.vision.errors import BoardNotFound
from damludo.vision.frame import Frame
from damludo.vision.squares import SquareReader

pytestmark = pytest.mark.simulation
ROOT = Path(__file__).resolve().parents[2]
ENGLISH = variant("english")
START = board_content(ENGLISH.board.playable, ENGLISH.start)
GRID = grid_of_board(ENGLISH.board)

LIGHTS = {
    "day from the window": {"gradient": 0.5, "warmth": -0.03, "glare": 0.05, "shadow_strength": 0.25},
    "ceiling": {"gradient": 0.05, "warmth": 0.05, "glare": 0.12, "shadow_strength": 0.3, "shadow_length": 0.3},
    "table lamp": {"gradient": 1.0, "warmth": 0.22, "glare": 0.15, "shadow_strength": 0.55, "shadow_length": 1.2},
}


def camera_in(
    light: dict[str, float], content: Mapping[int, Content] = MappingProxyType(START)
) -> tuple[SimulatedCamera, BoardSizes]:
    layout = layout_for(ENGLISH)
    table = furnished_table(layout, content, 4, np.random.default_rng(21))
    table.carriage.present = False
    optics = replace(Optics.seeded(21), tilt=math.radians(30))
    for name, value in light.items():
        optics = replace(optics, **{name: value})  # type: ignore[arg-type]
    sizes = BoardSizes(layout.square_mm, layout.disc_diameter_mm, layout.disc_height_mm)
    return SimulatedCamera(table, LockstepClock(World()), optics), sizes


@pytest.mark.parametrize("light", LIGHTS)
def test_the_board_is_found_by_day_under_the_ceiling_lamp_and_beside_a_table_lamp(light: str) -> None:
    camera, sizes = camera_in(LIGHTS[light])
    view, _, white_at = set_up([camera.read()], GRID, START, sizes)
    assert white_at == "bottom"
    assert np.abs(view.project(view.outer_corners_mm()) - camera.corners_px()).max() < 3.0


@pytest.mark.parametrize("seed", [10007, 2026031])
def test_a_board_of_lines_among_racks_and_rails_is_found(seed: int) -> None:
    """Light discs on a light plate hardly show; their shadows, the racks' hollows and the beam make lattices of their own."""
    game = variant("alquerque")
    simulated = set_table(game, seed, Colour.WHITE)
    camera, layout = simulated.camera(), simulated.layout
    sizes = BoardSizes(layout.square_mm, layout.disc_diameter_mm, layout.disc_height_mm)
    start = board_content(game.board.playable, game.start)
    view, _, _ = set_up([camera.read()], grid_of_board(game.board), start, sizes)
    truth = camera.corners_px()
    seen = view.project(view.outer_corners_mm())
    assert min(np.abs(np.roll(seen, turn, axis=0) - truth).max() for turn in (0, 2)) < 2.0


@pytest.mark.parametrize("turns", range(4))
def test_the_camera_may_stand_on_any_side_of_a_set_up_position(turns: int) -> None:
    """The first corner of a chessboard finder is the same picture point whichever way the board is turned."""
    content, square = dict(START), ENGLISH.board.square
    moved = {
        "c3": Content.EMPTY,
        "d4": Content.WHITE_MAN,
        "a1": Content.EMPTY,
        "e7": Content.WHITE_KING,
        "g7": Content.EMPTY,
    }
    content |= {square(name): stands for name, stands in moved.items()}
    camera, sizes = camera_in({}, content)
    picture = camera.read().image
    turned_picture, a1_px = picture, camera.project(np.zeros((1, 3)))[0]
    for _ in range(turns):
        a1_px = np.array([a1_px[1], turned_picture.shape[1] - 1 - a1_px[0]])
        turned_picture = np.ascontiguousarray(np.rot90(turned_picture))
    view, look, side = set_up([Frame(turned_picture, 0.0, 1)], GRID, content, sizes)
    assert side == ("bottom", "right", "top", "left")[turns]
    assert np.abs(view.project(np.zeros((1, 3)))[0] - a1_px).max() < 5.0  # a tenth of a square
    read = SquareReader(view, look).read(turned_picture)
    seen = {place: Content(int(read[place].argmax())) for place in content}
    assert {p: c.is_white for p, c in seen.items() if c.discs} == {p: c.is_white for p, c in content.items() if c.discs}


def test_a_mirrored_picture_is_refused() -> None:
    """Some programs mirror a webcam as a looking-glass does: a1 would be h1, and every move a wrong one."""
    camera, _, sizes = random_view(ENGLISH, 1008)
    frame = camera.read()
    set_up([frame], GRID, START, sizes)
    with pytest.raises(BoardNotFound, match="not mirrored"):
        set_up([Frame(np.ascontiguousarray(frame.image[:, ::-1]), 0.0, 1)], GRID, START, sizes)


def test_torn_grey_and_black_pictures_on_the_way_from_a_camera_are_never_shown() -> None:
    """A board is looked at through a stream whose pictures are spoilt in turn."""
    camera, sizes = camera_in({})
    whole = camera.read().image
    clock = LockstepClock(World())
    kinds = ("torn", "grey", "black")
    faults = [CameraFault(kind, n + 1.0, n + 2.0, every=4) for n, kind in enumerate(kinds * 20)]
    spoilt = FaultyCamera(Moving(whole, clock), clock, faults)
    with serve_pictures(spoilt) as server, Camera(server.url, read_timeout_s=20.0) as source:
        frames = [source.read() for _ in range(60)]
        assert source.held_back["torn"] > 0
        assert source.held_back["black"] > 0
    for frame in frames:
        difference = np.abs(frame.image.astype(np.int16) - whole).mean(axis=(1, 2))
        assert difference.max() < 25.0  # noise and compression; grey rows differ by more
    view, _, _ = set_up(frames[:4], GRID, START, sizes)
    assert np.abs(view.project(view.outer_corners_mm()) - camera.corners_px()).max() < 3.0


class Moving:
    """One picture with ever new noise, ten a second."""

    def __init__(self, image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], clock: LockstepClock) -> None:
        self.image, self.clock, self.number = image, clock, 0
        self.random = np.random.default_rng(1)

    def read(self) -> Frame:
        self.clock.sleep(0.1)
        self.number += 1
        noise = self.random.integers(-4, 5, self.image.shape, dtype=np.int16)
        noisy = np.clip(self.image + noise, 0, 255).astype(np.uint8)
        return Frame(noisy, self.clock.now_s(), self.number)

    def close(self) -> None:
        return


def test_every_fault_of_the_table_has_its_test() -> None:
    rows = re.findall(
        r"^\| [^|]+ \| `(tests/[\w/.]+)`: `(\w+)` \|$", (ROOT / "docs" / "calibration.md").read_text(), re.M
    )
    assert len(rows) >= 20
    for file, name in rows:
        assert f"def {name}(" in (ROOT / file).read_text(), (file, name)
