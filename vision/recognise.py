"""Which of the possible outcomes does a reading show? Ranking by log-likelihood; in doubt, "unsure"."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import Outcome
from damludo.vision.reading import BoardReading

AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)

MARGIN_LIMIT_NATS = 6.0
"""The best must lead by so much: a mistake in 400."""
FREE_GAP_LIMIT_NATS = 12.0
"""If the best free reading is better by more than this, none of the outcomes is what stands there (legal plies: 0 to 7.5, illegal
ones 34 to 44). It stays below what one clearly seen square can weigh (18): else a disc that vanished beside a legal move would be
overlooked."""

PLACE_LIMIT_NATS = 12.0
"""No single place wins by more than this for an outcome that is as likely beforehand: a neighbour that a reflection misread must
not win the move for another man, whose own place says little. An unlikelier outcome has its prior to overcome instead."""


@dataclass(frozen=True, eq=False, slots=True)
class Candidate(Generic[AnyOutcome]):
    """One possible content of the board.

    Attributes:
        outcomes: those with this content, highest prior first; the picture cannot tell them apart.
        score: log-likelihood of the reading plus the highest log prior.
        log_likelihood: the same without the prior.
        limited: the log-likelihood if no place says more than `PLACE_LIMIT_NATS`.
    """

    outcomes: tuple[AnyOutcome, ...]
    score: float
    log_likelihood: float
    limited: float

    @property
    def outcome(self) -> AnyOutcome:
        """The outcome with the highest prior."""
        return self.outcomes[0]

    def lead_over(self, other: "Candidate[AnyOutcome]") -> float:
        """Return by how many nats this is better than another one."""
        prior = self.outcome.log_prior - other.outcome.log_prior
        lead = self.score - other.score
        return lead if prior < 0.0 else min(lead, self.limited - other.limited + prior)


@dataclass(frozen=True, eq=False, slots=True)
class Ranking(Generic[AnyOutcome]):
    """The outcomes in the order of their scores.

    Attributes:
        candidates: best first, each with a content of its own; never empty.
        free_gap_nats: log-likelihood of the best reading of each place for itself, minus that of the best candidate; >= 0.
        margin_limit_nats, free_gap_limit_nats: what `sure` asks for.
    """

    candidates: tuple[Candidate[AnyOutcome], ...]
    free_gap_nats: float
    margin_limit_nats: float
    free_gap_limit_nats: float

    @property
    def best(self) -> AnyOutcome:
        """The outcome that explains the reading best."""
        return self.candidates[0].outcome

    @property
    def margin_nats(self) -> float:
        """Least lead of the best over an outcome with another content; infinite if there is none."""
        return min((self.candidates[0].lead_over(other) for other in self.candidates[1:]), default=math.inf)

    @property
    def explained(self) -> bool:
        """The best candidate is about as good as any board could be."""
        return self.free_gap_nats <= self.free_gap_limit_nats

    @property
    def sure(self) -> bool:
        """The best may be accepted: it leads by enough and it explains the reading."""
        return self.margin_nats >= self.margin_limit_nats and self.explained


def rank(
    reading: BoardReading,
    outcomes: Sequence[AnyOutcome],
    limit_nats: float = MARGIN_LIMIT_NATS,
    free_gap_limit_nats: float = FREE_GAP_LIMIT_NATS,
) -> Ranking[AnyOutcome]:
    """Rank possible outcomes by a reading.

    Args:
        reading: of the same board.
        outcomes: at least one; each tells the content of every playable place.
        limit_nats: lead that `Ranking.sure` asks for.
        free_gap_limit_nats: gap to the free reading that `Ranking.sure` allows.

    Raises:
        ValueError: there is no outcome, or one leaves a playable place out.
    """
    if not outcomes:
        raise ValueError("nothing to rank: give at least one outcome (nothing moved is one)")
    groups: dict[bytes, list[AnyOutcome]] = {}
    order = tuple(sorted(reading.grid.playable))
    for outcome in outcomes:
        groups.setdefault(_signature(outcome, order), []).append(outcome)
    table = reading.log_likelihood[list(order)]
    likelihood = _log_likelihoods(table, list(groups))
    limited = _log_likelihoods(np.maximum(table, table.max(axis=1, keepdims=True) - PLACE_LIMIT_NATS), list(groups))
    candidates = []
    for number, group in enumerate(groups.values()):
        # Equal priors keep the order they were given in: `sorted` is stable.
        group = sorted(group, key=lambda outcome: -outcome.log_prior)
        here = float(likelihood[number])
        candidates.append(Candidate(tuple(group), here + group[0].log_prior, here, float(limited[number])))
    candidates.sort(key=lambda candidate: -candidate.score)
    gap = reading.free_score() - candidates[0].log_likelihood
    return Ranking(tuple(candidates), max(0.0, gap), limit_nats, free_gap_limit_nats)


def _signature(outcome: Outcome, order: tuple[int, ...]) -> bytes:
    """Contents of the places in order, one byte each: equal boards have equal signatures."""
    content = outcome.content
    if tuple(content) == order:
        return bytes(content.values())
    try:
        return bytes([content[place] for place in order])
    except KeyError as error:
        raise ValueError(
            f"an outcome does not say what stands on place {error}; it must tell every playable place"
        ) from error


def _log_likelihoods(table: NDArray[np.float64], signatures: list[bytes]) -> NDArray[np.float64]:
    """Return the log-likelihood of each signature; a row of the table for each of its places."""
    columns = np.frombuffer(b"".join(signatures), dtype=np.uint8).reshape(len(signatures), len(table))
    flat = columns + np.arange(len(table), dtype=np.intp) * table.shape[1]
    return np.asarray(table.ravel()[flat].sum(axis=1))
