"""What the pictures say of every place, with its uncertainty."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import Content, Grid

MOST_NATS = 30.0
"""No single place outvotes all others: its best content leads the others by no more than this."""


@dataclass(frozen=True, eq=False, slots=True)
class BoardReading:
    """Log-likelihoods of the contents of all places.

    Attributes:
        grid: the board.
        log_likelihood: shape (rows * columns, 5), natural logarithms; row = place, column = `Content`. Rows of places
            that are not playable are all zero. Only differences within a row mean something. Values are clipped so
            that no single place can outvote all others (at least -`MOST_NATS` relative to the best of its row).
        time_s: time of the newest picture used.
        number: number of the newest picture used.
    """

    grid: Grid
    log_likelihood: NDArray[np.float64]
    time_s: float
    number: int

    def most_likely(self) -> dict[int, Content]:
        """Return the best content of every playable place, each place for itself."""
        best = self.log_likelihood.argmax(axis=1)
        return {place: Content(int(best[place])) for place in self.grid.playable}

    def probability(self) -> NDArray[np.float64]:
        """Return probabilities of the contents under a flat prior, shape (rows * columns, 5); each row sums to 1."""
        shifted = self.log_likelihood - self.log_likelihood.max(axis=1, keepdims=True)
        weights = np.exp(shifted)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def score(self, content: Mapping[int, Content]) -> float:
        """Return the log-likelihood of a whole board (natural logarithm, up to one constant)."""
        places = np.fromiter(content.keys(), dtype=np.intp, count=len(content))
        columns = np.fromiter((int(c) for c in content.values()), dtype=np.intp, count=len(content))
        return float(self.log_likelihood[places, columns].sum())

    def free_score(self) -> float:
        """Return the score of `most_likely()`: the best that any board at all could reach."""
        return float(self.log_likelihood[list(self.grid.playable)].max(axis=1).sum())
