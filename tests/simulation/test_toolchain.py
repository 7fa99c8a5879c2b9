"""Programs are compiled when they are first asked for; what is missing is named with the command that installs it."""

import subprocess
from pathlib import Path

import pytest

from damludo.play.console import ExitCode, exit_code_of
from damludo.simulation.errors import SimulationError, ToolMissing
from damludo.simulation.toolchain import Program, build, cache_folder

HELLO = '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "hello.c").write_text(HELLO, encoding="ascii")
    return tmp_path / "hello.c"


def _program(source: Path, *libraries: str, compilers: tuple[str, ...] = ("no-such-cc", "cc")) -> Program:
    return Program("hello", compilers, (source,), libraries=libraries, packages="the-package")


def _said(program: Path) -> str:
    return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout


def test_a_program_is_compiled_once_and_again_when_its_source_changes(source: Path, tmp_path: Path) -> None:
    first = build(_program(source), tmp_path / "cache")
    made = first.stat().st_mtime_ns
    assert _said(first) == "hello\n"
    assert build(_program(source), tmp_path / "cache").stat().st_mtime_ns == made

    source.write_text(HELLO.replace("hello", "good day"), encoding="ascii")
    second = build(_program(source), tmp_path / "cache")
    assert (_said(first), _said(second)) == ("hello\n", "good day\n")
    assert sorted(tmp_path.glob("cache/*")) == sorted([first, second])


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        pytest.param({"compilers": ("no-such-cc",)}, "no compiler .no-such-cc. is on this computer", id="compiler"),
        pytest.param({"libraries": ("-lno_such_library",)}, "a library is missing .*no_such_library", id="library"),
    ],
)
def test_what_is_missing_is_named_with_its_package(
    source: Path, tmp_path: Path, program: dict[str, tuple[str, ...]], sentence: str
) -> None:
    wanted = _program(source, *program.get("libraries", ()), compilers=program.get("compilers", ("cc",)))

    with pytest.raises(ToolMissing, match=sentence) as raised:
        build(wanted, tmp_path / "cache")

    assert "sudo apt-get install the-package" in str(raised.value)
    assert "--controller python" in str(raised.value)
    assert exit_code_of(raised.value) is ExitCode.NO_DEVICE
    assert list(tmp_path.glob("cache/*")) == []


def test_a_missing_header_is_a_missing_package(source: Path, tmp_path: Path) -> None:
    source.write_text("#include <no/such_header.h>\n", encoding="ascii")

    with pytest.raises(ToolMissing, match="the-package"):
        build(_program(source), tmp_path / "cache")


def test_a_source_that_was_not_installed_is_said(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match=r"the source of hello is not installed \(hello.c\)"):
        build(_program(tmp_path / "hello.c"), tmp_path / "cache")


def test_what_the_compiler_refuses_is_told(source: Path, tmp_path: Path) -> None:
    source.write_text("int main(void) { return nonsense; }\n", encoding="ascii")

    with pytest.raises(SimulationError, match="nonsense") as raised:
        build(_program(source), tmp_path / "cache")
    assert not isinstance(raised.value, ToolMissing)


def test_the_cache_is_where_the_desktop_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "damludo"

    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert cache_folder() == Path.home() / ".cache" / "damludo"
