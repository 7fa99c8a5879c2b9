"""A reading without a game: the first picture is taken for a start position, and teaches what empty squares and men look like.

It knows no rules and no shape of the men, only that two opposite sides of the board are filled and the middle is empty; so it
also follows chess men or bottle caps. For a known game `SquareReader` with a taught look is the better reader.
"""

import contextlib
from collections.abc import Collection, Iterator, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import Content, Grid
from damludo.vision.errors import BoardNotFound
from damludo.vision.frame import Image
from damludo.vision.paint import DARK, lightness_lead
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]

CORE_SQUARES = 0.26
"""Radius of the middle of a square whose colour counts."""
SAMPLES = 13
SPREAD_FLOOR = 0.08
"""Least deviation of log colour within one class: grain, gloss and the camera's noise."""
MOST_MISFIT = 0.8
"""The start position must fit better than any other and than an empty board by this factor (photographs of chess men: 0.43 to
0.58)."""

KING_PENALTY_NATS = 10.0
TAUGHT_NATS = 10.0
"""The picture that taught is read as what it was taken for: the position as a whole was recognised, not each place."""
MOST_LIGHT = 0.4
"""Log light that one place may contribute to the field of light."""

_LOG_OF_VALUE = np.log(np.arange(256, dtype=np.float64) + DARK)
_EMPTY, _WHITE, _BLACK = 0, 1, 2
_CONTENTS = (Content.EMPTY, Content.WHITE_MAN, Content.BLACK_MAN)


class HomesReader:
    """A `PictureReader` taught by a start position: men on two opposite sides, none between; the lighter ones are White's.

    Args:
        view: the board in the picture.
        image: shows the start position.

    Attributes:
        content: what stood where in the picture that taught it.

    Raises:
        BoardNotFound: the picture shows no start position.
    """

    def __init__(self, view: BoardView, image: Image) -> None:
        self._view = view
        self._shade = _shades(view.grid)
        self._teach(image)

    def _teach(self, image: Image) -> None:
        features = _features(image, self._view)
        group = _homes(features, self._view.grid)
        self._taught = features
        self.content = {place: _CONTENTS[int(kind)] for place, kind in enumerate(group)}
        centres, _ = _classes(features, group, self._shade)
        # One lamp beside the board makes its far corner as dark as a dark man: a smooth field of light is taken off.
        self._field = _smooth(features - centres[self._shade, group], self._view.grid)
        self._centres, self._spreads = _classes(features - self._field, group, self._shade)

    def read(self, image: Image, believed: Mapping[int, Content] | None) -> Floats:
        """Return log-likelihoods of the contents, shape (rows * columns, 5); kings look like men.

        As long as nothing is believed the game has not begun: a picture that shows the start position teaches again, because
        the first one may have been taken in the shadow of the person who set the camera up.
        """
        if believed is None:
            with contextlib.suppress(BoardNotFound):
                self._teach(image)
                return self._as_taught()
        features = _features(image, self._view)
        # The lamp: the median change of all places, most of which hold what they held.
        features = features - np.median(features - self._taught, axis=0)
        features = features - self._field
        distance = (features[:, None, :] - self._centres[self._shade]) / self._spreads[self._shade]
        # A sum of absolute deviations: a bishop's mitre is no better reason than two grains of wood.
        scores = -np.abs(distance).sum(axis=2) - np.log(self._spreads[self._shade]).sum(axis=2)
        table = np.zeros((len(features), len(Content)))
        table[:, Content.EMPTY] = scores[:, _EMPTY]
        table[:, [Content.WHITE_MAN, Content.WHITE_KING]] = scores[:, [_WHITE]]
        table[:, [Content.BLACK_MAN, Content.BLACK_KING]] = scores[:, [_BLACK]]
        # Nothing here tells a king from a man, so it is never a reason to see one.
        table[:, [Content.WHITE_KING, Content.BLACK_KING]] -= KING_PENALTY_NATS
        return np.asarray(np.maximum(table - table.max(axis=1, keepdims=True), -30.0))

    def learn_ground(self, image: Image, content: Mapping[int, Content]) -> None:
        """Nothing is learnt: what empty squares look like matters to heights only, and these are not read here."""

    def crown_evidence(self, image: Image, places: Collection[int], content: Mapping[int, Content]) -> dict[int, float]:
        """Return nothing: heights are not read here."""
        return {}

    def _as_taught(self) -> Floats:
        table = np.full((len(self.content), len(Content)), -TAUGHT_NATS)
        for place, content in self.content.items():
            table[place, content] = 0.0
        return table


def _smooth(values: Floats, grid: Grid) -> Floats:
    """Return the quadratic in rank and file that fits values of the places best, shape (rows * columns, n)."""
    rank, file = np.divmod(np.arange(grid.columns * grid.rows), grid.columns)
    x, y = file / grid.columns - 0.5, rank / grid.rows - 0.5
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)
    # A man that shines or a square in shadow is no lamp.
    usual = np.clip(values, -MOST_LIGHT, MOST_LIGHT)
    return np.asarray(terms @ np.linalg.lstsq(terms, usual, rcond=None)[0])


def _homes(features: Floats, grid: Grid) -> NDArray[np.intp]:
    """Return the group of every place: empty, White's or Black's home."""
    shade = _shades(grid)
    layouts = list(_layouts(grid))
    misfits = np.array([_misfit(features, group, shade) for group in layouts])
    order = np.argsort(misfits, kind="stable")
    group = layouts[int(order[0])]
    nothing = _misfit(features, np.zeros_like(group), shade)
    if misfits[order[0]] > MOST_MISFIT * min(float(misfits[order[1]]), nothing):
        raise BoardNotFound("the men do not stand as at the start of a game; start the watch from a start position")
    white, black = (np.exp(features[group == side, :3].mean(axis=0)) - DARK for side in (_WHITE, _BLACK))
    if lightness_lead(white, black) < 0.0:
        group = np.array([_EMPTY, _BLACK, _WHITE], dtype=np.intp)[group]
    return group


def _shades(grid: Grid) -> NDArray[np.intp]:
    rank, file = np.divmod(np.arange(grid.columns * grid.rows), grid.columns)
    return np.asarray((rank + file) % 2, dtype=np.intp)


def _features(image: Image, view: BoardView) -> Floats:
    """Median log colour of the middle of every place and its spread, shape (rows * columns, 4)."""
    line = np.linspace(-1.0, 1.0, SAMPLES)
    x, y = np.meshgrid(line, line)
    inside = x * x + y * y <= 1.0
    radius = CORE_SQUARES * view.sizes.square_mm
    offsets = np.stack([x[inside], y[inside], np.zeros(int(inside.sum()))], axis=1) * radius
    places = range(view.grid.columns * view.grid.rows)
    points = np.concatenate([view.centre_mm(place, view.sizes.disc_height_mm) + offsets for place in places])
    where = view.project(points).astype(np.float32).reshape(len(places), -1, 2)
    values = cv2.remap(cv2.GaussianBlur(image, (0, 0), 1.0), where[..., 0], where[..., 1], cv2.INTER_LINEAR)
    colours = _LOG_OF_VALUE[values]
    middle = np.median(colours, axis=1)
    spread = np.abs(colours - middle[:, None]).mean(axis=(1, 2))
    return np.concatenate([middle, spread[:, None]], axis=1)


def _layouts(grid: Grid) -> Iterator[NDArray[np.intp]]:
    """Every plain start position: homes one to four rows deep on two opposite sides, on all places or on those of one shade."""
    rank, file = np.divmod(np.arange(grid.columns * grid.rows), grid.columns)
    shade = _shades(grid)
    for line, count in ((rank, grid.rows), (file, grid.columns)):
        for depth in range(1, (count - 1) // 2 + 1):
            for kept in (None, 0, 1):
                on = np.ones(len(line), dtype=np.bool_) if kept is None else shade == kept
                group = np.zeros(len(line), dtype=np.intp)
                group[on & (line < depth)] = _WHITE
                group[on & (line >= count - depth)] = _BLACK
                yield group


def _misfit(features: Floats, group: NDArray[np.intp], shade: NDArray[np.intp]) -> float:
    """Sum of the absolute departures from the median of each class.

    Empty squares are of two shades; men look alike on both, else an empty square of a home would pass for a man of its own kind.
    """
    total = 0.0
    for members in (
        (group == _EMPTY) & (shade == 0),
        (group == _EMPTY) & (shade == 1),
        group == _WHITE,
        group == _BLACK,
    ):
        if members.any():
            values = features[members]
            total += float(np.abs(values - np.median(values, axis=0)).sum())
    return total


def _classes(features: Floats, group: NDArray[np.intp], shade: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Centres and spreads of the classes, shapes (2 shades, 3 groups, 4 features)."""
    centres = np.zeros((2, 3, features.shape[1]))
    spreads = np.full((2, 3, features.shape[1]), 0.3)
    for key in range(2):
        for kind in range(3):
            members = features[(group == kind) & (shade == key)]
            if not len(members):
                # Men of a game that uses one shade only look the same on the other.
                members = features[group == kind]
            centres[key, kind] = np.median(members, axis=0)
            spreads[key, kind] = SPREAD_FLOOR + np.abs(members - centres[key, kind]).mean(axis=0)
    return centres, spreads
