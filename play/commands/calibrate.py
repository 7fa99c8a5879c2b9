"""`damludo calibrate`: measure the table once; what was measured is kept in profiles."""

import argparse
from pathlib import Path

from damludo.play.arguments import add_gantry_arguments, gantry_choice

HELP = "measure where the board lies to the gantry"
EXAMPLES = (
    "damludo calibrate gantry --sim --speed 10 --json",
    "damludo calibrate gantry --serial /dev/ttyUSB0",
    "damludo calibrate gantry --serial /dev/ttyUSB0 --square-mm 48.5 --points measured.json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be calibrated, and the options."""
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    help_ = "bring the magnet above five crossings of the board, and down to it once"
    gantry = steps.add_parser("gantry", help=help_, description=help_)
    add_gantry_arguments(gantry)
    gantry.add_argument("--square-mm", type=float, metavar="MM", help="side of a square (default: board.square_mm)")
    gantry.add_argument("--points", type=Path, metavar="FILE", help="points measured before, as JSON; nothing moves")
    gantry.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Measure the gantry."""
    from dataclasses import replace

    from damludo.play.console import CommandError, ExitCode, note
    from damludo.play.measuring import calibrate_gantry

    choice = gantry_choice(arguments)
    side = arguments.square_mm
    if side is not None:
        if not 10.0 <= side <= 200.0:
            raise CommandError(f"--square-mm {side:g} is outside 10 to 200", ExitCode.USAGE)
        if side != choice.board.square_mm:
            note(
                f"For the match, write square_mm = {side:g} below [board] into {choice.where.config / 'settings.toml'}"
            )
        choice = replace(choice, board=replace(choice.board, square_mm=side))
    return calibrate_gantry(choice, arguments.points, arguments.json)
