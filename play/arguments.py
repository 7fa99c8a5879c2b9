"""Arguments that several commands share."""

import argparse
import math
from typing import TYPE_CHECKING

from damludo.rules.game import Game
from damludo.rules.notation import parse_fen
from damludo.rules.variants import variant

if TYPE_CHECKING:  # OpenCV is loaded by `run`, not by a help page
    from damludo.play.gantry.devices import GantryChoice
    from damludo.vision.paint import Paints

SIDES = ("bottom", "right", "top", "left")
"""Those of `vision.sides`, which a help page does not load."""
CONTROLLERS = ("python", "native", "avr")
"""Those of `simulation.controllers`, which a help page does not load."""
CONTROLLER_HELP = (
    "who plays the gantry's controller: a model in Python (default), the firmware compiled for this computer, or the image that "
    "is flashed, in an AVR simulator (slow)"
)


def add_position_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that name a position: --game and --fen."""
    parser.add_argument("--game", metavar="KEY", required=True, help="the game; 'damludo games' lists them")
    parser.add_argument(
        "--fen",
        metavar="FEN",
        help='the position, like "W:W21,22,K5:B1,2" or "W:Wa1,Kc3:Bb8" or a placement with the side "8/8/... w" '
        "(default: where the game begins)",
    )


def add_white_at_argument(parser: argparse._ActionsContainer, default: str = "") -> None:
    """Declare --white-at; `default` says in the help what holds without it."""
    told = f" (default: {default})" if default else ""
    parser.add_argument("--white-at", choices=SIDES, help=f"side of the picture where White's rank 1 lies{told}")


def game_of(arguments: argparse.Namespace) -> Game:
    """Return the game that --game and --fen name.

    Raises:
        UnknownGame, BadPosition: they cannot be read.
    """
    chosen = variant(arguments.game)
    return Game.new(chosen, None if arguments.fen is None else parse_fen(chosen, arguments.fen))


def disc_paints(text: str) -> "Paints":
    """Read how the discs are painted, like "white=red,black=black"; an argparse type."""
    from damludo.vision.paint import Paints, colour_named

    parts = [part.partition("=") for part in text.split(",")]
    told = {side.strip(): colour.strip() for side, _, colour in parts}
    if len(parts) != 2 or set(told) != {"white", "black"}:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} does not tell both paints; say it like white=red,black=black")
    try:
        paints = Paints(colour_named(told["white"]), colour_named(told["black"]))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if paints.white == paints.black:
        raise argparse.ArgumentTypeError("both sides' discs are said to be of one paint; give two, or --white-at alone")
    return paints


def add_discs_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --discs."""
    parser.add_argument(
        "--discs",
        metavar="white=COLOUR,black=COLOUR",
        type=disc_paints,
        help="how the discs of the sides called White and Black are painted: a name like red, or #rrggbb (default: White's are "
        "the lighter ones)",
    )


def count(text: str) -> int:
    """Read a whole number from 1; an argparse type."""
    # isascii: int() would read other scripts' digits too.
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number from 1")
    return int(text)


def seed(text: str) -> int:
    """Read the seed of a random generator, a whole number from 0; an argparse type."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a seed: a whole number from 0, of at most 18 digits")
    return int(text)


def index(text: str) -> int:
    """Read the number of the first of a series, a whole number from 0; an argparse type."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number from 0, of at most 9 digits")
    return int(text)


def speed(text: str) -> float:
    """Read how many times faster than real the simulated table lives, 0.1 to 20; an argparse type."""
    number = number_in(text)
    if not 0.1 <= number <= 20.0:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is outside 0.1 to 20")
    return number


def seconds(text: str) -> float:
    """Read a number of seconds above 0; an argparse type."""
    number = number_in(text)
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of seconds above 0")
    return number


def number_in(text: str) -> float:
    """Return the number in a text, NaN (which is in no range) where there is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def four_corners(text: str) -> list[tuple[float, float]]:
    """Read four outer corners "x,y x,y x,y x,y" in px, clockwise from the top left; an argparse type."""
    try:
        points = [tuple(float(value) for value in point.split(",")) for point in text.split()]
    except ValueError:
        points = []
    if len(points) != 4 or any(len(point) != 2 or not all(map(math.isfinite, point)) for point in points):
        raise argparse.ArgumentTypeError(f'{text[:60]!r} is not four corners; write "x,y x,y x,y x,y" in px')
    ways = [(points[k - 3][0] - points[k][0], points[k - 3][1] - points[k][1]) for k in range(4)]
    if any(ways[k][0] * ways[k - 3][1] - ways[k][1] * ways[k - 3][0] <= 1.0 for k in range(4)):
        raise argparse.ArgumentTypeError("the corners do not go clockwise around a field; begin at the top left")
    return [(point[0], point[1]) for point in points]


def add_gantry_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that say which gantry: --serial, or --sim with --seed and --speed; and the game's board."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--serial", metavar="PORT", help="serial port of the controller (default: gantry.port, else the only USB one)"
    )
    which.add_argument("--sim", action="store_true", help="use the simulated table")
    parser.add_argument(
        "--seed", type=seed, default=1, metavar="X", help="with --sim: how the gantry stands (default: 1)"
    )
    parser.add_argument(
        "--speed", type=speed, default=1.0, metavar="X", help="with --sim: times faster than real (0.1 to 20)"
    )
    parser.add_argument("--game", metavar="KEY", help="the game whose board lies there (default: play.game)")


def gantry_choice(arguments: argparse.Namespace) -> "GantryChoice":
    """Return the gantry that the arguments and the settings name.

    Raises:
        UnknownGame, CommandError: arguments or settings cannot be read.
    """
    from pathlib import Path

    from damludo.play.folders import folders
    from damludo.play.gantry.devices import GantryChoice
    from damludo.play.settings import load_settings

    where = folders(arguments.home)
    settings = load_settings(where.config / "settings.toml")
    calibration = getattr(arguments, "calibration", None)
    return GantryChoice(
        variant(arguments.game or settings.play.game),
        settings.board,
        where,
        arguments.serial or settings.gantry.port,
        arguments.sim,
        arguments.seed,
        arguments.speed,
        Path(calibration) if calibration else None,
    )
