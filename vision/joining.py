"""What one picture says by itself, joined with what changed since the last one."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import ChangeEvidence
from damludo.vision.content import Content, Grid

TEMPER = 0.6
"""Weight of the absolute reading where a comparison with the baseline exists: its errors are alike in both pictures."""
LEAST_TRUST = 0.1
"""Of that weight so much is left where half of what did not change looks like something else: the light misleads the reader."""
MISLED_TRUST = 0.4
"""... and so much beside a place that did not change but looks like something else: the same reflection lies there, too."""
FELLOWS_TEMPER = 0.5
"""Weight of a place's likeness to others: it is seen in the same picture as the absolute reading, and errs with it."""
MOST_GONE_NATS, TIE_NATS = 4.0, 2.0
"""Most evidence that a disc is gone because its place looked more like one before, and how much it may look like one still."""
NUDGE_LOG_PRIOR = -2.0
"""Log prior of a place that was disturbed and still holds what it held: lifted and put back, brushed by a sleeve."""
CHANGE_LOG_PRIOR = -2.0
"""Log prior of a place that was disturbed and holds something else: no likelier than being brushed."""
EMPTY_NUDGE_LOG_PRIOR = -16.0
"""The same for an empty place: there is nothing to lift or brush, only a shadow can have changed it. A dark disc on a dark square
hardly differs from the square, but it does change it."""
OTHER_COLOUR_LOG_PRIOR = -10.0
"""By so much less likely is a disc of the other colour on a place that held one: it takes two acts that hardly a turn has, and in
glare a dark disc looks like a light one. Each nat of evidence that the place changed makes up for one of these."""
CARRIED_NATS = -2.5
"""A baseline from another pose of the camera is never better evidence that a place did not change."""
LEAST_SAY_NATS = 3.0
"""The absolute reading says at least so much for another content of a place that the comparison surely calls unchanged."""
DISC_SAY_NATS, DISC_SAY_RISE = 14.0, 2.0
"""... on a place that held a disc so much, and so much more for each nat of evidence of a change: a light disc that is taken
from a light square hardly changes it (least of 84: 0.5 nats), a black one on a nearly black square less (-2.3)."""
EMPTY_SAY_NATS, EMPTY_SAY_RISE = 8.0, 3.0
"""The same for an empty place: a disc that was put there is always seen (least of 62: 3.5 nats); a reflection looks like one."""
STILL_EMPTY_NATS = 8.0
"""The most that it says for it that a place is still empty which surely changed: in a lamp's light a white king on a light square
read as empty by 30 nats."""
SETTLED_NATS = 12.0
"""A disc that leads by so much over an empty place needs no closer look, whatever hangs on it: that a captured disc was left
has to lead by 10."""
CONTRADICTION_NATS = 12.0
"""An absolute reading that prefers something else by so much, on a place that did not change, is a contradiction."""


def combine(
    absolute: NDArray[np.float64],
    believed: Mapping[int, Content],
    change: ChangeEvidence,
    fellows: Mapping[int, NDArray[np.float64]] | None = None,
    misled: Sequence[int] = (),
    gone: Mapping[int, float] | None = None,
    *,
    same_pose: bool = True,
) -> NDArray[np.float64]:
    """Join the absolute reading with the evidence of change.

    Args:
        absolute: shape (rows * columns, 5).
        believed: the content at the time of the baseline.
        change: the comparison with it.
        fellows: of some places, what they hold by their likeness to others, shape (5,) each.
        misled: places beside one that did not change but looks like something else.
        gone: evidence, in nats, that the disc of a place is gone (`gone_evidence`).
        same_pose: the baseline was taken from this pose of the camera. Else every place departs somewhat, and one that a black
            disc left on a black square departs no more than the others.

    Returns:
        Log-likelihoods, shape (rows * columns, 5): an unchanged place can hold only what it held; a disturbed one holds anything,
        also what it held (put back).
    """
    weight = np.full((len(absolute), 1), TEMPER * _trust(absolute, believed, change))
    weight[list(misled)] *= MISLED_TRUST
    table = weight * (absolute - absolute.max(axis=1, keepdims=True))
    ratio = change.log_likelihood_ratio if same_pose else np.maximum(change.log_likelihood_ratio, CARRIED_NATS)
    for place, content in believed.items():
        if same_pose:
            table[place] = np.maximum(table[place], -_say(content, float(ratio[place])))
        if same_pose and content is Content.EMPTY and ratio[place] > 0.0:
            table[place, content] = min(table[place, content], table[place, 1:].max() + STILL_EMPTY_NATS)
        if fellows and place in fellows:
            most = np.inf if ratio[place] >= 0.0 or not same_pose else LEAST_SAY_NATS
            table[place] += _of_fellows(np.clip(fellows[place], -most, most), content)
        bonus = np.full(table.shape[1], CHANGE_LOG_PRIOR + ratio[place])
        nudge = EMPTY_NUDGE_LOG_PRIOR if content is Content.EMPTY else NUDGE_LOG_PRIOR
        bonus[int(content)] = np.logaddexp(0.0, nudge + ratio[place])
        bonus[_other_colour(content)] += min(0.0, OTHER_COLOUR_LOG_PRIOR + max(0.0, ratio[place]))
        bonus[_same_colour(content)] -= (gone or {}).get(place, 0.0)
        table[place] += bonus
    return np.asarray(table)


def filled(believed: Mapping[int, Content], seen: Mapping[int, Content]) -> list[int]:
    """Return the places that were empty and hold a disc now."""
    return [p for p, what in sorted(believed.items()) if what is Content.EMPTY and seen[p] is not Content.EMPTY]


def with_crowns(table: NDArray[np.float64], crowns: Mapping[int, float]) -> NDArray[np.float64]:
    """Return log-likelihoods in which a closer look tells whether a disc that was just put down is crowned.

    Its evidence counts in full: it compares two heights of one disc on one square that was seen empty, and where that disc came
    from, or whether it is one at all, it does not say. But a king has two numbers more to be fitted with than a man: in light
    that neither explains, a low sun in the varnish, he fits better; where the whole board's reading saw a man, that counts, too.

    Args:
        table: shape (rows * columns, 5).
        crowns: evidence for a king against a man of the likelier colour, nats.
    """
    table = table.copy()
    for place, nats in crowns.items():
        best = Content(int(table[place].argmax()))
        man, king = _same_colour(best)
        nats += min(table[place, king] - table[place, man], 0.0) if nats > 0.0 else 0.0
        table[place, [man, king]] = table[place, best] + np.array([min(-nats, 0.0), min(nats, 0.0)])
    return table


def unsettled_discs(table: NDArray[np.float64], believed: Mapping[int, Content]) -> list[int]:
    """Return the places that held discs of which too little tells whether they stay.

    Args:
        table: as `combine` returns it.
        believed: the content at the time of the baseline.
    """
    return [
        place
        for place, content in sorted(believed.items())
        if content is not Content.EMPTY and abs(_lead(table, place, content)) < SETTLED_NATS
    ]


def with_stays(table: NDArray[np.float64], stays: Mapping[int, float]) -> NDArray[np.float64]:
    """Return log-likelihoods in which a closer look tells whether discs stay where they lay.

    Args:
        table: shape (rows * columns, 5).
        stays: evidence for it against an empty place, nats (`stay_evidence`).
    """
    table = table.copy()
    for place, nats in stays.items():
        table[place, Content.EMPTY] -= nats
    return table


def _of_fellows(likeness: NDArray[np.float64], held: Content) -> NDArray[np.float64]:
    """Return what the likeness to other places adds: in full what speaks for what a place held, else half of it.

    A shadow or a finger may change a place and its colour; a man that still looks like a man is not taken for one that moved.
    """
    same = _same_colour(held) if held is not Content.EMPTY else [int(held)]
    others = np.delete(likeness, same)
    added = FELLOWS_TEMPER * likeness
    added[same] += (1.0 - FELLOWS_TEMPER) * max(float(likeness[same].max() - others.max()), 0.0)
    return added


def doubtful_discs(absolute: NDArray[np.float64], believed: Mapping[int, Content], change: ChangeEvidence) -> list[int]:
    """Return the changed places with a disc of which the absolute reading hardly tells whether it is there."""
    return [
        place
        for place, content in sorted(believed.items())
        if content is not Content.EMPTY
        and change.log_likelihood_ratio[place] > 0.0
        and -CONTRADICTION_NATS < _lead(absolute, place, content) < TIE_NATS
    ]


def gone_evidence(
    absolute: NDArray[np.float64],
    before: NDArray[np.float64],
    believed: Mapping[int, Content],
    change: ChangeEvidence,
    places: Sequence[int],
) -> dict[int, float]:
    """Return how much speaks for it that discs are gone, in nats: how much less their places look like them than they did.

    A black disc on a nearly black square was told well enough while it lay there. What has become as much like the empty square
    did not only slip aside. How much the light alone does is seen on the discs that stand where they stood.

    Args:
        absolute, before: readings of this picture and of the baseline's, shape (rows * columns, 5).
        believed: the content at the time of the baseline.
        change: the comparison with it.
        places: of discs.
    """
    loss = {
        place: _lead(before, place, content) - _lead(absolute, place, content)
        for place, content in believed.items()
        if content is not Content.EMPTY
    }
    usual = [value for place, value in loss.items() if change.log_likelihood_ratio[place] < 0.0]
    most = float(np.quantile(usual, 0.9)) if usual else 0.0
    return {place: min(max(TEMPER * (loss[place] - most), 0.0), MOST_GONE_NATS) for place in places}


def _lead(table: NDArray[np.float64], place: int, content: Content) -> float:
    """Return by how much a disc of this colour leads over an empty place."""
    return float(table[place, _same_colour(content)].max() - table[place, Content.EMPTY])


def _same_colour(content: Content) -> list[int]:
    return [int(other) for other in Content if other.discs and other.is_white is content.is_white]


def _other_colour(content: Content) -> list[int]:
    """Return the discs of the other colour; none of an empty place."""
    return [int(other) for other in Content if other.discs and content.discs and other.is_white is not content.is_white]


def _say(content: Content, ratio: float) -> float:
    """Return how much the absolute reading may say against a content, given the evidence of a change there."""
    least, rise = (EMPTY_SAY_NATS, EMPTY_SAY_RISE) if content is Content.EMPTY else (DISC_SAY_NATS, DISC_SAY_RISE)
    return max(least + rise * ratio, LEAST_SAY_NATS)


def _trust(absolute: NDArray[np.float64], believed: Mapping[int, Content], change: ChangeEvidence) -> float:
    """Return how far the absolute reading can be trusted in this light, 0..1: what did not change is what it can be tried on."""
    unchanged = sum(change.log_likelihood_ratio[place] < 0.0 for place in believed)
    share = len(contradictions(absolute, believed, change)) / max(int(unchanged), 1)
    return max(LEAST_TRUST, 1.0 - 2.0 * share)


def contradictions(
    absolute: NDArray[np.float64], believed: Mapping[int, Content], change: ChangeEvidence
) -> tuple[int, ...]:
    """Return the places that did not change but look like something else than believed."""
    return tuple(
        place
        for place, content in sorted(believed.items())
        if absolute[place].max() - absolute[place, int(content)] > CONTRADICTION_NATS
        and change.log_likelihood_ratio[place] < 0.0
    )


def beside(places: Sequence[int], grid: Grid) -> list[int]:
    """Return the playable places next to some places, those that touch at a corner, too."""
    found = []
    for place in grid.playable:
        rank, file = divmod(place, grid.columns)
        others = (divmod(other, grid.columns) for other in places if other != place)
        if any(max(abs(rank - there), abs(file - line)) == 1 for there, line in others):
            found.append(place)
    return found
