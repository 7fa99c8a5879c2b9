"""`damludo gantry`: the gantry by hand."""

import argparse

from damludo.play.arguments import add_gantry_arguments, gantry_choice

HELP = "move the gantry by hand, show its state and its settings, test it"
EXAMPLES = (
    "damludo gantry status --sim --json",
    "damludo gantry home --serial /dev/ttyUSB0",
    "damludo gantry test --sim --speed 3",
    "damludo gantry goto c3 --sim --speed 3",
    "damludo gantry pick c3 --discs 2",
    "damludo gantry place d4 --discs 1",
    "damludo gantry park --sim --speed 3",
    "damludo gantry settings 13=0 22=1",
)
ACTIONS = {
    "status": "tell who answers and how it is; nothing moves",
    "home": "find the end switches",
    "goto": "travel above a square",
    "pick": "take the uppermost disc of a square, then put it where you say",
    "place": "take a disc from your hand above a square and put it down there",
    "park": "travel out of the camera's sight",
    "settings": "show the controller's settings, or change them; nothing moves",
    "test": "try homing, every axis and the magnet",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, help_ in ACTIONS.items():
        action = actions.add_parser(name, help=help_, description=help_)
        if name in ("goto", "pick", "place"):
            action.add_argument(
                "square", metavar="SQUARE", help="like c3, a field number of the game, or a rack's slot like white5"
            )
        if name == "pick":
            action.add_argument("--discs", type=int, choices=(1, 2), default=1, help="how many lie there (default: 1)")
        if name == "place":
            action.add_argument(
                "--discs", type=int, choices=(0, 1), default=0, help="how many lie there already (default: 0)"
            )
        if name == "settings":
            action.add_argument("change", nargs="*", type=_change, metavar="NUMBER=VALUE", help="like 13=0: store it")
            action.add_argument("--restore", action="store_true", help="store what the profile says")
        if name in ("status", "settings", "test"):
            action.add_argument("--json", action="store_true", help="print one JSON document")
        add_gantry_arguments(action)
        action.add_argument(
            "--calibration", metavar="FILE", help="the gantry's profile (default: the controller's own)"
        )


def run(arguments: argparse.Namespace) -> int:
    """Do one thing with the gantry."""
    choice = gantry_choice(arguments)
    if arguments.action == "test":
        from damludo.play.gantry.trial import try_gantry

        return try_gantry(choice, arguments.json)
    from damludo.play.gantry import by_hand

    match arguments.action:
        case "status":
            return by_hand.show_status(choice, arguments.json)
        case "home":
            return by_hand.home(choice)
        case "goto":
            return by_hand.go_to(choice, arguments.square)
        case "pick":
            return by_hand.pick(choice, arguments.square, arguments.discs)
        case "place":
            return by_hand.place(choice, arguments.square, arguments.discs)
        case "park":
            return by_hand.park(choice)
    return by_hand.settings(choice, dict(arguments.change), arguments.restore, arguments.json)


def _change(text: str) -> tuple[int, str]:
    number, equals, value = text.removeprefix("$").partition("=")
    plain = value.replace(".", "", 1)
    if not (
        equals and number.isascii() and number.isdigit() and len(number) <= 3 and plain.isascii() and plain.isdigit()
    ):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} must look like 13=0 or 130=640.5")
    return int(number), value
