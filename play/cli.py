"""The command `damludo`: finds the sub-command and turns errors into sentences and exit codes.

Each command is a module of `damludo.play.commands` with `HELP` (one line), `EXAMPLES` (command lines), `add_arguments(parser)`
and `run(arguments) -> int`. Heavy imports (OpenCV, FastAPI) happen inside `run`, so that `damludo --help` answers at once.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from damludo.play.console import ExitCode, exit_code_of, fail, write_report

COMMANDS = ("games", "moves", "perft", "play", "simulate", "look", "watch")
"""The commands in the order of the help page; each is a module of `damludo.play.commands`."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="damludo",
        description="Draughts over a real wooden board: a camera sees, a referee judges, an engine answers, a gantry moves.",
        epilog="Try: damludo play --sim",
    )
    parser.add_argument("--version", action="version", version=f"damludo {_version()}")
    parser.add_argument(
        "--home",
        metavar="DIR",
        default=os.environ.get("DAMLUDO_HOME"),
        help="keep settings and data below this folder (default: the XDG folders)",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in COMMANDS:
        module = _module(name)
        sub = commands.add_parser(
            name,
            help=module.HELP,
            description=module.HELP,
            epilog="examples:\n" + "\n".join(f"  {line}" for line in module.EXAMPLES),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code (shared with the console script)."""
    parser = build_parser()
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as exit_:  # argparse has printed why
        return int(exit_.code or 0)
    if arguments.command is None:
        parser.print_help()
        return ExitCode.FINE
    try:
        return int(arguments.run(arguments))
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`damludo games | head`): not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FINE
    except Exception as error:
        code = exit_code_of(error)
        if code is ExitCode.INTERNAL:
            fail(f"internal error, please report it with the file {write_report(error)}")
        else:
            fail(str(error))
        return code


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"damludo.play.commands.{name}")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("damludo")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "(not installed)"


if __name__ == "__main__":
    sys.exit(main())
