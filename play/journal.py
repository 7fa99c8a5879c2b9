"""The journal of a match: append-only, one event a line, each with a checksum, on the disk before the next step.

A line is a JSON object `{"n": ..., "t": ..., "event": ..., "text": ..., "data": {...}, "crc": "xxxxxxxx"}`; `crc` is the CRC-32
of the line's text without its `crc` member. A torn or flipped tail is cut when reading: what stands before it is still the game.
"""

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from damludo.play.console import cannot_write
from damludo.play.events import JsonValue, MatchEvent


class Journal:
    """Writes the events of one match to a file. A `Listener`."""

    def __init__(self, path: Path) -> None:
        """Start a new journal.

        Raises:
            FileExistsError: the file is there already: a journal is never overwritten.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("x", encoding="utf-8", newline="\n")
        self._count = 0

    def __call__(self, event: MatchEvent) -> None:
        """Append one event; it is on the disk when this returns."""
        self._count += 1
        self._file.write(journal_line(self._count, event) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file. May be called more than once."""
        self._file.close()


def open_journal(path: Path) -> Journal:
    """Start a new journal in a folder that a user named.

    Raises:
        CommandError: it cannot be written, or is there already.
    """
    try:
        return Journal(path)
    except OSError as error:
        raise cannot_write(path, error) from error


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
