"""`damludo watch`: a camera, a video or a folder of pictures in, lines of events out."""

import argparse
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from damludo.play.arguments import add_discs_argument, add_white_at_argument, four_corners, game_of
from damludo.play.console import CommandError, ExitCode, note, print_json

if TYPE_CHECKING:
    from damludo.play.watching import BoardEvents, WatchEvent
    from damludo.rules.game import Game
    from damludo.vision.frame import Frame, FrameSource
    from damludo.vision.look import Look
    from damludo.vision.view import BoardView
    from damludo.vision.watcher import PictureReader

HELP = "watch a board through a camera, a video or a folder of pictures and tell what happens on it"
EXAMPLES = (
    "damludo watch 0 --game damludo",
    "damludo watch game.avi --game none --json",
    "damludo watch pictures/ --game none --times times.txt --json",
    "damludo watch game.avi --game english --show seen/",
)

FRAMES_TO_FIND = 60
"""The board has to be seen within so many pictures."""
EACH_UNTIL, ONE_OF = 5, 4
"""So many pictures are looked at one by one; if no board is seen until then, one of four, for a look may take a second."""
SHOW_EVERY_S = 1.0
"""With --show, a picture is written at least this often."""
FRAMES_TO_START = 5
"""Without a game: a start position has to be seen within so many pictures, else the discs are told apart by themselves."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "source", metavar="SOURCE", help="camera number, device, video file, http stream or folder of pictures"
    )
    parser.add_argument(
        "--game", metavar="KEY", required=True, help="the game that is played, or 'none' to tell only what changes"
    )
    parser.add_argument("--fen", metavar="FEN", help="the position on the board (default: where the game begins)")
    parser.add_argument("--calibration", metavar="FILE", help="profile of the camera and the board")
    timing = parser.add_mutually_exclusive_group()
    timing.add_argument("--frame-rate", metavar="F", type=_rate, help="pictures a second of a folder or video")
    timing.add_argument(
        "--times", metavar="FILE", type=Path, help="a line SECONDS or NAME SECONDS for each picture of a folder"
    )
    add_white_at_argument(parser, "the side that shows the position")
    parser.add_argument(
        "--size", metavar="N", type=int, default=8, help="squares a side, with --game none (default: 8)"
    )
    parser.add_argument(
        "--corners",
        metavar='"x,y x,y x,y x,y"',
        type=four_corners,
        help="outer corners of the playing field in the picture: smallest x + y first, then clockwise",
    )
    add_discs_argument(parser)
    parser.add_argument(
        "--show",
        metavar="DIR",
        type=Path,
        help="write pictures with grid, readings, hand and events: of each frame that brought an event, and one a second",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON line for each event")


def run(arguments: argparse.Namespace) -> int:
    """Watch until the pictures end or Ctrl+C."""
    from damludo.vision.camera import open_source

    if not 4 <= arguments.size <= 12:
        raise CommandError(f"--size {arguments.size} is not a board; give 4 to 12", ExitCode.USAGE)
    # A mistyped game is told before a camera is opened.
    game = None if arguments.game == "none" else game_of(arguments)
    source = open_source(arguments.source, arguments.frame_rate, arguments.times)
    try:
        for event in _plain_events(source, arguments) if game is None else _game_events(source, arguments, game):
            _show(event, arguments.json)
    finally:
        source.close()
    return ExitCode.FINE


def _plain_events(source: "FrameSource", arguments: argparse.Namespace) -> "Iterator[WatchEvent]":
    from damludo.play.watching import BoardEvents, PlainJudge
    from damludo.vision.recording import PictureFolder
    from damludo.vision.watcher import BoardWatcher

    seen: list[Frame] = []
    view, reader = _find(source, arguments, seen)
    names = source.names if isinstance(source, PictureFolder) else ()
    events = BoardEvents(BoardWatcher(view, reader), PlainJudge(arguments.white_at or "bottom", names))
    yield from _run_through(events, chain(seen, _frames(source)), arguments.show)


def _find(
    source: "FrameSource", arguments: argparse.Namespace, seen: "list[Frame]"
) -> "tuple[BoardView, PictureReader]":
    """Look for the board in the first pictures, which are kept in `seen`; a start position teaches best, else the discs do."""
    from damludo.vision.cold import cold_look
    from damludo.vision.errors import BoardNotFound
    from damludo.vision.homes import HomesReader
    from damludo.vision.squares import SquareReader

    why = BoardNotFound("there are no pictures; give a source that has some")
    first: tuple[Frame, BoardView] | None = None
    for frame in worth_a_look(source, seen):
        try:
            view = _view(frame, arguments)
            first = first or (frame, view)
            return view, HomesReader(view, frame.image)
        except BoardNotFound as error:
            _not_yet(error, why)
            why = error
        if first is not None and len(seen) >= FRAMES_TO_START:
            break
    if first is None:
        raise why
    return first[1], SquareReader(first[1], cold_look(first[0].image, first[1]))


def _game_events(source: "FrameSource", arguments: argparse.Namespace, game: "Game") -> "Iterator[WatchEvent]":
    from damludo.play.game_watch import GameJudge
    from damludo.play.watching import BoardEvents
    from damludo.vision.errors import BoardNotFound
    from damludo.vision.recording import PictureFolder
    from damludo.vision.squares import SquareReader
    from damludo.vision.watcher import BoardWatcher

    seen: list[Frame] = []
    found: tuple[BoardView, Look, str] | None = None
    why = BoardNotFound("there are no pictures; give a source that has some")
    for frame in worth_a_look(source, seen):
        try:
            found = _set_up(frame, arguments, game)
            break
        except BoardNotFound as error:
            _not_yet(error, why)
            why = error
    if found is None:
        raise why
    names = source.names if isinstance(source, PictureFolder) else ()
    view, look, white_at = found
    watcher = BoardWatcher(view, SquareReader(view, look), lambda moved: SquareReader(moved, look))
    events = BoardEvents(watcher, GameJudge(game, white_at, names))
    yield from _run_through(events, chain(seen, _frames(source)), arguments.show)


def worth_a_look(source: "FrameSource", seen: "list[Frame]") -> "Iterator[Frame]":
    """Keep the first pictures in `seen` and give those of them in which the board is looked for."""
    for number, frame in enumerate(islice(_frames(source), FRAMES_TO_FIND)):
        seen.append(frame)
        if number < EACH_UNTIL or number % ONE_OF == 0:
            yield frame


def _not_yet(error: Exception, before: Exception) -> None:
    """Tell the person who waits why nothing happens yet, once for each reason."""
    if type(error) is not type(before) or _without_figures(error) != _without_figures(before):
        note(f"The board is looked for: {error}")


def _without_figures(error: Exception) -> str:
    return "".join(letter for letter in str(error) if not letter.isdigit())


def _set_up(frame: "Frame", arguments: argparse.Namespace, game: "Game") -> "tuple[BoardView, Look, str]":
    """Find the board and its look by a profile, by given corners, or by the position that stands on it."""
    import numpy as np

    from damludo.calibration.board import set_up, set_up_at
    from damludo.calibration.profile import load_camera
    from damludo.play.content import board_content, grid_of_board
    from damludo.vision.content import BoardSizes
    from damludo.vision.look import Look, learn_look

    content = board_content(game.variant.board.playable, game.position)
    if arguments.calibration is not None:
        profile = load_camera(Path(arguments.calibration))
        look = Look.from_dict(profile.look) if profile.look else learn_look(frame.image, profile.view, content)
        return profile.view, look, profile.white_at
    grid = grid_of_board(game.variant.board)
    if arguments.corners is None:
        return set_up([frame], grid, content, BoardSizes(), arguments.white_at, arguments.discs)
    corners = np.array(arguments.corners, dtype=np.float64)
    return set_up_at(corners, frame.image, grid, content, BoardSizes(), arguments.white_at, arguments.discs)


def _view(frame: "Frame", arguments: argparse.Namespace) -> "BoardView":
    import numpy as np

    from damludo.vision.board import find_board, view_from_corners
    from damludo.vision.view import grid_of

    grid, white_at = grid_of(arguments.size, arguments.size), arguments.white_at or "bottom"
    if arguments.corners is None:
        return find_board(frame.image, grid, white_at=white_at).view
    height, width = frame.image.shape[:2]
    corners = np.array(arguments.corners, dtype=np.float64)
    return view_from_corners(corners, (width, height), grid, white_at=white_at, refine=frame.image)


def _run_through(events: "BoardEvents", frames: "Iterator[Frame]", show: Path | None) -> "Iterator[WatchEvent]":
    shown_s = -SHOW_EVERY_S
    frame = None
    for frame in frames:
        told = list(events.update(frame))
        if show is not None and (told or frame.time_s - shown_s >= SHOW_EVERY_S):
            shown_s = frame.time_s
            _picture(show, events, frame, told)
        yield from told
    last = list(events.finish())
    if show is not None and last and frame is not None:
        _picture(show, events, frame, last)
    yield from last


def _picture(folder: Path, events: "BoardEvents", frame: "Frame", told: "list[WatchEvent]") -> None:
    """Write a frame with what was made of it."""
    import cv2

    from damludo.vision.overlay import draw_overlay

    watcher, scene = events.watcher, events.scene
    state = "the camera moved" if scene and scene.camera_moved else "hand" if scene and scene.hand else ""
    words = [f"{frame.time_s:.2f} s  {state}", *(_sentence(event) for event in told)]
    hand = watcher.mask if scene is not None and scene.hand else None
    drawn = draw_overlay(frame.image, watcher.view, events.reading, hand, watcher.region, words)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{frame.number:06d}.jpg"
    if not cv2.imwrite(str(file), drawn):
        raise CommandError(f"{file} cannot be written; give --show a folder on a disc with room", ExitCode.BAD_INPUT)


def _sentence(event: "WatchEvent") -> str:
    squares = event.more.get("squares")
    names = " ".join(str(square) for square in squares) if isinstance(squares, list) else ""
    move = event.more.get("move")
    text = str(move["text"]) if isinstance(move, dict) else names
    return f"{event.event} {text} {event.confidence:.2f}"


def _frames(source: "FrameSource") -> "Iterator[Frame]":
    from damludo.vision.errors import EndOfFrames

    while True:
        try:
            yield source.read()
        except EndOfFrames:
            return


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 0.0 < rate <= 1000.0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no frame rate; give pictures a second, more than 0 and at most 1000"
        )
    return rate


def _show(event: "WatchEvent", as_json: bool) -> None:
    if as_json:
        print_json(event.to_json())
        return
    more = "; ".join(f"{key} {value}" for key, value in event.more.items() if key != "rows")
    print(f"{event.time_s:9.2f} s  {event.event:<14} {more}".rstrip(), flush=True)
    rows = event.more.get("rows")
    if isinstance(rows, list):
        print("\n".join(f"             {row}" for row in rows), flush=True)
