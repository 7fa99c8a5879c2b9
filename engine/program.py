"""The kernels of a game, ready to run: compiled where numba is there, plain Python otherwise.

The compiled form is kept in the user's cache folder, one module for each game and content, so that a second start compiles
nothing. It does not even load the functions that only other functions call: what is compiled holds them already.
"""

import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from types import ModuleType

from damludo.engine.layout import WORD
from damludo.engine.writing import KERNELS, ONE_WORD, PARTS, PLAIN, TWO_WORDS, Form, all_constants, files_of, source_of
from damludo.rules.traits import Variant

Report = Callable[[str], None]


def silent(sentence: str) -> None:
    """Report nothing."""


@cache
def can_compile() -> bool:
    """Whether numba is there, fits what else is installed, and is not switched off."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    try:
        importlib.import_module("numba")
    except (
        ImportError,
        AttributeError,
        OSError,
    ):  # it is missing, wants another numpy, or lacks a library of the system
        return False
    return True


def form_of(variant: Variant, compiled: bool) -> Form:
    """Return how the kernels of a game run."""
    if not compiled:
        return PLAIN
    width = all_constants(variant)["WIDTH"]
    assert isinstance(width, int)
    return ONE_WORD if width <= WORD else TWO_WORDS


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
    """Return the kernels of a game, compiled at the first call ever; `parts` in the order of `writing.PARTS`."""
    form = form_of(variant, compiled)
    if form is PLAIN:
        return Program(form, _plain_modules(variant, parts))
    stored = [_Stored(variant, part, form) for part in parts]
    if all(module.is_ready for module in stored):
        try:
            return Program(form, {module.part: module.load_ready() for module in stored})
        except _damage():
            for module in stored:
                module.doubt()
    return Program(form, _compile(variant, stored, report))


def _damage() -> tuple[type[Exception], ...]:
    """Return what loading raises where the cache has lost a function (numba), or a file its end or its sense (pickle)."""
    from numba.core.errors import NumbaError

    return NumbaError, UnpicklingError, AttributeError, EOFError, ImportError, IndexError, ValueError


def _plain_modules(variant: Variant, parts: Sequence[str]) -> dict[str, ModuleType]:
    modules: dict[str, ModuleType] = {}
    functions: dict[str, object] = {}
    for part in parts:
        module = ModuleType(f"damludo_{variant.key}_{part}")
        vars(module).update(functions)
        exec(compile(source_of(variant, part, PLAIN), f"<{module.__name__}>", "exec"), vars(module))
        functions = {name: value for name, value in vars(module).items() if callable(value)}
        modules[part] = module
    return modules


def _compile(variant: Variant, stored: Sequence["_Stored"], report: Report) -> dict[str, ModuleType]:
    modules: dict[str, ModuleType] = {}
    imports = ""
    for module in stored:
        if not module.is_ready:
            report(f"Preparing the engine for {variant.names['en']}, once on this computer: {module.part} ...")
        modules[module.part] = module.load_whole(imports)
        # Where all is ready the later part needs nothing of the earlier one.
        imports += f"if not READY:\n    from {module.name} import *\n"
    return modules


class _Stored:
    """A part of a game's kernels in the cache folder.

    Its name tells its content: the kernels, the constants, the versions of what compiles them and the processor.
    """

    def __init__(self, variant: Variant, part: str, form: Form) -> None:
        self.part, self._variant, self._form = part, variant, form
        names = list(PARTS)[: list(PARTS).index(part) + 1]
        files = sorted({name for earlier in names for name in files_of(earlier, form)} | {"places"})
        texts = [(KERNELS / f"{name}.py").read_text("utf-8") for name in files]
        texts += [(KERNELS.parent / name).read_text("utf-8") for name in _COMPILERS]
        content = f"{_compiled_by()}\n{all_constants(variant)!r}\n{texts!r}"
        self.name = f"damludo_{variant.key}_{part}_{hashlib.sha256(content.encode()).hexdigest()[:12]}"
        self._path = cache_folder() / f"{self.name}.py"
        self._mark = self._path.with_suffix(".ready")

    @property
    def is_ready(self) -> bool:
        """Everything of it has been compiled before, and the text is still whole."""
        try:
            return self._mark.read_text("utf-8") == str(self._path.stat().st_size)
        except (OSError, UnicodeError):
            return False

    def load_ready(self) -> ModuleType:
        """Load the functions that Python calls from what was compiled before.

        Raises:
            NumbaError: something is missing.
            Exception: something is damaged, see `_damage`.
        """
        return self._load(ready=True)

    def load_whole(self, imports: str) -> ModuleType:
        """Load all functions, compiling those that are not there yet."""
        text = f"{imports}{source_of(self._variant, self.part, self._form)}"
        if not self._path.exists() or self._path.read_bytes() != text.encode():
            self._forget()
            _write(self._path, text)
        try:
            module = self._load(ready=False)
        except _damage():
            self._forget()
            _write(self._path, text)
            module = self._load(ready=False)
        self._mark.write_text(str(self._path.stat().st_size), "utf-8")
        return module

    def doubt(self) -> None:
        """Take it for not ready."""
        self._mark.unlink(missing_ok=True)

    def _forget(self) -> None:
        """Take away all files of this part: a power cut may have left them cut short."""
        self.doubt()
        for file in (self._path, *self._path.parent.glob(f"__pycache__/{self.name}.*")):
            file.unlink(missing_ok=True)

    def _load(self, ready: bool) -> ModuleType:
        loaded = sys.modules.get(self.name)
        if loaded is not None and (ready or not vars(loaded)["READY"]):
            return loaded
        spec = importlib.util.spec_from_file_location(self.name, self._path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        vars(module)["READY"] = ready
        # Under this very name: numba's cache imports the module of a function that it loads.
        sys.modules[self.name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[self.name]
            raise
        return module


_COMPILERS = ("intrinsics.py", "pair_operators.py", "decorators.py", "specialise.py", "writing.py")


@cache
def _compiled_by() -> str:
    from llvmlite import binding  # type: ignore[import-untyped]

    versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    return f"{sys.version_info[:3]} {versions} {binding.get_host_cpu_name()}"


@cache
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
