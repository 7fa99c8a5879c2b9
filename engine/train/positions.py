"""What is kept of games: quiet positions, each with the result of its game."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from damludo.engine.layout import WORD


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions of games, n of them.

    Attributes:
        sets: squares of White, of Black, of the kings and of the third kind, shape (n, 4, 2), in words of 64 bits, the low
            one first.
        black_moves: whose turn it is, shape (n,).
        freedom: how many moves more the side to move has; 0 in games where that does not count. Shape (n,).
        score: what the search found, for White, in hundredths of a man, shape (n,).
        result: White's points, 0, 1/2 or 1, shape (n,).
        game: number of the game, shape (n,).
    """

    sets: NDArray[np.uint64]
    black_moves: NDArray[np.bool_]
    freedom: NDArray[np.int16]
    score: NDArray[np.int16]
    result: NDArray[np.float64]
    game: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.result)

    def where(self, chosen: NDArray[np.bool_]) -> "Positions":
        """Return some of the positions."""
        return Positions(*(getattr(self, name)[chosen] for name in NAMES))

    def bits(self, width: int) -> NDArray[np.bool_]:
        """Return the four sets square by square, shape (n, 4, width)."""
        octets = np.ascontiguousarray(self.sets, "<u8").view(np.uint8)
        return np.unpackbits(octets, axis=2, bitorder="little")[:, :, :width].astype(np.bool_)

    def save(self, path: Path) -> None:
        """Write a file that is there whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, allow_pickle=False, **{name: getattr(self, name) for name in NAMES})
        os.replace(name, path)


NAMES = ("sets", "black_moves", "freedom", "score", "result", "game")
_MASK = (1 << WORD) - 1


def load(path: Path) -> Positions:
    """Return the positions of a file."""
    with np.load(path, allow_pickle=False) as stored:
        return Positions(*(stored[name] for name in NAMES))


def joined(parts: Sequence[Positions]) -> Positions:
    """Return the positions of several sets of games, whose games get numbers of their own."""
    games = np.cumsum([0, *(int(part.game.max(initial=-1)) + 1 for part in parts)])
    shifted = [part.game + np.int32(first) for part, first in zip(parts, games, strict=False)]
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in NAMES}
    return Positions(**columns | {"game": np.concatenate(shifted)})


class Notes:
    """Takes positions down, one by one, while games are played."""

    def __init__(self) -> None:
        self._sets: list[tuple[int, int, int, int]] = []
        self._sides: list[int] = []
        self._freedom: list[int] = []
        self._scores: list[int] = []
        self._results: list[float] = []
        self._games: list[int] = []
        self._number = 0

    def note(self, sets: tuple[int, int, int, int], side: int, freedom: int, score: int) -> None:
        """Note a position: squares of White, of Black, of kings and of the third kind, as whole numbers from 0; freedom for
        the side to move, score for White.
        """
        self._sets.append(sets)
        self._sides.append(side)
        self._freedom.append(freedom)
        self._scores.append(score)

    def end(self, result: float) -> None:
        """Give the positions since the last end their result, White's points."""
        new = len(self._sets) - len(self._results)
        self._results += [result] * new
        self._games += [self._number] * new
        self._number += 1

    def positions(self) -> Positions:
        """Return what was noted."""
        words = [[(word & _MASK, word >> WORD) for word in sets] for sets in self._sets]
        return Positions(
            np.array(words, np.uint64).reshape(-1, 4, 2),
            np.array(self._sides, np.bool_),
            np.array(self._freedom, np.int16),
            np.array(self._scores, np.int16),
            np.array(self._results, np.float64),
            np.array(self._games, np.int32),
        )
