"""Games of the engine against itself, within the kernels: a work item is a pure function of its numbers.

The rules of `damludo.rules` are not asked, for they are a hundred times slower: a game is over when the side to move has no
move, when the search has proved an end, or when it is drawn by moves without progress, by repetition or by its length.
"""

import random
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from damludo.engine.coding import Coded, Word, code, plain_word, squares_of
from damludo.engine.draw_rules import limits_of
from damludo.engine.features import BY_SQUARE, features_of, weights_size
from damludo.engine.kernels import places as kernel
from damludo.engine.layout import Constants
from damludo.engine.memory import PROVED, Searcher
from damludo.engine.port import Limits
from damludo.engine.program import can_compile
from damludo.engine.train.positions import Notes, Positions
from damludo.engine.weights import FREEDOM, SCALE, reasoned_weights
from damludo.engine.writing import PLAIN
from damludo.rules.traits import Variant
from damludo.rules.variants import variant

TABLE = 1 << 13
"""Entries of the search's table."""
LONGEST_GAME = 300
"""Plies; a game that is not over by then counts as a draw."""
THRICE = 3
DEEPEST = 12
GROWTH = 3
"""So many times as many positions a depth takes, more or less, as all before it."""
_CAPTURE = 18
"""From this bit on a move says how many pieces it takes."""


@dataclass(frozen=True, slots=True)
class Item:
    """A work item.

    Attributes:
        game: key of the game.
        seed: of all chance in it.
        games: how many.
        nodes: positions visited for each move.
        opening: random plies at the beginning, least and most.
        compiled: whether to run compiled; None where that can be.
        weights: those that the search judges with, as bytes of int16; None for the reasoned ones. Never those of the package:
            the same item is to give the same games after others have been shipped.
    """

    game: str
    seed: int
    games: int
    nodes: int
    opening: tuple[int, int] = (6, 16)
    compiled: bool | None = None
    weights: bytes | None = None


def self_play(item: Item) -> Positions:
    """Play the games of a work item; return their quiet positions (all positions where nothing moves but by capture)."""
    game = variant(item.game)
    weights = reasoned_weights(game) if item.weights is None else np.frombuffer(item.weights, np.int16).copy()
    table = _Table(game, can_compile() if item.compiled is None else item.compiled, weights)
    notes = Notes()
    chance = random.Random(f"self-play {item.game} {item.seed}")
    for _ in range(item.games):
        table.play(chance, item, notes)
    return notes.positions()


class _Table(Searcher):
    """The place where a game is played: a searcher that also makes the moves it found."""

    def __init__(self, game: Variant, compiled: bool, weights: NDArray[np.int16]) -> None:
        super().__init__(game, compiled, weights=weights, entries=TABLE)
        constants: Constants = features_of(game)
        self._counts_freedom = bool(constants["USES_FREEDOM"])
        # Where pieces move by capture alone, the evaluation judges positions with captures too.
        self._captures_alone = not constants["HAS_STEPS"]
        one = np.zeros(weights_size(game) // 3, np.int16)
        assert FREEDOM < BY_SQUARE
        one[FREEDOM] = SCALE
        self._freedom_alone = np.tile(one, 3)
        if self._program.form is PLAIN:
            self._freedom_alone = self._freedom_alone.tolist()
        self._draws = [rule.moves * (1 if rule.strong_only else 2) for rule in limits_of(game)]

    def play(self, chance: random.Random, item: Item, notes: Notes) -> None:
        """Play one game to its end and note it."""
        self._memory = self._new_memory(TABLE)
        self._root = code(self.variant, self.variant.start, self._program.form)
        self._before, self._last = [0] * 8, 0
        self._key = self.key_of(self.variant.start)
        self._memory[kernel.PATH] = self._key
        met = Counter([self._key])
        opening = chance.randint(*item.opening)
        for ply in range(LONGEST_GAME):
            end = self._moves.generate(*self._root.sets, self._root.side, 0, kernel.MOVES, self._memory)
            if end == kernel.MOVES:
                notes.end(self._points(1.0 if self.variant.stuck_player_wins else 0.0))
                return
            moves = self._written(end)
            if ply < opening:
                number, taken = chance.choice(moves)
            else:
                number, taken, score = self._search_moves(moves, item.nodes, ply, met[self._key] > 1)
                if abs(score) >= PROVED:
                    notes.end(self._points(1.0 if score > 0 else 0.0))
                    return
                if self._captures_alone or all(move >> _CAPTURE == 0 for move, _ in moves):
                    self._note(notes, score)
            self._make(number, taken, ply)
            met[self._key] += 1
            if met[self._key] >= THRICE or self._is_drawn():
                break
        notes.end(0.5)

    def _points(self, own: float) -> float:
        return own if self._root.side == 0 else 1.0 - own

    def _written(self, end: int) -> list[tuple[int, Word]]:
        memory = self._memory
        return [
            (int(memory[place]), plain_word(self._moves.get(memory, place + kernel.TAKEN)))
            for place in range(kernel.MOVES, end, kernel.STRIDE)
        ]

    def _search_moves(self, moves: list[tuple[int, Word]], nodes: int, ply: int, known: bool) -> tuple[int, Word, int]:
        """The best move and its score within some nodes.

        The position is visited as the kernels visit every other one, one ply after the move that led here: one call for each
        depth. Of captures between the same two squares the first is taken.
        """
        memory = self._memory
        counters = [int(counter) for counter in memory[kernel.COUNTERS : kernel.COUNTERS + 8]]
        # A position that was there before would be a draw by repetition at once; then the game before it is left aside.
        self._put_counters([*self._before[:7], -1] if known else self._before)
        memory[kernel.ROOT], memory[kernel.COMING + 1] = ply - 1, self._last
        memory[kernel.STOP], memory[kernel.NODES], memory[kernel.NODE_LIMIT] = 0, 0, nodes
        memory[kernel.GENERATION] = (memory[kernel.GENERATION] + 1) % 256
        at, best, score = self._root, moves[0], 0
        for depth in range(1, DEEPEST + 1):
            window = -kernel.MATE, kernel.MATE
            value = self._search.visit(
                *at.sets, at.side, self._key, depth, *window, 1, kernel.MOVES, memory, self._weights
            )
            if self.stopped:
                break
            score = int(value)
            way = int(self._search.find(self._key, memory)) & 16383
            best = next((move for move in moves if move[0] & 16383 == way), best)
            if abs(score) >= PROVED or len(moves) == 1 or memory[kernel.NODES] * GROWTH > nodes:
                break
        memory[kernel.ROOT] = ply
        self._put_counters(counters)
        return *best, score

    def _put_counters(self, counters: list[int]) -> None:
        for place, counter in enumerate(counters):
            self._memory[kernel.COUNTERS + place] = counter

    def _look(self, move: tuple[int, Word]) -> None:
        memory, at = self._memory, self._root
        after = self._moves.after(*at.sets, *move)
        key = self._search.key_after(self._key, at.kings, at.extra, at.side, *move, memory)
        memory[kernel.COMING + 1] = move[0]
        window = -kernel.MATE, kernel.MATE
        self._search.visit(*after, 1 - at.side, key, 0, *window, 1, kernel.MOVES, memory, self._weights)

    def _note(self, notes: Notes, score: int) -> None:
        root = self._root
        sets = [squares_of(word) for word in root.sets]
        freedom = 0
        if self._counts_freedom:
            freedom = int(self._search.evaluate(*root.sets, root.side, self._freedom_alone))
            freedom = -freedom if self.variant.stuck_player_wins else freedom
        white, black = (sets[1], sets[0]) if root.side else (sets[0], sets[1])
        notes.note((white, black, sets[2], sets[3]), root.side, freedom, -score if root.side else score)

    def _make(self, number: int, taken: Word, ply: int) -> None:
        memory, at = self._memory, self._root
        # A look at the move alone leaves the counters of the draw rules behind it at the next ply.
        memory[kernel.STOP], memory[kernel.NODES], memory[kernel.NODE_LIMIT] = 0, 0, Limits.NO_END
        self._look((number, taken))
        self._before = [int(memory[kernel.COUNTERS + place]) for place in range(8)]
        self._put_counters([int(memory[kernel.COUNTERS + 8 + place]) for place in range(8)])
        self._last = number
        self._key = int(self._search.key_after(self._key, at.kings, at.extra, at.side, number, taken, memory))
        own, opp, kings, extra = (plain_word(word) for word in self._moves.after(*at.sets, number, taken))
        self._root = Coded(own, opp, kings, extra, 1 - at.side)
        memory[kernel.ROOT] = ply + 1
        memory[kernel.PATH + ply + 1] = self._key

    def _is_drawn(self) -> bool:
        counters = [int(self._memory[kernel.COUNTERS + rule]) for rule in range(len(self._draws))]
        return any(counter & 3 and counter >> 2 >= plies for counter, plies in zip(counters, self._draws, strict=True))
