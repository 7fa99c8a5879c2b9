"""The search: alpha-beta with iterative deepening, a table of positions, and captures followed to their end.

All scores inside are integers, in hundredths of a man, for the side to move (negamax). The same limits, seed and game give the
same move on every machine, unless the limit is time.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from damludo.engine.errors import GameOver
from damludo.engine.evaluation import MAN, evaluation_of
from damludo.engine.port import Choice, Limits
from damludo.rules.game import Game
from damludo.rules.moves import Move, legal_moves, play
from damludo.rules.position import Position

WIN = 100_000
"""A won position at the root; each ply to the win takes 1 off, so that the shortest win is the best."""
PROVED = WIN - 1_000
"""Scores beyond this are proved wins (or, negative, losses)."""
DRAW = 0
TABLE_LIMIT = 200_000
"""Positions kept; a search that meets more goes on without remembering them."""
CHECK_TIME_EVERY = 64


class Bound(IntEnum):
    """What a stored score says about the true one."""

    EXACT = 0
    AT_LEAST = 1
    AT_MOST = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """What the table knows of a position; the score counts plies to a win from there, not from the root."""

    depth: int
    bound: Bound
    score: int
    best: Move | None


class _OutOfLimits(Exception):
    """The search has used up its nodes or its time."""


class AlphaBeta:
    """A `Player` that searches.

    Args:
        limits: of each choice.
        noise_men: each first move's score is blurred by up to this much, so that a weak level errs as a person does.
        seed: of the noise; with a position it decides the noise, whatever was played before.
        now_s: the clock for `Limits.seconds`.
    """

    def __init__(
        self, limits: Limits, noise_men: float = 0.0, seed: int = 0, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits, self._noise, self._seed, self._now_s = limits, round(noise_men * MAN), seed, now_s

    def choose(self, game: Game) -> Choice:
        """Return the best move found within the limits."""
        moves = game.legal_moves()
        if not moves:
            raise GameOver
        noise = random.Random(f"{self._seed} {game.variant.key} {game.position.side:d} {game.position.cells.hex()}")
        blur = {move: noise.randint(-self._noise, self._noise) for move in moves} if self._noise else {}
        return _Search(game, self._limits, blur, self._now_s).run(moves)


class _Search:
    """One choice of a move."""

    def __init__(self, game: Game, limits: Limits, blur: dict[Move, int], now_s: Callable[[], float]) -> None:
        self.variant = game.variant
        self.root = game.position
        self.limits, self.blur, self.now_s = limits, blur, now_s
        self.evaluate = evaluation_of(game.variant)
        # Where every move is a capture, following captures to their end would be playing the game to its end.
        self.follow_captures = any(mover.steps for mover in game.variant.movers.values())
        self.stuck = WIN if game.variant.stuck_player_wins else -WIN
        self.end_s = None if limits.seconds is None else now_s() + limits.seconds
        self.nodes = 0
        self.table: dict[Position, Entry] = {}
        self.killers: dict[int, Move] = {}
        self.credit: dict[tuple[int, int], int] = {}
        # Positions of the game and of the line being searched: meeting one again is worth a draw.
        self.met: set[Position] = set(game.positions)
        self.best: Move
        self.score = 0

    def run(self, moves: Sequence[Move]) -> Choice:
        """Search deeper and deeper until a limit is met; an unfinished depth counts as far as it came."""
        ranked = self._ordered(moves, None, 0)
        self.best, self.score, depth = ranked[0], 0, 0
        for deeper in range(1, self.limits.depth + 1):
            try:
                self._search_root(ranked, deeper)
            except _OutOfLimits:
                break
            depth = deeper
            if abs(self.score) >= PROVED or len(moves) == 1:
                break
            ranked = [self.best, *(move for move in ranked if move != self.best)]
        return Choice(self.best, self.score / MAN, depth, self.nodes, self._line(self.best), _plies_to_end(self.score))

    def _search_root(self, ranked: Sequence[Move], depth: int) -> None:
        """Find the best move at a depth; blurred scores decide, the true one is told.

        `best` and `score` are replaced when the first move, the best of the depth before, is searched to its end, so they are
        good at any time.
        """
        blurred = -2 * WIN
        for move in ranked:
            blur = self.blur.get(move, 0)
            # Only a move that beats `blurred` after its own blur counts, so the window moves by the blur.
            alpha = max(blurred - blur, -WIN)
            found = -self._visit(play(self.variant, self.root, move), depth - 1, -WIN, -alpha, 1)
            # A proved end is seen at every level: nobody overlooks the last move of a game.
            worth = found if abs(found) >= PROVED else found + blur
            if worth > blurred:
                self.best, self.score, blurred = move, found, worth

    def _visit(self, position: Position, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the score of a position: exact between alpha and beta, else a bound (fail soft)."""
        self._count()
        if position in self.met:
            return DRAW
        entry = self.table.get(position)
        if entry is not None and entry.depth >= depth:
            score = _from_table(entry.score, ply)
            if (
                entry.bound is Bound.EXACT
                or (entry.bound is Bound.AT_LEAST and score >= beta)
                or (entry.bound is Bound.AT_MOST and score <= alpha)
            ):
                return score
        moves = legal_moves(self.variant, position)
        if not moves:
            return self.stuck + ply if self.stuck < 0 else self.stuck - ply
        if depth <= 0 and not (self.follow_captures and moves[0].captures):
            return self.evaluate(position)
        return self._try_all(
            position, self._ordered(moves, entry.best if entry else None, ply), depth, alpha, beta, ply
        )

    def _try_all(self, position: Position, moves: Sequence[Move], depth: int, alpha: int, beta: int, ply: int) -> int:
        best, best_move, floor = -WIN, moves[0], alpha
        # A forced answer costs no depth: an exchange is seen to its end at every level.
        rest = depth if len(moves) == 1 and depth > 0 and moves[0].captures else depth - 1
        self.met.add(position)
        try:
            for move in moves:
                score = -self._visit(play(self.variant, position, move), rest, -beta, -floor, ply + 1)
                if score > best:
                    best, best_move = score, move
                    floor = max(floor, score)
                    if score >= beta:
                        self._remember_cut(move, depth, ply)
                        break
        finally:
            self.met.discard(position)
        if len(self.table) < TABLE_LIMIT:
            bound = Bound.AT_LEAST if best >= beta else Bound.AT_MOST if best <= alpha else Bound.EXACT
            self.table[position] = Entry(max(depth, 0), bound, _to_table(best, ply), best_move)
        return best

    def _ordered(self, moves: Sequence[Move], first: Move | None, ply: int) -> list[Move]:
        """Likely best first: the table's move, big captures, the move that refuted a sister position, what was good elsewhere."""
        killer = self.killers.get(ply)
        credit = self.credit

        def rank(move: Move) -> tuple[bool, int, bool, int]:
            return move != first, -len(move.captures), move != killer, -credit.get((move.origin, move.target), 0)

        return sorted(moves, key=rank)

    def _remember_cut(self, move: Move, depth: int, ply: int) -> None:
        if not move.captures:
            self.killers[ply] = move
            way = (move.origin, move.target)
            self.credit[way] = self.credit.get(way, 0) + max(depth, 1) ** 2

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes >= self.limits.nodes:
            raise _OutOfLimits
        if self.end_s is not None and self.nodes % CHECK_TIME_EVERY == 0 and self.now_s() >= self.end_s:
            raise _OutOfLimits

    def _line(self, first: Move) -> tuple[Move, ...]:
        """The expected line, as far as the table remembers it."""
        line, position, met = [first], play(self.variant, self.root, first), {self.root}
        while position not in met and (entry := self.table.get(position)) is not None and entry.best is not None:
            met.add(position)
            line.append(entry.best)
            position = play(self.variant, position, entry.best)
        return tuple(line)


def _to_table(score: int, ply: int) -> int:
    """Count a proved end from the position itself, not from the root."""
    return score + ply if score >= PROVED else score - ply if score <= -PROVED else score


def _from_table(score: int, ply: int) -> int:
    return score - ply if score >= PROVED else score + ply if score <= -PROVED else score


def _plies_to_end(score: int) -> int | None:
    if score >= PROVED:
        return WIN - score
    return -(WIN + score) if score <= -PROVED else None
