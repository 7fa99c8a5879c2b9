"""What the engine has to say about positions and games beside choosing a move.

    best_lines       the best first moves, each with its line
    hint             the best move, and by how much it is better than the next
    blunders         the moves of a finished game that cost something
    stand_or_force   whether a missed capture should stand or be put right
    worst_touched    which of several touched pieces the opponent should have moved

All judge by searches with the same limits; with limits of nodes or depth the answers are the same on every machine.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from damludo.engine.errors import GameOver
from damludo.engine.judgement import MAN
from damludo.engine.memory import MATE, PROVED, Searchers
from damludo.engine.port import Choice, Limits
from damludo.engine.program import Report, silent
from damludo.engine.search import Deepening, expected_line
from damludo.rules.game import Game
from damludo.rules.moves import Move

CERTAIN_MEN = 10.0
"""Scores beyond this are taken for it: a game that is won by ten men is won, and a slower win is no blunder."""
MOST_FORCED = 60
"""Forced moves that are followed before a search begins."""
_SEARCHERS = Searchers()
"""Kept for the next question."""
BLUNDER_MEN = 0.7
"""A move that costs less is a matter of taste, or of how deep one looked."""


def best_among(
    game: Game, moves: Sequence[Move], limits: Limits, compiled: bool | None = None, report: Report = silent
) -> Choice:
    """Return the best of some legal moves.

    Raises:
        GameOver: there are none.
    """
    if not moves:
        raise GameOver
    # Where there is nothing to choose the search would end at once; what the move is worth shows where there is again.
    forced: list[Move] = []
    while len(moves) == 1 and len(forced) < MOST_FORCED:
        forced.append(moves[0])
        game = game.make(moves[0])
        moves = () if game.result() is not None else game.legal_moves()
    found = _searched(game, moves, limits, compiled, report) if moves else _ended(game)
    return found.before(forced).choice()


def _searched(game: Game, moves: Sequence[Move], limits: Limits, compiled: bool | None, report: Report) -> "_Found":
    wanted = {move.identity for move in moves}
    searcher = _SEARCHERS.of(game.variant, limits, compiled, report)
    searcher.begin(game, limits)
    roots = [root for root in searcher.root_moves(game, game.legal_moves()) if root.move.identity in wanted]
    timer = None if limits.seconds is None else threading.Timer(limits.seconds, searcher.stop)
    if timer is not None:
        timer.daemon = True
        timer.start()
    best = Deepening(searcher, roots, {}).run(limits)
    if timer is not None:
        timer.cancel()
        timer.join()  # or its stop could meet the next search
    line = expected_line(game, searcher, best.root.move)
    return _Found(best.score, best.depth, searcher.nodes, line)


def _ended(game: Game) -> "_Found":
    """Return what the end of a game is worth for the side that would be to move."""
    result = game.result()
    if result is None or result.winner is None:
        return _Found(0, 0, 0, ())
    return _Found(MATE if result.winner is game.position.side else -MATE, 0, 0, ())


@dataclass(frozen=True, slots=True)
class _Found:
    """A score in the unit of the kernels, and how it was found."""

    score: int
    depth: int
    nodes: int
    line: tuple[Move, ...]

    def before(self, moves: Sequence[Move]) -> "_Found":
        """Return what this is worth for who makes the first of some moves that lead here."""
        score, plies = self.score, len(moves)
        if abs(score) >= PROVED:
            score -= plies if score > 0 else -plies
        score = -score if plies % 2 else score
        return _Found(score, self.depth + plies, self.nodes, (*moves, *self.line))

    def choice(self) -> Choice:
        """Return it in the form of the port."""
        mate = None
        if abs(self.score) >= PROVED:
            mate = MATE - self.score if self.score > 0 else -(MATE + self.score)
        return Choice(self.line[0], self.score / MAN, self.depth, self.nodes, self.line, mate)


def shared(limits: Limits, parts: int) -> Limits:
    """Return the limits of each of several searches that together keep to `limits`; the depth is not divided."""
    nodes = limits.nodes if limits.nodes == Limits.NO_END else max(limits.nodes // parts, 1)
    return replace(limits, nodes=nodes, seconds=None if limits.seconds is None else limits.seconds / parts)


def best_lines(
    game: Game, limits: Limits, count: int, compiled: bool | None = None, report: Report = silent
) -> tuple[Choice, ...]:
    """Return up to `count` first moves with their lines, the best one first.

    Args:
        game: the game at the position.
        limits: of all lines together.
        count: how many are wanted.
        compiled, report: as in `AlphaBeta`.

    Raises:
        GameOver: there is no legal move.
    """
    left = list(game.legal_moves())
    count = min(count, len(left))
    each = shared(limits, max(count, 1))
    found: list[Choice] = []
    while not found or len(found) < count:
        found.append(best_among(game, left, each, compiled, report))
        left.remove(found[-1].move)
    # A later search can see deeper than an earlier one: what counts is the score.
    return tuple(sorted(found, key=lambda choice: -choice.score))


@dataclass(frozen=True, slots=True)
class Hint:
    """The best move, and how many men it is better than the second best; None where it is the only one."""

    choice: Choice
    lead_men: float | None


def hint(game: Game, limits: Limits, compiled: bool | None = None) -> Hint:
    """Return a hint for the side to move.

    Raises:
        GameOver: there is no legal move.
    """
    lines = best_lines(game, limits, 2, compiled)
    return Hint(lines[0], lines[0].score - lines[1].score if len(lines) > 1 else None)


@dataclass(frozen=True, slots=True)
class Blunder:
    """A move that cost something.

    Attributes:
        ply: which one, counted from 1.
        played: the move and what it was worth for the side that made it.
        better: the best move there, with its line.
        cost_men: what was lost by it.
    """

    ply: int
    played: Choice
    better: Choice
    cost_men: float


def blunders(
    game: Game,
    limits: Limits,
    least_men: float = BLUNDER_MEN,
    compiled: bool | None = None,
    progress: Callable[[int], None] = lambda ply: None,
) -> tuple[Blunder, ...]:
    """Return the moves of a game that cost at least so much, in their order.

    Args:
        game: to its end, or as far as it went. Moves that the opponent let stand against the rules are left out.
        limits: of each search; at most two for a move.
        least_men: what a move must cost to be told.
        compiled: as in `AlphaBeta`.
        progress: told each ply that is done.
    """
    found = []
    for ply, move in enumerate(game.moves, 1):
        before = Game(game.variant, game.positions[:ply], game.moves[: ply - 1])
        legal = before.legal_moves()
        if len(legal) > 1 and any(move.identity == other.identity for other in legal):
            better = best_among(before, legal, limits, compiled)
            if better.move.identity != move.identity:
                played = best_among(before, [move], limits, compiled)
                cost = certain(better.score) - certain(played.score)
                if cost >= least_men:
                    found.append(Blunder(ply, played, better, cost))
        progress(ply)
    return tuple(found)


def certain(score: float) -> float:
    """Return a score between the bounds behind which a game is decided."""
    return max(-CERTAIN_MEN, min(score, CERTAIN_MEN))


@dataclass(frozen=True, slots=True)
class Stand:
    """What to answer when the other side missed a capture.

    Attributes:
        let_stand: better than having it put right.
        standing, forced: what each way is worth for the side that answers, in men.
    """

    let_stand: bool
    standing: float
    forced: float


def stand_or_force(game: Game, missed: Move, limits: Limits, compiled: bool | None = None) -> Stand:
    """Compare letting a missed or too small capture stand with having it put right.

    Args:
        game: before the move that broke the rule.
        missed: that move.
        limits: of each of the two searches.
        compiled: as in `AlphaBeta`.

    Raises:
        IllegalMove: such a move cannot stand in this game.
    """
    standing = worth(game.let_stand(missed), limits, compiled)
    forced = -worth(game, limits, compiled)
    # In doubt the rule is kept.
    return Stand(standing > forced, standing, forced)


def worth(game: Game, limits: Limits, compiled: bool | None = None) -> float:
    """Return what a position is worth for the side to move, in men; an end of the game is worth more than any advantage."""
    result = game.result()
    if result is None:
        return best_among(game, game.legal_moves(), limits, compiled).score
    if result.winner is None:
        return 0.0
    return (MATE if result.winner is game.position.side else -MATE) / MAN


@dataclass(frozen=True, slots=True)
class Touched:
    """A touched piece, and the best that its owner can make of having to move it."""

    square: int
    choice: Choice


def worst_touched(
    game: Game, squares: Iterable[int], limits: Limits, compiled: bool | None = None
) -> tuple[Touched, ...]:
    """Return the touched pieces that can move, the one that is worst for their owner first: the opponent demands that one.

    Args:
        game: the game; the side to move has touched the pieces.
        squares: where they stand.
        limits: of the search for each piece.
        compiled: as in `AlphaBeta`.
    """
    legal = game.legal_moves()
    found = []
    for square in dict.fromkeys(squares):
        moves = [move for move in legal if move.origin == square]
        if moves:
            found.append(Touched(square, best_among(game, moves, limits, compiled)))
    return tuple(sorted(found, key=lambda touched: touched.choice.score))
