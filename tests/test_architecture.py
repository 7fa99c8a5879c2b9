"""The house keeps its order: who may import whom, how long things may be, and who may print."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAX_FUNCTION_LINES = 60
"""Lines of one function, its docstring not counted."""
MAX_MODULE_LINES = 500


@dataclass(frozen=True)
class May:
    """What a package may import beside itself and the standard library."""

    ours: frozenset[str] = field(default_factory=frozenset)
    """Packages of Damludo."""
    others: frozenset[str] = field(default_factory=frozenset)
    """Top-level names of other people's packages."""


def _may(ours: str = "", others: str = "") -> May:
    return May(frozenset(ours.split()), frozenset(others.split()))


PACKAGES = {
    "rules": _may(others="numpy"),
    "engine": _may("rules", others="numpy numba llvmlite"),
    "vision": _may(others="numpy cv2"),
    "robot": _may(others="serial"),
    "calibration": _may("rules vision robot", others="numpy cv2"),
    "simulation": _may("rules vision robot", others="numpy cv2 fastapi starlette uvicorn"),
    "play": _may("rules engine vision robot calibration simulation", others="numpy cv2 fastapi starlette uvicorn"),
}

# What a room of `play` may import of `play`; the modules outside of the rooms, and the commands, put the rooms together.
ROOMS = {
    "match": "console content",
    "records": "match console",
    "table": "match records console content",
    "calibration": "match table console content folders",
    "gantry": "match table clock console content folders settings",
    "benches": "console content game_watch watching",
    "page": "match records table console content",
}

# The simulated controller reads G-code with its own eyes, or a mistake of the writer would be read as it was meant.
FORBIDDEN_MODULES = {"simulation": ("damludo.robot.gcode",)}

# Time limits and players' clocks go by monotonic clocks: somebody may set the one on the wall. These write dates for people.
DATED = {
    "play/at_the_table.py": "the name of a journal",
    "play/calibration/steps.py": "the history of a profile",
    "play/records/record.py": "when a game began",
    "play/training.py": "the card of learnt weights",
}

# What runs text, or builds objects of a file's choice.
UNSAFE = {
    "eval",
    "exec",
    "pickle.load",
    "pickle.loads",
    "marshal.load",
    "marshal.loads",
    "os.system",
    "os.popen",
    "yaml.load",
}
OWN_TEXT = {"engine/program.py": "compiles kernels that this package brings"}

PRINTS = "play"
"""The package that may print; which of its modules do stands in the settings of the linter."""


def violations(root: Path) -> list[str]:
    """Return every breach of the order below `root`, one sentence each, in file order."""
    return [
        breach for package in PACKAGES for path in sorted((root / package).rglob("*.py")) for breach in _of(root, path)
    ]


def _of(root: Path, path: Path) -> Iterator[str]:
    name = path.relative_to(root).as_posix()
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, filename=name)
    if (lines := len(text.splitlines())) > MAX_MODULE_LINES:
        yield f"{name}: {lines} lines, at most {MAX_MODULE_LINES}"
    for node in ast.walk(tree):
        yield from (f"{name}:{getattr(node, 'lineno', 0)}: {breach}" for breach in _of_node(name, node))


def _of_node(name: str, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield from _of_import(name, alias.name)
        case ast.ImportFrom(module=str(module), level=0):
            for alias in node.names:
                yield from _of_import(name, f"{module}.{alias.name}")
        case ast.ImportFrom(level=level) if level >= len(Path(name).parts):
            yield "a relative import leaves the package"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            if (lines := _body_lines(node)) > MAX_FUNCTION_LINES:
                yield f"{node.name} has {lines} lines, at most {MAX_FUNCTION_LINES}"
        case ast.Attribute(value=ast.Name(id="time"), attr="time" | "time_ns" | "localtime" | "gmtime" as attr):
            yield f"time.{attr} is the clock on the wall; take a Clock, or time.monotonic"
        case ast.Attribute(value=owner, attr="now" | "utcnow" | "today" as attr) if name not in DATED and _is_date(
            owner
        ):
            yield f"{ast.unparse(owner)}.{attr} is the clock on the wall; take a Clock, or time.monotonic"
        case ast.Call(func=func) if ast.unparse(func) in UNSAFE and name not in OWN_TEXT:
            yield f"{ast.unparse(func)} runs what a file says"
        case ast.keyword(arg="shell" | "allow_pickle" as arg, value=ast.Constant(value=True)):
            yield f"{arg}=True runs what a file says"
        case ast.Call(func=ast.Name(id="print"), keywords=keywords) if not name.startswith(f"{PRINTS}/"):
            if all(keyword.arg != "file" for keyword in keywords):
                yield f"only {PRINTS} prints"


def _is_date(owner: ast.expr) -> bool:
    return ast.unparse(owner) in ("datetime", "datetime.datetime", "date", "datetime.date")


def _of_import(name: str, imported: str) -> Iterator[str]:
    package = name.split("/")[0]
    may = PACKAGES[package]
    top, *rest = imported.split(".")
    if top == "damludo":
        if rest and rest[0] != package and rest[0] not in may.ours:
            yield f"{package} may not import damludo.{rest[0]}"
        room = name.split("/")[1]
        if room in ROOMS and rest[:1] == ["play"] and rest[1:] and rest[1] not in (room, *ROOMS[room].split()):
            yield f"play/{room} may not import damludo.play.{rest[1]}"
        for forbidden in FORBIDDEN_MODULES.get(package, ()):
            if f"{imported}.".startswith(f"{forbidden}."):
                yield f"{package} may not import {forbidden}"
    elif top in PACKAGES:
        yield f"import it as damludo.{top}"
    elif top not in sys.stdlib_module_names and top not in may.others:
        yield f"{package} may not import {top}"


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = node.body
    if ast.get_docstring(node) is not None:
        body = body[1:]
    if not body or node.end_lineno is None:
        return 0
    # Signature and decorators count too: a signature of twenty lines is as hard to read as a body of twenty.
    docstring_lines = 0 if body is node.body else (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
    return node.end_lineno - node.lineno + 1 - docstring_lines


def test_the_house_keeps_its_order(root: Path) -> None:
    assert violations(root) == []


def test_every_package_of_the_tree_is_in_the_table(root: Path) -> None:
    tree = {path.parent.name for path in root.glob("*/__init__.py")}

    assert tree == set(PACKAGES)
    assert {path.parent.name for path in root.glob("play/*/__init__.py")} == {*ROOMS, "commands"}


def _house(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_the_check_sees_forbidden_imports(tmp_path: Path) -> None:
    bad = _house(
        tmp_path,
        {
            "rules/a.py": "import damludo.engine.search\nimport json\nimport numpy as np\nimport cv2\n",
            "engine/a.py": "def f():\n    from damludo import play\n",
            "vision/a.py": "from .. import rules\nfrom . import b\n",
            "robot/a.py": "import rules\nfrom damludo.robot.gcode import write\n",
            "simulation/a.py": "from damludo.robot import gcode, line\nfrom damludo.robot.gcode import write\n",
            "play/match/a.py": "from damludo.play.match import b\nfrom damludo.play import console, table\n",
            "play/table/a.py": "import damludo.play.match.loop\nimport damludo.play.cli\n",
            "play/cli.py": "from damludo.play.table import arm\n",
        },
    )

    assert violations(bad) == [
        "rules/a.py:1: rules may not import damludo.engine",
        "rules/a.py:4: rules may not import cv2",
        "engine/a.py:2: engine may not import damludo.play",
        "vision/a.py:1: a relative import leaves the package",
        "robot/a.py:1: import it as damludo.rules",
        "simulation/a.py:1: simulation may not import damludo.robot.gcode",
        "simulation/a.py:2: simulation may not import damludo.robot.gcode",
        "play/match/a.py:2: play/match may not import damludo.play.table",
        "play/table/a.py:2: play/table may not import damludo.play.cli",
    ]


def test_the_check_sees_what_is_too_long(tmp_path: Path) -> None:
    docstring = '    """First\n' + "    more\n" * 70 + '    """\n'
    bad = _house(
        tmp_path,
        {
            "rules/fits.py": "def f():\n" + docstring + "    pass\n" * (MAX_FUNCTION_LINES - 1),
            "rules/long.py": "def g():\n" + "    pass\n" * MAX_FUNCTION_LINES,
            "rules/module.py": "x = 1\n" * (MAX_MODULE_LINES + 1),
        },
    )

    assert violations(bad) == [
        "rules/long.py:1: g has 61 lines, at most 60",
        "rules/module.py: 501 lines, at most 500",
    ]


def test_the_check_sees_clocks_on_the_wall_and_what_a_file_may_run(tmp_path: Path) -> None:
    bad = _house(
        tmp_path,
        {
            "robot/a.py": "import time\nlimit = time.time() + 2\nfine = time.monotonic()\n",
            "play/match/a.py": "from datetime import datetime\ndatetime.now()\n",
            "play/training.py": "from datetime import datetime\ndatetime.now()\n",
            "vision/a.py": "import numpy as np\nnp.load(path, allow_pickle=True)\nnp.load(path, allow_pickle=False)\n",
            "rules/a.py": "import pickle\npickle.loads(data)\nsubprocess.run(text, shell=True)\n",
            "engine/program.py": "exec(code)\n",
        },
    )

    assert violations(bad) == [
        "rules/a.py:2: pickle.loads runs what a file says",
        "rules/a.py:3: shell=True runs what a file says",
        "vision/a.py:2: allow_pickle=True runs what a file says",
        "robot/a.py:2: time.time is the clock on the wall; take a Clock, or time.monotonic",
        "play/match/a.py:2: datetime.now is the clock on the wall; take a Clock, or time.monotonic",
    ]


def test_the_check_sees_who_prints(tmp_path: Path) -> None:
    bad = _house(tmp_path, {"vision/a.py": "print(1, file=f)\nprint(1)\n", "play/cli.py": "print(1)\n"})

    assert violations(bad) == ["vision/a.py:2: only play prints"]
