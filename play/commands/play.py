"""`damludo play`: one game over the board; with `--sim` over the simulated one."""

import argparse

from damludo.play.arguments import CONTROLLER_HELP, CONTROLLERS, seed, speed

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
    table = parser.add_argument_group("table")
    table.add_argument("--sim", action="store_true", help="play on the simulated table: type your moves")
    table.add_argument(
        "--speed", type=speed, default=1.0, metavar="X", help="with --sim: so many times faster than real (0.1 to 20)"
    )
    table.add_argument(
        "--seed", type=seed, default=1, metavar="X", help="with --sim: light, camera and discs of the table"
    )
    table.add_argument("--controller", choices=CONTROLLERS, default="python", help=f"with --sim: {CONTROLLER_HELP}")
    table.add_argument("--camera", metavar="SOURCE", help="camera number, device, video file or http stream")
    table.add_argument("--serial", metavar="PORT", help="serial port of the gantry's controller")
    table.add_argument(
        "--calibration",
        metavar="FILE",
        help="the gantry's profile (default: the one of the controller on that port)",
    )
    table.add_argument(
        "--white-at", choices=("bottom", "right", "top", "left"), help="side of the picture where White's rank 1 lies"
    )


def run(arguments: argparse.Namespace) -> int:
    """Play one game."""
    from dataclasses import replace

    from damludo.play.console import CommandError, ExitCode
    from damludo.play.folders import folders
    from damludo.play.settings import load_settings
    from damludo.rules.variants import variant

    where = folders(arguments.home)
    settings = load_settings(where.config / "settings.toml")
    chosen = replace(
        settings.play,
        game=arguments.game or settings.play.game,
        level=arguments.level or settings.play.level,
        machine=arguments.machine or settings.play.machine,
    )
    game = variant(chosen.game)
    if arguments.sim:
        from damludo.play.at_the_table import play_simulated

        return play_simulated(game, chosen, where, arguments.seed, arguments.speed, arguments.controller)
    camera = arguments.camera or settings.camera.source
    port = arguments.serial or settings.gantry.port
    missing = [
        name
        for name, given in (("a camera (--camera SOURCE)", camera), ("the gantry (--serial PORT)", port))
        if not given
    ]
    if missing:
        raise CommandError(
            f"to play on a real table {' and '.join(missing)} must be named "
            f"('damludo doctor' lists what is plugged in); without hardware play on the simulated table: damludo play --sim",
            ExitCode.NO_DEVICE,
        )
    from damludo.play.at_the_table import play_real

    return play_real(game, chosen, where, settings.board, camera, port, arguments.calibration, arguments.white_at)
