"""The kernels' memory for one game, filled and read: positions, moves, counters and table."""

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from damludo.engine.coding import Coded, Word, code, plain_word, squares_of
from damludo.engine.draw_rules import limits_of
from damludo.engine.kernels import places as kernel
from damludo.engine.layout import KINDS, layout_of
from damludo.engine.port import Limits
from damludo.engine.program import Report, can_compile, program_of, silent
from damludo.engine.tables import Tables, open_tables
from damludo.engine.weights import weights_for
from damludo.engine.writing import PLAIN
from damludo.rules.ending import events_of, moves_counted, strong_side
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.position import PIECES, Colour, Position
from damludo.rules.traits import Event, Variant

MATE, PROVED = kernel.MATE, kernel.PROVED
PLAIN_NODES = 6_000
"""A search of so few positions is over sooner than a compiler is loaded."""
SMALL_TABLE, LARGE_TABLE = 1 << 12, 1 << 22
"""Entries of the table, 16 bytes each."""
MOST_CLEARED = 1 << 20
"""Compiled searches clear a table of up to so many entries for the next search. A larger one is made anew: of more than 32 MB
the system clears only what is used.
"""
LONGEST_PATH = 1_500
"""So many positions of a game are looked at for repetitions."""
ZOBRIST = tuple(map(random.Random("the keys of positions").getrandbits, [62] * 512))
"""The numbers whose exclusive or is a position's key; the last one is that of Black to move."""
SIDE_NUMBER = ZOBRIST[-1]


@cache
def reductions() -> tuple[int, ...]:
    """Return by how many plies late moves are searched less deep, in the order of the kernels.

    It grows with the logarithms of depth and number. Measured against steps by hand (1 ply from the second or fourth move on, a
    third of the depth from the sixth on) in Damludo with 5,000 positions for each move: 54 % of 100 games.
    """
    table = [0] * 512
    for narrow, depth, number in itertools.product(range(2), range(2, 16), range(1, 16)):
        less = 0.4 + math.log(depth) * math.log(number + 1) / 1.4 - (0.0 if narrow else 0.6)
        table[256 * narrow + 16 * depth + number] = max(int(less), 0)
    return tuple(table)


@dataclass(frozen=True, slots=True)
class RootMove:
    """A first move for the kernels, and the same move of the rules."""

    move: Move
    number: int
    taken: Word


class Searchers:
    """The searchers of one player: one for each way to run, for the game that was asked for last."""

    def __init__(self) -> None:
        self._kept: dict[bool, Searcher] = {}

    def of(self, variant: Variant, limits: Limits, compiled: bool | None = None, report: Report = silent) -> "Searcher":
        """Return the one that suits the limits."""
        if compiled is None:
            compiled = limits.nodes > PLAIN_NODES and limits.depth > 3 and can_compile()
        kept = self._kept.get(compiled)
        if kept is None or kept.variant is not variant:
            kept = self._kept[compiled] = _searcher(variant, compiled, report)
        return kept


def _searcher(variant: Variant, compiled: bool, report: Report) -> "Searcher":
    # Low levels know no tables: they are to play like people.
    return Searcher(variant, compiled, report, endgames=open_tables(variant) if compiled else None)


class Searcher:
    """The kernels of a game with their memory; one search at a time.

    Args:
        variant: the game.
        compiled: whether to run compiled.
        report: told when that needs compiling first.
        weights: of the evaluation; None for those of the game.
        entries: of the table at most, a power of two.
        endgames: endgame tables to look into; None for none.
    """

    def __init__(
        self,
        variant: Variant,
        compiled: bool,
        report: Report = silent,
        weights: Any = None,
        entries: int = LARGE_TABLE,
        endgames: Tables | None = None,
    ) -> None:
        self.variant = variant
        self._program = program_of(variant, compiled, ("moves", "search"), report)
        self._moves, self._search = self._program.module["moves"], self._program.module["search"]
        self._layout = layout_of(variant.board)
        self._entries = entries
        self._weights = weights_for(variant) if weights is None else weights
        if self._program.form is PLAIN:
            self._weights = self._weights.tolist()
        self._endgames = endgames
        self._memory = self._new_memory(SMALL_TABLE)
        self._numbers = self._numbers_by_square()
        self._root: Coded
        self._key = 0
        self._roots: dict[tuple[int, Word], RootMove] = {}

    def _numbers_by_square(self) -> list[tuple[int, tuple[int, ...]]]:
        """For each square the numbers of the pieces on it, by their code in a position."""
        layout, found = self._layout, []
        for square in self.variant.board.playable:
            numbers = [0] * len(PIECES)
            for code_, piece in enumerate(PIECES):
                if piece.colour is not None and piece.kind is not None:
                    row = piece.colour * 3 + KINDS.index(piece.kind)
                    numbers[code_] = ZOBRIST[row * layout.width + layout.bit_of[square]]
            found.append((square, tuple(numbers)))
        return found

    def _new_memory(self, entries: int) -> Any:
        endgames = kernel.TABLE + 2 * entries
        size = endgames + (len(self._endgames.words) if self._endgames else 0)
        memory: Any = [0] * size if self._program.form is PLAIN else np.zeros(size, np.int64)
        if self._endgames is not None:
            memory[endgames:] = (
                self._endgames.words if self._program.form is not PLAIN else self._endgames.plain_words()
            )
            memory[kernel.ENDGAMES + 1] = self._endgames.pieces
        memory[kernel.LIMIT] = kernel.TABLE
        memory[kernel.ENTRIES] = entries
        memory[kernel.ZOBRIST : kernel.ZOBRIST + len(ZOBRIST)] = ZOBRIST
        memory[kernel.REDUCTIONS : kernel.REDUCTIONS + len(reductions())] = reductions()
        return memory

    def _forget(self, entries: int) -> None:
        """Have a memory of so many entries, in which nothing stands that a search could remember."""
        memory = self._memory
        if memory[kernel.ENTRIES] != entries or (self._program.form is not PLAIN and entries > MOST_CLEARED):
            self._memory = self._new_memory(entries)
            return
        memory[kernel.GENERATION] = memory[kernel.FIRST_SCORE] = 0
        for side in Colour:
            history = kernel.HISTORY + side * 128 * 128
            self._clear(history, history + self._layout.width * 128)
        self._clear(kernel.TABLE, kernel.TABLE + 2 * entries)

    def _clear(self, start: int, end: int) -> None:
        self._memory[start:end] = [0] * (end - start) if self._program.form is PLAIN else 0

    def begin(self, game: Game, limits: Limits, keep: bool = False) -> None:
        """Prepare a search of the last position of a game.

        What earlier searches found stays where time is the limit, and where all of them say `keep`.
        """
        entries = self._entries
        if keep:
            entries = min(self._entries, 1 << 16) if self._program.form is PLAIN else self._entries
        elif limits.nodes < Limits.NO_END:
            entries = min(self._entries, max(SMALL_TABLE, 1 << (2 * limits.nodes).bit_length()))
        elif limits.seconds is None and self._program.form is PLAIN:
            entries = min(self._entries, 1 << 16)
        if (limits.seconds is None and not keep) or self._memory[kernel.ENTRIES] != entries:
            self._forget(entries)
        memory = self._memory
        memory[kernel.STOP], memory[kernel.NODES], memory[kernel.NODE_LIMIT] = 0, 0, limits.nodes
        memory[kernel.GENERATION], memory[kernel.WHOLE] = (memory[kernel.GENERATION] + 1) % 256, 0
        self._clear(kernel.KILLERS, kernel.KILLERS + 2 * 256)
        if self._endgames is not None:
            known = self._endgames.knows(game.position)
            memory[kernel.ENDGAMES] = kernel.TABLE + 2 * entries if known else 0
        self._root = code(self.variant, game.position, self._program.form)
        self._fill_counters(game)
        # No earlier position can come again.
        lasting = min(int(memory[kernel.COUNTERS + 7]), LONGEST_PATH)
        for index, position in enumerate(game.positions[-lasting - 1 :]):
            self._key = memory[kernel.PATH + index] = self.key_of(position)
        memory[kernel.ROOT] = lasting

    def _fill_counters(self, game: Game) -> None:
        memory, left = self._memory, 1_000
        for number, rule in enumerate(limits_of(self.variant)):
            strong = strong_side(rule.material, game.position) if rule.material else None
            side = 3 if rule.material is None else 0 if strong is None else strong + 1
            counted = moves_counted(rule, game.positions, game.moves)
            memory[kernel.COUNTERS + number] = 4 * counted + side
        memory[kernel.COUNTERS + 6] = left
        lasting = 0
        irreversible = {Event.CAPTURE, Event.CROWNING}
        if not self._program_returns():
            irreversible.add(Event.MAN_MOVE)
        for move in reversed(game.moves):
            if events_of(move) & irreversible:
                break
            lasting += 1
        memory[kernel.COUNTERS + 7] = lasting

    def _program_returns(self) -> bool:
        man = self.variant.movers[KINDS[0]]
        return any((-x, -y) in man.steps for x, y in man.steps)

    def key_of(self, position: Position) -> int:
        """Return the key of a position."""
        cells, key = position.cells, SIDE_NUMBER if position.side else 0
        for square, numbers in self._numbers:
            if cells[square]:
                key ^= numbers[cells[square]]
        return key

    def root_moves(self, game: Game, legal: Sequence[Move]) -> list[RootMove]:
        """Return the legal moves, likely best first, found by the kernels and named by the rules."""
        by_identity = {move.identity: move for move in legal}
        memory, root = self._memory, self._root
        end = self._moves.generate(*root.sets, root.side, 0, kernel.MOVES, memory)
        hint = self._search.find(self._key, memory)
        self._search.rate(kernel.MOVES, end, hint & 16383 if hint else -1, root.side, 0, memory)
        found = []
        for place in range(kernel.MOVES, end, kernel.STRIDE):
            number, taken = int(memory[place]), self._moves.get(memory, place + kernel.TAKEN)
            word = plain_word(taken)
            found.append(
                (-int(memory[place + kernel.SCORE]), RootMove(by_identity[self._identity(number, word)], number, word))
            )
        # Stable, so equal ones stay in the order of the generator.
        return [root_move for _, root_move in sorted(found, key=lambda pair: pair[0])]

    def _identity(self, number: int, taken: Any) -> Any:
        square_of = self._layout.square_of
        colour = self._root.side
        squares = squares_of(taken)
        captured = frozenset(square_of[bit] for bit in range(self._layout.width) if squares >> bit & 1)
        kind, becomes = KINDS[number >> 14 & 3], KINDS[number >> 16 & 3]
        piece = next(p for p in PIECES if p.colour == colour and p.kind is becomes) if becomes is not kind else None
        return square_of[number & 127], square_of[number >> 7 & 127], captured, piece

    def place(self, roots: Sequence[RootMove], blur: Mapping[RootMove, int]) -> None:
        """Set the first moves to try, in this order, and what is added to each one's score before it is compared."""
        memory, place = self._memory, kernel.MOVES
        self._roots = {(root.number, root.taken): root for root in roots}
        for root in roots:
            memory[place], memory[place + kernel.SCORE] = root.number, blur.get(root, 0)
            words = root.taken if isinstance(root.taken, tuple) else (root.taken,)
            for offset, word in enumerate(words, kernel.TAKEN):
                memory[place + offset] = word
            place += kernel.STRIDE

    def try_first(self, depth: int, alpha: int, beta: int) -> int:
        """Try the first moves; return the worth of the best, exact between alpha and beta, meaningless once `stopped`."""
        end = kernel.MOVES + kernel.STRIDE * len(self._roots)
        at, run = self._root, self._search.first_moves
        return int(
            run(*at.sets, at.side, self._key, depth, alpha, beta, kernel.MOVES, end, self._memory, self._weights)
        )

    def be_whole(self) -> None:
        """From now on to the next `begin` search no move less deep than others: the lengths of wins and losses are exact."""
        memory = self._memory
        memory[kernel.WHOLE] = 1
        memory[kernel.GENERATION] = (memory[kernel.GENERATION] + 1) % 256

    @property
    def first(self) -> tuple[RootMove, int]:
        """The best of the first moves that were tried, and its score for the side to move."""
        number, taken = int(self._memory[kernel.MOVES]), self._moves.get(self._memory, kernel.MOVES + kernel.TAKEN)
        return self._roots[number, plain_word(taken)], int(self._memory[kernel.FIRST_SCORE])

    def evaluate(self, position: Position) -> int:
        """Return the worth of a position for the side to move, as it stands, in hundredths of a man."""
        coded = code(self.variant, position, self._program.form)
        return int(self._search.evaluate(*coded.sets, coded.side, self._weights))

    def remembered(self, position: Position) -> tuple[int, int] | None:
        """Return origin and target of the best move that the table knows in a position."""
        hint = int(self._search.find(self.key_of(position), self._memory))
        if not hint:
            return None
        return self._layout.square_of[hint & 127], self._layout.square_of[hint >> 7 & 127]

    def stop(self) -> None:
        """End the search that runs; may be called from any thread."""
        self._memory[kernel.STOP] = 1

    @property
    def stopped(self) -> bool:
        """The search was ended or has met its limit of nodes."""
        return bool(self._memory[kernel.STOP])

    @property
    def nodes(self) -> int:
        """Positions visited since `begin`."""
        return int(self._memory[kernel.NODES])
