"""Programs in C and C++ that simulate a controller: compiled on the user's computer when first asked for, then kept.

libsimavr is under the GPL, so no program that holds it is handed out: only our own source is.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from damludo.simulation.errors import SimulationError, ToolMissing

KEPT_LINES = 6
"""So many lines of a compiler's complaint are shown."""


@dataclass(frozen=True, slots=True)
class Program:
    """What a program is made of.

    Attributes:
        name: of the file.
        compilers: names of which the first one found is used.
        sources: compiled and linked in one call.
        headers: files whose change means a new program.
        options: before the sources.
        libraries: after the sources.
        packages: Debian packages with compiler and libraries, for the sentence that names what is missing.
    """

    name: str
    compilers: tuple[str, ...]
    sources: tuple[Path, ...]
    headers: tuple[Path, ...] = ()
    options: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    packages: str = "build-essential"


def cache_folder() -> Path:
    """Return the folder of compiled programs, by the XDG base directory specification."""
    value = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says that a relative path in this variable is to be ignored.
    return (Path(value) if os.path.isabs(value) else Path.home() / ".cache") / "damludo"


def build(program: Program, cache: Path | None = None) -> Path:
    """Return the compiled program, compiled now if it is not there or its source has changed.

    Raises:
        ToolMissing: no compiler, a library or the source is not installed.
        SimulationError: the compiler refuses the source.
    """
    compiler = next((path for name in program.compilers if (path := shutil.which(name))), None)
    if compiler is None:
        raise ToolMissing(f"no compiler ({' or '.join(program.compilers)}) is on this computer", program.packages)
    missing = [path.name for path in program.sources if not path.is_file()]
    if missing or not program.sources:
        raise ToolMissing(f"the source of {program.name} is not installed ({', '.join(missing) or 'no file'})")
    folder = cache or cache_folder()
    target = folder / f"{program.name}-{_fingerprint(program, compiler)}"
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _compile(program, compiler, target)
    return target


def _fingerprint(program: Program, compiler: str) -> str:
    digest = hashlib.sha256()
    for text in (compiler, *program.options, *program.libraries):
        digest.update(f"{text}\0".encode())
    for path in sorted((*program.sources, *program.headers)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _compile(program: Program, compiler: str, target: Path) -> None:
    # Under another name first: of two runs at the same time none sees the half-written program of the other.
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{program.name}-")
    os.close(descriptor)
    fresh = Path(name)
    try:
        done = subprocess.run(
            [compiler, *program.options, "-o", name, *map(str, program.sources), *program.libraries],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise _refusal(program, done.stderr)
        fresh.rename(target)
    finally:
        fresh.unlink(missing_ok=True)


def _refusal(program: Program, complaint: str) -> SimulationError:
    lines = [line for line in complaint.splitlines() if line.strip()]
    absent = next((line for line in lines if "No such file" in line or "cannot find -l" in line), None)
    if absent is not None:
        return ToolMissing(
            f"{program.name} cannot be compiled, a library is missing ({absent.strip()})", program.packages
        )
    return SimulationError(f"{program.name} cannot be compiled; the compiler says: {' / '.join(lines[:KEPT_LINES])}")


def sources_below(folder: Path, suffixes: Sequence[str]) -> tuple[Path, ...]:
    """Return the files of a folder with one of the suffixes, in order of their names."""
    return tuple(sorted(path for path in folder.glob("*") if path.suffix in suffixes))
