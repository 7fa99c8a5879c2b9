"""`damludo perft`: how many lines of play there are, the figure by which move generators are compared."""

import argparse
import time

from damludo.engine.perft import divide as divide_by_engine
from damludo.engine.perft import perft
from damludo.play.arguments import add_position_arguments, count, game_of
from damludo.play.console import ExitCode, note, print_json
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.notation import move_text
from damludo.rules.perft import Counting, divide

HELP = "count the lines of play of a position, to compare move generators"
EXAMPLES = (
    "damludo perft --game english --depth 5",
    'damludo perft --game international --depth 2 --fen "W:WK46:B10,24,40" --divide --json',
)
COUNTINGS: tuple[Counting, ...] = ("unique", "sequences", "paths")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_position_arguments(parser)
    parser.add_argument("--depth", metavar="N", type=count, required=True, help="plies, at least 1")
    parser.add_argument("--divide", action="store_true", help="also the count behind each first move")
    parser.add_argument(
        "--counting",
        choices=COUNTINGS,
        default="unique",
        help="unique: a capture with the same ends and the same captured pieces counts once; sequences: another order of "
        "capture counts again; paths: another landing square counts again (default: unique)",
    )
    parser.add_argument(
        "--generator",
        choices=("rules", "engine"),
        default="rules",
        help="whose moves are counted: the readable generator of the rules, or the engine's fast one (default: rules)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Count and print."""
    game = game_of(arguments)
    counts: tuple[tuple[Move, int], ...] = ()
    if arguments.generator == "engine":
        perft(game.variant, game.position, 1, arguments.counting, report=note)  # makes it ready: that is not counting
    start_s = time.process_time()
    if arguments.generator == "rules":
        counts = divide(game.variant, game.position, arguments.depth, arguments.counting)
        nodes = sum(nodes for _, nodes in counts)
    else:
        nodes = perft(game.variant, game.position, arguments.depth, arguments.counting)
    cpu_s = time.process_time() - start_s
    if arguments.divide and not counts:
        counts = divide_by_engine(game.variant, game.position, arguments.depth, arguments.counting)
    if arguments.json:
        print_json(_as_json(game, arguments, nodes, counts, cpu_s))
        return ExitCode.FINE
    if arguments.divide:
        for move, behind in counts:
            print(f"{move_text(game.variant, move):<20} {behind}")
    print(f"{nodes} nodes in {cpu_s:.2f} s of processor time")
    return ExitCode.FINE


def _as_json(
    game: Game, arguments: argparse.Namespace, nodes: int, counts: tuple[tuple[Move, int], ...], cpu_s: float
) -> dict[str, object]:
    document: dict[str, object] = {
        "game": game.variant.key,
        "depth": arguments.depth,
        "nodes": nodes,
        "cpu_seconds": round(cpu_s, 4),
        "generator": arguments.generator,
    }
    if arguments.divide:
        document["divide"] = {move_text(game.variant, move): behind for move, behind in counts}
    return document
