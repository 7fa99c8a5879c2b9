"""Was a disc touched? What a camera can prove of it: that it lies elsewhere than before, or that its place was seen empty.

A disc that was turned on the spot, or on which a finger rested, leaves nothing to see, and so nothing to prove.
"""

import math
from dataclasses import dataclass
from enum import Enum

from damludo.vision.shift import Shift

SHIFT_WEIGHTS = (5.96, 1.87, -1.17)
"""Logistic regression on the logarithms of the agreed part of the shift, of its size and of the usual size. Fitted on 24 rendered
tables under changed lamps, exposures, shadows, reflections and neighbours: 6,589 discs that were not moved, 370 that were."""
SHIFT_UNITS, SHIFT_LEAST = (0.01, 0.01, 0.001), (0.0003, 0.0003, 0.0005)
"""Squares: the unit of each, and what counts as no less."""
SHIFT_BIAS = 2.6
"""... and its constant, for one touched disc among fifty that a hand was over."""
NOT_COVERED_LOG_ODDS = -3.0
"""A disc that no hand was seen over was hardly touched; but a finger tip at the edge may be overlooked."""
UNCONFIRMED_LOG_ODDS = -3.0
"""Of 584 discs that were shifted 6 were not confirmed; of those that lay still and seemed shifted by a hundredth, none was."""
LEAST_LOG_ODDS, MOST_LOG_ODDS = -20.0, 7.0
"""No measured shift is less or more certain."""
HIDDEN_LOG_ODDS = -3.0
"""What a shift is worth at most that is measured on a disc which something hides, or that is not known well enough."""
LEAST_ERRORS = 3.0
"""A shift of fewer standard errors is not known well enough (350 discs that were shifted: 4.6 and more)."""
WORTH_TELLING = 0.5
"""A shift that is less sure is not told."""
SEEN_EMPTY_FRAMES = 3
"""A place that was seen empty in so many pictures beside the hand was empty."""
LIFT_SHIFT_SQUARES = 0.015
"""Nobody puts a disc back nearer than this to where it lay; one that lies as before may not have been lifted at all."""
PROVEN_LIFT, LIKELY_LIFT = 0.998, 0.9
"""The most that a lift is certain with a shift, and without: what binds anybody to a move must lie between the two."""
CONTACT_FRAMES = 3
"""A finger tip that stays over a disc for so many pictures, a third of a second and more, may have touched it."""
MOST_CONTACT, CONTACT_LEFT = 0.3, 0.8
"""A finger tip may have hovered however long it stayed; so much of the rest each further picture leaves open."""


class TouchKind(Enum):
    """What was seen of a touch."""

    LIFTED = "lifted"
    """The place was seen empty and holds its disc again: provable."""
    SHIFTED = "shifted"
    """The disc lies elsewhere on its place: provable, but a sleeve does that too."""
    CONTACT = "contact"
    """A finger tip stayed over the disc, which lies as it lay: it may have hovered. For the log, nothing more."""


@dataclass(frozen=True, slots=True)
class TouchEvidence:
    """A disc that stands on its place and was touched since the baseline.

    Attributes:
        place: where it stands.
        kind: what was seen.
        confidence: that it was touched, 0..1.
        shift_squares: how far it lies from where it lay.
        before, after: numbers of the two frames that prove it.
    """

    place: int
    kind: TouchKind
    confidence: float
    shift_squares: float
    before: int
    after: int


def shift_confidence(shift: Shift, *, covered: bool = True) -> float:
    """Return how certain it is that a disc with this shift was moved.

    Args:
        shift: as measured.
        covered: a hand was seen over it.
    """
    odds = SHIFT_BIAS if covered else SHIFT_BIAS + NOT_COVERED_LOG_ODDS
    values = (shift.agreed, shift.size, shift.usual)
    for value, weight, unit, least in zip(values, SHIFT_WEIGHTS, SHIFT_UNITS, SHIFT_LEAST, strict=True):
        odds += weight * math.log(max(value, least) / unit)
    if not shift.confirmed:
        odds += UNCONFIRMED_LOG_ODDS
    if _proves_nothing(shift):
        odds = min(odds, HIDDEN_LOG_ODDS)
    return 1.0 / (1.0 + math.exp(-min(max(odds, LEAST_LOG_ODDS), MOST_LOG_ODDS)))


def _proves_nothing(shift: Shift) -> bool:
    """Return whether something hid the disc, or its shift may be an error of the measurement."""
    return shift.hidden or shift.size < LEAST_ERRORS * shift.error


def lift_confidence(frames_seen_empty: int, shift: Shift) -> float:
    """Return how certain it is that a disc was lifted and put back."""
    seen = 1.0 - 0.5 ** (2 * frames_seen_empty)
    # Without a shift it is one kind of evidence alone: never enough to hold anybody to a move.
    return min(seen, PROVEN_LIFT if shift.size >= LIFT_SHIFT_SQUARES and not _proves_nothing(shift) else LIKELY_LIFT)


def contact_confidence(frames: int) -> float:
    """Return how certain it is that a finger tip that stayed over a disc touched it: never likely, it may have hovered."""
    return MOST_CONTACT * (1.0 - CONTACT_LEFT**frames)
