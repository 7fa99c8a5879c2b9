"""How fast another library finds legal moves; run by `damludo bench rules --witness PYTHON`, in that interpreter's environment.

Runs alone, by its path: that environment need not have this program. Two libraries are known; both are imported as `draughts`, so
an environment has one of them. Arguments are games with depths, `english:5`; the answer is one JSON document, an empty one if no
library is there.
"""

import importlib
import importlib.metadata
import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

BOARDS: Mapping[str, Callable[[Any, str], Any]] = {
    "pydraughts": lambda module, key: module.Board(variant={"international": "standard"}.get(key, key)),
    "py-draughts": lambda module, key: {"english": module.AmericanBoard, "international": module.StandardBoard}[key](),
}
"""The libraries, each with how a board is made."""


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


def leaves_per_s(board: Any, depth: int) -> float:
    """Return the leaf nodes per second of processor time."""
    start_s = time.process_time()
    nodes = perft(board, depth)
    return round(nodes / (time.process_time() - start_s), 1)


def measure(depths: Mapping[str, int]) -> dict[str, object]:
    """Return the library that is there with its speed in each game; nothing if there is none, or it lacks something itself."""
    for library, board in BOARDS.items():
        try:
            version = importlib.metadata.version(library)
            module = importlib.import_module("draughts")
        except ImportError:  # also the metadata's PackageNotFoundError
            continue
        speeds = {key: leaves_per_s(board(module, key), depth) for key, depth in depths.items()}
        return {"library": f"{library} {version}", "leaves_per_s": speeds}
    return {}


if __name__ == "__main__":
    pairs = (word.split(":") for word in sys.argv[1:])
    sys.stdout.write(json.dumps(measure({key: int(depth) for key, depth in pairs})) + "\n")
