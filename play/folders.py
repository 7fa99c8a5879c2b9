"""Where Damludo keeps its files: the XDG folders, or one folder given by the user."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Folders:
    """The two folders below which everything is kept."""

    config: Path
    data: Path

    @property
    def calibration(self) -> Path:
        """Profiles of cameras, boards and gantries."""
        return self.data / "calibration"

    @property
    def journals(self) -> Path:
        """Journals of matches."""
        return self.data / "journals"


def folders(home: str | None) -> Folders:
    """Return the folders: below `home` if one is given, else by the XDG base directory specification."""
    if home:
        base = Path(home).expanduser()
        return Folders(base / "config", base / "data")
    return Folders(_xdg("XDG_CONFIG_HOME", ".config"), _xdg("XDG_DATA_HOME", ".local/share"))


def _xdg(variable: str, default: str) -> Path:
    value = os.environ.get(variable, "")
    # The specification says that a relative path in these variables is to be ignored.
    base = Path(value) if os.path.isabs(value) else Path.home() / default
    return base / "damludo"
