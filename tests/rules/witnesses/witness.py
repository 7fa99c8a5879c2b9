"""The legal moves by another library, told to `test_witnesses.py`. Runs alone, in an environment that has one of the libraries.

Both libraries are imported as `draughts`; the first argument says which one is there. Each line read is a game and a FEN with a
tab between; each line written is a JSON list of moves [from, to, [captured]], in the library's own numbers counted from 1.
"""

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

Moves = list[tuple[int, int, list[int]]]

BOARDS = {
    "english": "AmericanBoard",
    "russian": "RussianBoard",
    "brazilian": "BrazilianBoard",
    "international": "StandardBoard",
    "frisian": "FrisianBoard",
}


def by_pydraughts(draughts: Any, game: str, fen: str) -> Moves:
    """Return the moves by the library `pydraughts`."""
    board = draughts.Board(variant={"international": "standard"}.get(game, game), fen=fen)
    return [(move.steps_move[0], move.steps_move[-1], sorted(move.captures or [])) for move in board.legal_moves()]


def by_py_draughts(draughts: Any, game: str, fen: str) -> Moves:
    """Return the moves by the library `py-draughts`."""
    board = getattr(draughts, BOARDS[game]).from_fen(fen)
    return [
        (move.square_list[0] + 1, move.square_list[-1] + 1, sorted(square + 1 for square in move.captured_list))
        for move in board.legal_moves
    ]


LIBRARIES: dict[str, Callable[[Any, str, str], Moves]] = {"pydraughts": by_pydraughts, "py-draughts": by_py_draughts}


def main() -> None:
    """Answer line by line."""
    moves = LIBRARIES[sys.argv[1]]
    draughts = importlib.import_module("draughts")
    for line in sys.stdin:
        game, fen = line.rstrip("\n").split("\t")
        sys.stdout.write(json.dumps(moves(draughts, game, fen)) + "\n")


if __name__ == "__main__":
    main()
