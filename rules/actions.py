"""What a player can have done to the board: legal moves, unfinished ones, and the mistakes people make."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from damludo.rules.geometry import ALL_DIRECTIONS, Board
from damludo.rules.moves import Move, all_routes, every_capture
from damludo.rules.position import PIECES, Kind, Position, piece_of
from damludo.rules.tables import tables_of
from damludo.rules.traits import Variant

ALL_SUBSETS_UP_TO = 3
"""For captures of at most so many discs any of them may be forgotten; for longer ones all, one, or all but one."""


@dataclass(frozen=True, slots=True)
class Action:
    """What a player did between two looks at the board.

    Attributes:
        origin: where a disc was taken up; None when none was moved.
        target: where it was put down; None when none was moved.
        removed: squares whose discs were taken off the board.
        crowned: a second disc was put on the moved one.
        parted: of a king only one disc was moved; the other one still lies where it stood.
    """

    origin: int | None = None
    target: int | None = None
    removed: frozenset[int] = frozenset()
    crowned: bool = False
    parted: bool = False


NO_ACTION = Action()


def action_of(move: Move) -> Action:
    """Return the complete action of a move."""
    if not move.path:
        return Action(removed=frozenset(move.captures))
    return Action(move.origin, move.target, frozenset(move.captures), _needs_crown(move))


def board_after(variant: Variant, position: Position, action: Action) -> bytes:
    """Return the cells after an action, legal or not.

    A piece that becomes a man by landing (a parachutist) does so here too: no second disc shows it.
    """
    cells = bytearray(position.cells)
    for square in action.removed:
        cells[square] = 0
    if action.origin is None or action.target is None:
        return bytes(cells)
    piece = position.at(action.origin)
    cells[action.origin] = 0
    becomes: int = piece
    if piece.colour is not None:
        landed = tables_of(variant).crown[piece][action.target]
        if landed and PIECES[landed].kind is Kind.MAN:
            becomes = landed
        if action.crowned:
            becomes = piece_of(piece.colour, Kind.KING)
        if action.parted:
            becomes = cells[action.origin] = piece_of(piece.colour, Kind.MAN)
    cells[action.target] = becomes
    return bytes(cells)


def possible_actions(variant: Variant, position: Position) -> tuple[Action, ...]:
    """Return what a player can plausibly have done, one action for each board it leaves, in a fixed order.

    Nothing; every legal move; each legal move unfinished; a king of which one disc was left behind; captures that another one has
    precedence over; every own disc to any empty square, also with a disc taken that stood between; a disc of the opponent moved;
    a disc missing.
    """
    by_board: dict[bytes, Action] = {}
    for action in _all_actions(variant, position):
        by_board.setdefault(board_after(variant, position, action), action)
    return tuple(by_board.values())


def _all_actions(variant: Variant, position: Position) -> Iterator[Action]:
    yield NO_ACTION
    routes = all_routes(variant, position)
    yield from map(action_of, routes)
    for route in routes:
        yield from _unfinished(route)
        yield from _parted(route)
    for capture in every_capture(variant, position):
        yield from _forgetful(capture)
    for route in routes:
        if route.path and route.becomes is None and route.piece.kind is Kind.MAN and Kind.KING in variant.movers:
            yield Action(route.origin, route.target, frozenset(route.captures), crowned=True)
    yield from _displaced(variant, position)
    for square in variant.board.playable:
        if position.cells[square]:
            yield Action(removed=frozenset({square}))


def _needs_crown(move: Move) -> bool:
    return move.becomes is not None and move.becomes.kind is Kind.KING


def _forgetful(move: Move) -> Iterator[Action]:
    """The move with captured discs or the crown forgotten."""
    for removed in _removed_of(move.captures):
        yield Action(move.origin, move.target, removed, _needs_crown(move))
        if _needs_crown(move):
            yield Action(move.origin, move.target, removed)


def _unfinished(move: Move) -> Iterator[Action]:
    if not move.path:
        return
    yield from _forgetful(move)
    for jumps, square in enumerate(move.path[:-1], 1):
        yield Action(move.origin, square, frozenset(move.captures[:jumps]))
        yield Action(move.origin, square)
    if move.captures:
        # Some take the discs off first and move afterwards.
        yield Action(removed=frozenset(move.captures))


def _parted(move: Move) -> Iterator[Action]:
    """The move of a king that left one of its discs behind, before or after the captured discs are taken off."""
    if move.path and move.piece.kind is Kind.KING and move.target != move.origin:
        for removed in dict.fromkeys((frozenset(move.captures), frozenset[int]())):
            yield Action(move.origin, move.target, removed, parted=True)


def _removed_of(captures: tuple[int, ...]) -> Iterator[frozenset[int]]:
    """The sets of discs that may be gone: all of them first."""
    everything = frozenset(captures)
    yield everything
    count = len(everything)
    sizes: Iterable[int] = range(count) if count <= ALL_SUBSETS_UP_TO else (0, 1, count - 1)
    for size in sizes:
        for removed in combinations(sorted(everything), size):
            yield frozenset(removed)


def _displaced(variant: Variant, position: Position) -> Iterator[Action]:
    board, cells = variant.board, position.cells
    own = tables_of(variant).own[position.side]
    empty = [square for square in board.playable if not cells[square]]
    for origin in board.playable:
        if not cells[origin]:
            continue
        if cells[origin] in own:
            for target in empty:
                yield Action(origin, target)
                for over in between(board, origin, target):
                    if cells[over] and cells[over] not in own:
                        yield Action(origin, target, frozenset({over}))
        else:
            near = {ray[0] for step in ALL_DIRECTIONS if (ray := board.ray(origin, step))}
            near |= {ray[1] for step in ALL_DIRECTIONS if len(ray := board.ray(origin, step)) > 1}
            for target in empty:
                if target in near:
                    yield Action(origin, target)


def between(board: Board, origin: int, target: int) -> tuple[int, ...]:
    """Return the squares strictly between two squares of one row, file or diagonal; none if they lie on no such line."""
    ranks, files = (
        there - here for there, here in zip(divmod(target, board.columns), divmod(origin, board.columns), strict=True)
    )
    if 0 not in (ranks, files) and abs(ranks) != abs(files):
        return ()
    steps = max(abs(ranks), abs(files))
    step = (target - origin) // steps if steps else 0
    return tuple(origin + step * count for count in range(1, steps))
