"""The command line answers at once, and says in one sentence what is wrong."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from damludo.play import cli
from damludo.play.cli import COMMANDS, main

HEAVY = ("cv2", "numba", "fastapi", "numpy", "starlette", "uvicorn")
HELP_CPU_S = 0.3
"""The promise is 0.3 s; measured in processor time, which other programs on the machine do not change."""

HELP_AND_COST = """
import resource, sys
from damludo.play.cli import main
main(["--help"])
heavy = [name for name in sys.argv[1:] if name in sys.modules]
usage = resource.getrusage(resource.RUSAGE_SELF)
print(heavy, usage.ru_utime + usage.ru_stime, sep="\\n", file=sys.stderr)
"""


def _program(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, env=environment
    )


def test_the_help_page_is_quick_and_loads_nothing_heavy() -> None:
    runs = [_program(HELP_AND_COST, *HEAVY).stderr.splitlines() for _ in range(3)]

    assert [heavy for heavy, _ in runs] == ["[]"] * 3
    assert min(float(cost) for _, cost in runs) < HELP_CPU_S


def test_every_command_is_on_the_help_page_with_its_own_sentence() -> None:
    folder = Path(cli.__file__).parent / "commands"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}

    assert set(COMMANDS) == modules
    assert {name: importlib.import_module(f"damludo.play.commands.{name}").HELP for name in COMMANDS} == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_its_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0

    out = capsys.readouterr().out
    assert out.startswith(f"usage: damludo {name} ")
    assert f"examples:\n  damludo {name}" in out


def test_without_a_command_the_help_page_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0

    assert capsys.readouterr().out.startswith("usage: damludo ")


def test_the_folder_after_home_is_not_taken_for_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", "watch", "games", "thai", "--json"]) == 0

    assert '"key": "thai"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(["gamse"], 2, id="no such command"),
        pytest.param(["moves"], 2, id="an option is missing"),
        pytest.param(["perft", "--game", "english", "--depth", "0"], 2, id="a number below its limit"),
        pytest.param(["best", "--game", "english", "--level", "11"], 2, id="a level above its limit"),
        pytest.param(["gantry", "status", "--sim", "--seed", "-5"], 2, id="a seed below zero"),
        pytest.param(["moves", "--game", "chess"], 3, id="no such game"),
        pytest.param(["moves", "--game", "english", "--fen", "W:W33"], 3, id="no such field"),
        pytest.param(["best", "--game", "english", "--fen", "W:W:B1"], 3, id="nothing to move"),
    ],
)
def test_what_is_wrong_has_its_exit_code_and_no_traceback(
    words: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code

    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert "damludo" in captured.err


def test_an_internal_error_is_a_report_and_not_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: object) -> int:
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr(importlib.import_module("damludo.play.commands.games"), "run", broken)

    assert main(["games"]) == 1
    report = Path(capsys.readouterr().err.split()[-1])
    assert "a mistake of ours" in report.read_text(encoding="utf-8")
    report.unlink()


def test_a_reader_that_goes_away_is_no_error() -> None:
    """`damludo games | head -1` ends quietly."""
    code = "import sys; from damludo.play.cli import main; sys.exit(main(['games', 'damludo']))"
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, text=True, env=environment, check=False
    )
    os.close(write)

    assert (done.returncode, done.stderr) == (0, "")
