"""`damludo bench`: how fast the parts of the program are on this machine, in processor time."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from damludo.engine.perft import perft as engine_perft
from damludo.engine.port import Limits
from damludo.engine.search import AlphaBeta
from damludo.play.arguments import count, index
from damludo.play.console import CommandError, ExitCode, Progress, note, print_json
from damludo.rules.game import Game
from damludo.rules.perft import perft
from damludo.rules.variants import variant

HELP = "measure how fast the parts of the program are on this machine"
EXAMPLES = (
    "damludo bench rules",
    "damludo bench rules --witness other/bin/python",
    "damludo bench engine --witness other/bin/python",
    "damludo bench vision --views 210 --plies 2000 --json",
    "damludo bench robot",
    "damludo bench table --json",
)

LEAVES = {"english": 6, "international": 5}
"""Games whose lines are counted, and to which depth: less than a second of work."""

LEAVES_PER_S = 40_000
"""What the readable generator promises, in leaf nodes per second of processor time."""

NODES_PER_S = 3_000_000
"""What the engine promises, in positions searched per second of processor time."""

OTHER_DEPTH = {"english": 5, "international": 4}
"""For other libraries, which are slower."""

ENGINE_LEAVES = {
    "english": (10, 30 / 28),
    "international": (9, 1.4),
    "russian": (10, 30 / 28),
    "brazilian": (10, 30 / 28),
    "czech": (10, 30 / 28),
    "turkish": (7, 20 / 28),
    "canadian": (8, 12 / 28),
    "dameo": (5, 10 / 28),
}
"""Games whose lines the engine counts, to which depth, and how fast in comparison with dame-rs in international draughts."""

SCALE = ("dame-rs", "international", 9)
"""The library that is the scale for the engine, its game and depth."""

ENGINE_S = 100.0
"""No further game's lines are counted after so much time: each one is compiled first, once on a computer."""

TABLE_GAMES, TABLE_SEED, TABLE_LEVEL = ("damludo", "english"), 7, 2
"""Whole games that are played, what is drawn by chance in them, and how strong both sides are."""

CARRIED = 10
"""A disc is carried so many times to another square and back."""

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
    parser.add_argument(
        "--witness",
        metavar="PYTHON",
        action="append",
        default=[],
        help="also measure the library pydraughts or py-draughts (dame-rs for the engine), which this interpreter has; may be "
        "given twice (default, for the rules: this program's own interpreter, if it has one of them)",
    )
    parser.add_argument(
        "--every-game",
        action="store_true",
        help=f"count the engine's lines in every game of the list, however long it takes (default: in no further one after "
        f"{ENGINE_S:.0f} s)",
    )
    parser.add_argument("--views", type=count, default=42, metavar="N", help="random views that vision is set up on")
    parser.add_argument("--plies", type=count, default=48, metavar="N", help="plies of rendered games that are watched")
    parser.add_argument(
        "--kept",
        type=Path,
        metavar="FILE",
        help="keep each watched game there, and do not watch again what stands there",
    )
    parser.add_argument("--first-game", type=index, default=0, metavar="N", help="number of the first game of --kept")
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


def vision(views: int, plies: int, kept: Path | None = None, first_game: int = 0) -> tuple[Figure, ...]:
    """Set up on random rendered views of all games, time readings, watch rendered games."""
    from damludo.play.benches.set_ups import calibration_figures
    from damludo.play.benches.watching import watch_figures

    rows = [*calibration_figures(views), *watch_figures(plies, kept, first_game)]
    return tuple(Figure(name, round(value, 4), unit, bar, most) for name, value, unit, bar, most in rows)


def rules(witnesses: Sequence[str] = ()) -> tuple[Figure, ...]:
    """Measure the readable generator: leaf nodes per second of processor time, and how other libraries fare.

    Raises:
        CommandError: a witness cannot be run, or has no library that is known here.
    """
    own = {key: _leaves_per_s(key, depth) for key, depth in LEAVES.items()}
    figures = [Figure(f"{key} perft {LEAVES[key]}", own[key], "leaves/s", LEAVES_PER_S) for key in LEAVES]
    for python in witnesses or (sys.executable,):
        heard = _heard(python, OTHER_DEPTH)
        if witnesses and not heard:
            raise CommandError(
                f"{python} has neither pydraughts nor py-draughts; install one of them there", ExitCode.BAD_INPUT
            )
        for key, theirs in cast(Mapping[str, float], heard.get("leaves_per_s", {})).items():
            figures.append(Figure(f"{key} by {heard['library']}", theirs, "leaves/s"))
            figures.append(Figure(f"{key} against it", round(own[key] / theirs, 1), "times"))
    return tuple(figures)


def _heard(python: str, depths: Mapping[str, int], *libraries: str) -> Mapping[str, object]:
    """Return what `benches/foreign_speed.py` says in another interpreter of the first of those libraries it has, or of all."""
    script = Path(__file__).resolve().parents[1] / "benches" / "foreign_speed.py"
    words = [python, str(script), *libraries, *(f"{key}:{depth}" for key, depth in depths.items())]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return cast(Mapping[str, object], json.loads(done.stdout))
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise CommandError(
            f"{python} cannot tell its speed ({type(error).__name__}); name a Python interpreter", ExitCode.BAD_INPUT
        ) from error


def _leaves_per_s(key: str, depth: int) -> float:
    game = variant(key)
    perft(game, game.start, 2)  # makes the tables, which are kept
    best = 0.0
    for _ in range(RUNS):
        start_s = time.process_time()
        nodes = perft(game, game.start, depth)
        best = max(best, nodes / (time.process_time() - start_s))
    return round(best, 1)


def engine(nodes: int = 3_000_000, compiled: bool | None = None) -> tuple[Figure, ...]:
    """Measure the engine's search: positions a second of processor time."""
    game = Game.new(variant("english"))
    player = AlphaBeta(Limits(nodes=nodes), report=note, compiled=compiled)
    player.choose(game)  # makes the engine ready, which is not measured
    best = 0.0
    for _ in range(RUNS):
        start_s = time.process_time()
        searched = player.choose(game).nodes
        best = max(best, searched / (time.process_time() - start_s))
    return (Figure("english search", round(best, 1), "nodes/s", NODES_PER_S),)


def robot() -> tuple[Figure, ...]:
    """Carry a disc to and fro on the simulated table, then press STOP on the way: times are those of the machine."""
    import contextlib

    from damludo.play.table.setup import planner_over
    from damludo.play.table.simulated import measured_map, set_table
    from damludo.robot.dialects.grbl import GRBL
    from damludo.robot.errors import Stopped
    from damludo.robot.gantry import Gantry
    from damludo.robot.places import Transfer
    from damludo.rules.position import Colour
    from damludo.simulation.clock import LockstepClock
    from damludo.simulation.transport import MemoryLine

    simulated = set_table(variant("english"), TABLE_SEED, Colour.WHITE)
    clock, board = LockstepClock(simulated.world), variant("english").board
    c3, d4 = (simulated.layout.square(board.square(name)) for name in ("c3", "d4"))
    with Gantry(MemoryLine(simulated.world, simulated.controller), GRBL, clock) as gantry:
        gantry.connect()
        begin_s = clock.now_s()
        gantry.home()
        home_s = clock.now_s() - begin_s
        planner = planner_over(measured_map(simulated, gantry), gantry.limits, simulated.layout)
        gantry.run(planner.go_to(c3, gantry.position))
        begin_s, begin_cpu_s = clock.now_s(), time.process_time()
        for transfer in (Transfer(c3, d4), Transfer(d4, c3)) * CARRIED:
            gantry.run(planner.transfers([transfer], gantry.position))
        carry_s = (clock.now_s() - begin_s) / (2 * CARRIED)
        carry_cpu_s = (time.process_time() - begin_cpu_s) / (2 * CARRIED)
        presser = _Presser(gantry.stop, clock.now_s)
        with contextlib.suppress(Stopped):
            gantry.run(planner.park(gantry.position), presser)
        stop_s = clock.now_s() - presser.pressed_s
    return (
        Figure("homing", round(home_s, 2), "s"),
        Figure("a disc from c3 to d4", round(carry_s, 2), "s"),
        Figure("STOP to standstill known", round(stop_s, 3), "s"),
        Figure("driver and controller, a disc", round(carry_cpu_s, 4), "CPU s"),
        Figure("crushed or dropped", float(len(simulated.table.mishaps)), "discs", 0.0, at_most=True),
    )


class _Presser:
    """A `Guard` that sees no hand and presses STOP in full motion."""

    LOOK = 6
    """Looks are 0.1 s apart: by this one the carriage is on its way."""

    def __init__(self, stop: Callable[[], None], now_s: Callable[[], float]) -> None:
        self._stop, self._now_s = stop, now_s
        self._looks, self.pressed_s = 0, 0.0

    def clear(self, _: object) -> bool:
        self._looks += 1
        if self._looks == self.LOOK:
            self.pressed_s = self._now_s()
            self._stop()
        return True


def table(games: Sequence[str] = TABLE_GAMES, modelled: bool = False) -> tuple[Figure, ...]:
    """Play a whole game of each on the simulated table, with rendered pictures or modelled readings."""
    import cv2

    from damludo.play.table.humans import HumanSpec
    from damludo.play.table.simulated import SimulationOptions, play_game

    cv2.setNumThreads(1)  # CPU seconds mean something
    figures: list[Figure] = []
    for key in games:
        note(f"playing a whole game of {key} ...")
        options = SimulationOptions(variant(key), TABLE_SEED, HumanSpec(TABLE_LEVEL), TABLE_LEVEL, modelled)
        begin_s = time.process_time()
        score = play_game(options, 0).score
        cpu_s = time.process_time() - begin_s
        figures += [
            Figure(f"{key}, plies", float(score.plies), "plies"),
            Figure(f"{key}, wrong plies", float(score.wrong_plies), "plies", 0.0, at_most=True),
            Figure(f"{key}, false penalties", float(score.false_penalties), "rulings", 0.0, at_most=True),
            Figure(f"{key}, crushed or dropped", float(score.crushed + score.dropped), "discs", 0.0, at_most=True),
            Figure(f"{key}, steps done twice", float(score.double_steps), "steps", 0.0, at_most=True),
            Figure(f"{key}, questions", float(score.asked_human), "questions"),
            Figure(f"{key}, a pair of plies", round(2 * cpu_s / max(1, score.plies), 2), "CPU s"),
        ]
    return tuple(figures)


class EngineFigures:
    """Measures the engine, row after row, and tells on the way what is being measured.

    Args:
        witnesses: interpreters that may have dame-rs.
        games: whose lines are counted: depth and promise of each.
        compiled: whether the kernels run compiled; None if they can.
        end_s: on the clock `now_s`: no further game is begun after that; None for all games.
    """

    def __init__(
        self,
        witnesses: Sequence[str] = (),
        games: Mapping[str, tuple[int, float]] = ENGINE_LEAVES,
        compiled: bool | None = None,
        end_s: float | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._witnesses, self._games, self._compiled = witnesses, games, compiled
        self._end_s, self._now_s = end_s, now_s
        self._progress = Progress()

    def all(self) -> tuple[Figure, ...]:
        """Measure start, memory, search and generator.

        Raises:
            CommandError: a witness cannot be run, or the engine cannot.
        """
        try:
            return (*self.program(), *self.search(), *self.leaves())
        finally:
            self._progress.end()

    def program(self) -> tuple[Figure, ...]:
        """Measure the engine as a program of its own."""
        from damludo.play.benches.engine import memory_figures, start_figures

        self._tell("starting the engine (the first start on a computer compiles it) ...")
        rows = start_figures()
        self._tell("filling its memory ...")
        return tuple(Figure(*row) for row in (*rows, *memory_figures()))

    def search(self) -> tuple[Figure, ...]:
        """Measure the search."""
        self._tell("searching ...")
        return engine(compiled=self._compiled)

    def leaves(self) -> tuple[Figure, ...]:
        """Measure the generator, in turn with dame-rs where a witness has it; the best of RUNS counts."""
        own: dict[str, float] = {}
        scale = 0.0
        asked = [python for python in self._witnesses if _scale(python)]
        for turn in range(RUNS):
            scale = max([scale, *(_scale(python) for python in asked)])
            for key, (depth, _) in self._games.items():
                if not self._is_late(key, own, turn):
                    self._tell(f"counting lines, {turn + 1} of {RUNS}: {key} ...", aloud=turn == 0)
                    own[key] = max(own.get(key, 0.0), _engine_leaves_per_s(key, depth, self._compiled))
        self._tell_left_out([key for key in self._games if key not in own])
        figures = [Figure(f"{key} perft {self._games[key][0]}", own[key], "leaves/s") for key in own]
        if scale:
            figures.append(Figure("international by dame-rs", scale, "leaves/s"))
            figures += [
                Figure(f"{key} against it", round(own[key] / scale, 2), "times", self._games[key][1]) for key in own
            ]
        return tuple(figures)

    def _is_late(self, key: str, own: Mapping[str, float], turn: int) -> bool:
        """After the end no game but the first is begun, and none is measured once more."""
        if turn > 0 and key not in own:
            return True
        return len(own) > 0 and self._end_s is not None and self._now_s() > self._end_s

    def _tell(self, text: str, aloud: bool = True) -> None:
        self._progress.show(f"{text:<60}")
        if aloud and not self._progress.shown:
            note(text)

    def _tell_left_out(self, keys: Sequence[str]) -> None:
        if keys:
            note(
                f"time is over: {', '.join(keys)} left out; what was compiled stays, so run it again, or with --every-game"
            )


def _scale(python: str) -> float:
    """Return the speed of the library that is the scale; 0 where it is not installed."""
    library, key, depth = SCALE
    heard = _heard(python, {key: depth}, library)
    if not heard:
        note(f"{python} does not have {library}: nothing there to compare the engine with")
        return 0.0
    return cast(Mapping[str, float], heard["leaves_per_s"])[key]


def _engine_leaves_per_s(key: str, depth: int, compiled: bool | None) -> float:
    game = variant(key)
    engine_perft(game, game.start, 1, compiled=compiled, report=note)  # makes it ready, which is not measured
    start_s = time.process_time()
    leaves = engine_perft(game, game.start, depth, compiled=compiled)
    return round(leaves / (time.process_time() - start_s), 1)


PARTS: Mapping[str, Callable[[argparse.Namespace], tuple[Figure, ...]]] = {
    "rules": lambda arguments: rules(arguments.witness),
    "engine": lambda arguments: EngineFigures(
        arguments.witness, end_s=None if arguments.every_game else time.monotonic() + ENGINE_S
    ).all(),
    "vision": lambda arguments: vision(arguments.views, arguments.plies, arguments.kept, arguments.first_game),
    "robot": lambda _: robot(),
    "table": lambda _: table(),
}
"""The parts by name, each with what measures it."""
