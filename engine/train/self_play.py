"""Games of the engine against itself, within the kernels: a work item is a pure function of its numbers.

The rules of `damludo.rules` are not asked, for they are a hundred times slower: a game is over when the side to move has no
move, when the search has proved an end, or when it is drawn by moves without progress, by repetition or by its length.
"""

import random
from collections import Counter
from dataclasses import dataclass

import numpy as np

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
    """

    game: str
    seed: int
    games: int
    nodes: int
    opening: tuple[int, int] = (4, 10)
    compiled: bool | None = None


def self_play(item: Item) -> Positions:
    """Play the games of a work item; return their quiet positions (all positions where nothing moves but by capture)."""
    table = _Table(variant(item.game), can_compile() if item.compiled is None else item.compiled)
    notes = Notes()
    chance = random.Random(f"self-play {item.game} {item.seed}")
    for _ in range(item.games):
        table.play(chance, item, notes)
    return notes.positions()


class _Table(Searcher):
    """The place where a game is played: a searcher that also makes the moves it found."""

    def __init__(self, game: Variant, compiled: bool) -> None:
        # Never with learnt weights: the same item is to give the same games after these have been shipped.
        super().__init__(game, compiled, weights=reasoned_weights(game), entries=TABLE)
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
                number, taken, score = self._search_moves(moves, item.nodes)
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

    def _search_moves(self, moves: list[tuple[int, Word]], nodes: int) -> tuple[int, Word, int]:
        """The best move and its score within some nodes; an unfinished depth counts as far as it came."""
        memory = self._memory
        memory[kernel.STOP], memory[kernel.NODES], memory[kernel.NODE_LIMIT] = 0, 0, nodes
        memory[kernel.GENERATION] = (memory[kernel.GENERATION] + 1) % 256
        order, best, score = list(moves), moves[0], 0
        for depth in range(1, DEEPEST + 1):
            floor = -kernel.MATE
            for move in list(order):
                value = self._value(move, depth, floor, floor + 1 if floor > -kernel.MATE else kernel.MATE)
                if floor < value and floor > -kernel.MATE:
                    value = self._value(move, depth, floor, kernel.MATE)
                if self.stopped:
                    return *best, score
                if value > floor:
                    floor, best, score = value, move, value
                    order.remove(move)
                    order.insert(0, move)
            if abs(score) >= PROVED or len(moves) == 1:
                break
        return *best, score

    def _value(self, move: tuple[int, Word], depth: int, alpha: int, beta: int) -> int:
        memory, at = self._memory, self._root
        after = self._moves.after(*at.sets, *move)
        key = self._search.key_after(self._key, at.kings, at.extra, at.side, *move, memory)
        memory[kernel.COMING + 1] = move[0]
        return -int(
            self._search.visit(
                *after, 1 - at.side, key, depth - 1, -beta, -alpha, 1, kernel.MOVES, memory, self._weights
            )
        )

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
        self._value((number, taken), 1, -kernel.MATE, kernel.MATE)
        for place in range(8):
            memory[kernel.COUNTERS + place] = memory[kernel.COUNTERS + 8 + place]
        self._key = int(self._search.key_after(self._key, at.kings, at.extra, at.side, number, taken, memory))
        own, opp, kings, extra = (plain_word(word) for word in self._moves.after(*at.sets, number, taken))
        self._root = Coded(own, opp, kings, extra, 1 - at.side)
        memory[kernel.ROOT] = ply + 1
        memory[kernel.PATH + ply + 1] = self._key

    def _is_drawn(self) -> bool:
        counters = [int(self._memory[kernel.COUNTERS + rule]) for rule in range(len(self._draws))]
        return any(counter & 3 and counter >> 2 >= plies for counter, plies in zip(counters, self._draws, strict=True))
