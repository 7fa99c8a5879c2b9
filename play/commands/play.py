"""`damludo play`: one game over the board; with `--sim` over the simulated one."""

import argparse
from typing import TYPE_CHECKING

from damludo.play.arguments import CONTROLLER_HELP, CONTROLLERS, add_white_at_argument, seed, speed
from damludo.rules.messages import LANGUAGES

if TYPE_CHECKING:  # OpenCV is loaded by `run`, not by a help page
    from damludo.play.records.record import Record
    from damludo.play.settings import Settings

HELP = "play a game over the board; --sim needs no hardware"
EXAMPLES = (
    "damludo play --sim",
    "damludo play --sim --game english --machine white --level 5",
    "damludo play --camera 0 --serial /dev/ttyUSB0 --calibration gantry.json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; what is not given comes from the settings."""
    game = parser.add_argument_group("game")
    game.add_argument("--game", metavar="KEY", help="which game (see 'damludo games')")
    game.add_argument("--level", type=int, choices=range(1, 11), metavar="N", help="the machine's level, 1 to 10")
    game.add_argument("--machine", choices=("white", "black"), help="the machine's side")
    game.add_argument("--clock", metavar="SPEC", help="minutes and seconds a move, like 10+5, or off")
    game.add_argument(
        "--touch",
        choices=("strict", "ask", "off"),
        help="a touched disc must be moved: strict, ask first (default, in games that have the rule), or off",
    )
    add_table_arguments(parser)


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say at which table is played, and where its page is."""
    table = parser.add_argument_group("table")
    table.add_argument(
        "--sim", action="store_true", help="play on the simulated table: drag the discs on the page, or type your moves"
    )
    table.add_argument(
        "--speed", type=speed, default=1.0, metavar="X", help="with --sim: so many times faster than real (0.1 to 20)"
    )
    table.add_argument(
        "--seed", type=seed, metavar="X", help="with --sim: light, camera and discs of the table (default: 1)"
    )
    table.add_argument("--controller", choices=CONTROLLERS, help=f"with --sim: {CONTROLLER_HELP}")
    table.add_argument("--camera", metavar="SOURCE", help="camera number, device, video file or http stream")
    table.add_argument("--serial", metavar="PORT", help="serial port of the gantry's controller")
    table.add_argument(
        "--calibration",
        metavar="FILE",
        action="append",
        default=[],
        help="a profile of the gantry or of the camera; may be given for each (default: those of the devices that are named)",
    )
    add_white_at_argument(table)
    page = parser.add_argument_group("page")
    page.add_argument(
        "--web-port", type=_port, metavar="N", help="port of the page (default: 8321, or the next free one)"
    )
    page.add_argument(
        "--language",
        choices=LANGUAGES,
        help="language of the page (default: the browser's; each page can choose another)",
    )
    page.add_argument("--no-browser", action="store_true", help="print the page's address, do not open it")


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > 65_000:
        raise argparse.ArgumentTypeError(f"'{text[:20]}' must be a port from 0 (any free one) to 65000")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Play one game."""
    from dataclasses import replace

    from damludo.play.folders import folders
    from damludo.play.settings import load_settings
    from damludo.rules.variants import variant

    settings = load_settings(folders(arguments.home).config / "settings.toml")
    chosen = replace(
        settings.play,
        game=arguments.game or settings.play.game,
        level=arguments.level or settings.play.level,
        machine=arguments.machine or settings.play.machine,
        clock=arguments.clock or settings.play.clock,
        touch=arguments.touch or settings.play.touch,
    )
    variant(chosen.game)  # a game that does not exist is said before anything is imported
    return play_at_table(arguments, replace(settings, play=chosen))


def play_at_table(arguments: argparse.Namespace, settings: "Settings", record: "Record | None" = None) -> int:
    """Play at the table that the arguments and the settings name: a game that begins, or one that goes on.

    Raises:
        CommandError: a device is not named, or something else is wrong; the sentence says what.
    """
    from damludo.play.console import CommandError, ExitCode
    from damludo.play.folders import folders

    where, played = folders(arguments.home), settings.play
    port = settings.web.port if arguments.web_port is None else arguments.web_port
    browser = settings.web.browser == "open" and not arguments.no_browser
    seed = 1 if arguments.seed is None else arguments.seed
    if arguments.sim:
        from damludo.play.at_the_table import WebChoice, play_simulated

        web, controller = WebChoice(port, browser, arguments.language), arguments.controller or CONTROLLERS[0]
        return play_simulated(played, where, web, seed, arguments.speed, controller, record)
    camera = arguments.camera or settings.camera.source
    serial = arguments.serial or settings.gantry.port
    missing = [
        name
        for name, given in (("a camera (--camera SOURCE)", camera), ("the gantry (--serial PORT)", serial))
        if not given
    ]
    if missing:
        raise CommandError(
            f"to play on a real table {' and '.join(missing)} must be named "
            f"('damludo doctor' lists what is plugged in); without hardware play on the simulated table: damludo play --sim",
            ExitCode.NO_DEVICE,
        )
    from damludo.play.at_the_table import WebChoice, play_real

    web, white_at = WebChoice(port, browser, arguments.language), arguments.white_at
    return play_real(played, where, web, settings.board, camera, serial, arguments.calibration, white_at, record)
