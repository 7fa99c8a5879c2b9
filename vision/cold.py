"""A look without teaching, or taught in another light: the discs and empty squares of the picture itself tell."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.look import FEWEST_DISCS, FIRST_RADIUS, Look, learn_look, matched, normalised
from damludo.vision.mixture import Mixture, explain
from damludo.vision.patches import PATCH, Patches
from damludo.vision.reading import MOST_NATS
from damludo.vision.squares import SquareReader
from damludo.vision.traits import Traits, traits_of
from damludo.vision.view import BoardView

Floats = NDArray[np.float32]
Floats64 = NDArray[np.float64]

KINDS = (Content.EMPTY, Content.WHITE_MAN, Content.BLACK_MAN)

CENTRE = 0.2
"""Radius of the middle of a square that is looked at first, in squares."""
WEIGHT = np.array([1.0, 1.6, 1.6], dtype=np.float32)
"""Colour differences count more than brightness, which shadow and gloss change."""
SURELY_EMPTY, SURELY_OCCUPIED = 0.25, 0.9
"""Weighted log-colour distance from the plain square; between them the widest gap decides."""
ONE_KIND = 0.5
"""Two groups of discs nearer than this are one."""
ROUNDS = 3
ADAPTATIONS = 2
ANOTHER_PICTURE = 1.4
"""Discs vary by so much more between pictures than within one."""
LEAST_STEP = 0.2
"""A channel in which the squares differ by less (log colour) does not tell the contrast."""
STRAY_PART_OF_GUESS = 0.35
"""A first guess takes gloss and shadow for discs; on a board of chess men both colours hold about as many."""
EXPLAINS_BETTER = 0.2
"""By so much (log density of a sample, mean over the board) a picture's own look must be better than the taught one."""
FEWEST = 4
"""So many places must read with certainty to teach their colours."""
SURE_NATS = 3.0
"""Places whose reading leads by this teach the next round."""


def cold_look(image: Image, view: BoardView, known: Look | None = None) -> Look:
    """Guess the look from one picture; the lighter discs are White's.

    Args:
        image: shape (h, w, 3).
        view: the pose; the discs' diameter is measured, not taken from it.
        known: a look whose empty squares were learnt from the empty board; its discs are not used.
    """
    if not view.grid.lines:
        return _learnt(image, view, _sure_of(_together(image, view, None), view), known)
    return _look_of_lines(image, view, known)


def cold_reading(image: Image, view: BoardView, known: Look | None = None) -> Floats64:
    """Read one picture of which nothing was taught; arguments as in `cold_look`.

    Returns:
        Log-likelihoods, shape (rows * columns, 5), as in `BoardReading`; men and kings are not told apart.
    """
    if view.grid.lines:
        return SquareReader(view, _look_of_lines(image, view, known)).read(image)
    together = _together(image, view, None)
    look = _learnt(image, view, _sure_of(together, view), known)
    return _reading(_as_one_sample(_sides(SquareReader(view, look), image), look, view) + together, view)


def adapted_reading(look: Look, image: Image, view: BoardView) -> Floats64:
    """Read one picture with a look that was taught on the same board and discs, maybe in other light.

    Returns:
        As `cold_reading`.
    """
    if view.grid.lines:
        return SquareReader(view, adapted_look(look, image, view)).read(image)
    known = _stretched(matched(look, image, view), image, view)
    taught_discs = known.disc
    found = _sides(SquareReader(view, known), image)
    together = _together(image, view, found)
    for _ in range(ADAPTATIONS):
        content = _sure_of(_as_one_sample(found, known, view) + together, view)
        fresh = learn_look(image, view, content, radius=known.radius)
        known = _joined(known, fresh, content, view)
        found = _sides(SquareReader(view, known), image)
    if _both_seen(found):
        return _reading(_as_one_sample(found, known, view) + together, view)
    # As in `adapted_look`: paint carried far away by a flash.
    alone = cold_look(image, view)
    reader = SquareReader(view, alone)
    if reader.explained(image) - SquareReader(view, known).explained(image) <= EXPLAINS_BETTER:
        return _reading(_as_one_sample(found, known, view) + together, view)
    named = _named_after(taught_discs, alone)
    whose = [0, 1, 2] if named is alone else [0, 2, 1]
    itself = _as_one_sample(_sides(reader, image), alone, view) + _together(image, view, None)
    return _reading(itself[:, whose], view)


def _together(image: Image, view: BoardView, taught: Floats64 | None) -> Floats64:
    """Return what all squares together say of each, shape (p, 3), nats: empty, White's disc, Black's disc.

    Args:
        taught: what a taught look says, shape (p, 3); it tells whose discs are whose. Without it the lighter ones are White's.
    """
    traits = traits_of(image, view)
    mixture = explain(traits)
    found = mixture.log_likelihood - mixture.log_likelihood.max(axis=1, keepdims=True)
    if taught is None:
        exchanged = not _first_is_white(mixture, traits)
    else:
        share = mixture.probability
        exchanged = float((share[:, [0, 2, 1]] * taught).sum()) > float((share * taught).sum())
    return np.asarray(np.maximum(found[:, [0, 2, 1]] if exchanged else found, -MOST_NATS))


def _first_is_white(mixture: Mixture, traits: Traits) -> bool:
    """Return whether the first side's discs are the lighter ones; alone, whether they are lighter than the board."""
    seen = mixture.probability[:, 1:].sum(axis=0) > 0.5
    light = mixture.disc[:, 0]
    middle = 0.5 * float(traits.step[0])
    if seen.all() or not seen.any():
        return bool(light[0] >= light[1])
    return bool(light[0] > middle) if seen[0] else bool(light[1] <= middle)


def _sides(reader: SquareReader, image: Image) -> Floats64:
    """Return what the reader says of the playable places, kings as men, shape (p, 3)."""
    found = reader.read(image)[list(reader.view.grid.playable)]
    sides = np.stack([found[:, 0], found[:, 1:3].max(axis=1), found[:, 3:5].max(axis=1)], axis=1)
    return np.asarray(sides - sides.max(axis=1, keepdims=True))


def _as_one_sample(sides: Floats64, look: Look, view: BoardView) -> Floats64:
    """Limit what a look says, shape (p, 3), to what one sample of each place could say.

    In another picture, and in its own, shadow, gloss and the light's slope make a whole place brighter or darker than it was
    taught: its samples all err alike and count as one. Two kinds that differ by d in their spreads are told apart by d * d / 2
    nats, no more: much for red discs on white squares, little for black discs on dark ones.
    """
    odd, middle = Patches(view, look.radius).odd, PATCH * PATCH // 2
    discs = np.broadcast_to(look.disc, (len(odd), 2, 3)), np.broadcast_to(look.disc_spread, (len(odd), 2, 3))
    colour = np.concatenate([look.empty[odd, middle][:, None], discs[0]], axis=1)
    spread = np.concatenate([look.empty_spread[odd, middle][:, None], discs[1]], axis=1)
    every, best = np.arange(len(odd)), sides.argmax(axis=1)
    apart = (colour - colour[every, best][:, None]) ** 2 / (spread**2 + spread[every, best][:, None] ** 2)
    return np.asarray(np.maximum(sides, -0.5 * apart.sum(axis=2)), dtype=np.float64)


def _sure_of(sides: Floats64, view: BoardView) -> dict[int, Content]:
    """Return what leads by SURE_NATS."""
    order = np.sort(sides, axis=1)
    sure = order[:, 2] - order[:, 1] > SURE_NATS
    best = sides.argmax(axis=1)
    return {place: KINDS[int(k)] for place, k, is_sure in zip(view.grid.playable, best, sure, strict=True) if is_sure}


def _reading(sides: Floats64, view: BoardView) -> Floats64:
    """Carry sides, shape (p, 3), to the form of `BoardReading`."""
    careful = np.maximum(sides - sides.max(axis=1, keepdims=True), -MOST_NATS)
    result = np.zeros((view.grid.rows * view.grid.columns, len(Content)))
    result[list(view.grid.playable)] = careful[:, [0, 1, 1, 2, 2]]
    return result


def _look_of_lines(image: Image, view: BoardView, known: Look | None) -> Look:
    """Guess the look of a board of lines, where no square has corners: what differs most from the board is a disc."""
    patches = Patches(view, FIRST_RADIUS)
    colours, light = normalised(patches, image, None if known is None else known.step)
    middle = np.linalg.norm(patches.grid_of_samples, axis=1) < CENTRE
    seen = np.median(colours[:, middle], axis=1)
    centre = len(middle) // 2
    plain = (np.stack([np.zeros(3, dtype=np.float32), light.step]) if known is None else known.empty[:, centre])[
        patches.odd
    ]
    look = _learnt(image, view, _first_guess(patches, seen, plain), known)
    for _ in range(ROUNDS):
        look = _learnt(image, view, _sure_of(_sides(SquareReader(view, look), image), view), known)
    return look


def adapted_look(look: Look, image: Image, view: BoardView) -> Look:
    """Carry a look into the light and the camera settings of a picture.

    Lamps and exposure are in the light field already. What is left is contrast: another exposure curve stretches all log
    colours alike, so the step between the two colours of squares, which is always seen, tells by how much. Then the
    places that read with certainty teach their own colours.

    Args:
        look: taught on the same board and discs.
        image: shape (h, w, 3).
        view: the picture's pose; may differ from the one of the teaching, also by quarter turns.
    """
    known = _stretched(matched(look, image, view), image, view)
    taught_discs = known.disc
    for _ in range(ADAPTATIONS):
        content = _sure_of(_sides(SquareReader(view, known), image), view)
        fresh = learn_look(image, view, content, radius=known.radius)
        known = _joined(known, fresh, content, view)
    if _both_seen(_sides(SquareReader(view, known), image)):
        return known
    # A flash or another white balance may carry a paint so far away that it reads as an empty square, surely and everywhere.
    # What the picture says of itself then explains it better; whose discs they are the taught paint still tells.
    alone = _named_after(taught_discs, cold_look(image, view))
    better = SquareReader(view, alone).explained(image) - SquareReader(view, known).explained(image)
    return alone if better > EXPLAINS_BETTER else known


def _both_seen(sides: Floats64) -> bool:
    """Return whether discs of each side are read with certainty."""
    order = np.sort(sides, axis=1)
    sure = sides.argmax(axis=1)[order[:, 2] - order[:, 1] > SURE_NATS]
    return bool(min((sure == 1).sum(), (sure == 2).sum()) >= FEWEST)


def _named_after(discs: Floats, look: Look) -> Look:
    """Return the look with its two sides exchanged if that brings their paints nearer to known ones, shape (2, 3)."""

    def away(own: Floats) -> float:
        return float(np.linalg.norm((own - discs) * WEIGHT, axis=1).sum())

    if away(look.disc[::-1]) >= away(look.disc):
        return look
    return replace(look, disc=look.disc[::-1].copy(), disc_spread=look.disc_spread[::-1].copy())


def _stretched(look: Look, image: Image, view: BoardView) -> Look:
    step = normalised(Patches(view, look.radius), image, None)[1].step
    seen = np.abs(look.step) > LEAST_STEP
    ratio = np.where(seen, np.clip(step / np.where(seen, look.step, 1.0), 0.5, 3.0), 1.0).astype(np.float32)
    spread = np.maximum(ratio, 1.0)
    return replace(
        look,
        step=step,
        empty=look.empty * ratio,
        empty_spread=look.empty_spread * spread,
        disc=look.disc * ratio,
        disc_spread=look.disc_spread * spread * ANOTHER_PICTURE,
    )


def _joined(known: Look, fresh: Look, content: dict[int, Content], view: BoardView) -> Look:
    """Return the fresh look, with the known one for what too few places of the picture show."""
    patches = Patches(view, known.radius)
    seen = np.array([int(content.get(int(place), -1)) for place in patches.places])
    empties = np.array([((seen == 0) & (patches.odd == colour)).sum() >= FEWEST for colour in (0, 1)])[:, None, None]
    discs = np.array([(seen == 1).sum() >= FEWEST, (seen == 3).sum() >= FEWEST])[:, None]
    return replace(
        known,
        step=fresh.step,
        empty=np.where(empties, fresh.empty, known.empty),
        empty_spread=np.where(empties, fresh.empty_spread, known.empty_spread),
        disc=np.where(discs, fresh.disc, known.disc),
        disc_spread=np.where(discs, fresh.disc_spread, known.disc_spread),
    )


def _learnt(image: Image, view: BoardView, content: dict[int, Content], known: Look | None) -> Look:
    look = learn_look(image, view, content, radius=0)
    if known is None:
        return look
    return replace(look, step=known.step, empty=known.empty, empty_spread=known.empty_spread)


def _first_guess(patches: Patches, seen: Floats, plain: Floats) -> dict[int, Content]:
    away = np.linalg.norm((seen - plain) * WEIGHT, axis=1)
    occupied = np.zeros(len(away), dtype=bool)
    for colour in (0, 1):
        rows = patches.odd == colour
        if rows.any():
            occupied[rows] = away[rows] > _gap(away[rows])
    content = {int(p): Content.EMPTY for p in patches.places[~occupied]}
    occupied &= ~_stray(occupied, patches.odd)
    if occupied.any():
        white = _lighter(seen[occupied] * WEIGHT, float(plain[:, 0].mean()))
        for place, is_white in zip(patches.places[occupied], white, strict=True):
            content[int(place)] = Content.WHITE_MAN if is_white else Content.BLACK_MAN
    return content


def _stray(occupied: NDArray[np.bool_], odd: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the places of the colour that holds a few discs where the other holds many: gloss and shadow, most likely."""
    counts = [int(occupied[odd == colour].sum()) for colour in (0, 1)]
    few = int(np.argmin(counts))
    return np.asarray(
        (odd == few) & (counts[1 - few] >= FEWEST_DISCS) & (counts[few] <= STRAY_PART_OF_GUESS * counts[1 - few])
    )


def _gap(away: Floats) -> float:
    """Return the middle of the widest gap between the distances that could mean either."""
    line = np.sort(np.concatenate([[SURELY_EMPTY, SURELY_OCCUPIED], away]))
    line = line[(line >= SURELY_EMPTY) & (line <= SURELY_OCCUPIED)]
    widest = int(np.argmax(np.diff(line)))
    return float(line[widest] + line[widest + 1]) / 2


def _lighter(colour: Floats, board: float) -> NDArray[np.bool_]:
    """Divide discs into two groups (2-means); return which belong to the lighter one. One group: lighter than the board?"""
    spread = colour - colour.mean(axis=0)
    axis = np.linalg.svd(spread, full_matrices=False)[2][0] if len(colour) > 1 else np.zeros(3)
    side = spread @ axis > 0
    for _ in range(10):
        if side.all() or not side.any():
            break
        means = colour[side].mean(axis=0), colour[~side].mean(axis=0)
        side = np.linalg.norm(colour - means[0], axis=1) < np.linalg.norm(colour - means[1], axis=1)
    if side.all() or not side.any() or np.linalg.norm(colour[side].mean(0) - colour[~side].mean(0)) < ONE_KIND:
        return np.full(len(colour), bool(colour[:, 0].mean() > board))
    return np.asarray(side if colour[side, 0].mean() > colour[~side, 0].mean() else ~side)
