"""What people install is whole, and holds nothing else."""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

NOT_SOURCE = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")


@dataclass(frozen=True)
class Installed:
    """The wheel, unpacked in an environment of its own; the libraries are those of the environment that runs the tests."""

    folder: Path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program of this environment, away from the checkout."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "DAMLUDO_"))}
        return subprocess.run(
            [str(self.folder / "bin" / command[0]), *command[1:]],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env={**environment, "DAMLUDO_HOME": str(self.folder / "home")},
        )


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    # From a copy, because a build leaves its rubbish in the folder that it builds from.
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(root, folder / "source", ignore=NOT_SOURCE)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(folder / "source")],
        check=True,
        capture_output=True,
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    install = ["install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), *install], check=True)
    # Only a path: the links that an editable install left in that folder are not followed from here.
    libraries = sysconfig.get_path("purelib")
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "libraries.pth").write_text(f"{libraries}\n", encoding="utf-8")
    return Installed(folder)


SOURCES = {"damludo.firmware": "firmware"}
"""What has no Python in it, and the folder."""
DATA = ("firmware/damludo_gantry", "firmware/native", "robot/firmware_images", "simulation/avr")
"""Folders that are no packages and belong to the program all the same."""


def _packages(root: Path) -> dict[str, Path]:
    """The packages of the tree by import name."""
    tops = [path.parent for path in root.glob("*/__init__.py")]
    folders = [path.parent for top in tops for path in top.rglob("__init__.py")]
    return {"damludo." + ".".join(folder.relative_to(root).parts): folder for folder in folders}


def test_the_list_of_packages_is_the_tree(root: Path) -> None:
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]

    assert sorted(settings["packages"]) == sorted([*_packages(root), *SOURCES])
    folders = {name: name.split(".")[1] for name in _packages(root) if name.count(".") == 1}
    assert settings["package-dir"] == folders | SOURCES


def test_the_type_checker_checks_every_package(root: Path) -> None:
    files = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["files"]

    assert set(files) == {f".names/damludo/{path.parent.name}" for path in root.glob("*/__init__.py")} | {"tests"}


def test_the_wheel_holds_the_packages_with_their_data_and_nothing_else(root: Path, wheel: Path) -> None:
    expected = {
        "/".join((*name.split("."), *path.relative_to(folder).parts))
        for name, folder in _packages(root).items()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    } | {f"damludo/{folder}/{path.name}" for folder in DATA for path in (root / folder).iterdir()}

    names = set(zipfile.ZipFile(wheel).namelist())

    assert {name for name in names if ".dist-info/" not in name} == expected
    assert {"damludo/rules/py.typed", "damludo/play/cli.py"} <= names


def test_the_installed_program_is_the_wheel_and_not_the_checkout(installed: Installed) -> None:
    done = installed.run("python", "-c", "import damludo.play.cli, damludo.rules; print(damludo.play.cli.__file__)")

    assert Path(done.stdout.strip()).is_relative_to(installed.folder)


def test_the_installed_program_answers(installed: Installed) -> None:
    done = installed.run("damludo", "--help")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: damludo ")


def test_the_installed_program_lists_the_games(installed: Installed) -> None:
    done = installed.run("damludo", "games", "--json")

    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) == 21


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize("controller", ["python", "native", "avr"])
def test_the_installed_program_plays_a_game(controller: str, installed: Installed) -> None:
    game = "alquerque" if controller == "avr" else "damludo"
    words = (
        f"simulate --game {game} --games 1 --camera readings --human engine:1 --seed 1 --controller {controller} --json"
    )
    done = installed.run("damludo", *words.split())

    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["games"], answer["finished"], answer["wrong_plies"]) == (1, 1, 0)


def test_only_one_distribution_provides_opencv() -> None:
    """The OpenCV packages overwrite each other's files: two of them in one environment break both."""
    assert len(set(importlib.metadata.packages_distributions()["cv2"])) == 1
