"""`damludo flash`: the gantry's firmware onto the controller."""

import argparse

HELP = "write the gantry's firmware to the controller"
EXAMPLES = (
    "damludo flash --dry-run",
    "damludo flash",
    "damludo flash --port /dev/ttyUSB0 --again",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--port", default="", metavar="PORT", help="port of the board (default: the only Uno or Nano)")
    parser.add_argument("--dry-run", action="store_true", help="show what would change; write nothing")
    parser.add_argument("--again", action="store_true", help="write the firmware even if it is there already")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Flash."""
    from damludo.play.gantry.flashing import flash

    return flash(arguments.port, arguments.dry_run, arguments.again, arguments.json)
