"""Profiles survive the way to the disk and back; what is damaged is refused with a sentence."""

import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damludo.calibration.errors import BadProfile, CalibrationError, NoProfile
from damludo.calibration.profile import (
    CameraProfile,
    GantryProfile,
    camera_path,
    gantry_path,
    load_camera,
    load_gantry,
    save_camera,
    save_gantry,
)
from damludo.robot.frames import GantryMap
from damludo.vision.content import BoardSizes, Grid

CAMERA = CameraProfile(
    camera="Webcam 04f2:b6dd",
    board="club",
    grid=Grid(8, 8, (0, 2, 4)),
    sizes=BoardSizes(40.0, 32.5, 8.0),
    image_size=(1280, 720),
    focal_px=1100.5,
    k1=-0.05,
    rotation_vector=(2.9, 0.1, -0.2),
    translation_mm=(-200.0, 180.0, 700.0),
    residual_px=0.4,
    white_at="left",
    look={"white": [1, 2.5], "note": "ŝ"},
)
GANTRY = GantryProfile(
    "8543 AB/1", GantryMap(1.0, 0.01, -0.01, 1.0, 100.0, 50.0, 20.0), park_mm=(5.0, 490.0), worst_mm=0.7
)


def edited(path: Path, keys: list[str], value: Any) -> None:
    """Change one value of a JSON file."""
    document = json.loads(path.read_text())
    inner = document
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    path.write_text(json.dumps(document))


def test_profiles_come_back_equal(tmp_path: Path) -> None:
    save_camera(CAMERA, camera_path(tmp_path, CAMERA.camera, CAMERA.board))
    save_gantry(GANTRY, gantry_path(tmp_path, GANTRY.controller))
    assert load_camera(tmp_path / "calibration" / "Webcam-04f2-b6dd--club.json") == CAMERA
    assert load_gantry(tmp_path / "calibration" / "gantry-8543-AB-1.json") == GANTRY


def test_profiles_are_for_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        path = tmp_path / "data" / "gantry.json"
        save_gantry(GANTRY, path)
    finally:
        os.umask(before)
    assert [place.stat().st_mode & 0o777 for place in (path.parent, path)] == [0o700, 0o600]


def test_a_pose_survives_the_profile(tmp_path: Path) -> None:
    view = CAMERA.view
    again = CameraProfile.of_view("c", "b", view).view
    points = np.array([[0.0, 0.0, 0.0], [320.0, 320.0, 8.0]])
    assert np.array_equal(again.project(points), view.project(points))


def test_a_name_cannot_leave_its_folder(tmp_path: Path) -> None:
    assert camera_path(tmp_path, "../../etc/passwd", "a/b") == tmp_path / "calibration" / "etc-passwd--a-b.json"
    with pytest.raises(BadProfile, match="no letter or digit"):
        gantry_path(tmp_path, "../..")


def test_a_missing_profile_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(NoProfile, match="make it anew with 'damludo calibrate gantry'"):
        load_gantry(tmp_path / "gantry-1.json")


@pytest.mark.parametrize(
    ("keys", "value", "words"),
    [
        (["version"], 2, "version 2, this program reads version 1"),
        (["version"], True, "version True"),
        (["format"], "damludo gantry profile", "is no camera profile"),
        (["camera", "focal_px"], "1100", "camera.focal_px is not a number"),
        (["camera", "focal_px"], True, "camera.focal_px is not a number"),
        (["camera", "focal_px"], 3.0, "focal length 3.0 px"),
        (["camera", "image_size"], [1280], "has 1 values instead of 2"),
        (["camera", "image_size"], [1280, 720.5], r"image_size\[1\] is not a whole number"),
        (["camera", "sizes", "square_mm"], -1, "the sizes"),
        (["camera", "white_at"], "north", "allowed are bottom, right, top, left"),
        (["camera", "grid", "playable"], [0, 64], "not on the board"),
        (["camera", "colour"], 1, "camera.colour is unknown"),
        (["camera", "look"], [], "camera.look is not an object"),
        (["camera", "translation_mm"], [0, 0, -5], "behind the camera"),
        (["camera"], None, "camera is not an object"),
    ],
)
def test_what_cannot_be_is_refused_by_name(tmp_path: Path, keys: list[str], value: Any, words: str) -> None:
    path = tmp_path / "c.json"
    save_camera(CAMERA, path)
    edited(path, keys, value)
    with pytest.raises(BadProfile, match=words) as caught:
        load_camera(path)
    assert "leave --calibration out" in str(caught.value)


@pytest.mark.parametrize(
    ("keys", "value", "words"),
    [
        (["gantry", "board", "xx"], 0.0, "not usable"),
        (["gantry", "machine", "travel_mm"], [600, 0, 80], "cannot be"),
        (["gantry", "machine", "homing"], 1, "is not true or false"),
        (["gantry", "handling", "pace"], 2.0, "cannot be"),
        (["gantry", "handling", "highest_stack"], 2.0, "not a whole number"),
        (["gantry", "park_mm"], [1, 2, 3], "has 3 values instead of 2"),
    ],
)
def test_a_gantry_profile_is_checked_to_the_bottom(tmp_path: Path, keys: list[str], value: Any, words: str) -> None:
    path = tmp_path / "g.json"
    save_gantry(GANTRY, path)
    edited(path, keys, value)
    with pytest.raises(BadProfile, match=words):
        load_gantry(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        "null",
        '{"format": "damludo gantry profile", "version": 1, "gantry": {"worst_mm": NaN}}',
        "[" * 5000,
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "g.json"
    path.write_text(text)
    with pytest.raises(BadProfile, match="make it anew with 'damludo calibrate gantry'"):
        load_gantry(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2000), st.binary(min_size=1, max_size=3))
def test_no_damage_gets_past_the_reader_as_another_error(tmp_path: Path, offset: int, damage: bytes) -> None:
    path = tmp_path / "g.json"
    save_gantry(GANTRY, path)
    raw = bytearray(path.read_bytes())
    raw[offset % len(raw) : offset % len(raw) + len(damage)] = damage
    path.write_bytes(raw)
    try:
        profile = load_gantry(path)
    except CalibrationError:
        return
    assert math.isfinite(profile.board.xx)


def test_a_failed_write_leaves_the_old_profile(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    save_camera(CAMERA, path)
    with pytest.raises(BadProfile, match="nothing was written"):
        save_camera(replace(CAMERA, look={"bad": math.nan}), path)
    assert load_camera(path) == CAMERA
    assert [file.name for file in tmp_path.iterdir()] == ["c.json"]
