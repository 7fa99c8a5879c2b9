"""Truncated, hostile and odd pictures given to the commands: a sentence in two seconds and half a gigabyte, no traceback."""

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

MOST_S, MOST_MB = 2.0, 500
LOOKING_S = 5.0
"""A picture that can be read has to be looked through before it can be said that no board is in it."""

RUN = """
import contextlib, io, json, re, sys, time
from pathlib import Path
import cv2
cv2.setNumThreads(1)
from damludo.play.cli import main
command, *names = sys.argv[1:]
words = {
    "look": lambda name: ["look", name, "--json"],
    "calibrate": lambda name: ["--home", "home", "calibrate", "pieces", "--game", "english", "--picture", name, "--json"],
    "watch": lambda name: ["watch", name, "--game", "english", "--json"],
}[command]
def run(name):
    told, failed = io.StringIO(), io.StringIO()
    begin = time.process_time()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(failed):
        code = main(words(name))
    return code, time.process_time() - begin, told.getvalue(), failed.getvalue()
run("there-is-none.png")  # the imports cost what they cost
answers = {name: run(name) for name in names}
# Not ru_maxrss: a child begins with what its parent had.
most_kb = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]
print(json.dumps([answers, int(most_kb) / 1024]))
"""


def png(width: int, height: int, data: bytes, depth: int = 8) -> bytes:
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, 0)
    parts = (header, b"IDAT" + zlib.compress(data, 9), b"IEND")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in parts
    )


def encoded(suffix: str, image: NDArray[np.uint8] | NDArray[np.uint16]) -> bytes:
    good, data = cv2.imencode(suffix, image)
    assert good
    return data.tobytes()


def refused() -> dict[str, bytes]:
    """No pictures, or pictures that promise what they do not hold."""
    whole = encoded(".jpg", np.random.default_rng(2).integers(0, 255, (300, 400, 3)).astype(np.uint8))
    return {
        "zero.jpg": b"",
        "zero.png": b"",
        "text.png": b"this is no picture",
        "cut.jpg": whole[: len(whole) // 2],
        "cut.png": encoded(".png", np.zeros((300, 400, 3), np.uint8))[:-40],
        "huge.png": png(60_000, 60_000, b"\0" * 3_000),
        "bomb.png": png(30_000, 30_000, b"\0" * 90_000_000),
        "lying.png": png(5_900, 5_900, b"\0" * 3_000),
        "tiny.png": encoded(".png", np.zeros((4, 4, 3), np.uint8)),
        "thin.png": encoded(".png", np.zeros((3, 30_000, 3), np.uint8)),
        "gif.png": b"GIF89a" + struct.pack("<HH", 400, 300) + b"\xf7\0\0" + bytes(900),
        "huge.webp": b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0" + bytes(4) + b"\xff" * 6,
        "moving.webp": b"RIFF\x2a\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\x8f\x01\0\x2b\x01\0ANIM\6\0\0\0" + bytes(16),
        "loop.jpg": b"\xff\xd8" + b"\xff\xe0\x00\x00" * 50,
    }


def odd() -> dict[str, bytes]:
    """Pictures that can be read, of nothing: the answer is that no board is seen."""
    random = np.random.default_rng(3)
    grain = random.integers(0, 255, (300, 400, 3)).astype(np.uint8)
    return {
        "deep.png": encoded(".png", random.integers(0, 65_535, (300, 400, 3)).astype(np.uint16)),
        "clear.png": encoded(".png", np.dstack([grain, grain[:, :, :1]])),
        "dark.png": encoded(".png", random.integers(0, 12, (1080, 1920, 3)).astype(np.uint8)),
        "noise.jpg": encoded(".jpg", random.integers(0, 255, (720, 1280, 3)).astype(np.uint8)),
        "plain.png": encoded(".png", np.full((6_000, 5_900, 3), 120, np.uint8)),
    }


def run(command: str, folder: Path, files: dict[str, bytes]) -> tuple[dict[str, tuple[int, float, str, str]], float]:
    names = []
    for name, data in files.items():
        # `watch` takes a folder; a picture by itself would be taken for a video.
        place = folder / name.replace(".", "-") / name if command == "watch" else folder / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
        names.append(str(place.parent if command == "watch" else place))
    environment = os.environ | {"PYTHONWARNINGS": "error", "OPENCV_LOG_LEVEL": "OFF"}
    child = [sys.executable, "-c", RUN, command, *names]
    done = subprocess.run(child, capture_output=True, env=environment, timeout=280, check=True, cwd=folder)
    answers, most_mb = json.loads(done.stdout.splitlines()[-1])
    return answers, most_mb


@pytest.mark.parametrize("command", ["look", "calibrate", "watch"])
def test_what_is_no_picture_is_refused_with_a_sentence(command: str, tmp_path: Path) -> None:
    answers, most_mb = run(command, tmp_path, refused())
    for name, (code, cpu_s, _, told) in answers.items():
        assert code == 3, (name, told)
        assert told.startswith("damludo: "), (name, told)
        assert "Traceback" not in told, (name, told)
        assert cpu_s < MOST_S, name
    assert most_mb < MOST_MB


@pytest.mark.slow
@pytest.mark.parametrize("command", ["look", "calibrate", "watch"])
def test_pictures_of_nothing_are_answered_in_time(command: str, tmp_path: Path) -> None:
    answers, most_mb = run(command, tmp_path, odd())
    for name, (code, cpu_s, told, failed) in answers.items():
        assert code == (0 if command == "look" else 6), (name, failed)
        why = "picture is black" if "dark" in name and command == "calibrate" else "no board"
        assert '"found": false' in told if command == "look" else why in failed, (name, told, failed)
        assert cpu_s < LOOKING_S, name
    assert most_mb < MOST_MB


def test_a_picture_is_turned_as_the_camera_says(tmp_path: Path) -> None:
    """EXIF says that the camera was held upright: both readers turn the picture."""
    from damludo.vision.picture import load_picture
    from damludo.vision.recording import read_picture

    data = encoded(".jpg", np.full((200, 400, 3), 90, np.uint8))
    tag = b"Exif\0\0II*\0\x08\0\0\0\x01\0" + struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0) + bytes(4)
    path = tmp_path / "upright.jpg"
    path.write_bytes(data[:2] + b"\xff\xe1" + struct.pack(">H", len(tag) + 2) + tag + data[2:])
    assert load_picture(path).shape == read_picture(path).shape == (400, 200, 3)


@pytest.mark.slow
def test_more_pictures_than_can_be_held_are_refused(tmp_path: Path) -> None:
    names = []
    for number in range(8):
        path = tmp_path / f"{number}.png"
        path.write_bytes(encoded(".png", np.full((5_000, 6_000, 3), 120, np.uint8)))
        names.append(str(path))
    environment = os.environ | {"PYTHONWARNINGS": "error"}
    words = ["--home", str(tmp_path), "calibrate", "pieces", "--game", "english", "--picture", *names]
    child = [sys.executable, "-c", f"from damludo.play.cli import main; raise SystemExit(main({words!r}))"]
    done = subprocess.run(child, capture_output=True, env=environment, timeout=280, check=False, text=True)
    assert done.returncode == 3
    assert "fewer or smaller ones" in done.stderr
