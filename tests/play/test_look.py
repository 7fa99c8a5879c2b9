"""The command `look`: its JSON, its sentences for bad input, and its scores on photographs."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from damludo.play.cli import main

CREAM, BROWN = (150, 200, 230), (40, 40, 60)


def paint(
    path: Path,
    content: str,
    side: int = 48,
    white: tuple[int, int, int] = CREAM,
    black: tuple[int, int, int] = BROWN,
) -> None:
    """Write a picture of a board seen from above; `content` is 8 rows joined by `/`."""
    image = np.full((8 * side + 80, 8 * side + 120, 3), (70, 100, 130), np.uint8)
    for row, letters in enumerate(content.split("/")):
        for column, letter in enumerate(letters):
            x, y = 60 + column * side, 40 + row * side
            image[y : y + side, x : x + side] = (60, 80, 110) if (row + column) % 2 else (160, 195, 215)
            if letter != ".":
                middle = (x + side // 2, y + side // 2)
                cv2.circle(image, middle, int(0.38 * side), white if letter == "w" else black, -1)
    noise = np.random.default_rng(0).normal(0, 2, image.shape)
    cv2.imwrite(str(path), np.clip(image + noise, 0, 255).astype(np.uint8))


START = ".b.b.b.b/b.b.b.b./.b.b.b.b/......../......../w.w.w.w./.w.w.w.w/w.w.w.w."
LATER = ".b.b.b.b/b.b.b.b./.b.b...b/..b...../...w..../w...w.w./.w.w.w.w/w.w.w.w."


@pytest.fixture
def start(tmp_path: Path) -> Path:
    paint(tmp_path / "start.png", START)
    return tmp_path / "start.png"


@pytest.fixture
def later(tmp_path: Path) -> Path:
    paint(tmp_path / "later.png", LATER)
    return tmp_path / "later.png"


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["look", *words, "--json"]) == 0
    pictures: list[dict[str, object]] = json.loads(capsys.readouterr().out)["pictures"]
    return pictures[0]


def test_a_board_is_found_and_read_cold(start: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = answer(capsys, str(start))
    assert seen["found"] is True
    assert seen["squares"] == START.split("/")
    np.testing.assert_allclose(
        np.array(seen["corners"]), [[59.5, 39.5], [443.5, 39.5], [443.5, 423.5], [59.5, 423.5]], atol=1
    )


def test_red_discs_are_the_lighter_ones_beside_black(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The mean of the logarithms of their channels says the opposite: red reflects nearly no green and blue."""
    paint(tmp_path / "red.png", LATER, white=(22, 18, 175), black=(52, 50, 50))
    assert answer(capsys, str(tmp_path / "red.png"))["squares"] == LATER.split("/")


def test_paint_decides_whose_discs_are_whose(start: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exchanged = START.translate(str.maketrans("wb", "bw"))
    assert answer(capsys, str(start), "--discs", "white=cream,black=brown")["squares"] == START.split("/")
    assert answer(capsys, str(start), "--discs", "white=brown,black=cream")["squares"] == exchanged.split("/")
    taught = ("--taught", str(start), "--as", "start:english")
    assert answer(capsys, str(start), *taught, "--discs", "white=brown,black=cream")["white_at"] == "top"


def test_a_taught_start_position_tells_where_white_sits(
    start: Path, later: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = answer(capsys, str(later), "--taught", str(start), "--as", "start:english")
    assert seen["white_at"] == "bottom"
    assert seen["squares"] == LATER.split("/")


def test_a_picture_of_another_position_teaches_no_start_position(
    tmp_path: Path, start: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paint(tmp_path / "middle.png", ".b.b.b.b/......b./.b.w...b/..b...../...w..../w.....w./.....w.w/w.w...w.")
    assert main(["look", str(start), "--taught", str(tmp_path / "middle.png"), "--as", "start:english"]) != 0
    assert "do not show the start position" in capsys.readouterr().err


def test_taught_rows_and_given_corners(start: Path, later: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corners = "59.5,39.5 443.5,39.5 443.5,423.5 59.5,423.5"
    seen = answer(
        capsys, str(later), "--corners", corners, "--taught", str(start), "--taught-corners", corners, "--as", START
    )
    assert seen["squares"] == LATER.split("/")


def test_the_empty_board_may_teach_the_squares(tmp_path: Path, later: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paint(tmp_path / "empty.png", "/".join(["........"] * 8))
    assert answer(capsys, str(later), "--empty", str(tmp_path / "empty.png"))["squares"] == LATER.split("/")


def test_no_board_is_an_answer_and_not_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite(str(tmp_path / "plain.png"), np.full((300, 400, 3), 120, np.uint8))
    seen = answer(capsys, str(tmp_path / "plain.png"))
    assert (seen["found"], seen["corners"], seen["squares"], seen["confidence"]) == (False, None, None, None)


def test_one_bad_picture_does_not_take_the_others_with_it(
    tmp_path: Path, start: Path, later: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.jpg").write_text("no picture")
    assert main(["look", str(start), str(tmp_path / "notes.jpg"), str(later), "--json"]) == 3
    out = capsys.readouterr()
    pictures = json.loads(out.out)["pictures"]
    assert [picture["found"] for picture in pictures] == [True, False, True]
    assert pictures[2]["squares"] == LATER.split("/")
    assert "holds no picture" in out.err


def test_a_board_that_is_not_found_names_the_option_for_another_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cv2.imwrite(str(tmp_path / "plain.png"), np.full((300, 400, 3), 120, np.uint8))
    assert "--size N" in str(answer(capsys, str(tmp_path / "plain.png"))["reason"])
    assert "--size N" not in str(answer(capsys, str(tmp_path / "plain.png"), "--size", "10")["reason"])


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        pytest.param(["missing.jpg"], 3, "cannot be read", id="missing file"),
        pytest.param([], 2, "no picture was named", id="no picture"),
        pytest.param(["x.jpg", "--taught", "y.jpg"], 2, "belong together", id="taught without rows"),
        pytest.param(["x.jpg", "--size", "40"], 2, "--size is 4 to 16", id="size"),
        pytest.param(["--score", "missing.json"], 3, "check the file's name", id="missing labels"),
    ],
)
def test_bad_usage_is_a_sentence(
    words: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["look", *words]) == code
    assert sentence in capsys.readouterr().err


def test_crossed_corners_are_refused(start: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["look", str(start), "--corners", "60,40 60,420 440,420 440,40"]) == 2
    assert "clockwise" in capsys.readouterr().err


def test_a_cut_off_picture_is_refused(tmp_path: Path, start: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = start.read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    assert main(["look", str(tmp_path / "cut.png")]) == 3
    assert "ends too early" in capsys.readouterr().err


def test_a_header_that_claims_terabytes_is_refused(
    tmp_path: Path, start: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(start.read_bytes())
    data[16:24] = (900_000).to_bytes(4, "big") * 2
    (tmp_path / "huge.png").write_bytes(bytes(data))
    assert main(["look", str(tmp_path / "huge.png")]) == 3
    assert "900000 x 900000 pixels" in capsys.readouterr().err


def test_a_text_file_is_no_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "note.jpg").write_text("not a picture")
    assert main(["look", str(tmp_path / "note.jpg")]) == 3
    assert "holds no picture" in capsys.readouterr().err
