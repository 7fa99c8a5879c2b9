"""`damludo tables`: endgame tables, made and asked."""

import argparse
import sys
from pathlib import Path

from damludo.play.arguments import add_position_arguments, count, game_of
from damludo.play.console import ExitCode, note, print_json
from damludo.rules.variants import variant

HELP = "build endgame tables, or look a position up in them"
EXAMPLES = (
    "damludo tables build --game english --pieces 4",
    'damludo tables probe --game esperanto --fen "W:WKa1,Kc1:BKh8" --json',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    build = actions.add_parser("build", help="make the tables up to a number of pieces and check every value")
    build.add_argument("--game", metavar="KEY", required=True, help="the game; 'damludo games' lists them")
    build.add_argument(
        "--pieces",
        metavar="N",
        type=count,
        required=True,
        help="most pieces on the board: up to 4 on boards with up to 32 squares in play, up to 3 on those with up to 64",
    )
    probe = actions.add_parser("probe", help="tell what a position is worth with best play, and how long that takes")
    add_position_arguments(probe)
    for parser_ in (build, probe):
        parser_.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Build or probe."""
    from damludo.play.folders import folders

    folder = folders(arguments.home).data / "tables"
    return _build(arguments, folder) if arguments.action == "build" else _probe(arguments, folder)


def _build(arguments: argparse.Namespace, folder: Path) -> int:
    import time

    from damludo.engine.table_store import Tables

    start_s = time.process_time()
    files = Tables(variant(arguments.game), folder).build(arguments.pieces, _show_progress, note)
    cpu_s = time.process_time() - start_s
    sizes = {pieces: path.stat().st_size for pieces, path in files.items()}
    if arguments.json:
        listed = [{"pieces": pieces, "file": str(files[pieces]), "bytes": sizes[pieces]} for pieces in files]
        print_json({"game": arguments.game, "files": listed, "cpu_seconds": round(cpu_s, 2)})
    else:
        for pieces, path in files.items():
            print(f"{pieces} pieces: {path}, {sizes[pieces] / 1e6:.1f} MB")
    return ExitCode.FINE


def _show_progress(what: str, share: float) -> None:
    if sys.stderr.isatty():
        bar = "#" * round(30 * share)
        end = "\n" if share >= 1 else ""
        print(f"\r[{bar:<30}] {share:4.0%} {what:<12}", end=end, file=sys.stderr, flush=True)


def _probe(arguments: argparse.Namespace, folder: Path) -> int:
    from damludo.engine.table_store import Tables

    game = game_of(arguments)
    entry = Tables(game.variant, folder).look_up(game.position)
    if arguments.json:
        print_json({"value": entry.value, "plies": entry.plies})
    else:
        length = "" if entry.plies is None else f" in {entry.plies} plies"
        print(f"{game.position.side.word} to move: {entry.value}{length}")
    return ExitCode.FINE
