"""The pages do not rot: every command they show is run, every link leads somewhere."""

import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from damludo.play.cli import COMMANDS, build_parser

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

NOT_RUN = {
    "damludo play --sim": "waits for moves",
    "damludo play --camera": "needs a camera and a controller",
    "damludo gantry settings": "needs a controller",
    "damludo gantry test --serial": "needs a controller",
    "damludo gantry home": "needs a controller",
    "damludo gantry pick": "needs a controller",
    "damludo gantry goto a1": "needs a controller",
    "damludo gantry goto g1": "needs a controller",
    "damludo calibrate gantry --serial": "needs a controller",
    "damludo calibrate camera --camera": "needs a camera",
    "damludo calibrate board --camera": "needs a camera",
    "damludo calibrate pieces --camera": "needs a camera",
    "damludo calibrate check --camera": "needs a camera",
    "damludo calibrate report --camera": "needs a camera",
    "damludo calibrate pieces --picture": "needs pictures",
    "damludo flash": "needs a controller",
    "damludo simulate --game alquerque --camera readings --controller avr": "takes minutes; tests/firmware plays one",
    "damludo doctor": "judges the computer it runs on; tests/play/test_doctor.py gives him others",
    "damludo watch": "needs a camera, a video or pictures",
    "damludo look": "needs pictures",
    "damludo pdn": "needs records of games",
    "damludo bench rules --witness": "needs another library in another environment",
    "damludo bench engine --witness": "needs another library in another environment",
    "damludo bench vision": "takes an hour; tests/play/benches/test_rendered_games.py watches some of its plies",
    "damludo bench table": "plays two games over rendered pictures; tests/play/commands/test_bench.py plays one without",
    "damludo engine": "speaks with another program; tests/engine/test_hub.py is one",
    "damludo records show": "needs a stored game; tests/play/commands/test_records.py makes some",
    "damludo records export": "needs a stored game",
    "damludo records replay": "needs a stored game",
    "damludo records resume": "needs a stored game",
    "damludo gantry place": "needs a gantry",
    "damludo analyse": "needs a record of a game",
    "damludo match --game international": "needs another engine",
    "damludo tables probe": "needs tables that were made before; tests/play/commands/test_tables.py makes some",
    "damludo simulate --serve": "runs until it is stopped",
    "damludo simulate --game english --games 10": "ten games over rendered pictures take a quarter of an hour",
    "damludo simulate --game damludo": "a game over rendered pictures takes a minute; tests/play plays some",
}
"""Beginnings of command lines that are only parsed, with the reason."""


def _code_blocks(page: Path) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def _shown() -> list[str]:
    """The command lines of all pages and of all help pages."""
    lines = [
        line.strip().removeprefix("$ ") for page in PAGES for block in _code_blocks(page) for line in block.splitlines()
    ]
    examples = [line for name in COMMANDS for line in importlib.import_module(f"damludo.play.commands.{name}").EXAMPLES]
    return [line for line in dict.fromkeys([*lines, *examples]) if line.split()[:1] == ["damludo"]]


def _reason(line: str) -> str | None:
    return next((reason for beginning, reason in NOT_RUN.items() if line.startswith(beginning)), None)


@pytest.mark.parametrize("line", _shown())
def test_every_command_shown_can_be_parsed(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]

    assert build_parser(words[0]).parse_args(words).command == words[0]


@pytest.mark.slow
@pytest.mark.parametrize("line", [line for line in _shown() if _reason(line) is None])
def test_every_command_shown_works(line: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "damludo.play.cli", *shlex.split(line, comments=True)[1:]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "DAMLUDO_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_every_exception_is_needed() -> None:
    assert [beginning for beginning in NOT_RUN if not any(line.startswith(beginning) for line in _shown())] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]

    assert [target for target in targets if "://" not in target and not (page.parent / target).is_file()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_source_file_named_exists(page: Path) -> None:
    """`play/console.py` in a text is a promise too; names with a capital placeholder are not."""
    named = re.findall(r"`([a-z_./]+/[a-z_./]*\w\.(?:py|toml|txt))`", page.read_text(encoding="utf-8"))

    assert [name for name in named if not (ROOT / name).is_file()] == []
