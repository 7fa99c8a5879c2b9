"""How fast another library finds legal moves; run by `damludo bench --witness PYTHON`, in that interpreter's environment.

Runs alone, by its path: that environment need not have this program. Three libraries are known, and an environment has one of
them: two are imported as `draughts`, the third counts lines by itself. Arguments are games with depths, `english:5`, of which
those are counted that the library plays, and libraries, if not all are asked for; the answer is one JSON document, an empty one
if no library is there.
"""

import importlib
import importlib.metadata
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple


class Library(NamedTuple):
    """A library that is known here: the module to import, the games it is asked about, how it makes a board."""

    module: str
    games: tuple[str, ...]
    board: Callable[[Any, str], Any]


LIBRARIES: Mapping[str, Library] = {
    "pydraughts": Library(
        "draughts",
        ("english", "international"),
        lambda module, key: module.Board(variant={"international": "standard"}.get(key, key)),
    ),
    "py-draughts": Library(
        "draughts",
        ("english", "international"),
        lambda module, key: {"english": module.AmericanBoard, "international": module.StandardBoard}[key](),
    ),
    "dame-rs": Library("dame", ("international",), lambda module, _: module.Board()),
}


def perft(board: Any, depth: int) -> int:
    """Return the number of lines of `depth` plies, at least 1."""
    # A method in one library, a property in the other.
    moves = list(board.legal_moves() if callable(board.legal_moves) else board.legal_moves)
    if depth == 1:
        return len(moves)
    nodes = 0
    for move in moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes


def leaves_per_s(board: Any, depth: int, count: Callable[[Any, int], int] = perft) -> float:
    """Return the leaf nodes per second of processor time."""
    start_s = time.process_time()
    nodes = count(board, depth)
    return round(nodes / (time.process_time() - start_s), 1)


def measure(depths: Mapping[str, int], libraries: Sequence[str]) -> dict[str, object]:
    """Return the library that is there with its speed in each game; nothing if there is none, or it lacks something itself."""
    for name in libraries:
        library = LIBRARIES[name]
        try:
            version = importlib.metadata.version(name)
            module = importlib.import_module(library.module)
        except ImportError:  # also the metadata's PackageNotFoundError
            continue
        count = getattr(module, "perft", perft)
        speeds = {
            key: leaves_per_s(library.board(module, key), depth, count)
            for key, depth in depths.items()
            if key in library.games
        }
        return {"library": f"{name} {version}", "leaves_per_s": speeds}
    return {}


if __name__ == "__main__":
    games = dict(word.split(":") for word in sys.argv[1:] if ":" in word)
    asked = [word for word in sys.argv[1:] if ":" not in word] or list(LIBRARIES)
    sys.stdout.write(json.dumps(measure({key: int(depth) for key, depth in games.items()}, asked)) + "\n")
