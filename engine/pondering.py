"""Thinking on while the other side does: a second thread that fills the memory which the next answer is found in."""

import os
import sys
import threading

from damludo.engine.memory import Searchers
from damludo.engine.port import Choice, Limits
from damludo.engine.program import Report, can_compile, silent
from damludo.engine.search import AlphaBeta
from damludo.rules.game import Game

MOST_NODES = 200_000_000
"""A person may leave for dinner: after about a minute the table is full, and what is found later displaces what was."""
LONGEST_FORCED = 40
NICENESS = 5
"""Behind the eyes, yet not at the end of the queue: between two depths it holds Python's lock, for which the eyes would wait."""


def can_ponder() -> bool:
    """Return whether thinking would take nothing from other threads: there is a second processor, and the search is compiled.

    A compiled search holds Python's lock only between two depths.
    """
    return processors() > 1 and can_compile()


def processors() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class PonderingPlayer:
    """A `Player` and `Ponderer` that searches.

    Its answers depend on how long it could ponder: no two games need be alike.

    Args:
        limits: of each choice.
        report, compiled: as in `AlphaBeta`.
        ponder_limits: of what it thinks meanwhile.
    """

    def __init__(
        self,
        limits: Limits,
        report: Report = silent,
        compiled: bool | None = None,
        ponder_limits: Limits | None = None,
    ) -> None:
        shared = Searchers()
        self._player = AlphaBeta(limits, report=report, compiled=compiled, searchers=shared, keeps=True)
        meanwhile = ponder_limits or Limits(nodes=MOST_NODES)
        self._meanwhile = AlphaBeta(meanwhile, report=report, compiled=compiled, searchers=shared, keeps=True)
        self._thread: threading.Thread | None = None
        self._ready = False

    def choose(self, game: Game) -> Choice:
        """Rest, then return the best move found within the limits.

        Raises:
            GameOver: there is no legal move.
        """
        self.rest()
        choice = self._player.choose(game)
        self._ready = True
        return choice

    def ponder(self, game: Game) -> None:
        """Begin to think about what the other side may do.

        Before the first choice nothing happens: the engine may have to be compiled, and that would hold Python's lock.
        """
        self.rest()
        game = _after_forced(game)
        if self._ready and game.result() is None:
            self._thread = threading.Thread(target=self._think, args=(game,), name="ponder", daemon=True)
            self._thread.start()

    def _think(self, game: Game) -> None:
        if sys.platform == "linux":  # where a thread has a priority of its own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        self._meanwhile.choose(game)

    def rest(self) -> None:
        """End the thinking; what was found stays for the next answer."""
        thread, self._thread = self._thread, None
        # A stop that comes before the search has begun would be forgotten by it, so it is repeated.
        while thread is not None and thread.is_alive():
            self._meanwhile.stop()
            thread.join(0.002)


def _after_forced(game: Game) -> Game:
    """Return the game after the moves that have to come: a single legal move is not worth a thought."""
    for _ in range(LONGEST_FORCED):
        moves = game.legal_moves()
        if len(moves) != 1 or game.result() is not None:
            break
        game = game.make(moves[0])
    return game
