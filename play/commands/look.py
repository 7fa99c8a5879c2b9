"""`damludo look`: find the board in pictures and read its squares, or score that on labelled pictures."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from damludo.play.arguments import add_discs_argument, add_white_at_argument, four_corners, seed
from damludo.play.console import CommandError, ExitCode, fail, note, print_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from damludo.calibration.profile import CameraProfile
    from damludo.vision.content import Content, Grid
    from damludo.vision.frame import Image
    from damludo.vision.look import Look
    from damludo.vision.paint import Paints
    from damludo.vision.view import BoardView

HELP = "find the board in pictures and read its squares"
EXAMPLES = (
    "damludo look board.jpg",
    "damludo look board.jpg --size 10 --json",
    "damludo look evening/*.jpg",
    'damludo look later.jpg --taught start.jpg --as "b.b.b.b./.b.b.b.b/b.b.b.b./......../......../.w.w.w.w/w.w.w.w./.w.w.w.w"',
    "damludo look later.jpg --taught start.jpg --as start:english --white-at bottom",
    "damludo look later.jpg --calibration ~/.local/share/damludo/calibration/camera-0--8x8.json",
    "damludo look board.jpg --discs white=red,black=black",
    "damludo look --score photos/labels.json --mode found",
)

MODES = ("found", "rough", "taught", "cold")
USUAL_SIZE = 8
KING_NATS = 6.0
"""So much better than a man a king must be before its letter is written: one picture hardly shows heights."""
CLEAR_NATS = 6.0
"""A square that an untaught reading takes for something else by more than this speaks against the start position."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help="picture files (JPEG, PNG)")
    parser.add_argument(
        "--size", type=int, default=USUAL_SIZE, metavar="N", help=f"squares along a side (default {USUAL_SIZE})"
    )
    parser.add_argument(
        "--corners",
        metavar='"x,y x,y x,y x,y"',
        type=four_corners,
        help="outer corners of the field, from the top left, clockwise",
    )
    parser.add_argument("--empty", metavar="PICTURE", help="the empty board in the same light")
    parser.add_argument("--empty-corners", metavar='"x,y ..."', type=four_corners, help="its corners")
    parser.add_argument("--taught", metavar="PICTURE", help="a picture whose content --as tells")
    parser.add_argument(
        "--as", dest="taught_as", metavar="ROWS", help="rows joined by / in picture order, or start:GAME"
    )
    parser.add_argument(
        "--taught-corners", metavar='"x,y ..."', type=four_corners, help="corners of the taught picture"
    )
    parser.add_argument(
        "--calibration",
        type=Path,
        metavar="FILE",
        help="profile of the camera and the board; without it a king is shown as a man, since one picture tells no heights",
    )
    add_white_at_argument(parser)
    add_discs_argument(parser)
    parser.add_argument("--score", metavar="LABELS", help="score the pictures of a label file instead")
    parser.add_argument("--mode", choices=MODES, default="found", help="what is scored (default found)")
    parser.add_argument("--seed", type=seed, default=0, metavar="X", help="of the disturbance in the mode rough")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.score is not None:
        return _score(arguments)
    if not arguments.pictures:
        raise CommandError("no picture was named; try: damludo look board.jpg", ExitCode.USAGE)
    if not 4 <= arguments.size <= 16:
        raise CommandError(f"a board of {arguments.size} squares is not known; --size is 4 to 16", ExitCode.USAGE)
    if arguments.calibration is not None and (arguments.corners or arguments.taught or arguments.empty):
        raise CommandError("--calibration tells the corners and the look; give it alone", ExitCode.USAGE)
    if (arguments.taught is None) != (arguments.taught_as is None):
        raise CommandError("--taught PICTURE and --as ROWS belong together; give both", ExitCode.USAGE)
    if arguments.calibration is not None:
        from damludo.calibration.profile import load_camera

        profile = load_camera(arguments.calibration)
        return _all(arguments, lambda path: _look_with_profile(path, profile))
    teaching = _teach(arguments)
    return _all(arguments, lambda path: _look_at(path, arguments, teaching))


def _all(arguments: argparse.Namespace, look_at: Callable[[str], "_Seen"]) -> int:
    """Look at one picture after the other and tell each at once; one that cannot be read does not take the others with it."""
    from damludo.vision.errors import BadPicture

    seen, code = [], ExitCode.FINE
    for path in arguments.pictures:
        try:
            picture = look_at(path)
        except BadPicture as error:
            if len(arguments.pictures) == 1:
                raise
            fail(str(error))
            code = ExitCode.BAD_INPUT
            picture = _Seen(path, None, None, None, None, 0.0, str(error))
        else:
            if not arguments.json:
                print(picture.to_text(), flush=True)
        seen.append(picture)
    if arguments.json:
        print_json({"pictures": [picture.to_dict() for picture in seen]})
    return code


@dataclass(frozen=True, slots=True)
class _Teaching:
    """What --empty or --taught gave: a look, whether it is only the empty board's, and where White sits if that was found."""

    look: "Look | None" = None
    empty_only: bool = False
    white_at: str | None = None


@dataclass(frozen=True, slots=True)
class _Seen:
    """The answer for one picture."""

    file: str
    corners: list[list[float]] | None
    squares: list[str] | None
    confidence: list[list[float]] | None
    white_at: str | None
    cpu_ms: float
    why_not: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "found": self.corners is not None,
            "corners": self.corners,
            "squares": self.squares,
            "confidence": self.confidence,
            "white_at": self.white_at,
            "cpu_ms": self.cpu_ms,
            "reason": self.why_not,
        }

    def to_text(self) -> str:
        if self.corners is None or self.squares is None or self.confidence is None:
            return f"{self.file}: no board ({self.why_not})"
        least = min(min(row) for row in self.confidence)
        unsure = sum(value < 0.9 for row in self.confidence for value in row)
        place = "  ".join(f"{x:.1f},{y:.1f}" for x, y in self.corners)
        rows = "\n".join("  " + " ".join(row) for row in self.squares)
        return f"{self.file}: corners {place}\n{rows}\n  least sure {least:.2f}, unsure squares {unsure}, {self.cpu_ms:.0f} ms"


def _look_at(path: str, arguments: argparse.Namespace, teaching: _Teaching) -> _Seen:
    from damludo.vision.cold import adapted_reading, cold_reading
    from damludo.vision.errors import BoardNotFound
    from damludo.vision.look import matched
    from damludo.vision.picture import load_picture

    image = load_picture(path)
    begin = time.process_time()
    white_at = arguments.white_at or teaching.white_at
    try:
        view, corners = _view(image, arguments.corners, arguments.size)
    except BoardNotFound as error:
        hint = "; a board of another size is found with --size N" if arguments.size == USUAL_SIZE else ""
        return _Seen(path, None, None, None, white_at, _since(begin), f"{error}{hint}")
    if teaching.look is None:
        found = cold_reading(image, view)
    elif teaching.empty_only:
        found = cold_reading(image, view, matched(teaching.look, image, view))
    else:
        found = adapted_reading(teaching.look, image, view)
    if teaching.look is None or teaching.empty_only:
        found = _named_by_paint(found, image, view, arguments.discs)
    squares, confidence = _letters(found, view.grid)
    placed = [[round(float(x), 2), round(float(y), 2)] for x, y in corners]
    return _Seen(path, placed, squares, confidence, white_at, _since(begin))


def _named_by_paint(
    found: "NDArray[np.float64]", image: "Image", view: "BoardView", paints: "Paints | None"
) -> "NDArray[np.float64]":
    """Exchange the sides of a reading if the paint that was told, or else the lightness, clearly says so; both must be seen."""
    import numpy as np

    from damludo.vision.content import Content
    from damludo.vision.look import disc_colours, learn_look
    from damludo.vision.paint import CLEAR_LEAD, lightness_lead

    content = {place: Content(int(found[place].argmax())) for place in view.grid.playable}
    if not any(what.is_white for what in content.values()) or not any(what.is_black for what in content.values()):
        return found
    told = paints.lead if paints is not None else lightness_lead
    lead = told(*disc_colours(learn_look(image, view, content, radius=0), image, view))
    return found if lead > -CLEAR_LEAD else np.asarray(found[:, [0, 3, 4, 1, 2]])


def _look_with_profile(path: str, profile: "CameraProfile") -> _Seen:
    """Read a picture with the pose and the look of a profile; a board that moved a little is followed."""
    from damludo.calibration.quality import pose_quality
    from damludo.vision.board import refined_view
    from damludo.vision.cold import cold_look
    from damludo.vision.look import Look
    from damludo.vision.picture import load_picture
    from damludo.vision.sides import corners_of
    from damludo.vision.squares import SquareReader

    image = load_picture(path)
    begin = time.process_time()
    size = (image.shape[1], image.shape[0])
    if size != profile.image_size:
        why = f"the picture has {size[0]} x {size[1]} px, the profile is for {profile.image_size[0]} x {profile.image_size[1]}"
        return _Seen(path, None, None, None, profile.white_at, _since(begin), why)
    view = profile.view
    if not pose_quality(view, [image]).good:
        moved = refined_view(view, image)
        if moved is None or not pose_quality(moved, [image]).good:
            why = "the board is not where the profile says; repeat 'damludo calibrate board'"
            return _Seen(path, None, None, None, profile.white_at, _since(begin), why)
        view = moved
    look = Look.from_dict(profile.look) if profile.look else cold_look(image, view)
    squares, confidence = _letters(SquareReader(view, look).read(image), view.grid, profile.white_at)
    corners = view.project(corners_of(view.grid, view.sizes, profile.white_at))
    placed = [[round(float(x), 2), round(float(y), 2)] for x, y in corners]
    return _Seen(path, placed, squares, confidence, profile.white_at, _since(begin))


def _since(begin: float) -> float:
    return round(1000 * (time.process_time() - begin), 1)


def _view(
    image: "Image", corners: list[tuple[float, float]] | None, size: int
) -> "tuple[BoardView, NDArray[np.float64]]":
    """Return pose and corners: given ones, or found. The board frame is the picture's (as if White sat at the bottom)."""
    import numpy as np

    from damludo.vision.board import find_board, view_from_corners
    from damludo.vision.view import grid_of

    grid = grid_of(size, size)
    if corners is None:
        finding = find_board(image, grid)
        return finding.view, finding.corners
    given = np.array(corners, dtype=np.float64)
    return view_from_corners(given, (image.shape[1], image.shape[0]), grid), given


def _letters(
    found: "NDArray[np.float64]", grid: "Grid", white_at: str = "bottom"
) -> tuple[list[str], list[list[float]]]:
    """Return letters and their probabilities in picture order; a king and a man of one side are one for the probability."""
    import numpy as np

    from damludo.vision.labels import rows_of_reading
    from damludo.vision.sides import places_in_picture

    careful = found.copy()
    careful[:, [2, 4]] -= KING_NATS
    rows = rows_of_reading(careful, grid, white_at)
    sides = np.stack([found[:, 0], found[:, 1:3].max(axis=1), found[:, 3:5].max(axis=1)], axis=1)
    weight = np.exp(sides - sides.max(axis=1, keepdims=True))
    sure = 1.0 / weight.sum(axis=1)
    # Where nothing is played nothing was looked for.
    sure[np.setdiff1d(np.arange(len(sure)), grid.playable)] = 1.0
    places = places_in_picture(grid, white_at)
    return rows, [[round(float(sure[place]), 3) for place in row] for row in places]


def _teach(arguments: argparse.Namespace) -> _Teaching:
    from damludo.vision.content import Content
    from damludo.vision.errors import BoardNotFound
    from damludo.vision.look import learn_look
    from damludo.vision.picture import load_picture

    name = arguments.taught or arguments.empty
    if name is None:
        return _Teaching()
    image = load_picture(name)
    corners = arguments.taught_corners if arguments.taught else arguments.empty_corners
    try:
        view, _ = _view(image, corners, arguments.size)
    except BoardNotFound as error:
        option = "--taught-corners" if arguments.taught else "--empty-corners"
        raise CommandError(f"{name}: {error} with {option}", ExitCode.BAD_INPUT) from error
    if not arguments.taught:
        return _Teaching(learn_look(image, view, dict.fromkeys(view.grid.playable, Content.EMPTY)), empty_only=True)
    if not arguments.taught_as.startswith("start:"):
        from damludo.vision.labels import content_of_rows

        content = content_of_rows(tuple(arguments.taught_as.split("/")), view.grid, "bottom")
        return _Teaching(learn_look(image, view, content, radius=0), white_at=arguments.white_at)
    return _teach_start(image, view, arguments.taught_as.removeprefix("start:"), arguments)


def _teach_start(image: "Image", view: "BoardView", key: str, arguments: argparse.Namespace) -> _Teaching:
    """Learn from a game's start position; without --white-at the side that shows it best is taken."""
    from damludo.calibration.board import best_turn
    from damludo.vision.labels import content_of_rows, rows_of_content
    from damludo.vision.look import learn_look

    start = _start_content(key, arguments.size)
    white_at = arguments.white_at or best_turn(image, view, start, arguments.discs)
    content = content_of_rows(tuple(rows_of_content(start, view.grid, white_at)), view.grid, "bottom")
    _check_start(image, view, content)
    return _Teaching(learn_look(image, view, content, radius=0), white_at=white_at)


def _check_start(image: "Image", view: "BoardView", content: "dict[int, Content]") -> None:
    """Refuse a picture whose squares, read without teaching, are clearly not filled and empty as the start position has them.

    A look that is learnt from the wrong position explains its own picture perfectly; only a reading without it can tell.
    """
    import numpy as np

    from damludo.calibration.board import MOST_WRONG
    from damludo.vision.cold import cold_reading

    if view.grid.lines:
        return
    found = cold_reading(image, view)[list(content)]
    lead = found[:, 1:].max(axis=1) - found[:, 0]
    filled = np.array([what > 0 for what in content.values()])
    wrong = int((np.where(filled, -lead, lead) > CLEAR_NATS).sum())
    limit = MOST_WRONG * len(content)
    if wrong > limit:
        raise CommandError(
            f"{wrong} squares of the picture to learn from do not show the start position (limit {limit:.0f}); "
            "take a picture of the discs set up as for the first move, or say with --as ROWS what it shows",
            ExitCode.BAD_INPUT,
        )


def _start_content(key: str, size: int) -> "dict[int, Content]":
    from damludo.rules.variants import variant
    from damludo.vision.content import Content

    game = variant(key)
    if game.board.columns != size or game.board.rows != size:
        raise CommandError(
            f"{key} is played on {game.board.columns} x {game.board.rows} squares, --size says {size}; give both alike",
            ExitCode.USAGE,
        )
    # Parachutists (5, 6) stand on the board as men do.
    numbers = {5: 1, 6: 3}
    return {place: Content(numbers.get(cell, cell)) for place, cell in enumerate(game.start.cells)}


def _score(arguments: argparse.Namespace) -> int:
    from damludo.vision.labels import load_labels, mean_of, score

    labels = load_labels(Path(arguments.score))
    note(f"scoring {len(labels)} pictures ({arguments.mode})")
    tallies = score(labels, arguments.mode, arguments.seed)
    sources = {name: tally.to_dict() for name, tally in tallies.items() if tally.pictures}
    document = {"mode": arguments.mode, "sources": sources, "mean": mean_of(tallies)}
    if arguments.json:
        print_json(document)
        return ExitCode.FINE
    columns = (
        "pictures",
        "found",
        "wrong_accepted",
        "corner_error",
        "close",
        "squares",
        "squares_wrong",
        "boards_right",
    )
    print(f"{'source':16}" + "".join(f"{column:>15}" for column in columns))
    for name, row in [*sources.items(), ("mean", document["mean"])]:
        print(f"{name:16}" + "".join(f"{'-' if row[column] is None else row[column]:>15}" for column in columns))
    return ExitCode.FINE
