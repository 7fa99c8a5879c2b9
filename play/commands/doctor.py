"""`damludo doctor`: every problem at once, each with what repairs it."""

import argparse

HELP = "look for problems of this computer, its devices and settings; tell what repairs each"
EXAMPLES = (
    "damludo doctor",
    "damludo doctor --json",
    "damludo doctor --fix",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = (
        f"{HELP}. Exit code: 0 without a problem (warnings do not count), else that of the worst: 5 something is there and does "
        f"not work, 4 a device is missing or closed to this user, 6 a profile is missing or damaged."
    )
    parser.add_argument("--fix", action="store_true", help="make missing folders first, and say so")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Look at everything."""
    from damludo.play.doctor import doctor
    from damludo.play.folders import folders

    return doctor(folders(arguments.home), arguments.fix, arguments.json)
