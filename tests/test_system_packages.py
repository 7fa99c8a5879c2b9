"""What is missing on a system is installed; what is there is left alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STUBS = {
    "apt-get": 'echo "apt-get $*" >> "$LOG"',
    "apt-cache": 'if [ "$2" = old-name ]; then echo "  Candidate: (none)"; else echo "  Candidate: 1.0"; fi',
    "sudo": 'if [ "$1" = -n ]; then exit 0; fi; exec "$@"',
}


@pytest.fixture
def system(root: Path, tmp_path: Path) -> Path:
    """A checkout with a list of its own, and a package manager that only writes down what it is asked for."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(root / ".ci" / "system-packages", tmp_path / ".ci")
    (tmp_path / "bin").mkdir()
    for name, text in STUBS.items():
        stub = tmp_path / "bin" / name
        stub.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        stub.chmod(0o755)
    return tmp_path


def _ask(system: Path, packages: str, *groups: str) -> list[str]:
    """Return what the package manager was asked for."""
    (system / "system-packages.txt").write_text(packages, encoding="utf-8")
    log = system / "log"
    log.touch()
    subprocess.run(
        [str(system / ".ci" / "system-packages"), sys.executable, *groups],
        env={**os.environ, "PATH": f"{system / 'bin'}:{os.environ['PATH']}", "LOG": str(log)},
        check=True,
        capture_output=True,
    )
    return [line.split()[-1] for line in log.read_text(encoding="utf-8").splitlines()]


def test_what_is_there_is_left_alone(system: Path) -> None:
    packages = (
        "# a comment\n\nrun  python:json  a\nrun command:sh  b\nrun  library:libc.so.6  c\n"
        "run file:/bin/sh d\nrun sanitizer:cc e\n"
    )

    assert _ask(system, packages, "run") == []


@pytest.mark.parametrize(
    "probe",
    [
        "python:no_such_module",
        "command:no-such-command",
        "library:libnothing.so.9",
        "file:/no/such/file",
        "sanitizer:no-such-compiler",
    ],
)
def test_what_is_missing_is_installed(system: Path, probe: str) -> None:
    assert _ask(system, f"run {probe} the-package\n", "run") == ["-qq", "the-package"]


def test_of_several_names_the_one_that_the_system_knows_is_taken(system: Path) -> None:
    assert _ask(system, "run command:no-such-command old-name new-name\n", "run")[-1] == "new-name"


def test_only_the_groups_asked_for_are_looked_at(system: Path) -> None:
    packages = "run command:no-such-command a\ntest command:no-such-command b\n"

    assert _ask(system, packages, "test") == ["-qq", "b"]


def test_a_mistake_in_the_list_is_not_passed_over(system: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        _ask(system, "run pyhton:json a\n", "run")
