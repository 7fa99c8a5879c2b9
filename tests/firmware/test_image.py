"""The image that is flashed is what the pinned compiler makes of the source, to the byte."""

import shutil
import subprocess
from pathlib import Path

import pytest

from damludo.robot.errors import BadImage
from damludo.robot.firmware_image import FOLDER, prebuilt_image, read_hex

COMPILER = "5.4.0"
FLASH_LIMIT = 26 * 1024


def test_the_prebuilt_image_is_the_source_compiled(root: Path, tmp_path: Path) -> None:
    told = subprocess.run(["avr-gcc", "-dumpversion"], check=True, capture_output=True, text=True).stdout.strip()
    assert told == COMPILER, "another compiler makes another image: this one is for avr-gcc 5.4.0"
    shutil.copytree(root / "firmware", tmp_path / "firmware", ignore=shutil.ignore_patterns("build"))

    subprocess.run(["make", "-C", str(tmp_path / "firmware"), "avr"], check=True, capture_output=True)

    built = tmp_path / "firmware" / "build" / "avr" / "damludo_gantry.hex"
    assert built.read_bytes() == prebuilt_image().path.read_bytes()


def test_the_prebuilt_image_names_itself_and_fits() -> None:
    image = prebuilt_image()

    assert image.path.name == f"damludo-gantry-{image.version}.hex"
    assert 20_000 < image.size <= FLASH_LIMIT


def test_an_image_that_was_changed_is_refused(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "images")
    path = tmp_path / "images" / prebuilt_image().path.name
    path.write_bytes(path.read_bytes().replace(b"00", b"01", 1))

    with pytest.raises(BadImage, match=r"not the one that manifest\.json names"):
        prebuilt_image(tmp_path / "images")


def test_a_missing_image_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadImage, match="install Damludo again"):
        prebuilt_image(tmp_path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(":0400000001020304F2\n:00000001FF\n", None, id="good"),
        pytest.param(":0400000001020304F3\n", "line 1 is damaged", id="check sum"),
        pytest.param(":04000000010203F6\n", "line 1 is damaged", id="too short"),
        pytest.param("nonsense\n", "line 1 is damaged", id="no record"),
        pytest.param(":047E0000000000007E\n", "room for 32256", id="too large"),
        pytest.param("", "it has 0 bytes", id="empty"),
    ],
)
def test_the_bytes_of_an_image_are_checked(text: str, reason: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.hex").write_text(text, encoding="ascii")

    if reason is None:
        assert read_hex(tmp_path / "a.hex") == b"\1\2\3\4"
    else:
        with pytest.raises(BadImage, match=reason):
            read_hex(tmp_path / "a.hex")
