"""`damludo tables`: the exact end of every position with few pieces."""

import argparse
import time
from pathlib import Path

from damludo.engine.errors import NoTables
from damludo.engine.tables import Builder, Tables, open_tables, tables_folder
from damludo.play.arguments import add_position_arguments, game_of
from damludo.play.console import ExitCode, note, print_json
from damludo.play.folders import folders
from damludo.rules.variants import variant

HELP = "make endgame tables, or ask them how a position ends"
EXAMPLES = (
    "damludo tables build --game english --pieces 2",
    'damludo tables probe --game english --fen "W:WKd4:BKa5"',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    build = actions.add_parser("build", help="make the tables of a game and check every entry")
    build.add_argument("--game", metavar="KEY", required=True, help="the game; 'damludo games' lists them")
    build.add_argument(
        "--pieces",
        type=int,
        choices=(2, 3, 4),
        default=3,
        help="of the largest positions, both sides together (default: 3; 4 take seconds and 8 MB where 32 squares are used, "
        "minutes and up to 210 MB on other boards)",
    )
    probe = actions.add_parser("probe", help="tell how a position ends, from the tables that were made")
    add_position_arguments(probe)
    for action in (build, probe):
        action.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Make the tables or ask them."""
    folder = folders(arguments.home).data / "tables" if arguments.home else tables_folder()
    return _build(arguments, folder) if arguments.action == "build" else _probe(arguments, folder)


def _build(arguments: argparse.Namespace, folder: Path) -> int:
    builder = Builder(variant(arguments.game), arguments.pieces, report=note)
    start_s = time.process_time()
    told: list[int] = []

    def progress(pieces: int, plies: int, known: int) -> None:
        if plies % 10 == 0 or pieces not in told:
            told.append(pieces)
            note(f"{pieces} pieces, ends in {plies} plies: {known} positions are decided so far")

    builder.build(progress)
    note("checking every position against those behind its moves ...")
    if wrong := builder.check():
        raise NoTables(
            f"{wrong} positions contradict those behind their moves: the tables are not kept; please report it"
        )
    path = builder.save(folder)
    cpu_s = time.process_time() - start_s
    if arguments.json:
        print_json(
            {
                "game": arguments.game,
                "pieces": arguments.pieces,
                "bytes": path.stat().st_size,
                "cpu_seconds": round(cpu_s, 2),
                "file": str(path),
            }
        )
    else:
        print(f"{path}: {path.stat().st_size} bytes, {cpu_s:.1f} s of processor time")
    return ExitCode.FINE


def _probe(arguments: argparse.Namespace, folder: Path) -> int:
    game = game_of(arguments)
    tables: Tables | None = open_tables(game.variant, folder)
    if tables is None:
        raise NoTables(f"no tables have been made; make them with 'damludo tables build --game {game.variant.key}'")
    ending = tables.probe(game.position)
    if arguments.json:
        print_json({"value": ending.value, "plies": ending.plies})
    else:
        print(ending.value if ending.plies is None else f"{ending.value} in {ending.plies} plies")
    return ExitCode.FINE
