"""The command `damludo`: finds the sub-command and turns errors into sentences and exit codes.

Each command is a module of `damludo.play.commands` with `HELP` (one line), `EXAMPLES` (command lines), `add_arguments(parser)`
and `run(arguments) -> int`. Only the module of the command that was given is imported, and heavy imports (OpenCV, FastAPI) happen
inside `run`, so that every help page answers at once.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence

from damludo.play.console import ExitCode, exit_code_of, fail, write_report

COMMANDS: Mapping[str, str] = {
    "play": "play a game over the board; --sim needs no hardware",
    "records": "list the games that were played, show one, write it as PDN, replay it, go on with one that was cut off",
    "simulate": "play whole games on the simulated table, without a person",
    "games": "list the games, or show the board and the rules of one",
    "moves": "list the legal moves of a position",
    "explain": "tell why a move is legal or not",
    "perft": "count the lines of play of a position, to compare move generators",
    "pdn": "check records of games (PDN), or convert one",
    "best": "let the engine choose a move",
    "tables": "make endgame tables, or ask them how a position ends",
    "match": "let two programs play a match: levels of the engine, chance, foreign engines",
    "engine": "speak Hub 2 on standard input and output, so that other programs can play against the engine",
    "analyse": "list the moves of a finished game that cost something, with better ones",
    "bench": "measure how fast the parts of the program are on this machine",
    "look": "find the board in pictures and read its squares",
    "watch": "watch a board through a camera, a video or a folder of pictures and tell what happens on it",
    "calibrate": "measure where the board lies to the camera and the gantry, and what the discs look like",
    "gantry": "move the gantry by hand, show its state and its settings, test it",
    "flash": "write the gantry's firmware to the controller",
    "doctor": "look for problems of this computer, its devices and settings; tell what repairs each",
}
"""The commands in the order of the help page, each with the `HELP` of its module: no module is imported for it."""


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line; the arguments of `command` alone are filled in."""
    parser = argparse.ArgumentParser(
        prog="damludo",
        description="Draughts over a real wooden board: a camera sees, a referee judges, an engine answers, a gantry moves.",
        epilog="Try: damludo play --sim",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_ShowVersion)
    parser.add_argument(
        "--home",
        metavar="DIR",
        default=os.environ.get("DAMLUDO_HOME"),
        help="keep settings and data below this folder (default: the XDG folders)",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, help_ in COMMANDS.items():
        if name != command:
            commands.add_parser(name, help=help_)
            continue
        module = importlib.import_module(f"damludo.play.commands.{name}")
        sub = commands.add_parser(
            name,
            help=help_,
            description=help_,
            epilog="examples:\n" + "\n".join(f"  {line}" for line in module.EXAMPLES),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
        _add_examples(sub, name, module.EXAMPLES)
    return parser


def _add_examples(command: argparse.ArgumentParser, name: str, examples: Sequence[str]) -> None:
    """Show below the help of each step of a command the examples of that step."""
    steps = (action for action in command._actions if isinstance(action, argparse._SubParsersAction))
    for step, parser in ((step, parser) for action in steps for step, parser in action.choices.items()):
        own = [
            line for line in examples if line.startswith(f"damludo {name} {step} ") or line == f"damludo {name} {step}"
        ]
        if own and parser.epilog is None:
            parser.epilog = "examples:\n" + "\n".join(f"  {line}" for line in own)
            parser.formatter_class = argparse.RawDescriptionHelpFormatter


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code (shared with the console script)."""
    words = sys.argv[1:] if argv is None else argv
    parser = build_parser(_command_in(words))
    try:
        arguments = parser.parse_args(words)
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


def _command_in(words: Sequence[str]) -> str | None:
    """Return the first word that is neither an option nor the folder after --home."""
    rest = iter(words)
    for word in rest:
        if word == "--home":
            next(rest, None)
        elif not word.startswith("-"):
            return word
    return None


class _ShowVersion(argparse.Action):
    """Looks the version up only when asked: reading the metadata takes longer than the whole help page."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"damludo {version('damludo')}")
        except PackageNotFoundError:
            print("damludo, run from a checkout that is not installed")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
