"""The journal of a match: append-only, one event a line, each with a checksum, on the disk before the next step.

A line is a JSON object `{"n": ..., "t": ..., "event": ..., "text": ..., "data": {...}, "crc": "xxxxxxxx"}`; `crc` is the CRC-32
of the line's text without its `crc` member. A torn or flipped tail is cut when reading: what stands before it is still the game.
A game that was cut off goes on in its own journal: `n` goes on too, `t` begins anew with the clock of the new sitting.
A disk that is full stops no game: what it does not take waits in memory, in order, and is tried again with each event.
"""

import fcntl
import json
import os
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from damludo.play.console import CommandError, ExitCode, cannot_write, note
from damludo.play.match.events import JsonValue, MatchEvent

CUT_SUFFIX = ".cut"
"""What could not be read of a journal is kept in a file of its name with this ending when the game goes on."""


class Journal:
    """Writes the events of one match to a file, which nobody else may write to meanwhile. A `Listener`.

    Attributes:
        warn: is told in a sentence when the disk takes no more, and when it has taken all that waited.
    """

    def __init__(self, path: Path, *, goes_on: bool = False) -> None:
        """Start a new journal, or go on with one: an unreadable end is put aside then, never thrown away.

        Raises:
            FileExistsError: a new one is there already: a journal is never overwritten.
            OSError: it cannot be written, or another program is writing it (`BlockingIOError`).
        """
        self.warn: Callable[[str], None] = note
        self._path, self._count, self._waiting = path, 0, b""
        self._file = _locked(path, "rb+" if goes_on else "xb")
        self._size = 0  # bytes of whole lines
        if goes_on:
            content = read_journal(path)
            if content.cut_bytes:
                _put_aside(path, content.cut_bytes)
            self._count = len(content.entries)
            self._size = path.stat().st_size

    def __call__(self, event: MatchEvent) -> None:
        """Append one event; it is on the disk when this returns, unless the disk takes nothing."""
        self._count += 1
        behind, self._waiting = bool(self._waiting), self._waiting + f"{journal_line(self._count, event)}\n".encode()
        try:
            self._write()
        except OSError as error:
            if not behind:
                reason = error.strerror or type(error).__name__
                self.warn(
                    f"The game cannot be kept in {self._path} ({reason}): it goes on; please make room on the disk."
                )
        else:
            if behind:
                self.warn(f"The whole game is kept in {self._path} again.")

    def _write(self) -> None:
        """Write all that waits. A line that was written in part would hide all behind it, so it is written over."""
        self._file.seek(self._size)
        self._file.truncate()
        written = 0
        while written < len(self._waiting):
            written += self._file.write(self._waiting[written:]) or 0
        os.fsync(self._file.fileno())
        self._size, self._waiting = self._size + written, b""

    def close(self) -> None:
        """Close the file. May be called more than once."""
        self._file.close()


def _locked(path: Path, mode: str) -> FileIO:
    # For nobody but this user, as the XDG base directory specification asks for the folders it names.
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = FileIO(path, mode)
    try:
        # The lock goes with the process, however that ends.
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file


def open_journal(path: Path) -> Journal:
    """Start a new journal in a folder that a user named.

    Raises:
        CommandError: it cannot be written, or is there already.
    """
    try:
        return Journal(path)
    except OSError as error:
        raise cannot_write(path, error) from error


def reopen_journal(path: Path) -> Journal:
    """Go on with a journal.

    Raises:
        CommandError: it cannot be written, or its game is being played.
    """
    try:
        return Journal(path, goes_on=True)
    except BlockingIOError as error:
        raise CommandError(
            f"the game in {path} is being played by another program; end that one first", ExitCode.BAD_INPUT
        ) from error
    except OSError as error:
        raise cannot_write(path, error) from error


def is_being_written(path: Path) -> bool:
    """Say whether a program is writing this journal now."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


@dataclass(frozen=True, slots=True)
class JournalContent:
    """What could be read: the good lines, and how many bytes at the end were cut off."""

    entries: tuple[Mapping[str, JsonValue], ...]
    cut_bytes: int


def journal_line(number: int, event: MatchEvent) -> str:
    """Return the text of one line, without line end."""
    body: dict[str, JsonValue] = {
        "n": number,
        "t": round(event.time_s, 3),
        "event": event.kind.value,
        "text": event.text,
        "data": dict(event.data),
    }
    return _with_checksum(body)


def read_journal(path: Path) -> JournalContent:
    """Read a journal up to the first line that is torn, changed or out of order."""
    raw = path.read_bytes()
    entries: list[Mapping[str, JsonValue]] = []
    good_bytes = 0
    for line in raw.splitlines(keepends=True):
        entry = _checked(line) if line.endswith(b"\n") else None
        if entry is None or entry.get("n") != len(entries) + 1:
            break
        entries.append(entry)
        good_bytes += len(line)
    return JournalContent(tuple(entries), len(raw) - good_bytes)


def _put_aside(path: Path, cut_bytes: int) -> None:
    """Move the last bytes of a journal to the end of its neighbour, safely there before they go here."""
    keep = path.stat().st_size - cut_bytes
    with path.open("rb+") as file, path.with_name(path.name + CUT_SUFFIX).open("ab") as aside:
        file.seek(keep)
        aside.write(file.read())
        aside.flush()
        os.fsync(aside.fileno())
        file.truncate(keep)
        os.fsync(file.fileno())


def _with_checksum(body: Mapping[str, JsonValue]) -> str:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return f'{text[:-1]},"crc":"{zlib.crc32(text.encode()):08x}"}}'


def _checked(line: bytes) -> dict[str, JsonValue] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    if not isinstance(entry, dict):
        return None
    body = {key: value for key, value in entry.items() if key != "crc"}
    return entry if _with_checksum(body).encode() == line.rstrip(b"\n") else None
