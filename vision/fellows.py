"""What a place looks like beside its fellows: the empty places and the discs of the same picture, in the same light.

A learnt colour tells a black disc hardly from a black square. But the rim of a disc, the ring of its square around it and the
shadow beside it make a pattern that all discs of a colour share, and the empty squares do not. The two kinds of known places
give the direction in which they differ, and how far each kind spreads along it (Fisher's discriminant; every known place is
tried on a direction found without it), so the evidence is as strong as this picture allows, and no stronger.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import Patches, PatchSampler, grey_levels
from damludo.vision.content import Content, Grid

Floats = NDArray[np.float64]

FEWEST_FELLOWS = 3
"""Fewer may all be odd ones."""
USUAL_SPREAD, USUAL_FELLOWS = 0.25, 2
"""Usual deviation along the direction, where the middles of both kinds are 1 apart, and how many fellows' say it has."""
FREEDOM = 4.0
"""Degrees of freedom of the spread (Student): a handful of fellows; an odd one never outvotes the other evidence."""
COLOURS = ((Content.WHITE_MAN, Content.WHITE_KING), (Content.BLACK_MAN, Content.BLACK_KING))


def fellow_evidence(
    sampler: PatchSampler,
    patches: Patches,
    known: Mapping[int, Content],
    places: Sequence[int],
    before: Patches | None = None,
    held: Mapping[int, Content] | None = None,
) -> dict[int, Floats]:
    """Return what places hold by their likeness to known ones.

    Args:
        sampler: made the patches.
        patches: of all playable places of one picture.
        known: what surely stands where; a place that is asked about, too, is compared with all others.
        places: those that are asked about.
        before: the same places in an earlier picture from the same pose.
        held: what stood there on places that changed since: as they looked then, they are fellows, too.

    Returns:
        For each place shape (5,): log-likelihood of each content against an empty place; 0 where there are too few fellows on
        squares of the same shade. Men and kings of a colour have the same.
    """
    found = {place: np.zeros(5) for place in places}
    rows = {place: row for row, place in enumerate(sampler.grid.playable)}
    held = {} if before is None or held is None else held
    if before is not None:
        patches = np.concatenate([patches, before[[rows[place] for place in held]]])
    fellows = [(place, rows[place], what) for place, what in known.items()]
    fellows += [(place, len(rows) + number, what) for number, (place, what) in enumerate(held.items())]
    # A lamp scales the pattern, so its logarithm is the same in all light; a reflection adds to it, so its grey levels are.
    lights = [sampler.pattern(values) for values in (patches, grey_levels(patches))]
    for shade in (0, 1):
        asked = [place for place in places if shade_of(place, sampler.grid) == shade]
        kinds: dict[Content, list[int]] = {content: [] for content in Content}
        for place, row, what in fellows:
            if shade_of(place, sampler.grid) == shade:
                kinds[what].append(row)
        for colour in COLOURS if asked else ():
            # Men and kings together: their rims are alike, and often few are left.
            discs = [row for content in colour for row in kinds[content]]
            if min(len(kinds[Content.EMPTY]), len(discs)) >= FEWEST_FELLOWS:
                wanted = [rows[place] for place in asked]
                ratios = [_ratios(features, kinds[Content.EMPTY], discs, wanted) for features in lights]
                for place, ratio in zip(asked, np.mean(ratios, axis=0), strict=True):
                    found[place][list(colour)] = ratio
    return found


def shade_of(place: int, grid: Grid) -> int:
    """Return which of the two shades a square has."""
    return (place // grid.columns + place % grid.columns) % 2


def log_student(value: float, middle: float, spread: float) -> float:
    """Return the logarithm of Student's density without the factor that all share."""
    strange = ((value - middle) / spread) ** 2
    return float(-0.5 * (FREEDOM + 1.0) * np.log1p(strange / FREEDOM) - np.log(spread))


def _ratios(features: Patches, empties: list[int], discs: list[int], asked: list[int]) -> list[float]:
    """Return the log-likelihood ratio of a disc against an empty place for rows of the features, shape (places, n)."""
    spread = (features[empties].var(axis=0) * len(empties) + features[discs].var(axis=0) * len(discs)) / (
        len(empties) + len(discs) - 2
    )
    scaled = features / np.sqrt(spread + spread.mean() + np.float32(1e-9))
    scores = [_scores(scaled, empties, discs, own) for own in (empties, discs)]
    (low, low_spread), (high, high_spread) = ((float(s.mean()), _spread(s)) for s in scores)
    of_known = dict(zip((*empties, *discs), np.concatenate(scores).tolist(), strict=True))
    others = [row for row in asked if row not in of_known]
    of_known |= dict(zip(others, _along(scaled[others], *_middles(scaled, empties, discs)).tolist(), strict=True))
    return [
        log_student(of_known[row], high, high_spread) - log_student(of_known[row], low, low_spread) for row in asked
    ]


def _middles(scaled: Patches, empties: list[int], discs: list[int]) -> tuple[Patches, Patches]:
    return scaled[empties].mean(axis=0), scaled[discs].mean(axis=0)


def _scores(scaled: Patches, empties: list[int], discs: list[int], own: list[int]) -> Floats:
    """Return the scores of one kind's places, each on the direction that is found without it."""
    low, high = _middles(scaled, empties, discs)
    middle = scaled[own].mean(axis=0)
    without = middle + (middle - scaled[own]) / (len(own) - 1)
    return _along(scaled[own], without, high) if own is empties else _along(scaled[own], low, without)


def _spread(scores: Floats) -> float:
    usual = USUAL_FELLOWS * USUAL_SPREAD**2
    return float(np.sqrt((scores.var() * len(scores) + usual) / (len(scores) - 1 + USUAL_FELLOWS)))


def _along(scaled: Patches, low: Patches, high: Patches) -> Floats:
    """Return how far rows lie on the way from one middle, at -0.5, to the other, at 0.5; middles of each row or of all."""
    way = high - low
    length = np.maximum((way * way).sum(axis=-1), 1e-12)
    return np.asarray(((scaled - (low + high) / 2) * way).sum(axis=-1) / length, dtype=np.float64)
