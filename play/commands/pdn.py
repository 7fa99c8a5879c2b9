"""`damludo pdn`: check records of games, or convert one."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from damludo.play.console import CommandError, ExitCode, counted, note, print_json
from damludo.rules.errors import BadRecord
from damludo.rules.moves import Move
from damludo.rules.notation import format_fen, move_json
from damludo.rules.pdn import MAX_BYTES, PdnGame, Problem, decode_pdn, read_pdn, write_pdn
from damludo.rules.position import Position
from damludo.rules.traits import Variant
from damludo.rules.variants import variant

HELP = "check records of games (PDN), or convert one"
EXAMPLES = (
    "damludo pdn check games.pdn more.pdn",
    "damludo pdn check old.pdn --game czech --json",
    "damludo pdn convert games.pdn --to pdn",
    "damludo pdn convert games.pdn --to json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="replay every game and list what is wrong; exit code 3 if anything is")
    check.add_argument("files", metavar="FILE", nargs="+", type=Path, help="records of games")
    check.add_argument("--json", action="store_true", help="print one JSON document")
    convert = actions.add_parser("convert", help="write the games of a file in canonical form")
    convert.add_argument("files", metavar="FILE", nargs=1, type=Path, help="a record of games")
    convert.add_argument("--to", choices=("pdn", "json"), required=True, help="the form to write")
    for parser_ in (check, convert):
        parser_.add_argument("--game", metavar="KEY", help="which game it is (default: as the tags of each game say)")


def run(arguments: argparse.Namespace) -> int:
    """Check or convert."""
    game = None if arguments.game is None else variant(arguments.game)
    return _check(arguments, game) if arguments.action == "check" else _convert(arguments, game)


def _check(arguments: argparse.Namespace, game: Variant | None) -> int:
    games: list[PdnGame] = []
    problems: list[tuple[Path, Problem]] = []
    for file in arguments.files:
        try:
            found = _games_of(file, game)
        except BadRecord as error:  # one file too long is no reason to leave the others unread
            problems.append((file, Problem(0, 0, "", str(error))))
            continue
        games.extend(found)
        problems.extend((file, problem) for read in found for problem in read.problems)
    plies = sum(len(read.game.moves) for read in games)
    if arguments.json:
        print_json(
            {
                "files": len(arguments.files),
                "games": len(games),
                "plies": plies,
                "problems": [_problem_json(file, problem) for file, problem in problems],
            }
        )
    else:
        for file, problem in problems:
            print(_sentence(file, problem))
        counts = (("file", len(arguments.files)), ("game", len(games)), ("ply", plies), ("problem", len(problems)))
        print(", ".join(counted(count, one, "plies" if one == "ply" else f"{one}s") for one, count in counts))
    return ExitCode.BAD_INPUT if problems else ExitCode.FINE


def _convert(arguments: argparse.Namespace, game: Variant | None) -> int:
    (file,) = arguments.files
    games = _games_of(file, game)
    if arguments.to == "json":
        print_json([_game_json(read) for read in games])
    else:
        print("\n".join(write_pdn(read.game, read.tags, read.ended, read.rulings) for read in games))
    problems = [problem for read in games for problem in read.problems]
    for problem in problems:
        note(_sentence(file, problem))
    return ExitCode.BAD_INPUT if problems else ExitCode.FINE


def _games_of(file: Path, game: Variant | None) -> tuple[PdnGame, ...]:
    """Return the games of a file.

    Raises:
        CommandError: the file cannot be opened.
        BadRecord: it is too long or holds too many games.
    """
    try:
        with file.open("rb") as stream:
            # One byte more than is allowed tells that the file is too long; more of it never comes into memory.
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}; name a PDN file", ExitCode.BAD_INPUT) from error
    return read_pdn(decode_pdn(raw), game)


def _sentence(file: Path, problem: Problem) -> str:
    if not problem.game:
        return f"{file}: {problem.reason}"
    # Moves are counted as records do, in pairs; the head of a game comes before its first move.
    place = f"move {(problem.ply + 1) // 2} (ply {problem.ply})" if problem.ply else "head"
    return f"{file}, game {problem.game}, {place}, {problem.text!r}: {problem.reason}"


def _problem_json(file: Path, problem: Problem) -> dict[str, object]:
    return {
        "file": str(file),
        "game": problem.game,
        "ply": problem.ply,
        "text": problem.text,
        "reason": problem.reason,
    }


def _game_json(read: PdnGame) -> dict[str, object]:
    game = read.game
    return {
        "game": game.variant.key,
        "tags": dict(read.tags),
        "fen": format_fen(game.variant, game.start),
        "moves": _moves_json(game.variant, game.positions, game.moves),
        "result": read.result,
        "rulings": {str(ply): text for ply, text in read.rulings.items()},
        "problems": [{"ply": problem.ply, "text": problem.text, "reason": problem.reason} for problem in read.problems],
    }


def _moves_json(game: Variant, positions: Sequence[Position], moves: Sequence[Move]) -> list[dict[str, object]]:
    return [move_json(game, position, move) for position, move in zip(positions, moves, strict=False)]
