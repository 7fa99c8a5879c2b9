"""Settings: option > environment `DAMLUDO_SECTION__KEY` > file `settings.toml` > default. One frozen tree, known keys only."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from damludo.play.console import CommandError, ExitCode

ENVIRONMENT_PREFIX = "DAMLUDO_"


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """Section `[play]`: what is played; `clock` is minutes and seconds a move like "10+5", or "off".

    `touch` is what a touched disc means: "ask" (in games that have the rule), "strict" (in every game) or "off". `ponder`: "on",
    the machine's highest level thinks while you do (on a real table, with a second processor), or "off".
    """

    game: str = "damludo"
    level: int = 3
    machine: str = "black"
    clock: str = "off"
    touch: str = "ask"
    ponder: str = "on"


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Section `[web]`: the page. `browser`: "open", or "leave" to print its address only."""

    port: int = 8321
    browser: str = "open"


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Section `[camera]`: where pictures come from (a number, a device path, a file or an http address)."""

    source: str = ""


@dataclass(frozen=True, slots=True)
class GantrySettings:
    """Section `[gantry]`: the serial port of the controller."""

    port: str = ""


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """Section `[board]`: what a camera alone cannot know."""

    square_mm: float = 50.0
    disc_diameter_mm: float = 38.0
    disc_height_mm: float = 9.0


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings."""

    play: PlaySettings = PlaySettings()
    web: WebSettings = WebSettings()
    camera: CameraSettings = CameraSettings()
    gantry: GantrySettings = GantrySettings()
    board: BoardSettings = BoardSettings()


def load_settings(file: Path, environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings of a file (which may be missing) and of the environment.

    Raises:
        CommandError: unreadable file, unknown section or key (the nearest known one is named), value of a wrong type.
    """
    settings = Settings()
    for section, values in _from_file(file).items():
        if not isinstance(values, dict):
            raise _bad(f"{file}: '{section}' must be a section, write [{section}]")
        for key, value in values.items():
            settings = _with(settings, str(file), section, key, value)
    for variable, text in sorted((os.environ if environment is None else environment).items()):
        section, double, key = variable.removeprefix(ENVIRONMENT_PREFIX).lower().partition("__")
        if variable.startswith(ENVIRONMENT_PREFIX) and double:
            settings = _with(settings, f"environment variable {variable}", section, key, text)
    return settings


def _from_file(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as opened:
            return tomllib.load(opened)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _bad(f"{file} cannot be read: {error}; repair or delete it") from error


def _with(settings: Settings, where: str, section: str, key: str, value: object) -> Settings:
    part = getattr(settings, _known(section, settings, where, "section"))
    name = _known(key, part, where, f"key in [{section}]")
    wanted = type(getattr(part, name))
    return replace(
        settings, **{section: replace(part, **{name: _converted(value, wanted, f"{where}: {section}.{name}")})}
    )


def _known(name: str, owner: Any, where: str, what: str) -> str:
    names = [field.name for field in fields(owner)]
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.0)[0]
    raise _bad(f"{where}: unknown {what} '{name}'; the nearest known one is '{near}'")


def _converted(value: object, wanted: type, what: str) -> object:
    """A text (from the environment) is converted; a number of the file may be whole where a fraction is meant."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _bad(f"{what} = {value!r} must be a {_KIND[wanted]}")
    try:
        converted: object = wanted(value)
    except ValueError as error:
        raise _bad(f"{what} = {value!r} must be a {_KIND[wanted]}") from error
    if (isinstance(value, float) and wanted is int) or (isinstance(value, int | float) and wanted is str):
        raise _bad(f"{what} = {value!r} must be a {_KIND[wanted]}")
    return converted


_KIND = {str: "text in quotes", int: "whole number", float: "number"}


def _bad(message: str) -> CommandError:
    return CommandError(message, ExitCode.BAD_INPUT)
