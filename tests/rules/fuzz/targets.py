"""What is held against any bytes whatever: the readers of positions, moves and records raise no error but their own, and soon.

Used by `fuzz.py`, which looks for such bytes for as long as one lets it, and by `test_seeds.py`, which repeats what it found.
"""

import contextlib
import json
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from damludo.rules.errors import BadMove, BadPosition, BadRecord, IllegalMove
from damludo.rules.notation import format_fen, parse_fen, parse_move
from damludo.rules.pdn import decode_pdn, read_pdn, write_pdn
from damludo.rules.variants import VARIANTS

SECONDS = 2.0
MEGABYTES = 200.0
"""What one input may cost."""

GAMES = tuple(VARIANTS.values())


def fen(data: bytes) -> None:
    """Read a position (the first byte names the game) and a move in it; what is read must be written so that it is read again."""
    game, text = GAMES[data[0] % len(GAMES) if data else 0], data[1:].decode("utf-8", "replace")
    try:
        position = parse_fen(game, text)
    except BadPosition:
        position = game.start
    else:
        assert parse_fen(game, format_fen(game, position)) == position
    with contextlib.suppress(BadMove, IllegalMove):
        parse_move(game, position, text)


def pdn(data: bytes) -> None:
    """Read a record (the first byte names the game, or lets the tags do it); each game that is read must survive writing."""
    given = data[0] % (len(GAMES) + 1) if data else 0
    try:
        games = read_pdn(decode_pdn(data[1:]), GAMES[given - 1] if given else None)
    except BadRecord:
        return
    for read in games:
        (again,) = read_pdn(write_pdn(read.game, read.tags, read.ended, read.rulings), read.game.variant)
        assert (again.problems, again.game) == ((), read.game)


TARGETS: Mapping[str, Callable[[bytes], None]] = {"fen": fen, "pdn": pdn}


def megabytes_so_far() -> float:
    """Return the most memory that this process has held at once."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def hold_to_limits(target: str, data: bytes) -> None:
    """Run a target and hold it to its time and memory."""
    before_mb, started_s = megabytes_so_far(), time.process_time()
    TARGETS[target](data)
    took_s, took_mb = time.process_time() - started_s, megabytes_so_far() - before_mb
    assert took_s < SECONDS, f"{took_s:.1f} s for {len(data)} bytes"
    assert took_mb < MEGABYTES, f"{took_mb:.0f} MB for {len(data)} bytes"


def seeds(target: str) -> list[bytes]:
    """Return the inputs that were found worth keeping: each reaches a line or a branch that the others do not."""
    lines = (Path(__file__).parent / f"{target}.jsonl").read_text(encoding="ascii").splitlines()
    return [json.loads(line).encode("latin-1") for line in lines]
