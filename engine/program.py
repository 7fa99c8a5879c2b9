"""The kernels of a game, ready to run: compiled where numba is there, plain Python otherwise.

The compiled form is kept in the user's cache folder, one folder for each game and content, so that a second start compiles
nothing.
"""

import ast
import hashlib
import importlib.metadata
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from damludo.engine.draw_rules import draws_of
from damludo.engine.features import features_of
from damludo.engine.kernels import places
from damludo.engine.layout import HALF, LOW, WORD, Bits, Constants, Table, constants_of, layout_of
from damludo.engine.specialise import Specialiser, functions_of, strip
from damludo.rules.traits import Variant

KERNELS = Path(__file__).parent / "kernels"
PARTS: Mapping[str, tuple[str, ...]] = {"moves": ("moves", "perft"), "search": ("evaluation", "search")}
"""The modules that are written for a game, and the kernel files in each; a later part may call the earlier ones."""

Report = Callable[[str], None]


def silent(sentence: str) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Form:
    """A way to run the kernels.

    Attributes:
        name: also part of the name of the cache folder.
        sets: the kernel file that says what a set of squares is.
        set_type: its type in signatures; empty where nothing is compiled.
    """

    name: str
    sets: str
    set_type: str
    imports: tuple[str, ...] = ()


PLAIN = Form("plain", "whole", "")
_COMPILED_IMPORTS = (
    "from numba import njit",
    "from numpy import array, int64",
    "from damludo.engine.layout import HALF, LOW",
    "from damludo.engine.intrinsics import count_bits, count_zeros",
)
ONE_WORD = Form("word", "words", "int64", _COMPILED_IMPORTS)
TWO_WORDS = Form(
    "pair", "pairs", "UniTuple(int64, 2)", (*_COMPILED_IMPORTS, "from damludo.engine import pair_operators")
)


@cache
def can_compile() -> bool:
    """Whether numba is there and not switched off."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    return importlib.util.find_spec("numba") is not None


def form_of(variant: Variant, compiled: bool) -> Form:
    """Return how the kernels of a game run."""
    if not compiled:
        return PLAIN
    width = constants_of(variant)["WIDTH"]
    assert isinstance(width, int)
    return ONE_WORD if width <= WORD else TWO_WORDS


def source_of(variant: Variant, part: str, form: Form) -> str:
    """Return the text of one module for a game."""
    constants = constants_of(variant) | features_of(variant) | draws_of(variant, layout_of(variant.board))
    literal = {"plain": _whole, "word": _signed, "pair": _pair}[form.name]
    files = (*((form.sets,) if part == "moves" else ()), *PARTS[part])
    trees = [ast.parse((KERNELS / f"{name}.py").read_text(encoding="utf-8")) for name in files]
    body: list[ast.stmt] = []
    specialiser = Specialiser({**constants, **_places()}, literal)
    for tree in trees:
        for statement in specialiser.body(functions_of(tree)):
            assert isinstance(statement, ast.FunctionDef)
            if form.set_type:
                statement.decorator_list = [_compiled(statement, form.set_type)]
            strip(statement)
            body.append(statement)
    text = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
    used = {node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return "\n".join((*form.imports, *_tables(constants, used, form), text, ""))


@cache
def _places() -> Constants:
    """The numbers of `kernels/places.py`."""
    return {name: value for name, value in vars(places).items() if isinstance(value, int)}


def _whole(squares: Bits) -> ast.expr:
    return ast.Constant(int(squares))


def _signed(squares: Bits) -> ast.expr:
    return ast.Constant(signed(squares))


def _pair(squares: Bits) -> ast.expr:
    return ast.Tuple([ast.Constant(squares & LOW), ast.Constant(squares >> HALF & LOW)], ast.Load())


def signed(word: int) -> int:
    """Return the number that has the bits of a word as a signed one."""
    return (word & (1 << WORD) - 1 ^ 1 << WORD - 1) - (1 << WORD - 1)


def _tables(constants: Constants, used: Iterable[str], form: Form) -> list[str]:
    tables = {name: value for name, value in constants.items() if isinstance(value, Table) and name in set(used)}
    if form is PLAIN:
        return [f"{name} = {table.values!r}" for name, table in tables.items()]
    return [f"{name} = array({list(table.values)!r}, int64)" for name, table in tables.items()]


def _compiled(function: ast.FunctionDef, set_type: str) -> ast.expr:
    """The decorator that has a function compiled, with the signature that its annotations name."""
    types = {"int": "int64", "bool": "boolean", "Set": set_type, "Ints": "int64[::1]"}
    types |= {"None": "void", "Pair": set_type, "Smalls": "int16[::1]"}
    arguments = ", ".join(
        types[ast.unparse(argument.annotation)] for argument in function.args.args if argument.annotation
    )
    assert function.returns is not None
    returns = function.returns
    if isinstance(returns, ast.Subscript) and isinstance(returns.slice, ast.Tuple):
        result = f"Tuple(({', '.join(types[ast.unparse(part)] for part in returns.slice.elts)}))"
    else:
        result = types[ast.unparse(returns)]
    text = f"njit({f'{result}({arguments})'!r}, cache=True, nogil=True, error_model='numpy')"
    return ast.parse(text, mode="eval").body


@dataclass(frozen=True, slots=True)
class Program:
    """The kernels of a game.

    Attributes:
        form: how they run.
        module: the functions, by part.
    """

    form: Form
    module: Mapping[str, ModuleType]


@cache
def program_of(
    variant: Variant, compiled: bool, parts: tuple[str, ...] = ("moves",), report: Report = silent
) -> Program:
    """Return the kernels of a game, compiled at the first call ever."""
    form = form_of(variant, compiled)
    sources = {part: source_of(variant, part, form) for part in parts}
    if form is PLAIN:
        return Program(form, _plain_modules(variant, sources))
    return Program(form, _compiled_modules(variant, form, sources, report))


def _plain_modules(variant: Variant, sources: Mapping[str, str]) -> dict[str, ModuleType]:
    modules: dict[str, ModuleType] = {}
    functions: dict[str, object] = {}
    for part, source in sources.items():
        module = ModuleType(f"damludo_{variant.key}_{part}")
        vars(module).update(functions)
        exec(compile(source, f"<{module.__name__}>", "exec"), vars(module))
        functions = {name: value for name, value in vars(module).items() if callable(value)}
        modules[part] = module
    return modules


def _compiled_modules(
    variant: Variant, form: Form, sources: Mapping[str, str], report: Report
) -> dict[str, ModuleType]:
    folder = cache_folder()
    modules: dict[str, ModuleType] = {}
    earlier = ""
    versions = f"{sys.version_info[:2]} {importlib.metadata.version('numba')} {importlib.metadata.version('numpy')}"
    intrinsics = "".join((KERNELS.parent / name).read_text("utf-8") for name in ("intrinsics.py", "pair_operators.py"))
    for part, source in sources.items():
        text = f"{earlier}{source}"
        digest = hashlib.sha256(f"{versions}\n{intrinsics}\n{text}".encode()).hexdigest()[:12]
        name = f"damludo_{variant.key}_{part}_{digest}"
        path = folder / f"{name}.py"
        if not path.exists():
            report(f"Preparing the engine for {variant.names['en']}, once on this computer: {part} ...")
            _write(path, text)
        modules[part] = _load(name, path)
        earlier += f"from {name} import *\n"
    return modules


def cache_folder() -> Path:
    """Return the folder for compiled kernels: the user's cache, or a temporary folder where that cannot be written."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    places = [Path(base) if os.path.isabs(base) else Path.home() / ".cache"]
    places.append(Path(tempfile.gettempdir()) / f"damludo-{os.getuid() if hasattr(os, 'getuid') else 'user'}")
    for place in places:
        folder = place / "damludo" / "kernels"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="damludo-"))


def _write(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all, whoever else writes it."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        os.link(name, path)  # the file of whoever came first stays, with its time: numba's cache goes by that
    except OSError:
        if not path.exists():
            os.replace(name, path)
            return
    os.unlink(name)


def _load(name: str, path: Path) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
