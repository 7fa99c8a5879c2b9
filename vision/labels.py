"""Scoring the finder and the reader on labelled photographs.

The labels are a JSON file beside the pictures: `images`, each with `file`, `setup`, `n`, `corners` (four, picture order) and
`squares` (n strings of `.wWbB?`, or null). A king counts as its side: one picture hardly shows heights.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damludo.vision.board import find_board, four_corners, view_from_corners
from damludo.vision.cold import adapted_reading, cold_reading
from damludo.vision.content import LETTER_OF_CONTENT, Content, Grid
from damludo.vision.errors import BadPicture, BadPose, BoardNotFound
from damludo.vision.frame import Image
from damludo.vision.look import Look, learn_look
from damludo.vision.picture import load_picture
from damludo.vision.sides import places_in_picture
from damludo.vision.view import BoardView, grid_of

MODES = ("found", "rough", "taught", "cold")
FOUND_SQUARES = 0.15
"""A board whose worst corner is off by more than this, in squares, is not found but wrong."""
CLOSE_SQUARES = 0.1
"""Within this, in squares, all four corners of a board count as close."""
ROUGH_SQUARES = 0.3
"""By so much four clicks miss in the mode `rough`."""
CONTENT_OF_LETTER: Mapping[str, Content] = {letter: content for content, letter in LETTER_OF_CONTENT.items()}


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled picture.

    Attributes:
        path: the file.
        source: first folder of its name.
        setup: pictures of one set-up show the same board, discs and light.
        size: squares along a side.
        corners: four of (x, y), picture order, px.
        rows: size strings of size letters, or None.
    """

    path: Path
    source: str
    setup: str
    size: int
    corners: tuple[tuple[float, float], ...]
    rows: tuple[str, ...] | None

    @property
    def grid(self) -> Grid:
        """All squares: a label does not say which game it is."""
        return grid_of(self.size, self.size)


@dataclass(slots=True)
class Tally:
    """Sums over the pictures of one source; see `Score`."""

    pictures: int = 0
    found: int = 0
    close: int = 0
    wrong_accepted: int = 0
    corner_errors: list[float] = field(default_factory=list)
    squares: int = 0
    squares_wrong: int = 0
    boards_right: int = 0

    def to_dict(self) -> dict[str, float | int | None]:
        """Return the counts; `corner_error` is the mean over the pictures in which a board was reported.

        `close` are those with all corners within CLOSE_SQUARES, `close_part` is their part of the pictures.
        """
        return {
            "pictures": self.pictures,
            "found": self.found,
            "close": self.close,
            "wrong_accepted": self.wrong_accepted,
            "corner_error": round(float(np.mean(self.corner_errors)), 4) if self.corner_errors else None,
            "squares": self.squares,
            "squares_wrong": self.squares_wrong,
            "boards_right": self.boards_right,
            "close_part": round(self.close / self.pictures, 4) if self.pictures else None,
        }


def load_labels(path: Path) -> list[Label]:
    """Read a label file.

    Raises:
        BadPicture: the file is missing or not as described above.
    """
    try:
        images = json.loads(path.read_text(encoding="utf-8"))["images"]
        return [_label(path.parent, entry) for entry in images]
    except OSError as error:
        raise BadPicture(
            f"the labels {str(path)!r} cannot be read ({error.strerror}); check the file's name"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadPicture(f"the labels {str(path)!r} are not as expected ({error!r}); see docs/benchmarks.md") from error


def _label(folder: Path, entry: Mapping[str, Any]) -> Label:
    rows = entry["squares"]
    return Label(
        path=folder / entry["file"],
        source=str(entry["file"]).split("/")[0],
        setup=str(entry["setup"]),
        size=int(entry["n"]),
        corners=tuple((float(x), float(y)) for x, y in entry["corners"]),
        rows=None if rows is None else tuple(map(str, rows)),
    )


def score(labels: list[Label], mode: str, seed: int = 0) -> dict[str, Tally]:
    """Score all pictures; return the tallies by source.

    Args:
        labels: what to score.
        mode: "found" (no help), "rough" (corners disturbed by ROUGH_SQUARES), "taught" (corners given, look learnt from the
            first labelled picture of the set-up, which itself does not count) or "cold" (corners given, nothing taught; the
            better of the two colour assignments counts).
        seed: of the disturbance.
    """
    tallies: dict[str, Tally] = {}
    looks: dict[str, Look] = {}
    random = np.random.default_rng(seed)
    for label in labels:
        if mode in ("taught", "cold") and label.rows is None:
            continue
        tally = tallies.setdefault(label.source, Tally())
        image = load_picture(label.path)
        if mode in ("found", "rough"):
            tally.pictures += 1
            angle = random.uniform(0, 2 * np.pi, 4)
            _count_corners(tally, label, image, None if mode == "found" else angle)
        elif mode == "taught" and label.setup not in looks:
            looks[label.setup] = _teach(label, image)
        else:
            tally.pictures += 1
            _count_squares(tally, label, image, looks.get(label.setup))
    return tallies


def mean_of(tallies: Mapping[str, Tally]) -> dict[str, float | None]:
    """Return the means of all figures over the sources that have pictures; each source weighs the same."""
    rows = [tally.to_dict() for tally in tallies.values() if tally.pictures]
    result: dict[str, float | None] = {}
    for key in Tally().to_dict():
        values = [float(value) for row in rows if (value := row[key]) is not None]
        result[key] = round(float(np.mean(values)), 4) if values else None
    return result


def _side_px(corners: NDArray[np.float64], size: int) -> float:
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean() / size)


def _count_corners(tally: Tally, label: Label, image: Image, angle: NDArray[np.float64] | None) -> None:
    truth = np.array(label.corners)
    side = _side_px(truth, label.size)
    try:
        if angle is None:
            found = find_board(image, label.grid).corners
        else:
            rough = truth + ROUGH_SQUARES * side * np.column_stack([np.cos(angle), np.sin(angle)])
            view = view_from_corners(rough, (image.shape[1], image.shape[0]), label.grid, refine=image)
            found = four_corners(view, image)
    except (BoardNotFound, BadPose):
        return
    # Any turn will do: picture order may begin at another corner when a board stands on its tip.
    turns = [np.roll(order, k, axis=0) for order in (found, found[::-1]) for k in range(4)]
    error = min(float(np.linalg.norm(turn - truth, axis=1).max()) for turn in turns) / side
    tally.corner_errors.append(error)
    tally.found += error <= FOUND_SQUARES
    tally.close += error <= CLOSE_SQUARES
    tally.wrong_accepted += error > FOUND_SQUARES


def _given_view(label: Label, image: Image) -> BoardView:
    return view_from_corners(np.array(label.corners), (image.shape[1], image.shape[0]), label.grid)


def _teach(label: Label, image: Image) -> Look:
    return learn_look(
        image, _given_view(label, image), content_of_rows(label.rows or (), label.grid, "bottom"), radius=0
    )


def _count_squares(tally: Tally, label: Label, image: Image, look: Look | None) -> None:
    view = _given_view(label, image)
    found = adapted_reading(look, image, view) if look is not None else cold_reading(image, view)
    read = "".join(rows_of_reading(found, label.grid, "bottom")).lower()
    wanted = "".join(label.rows or ()).lower()
    wrong = _differences(read, wanted)
    if look is None:
        wrong = min(wrong, _differences(read.translate(str.maketrans("wb", "bw")), wanted))
    tally.squares += sum(letter != "?" for letter in wanted)
    tally.squares_wrong += wrong
    tally.boards_right += wrong == 0


def _differences(read: str, wanted: str) -> int:
    return sum(a != b for a, b in zip(read, wanted, strict=True) if b != "?")


def content_of_rows(rows: tuple[str, ...], grid: Grid, white_at: str) -> dict[int, Content]:
    """Return the content that rows in picture order mean; `?` is left out.

    Raises:
        BadPicture: wrong number of rows or letters, or an unknown letter.
    """
    places = places_in_picture(grid, white_at)
    if len(rows) != places.shape[0] or any(len(row) != places.shape[1] for row in rows):
        raise BadPicture(f"{places.shape[0]} rows of {places.shape[1]} letters are needed, got {'/'.join(rows)[:80]!r}")
    unknown = set("".join(rows)) - set(CONTENT_OF_LETTER) - {"?"}
    if unknown:
        raise BadPicture(
            f"a row holds {sorted(unknown)[0]!r}; use . for empty, w b for men, W B for kings, ? for unknown"
        )
    letters = zip(places.ravel(), "".join(rows), strict=True)
    return {int(place): CONTENT_OF_LETTER[letter] for place, letter in letters if letter != "?"}


def rows_of_reading(log_likelihood: NDArray[np.float64], grid: Grid, white_at: str) -> list[str]:
    """Return the most likely letters in picture order; places that are not playable are empty."""
    places = places_in_picture(grid, white_at)
    best = log_likelihood.argmax(axis=1)
    return ["".join(LETTER_OF_CONTENT[Content(int(best[place]))] for place in row) for row in places]


def rows_of_content(content: Mapping[int, Content], grid: Grid, white_at: str) -> list[str]:
    """Return a content as rows in picture order; places without one are empty."""
    places = places_in_picture(grid, white_at)
    return ["".join(LETTER_OF_CONTENT[content.get(int(place), Content.EMPTY)] for place in row) for row in places]
