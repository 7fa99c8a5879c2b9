"""The journal: what was written is read back; what is torn or changed is cut."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from damludo.play.console import CommandError, ExitCode
from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.records.journal import Journal, journal_line, open_journal, read_journal

EVENTS = [
    MatchEvent(EventKind.STARTED, 0.0, "Damludo: the machine plays black.", {"game": "damludo"}),
    MatchEvent(EventKind.MOVE, 4.25, "You played c3-d4.", {"ply": 1, "move": {"from": "c3", "to": "d4"}}),
    MatchEvent(EventKind.RESULT, 9.0, "Remiso – ŝakmate ne ekzistas.", {"winner": None}),
]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "journals" / "game.jsonl"
    journal = Journal(path)
    for event in EVENTS:
        journal(event)
    journal.close()
    return path


def test_a_line_is_json_with_its_checksum_last() -> None:
    assert journal_line(1, EVENTS[0]) == (
        '{"n":1,"t":0.0,"event":"started","text":"Damludo: the machine plays black.","data":{"game":"damludo"},"crc":"09249ab9"}'
    )


def test_what_was_written_is_read_back(written: Path) -> None:
    content = read_journal(written)
    assert [(entry["event"], entry["text"], entry["data"]) for entry in content.entries] == [
        (event.kind.value, event.text, dict(event.data)) for event in EVENTS
    ]
    assert content.cut_bytes == 0


def test_a_journal_is_never_overwritten(written: Path) -> None:
    with pytest.raises(FileExistsError):
        Journal(written)


def test_the_folder_of_the_games_is_for_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        Journal(tmp_path / "data" / "journals" / "game.jsonl").close()
    finally:
        os.umask(before)
    assert (tmp_path / "data" / "journals").stat().st_mode & 0o777 == 0o700


def test_every_prefix_of_the_file_reads_as_its_whole_lines(written: Path, tmp_path: Path) -> None:
    raw = written.read_bytes()
    for length in range(len(raw) + 1):
        cut = tmp_path / "cut.jsonl"
        cut.write_bytes(raw[:length])
        assert len(read_journal(cut).entries) == raw[:length].count(b"\n")


def test_a_flipped_bit_cuts_the_line_and_what_follows(written: Path) -> None:
    raw = bytearray(written.read_bytes())
    second = raw.index(b"\n") + 20
    for bit in range(8):
        changed = raw.copy()
        changed[second] ^= 1 << bit
        written.write_bytes(changed)
        assert len(read_journal(written).entries) == 1


def test_a_missing_line_cuts_what_follows(written: Path) -> None:
    lines = written.read_bytes().splitlines(keepends=True)
    written.write_bytes(lines[0] + lines[2])
    assert len(read_journal(written).entries) == 1


@pytest.mark.parametrize("in_the_way", ["journal", "file for a folder"])
def test_a_journal_that_cannot_be_begun_is_bad_input(tmp_path: Path, in_the_way: str) -> None:
    path = tmp_path / "kept" / "game.jsonl"
    if in_the_way == "journal":
        Journal(path).close()
    else:
        path.parent.write_text("")
    with pytest.raises(CommandError, match="cannot be written") as caught:
        open_journal(path)
    assert caught.value.code is ExitCode.BAD_INPUT


FULL_DISK = """
import resource, sys
from pathlib import Path
from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.records.journal import Journal

def room(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

journal = Journal(Path(sys.argv[1]))
journal.warn = print
for number in range(4):
    journal(MatchEvent(EventKind.NOTE, float(number), "before"))
room(Path(sys.argv[1]).stat().st_size + int(sys.argv[2]))
for number in range(4, 8):
    journal(MatchEvent(EventKind.NOTE, float(number), "on the full disk"))
print(len(Path(sys.argv[1]).read_bytes()))
if sys.argv[3] == "room":
    room(resource.RLIM_INFINITY)
    journal(MatchEvent(EventKind.NOTE, 8.0, "behind"))
journal.close()
"""
"""A game on a disk that takes so many bytes more, then none, and perhaps has room again."""


@pytest.mark.parametrize("takes", [0, 1, 40, 100])
def test_a_disk_that_is_full_for_a_while_costs_no_line(tmp_path: Path, takes: int) -> None:
    path = tmp_path / "game.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path), str(takes), "room"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    full, _, again = done.stdout.splitlines()
    assert full == f"The game cannot be kept in {path} (File too large): it goes on; please make room on the disk."
    assert again == f"The whole game is kept in {path} again."
    content = read_journal(path)
    assert [entry["t"] for entry in content.entries] == [float(number) for number in range(9)]
    assert content.cut_bytes == 0


def test_a_disk_that_stays_full_keeps_what_was_on_it(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    subprocess.run([sys.executable, "-c", FULL_DISK, str(path), "40", "none"], capture_output=True, check=True)
    assert [entry["text"] for entry in read_journal(path).entries] == ["before"] * 4

    journal = Journal(path, goes_on=True)
    journal(EVENTS[1])
    journal.close()
    assert len(read_journal(path).entries) == 5
