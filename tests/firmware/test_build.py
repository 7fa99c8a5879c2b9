"""What the compiled image is made of: its size, and what must not be in it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

FLASH_LIMIT = 26 * 1024
RAM_LIMIT = 1536
FORBIDDEN = re.compile(
    r"\b(malloc|free|_Znwj|_ZdlPv|__(?:add|sub|mul|div)sf3\w*|__fix\w*sf\w*|__float\w+sf|_delay\w*|delay)\b"
)
"""Heap and float, by the names their routines have in avr-libc and libgcc."""


@pytest.fixture(scope="module")
def image(root: Path) -> Path:
    """The linked image."""
    if shutil.which("avr-g++") is None:
        pytest.skip("there is no avr-g++: make system")
    done = subprocess.run(["make", "-C", str(root / "firmware"), "avr"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "firmware" / "build" / "avr" / "damludo_gantry.elf"


def test_flash_and_static_memory_keep_their_limits(image: Path) -> None:
    told = subprocess.run(["avr-size", "-A", str(image)], capture_output=True, text=True, check=True).stdout
    sizes = {name: int(size) for name, size in re.findall(r"^(\.\w+)\s+(\d+)", told, re.MULTILINE)}
    assert sizes[".text"] + sizes[".data"] <= FLASH_LIMIT
    assert sizes[".data"] + sizes[".bss"] <= RAM_LIMIT


def test_there_is_neither_heap_nor_float_in_the_image(image: Path) -> None:
    told = subprocess.run(["avr-nm", "-C", str(image)], capture_output=True, text=True, check=True).stdout
    assert FORBIDDEN.findall(told) == []


def test_no_arduino_library_is_used(root: Path) -> None:
    sources = list((root / "firmware" / "damludo_gantry").glob("*.*"))
    assert len(sources) > 30
    for source in sources:
        text = source.read_text(encoding="utf-8")
        assert not re.search(r"#include\s*<(Arduino|Servo|EEPROM|AccelStepper|Wire)", text), source
        assert not re.search(r"\b(String|new|delete|malloc|float|double)\s", re.sub(r"//.*", "", text)), source


def test_the_sketch_holds_setup_and_loop(root: Path) -> None:
    sketch = (root / "firmware" / "damludo_gantry" / "damludo_gantry.ino").read_text(encoding="utf-8")
    assert re.findall(r"^void (\w+)\(\)", sketch, re.MULTILINE) == ["setup", "loop"]
