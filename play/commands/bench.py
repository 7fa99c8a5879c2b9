"""`damludo bench`: how fast the parts of the program are on this machine, in processor time."""

import argparse
import importlib
import importlib.metadata
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from damludo.play.arguments import count
from damludo.play.console import ExitCode, print_json
from damludo.rules.perft import perft
from damludo.rules.variants import variant

HELP = "measure how fast the parts of the program are on this machine"
EXAMPLES = ("damludo bench rules", "damludo bench vision --views 210 --json")

LEAVES = {"english": 6, "international": 5}
"""Games whose lines are counted, and to which depth: less than a second of work."""

LEAVES_PER_S = 40_000
"""What the readable generator promises, in leaf nodes per second of processor time."""

OTHERS: Mapping[str, Callable[[Any, str], Any]] = {
    "pydraughts": lambda module, key: module.Board(variant={"international": "standard"}.get(key, key)),
    "py-draughts": lambda module, key: {"english": module.AmericanBoard, "international": module.StandardBoard}[key](),
}
"""Two libraries for comparison, each with how a board is made; both are imported as `draughts`, so at most one is there."""

OTHER_DEPTH = {"english": 5, "international": 4}
"""They are much slower."""

RUNS = 3
"""The best of so many runs counts: others only tell what else the machine had to do."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure.

    Attributes:
        name: what was measured.
        value: the figure.
        unit: its unit.
        bar: what is promised; None without a promise.
        at_most: the promise is an upper bound.
    """

    name: str
    value: float
    unit: str
    bar: float | None = None
    at_most: bool = False

    @property
    def kept(self) -> bool:
        """The promise is kept."""
        if self.bar is None:
            return True
        return self.value <= self.bar if self.at_most else self.value >= self.bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("part", nargs="?", choices=tuple(PARTS), help="what to measure (default: every part)")
    parser.add_argument("--views", type=count, default=42, metavar="N", help="random views that vision is set up on")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; a promise that is not kept is said, and is no error of the command."""
    parts = tuple(PARTS) if arguments.part is None else (arguments.part,)
    figures = {part: PARTS[part](arguments) for part in parts}
    if arguments.json:
        print_json({part: [{**asdict(figure), "kept": figure.kept} for figure in figures[part]] for part in parts})
        return ExitCode.FINE
    for part in parts:
        for figure in figures[part]:
            promise = (
                ""
                if figure.bar is None
                else f"  (promised {_shown(figure.bar)}: {'kept' if figure.kept else 'MISSED'})"
            )
            print(f"{part:<8} {figure.name:<32} {_shown(figure.value):>12} {figure.unit}{promise}")
    return ExitCode.FINE


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def vision(views: int) -> tuple[Figure, ...]:
    """Set up on random rendered views of all games, and time readings."""
    from damludo.play.bench_vision import calibration_figures

    return tuple(
        Figure(name, round(value, 4), unit, bar, most) for name, value, unit, bar, most in calibration_figures(views)
    )


def rules() -> tuple[Figure, ...]:
    """Measure the readable generator: leaf nodes per second of processor time, and how another library fares, if one is there."""
    own = {key: _leaves_per_s(key, depth) for key, depth in LEAVES.items()}
    figures = [Figure(f"{key} perft {LEAVES[key]}", own[key], "leaves/s", LEAVES_PER_S) for key in LEAVES]
    for library in OTHERS:
        module = _imported(library)
        for key, depth in OTHER_DEPTH.items() if module else ():
            theirs = _others_leaves_per_s(OTHERS[library](module, key), depth)
            figures.append(Figure(f"{key} by {library}", theirs, "leaves/s"))
            figures.append(Figure(f"{key} against {library}", round(own[key] / theirs, 1), "times"))
    return tuple(figures)


def _imported(library: str) -> Any:
    """Return the module of a library; None if it is not there, or lacks something that it needs itself."""
    try:
        importlib.metadata.distribution(library)
        return importlib.import_module("draughts")
    except ImportError:  # also the metadata's PackageNotFoundError
        return None


def _others_leaves_per_s(board: Any, depth: int) -> float:
    start_s = time.process_time()
    nodes = _others_perft(board, depth)
    return round(nodes / (time.process_time() - start_s), 1)


def _others_perft(board: Any, depth: int) -> int:
    # A method in one library, a property in the other.
    moves = list(board.legal_moves() if callable(board.legal_moves) else board.legal_moves)
    if depth == 1:
        return len(moves)
    nodes = 0
    for move in moves:
        board.push(move)
        nodes += _others_perft(board, depth - 1)
        board.pop()
    return nodes


def _leaves_per_s(key: str, depth: int) -> float:
    game = variant(key)
    perft(game, game.start, 2)  # makes the tables, which are kept
    best = 0.0
    for _ in range(RUNS):
        start_s = time.process_time()
        nodes = perft(game, game.start, depth)
        best = max(best, nodes / (time.process_time() - start_s))
    return round(best, 1)


PARTS: Mapping[str, Callable[[argparse.Namespace], tuple[Figure, ...]]] = {
    "rules": lambda _: rules(),
    "vision": lambda arguments: vision(arguments.views),
}
"""The parts by name, each with what measures it."""
