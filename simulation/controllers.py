"""The three controllers that can stand behind the simulated gantry: which one, made of what."""

from collections.abc import Callable, Mapping
from pathlib import Path

from damludo.robot.firmware_image import prebuilt_image
from damludo.simulation.controller import Controller
from damludo.simulation.grbl_settings import Settings
from damludo.simulation.process import BoardProcess
from damludo.simulation.process_controller import ProcessController, TrueMechanics, steps_of
from damludo.simulation.toolchain import Program, build, sources_below
from damludo.simulation.transport import Peer

_HERE = Path(__file__).parent
FIRMWARE = _HERE.parent / "firmware"
"""The source of the firmware."""


def avr_program() -> Program:
    """Return what the AVR simulator is made of."""
    return Program(
        "damludo-avr",
        ("cc", "gcc", "clang"),
        sources_below(_HERE / "avr", (".c",)),
        sources_below(_HERE / "avr", (".h",)),
        ("-std=gnu11", "-O2"),
        ("-lsimavr",),
        "gcc libc6-dev libsimavr-dev libelf-dev",
    )


def native_program() -> Program:
    """Return what the firmware for this computer is made of."""
    core, native = FIRMWARE / "damludo_gantry", FIRMWARE / "native"
    return Program(
        "damludo-native",
        ("c++", "g++", "clang++"),
        sources_below(core, (".cpp",)) + sources_below(native, (".cpp",)),
        sources_below(core, (".h",)) + sources_below(native, (".h",)),
        ("-std=c++11", "-O2", f"-I{core}"),
        packages="g++",
    )


def avr_command(image: Path | None = None) -> list[str]:
    """Return the command that runs an image (None: the one that is flashed) in the AVR simulator, compiled if need be.

    Raises:
        ToolMissing: compiler or libsimavr is missing.
        BadImage: the prebuilt image is missing or damaged.
    """
    return [str(build(avr_program())), str(image or prebuilt_image().path)]


def native_command() -> list[str]:
    """Return the command that runs the firmware compiled for this computer.

    Raises:
        ToolMissing: a compiler or the firmware's source is missing.
    """
    return [str(build(native_program()))]


_COMMANDS: Mapping[str, Callable[[], list[str]]] = {"native": native_command, "avr": avr_command}
CONTROLLERS = ("python", *_COMMANDS)
"""What can be chosen: a model in Python that needs nothing, the firmware compiled for this computer, the flashed image."""


def make_controller(kind: str, mechanics: TrueMechanics, settings: Settings) -> Peer:
    """Put a controller behind a gantry.

    Args:
        kind: one of `CONTROLLERS`.
        mechanics: hang on its pins.
        settings: its EEPROM.

    Raises:
        ToolMissing: what this kind needs is not on this computer.
    """
    if kind == "python":
        return Controller(mechanics, settings)
    process = BoardProcess(_COMMANDS[kind](), start=steps_of(mechanics.position, settings.axes(100)))
    return ProcessController(mechanics, process, settings)
