"""`damludo calibrate`: measure the table once; what was measured is kept in profiles."""

import argparse
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from damludo.play.arguments import (
    add_discs_argument,
    add_gantry_arguments,
    add_white_at_argument,
    four_corners,
    gantry_choice,
    seed,
)
from damludo.play.console import CommandError, ExitCode, Progress, note, print_json

if TYPE_CHECKING:
    from damludo.play.calibration.pictures import EyesChoice
    from damludo.play.calibration.steps import Calibrated
    from damludo.rules.traits import Variant

HELP = "measure where the board lies to the camera and the gantry, and what the discs look like"
EXAMPLES = (
    "damludo calibrate camera --camera 0 --game english",
    "damludo calibrate board --camera 0 --game english --white-at bottom",
    "damludo calibrate pieces --camera 0 --game english",
    "damludo calibrate pieces --picture set-up.jpg --game russian --square-mm 48 --disc-mm 36,8 --json",
    "damludo calibrate check --camera 0 --game english",
    "damludo calibrate report --camera 0 --game english --output report.html",
    "damludo calibrate print-cards --output cards.pdf",
    "damludo calibrate gantry --serial /dev/ttyUSB0",
)

STEPS = {
    "camera": "find the lens and the pose of the camera, and stop its automatics where it lets them be stopped",
    "board": "find the board again, for example after the camera was moved; the look of the discs is kept",
    "pieces": "learn on the start position what squares and discs look like, and how surely each square can be read",
    "check": "compare the profile with what the camera sees now",
    "report": "write an HTML page that tells how good the profile is, and the same as JSON beside it",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be calibrated, and the options."""
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    for name, help_ in STEPS.items():
        step = steps.add_parser(name, help=help_, description=help_)
        _add_eyes_arguments(step)
        if name == "report":
            step.add_argument(
                "--output",
                type=Path,
                metavar="FILE",
                help="the page, .html (default: in the folder reports beside the profile)",
            )
    help_ = "corner cards as SVG or PDF, for boards whose squares are not found"
    cards = steps.add_parser("print-cards", help=help_, description=help_)
    cards.add_argument("--output", type=Path, metavar="FILE", default=Path("damludo-cards.pdf"), help=".pdf or .svg")
    cards.add_argument(
        "--card-mm", type=float, default=30.0, metavar="MM", help="side of a marker, 15 to 60 (default 30)"
    )
    cards.add_argument("--json", action="store_true", help="print one JSON document")
    help_ = "bring the magnet above five crossings of the board, and down to it once"
    gantry = steps.add_parser("gantry", help=help_, description=help_)
    add_gantry_arguments(gantry)
    gantry.add_argument("--square-mm", type=float, metavar="MM", help="side of a square (default: board.square_mm)")
    gantry.add_argument(
        "--points",
        type=Path,
        metavar="FILE",
        help='points measured before; nothing moves: {"surface_z_mm": -61.5, "points": [{"board_mm": [0, 0], '
        '"machine_mm": [-630.2, -590.1]}, ...]}, in the coordinates that the controller reports',
    )
    gantry.add_argument("--json", action="store_true", help="print one JSON document")


def _add_eyes_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--camera", metavar="SOURCE", help="camera number, device, video, folder or http stream")
    which.add_argument("--picture", nargs="+", metavar="FILE", default=(), help="stored pictures of the quiet board")
    which.add_argument("--sim", action="store_true", help="use the simulated table")
    parser.add_argument("--seed", type=seed, default=1, metavar="X", help="with --sim: which table (default: 1)")
    parser.add_argument("--game", metavar="KEY", help="the game that is set up (default: play.game)")
    add_white_at_argument(parser)
    parser.add_argument(
        "--corners",
        type=four_corners,
        metavar='"x,y x,y x,y x,y"',
        help="outer corners of the field, from the top left, clockwise",
    )
    add_discs_argument(parser)
    parser.add_argument("--square-mm", type=float, metavar="MM", help="side of a square, measured")
    parser.add_argument("--disc-mm", type=_disc, metavar="DIAMETER,HEIGHT", help="of a disc, measured")
    parser.add_argument("--card-mm", type=float, default=30.0, metavar="MM", help="side of a printed card's marker")
    parser.add_argument("--board", default="", metavar="NAME", help="name of the board (default: its size)")
    parser.add_argument(
        "--calibration", type=Path, metavar="FILE", help="the profile (default: the camera's and board's own)"
    )
    parser.add_argument("--frames", type=int, default=8, metavar="N", help="pictures that are averaged, 1 to 60")
    parser.add_argument("--king", metavar="SQUARE", help="with pieces: measure the discs' height on a king")
    parser.add_argument("--king-picture", nargs="+", default=(), metavar="FILE", help="stored pictures of that king")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Do one step."""
    if arguments.step == "gantry":
        return _gantry(arguments)
    if arguments.step == "print-cards":
        return _print_cards(arguments)
    if arguments.step != "pieces" and (arguments.king or arguments.king_picture):
        raise CommandError("a king is measured by 'damludo calibrate pieces' alone; give --king there", ExitCode.USAGE)
    if arguments.step == "report":
        return _report(arguments)
    from damludo.play.calibration.document import document
    from damludo.play.calibration.steps import calibrate, is_good

    choice = _choice(arguments)
    with _telling(arguments) as tell:
        done = calibrate(arguments.step, choice, tell)
    if arguments.json:
        print_json(document(done, choice.variant))
    else:
        _tell(done, choice.variant)
    return ExitCode.FINE if is_good(done) else ExitCode.NOT_CALIBRATED


@contextlib.contextmanager
def _telling(arguments: argparse.Namespace) -> Iterator[Callable[[str], None]]:
    """Give what tells in one line what is being done; nothing with --json and beside a terminal."""
    progress = Progress()
    progress.shown = progress.shown and not arguments.json
    try:
        yield lambda text: progress.show(f"{text:<60}")
    finally:
        progress.end()


def _tell(done: "Calibrated", variant: "Variant") -> None:
    from damludo.calibration.quality import CLEAR_NATS, MOST_ERROR_SQUARES

    pose = done.pose
    print(f"board found by {done.method}; White's first rank is at the {done.profile.white_at} of the picture")
    print(
        f"error {pose.error_mm:.2f} mm = {pose.error_px:.2f} px on {pose.seen} of {pose.expected} crossings "
        f"(limit {MOST_ERROR_SQUARES * pose.square_mm:.1f} mm): {'good' if pose.good else 'BAD'}"
    )
    if done.squares is not None:
        name = variant.board.name
        print(f"least margin {done.squares.least:.1f} nats ({CLEAR_NATS:.0f} and more is clear)")
        reasons = dict.fromkeys(done.squares.blind.values())
        for reason in reasons:
            places = [name(place) for place, why in done.squares.blind.items() if why == reason]
            print(f"  blind {', '.join(places)}: {reason}")
        if done.squares.weak:
            print(f"  hard to read (disc and square look alike): {', '.join(map(name, done.squares.weak))}")
    for sentence in done.notes:
        print(f"note: {sentence}")
    print(f"The profile is kept in {done.path}")


def _choice(arguments: argparse.Namespace) -> "EyesChoice":
    import numpy as np

    from damludo.play.calibration.pictures import EyesChoice
    from damludo.play.calibration.steps import sizes_for
    from damludo.play.folders import folders
    from damludo.play.settings import load_settings
    from damludo.rules.variants import variant
    from damludo.vision.cards import CardSize

    if arguments.sim:
        note("SIMULATION: the table and its camera are drawn.")
    where = folders(arguments.home)
    settings = load_settings(where.config / "settings.toml")
    game = variant(arguments.game or settings.play.game)
    square_mm = arguments.square_mm or settings.board.square_mm
    if not 5.0 <= square_mm <= 200.0:
        raise CommandError(f"--square-mm {square_mm:g} is outside 5 to 200", ExitCode.USAGE)
    if not 1 <= arguments.frames <= 60:
        raise CommandError(f"--frames {arguments.frames} is outside 1 to 60", ExitCode.USAGE)
    disc = arguments.disc_mm or (settings.board.disc_diameter_mm, settings.board.disc_height_mm)
    return EyesChoice(
        game,
        sizes_for(game, square_mm, disc, arguments.square_mm is not None),
        where,
        arguments.camera or ("" if arguments.picture or arguments.sim else settings.camera.source),
        tuple(arguments.picture),
        arguments.seed if arguments.sim else None,
        None if arguments.corners is None else np.array(arguments.corners, dtype=np.float64),
        arguments.white_at,
        arguments.board,
        arguments.calibration,
        arguments.frames,
        CardSize(_card_mm(arguments.card_mm)),
        None if arguments.king is None else game.board.square(arguments.king),
        tuple(arguments.king_picture),
        arguments.discs,
    )


def _report(arguments: argparse.Namespace) -> int:
    from damludo.play.calibration.report import write_report_page

    choice = _choice(arguments)
    with _telling(arguments) as tell:
        answer = write_report_page(choice, arguments.output, tell)
    if arguments.json:
        print_json(answer)
    else:
        if answer["reason"]:
            print(f"not good: {answer['reason']}")
        print(f"The report is in {answer['html']}")
    return ExitCode.FINE if answer["good"] else ExitCode.NOT_CALIBRATED


def _print_cards(arguments: argparse.Namespace) -> int:
    from damludo.calibration.cards import cards_pdf, cards_svg
    from damludo.play.console import cannot_write
    from damludo.vision.cards import CardSize

    card, path = CardSize(_card_mm(arguments.card_mm)), arguments.output
    if path.suffix.lower() not in (".pdf", ".svg"):
        raise CommandError(f"{path} is neither .pdf nor .svg; name the file so", ExitCode.USAGE)
    try:
        if path.suffix.lower() == ".pdf":
            path.write_bytes(cards_pdf(card))
        else:
            path.write_text(cards_svg(card), encoding="utf-8")
    except OSError as error:
        raise cannot_write(path, error) from error
    if arguments.json:
        print_json({"file": str(path), "marker_mm": card.marker_mm, "margin_mm": card.margin_mm})
    else:
        print(
            f"The cards are in {path}: print at full size, then give --card-mm {card.marker_mm:g} to 'damludo calibrate'"
        )
    return ExitCode.FINE


def _card_mm(side: float) -> float:
    if not 15.0 <= side <= 60.0:
        raise CommandError(f"--card-mm {side:g} is outside 15 to 60", ExitCode.USAGE)
    return side


def _disc(text: str) -> tuple[float, float]:
    try:
        diameter, height = (float(part) for part in text.split(","))
    except ValueError:
        diameter = height = 0.0
    if not (5.0 <= diameter <= 200.0 and 1.0 <= height <= 60.0):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not DIAMETER,HEIGHT in mm (5 to 200, 1 to 60)")
    return diameter, height


def _gantry(arguments: argparse.Namespace) -> int:
    """Measure the gantry."""
    from dataclasses import replace

    from damludo.play.gantry.measuring import calibrate_gantry

    choice = gantry_choice(arguments)
    side = arguments.square_mm
    if side is not None:
        if not 10.0 <= side <= 200.0:
            raise CommandError(f"--square-mm {side:g} is outside 10 to 200", ExitCode.USAGE)
        if side != choice.board.square_mm:
            note(
                f"For the match, write square_mm = {side:g} below [board] into {choice.where.config / 'settings.toml'}"
            )
        choice = replace(choice, board=replace(choice.board, square_mm=side))
    return calibrate_gantry(choice, arguments.points, arguments.json)
