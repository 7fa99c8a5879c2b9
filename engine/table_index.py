"""Where each position with few pieces stands in the endgame tables.

White is to move; a position with Black to move is turned round by half a turn, which every game's rules allow. Pieces of one kind
and colour are a *group*; a *class* is how many of each group there are. Within a class the sets of squares of each group are
numbered (as combinations, by Pascal's triangle) and their numbers are the digits of the place: positions with two pieces on one
square have a place too, and waste little.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

from damludo.engine.coding import word_of
from damludo.engine.errors import NoTable
from damludo.engine.kernels import places as kernel
from damludo.engine.layout import KINDS, layout_of
from damludo.engine.writing import PLAIN, Form
from damludo.rules.position import Colour, Kind, Piece, Position, piece_of
from damludo.rules.tables import tables_of
from damludo.rules.traits import Variant

FEWEST = 2
MOST_ON_FEW_SQUARES, FEW_SQUARES = 4, 32
MOST_ON_MANY_SQUARES, MANY_SQUARES = 3, 64
"""Pieces that tables are made for: more of them would take hours and more memory than a small computer has."""

GROUPS = tuple(product(Colour, KINDS))
"""The groups by number, White's first."""
Sizes = tuple[int, ...]
"""How many pieces of each group there are."""


@dataclass(frozen=True, slots=True)
class Class:
    """A balance of pieces and its places.

    Attributes:
        sizes: of the groups.
        start, stop: the first place and the one behind the last.
    """

    sizes: Sizes
    start: int
    stop: int

    @property
    def pieces(self) -> int:
        """Pieces on the board."""
        return sum(self.sizes)

    @property
    def key(self) -> int:
        """Its number for the kernels."""
        return sum(size * 5**group for group, size in enumerate(self.sizes))

    @property
    def reply(self) -> Sizes:
        """The sizes after a quiet move: the sides have changed."""
        return (*self.sizes[3:], *self.sizes[:3])


def most_pieces(variant: Variant) -> int:
    """Return how many pieces the tables of a game can have at most, 0 for none."""
    squares = len(variant.board.playable)
    if squares > MANY_SQUARES:
        return 0
    return MOST_ON_FEW_SQUARES if squares <= FEW_SQUARES else MOST_ON_MANY_SQUARES


class TableIndex:
    """The places of all positions of a game with so many pieces.

    Raises:
        NoTable: the game has no tables with so many pieces.
    """

    def __init__(self, variant: Variant, pieces: int) -> None:
        most = most_pieces(variant)
        if not FEWEST <= pieces <= most:
            limit = f"from {FEWEST} to {most}" if most else "of no number: its board is too large"
            raise NoTable(f"{variant.key} has no endgame tables with {pieces} pieces; there are tables {limit}")
        self.variant, self.pieces = variant, pieces
        self.groups = tuple(_squares_of(variant, colour, kind) for colour, kind in GROUPS)
        self.classes = tuple(self._classes())
        self._by_sizes = {class_.sizes: class_ for class_ in self.classes}
        self._ordinal = [{square: number for number, square in enumerate(squares)} for squares in self.groups]

    def _classes(self) -> Iterator[Class]:
        start = 0
        for total in range(FEWEST, self.pieces + 1):
            found = [sizes for sizes in product(range(total), repeat=6) if self._exists(sizes, total)]
            # What a crowning or a capture leads to comes first.
            for sizes in sorted(found, key=lambda sizes: (sizes[0] + sizes[3], sizes)):
                ways = math.prod(math.comb(len(group), size) for group, size in zip(self.groups, sizes, strict=True))
                yield Class(sizes, start, start + ways)
                start += ways

    def _exists(self, sizes: Sizes, total: int) -> bool:
        fits = all(size <= len(group) for group, size in zip(self.groups, sizes, strict=True))
        return sum(sizes) == total and 0 < sum(sizes[:3]) < total and fits

    def pairs(self, pieces: int) -> Iterator[tuple[Class, ...]]:
        """Yield the classes with so many pieces, each with the one that its quiet moves lead to, in the order of building."""
        done: set[Sizes] = set()
        for class_ in self.classes:
            if class_.pieces == pieces and class_.sizes not in done:
                reply = self._by_sizes[class_.reply]
                done |= {class_.sizes, reply.sizes}
                yield (class_,) if reply is class_ else (class_, reply)

    def span(self, pieces: int) -> tuple[int, int]:
        """Return the first place of the positions with so many pieces and the one behind their last."""
        spans = [(class_.start, class_.stop) for class_ in self.classes if class_.pieces == pieces]
        return spans[0][0], spans[-1][1]

    def place_of(self, position: Position) -> int | None:
        """Return the place of a position; None if it has none. The readable twin of the kernel of that name."""
        squares: list[list[int]] = [[] for _ in GROUPS]
        last = len(position.cells) - 1
        for square in self.variant.board.playable:
            piece = position.at(square)
            if piece.colour is not None and piece.kind is not None:
                turned = position.side is Colour.BLACK
                group = (piece.colour ^ position.side) * 3 + KINDS.index(piece.kind)
                squares[group].append(last - square if turned else square)
        class_ = self._by_sizes.get(tuple(map(len, squares)))
        if class_ is None:
            return None
        local = 0
        for group, found in enumerate(squares):
            ordinals = sorted(self._ordinal[group].get(square, -1) for square in found)
            if ordinals[:1] == [-1]:
                return None
            rank = sum(math.comb(ordinal, number) for number, ordinal in enumerate(ordinals, 1))
            local = local * math.comb(len(self.groups[group]), len(found)) + rank
        return class_.start + local

    def memory(self, form: Form) -> Any:
        """Return the flat array that the kernels of the tables need."""
        layout, lists = layout_of(self.variant.board), list[int]()
        head = [0] * kernel.LISTS
        head[kernel.LIMIT], head[kernel.MOST_PIECES] = kernel.ORDINAL, self.pieces
        for n, k in product(range(128), range(8)):
            head[kernel.CHOOSE + n * 8 + k] = math.comb(n, k)
        for group, squares in enumerate(self.groups):
            bits = [layout.bit_of[square] for square in squares]
            for at in range(128):
                head[kernel.ORDINAL + group * 128 + at] = bits.index(at) if at in bits else -1
            for size in range(min(self.pieces, 5)):
                head[kernel.SETS_AT + group * 8 + size] = kernel.LISTS + len(lists)
                head[kernel.SIZES + group * 8 + size] = math.comb(len(bits), size)
                for chosen in _combinations(len(bits), size):
                    lists += _two_places(sum(1 << bits[number] for number in chosen), form)
        for class_ in self.classes:
            head[kernel.CLASS_AT + class_.key] = class_.start + 1
        self._add_unsteps(head, lists, form)
        return head + lists if form is PLAIN else np.array(head + lists, np.int64)

    def _add_unsteps(self, head: list[int], lists: list[int], form: Form) -> None:
        layout = layout_of(self.variant.board)
        for number, kind in enumerate(KINDS):
            steps = _steps_of(self.variant, piece_of(Colour.BLACK, kind))
            for at in range(128):
                head[kernel.UNSTEPS + number * 128 + at] = kernel.LISTS + len(lists)
                square = layout.square_of[at] if at < layout.width else -1
                for origin, between in steps.get(square, ()):
                    squares = _two_places(layout.bits(between), form)
                    lists += [layout.bit_of[origin], 0, *squares]
            head[kernel.UNSTEPS + number * 128 + 128] = kernel.LISTS + len(lists)


def _two_places(squares: int, form: Form) -> tuple[int, int]:
    word = word_of(squares, form)
    return word if isinstance(word, tuple) else (word, 0)


def _combinations(n: int, k: int) -> list[tuple[int, ...]]:
    """Return the sets of k numbers below n in the order of their ranks: by the highest number, then the next one."""
    return sorted(combinations(range(n), k), key=lambda chosen: chosen[::-1])


def _squares_of(variant: Variant, colour: Colour, kind: Kind) -> tuple[int, ...]:
    """Return where pieces of a group can stand: a man on its crowning square is a man no more."""
    if kind not in variant.movers:
        return ()
    promotion = variant.promotions.get(kind) if kind is Kind.MAN else None
    crowning = promotion.squares[colour] if promotion else frozenset[int]()
    return tuple(square for square in variant.board.playable if square not in crowning)


def _steps_of(variant: Variant, piece: Piece) -> dict[int, list[tuple[int, tuple[int, ...]]]]:
    """Return for each square the quiet moves that end there: origin, and the squares between that must be empty.

    Of a leap over own men nothing is said to be between: whether it is one is asked of the rules later.
    """
    tables = tables_of(variant)
    found: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for origin in variant.board.playable:
        for ray in tables.steps[piece][origin]:
            for distance, target in enumerate(ray):
                found.setdefault(target, []).append((origin, ray[:distance]))
        for ray in tables.linear[piece][origin]:
            for target in ray[1:]:
                found.setdefault(target, []).append((origin, ()))
    return found


@cache
def index_of(variant: Variant, pieces: int) -> TableIndex:
    """Return the index of a game's tables, made once."""
    return TableIndex(variant, pieces)


def pieces_on(position: Position) -> int:
    """Return the number of pieces on the board."""
    return len(position.cells) - position.cells.count(0)
