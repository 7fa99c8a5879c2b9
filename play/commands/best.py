"""`damludo best`: the engine's move in a position."""

import argparse
import time

from damludo.engine.analysis import best_lines
from damludo.engine.levels import LEVELS, Level, ladder_of
from damludo.engine.port import Choice, Limits
from damludo.engine.search import AlphaBeta
from damludo.play.arguments import add_position_arguments, count, game_of, seconds, seed
from damludo.play.console import ExitCode, counted, note, print_json
from damludo.rules.game import Game
from damludo.rules.moves import Move, play
from damludo.rules.notation import move_json, move_text

HELP = "let the engine choose a move"
EXAMPLES = (
    "damludo best --game damludo --level 3",
    'damludo best --game russian --fen "W:Wc3,e3:Bd4,f6,h8" --nodes 2000 --json',
    "damludo best --game english --lines 3 --nodes 6000",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_position_arguments(parser)
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--seconds", metavar="S", type=seconds, help="time to think; two runs may differ")
    limits.add_argument("--depth", metavar="D", type=count, help="plies to look ahead")
    limits.add_argument("--nodes", metavar="N", type=count, help="positions to visit; the same answer on every machine")
    parser.add_argument(
        "--level",
        type=int,
        choices=range(1, len(LEVELS) + 1),
        metavar="L",
        help=f"strength, 1 to {len(LEVELS)} (default: {len(LEVELS)}); a limit given beside it replaces the level's own",
    )
    parser.add_argument(
        "--seed", metavar="X", type=seed, default=0, help="of the low levels' misjudgements (default: 0)"
    )
    parser.add_argument(
        "--lines", metavar="N", type=count, default=1, help="also tell the next best moves, N in all (default: 1)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Search and print."""
    game = game_of(arguments)
    level = _level(arguments, game)
    limits = _limits(arguments, level)
    start_s = time.process_time()
    if arguments.lines > 1:
        # Several lines are an analysis: no misjudgements, whatever the level.
        lines = best_lines(game, limits, arguments.lines, report=note)
    else:
        lines = (AlphaBeta(limits, level.noise_men, arguments.seed, report=note).choose(game),)
    choice, cpu_s = lines[0], time.process_time() - start_s
    if arguments.json:
        document = _as_json(game, choice, cpu_s)
        if arguments.lines > 1:
            document["lines"] = [_choice_as_json(game, line) for line in lines]
        print_json(document)
        return ExitCode.FINE
    for choice in lines:
        line = " ".join(move_text(game.variant, move) for move in choice.pv)
        print(
            f"{move_text(game.variant, choice.move)}   {_verdict(choice)}, depth {choice.depth}, {choice.nodes} positions"
        )
        print(f"expected: {line}")
    return ExitCode.FINE


def _level(arguments: argparse.Namespace, game: Game) -> Level:
    return ladder_of(game.variant)[(arguments.level or len(LEVELS)) - 1]


def _limits(arguments: argparse.Namespace, level: Level) -> Limits:
    own_limit = arguments.seconds or arguments.depth or arguments.nodes
    if not own_limit:
        return Limits(nodes=level.nodes)
    return Limits(
        nodes=arguments.nodes or Limits.NO_END, depth=arguments.depth or Limits.DEEPEST, seconds=arguments.seconds
    )


def _verdict(choice: Choice) -> str:
    if choice.mate is None:
        return f"{choice.score:+.2f} men"
    return f"{'wins' if choice.mate > 0 else 'loses'} in {counted(abs(choice.mate), 'ply', 'plies')}"


def _as_json(game: Game, choice: Choice, cpu_s: float) -> dict[str, object]:
    return _choice_as_json(game, choice) | {"cpu_seconds": round(cpu_s, 4)}


def _choice_as_json(game: Game, choice: Choice) -> dict[str, object]:
    return {
        "move": move_json(game.variant, game.position, choice.move),
        "score": round(choice.score, 2),
        "mate": choice.mate,
        "depth": choice.depth,
        "nodes": choice.nodes,
        "pv": _line_as_json(game, choice.pv),
    }


def _line_as_json(game: Game, line: tuple[Move, ...]) -> list[dict[str, object]]:
    position, moves = game.position, []
    for move in line:
        moves.append(move_json(game.variant, position, move))
        position = play(game.variant, position, move)
    return moves
