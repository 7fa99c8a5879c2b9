"""What our sentences tell people to type exists: every `damludo COMMAND` in a text of ours is a command of the command line."""

import argparse
import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from damludo.play.cli import COMMANDS, build_parser

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("rules", "engine", "vision", "robot", "calibration", "simulation", "play")
SOURCES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]

NAMED = re.compile(r"(?<![\w./-])damludo ([a-z][\w-]*)(?: ([a-z][\w-]*))?")
"""A command and the word after it, which is a sub-command where the command has some."""


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield every text of a module with its line, docstrings too; of an f-string the whole, with `{}` for what is filled in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


@cache
def _sub_commands(command: str) -> frozenset[str]:
    # argparse keeps the sub-commands of a parser in private actions alone.
    top = next(a for a in build_parser(command)._actions if isinstance(a, argparse._SubParsersAction))
    subs = [a for a in top.choices[command]._actions if isinstance(a, argparse._SubParsersAction)]
    return frozenset(name for action in subs for name in action.choices)


def _missing(text: str) -> list[str]:
    """Return what a text tells to type and the command line does not have."""
    missing = []
    for command, word in NAMED.findall(text):
        if command not in COMMANDS:
            missing.append(f"damludo {command}")
        elif word and _sub_commands(command) and word not in _sub_commands(command):
            missing.append(f"damludo {command} {word}")
    return missing


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_a_sentence_names_exists(source: Path) -> None:
    tree = ast.parse(source.read_text(encoding="utf-8"))

    assert [f"line {line}: {name}" for line, text in _texts(tree) for name in _missing(text)] == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("home it: 'damludo gantry home'", []),
        ("'damludo fly' helps", ["damludo fly"]),
        ("repeat 'damludo calibrate stars'", ["damludo calibrate stars"]),
        ("damludo games italian", []),
        ("the file of damludo", []),
    ],
)
def test_a_command_that_does_not_exist_is_found(text: str, missing: list[str]) -> None:
    assert _missing(text) == missing
