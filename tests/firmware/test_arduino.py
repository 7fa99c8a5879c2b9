"""The sketch as the Arduino IDE builds it: with the Arduino core, its main() and its flags. The same, but it needs more room."""

import shutil
import subprocess
from pathlib import Path

import pytest

from damludo.simulation.controllers import avr_command
from damludo.simulation.process import BoardProcess

CORE = Path("/usr/share/arduino/hardware/arduino/avr")
BOARD_FLASH = 32_256
"""What the Uno's boot loader leaves, bytes."""
STACK_BYTES = 512
"""Must be left of the 2,048 bytes of RAM."""
# As the core's platform.txt has them; the last one is for a constant that the core's WString wants and this compiler lacks.
COMMON = (
    *("-c", "-g", "-Os", "-w", "-ffunction-sections", "-fdata-sections", "-flto", "-mmcu=atmega328p"),
    *("-DF_CPU=16000000L", "-DARDUINO=10819", "-DARDUINO_AVR_UNO", "-DARDUINO_ARCH_AVR"),
    "-DDECIMAL_DIG=__DECIMAL_DIG__",
)
C = ("avr-gcc", "-std=gnu11", "-fno-fat-lto-objects", *COMMON)
CPP = ("avr-g++", "-std=gnu++11", "-fpermissive", "-fno-exceptions", "-fno-threadsafe-statics", *COMMON)

pytestmark = pytest.mark.slow


def _run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def linked(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sketch, linked with the core."""
    if shutil.which("avr-g++") is None or not CORE.is_dir():
        pytest.skip("there is no avr-g++ or no Arduino core: make system")
    build = tmp_path_factory.mktemp("arduino")
    core, sketch = CORE / "cores" / "arduino", root / "firmware" / "damludo_gantry"
    include = ("-I", core, "-I", CORE / "variants" / "standard", "-I", sketch)
    (build / "sketch.cpp").write_text(
        f'#include <Arduino.h>\n#include "{sketch}/damludo_gantry.ino"\n', encoding="ascii"
    )

    def compiled(source: Path) -> Path:
        target = build / f"{source.parent.name}-{source.name}.o"
        _run(*(CPP if source.suffix == ".cpp" else C), *include, source, "-o", target)
        return target

    library = [compiled(source) for source in sorted(core.glob("*.c*")) if source.suffix in (".c", ".cpp")]
    _run("avr-gcc-ar", "rcs", build / "core.a", *library)
    own = [compiled(source) for source in (build / "sketch.cpp", *sorted(sketch.glob("*.cpp")))]
    link = ("avr-gcc", "-w", "-Os", "-flto", "-fuse-linker-plugin", "-Wl,--gc-sections", "-mmcu=atmega328p")
    _run(*link, "-o", build / "sketch.elf", *own, build / "core.a", "-lm")
    return build / "sketch.elf"


def test_the_sketch_fits_the_board_when_the_arduino_ide_builds_it(linked: Path) -> None:
    told = [line.split() for line in _run("avr-size", "-A", linked).splitlines()]
    size = {words[0]: int(words[1]) for words in told if len(words) == 3 and words[0].startswith(".")}
    assert size[".text"] + size[".data"] <= BOARD_FLASH
    assert size[".data"] + size[".bss"] <= 2048 - STACK_BYTES


def test_the_sketch_of_the_arduino_ide_greets_homes_and_moves(linked: Path) -> None:
    program = linked.with_suffix(".hex")
    _run("avr-objcopy", "-O", "ihex", linked, program)
    with BoardProcess(avr_command(program), start=(-400, -400, -400)) as board:

        def heard(word: bytes, data: bytes, limit_s: float = 60.0) -> bytes:
            board.output.clear()
            end_ns = board.report.now_ns + round(limit_s * 1e9)
            board.advance(board.report.now_ns + 1_000_000, data)
            while word not in board.output:
                assert board.report.now_ns < end_ns, bytes(board.output)
                board.advance(board.report.now_ns + 2_000_000, b"")
            return bytes(board.output)

        board.reset()
        assert b"Grbl 1.1h" in heard(b"[MSG:'$H'", b"")
        board.advance(board.report.now_ns + 200_000_000, b"")
        assert b"ok" in heard(b"ok", b"$H\n")
        homed = board.report.steps
        assert b"ok" in heard(b"ok", b"G21 G91 G0 X-1 Y-2\n")
        board.advance(board.report.now_ns + 2_000_000_000, b"")
        moved = board.report.steps
        assert (moved[0] - homed[0], moved[1] - homed[1], moved[2] - homed[2]) == (-80, -160, 0)
