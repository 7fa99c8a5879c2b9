"""The search as a player: iterative deepening over the kernels of a game.

The same limits, seed and game give the same move on every machine, compiled or not, unless the limit is time.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from damludo.engine.errors import GameOver
from damludo.engine.judgement import MAN
from damludo.engine.memory import MATE, PROVED, RootMove, Searcher, searcher_of
from damludo.engine.port import Choice, Limits
from damludo.engine.program import Report, silent
from damludo.rules.game import Game
from damludo.rules.moves import Move, legal_moves, play

WINDOW = 30
"""Half the width of the first window around the score of the depth before, in hundredths of a man."""
ENOUGH = 0.55
"""With so much of its time gone a search begins no further depth: it would not come to anything."""
LONGEST_LINE = 24


@dataclass(frozen=True, slots=True)
class Line:
    """A first move with its score.

    Attributes:
        root: the move.
        score: for the side to move, in hundredths of a man.
        depth: plies looked ahead.
    """

    root: RootMove
    score: int
    depth: int


class AlphaBeta:
    """A `Player` that searches.

    Args:
        limits: of each choice.
        noise_men: each first move's score is blurred by up to this much, so that a weak level errs as a person does.
        seed: of the noise; with a position it decides the noise, whatever was played before.
        now_s: the clock for `Limits.seconds`.
        report: told when the engine of a game has to be compiled first.
        compiled: whether to run compiled; None leaves it to the limits and to what is installed.
    """

    def __init__(
        self,
        limits: Limits,
        noise_men: float = 0.0,
        seed: int = 0,
        now_s: Callable[[], float] = time.monotonic,
        report: Report = silent,
        compiled: bool | None = None,
    ) -> None:
        self._limits, self._noise, self._seed, self._now_s = limits, round(noise_men * MAN), seed, now_s
        self._report, self._compiled = report, compiled
        self._searcher: Searcher | None = None
        self._stopped = threading.Event()

    def choose(self, game: Game) -> Choice:
        """Return the best move found within the limits.

        Raises:
            GameOver: there is no legal move.
        """
        self._stopped.clear()
        moves = game.legal_moves()
        if not moves:
            raise GameOver
        searcher = searcher_of(game.variant, self._limits, self._compiled, self._report)
        self._searcher = searcher
        searcher.begin(game, self._limits)
        noise = random.Random(f"{self._seed} {game.variant.key} {game.position.side:d} {game.position.cells.hex()}")
        # One number for each legal move of the rules, in their order, so that the noise does not depend on the generator.
        blur = {move.identity: noise.randint(-self._noise, self._noise) for move in moves} if self._noise else {}
        roots = searcher.root_moves(game, moves)
        end_s = None if self._limits.seconds is None else self._now_s() + self._limits.seconds
        with _Watch(searcher, end_s, self._now_s, self._stopped):
            deepening = Deepening(searcher, roots, {root: blur.get(root.move.identity, 0) for root in roots})
            best = deepening.run(self._limits, end_s, self._now_s)
        return _choice(game, searcher, best)

    def stop(self) -> None:
        """End the search at once; may be called from any thread. `choose` returns the best move found so far."""
        self._stopped.set()
        if self._searcher is not None:
            self._searcher.stop()


class _Watch:
    """Ends a search when its time is over, from a thread of its own."""

    PERIOD_S = 0.002

    def __init__(
        self, searcher: Searcher, end_s: float | None, now_s: Callable[[], float], stopped: threading.Event
    ) -> None:
        self._searcher, self._end_s, self._now_s, self._stopped = searcher, end_s, now_s, stopped
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._wait, daemon=True)

    def __enter__(self) -> None:
        if self._end_s is not None:
            self._thread.start()

    def __exit__(self, *error: object) -> None:
        self._done.set()
        if self._end_s is not None:
            self._thread.join()

    def _wait(self) -> None:
        assert self._end_s is not None
        while not self._done.is_set() and self._now_s() < self._end_s:
            left_s = self._end_s - self._now_s()
            self._done.wait(self.PERIOD_S if left_s < 10 * self.PERIOD_S else left_s / 2)
        self._searcher.stop()


class Deepening:
    """Searches deeper and deeper from one position.

    Args:
        searcher: begun at the position.
        roots: the first moves to choose from.
        blur: what is added to each one's score before scores are compared, in hundredths of a man.
    """

    def __init__(self, searcher: Searcher, roots: Sequence[RootMove], blur: dict[RootMove, int]) -> None:
        self._searcher, self._roots, self._blur = searcher, list(roots), blur
        self._blurred = any(blur.values())
        self.best = Line(self._roots[0], 0, 0)

    def run(
        self,
        limits: Limits,
        end_s: float | None = None,
        now_s: Callable[[], float] = time.monotonic,
        each_depth: Callable[[Line], None] | None = None,
    ) -> Line:
        """Search until a limit is met; an unfinished depth counts as far as it came."""
        start_s = now_s() if end_s is not None else 0.0
        for depth in range(1, min(limits.depth, Limits.DEEPEST) + 1):
            self._deepen(depth)
            if self._searcher.stopped:
                break
            self.best = Line(self.best.root, self.best.score, depth)
            if each_depth is not None:
                each_depth(self.best)
            proved = abs(self.best.score) >= PROVED and MATE - abs(self.best.score) <= depth
            if proved or len(self._roots) == 1:
                break
            if end_s is not None and now_s() - start_s > ENOUGH * (end_s - start_s):
                break
            self._roots.remove(self.best.root)
            self._roots.insert(0, self.best.root)
        return self.best

    def _deepen(self, depth: int) -> None:
        score = self.best.score
        if depth < 4 or self._blurred or abs(score) >= PROVED:
            self._search(depth, -MATE, MATE)
            return
        low, high, width = score - WINDOW, score + WINDOW, WINDOW
        while not self._searcher.stopped:
            found = self._search(depth, low, high)
            if low < found < high or (found <= -MATE or found >= MATE):
                return
            width *= 4
            if width > 2_000:
                low, high = -MATE, MATE
            elif found <= low:
                low = max(found - width, -MATE)
            else:
                high = min(found + width, MATE)

    def _search(self, depth: int, alpha: int, beta: int) -> int:
        """Find the best move at a depth; blurred scores decide, the true one is told.

        `best` is replaced when the first move, the best of the depth before, is searched to its end, so it is good at any time.
        """
        best, floor = -2 * MATE, alpha
        for number, root in enumerate(self._roots):
            blur = self._blur.get(root, 0)
            # Only a move that beats the floor after its own blur counts, so the window moves by the blur.
            low = max(floor - blur, -MATE)
            score = MATE
            if number:
                score = self._searcher.score(root, depth, low, low + 1)
            if number == 0 or low < score < beta:
                score = self._searcher.score(root, depth, low, beta)
            if self._searcher.stopped:
                break
            # A proved end is seen at every level: nobody overlooks the last move of a game.
            worth = score if abs(score) >= PROVED else score + blur
            if worth > best:
                best = worth
                if number == 0 or worth > floor:
                    self.best = Line(root, score, self.best.depth)
                    self._roots.remove(root)
                    self._roots.insert(0, root)
                floor = max(floor, worth)
                if best >= beta:
                    break
        return best


def _choice(game: Game, searcher: Searcher, best: Line) -> Choice:
    mate = None
    if abs(best.score) >= PROVED:
        mate = MATE - best.score if best.score > 0 else -(MATE + best.score)
    return Choice(
        best.root.move,
        best.score / MAN,
        best.depth,
        searcher.nodes,
        expected_line(game, searcher, best.root.move),
        mate,
    )


def expected_line(game: Game, searcher: Searcher, first: Move) -> tuple[Move, ...]:
    """Return the line that begins with a move, as far as the table remembers it."""
    variant = game.variant
    line, position, met = [first], play(variant, game.position, first), {game.position}
    while position not in met and len(line) < LONGEST_LINE:
        met.add(position)
        way = searcher.remembered(position)
        follows = [move for move in legal_moves(variant, position) if (move.origin, move.target) == way]
        if not follows:
            break
        line.append(follows[0])
        position = play(variant, position, follows[0])
    return tuple(line)
