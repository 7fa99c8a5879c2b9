"""`damludo analyse`: what went wrong in a finished game."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from damludo.play.arguments import count
from damludo.play.console import CommandError, ExitCode, Progress, print_json
from damludo.rules.game import Game
from damludo.rules.notation import move_json, move_text
from damludo.rules.variants import variant

if TYPE_CHECKING:  # the engine is loaded by `run`, not by a help page
    from damludo.engine.analysis import Blunder

HELP = "list the moves of a finished game that cost something, with better ones"
EXAMPLES = (
    "damludo analyse game.pdn",
    "damludo analyse games.pdn --number 3 --nodes 200000 --json",
    "damludo analyse game.pdn --game russian --least 1.5",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a record (PDN)")
    parser.add_argument("--game", metavar="KEY", help="which game it is (default: as its tags say)")
    parser.add_argument("--number", metavar="N", type=count, default=1, help="which game of the file (default: 1)")
    parser.add_argument(
        "--nodes", metavar="N", type=count, default=20_000, help="positions for each search (default: 20000)"
    )
    parser.add_argument(
        "--least",
        metavar="MEN",
        type=_men,
        default=0.7,
        help="tell moves that cost at least so many men (default: 0.7)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Search and print."""
    from damludo.engine.analysis import blunders
    from damludo.engine.port import Limits

    game = _game_of(arguments)
    progress = Progress()
    found = blunders(
        game,
        Limits(nodes=arguments.nodes),
        arguments.least,
        progress=lambda ply: progress.show(f"{ply} of {len(game.moves)} plies"),
    )
    progress.end()
    if arguments.json:
        document = {"game": game.variant.key, "plies": len(game.moves)}
        print_json(document | {"blunders": [_as_json(game, blunder) for blunder in found]})
    else:
        for blunder in found:
            print(_as_text(game, blunder))
        print(f"{len(game.moves)} plies, {len(found)} that cost {arguments.least:g} men or more")
    return ExitCode.FINE


def _game_of(arguments: argparse.Namespace) -> Game:
    from damludo.rules.pdn import MAX_BYTES, PdnGame, decode_pdn, read_pdn

    try:
        with arguments.file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        message = f"{arguments.file} cannot be read: {error.strerror}; name a PDN file"
        raise CommandError(message, ExitCode.BAD_INPUT) from error
    games = read_pdn(decode_pdn(raw), None if arguments.game is None else variant(arguments.game))
    if arguments.number > len(games):
        message = f"{arguments.file} holds {len(games)} games, there is no game {arguments.number}; see --number"
        raise CommandError(message, ExitCode.BAD_INPUT)
    read: PdnGame = games[arguments.number - 1]
    if read.problems:
        problem = read.problems[0]
        message = f"{arguments.file}, ply {problem.ply}, {problem.text!r}: {problem.reason}; see 'damludo pdn check'"
        raise CommandError(message, ExitCode.BAD_INPUT)
    return read.game


def _as_text(game: Game, blunder: "Blunder") -> str:
    number, side = (blunder.ply + 1) // 2, game.positions[blunder.ply - 1].side
    line = " ".join(move_text(game.variant, move) for move in blunder.better.pv)
    return (
        f"{number}. {side.word} {move_text(game.variant, blunder.played.move)} cost {blunder.cost_men:.1f} men "
        f"({blunder.better.score:+.2f} to {blunder.played.score:+.2f}); better: {line}"
    )


def _as_json(game: Game, blunder: "Blunder") -> dict[str, object]:
    position = game.positions[blunder.ply - 1]
    return {
        "ply": blunder.ply,
        "side": position.side.word,
        "played": move_json(game.variant, position, blunder.played.move),
        "better": move_json(game.variant, position, blunder.better.move),
        "score_played": round(blunder.played.score, 2),
        "score_better": round(blunder.better.score, 2),
        "cost": round(blunder.cost_men, 2),
    }


def _men(text: str) -> float:
    """Read a number of men above 0; an argparse type."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 20:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of men above 0, up to 20")
    return value
