"""Folders, videos, single pictures: in order, in time, and refused when they are broken."""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from damludo.vision.camera import open_source
from damludo.vision.content import Content
from damludo.vision.errors import BadPicture, CameraNotFound, EndOfFrames
from damludo.vision.frame import Frame, Image
from damludo.vision.recording import PictureFolder, Recorder, VideoFile, decode_picture, read_picture, read_times

Draw = Callable[..., Image]


def plain(level: int) -> Image:
    return np.full((32, 48, 3), level, np.uint8)


def encoded(suffix: str, image: Image | None = None) -> bytes:
    good, data = cv2.imencode(suffix, plain(90) if image is None else image)
    assert good
    return data.tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in (1, 2, 10):
        (tmp_path / f"f{number}.png").write_bytes(encoded(".png", plain(number)))
    (tmp_path / "notes.md").write_text("no picture")
    return tmp_path


def test_pictures_come_in_the_order_of_their_numbers(folder: Path) -> None:
    source = PictureFolder(folder, frame_rate=4.0)
    frames = [source.read() for _ in range(3)]
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [1, 2, 10]
    assert [frame.time_s for frame in frames] == [0.0, 0.25, 0.5]
    assert [frame.number for frame in frames] == [0, 1, 2]
    assert source.names == ("f1.png", "f2.png", "f10.png")
    with pytest.raises(EndOfFrames):
        source.read()


@pytest.mark.parametrize(
    "text",
    [
        "0.5\n1.25\n9\n",
        "f10.png 9\nf1.png 0.5\nf2.png, 1.25\n# end\n",
        "[0.5, 1.25, 9]",
        '{"f1.png": 0.5, "f2.png": 1.25, "f10.png": 9}',
    ],
)
def test_times_are_read_in_each_form(folder: Path, tmp_path: Path, text: str) -> None:
    times = tmp_path / "times.dat"
    times.write_text(text)
    source = PictureFolder(folder, times=times)
    assert [source.read().time_s for _ in range(3)] == [0.5, 1.25, 9.0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1\n2\n", "2 times for 3 pictures"),
        ("1\n3\n2\n", "must rise"),
        ("1\n2\nnan\n", "must rise"),
        ("f1.png 1\nf2.png 2\n", "no time for the picture 'f10.png'"),
        ("1\ntwo\n3\n", "no list of times"),
        ("[1, [2], 3]", "no list of times"),
    ],
)
def test_times_that_do_not_fit_are_refused(folder: Path, tmp_path: Path, text: str, why: str) -> None:
    times = tmp_path / "times.dat"
    times.write_text(text)
    with pytest.raises(BadPicture, match=why):
        PictureFolder(folder, times=times)


def test_a_recording_gives_back_what_was_recorded(tmp_path: Path, draw: Draw) -> None:
    frames = [Frame(draw({}, seed=n), 3.0 + n / 7, 40 + n) for n in range(3)]
    recorder = Recorder(tmp_path / "game")
    for frame in frames:
        recorder.write(frame)
    recorder.close()
    source = PictureFolder(tmp_path / "game")
    for frame in frames:
        again = source.read()
        assert np.array_equal(again.image, frame.image)
        assert again.time_s == frame.time_s
    with pytest.raises(BadPicture, match="holds a recording already"):
        Recorder(tmp_path / "game")


def test_a_video_ends_and_its_frames_have_times(tmp_path: Path) -> None:
    path = tmp_path / "v.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (64, 48))
    for level in (10, 120, 240):
        writer.write(np.full((48, 64, 3), level, np.uint8))
    writer.release()
    source = VideoFile(path)
    frames = [source.read() for _ in range(3)]
    assert [frame.time_s for frame in frames] == pytest.approx([0.0, 0.2, 0.4])
    assert [
        abs(int(frame.image[20, 20, 0]) - level) < 12 for frame, level in zip(frames, (10, 120, 240), strict=True)
    ] == [True] * 3
    for _ in range(2):
        with pytest.raises(EndOfFrames):
            source.read()


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".bmp", ".webp"])
def test_each_format_is_decoded_and_a_cut_file_refused(suffix: str, draw: Draw) -> None:
    image = draw({27: Content.WHITE_MAN})
    data = encoded(suffix, image)
    assert decode_picture(data).shape == image.shape
    if suffix != ".bmp":
        with pytest.raises(BadPicture, match="cut off"):
            decode_picture(data[: len(data) * 2 // 3])
    with pytest.raises(BadPicture):
        decode_picture(data[:20])


def test_a_small_file_cannot_ask_for_gigabytes() -> None:
    """A PNG header that claims 60000 x 60000 px is refused before anything is decoded."""
    header = b"IHDR" + struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    bomb = (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + header
        + struct.pack(">I", zlib.crc32(header))
        + b"\0\0\0\0IEND\xaeB`\x82"
    )
    with pytest.raises(BadPicture, match="60000 x 60000"):
        decode_picture(bomb)


@pytest.mark.parametrize("data", [b"", b"hello", b"\xff\xd8", b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBPVP8 ", b"BM"])
def test_rubbish_is_a_bad_picture(data: bytes) -> None:
    with pytest.raises(BadPicture):
        decode_picture(data)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(CameraNotFound, match="cannot be read"):
        read_picture(tmp_path / "none.png")
    with pytest.raises(CameraNotFound, match="no folder"):
        PictureFolder(tmp_path / "none")
    with pytest.raises(CameraNotFound, match="no picture"):
        PictureFolder(tmp_path)
    with pytest.raises(CameraNotFound, match="no camera, file or folder"):
        open_source(str(tmp_path / "none"))
    with pytest.raises(CameraNotFound, match="times file"):
        read_times(tmp_path / "none.txt", [])


def test_a_text_file_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "v.avi"
    path.write_text("not a video")
    with pytest.raises(BadPicture, match="video"):
        VideoFile(path)
