"""The card of learnt weights: where they come from and what they are worth, for people."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from damludo.engine.contest import Score
from damludo.engine.train.fit import Fit
from damludo.engine.train.packing import packed
from damludo.engine.train.self_play import Item


@dataclass(frozen=True, slots=True)
class Trial:
    """A match of learnt weights against reasoned ones.

    Attributes:
        what: the limits, in words.
        score: of the learnt ones.
    """

    what: str
    score: Score

    def __str__(self) -> str:
        score = self.score
        return f"{score.wins} won, {score.draws} drawn, {score.losses} lost: {score.share:.1%}"


def card(item: Item, generations: int, date: str, fit: Fit, trials: list[Trial], command: str) -> str:
    """Return the card of a game's weights as Markdown."""
    low, high = item.opening
    games = f"{generations} times {item.games}" if generations > 1 else f"{item.games}"
    lines = [
        f"# Weights of {item.game}",
        "",
        "Learnt from games of the engine against itself; the weights before are those that `engine/judgement.py` reasons.",
        "",
        "| what | value |",
        "|---|---|",
        f"| games | {games}, of {item.nodes} positions for each move, after {low} to {high} random plies |",
        f"| seed | {item.seed} |",
        f"| date | {date} |",
        f"| fitted on | {fit.positions} quiet positions of {fit.games} games |",
        f"| loss on the games held out, before | {fit.loss_before:.4f} |",
        f"| loss on the games held out, after | {fit.loss_after:.4f} |",
        f"| scale | {fit.scale:.0f} hundredths of a man |",
        *(f"| {trial.what}, learnt against reasoned | {trial} |" for trial in trials),
        "",
        "Made by",
        "",
        f"    {command}",
        "",
    ]
    return "\n".join(lines)


def ship(game: str, weights: NDArray[np.int16], text: str, folder: Path) -> Path:
    """Write weights and card where the engine finds them; return the weights' path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{game}.npz"
    path.write_bytes(packed(weights))
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    return path
