"""A match looks through the profile that was calibrated, says so, and never through one that does not fit any more."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from damludo.calibration.board import set_up
from damludo.calibration.profile import CameraProfile, camera_path, save_camera
from damludo.play.benches.set_ups import random_view
from damludo.play.calibration.known_camera import KnownCamera, eyes_by_profile, known_camera
from damludo.play.console import CommandError
from damludo.play.content import board_content, grid_of_board
from damludo.play.folders import folders
from damludo.play.table.setup import CalibratedEyes
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock, World
from damludo.vision.content import BoardSizes
from damludo.vision.frame import Frame

pytestmark = pytest.mark.simulation
ENGLISH = variant("english")


class Pictures:
    """A camera whose pictures are kept; it may be bumped (px), its picture cut, its light changed."""

    def __init__(self, frames: list[Frame]) -> None:
        self.frames, self.number = frames, 0
        self.bump_px, self.gain, self.cut = (0, 0), 1.0, 1

    def read(self) -> Frame:
        frame = self.frames[self.number % len(self.frames)]
        self.number += 1
        image = np.roll(frame.image, self.bump_px, axis=(0, 1))
        image = np.clip(image * self.gain, 0, 255).astype(np.uint8)
        return Frame(image[:: self.cut, :: self.cut], frame.time_s, self.number)

    def close(self) -> None:
        return


@pytest.fixture(scope="module")
def shot() -> tuple[list[Frame], CameraProfile, BoardSizes]:
    camera, _, sizes = random_view(ENGLISH, 1008)
    frames = [camera.read() for _ in range(6)]
    start = board_content(ENGLISH.board.playable, ENGLISH.start)
    view, look, side = set_up(frames, grid_of_board(ENGLISH.board), start, sizes)
    return frames, CameraProfile.of_view("camera-0", "8x8", view, side, look.to_dict()), sizes


Shot = tuple[list[Frame], CameraProfile, BoardSizes]


def seen(
    shot: Shot, source: Pictures, profile: CameraProfile, asked: bool = False, white_at: str | None = None
) -> tuple[CalibratedEyes, str]:
    known = KnownCamera(profile, Path("camera-0--8x8.json"), "0", asked)
    clock = LockstepClock(World())
    return eyes_by_profile(source, clock, ENGLISH, ENGLISH.start, shot[2], known, white_at)


def test_a_profile_that_fits_is_used_and_named(shot: Shot) -> None:
    eyes, told = seen(shot, Pictures(shot[0]), shot[1])
    assert told == "The camera's profile is camera-0--8x8.json."
    assert eyes.white_at == shot[1].white_at
    far = eyes.view.project(eyes.view.outer_corners_mm()) - shot[1].view.project(shot[1].view.outer_corners_mm())
    assert np.abs(far).max() < 1.0


def test_a_profile_in_other_light_is_used(shot: Shot) -> None:
    source = Pictures(shot[0])
    source.gain = 0.6
    assert seen(shot, source, shot[1])[1].startswith("The camera's profile is ")


def test_a_camera_that_was_moved_is_said_and_the_board_found_anew(shot: Shot) -> None:
    source = Pictures(shot[0])
    source.bump_px = (0, 17)
    eyes, told = seen(shot, source, shot[1])
    assert "camera-0--8x8.json is stale" in told
    assert "moved" in told
    assert "damludo calibrate pieces --camera 0 --game english" in told
    moved = eyes.view.project(eyes.view.outer_corners_mm()) - shot[1].view.project(shot[1].view.outer_corners_mm())
    assert np.abs(moved - [17, 0]).max() < 2.0


def test_a_board_that_was_moved_by_a_whole_square_is_noticed(shot: Shot) -> None:
    """Crossings lie on crossings then: only what stands there tells."""
    view = shot[1].view
    step = view.project(view.outer_corners_mm())
    source = Pictures(shot[0])
    source.bump_px = (0, round(float(np.linalg.norm(step[1] - step[0])) / 8))
    eyes, told = seen(shot, source, shot[1])
    assert "is stale" in told
    moved = eyes.view.project(eyes.view.outer_corners_mm()) - step
    # The lens bends the shifted picture otherwise than a shifted board: a tenth of a square.
    assert np.abs(moved - [source.bump_px[1], 0]).max() < 4.5


def test_a_profile_that_was_asked_for_is_refused_with_a_way_on(shot: Shot) -> None:
    source = Pictures(shot[0])
    source.bump_px = (0, 17)
    with pytest.raises(CommandError, match="leave --calibration out"):
        seen(shot, source, shot[1], asked=True)


def test_another_resolution_and_another_side_are_said(shot: Shot) -> None:
    source = Pictures(shot[0])
    source.cut = 2
    with pytest.raises(CommandError, match="made with pictures of 640 x 480 px, the camera gives 320 x 240"):
        seen(shot, source, shot[1], asked=True)
    with pytest.raises(CommandError, match="White sits at the bottom in it, --white-at says top"):
        seen(shot, Pictures(shot[0]), shot[1], asked=True, white_at="top")


def test_squares_of_another_size_and_blind_ones_are_told(shot: Shot) -> None:
    view = shot[1]
    larger = replace(view, sizes=BoardSizes(60.0, 45.0, 10.0), blind={"0": "glare"})
    told = seen(shot, Pictures(shot[0]), replace(larger, translation_mm=_scaled(view, 60.0 / view.sizes.square_mm)))[1]
    assert "squares have 60 mm, the settings say 50 mm" in told
    assert "Hard to see when it was made: a1." in told


def _scaled(profile: CameraProfile, by: float) -> tuple[float, float, float]:
    x, y, z = profile.translation_mm
    return x * by, y * by, z * by


def test_the_cameras_own_profile_is_found_and_another_boards_is_not(shot: Shot, tmp_path: Path) -> None:
    where = folders(str(tmp_path))
    assert known_camera("0", ENGLISH, where, None) is None
    path = camera_path(where.data, "camera-0", "club board")
    save_camera(replace(shot[1], board="club board"), path)
    found = known_camera("0", ENGLISH, where, None)
    assert found is not None
    assert (found.path, found.asked) == (path, False)
    assert known_camera("1", ENGLISH, where, None) is None
    assert known_camera("0", variant("international"), where, None) is None
    assert known_camera("0", variant("russian"), where, None) is not None
    with pytest.raises(CommandError, match="a board of 8 x 8, but International draughts is played on one of 10 x 10"):
        known_camera("0", variant("international"), where, path)


def test_a_damaged_profile_is_passed_over_with_a_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = folders(str(tmp_path))
    path = camera_path(where.data, "camera-0", "8x8")
    path.parent.mkdir(parents=True)
    path.write_text("{")
    assert known_camera("0", ENGLISH, where, None) is None
    assert "is damaged" in capsys.readouterr().err
