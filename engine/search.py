"""The search as a player: iterative deepening over the kernels of a game.

The same limits, seed and game give the same move on every machine, compiled or not, unless the limit is time.
"""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from damludo.engine.budget import Margin, Patience
from damludo.engine.errors import GameOver
from damludo.engine.judgement import MAN
from damludo.engine.memory import MATE, PROVED, RootMove, Searcher, Searchers
from damludo.engine.port import Choice, Limits
from damludo.engine.program import Report, silent
from damludo.rules.game import Game
from damludo.rules.moves import Move, legal_moves, play
from damludo.rules.traits import Variant

WINDOW = 30
"""Half the width of the first window around the score of the depth before, in hundredths of a man."""
NOTHING = -2 * MATE
"""The worth of the best first move before any was tried."""
LONGEST_LINE = 24


@dataclass(frozen=True, slots=True)
class Line:
    """A first move with its score.

    Attributes:
        root: the move.
        score: for the side to move, in hundredths of a man.
        depth: plies looked ahead.
        exact: where a win or a loss is proved, that there is no shorter way to it.
    """

    root: RootMove
    score: int
    depth: int
    exact: bool = False


class AlphaBeta:
    """A `Player` that searches.

    Args:
        limits: of each choice.
        noise_men: each first move's score is blurred by up to this much, so that a weak level errs as a person does.
        seed: of the noise; with a position it decides the noise, whatever was played before.
        now_s: the clock for `Limits.seconds`.
        report: told when the engine of a game has to be compiled first.
        compiled: whether to run compiled; None leaves it to the limits and to what is installed.
        searcher: the one to search with, of the game that will be played; None for one of this player's own.
        searchers: where to take it from otherwise; players that share them share what they remember.
        each_depth: told what was found when a depth is done.
        margin: what is known of how late answers are; None for nothing yet.
        keeps: what earlier searches found stays, whatever the limit; answers then depend on those searches.
    """

    def __init__(
        self,
        limits: Limits,
        noise_men: float = 0.0,
        seed: int = 0,
        now_s: Callable[[], float] = time.monotonic,
        report: Report = silent,
        compiled: bool | None = None,
        searcher: Searcher | None = None,
        searchers: Searchers | None = None,
        each_depth: Callable[[Choice], None] | None = None,
        margin: Margin | None = None,
        keeps: bool = False,
    ) -> None:
        self._keeps = keeps
        self._limits, self._noise, self._seed, self._now_s = limits, round(noise_men * MAN), seed, now_s
        self._report, self._compiled, self._each_depth = report, compiled, each_depth
        self._given, self._searchers = searcher, searchers or Searchers()
        self._searcher: Searcher | None = None
        self._stopped = threading.Event()
        self._margin = margin or Margin()

    def start(self, variant: Variant) -> None:
        """Make the engine of a game ready, which else the first choice does."""
        searcher = self._searcher_of(variant)
        game = Game.new(variant)
        searcher.begin(game, self._limits)
        searcher.place(searcher.root_moves(game, game.legal_moves()), {})
        searcher.try_first(1, -MATE, MATE)

    def _searcher_of(self, variant: Variant) -> Searcher:
        return self._given or self._searchers.of(variant, self._limits, self._compiled, self._report)

    def choose(self, game: Game) -> Choice:
        """Return the best move found within the limits.

        Raises:
            GameOver: there is no legal move.
        """
        start_s = self._now_s()
        self._stopped.clear()
        moves = game.legal_moves()
        if not moves:
            raise GameOver
        searcher = self._searcher = self._searcher_of(game.variant)
        searcher.begin(game, self._limits, self._keeps)
        noise = random.Random(f"{self._seed} {game.variant.key} {game.position.side:d} {game.position.cells.hex()}")
        # One number for each legal move of the rules, in their order, so that the noise does not depend on the generator.
        blur = {move.identity: noise.randint(-self._noise, self._noise) for move in moves} if self._noise else {}
        roots = searcher.root_moves(game, moves)
        seconds = self._limits.seconds
        end_s = None if seconds is None else start_s + self._margin.within(seconds)
        if self._stopped.is_set():
            searcher.stop()  # it came before `begin`, which forgets it
        with _Watch(searcher, end_s, self._now_s):
            deepening = Deepening(searcher, roots, {root: blur.get(root.move.identity, 0) for root in roots})
            best = deepening.run(self._limits, start_s, end_s, self._now_s, self._teller(game, searcher))
        choice = _choice(game, searcher, best)
        if seconds is not None:
            self._margin.learn(self._now_s() - start_s, seconds)
        return choice

    def _teller(self, game: Game, searcher: Searcher) -> Callable[[Line], None] | None:
        tell = self._each_depth
        return None if tell is None else lambda line: tell(_choice(game, searcher, line))

    def stop(self) -> None:
        """End the search at once; may be called from any thread. `choose` returns the best move found so far."""
        self._stopped.set()
        if self._searcher is not None:
            self._searcher.stop()


class _Watch:
    """Ends a search when its time is over, from a thread of its own, which nobody waits for."""

    PERIOD_S = 0.002

    def __init__(self, searcher: Searcher, end_s: float | None, now_s: Callable[[], float]) -> None:
        self._searcher, self._end_s, self._now_s = searcher, end_s, now_s
        self._done = threading.Event()
        self._ending = threading.Lock()

    def __enter__(self) -> None:
        if self._end_s is not None:
            threading.Thread(target=self._wait, args=(self._end_s,), daemon=True).start()

    def __exit__(self, *error: object) -> None:
        # Once this lock was held no stop can come any more, which would meet the next search.
        with self._ending:
            self._done.set()

    def _wait(self, end_s: float) -> None:
        while not self._done.is_set() and (left_s := end_s - self._now_s()) > 0:
            self._done.wait(min(left_s, self.PERIOD_S) if left_s < 10 * self.PERIOD_S else left_s / 2)
        with self._ending:
            if not self._done.is_set():
                self._searcher.stop()


class Deepening:
    """Searches deeper and deeper from one position.

    Args:
        searcher: begun at the position.
        roots: the first moves to choose from.
        blur: what is added to each one's score before scores are compared, in hundredths of a man.
    """

    def __init__(self, searcher: Searcher, roots: Sequence[RootMove], blur: Mapping[RootMove, int]) -> None:
        self._searcher, self._count = searcher, len(roots)
        self._blurred = any(blur.values())
        searcher.place(roots, blur)
        self.best = Line(roots[0], 0, 0)

    def run(
        self,
        limits: Limits,
        start_s: float = 0.0,
        end_s: float | None = None,
        now_s: Callable[[], float] = time.monotonic,
        each_depth: Callable[[Line], None] | None = None,
    ) -> Line:
        """Search until a limit is met; an unfinished depth counts as far as it came."""
        patience = Patience(limits.enough_s)
        for depth in range(1, min(limits.depth, Limits.DEEPEST) + 1):
            tried = self._deepen(depth)
            if tried:
                self.best = Line(*self._searcher.first, self.best.depth)
            if self._searcher.stopped:
                break
            self.best = Line(self.best.root, self.best.score, depth)
            if each_depth is not None:
                each_depth(self.best)
            if abs(self.best.score) >= PROVED and MATE - abs(self.best.score) <= depth:
                self._measure()
                break
            if self._count == 1:
                break
            if end_s is not None and patience.ends(now_s() - start_s, self.best.score):
                break
        return self.best

    def _measure(self) -> None:
        """Find out how many plies a proved end is away: a search that looks at some moves less deep may miss a shorter way."""
        score = self.best.score
        plies = MATE - abs(score)
        self._searcher.be_whole()
        low, high = (score, MATE) if score > 0 else (-MATE, score)
        found = self._searcher.try_first(max(plies - 2, 1), low, high) if plies > 2 else score
        if self._searcher.stopped:
            return
        if low < found < high:
            self.best = Line(*self._searcher.first, self.best.depth)
        self.best = replace(self.best, exact=True)

    def _deepen(self, depth: int) -> bool:
        """Search to a depth; return whether a first move was searched to its end."""
        score = self.best.score
        if depth < 4 or self._blurred or abs(score) >= PROVED:
            return self._searcher.try_first(depth, -MATE, MATE) > NOTHING
        low, high, width = score - WINDOW, score + WINDOW, WINDOW
        tried = False
        while not self._searcher.stopped:
            found = self._searcher.try_first(depth, low, high)
            tried = tried or found > NOTHING
            if low < found < high or (found <= -MATE or found >= MATE):
                break
            width *= 4
            if width > 2_000:
                low, high = -MATE, MATE
            elif found <= low:
                low = max(found - width, -MATE)
            else:
                high = min(found + width, MATE)
        return tried


def _choice(game: Game, searcher: Searcher, best: Line) -> Choice:
    mate = None
    if best.exact:
        mate = MATE - best.score if best.score > 0 else -(MATE + best.score)
    return Choice(
        best.root.move,
        best.score / MAN,
        best.depth,
        searcher.nodes,
        expected_line(game, searcher, best.root.move, min(best.depth + 2, LONGEST_LINE)),
        mate,
    )


def expected_line(game: Game, searcher: Searcher, first: Move, longest: int = LONGEST_LINE) -> tuple[Move, ...]:
    """Return the line that begins with a move, as far as the table remembers it, up to some plies."""
    variant = game.variant
    line, position, met = [first], play(variant, game.position, first), {game.position}
    while position not in met and len(line) < longest:
        met.add(position)
        way = searcher.remembered(position)
        follows = [move for move in legal_moves(variant, position) if (move.origin, move.target) == way]
        if not follows:
            break
        line.append(follows[0])
        position = play(variant, position, follows[0])
    return tuple(line)
