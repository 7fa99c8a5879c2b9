"""Arguments that several commands share."""

import argparse
import math

from damludo.rules.game import Game
from damludo.rules.notation import parse_fen
from damludo.rules.variants import variant


def add_position_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that name a position: --game and --fen."""
    parser.add_argument("--game", metavar="KEY", required=True, help="the game; 'damludo games' lists them")
    parser.add_argument(
        "--fen",
        metavar="FEN",
        help='the position, like "W:W21,22,K5:B1,2" or "W:Wa1,Kc3:Bb8" or a placement with the side "8/8/... w" '
        "(default: where the game begins)",
    )


def game_of(arguments: argparse.Namespace) -> Game:
    """Return the game that --game and --fen name.

    Raises:
        UnknownGame, BadPosition: they cannot be read.
    """
    chosen = variant(arguments.game)
    return Game.new(chosen, None if arguments.fen is None else parse_fen(chosen, arguments.fen))


def count(text: str) -> int:
    """Read a whole number from 1; an argparse type."""
    # isascii: int() would read other scripts' digits too.
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number from 1")
    return int(text)


def seed(text: str) -> int:
    """Read the seed of a random generator, a whole number from 0; an argparse type."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a seed: a whole number from 0")
    return int(text)


def seconds(text: str) -> float:
    """Read a number of seconds above 0; an argparse type."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of seconds above 0")
    return number
