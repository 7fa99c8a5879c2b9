"""Settings: environment over file over default; mistakes are named."""

from pathlib import Path

import pytest

from damludo.play.console import CommandError, ExitCode
from damludo.play.settings import Settings, load_settings


def test_a_missing_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.toml", {}) == Settings()


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[play]\ngame = "english"\nlevel = 5\n[board]\nsquare_mm = 45\n')
    settings = load_settings(file, {"DAMLUDO_PLAY__LEVEL": "7", "DAMLUDO_HOME": "/x", "PATH": "/bin"})
    assert (settings.play.game, settings.play.level, settings.board.square_mm) == ("english", 7, 45.0)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[play]\nlevle = 3\n", "'level'"),
        ("[camra]\nsource = '0'\n", "'camera'"),
        ("[play]\nlevel = 'high'\n", "whole number"),
        ("[play]\nlevel = 2.5\n", "whole number"),
        ("[play]\ngame = 3\n", "text in quotes"),
        ("[board]\nsquare_mm = true\n", "number"),
        ("play = 3\n", "[play]"),
        ("[play\n", "cannot be read"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(CommandError) as caught:
        load_settings(file, {})
    assert named in str(caught.value)
    assert caught.value.code is ExitCode.BAD_INPUT


def test_an_unknown_variable_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"unknown key in \[gantry\] 'prot'; the nearest known one is 'port'"):
        load_settings(tmp_path / "none.toml", {"DAMLUDO_GANTRY__PROT": "/dev/ttyUSB0"})
