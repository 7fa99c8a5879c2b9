"""Setting up on the board as it stands: the start position tells which way it lies, and what squares and discs look like."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from damludo.calibration.quality import mean_picture
from damludo.vision.board import find_candidates, refined_view, view_from_corners
from damludo.vision.content import BoardSizes, Content, Grid
from damludo.vision.errors import BoardNotFound, NoBoardSeen, SideUnknown
from damludo.vision.finding import BoardFinding
from damludo.vision.frame import Frame, Image
from damludo.vision.labels import rows_of_content
from damludo.vision.look import Look, disc_colours, glance, learn_look
from damludo.vision.paint import CLEAR_LEAD, Paints, lightness_lead
from damludo.vision.pose import fit_view
from damludo.vision.sides import SIDES, turned
from damludo.vision.squares import SquareReader
from damludo.vision.teaching import learn_stacks
from damludo.vision.view import BoardView

Floats = NDArray[np.float64]

MOST_WRONG = 0.1
"""Part of the places that may clearly read otherwise than they were taught before the set-up is refused."""
CLEAR_NATS = 4.0
"""Evidence from which a place contradicts the start position: light discs on light squares never say so much."""
LEAST_SUPPORT_NATS = 0.3
"""Evidence for the start position that a place must give in the mean. Where discs stand beside the places, as in a mirrored
picture, all looks that are learnt are one, and nothing contradicts it: places gave -0.2 to 0.1 there, and 3 to 10 on boards that
were set up."""
BETTER_LEAD_NATS = 5.0
"""By so much a turn must explain the picture better than the next one; else the caller must say where White sits."""


MOST_FRAMES = 4
"""More pictures than this sharpen the pose no further; the look is learnt from all."""
SAME_PX = 3.0
"""Poses whose corners differ by more are not of the same board."""


@dataclass(frozen=True, eq=False, slots=True)
class _Trial:
    """One window and turn, taken for the board.

    Attributes:
        view: the pose, board frame as White sits.
        look: what squares and discs look like.
        white_at: side of the picture where White's rank 1 lies.
        doubtful: how many places, by the colour of their middles alone, rather hold something else.
        support: nats by which the places together rather hold what they should.
        lead: by how much White's discs are lighter than Black's, or more as they are painted; None if White's place is known.
    """

    view: BoardView
    look: Look
    white_at: str
    doubtful: int
    support: float
    lead: float | None


def set_up(
    frames: Sequence[Frame],
    grid: Grid,
    start: Mapping[int, Content],
    sizes: BoardSizes,
    white_at: str | None = None,
    paints: Paints | None = None,
) -> tuple[BoardView, Look, str]:
    """Find the board with the start position on it and learn its look.

    Args:
        frames: pictures of the quiet board, at least one; poses and looks are averaged over them.
        grid: the board.
        start: what stands on every playable place.
        sizes: as the user measured them.
        white_at: where White sits; None finds it out. The two sides look alike but for their paint: without it the
            lighter discs are taken for White's.
        paints: of the discs, where somebody told them.

    Returns:
        The pose (board frame as White sits), the look, and the side of the picture where White's rank 1 lies.

    Raises:
        NoBoardSeen: no board.
        BoardNotFound: no window or turn of it shows the start position.
        SideUnknown: two turns show it equally well, or the discs of both sides are about as light.
    """
    if not frames:
        raise BoardNotFound("there is no picture to set up the board with; check the camera with 'damludo doctor'")
    image = frames[0].image
    tried: list[tuple[float, _Trial]] = []
    for finding in _findings(frames, grid, sizes, white_at or SIDES[0]):
        for side in (white_at,) if white_at else SIDES:
            view = turned(finding.view, finding.white_at, side)
            tried.append(_judged(image, view, side, start, decide_colour=white_at is None, paints=paints))
    if not tried:
        raise NoBoardSeen(
            f"no board of {grid.columns} x {grid.rows} squares is seen; the whole board must be in the picture, "
            "in even light, or give the four corners yourself"
        )
    best = _chosen(image, tried, grid, start)
    view = _averaged(best.view, frames)
    images = [frame.image for frame in frames]
    look = learn_look(images, view, start)
    return view, replace(look, stack=learn_stacks(images, view, look, start)), best.white_at


def set_up_at(
    corners: Floats,
    image: Image,
    grid: Grid,
    start: Mapping[int, Content],
    sizes: BoardSizes,
    white_at: str | None = None,
    paints: Paints | None = None,
) -> tuple[BoardView, Look, str]:
    """Set up as `set_up` does, on a board whose corners somebody gave.

    Args:
        corners: shape (4, 2), px, in picture order.
        image: the picture of the quiet board.
        grid, start, sizes, white_at, paints: as of `set_up`.

    Raises:
        BadPose: the corners do not span a board.
        BoardNotFound: no turn of it shows the start position.
        SideUnknown: as of `set_up`.
    """
    view = view_from_corners(corners, (image.shape[1], image.shape[0]), grid, sizes, refine=image)
    sides = (white_at,) if white_at else SIDES
    tried = [
        _judged(image, turned(view, SIDES[0], side), side, start, decide_colour=white_at is None, paints=paints)
        for side in sides
    ]
    try:
        best = _chosen(image, tried, grid, start)
    except BoardNotFound as error:
        raise type(error)(f"{error}; or the corners are not those of the board") from error
    # Whoever gives corners has measured nothing: how wide discs are the picture tells.
    look = learn_look(image, best.view, start, radius=0)
    return best.view, replace(look, stack=learn_stacks([image], best.view, look, start)), best.white_at


def _chosen(image: Image, tried: list[tuple[float, _Trial]], grid: Grid, start: Mapping[int, Content]) -> _Trial:
    """Return the window and turn that shows the position best, each given with its score."""
    tried = sorted(tried, key=lambda pair: -pair[0])
    best = tried[0][1]
    try:
        _refuse_another_position(image, best, grid, start)
    except BoardNotFound as error:
        side = _turn_that_fits(image, best, grid, start) if len(tried) == 1 else None
        if side is None:
            raise
        raise BoardNotFound(
            f"with White at the {best.white_at} of the picture the squares do not show the position that the game begins with, "
            f"with White at the {side} they do: turn the board, or say --white-at {side}"
        ) from error
    return _of_the_alike(tried, grid, start)


def _of_the_alike(tried: Sequence[tuple[float, _Trial]], grid: Grid, start: Mapping[int, Content]) -> _Trial:
    """Return the best of some turns, the best first; if others are as good, the first side of those that look the same."""
    score, best = tried[0]
    if best.lead is not None and abs(best.lead) < CLEAR_LEAD:
        raise SideUnknown(
            "the discs of both sides are about as light, so whose are White's is not seen; say with --white-at where White sits, "
            "or with --discs how they are painted"
        )
    rivals = [(other, trial) for other, trial in tried[1:] if trial.white_at != best.white_at]
    alike = [trial for other, trial in rivals if score - other < BETTER_LEAD_NATS]
    if any(not _same_picture(grid, start, best.white_at, trial.white_at) for trial in alike):
        raise SideUnknown("two ways to see the start position are alike; say with --white-at where White sits")
    # A start position that looks the same from two sides can be played from either: the first of them in order is taken.
    return min([best, *alike], key=lambda trial: SIDES.index(trial.white_at))


def _turn_that_fits(image: Image, refused: _Trial, grid: Grid, start: Mapping[int, Content]) -> str | None:
    """Return the side at which White would sit if the turn that was asked for is the only thing that is wrong."""
    others = [side for side in SIDES if side != refused.white_at]
    tried = [_judged(image, turned(refused.view, refused.white_at, side), side, start, True) for side in others]
    trial = max(tried, key=lambda pair: pair[0])[1]
    try:
        _refuse_another_position(image, trial, grid, start)
    except BoardNotFound:
        return None
    return trial.white_at


def _refuse_another_position(image: Image, best: _Trial, grid: Grid, start: Mapping[int, Content]) -> None:
    """Raise `BoardNotFound` if what stands on the board is not the start position."""
    limit = MOST_WRONG * len(grid.playable)
    # The quick judgement knows no outlines; where it doubts, the slow one decides.
    wrong = contradictions(image, best.view, best.look, start) if best.doubtful > limit else []
    if len(wrong) > limit:
        raise BoardNotFound(
            f"{len(wrong)} squares do not show the position that the game begins with (limit {limit:.0f}); "
            "set up all discs as for the first move"
        )
    if best.support < LEAST_SUPPORT_NATS * len(grid.playable):
        raise BoardNotFound(
            "nothing on the squares looks like the position that the game begins with: set up all discs as for the first move; "
            "if they are, see that the picture is not mirrored"
        )


def _findings(frames: Sequence[Frame], grid: Grid, sizes: BoardSizes, white_at: str) -> list[BoardFinding]:
    """Look for the board where the noise is least: in the mean; in the last picture alone if something moved before it."""
    mean = mean_picture([frame.image for frame in frames[:MOST_FRAMES]])
    found = find_candidates(mean, grid, sizes, white_at)
    if not found and len(frames) > 1:
        found = find_candidates(frames[-1].image, grid, sizes, white_at)
    return found


def _same_picture(grid: Grid, content: Mapping[int, Content], one: str, other: str) -> bool:
    """Return whether a content looks the same with White at one side as at another."""
    return rows_of_content(content, grid, one) == rows_of_content(content, grid, other)


def contradictions(image: Image, view: BoardView, look: Look, content: Mapping[int, Content]) -> list[int]:
    """Return the places that clearly do not hold what they should; a king counts as its side."""
    table = SquareReader(view, replace(look, stack=None)).read(image)
    places = np.array(list(content), dtype=np.intp)
    sides = np.stack([table[:, 0], table[:, 1:3].max(axis=1), table[:, 3:5].max(axis=1)], axis=1)[places]
    wanted = np.array([_side(content[int(place)]) for place in places])
    lead = sides.max(axis=1) - sides[np.arange(len(places)), wanted]
    return [int(place) for place in places[lead > CLEAR_NATS]]


def best_turn(image: Image, view: BoardView, start: Mapping[int, Content], paints: Paints | None = None) -> str:
    """Return the side of the picture where White sits, for a view made as if White sat at the bottom.

    Raises:
        SideUnknown: as of `set_up`.
    """
    tried = [
        _judged(image, turned(view, SIDES[0], side), side, start, decide_colour=True, paints=paints) for side in SIDES
    ]
    return _of_the_alike(sorted(tried, key=lambda pair: -pair[0]), view.grid, start).white_at


def _judged(
    image: Image,
    view: BoardView,
    side: str,
    start: Mapping[int, Content],
    decide_colour: bool,
    paints: Paints | None = None,
) -> tuple[float, _Trial]:
    """Learn from one window and turn; return how well the picture then shows the start position, in nats."""
    look = learn_look(image, view, start)
    sides = glance(image, view, look)
    places = list(start)
    row_of = {place: row for row, place in enumerate(view.grid.playable)}
    sides = sides[[row_of[place] for place in places]]
    wanted = np.array([_side(start[place]) for place in places])
    own = sides[np.arange(len(places)), wanted]
    others = np.where(np.arange(3)[None] == wanted[:, None], -np.inf, sides).max(axis=1)
    score = support = float(np.clip(own - others, -10, 10).sum())
    lead = None
    if decide_colour:
        lead = (paints.lead if paints else lightness_lead)(*disc_colours(look, image, view))
    if lead is not None and lead < 0.0:
        score -= 2 * BETTER_LEAD_NATS + 20 * len(places)  # the half turn: dark discs would be White's
    return score, _Trial(view, look, side, int((others > own).sum()), support, lead)


def _side(content: Content) -> int:
    """Return 0 for empty, 1 for White, 2 for Black: a start position has no kings."""
    return 1 if content.is_white else 2 if content.is_black else 0


def _averaged(view: BoardView, frames: Sequence[Frame]) -> BoardView:
    """Fit one pose to the crossings as all frames show them."""
    lattice = _lattice_mm(view)
    seen = [view.project(lattice)]
    for frame in frames[1:MOST_FRAMES]:
        refined = refined_view(view, frame.image)
        if refined is not None:
            again = refined.project(lattice)
            if np.abs(again - seen[0]).max() < SAME_PX:
                seen.append(again)
    if len(seen) == 1:
        return view
    mean = np.mean(seen, axis=0)
    return replace(fit_view(view.grid, view.sizes, lattice, mean, view.image_size), residual_px=view.residual_px)


def _lattice_mm(view: BoardView) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return all crossings, shape (n, 3)."""
    side, lines = view.sizes.square_mm, view.grid.lines
    y, x = np.mgrid[0 : view.grid.rows + 1 - lines, 0 : view.grid.columns + 1 - lines]
    return np.column_stack([x.ravel() * side, y.ravel() * side, np.zeros(x.size)]).astype(np.float64)
