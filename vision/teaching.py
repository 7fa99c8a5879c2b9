"""Learning from the men of a known position what discs, their walls and their shadows look like (see `stack`)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.height import ROBUST, SAMPLES_A_FACT, Fit, fit_stacks, prior, sample_weights
from damludo.vision.look import Look, normalised
from damludo.vision.patches import Patches
from damludo.vision.stack import (
    PITCH,
    SIDE,
    TOP_SIDE,
    Canvas,
    Floats,
    Rows,
    StackField,
    StackLook,
    paint,
    paint_on,
    ramp,
)
from damludo.vision.stack_numbers import (
    SHARED,
    STEPS,
    STRIDES,
    UNSURE,
    USUAL,
    level_of,
    numbers_of,
    of_side,
    shared_by,
    with_numbers,
)
from damludo.vision.view import BoardView

FEWEST_MEN = 4
"""With fewer men than this of either side nothing is learnt."""
FEWEST_EMPTY = 3
TURNS = 5
"""Rounds of fitting the men's places and the scene in turn."""
DIRECTIONS, LENGTHS = 12, (0.3, 0.7, 1.2)
"""Shadows that are tried first: directions all round, squares of shadow for one square of height."""
WALL = 0.62
"""Brightness of a wall before it is learnt, of that of the top: light comes from above."""


def learn_stacks(
    images: Sequence[Image], view: BoardView, look: Look, content: Mapping[int, Content]
) -> StackLook | None:
    """Learn the look of stacks from pictures of one scene with men at known places.

    Args:
        images: one or more, shape (h, w, 3).
        view: the pose.
        look: the colours, learnt before.
        content: of all playable places.

    Returns:
        None if too few men stand there, or discs have no height.
    """
    patches = Patches(view, look.radius)
    known = np.array([int(content.get(int(place), 0)) for place in patches.places])
    rows = np.nonzero((known == Content.WHITE_MAN) | (known == Content.BLACK_MAN))[0]
    side = (known[rows] == Content.BLACK_MAN).astype(np.intp)
    if min(int((side == s).sum()) for s in (0, 1)) < FEWEST_MEN or view.sizes.disc_height_mm <= 0:
        return None
    field = StackField(patches)
    bright = np.zeros(field.x.shape, dtype=np.float32)
    for image in images:
        bright += field.brightness(image, normalised(patches, image, look.step)[1]) / np.float32(len(images))
    return learn_from(field, look, bright, known > 0, rows, side)


def learn_from(
    field: StackField, look: Look, bright: Floats, occupied: NDArray[np.bool_], rows: Rows, side: Rows
) -> StackLook:
    """Learn the look of stacks from the brightness of all places, shape (p, SIDE * SIDE); men of the sides stand at `rows`."""
    seen = bright[rows]
    learnt = _first_look(field, look, bright, occupied, rows, side)
    learnt = _with_ground(field, learnt, bright, occupied)
    learnt = _with_shadow(field, learnt, rows, side, seen)
    learnt = _with_ground(field, learnt, bright, occupied)
    feet = np.zeros((len(rows), 2), dtype=np.float32)
    for _ in range(TURNS):
        weight = sample_weights(field, learnt, rows, side, 1) * _trusted(field, learnt, occupied)[rows]
        fit = fit_stacks(field, learnt, rows, side, seen, weight, feet, 2)
        feet = fit.feet
        learnt = _with_scene(field, learnt, rows, side, seen, weight, fit)
        learnt = _with_tops(field, learnt, rows, side, seen, feet)
        learnt = _with_walls(field, learnt, rows, side, seen, weight, feet)
    return _told(field, learnt, rows, side, seen, weight, feet)


def _trusted(field: StackField, look: StackLook, occupied: NDArray[np.bool_]) -> Floats:
    """1 where no neighbour can spoil a sample, shape (p, n)."""
    result = field.on_board.astype(np.float32)
    for row, around in enumerate(field.neighbours(look)):
        for other, spoilt in around:
            if occupied[other]:
                result[row][spoilt] = 0
    return result


def _first_look(
    field: StackField, look: Look, bright: Floats, occupied: NDArray[np.bool_], rows: Rows, side: Rows
) -> StackLook:
    near = np.hypot(field.x[0], field.y[0]) < 0.2
    level = np.array([np.median(bright[rows][side == s][:, near]) for s in (0, 1)], dtype=np.float32)
    tops = np.repeat(level, TOP_SIDE * TOP_SIDE).reshape(2, TOP_SIDE, TOP_SIDE)
    wall = np.stack([WALL * level, np.zeros(2)], axis=1).astype(np.float32)
    ground = _ground(field, look, bright, occupied)
    return StackLook(look.radius, 0.06, np.array([0.3, 0.0], np.float32), 0.1, 0.3, 0.4, ground, tops, wall)


def _ground(field: StackField, look: Look, bright: Floats, occupied: NDArray[np.bool_]) -> Floats:
    """Return the brightness of an empty even and odd square with its surroundings, shape (2, SIDE * SIDE)."""
    x, y = np.abs(field.x[0]), np.abs(field.y[0])
    inner = np.maximum(x, y)
    tiles, levels = np.zeros((2, SIDE * SIDE), dtype=np.float32), np.zeros(2, dtype=np.float32)
    for colour in (0, 1):
        mine = bright[(field.patches.odd == colour) & ~occupied]
        if len(mine) >= FEWEST_EMPTY:
            middle = np.median(mine, axis=0)
            levels[colour] = np.median(middle[inner < 0.4])
            tiles[colour] = np.where(inner < 0.47, middle, levels[colour])
        else:
            tiles[colour] = levels[colour] = np.exp(look.step[0] * colour)
    if field.patches.view.grid.lines:
        return tiles
    beyond_x, beyond_y = ramp(x - np.float32(0.5), 0.04), ramp(y - np.float32(0.5), 0.04)
    swap = beyond_x * (1 - beyond_y) + beyond_y * (1 - beyond_x)
    return np.asarray(tiles * (1 - swap) + levels[::-1, None] * swap, dtype=np.float32)


def _with_ground(field: StackField, look: StackLook, bright: Floats, occupied: NDArray[np.bool_]) -> StackLook:
    """Return the look with empty squares as they are seen, with their surroundings, where no neighbour can spoil them.

    How soft the border between two squares is nobody tells beforehand, and what is wrong there passes for shadow.
    """
    trusted, ground = _trusted(field, look, occupied) > 0, look.ground.copy()
    for colour in (0, 1):
        mine = (field.patches.odd == colour) & ~occupied
        count = trusted[mine].sum(axis=0)
        enough = np.nonzero(count >= FEWEST_EMPTY)[0]
        in_order = np.sort(np.where(trusted[mine], bright[mine], np.inf)[:, enough], axis=0)
        middle = [in_order[number[enough], np.arange(len(enough))] for number in ((count - 1) // 2, count // 2)]
        ground[colour, enough] = np.mean(middle, axis=0)
    return replace(look, ground=ground)


def _with_shadow(field: StackField, look: StackLook, rows: Rows, side: Rows, seen: Floats) -> StackLook:
    """Return the look with the shadow, of a few, that best explains where the board is darker than it should be."""
    middle = np.zeros((len(rows), 2), dtype=np.float32)
    missing = 1 - seen / field.floor(look, rows)

    def explained(trial: StackLook) -> float:
        painted = paint(field, trial, rows, side, middle)
        shade = painted.shade * (painted.top_cover + painted.wall_cover < 0.1) * field.on_board[rows]
        return float((shade * missing).sum() / np.sqrt((shade * shade).sum() + 1))

    turns = [2 * np.pi * k / DIRECTIONS for k in range(DIRECTIONS)]
    shadows = [np.array([np.cos(a), np.sin(a)], np.float32) * np.float32(length) for length in LENGTHS for a in turns]
    return max((replace(look, shadow=shadow) for shadow in shadows), key=explained)


def _with_scene(
    field: StackField, look: StackLook, rows: Rows, side: Rows, seen: Floats, weight: Floats, fit: Fit
) -> StackLook:
    """Improve what all discs share by one damped Gauss-Newton round."""
    values = numbers_of(look, 0)[:SHARED]

    def bright(numbers: NDArray[np.float64]) -> Floats:
        return paint(field, with_numbers(look, numbers), rows, side, fit.feet).with_gains(fit.gains)

    here, steps, strides, unsure = bright(values), STEPS[:SHARED], STRIDES[:SHARED], UNSURE[:SHARED]
    say = _say(seen - here, weight)
    slopes = [(bright(values + step) - here).ravel() / step.sum() for step in np.diag(steps)]
    jacobian = np.stack(slopes, axis=1).astype(np.float64)
    weighted = jacobian * say.reshape(-1, 1)
    normal = weighted.T @ jacobian + np.diag(strides**-2.0 + unsure**-2.0)
    pull = weighted.T @ (seen - here).ravel().astype(np.float64) + (USUAL - values) / unsure**2
    change = np.linalg.solve(normal, pull)
    return with_numbers(look, values + np.clip(change, -strides, strides))


def _say(rest: Floats, weight: Floats) -> Floats:
    """Return the weights that samples have in the robust fit, given what is left of them."""
    return np.asarray(weight / (1 + rest * rest * weight * np.float32(SAMPLES_A_FACT / ROBUST**2)) ** 2)


def _told(
    field: StackField, look: StackLook, rows: Rows, side: Rows, seen: Floats, weight: Floats, feet: Floats
) -> StackLook:
    """Return the look with how well these men tell the scene's numbers, wherever they stand and however each is painted."""
    told = np.zeros_like(look.told)
    for which in (0, 1):
        own = side == which
        fit = fit_stacks(field, look, rows[own], side[own], seen[own], weight[own], feet[own], 2)
        painted, values = paint(field, look, rows[own], side[own], fit.feet), numbers_of(look, which)
        here = painted.with_gains(fit.gains)
        canvas, slopes = Canvas.of(field, look, rows[own]), []
        for step in np.diag(STEPS):
            numbers = np.repeat((values + step)[None], len(fit.feet), axis=0)
            other = paint_on(canvas, look, side[own], fit.feet, shared_by(level_of(look, which), numbers))
            slopes.append((other.with_gains(fit.gains) - here) / np.float32(step.sum()))
        jacobian = np.stack(slopes, axis=1).astype(np.float64)
        design = painted.design.transpose(1, 0, 2).astype(np.float64)
        say = _say(seen[own] - here, weight[own])[:, None]
        mixed, alone = (jacobian * say) @ design.transpose(0, 2, 1), (design * say) @ design.transpose(0, 2, 1)
        by_place = np.linalg.solve(alone + prior(2), mixed.transpose(0, 2, 1))
        at = np.ix_(of_side(which), of_side(which))
        told[at] += ((jacobian * say) @ jacobian.transpose(0, 2, 1) - mixed @ by_place).sum(axis=0)
    return replace(look, told=told)


def _with_tops(field: StackField, look: StackLook, rows: Rows, side: Rows, seen: Floats, feet: Floats) -> StackLook:
    """Average the tops of each side's men, laid upon each other; the blurred rim takes the values just inside of it."""
    tip, growth = field.seen_at(rows, feet, field.height)
    line = np.linspace(-1, 1, TOP_SIDE, dtype=np.float32)
    u, v = np.meshgrid(line, line)
    inward = np.minimum(1, (1 - look.edge / look.radius) / np.maximum(np.hypot(u, v), 1e-3)).astype(np.float32)
    reach = np.float32(look.radius * growth / PITCH)
    cut = []
    for row in range(len(rows)):
        x, y = (tip[row, k] / np.float32(PITCH) + w * inward * reach + SIDE // 2 for k, w in ((0, u), (1, v)))
        cut.append(cv2.remap(seen[row].reshape(SIDE, SIDE), x, y, cv2.INTER_LINEAR))
    tops = np.array([np.mean([c for c, s in zip(cut, side, strict=True) if s == which], axis=0) for which in (0, 1)])
    return replace(look, top=tops.astype(np.float32))


def _with_walls(
    field: StackField, look: StackLook, rows: Rows, side: Rows, seen: Floats, weight: Floats, feet: Floats
) -> StackLook:
    """Fit the walls' brightness; where hardly any wall is seen (a camera above the board) it stays near what is usual."""
    painted = paint(field, look, rows, side, feet)
    walls = np.zeros((2, 2), dtype=np.float32)
    for which in (0, 1):
        own = side == which
        level = float(np.median(look.top[which]))
        usual, known = np.array([WALL * level, 0.0]), np.diag([0.22 * level, 0.05 * level]) ** 2
        cover = painted.wall_cover[own]
        design = np.stack([cover, cover * painted.across[own]], axis=-1).reshape(-1, 2).astype(np.float64)
        rest = (seen[own] - painted.floor[own] - painted.face[own]).ravel() - design @ usual
        weighted = design * weight[own].reshape(-1, 1)
        change = np.linalg.solve(weighted.T @ design + np.linalg.inv(known), weighted.T @ rest)
        walls[which] = np.clip(usual + change, [0.25 * level, -0.4 * level], [1.1 * level, 0.4 * level])
    return replace(look, wall=walls)
