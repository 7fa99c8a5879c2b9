"""`damludo calibrate camera|board|pieces|check|report|print-cards` from the command line."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from damludo.calibration.profile import CameraProfile, load_camera, save_camera
from damludo.play.benches.set_ups import random_view
from damludo.play.cli import main
from damludo.rules.variants import variant
from damludo.vision.sides import turned


def calibrated(capsys: pytest.CaptureFixture[str], home: Path, *words: str) -> tuple[int, dict[str, object]]:
    code = main(["--home", str(home), "calibrate", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def shot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pictures of English draughts set up, White at the bottom."""
    folder = tmp_path_factory.mktemp("shots")
    camera, _, _ = random_view(variant("english"), 1008)
    for number in range(3):
        cv2.imwrite(str(folder / f"{number}.png"), camera.read().image)
    return folder


@pytest.mark.simulation
def test_pieces_check_report_and_look_follow_each_other(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = [str(shot / f"{number}.png") for number in range(3)]
    code, made = calibrated(capsys, tmp_path, "pieces", "--game", "english", "--picture", *pictures)
    assert (code, made["good"], made["white_at"], made["method"]) == (0, True, "bottom", "start position")
    assert made["error_mm"] < 1.0  # type: ignore[operator]
    assert (made["wrong"], made["blind"]) == ([], {})
    profile = Path(str(made["file"]))
    assert profile == tmp_path / "data" / "calibration" / "pictures--8x8.json"
    assert calibrated(capsys, tmp_path, "check", "--game", "english", "--picture", pictures[1])[0] == 0
    code, told = calibrated(
        capsys, tmp_path, "report", "--game", "english", "--picture", pictures[0], "--output", str(tmp_path / "r.html")
    )
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (code, [record["step"] for record in told["history"]]) == (0, ["pieces", "check"])  # type: ignore[attr-defined]
    assert "<b>Good.</b>" in page
    assert "data:image/jpeg;base64," in page
    assert 'src="http' not in page
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == told
    assert main(["look", pictures[2], "--calibration", str(profile), "--json"]) == 0
    seen = json.loads(capsys.readouterr().out)["pictures"][0]
    assert seen["squares"][0] == ".b.b.b.b"
    assert seen["squares"][7] == "w.w.w.w."


@pytest.mark.simulation
def test_sides_that_were_exchanged_since_the_profile_are_seen(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The squares are filled as before, and a look that is learnt from the wrong side explains its own picture."""
    words = ("pieces", "--game", "english", "--picture", str(shot / "0.png"))
    path = Path(str(calibrated(capsys, tmp_path, *words)[1]["file"]))
    profile = load_camera(path)
    save_camera(
        CameraProfile.of_view(profile.camera, profile.board, turned(profile.view, "bottom", "top"), "top"), path
    )
    code, made = calibrated(capsys, tmp_path, *words)
    assert (code, made["white_at"], made["method"]) == (0, "bottom", "start position")
    code, made = calibrated(capsys, tmp_path, *words, "--discs", "white=black,black=white")
    assert (code, made["white_at"], made["method"]) == (0, "top", "start position")


@pytest.mark.simulation
def test_a_profile_among_pictures_adds_no_picture_to_them(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (
        "camera",
        "--game",
        "english",
        "--picture",
        str(shot / "0.png"),
        "--calibration",
        str(tmp_path / "eyes.json"),
    )
    assert calibrated(capsys, tmp_path, *words)[0] == 0
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["eyes.json"]
    assert (tmp_path / "reports" / "eyes.jpg").exists()


@pytest.mark.simulation
def test_a_report_never_overwrites_the_profile(shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Page, JSON and profile had one name, and the JSON of the page is what stayed."""
    picture = ("--game", "english", "--picture", str(shot / "0.png"))
    profile = Path(str(calibrated(capsys, tmp_path, "camera", *picture)[1]["file"]))
    before = profile.read_bytes()

    code, told = calibrated(capsys, tmp_path, "report", *picture)
    assert (code, told["html"]) == (0, str(profile.parent / "reports" / "pictures--8x8.html"))
    for output, words in ((profile.with_suffix(".html"), "overwrite the profile"), (profile, "does not end in .html")):
        assert main(["--home", str(tmp_path), "calibrate", "report", *picture, "--output", str(output)]) == 2
        assert words in capsys.readouterr().err
    assert profile.read_bytes() == before


@pytest.mark.simulation
def test_a_camera_that_was_moved_fails_the_check_and_the_board_is_found_again(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calibrated(capsys, tmp_path, "pieces", "--game", "english", "--picture", str(shot / "0.png"))
    image = cv2.imread(str(shot / "0.png"))
    assert image is not None
    cv2.imwrite(str(tmp_path / "moved.png"), np.roll(image, 25, axis=1))
    moved = ("--game", "english", "--picture", str(tmp_path / "moved.png"))
    code, told = calibrated(capsys, tmp_path, "check", *moved)
    assert (code, told["good"]) == (6, False)
    assert any("calibrate board" in str(note) for note in told["notes"])  # type: ignore[attr-defined]
    code, again = calibrated(capsys, tmp_path, "board", *moved)
    assert (code, again["good"]) == (0, True)
    assert load_camera(Path(str(again["file"]))).look != {}


@pytest.mark.simulation
def test_rough_corners_are_snapped_to_the_crossings(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    camera, _, _ = random_view(variant("english"), 1008)
    truth = np.roll(camera.corners_px()[::-1], 0, axis=0)
    rough = truth[[0, 1, 2, 3]] + np.array([[6, -5], [-6, 4], [5, 6], [-4, -5]])
    text = " ".join(f"{x:.0f},{y:.0f}" for x, y in rough)
    code, made = calibrated(
        capsys, tmp_path, "board", "--game", "english", "--picture", str(shot / "0.png"), "--corners", text
    )
    assert (code, made["method"], made["white_at"]) == (0, "given corners", "bottom")
    assert np.abs(np.array(made["corners"]) - truth).max() < 2.0


@pytest.mark.simulation
def test_a_report_says_that_the_camera_gives_another_size_and_names_blind_squares_once(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = calibrated(capsys, tmp_path, "camera", "--game", "english", "--picture", str(shot / "0.png"))[1]
    file = Path(str(made["file"]))
    why = "glare: a lamp or window is mirrored there; move the lamp or the camera"
    save_camera(replace(load_camera(file), blind={"27": why, "29": why}, margins=(9.0,) * 64), file)
    small = cv2.resize(cv2.imread(str(shot / "0.png")), (320, 240))  # type: ignore[arg-type]
    cv2.imwrite(str(tmp_path / "small.png"), small)

    code, told = calibrated(capsys, tmp_path, "report", "--game", "english", "--picture", str(tmp_path / "small.png"))

    page = Path(str(told["html"])).read_text(encoding="utf-8")
    assert (code, told["good"]) == (6, False)
    assert "320 x 240 px" in str(told["reason"])
    assert "<b>Not good.</b> The pictures have 320 x 240 px" in page
    assert page.count(why) == 3  # two cells of the board, one sentence
    assert f"<b>d4, f4</b>: {why}." in page


def test_without_a_camera_it_says_what_to_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path), "calibrate", "camera"]) == 4
    assert "--picture FILE" in capsys.readouterr().err


def test_a_picture_without_a_board_names_the_other_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite(str(tmp_path / "plain.png"), np.full((300, 400, 3), 120, np.uint8))
    words = [
        "--home",
        str(tmp_path),
        "calibrate",
        "pieces",
        "--game",
        "english",
        "--picture",
        str(tmp_path / "plain.png"),
    ]
    assert main(words) == 6
    told = capsys.readouterr().err
    assert "--corners" in told
    assert "print-cards" in told


@pytest.mark.simulation
def test_a_board_of_another_size_is_named(shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["calibrate", "pieces", "--game", "international", "--picture", str(shot / "0.png")]
    assert main(["--home", str(tmp_path), *words]) == 6
    assert (
        "a board of 8 x 8 squares is seen, but International draughts is played on one of 10 x 10"
        in capsys.readouterr().err
    )


def test_a_black_picture_is_called_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite(str(tmp_path / "cap.png"), np.random.default_rng(1).integers(0, 9, (480, 640, 3)))
    words = ["calibrate", "pieces", "--game", "english", "--picture", str(tmp_path / "cap.png")]
    assert main(["--home", str(tmp_path), *words]) == 6
    assert "take the cap off the lens" in capsys.readouterr().err


def test_a_check_without_a_profile_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite(str(tmp_path / "plain.png"), np.full((300, 400, 3), 120, np.uint8))
    assert main(["--home", str(tmp_path), "calibrate", "check", "--picture", str(tmp_path / "plain.png")]) == 6
    assert "calibrate pieces" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["svg", "pdf"])
def test_cards_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str) -> None:
    path = tmp_path / f"cards.{suffix}"
    assert main(["calibrate", "print-cards", "--output", str(path), "--card-mm", "24", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(path), "marker_mm": 24.0, "margin_mm": 5.0}
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["camera", "--corners", "1,1 2,2"], "not four corners"),
        (["camera", "--disc-mm", "38"], "DIAMETER,HEIGHT"),
        (["camera", "--sim", "--frames", "0"], "outside 1 to 60"),
        (["board", "--sim", "--king", "g7"], "'damludo calibrate pieces' alone"),
        (["report", "--sim", "--king-picture", "king.png"], "'damludo calibrate pieces' alone"),
        (["print-cards", "--output", "cards.doc"], "neither .pdf nor .svg"),
        (["print-cards", "--card-mm", "500"], "outside 15 to 60"),
    ],
)
def test_bad_usage_is_a_sentence(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", *words]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("terminal", "more", "shown"), [(True, (), True), (True, ("--json",), False), (False, (), False)]
)
def test_on_a_terminal_it_tells_what_it_does(
    terminal: bool,
    more: tuple[str, ...],
    shown: bool,
    shot: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    picture = ("--game", "english", "--picture", str(shot / "0.png"))
    assert main(["--home", str(tmp_path), "calibrate", "pieces", *picture, *more]) == 0
    told = [line.strip() for line in capsys.readouterr().err.split("\r") if line.strip()]
    assert told == (
        [
            "Reading the pictures ...",
            "Looking for the board ...",
            "Measuring how well the squares' crossings fit ...",
            "Learning what squares and discs look like ...",
        ]
        if shown
        else []
    )
