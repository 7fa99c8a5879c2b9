"""Legal moves: one capture recursion for all games, driven by the traits of the variant.

A capture is found by following lines. Whether a jump is short or flying, whether captured pieces leave at once, where a man is
crowned: all of it is in the tables made from the traits, so the recursion asks for no game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from damludo.rules.errors import BadPosition
from damludo.rules.position import PIECES, Kind, Piece, Position
from damludo.rules.tables import Line, Tables, neighbours, tables_of
from damludo.rules.traits import Preference, Variant

MAX_WAYS = 5_000
"""Most ways to capture that are followed in one position: games have some dozens, made-up positions any number."""

Identity = tuple[int, int, frozenset[int], Piece | None]


@dataclass(frozen=True, slots=True)
class Move:
    """A whole turn of one side.

    Attributes:
        origin: where the piece stood.
        path: landing squares in order; empty when a stone is only taken off in the opening of Hawaiian draughts.
        captures: captured squares in the order they are jumped.
        piece: the piece before the move.
        becomes: what it is afterwards, if that differs; None otherwise.
    """

    origin: int
    path: tuple[int, ...]
    captures: tuple[int, ...]
    piece: Piece
    becomes: Piece | None

    @property
    def target(self) -> int:
        """Where the piece ends; the origin when nothing travels."""
        return self.path[-1] if self.path else self.origin

    @property
    def identity(self) -> Identity:
        """What makes two moves the same: routes and orders of capture do not count."""
        return self.origin, self.target, frozenset(self.captures), self.becomes


def legal_moves(variant: Variant, position: Position) -> tuple[Move, ...]:
    """Return the legal moves of the side to move, each identity once, in a fixed order.

    Of several routes with one identity the first found is given; `all_routes` gives all.
    """
    moves = all_routes(variant, position)
    if len(moves) < 2 or not moves[0].captures:
        return moves
    unique: dict[Identity, Move] = {}
    for move in moves:
        unique.setdefault(move.identity, move)
    return tuple(unique.values())


def all_routes(variant: Variant, position: Position) -> tuple[Move, ...]:
    """Return the legal moves with every route of a capture as a move of its own, in a fixed order."""
    if variant.opening is not None:
        removals = _removals(variant, position)
        if removals:
            return removals
    captures = every_capture(variant, position)
    if captures:
        return captures if len(captures) == 1 else _preferred(variant, position, captures)
    return quiet_moves(variant, position)


def play(variant: Variant, position: Position, move: Move) -> Position:
    """Return the position after a move. Whether the move is legal is not looked at."""
    return Position(cells_after(position.cells, move), position.side.other)


def cells_after(cells: bytes, move: Move) -> bytes:
    """Return the cells after a move."""
    after = bytearray(cells)
    after[move.origin] = 0
    for square in move.captures:
        after[square] = 0
    if move.path:
        after[move.path[-1]] = move.becomes or move.piece
    return bytes(after)


def quiet_moves(variant: Variant, position: Position) -> tuple[Move, ...]:
    """Return the moves without capture, whether or not a capture is compulsory."""
    tables = tables_of(variant)
    cells = position.cells
    own = tables.own[position.side]
    moves = []
    for origin in [square for square in variant.board.playable if cells[square] in own]:
        code = cells[origin]
        crown = tables.crown[code]
        for ray in tables.steps[code][origin]:
            for target in ray:
                if cells[target]:
                    break
                becomes = crown[target]
                moves.append(Move(origin, (target,), (), PIECES[code], PIECES[becomes] if becomes else None))
        for ray in tables.linear[code][origin]:
            front = _front_of_line(cells, ray, tables.leapt[code])
            if front is not None:
                becomes = crown[front]
                moves.append(Move(origin, (front,), (), PIECES[code], PIECES[becomes] if becomes else None))
    return tuple(moves)


def _front_of_line(cells: bytes, ray: tuple[int, ...], leapt: int) -> int | None:
    """Return the empty square right in front of an unbroken line of `leapt` pieces; None if there is no line or no room."""
    for index, square in enumerate(ray):
        if cells[square] != leapt:
            return square if index and not cells[square] else None
    return None


def every_capture(variant: Variant, position: Position) -> tuple[Move, ...]:
    """Return every route of every complete capture, whichever of them is preferred.

    Raises:
        BadPosition: there are more than `MAX_WAYS`, as only a made-up position has.
    """
    tables = tables_of(variant)
    own = tables.own[position.side]
    cells = bytearray(position.cells)
    search = _Search(tables, cells, variant.may_stop)
    first = tables.first
    for origin in [square for square in variant.board.playable if cells[square] in own]:
        code = cells[origin]
        # The square that the capturer left counts as empty during its own move.
        cells[origin] = 0
        search.origin, search.piece = origin, code
        search.jump(code, first[code][origin], -1)
        cells[origin] = code
    return tuple(search.found)


class _Search:
    """The capture recursion. It plays the jumps on `cells` and takes each one back.

    Before `jump` is called, `origin` and `piece` say who captures, and the origin is empty.
    """

    __slots__ = ("captures", "cells", "found", "may_stop", "origin", "path", "piece", "tables")

    def __init__(self, tables: Tables, cells: bytearray, may_stop: bool) -> None:
        self.tables, self.cells, self.may_stop = tables, cells, may_stop
        self.found: list[Move] = []
        self.path: list[int] = []
        self.captures: list[int] = []
        self.origin = 0
        self.piece = 0

    def jump(self, code: int, lines: tuple[Line, ...], came_by: int) -> bool:
        """Follow all jumps from a square; return whether there is one."""
        cells = self.cells
        barred = self.tables.barred[came_by]
        jumped = False
        for direction, victims, hops in lines:
            for over, landings in hops:  # noqa: B007  (used behind the loop)
                if cells[over]:
                    break
            else:
                continue
            taken = cells[over]
            if taken not in victims or cells[landings[0]] or direction in barred:
                continue
            jumped = True
            cells[over] = self.tables.mark
            self.captures.append(over)
            self.land(code, landings, direction)
            self.captures.pop()
            cells[over] = taken
        return jumped

    def land(self, code: int, squares: tuple[int, ...], direction: int) -> None:
        """Try the landing squares behind a jumped piece, up to the next piece.

        Of several landing squares one must be chosen from which the capture goes on, if there is such a one.
        """
        tables, cells, path = self.tables, self.cells, self.path
        ends = []
        goes_on_somewhere = False
        for landing in squares:
            if cells[landing]:
                break
            crowned = tables.crown[code][landing]
            goes_on = False
            if not (crowned and tables.crown_stops[code]):
                rider = crowned if crowned and tables.crown_goes_on[code] else code
                path.append(landing)
                goes_on = self.jump(rider, tables.later[rider][landing], direction)
                path.pop()
            goes_on_somewhere |= goes_on
            if not goes_on or self.may_stop:
                ends.append((landing, crowned or code))
        if self.may_stop or not goes_on_somewhere:
            for landing, code_after in ends:
                self.record(landing, code_after)

    def record(self, landing: int, code: int) -> None:
        """Keep a complete capture that ends on `landing`."""
        if len(self.found) >= MAX_WAYS:
            raise BadPosition(f"there are more than {MAX_WAYS} ways to capture here; no game leads to such a position")
        self.found.append(
            Move(
                self.origin,
                (*self.path, landing),
                tuple(self.captures),
                PIECES[self.piece],
                PIECES[code] if code != self.piece else None,
            )
        )


def _preferred(variant: Variant, position: Position, captures: tuple[Move, ...]) -> tuple[Move, ...]:
    """Return the captures whose rank is greatest: only these are legal."""
    if not variant.preference:
        return captures
    ranks = [capture_rank(variant.preference, position, move) for move in captures]
    best = max(ranks)
    return tuple(move for move, rank in zip(captures, ranks, strict=True) if rank == best)


def capture_rank(preference: Iterable[Preference], position: Position, move: Move) -> tuple[tuple[int, ...], ...]:
    """Return the rank of a capture; ranks compare as tuples."""
    return tuple(_MEASURES[property_](position, move) for property_ in preference)


def _kings_on_the_way(position: Position, move: Move) -> tuple[int, ...]:
    """1 for a king, 0 for another piece, in the order of capture: the greater tuple meets a king earlier."""
    return tuple(int(position.at(square).kind is Kind.KING) for square in move.captures)


def _value(position: Position, move: Move) -> tuple[int, int]:
    """A king is worth two men less a trifle: of equal sums the one with fewer kings has lost fewer trifles."""
    kings = sum(_kings_on_the_way(position, move))
    return len(move.captures) + kings, -kings


_MEASURES: Mapping[Preference, Callable[[Position, Move], tuple[int, ...]]] = {
    Preference.MOST_PIECES: lambda position, move: (len(move.captures),),
    Preference.BY_KING: lambda position, move: (int(move.piece.kind is Kind.KING),),
    Preference.MOST_KINGS: lambda position, move: (sum(_kings_on_the_way(position, move)),),
    Preference.KING_EARLIEST: _kings_on_the_way,
    Preference.MOST_VALUE: _value,
}


def _removals(variant: Variant, position: Position) -> tuple[Move, ...]:
    """Return the removals that open the game: due on a full board and on a board with one hole."""
    assert variant.opening is not None
    cells, board = position.cells, variant.board
    holes = [square for square in board.playable if not cells[square]]
    if len(holes) > 1:
        return ()
    squares = neighbours(board, holes[0]) if holes else variant.opening.first
    own = tables_of(variant).own[position.side]
    return tuple(
        Move(square, (), (square,), position.at(square), None) for square in sorted(squares) if cells[square] in own
    )
