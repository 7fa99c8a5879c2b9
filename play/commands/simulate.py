"""`damludo simulate`: whole games through camera, vision, referee, engine and gantry, in simulated time or as a device."""

import argparse
from pathlib import Path

from damludo.play.arguments import CONTROLLER_HELP, CONTROLLERS, count, seed, speed
from damludo.play.console import CommandError, ExitCode

HELP = "play whole games on the simulated table, without a person"
EXAMPLES = (
    "damludo simulate --game damludo --games 2 --seed 7 --json",
    "damludo simulate --game english --human random+clumsy --camera readings --games 3",
    "damludo simulate --game alquerque --camera readings --controller avr",
    "damludo simulate --game damludo --faults camera-unplugged@ply4,camera-torn@ply9",
    "damludo simulate --serve --game damludo",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--game", default="damludo", metavar="KEY", help="which game (default: damludo)")
    parser.add_argument("--games", type=count, default=1, metavar="N", help="how many games (default: 1)")
    parser.add_argument(
        "--seed", type=seed, default=0, metavar="X", help="the same seed gives the same run (default: 0)"
    )
    parser.add_argument(
        "--level", type=_level, default=2, metavar="N", help="the machine's level, 1 to 10 (default: 2)"
    )
    parser.add_argument(
        "--human",
        default="engine:2",
        metavar="SPEC",
        help="engine:LEVEL, random, clumsy, careless, toucher, slow, fast; join with '+'",
    )
    parser.add_argument(
        "--camera",
        choices=("rendered", "readings"),
        default="rendered",
        help="rendered pictures that OpenCV reads, or a noisy model of the readings",
    )
    parser.add_argument(
        "--faults",
        default="",
        metavar="SPEC",
        help="NAME@plyN, several joined by ',', or random:COUNT, in each game: camera-torn, camera-grey, camera-black, "
        "camera-stuck, camera-unplugged, camera-resized, camera-late",
    )
    parser.add_argument("--controller", choices=CONTROLLERS, default="python", help=CONTROLLER_HELP)
    parser.add_argument("--journal", type=Path, metavar="DIR", help="keep the journal of every game in this folder")
    parser.add_argument(
        "--serve", action="store_true", help="offer the table as a device: a serial port and an http stream"
    )
    parser.add_argument(
        "--speed", type=speed, default=1.0, metavar="X", help="with --serve: times faster than real (0.1 to 20)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Play the games, or serve the table."""
    from damludo.play.table.humans import parse_human
    from damludo.rules.variants import variant

    chosen, human = variant(arguments.game), parse_human(arguments.human)
    if arguments.serve:
        if arguments.faults:
            raise CommandError("--serve offers a table without faults; leave --faults out", ExitCode.USAGE)
        from damludo.play.serving import serve

        return serve(
            chosen, human, arguments.seed, arguments.speed, arguments.home, arguments.json, arguments.controller
        )
    from damludo.play.table.faults import parse_faults
    from damludo.play.table.simulated import SimulationOptions, simulate

    faults = parse_faults(arguments.faults, arguments.seed) if arguments.faults else ()
    if faults and arguments.camera == "readings":
        raise CommandError(
            "modelled readings have no camera that could fail; leave --camera readings out", ExitCode.USAGE
        )
    options = SimulationOptions(
        chosen,
        arguments.seed,
        human,
        arguments.level,
        modelled=arguments.camera == "readings",
        journals=arguments.journal,
        controller=arguments.controller,
        faults=faults,
    )
    return simulate(options, arguments.games, arguments.json)


def _level(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10:
        raise argparse.ArgumentTypeError(f"'{text}' must be a level from 1 to 10")
    return int(text)
