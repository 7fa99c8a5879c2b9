"""Truncated and hostile picture files: a sentence within two seconds and half a gigabyte, never a crash."""

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

from damludo.vision.errors import BadPicture
from damludo.vision.picture import load_picture

MOST_S, MOST_MB = 2.0, 500

READ = """
import json, re, sys, time
from pathlib import Path
import cv2
from damludo.vision.errors import BadPicture
from damludo.vision.picture import load_picture
cv2.setNumThreads(1)
answers = {}
for name in sys.argv[1:]:
    begin = time.process_time()
    try:
        answer = list(load_picture(name).shape)
    except BadPicture as error:
        answer = str(error)
    answers[name] = [answer, time.process_time() - begin]
# Not ru_maxrss: a child begins with what its parent had.
most_kb = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]
print(json.dumps([answers, int(most_kb) / 1024]))
"""


def png_header(width: int, height: int) -> bytes:
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * 3000)
    data = b"IDAT" + rows
    chunks = [(body, 13), (data, len(rows)), (b"IEND", 0)]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", size) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk, size in chunks
    )


def hostile_files() -> dict[str, bytes]:
    """Headers that promise too much or nothing, formats that are not read, nonsense."""
    bmp = (
        b"BM"
        + struct.pack("<IHHI", 100, 0, 0, 54)
        + struct.pack("<IiiHHIIiiII", 40, 60000, -60000, 1, 24, 0, 0, 0, 0, 0, 0)
    )
    return {
        "empty.jpg": b"",
        "text.png": b"no picture at all",
        "huge.png": png_header(100_000, 100_000),
        "thin.png": png_header(30_000_000, 1),
        "none.png": png_header(0, 0),
        "short.png": png_header(6000, 6000),
        "huge.bmp": bmp,
        "nothing.bmp": b"BM" + bytes(60),
        "vp8x.webp": b"RIFF" + struct.pack("<I", 22) + b"WEBPVP8X" + struct.pack("<I", 10) + bytes(4) + b"\xff" * 6,
        "huge.ppm": b"P6\n90000 90000\n255\n" + bytes(100),
        "huge.hdr": b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 90000 +X 90000\n",
        "huge.tif": b"II*\0\x08\0\0\0\x02\0" + struct.pack("<HHIIHHII", 256, 4, 1, 90000, 257, 4, 1, 90000) + bytes(4),
        "animated.gif": b"GIF89a" + struct.pack("<HH", 65000, 65000) + bytes(50),
        "soi.jpg": b"\xff\xd8\xff\xd9",
        "sof.jpg": b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01\xff\xd9",
        "loop.jpg": b"\xff\xd8" + b"\xff\xe0\x00\x00" * 50,
    }


def damaged_files() -> dict[str, bytes]:
    """A good picture in each format, cut at some places and with bytes changed."""
    random = np.random.default_rng(20)
    picture = np.asarray(
        cv2.GaussianBlur(random.integers(0, 256, (240, 320, 3), dtype=np.uint8), (0, 0), 3), dtype=np.uint8
    )
    files: dict[str, bytes] = {}
    for suffix in (".jpg", ".png", ".bmp", ".webp"):
        data = cv2.imencode(suffix, picture)[1].tobytes()
        for part in (0.02, 0.3, 0.7, 0.99):
            files[f"cut{part}{suffix}"] = data[: int(len(data) * part)]
        for number in range(12):
            spoilt = bytearray(data)
            for place in random.integers(0, len(data) if number % 2 else 64, 6):
                spoilt[place] = random.integers(256)
            files[f"spoilt{number}{suffix}"] = bytes(spoilt)
    return files


def read_in_a_process(folder: Path, files: dict[str, bytes]) -> tuple[dict[str, list[object]], float]:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    names = [str(folder / name) for name in files]
    environment = os.environ | {"PYTHONWARNINGS": "error", "OPENCV_LOG_LEVEL": "OFF"}
    done = subprocess.run(
        [sys.executable, "-c", READ, *names], capture_output=True, env=environment, timeout=110, check=True
    )
    answers, most_mb = json.loads(done.stdout.splitlines()[-1])
    return answers, most_mb


def test_hostile_files_are_refused_quickly_and_in_little_memory(tmp_path: Path) -> None:
    answers, most_mb = read_in_a_process(tmp_path, hostile_files())
    assert [name for name, (answer, _) in answers.items() if not isinstance(answer, str)] == []
    assert max(float(str(cpu_s)) for _, cpu_s in answers.values()) < MOST_S
    assert most_mb < MOST_MB


def test_damaged_files_are_refused_or_read_but_never_crash(tmp_path: Path) -> None:
    answers, most_mb = read_in_a_process(tmp_path, damaged_files())
    assert len(answers) == 64
    assert max(float(str(cpu_s)) for _, cpu_s in answers.values()) < MOST_S
    assert most_mb < MOST_MB


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp"])
def test_a_file_that_was_cut_off_says_so(tmp_path: Path, suffix: str) -> None:
    data = cv2.imencode(suffix, np.full((240, 320, 3), 90, np.uint8))[1].tobytes()
    path = tmp_path / f"cut{suffix}"
    path.write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(BadPicture, match=r"ends too early|holds no picture"):
        load_picture(path)


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".bmp", ".webp"])
def test_each_known_format_is_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"good{suffix}"
    cv2.imwrite(str(path), np.full((100, 200, 3), 90, np.uint8))
    assert load_picture(path).shape == (100, 200, 3)
