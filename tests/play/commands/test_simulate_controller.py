"""Without a compiler the simulated firmware is not to be had, and that is said with the command that installs it."""

import io
from pathlib import Path

import pytest

from damludo.play.arguments import CONTROLLERS
from damludo.play.cli import main
from damludo.play.console import ExitCode
from damludo.simulation import controllers


def test_the_help_offers_what_the_simulation_has() -> None:
    assert CONTROLLERS == controllers.CONTROLLERS


@pytest.mark.parametrize("command", ["simulate --camera readings", "play --sim"])
@pytest.mark.parametrize(
    ("controller", "package"),
    [pytest.param("native", "g++", id="native"), pytest.param("avr", "libsimavr-dev", id="avr")],
)
def test_a_missing_compiler_ends_with_exit_4_and_the_command_that_installs_it(
    command: str,
    controller: str,
    package: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO())

    code = main(["--home", str(tmp_path), *command.split(), "--game", "english", "--controller", controller])

    assert code == ExitCode.NO_DEVICE
    said = capsys.readouterr().err
    assert "sudo apt-get install" in said
    assert package in said
    assert "Traceback" not in said
