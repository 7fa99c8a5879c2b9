"""What a player did to the board, as a verdict.

A verdict depends on the board that an action leaves, not on how it came about: two actions with the same outcome get the same
verdict, and a legal reading wins over an unfinished one, an unfinished one over an illegal one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from damludo.rules.actions import Action, between, board_after
from damludo.rules.geometry import ALL_DIRECTIONS, Step
from damludo.rules.moves import (
    Move,
    all_routes,
    capture_rank,
    cells_after,
    every_capture,
    legal_moves,
    quiet_moves,
)
from damludo.rules.notation import means
from damludo.rules.position import PIECES, Kind, Piece, Position, piece_of
from damludo.rules.tables import tables_of
from damludo.rules.traits import Preference, Variant
from damludo.rules.verdicts import Illegal, Legal, Nothing, Reason, Unfinished, Verdict

_REASON_OF_PREFERENCE = {
    Preference.MOST_PIECES: Reason.CAPTURE_TOO_SMALL,
    Preference.BY_KING: Reason.KING_MUST_CAPTURE,
    Preference.MOST_KINGS: Reason.MORE_KINGS,
    Preference.KING_EARLIEST: Reason.KING_EARLIER,
    Preference.MOST_VALUE: Reason.MORE_VALUE,
}


# One position is judged against hundreds of actions; these lists depend on values that never change.
_routes = lru_cache(maxsize=16)(all_routes)
_legal = lru_cache(maxsize=16)(legal_moves)
_quiet = lru_cache(maxsize=16)(quiet_moves)
_captures = lru_cache(maxsize=16)(every_capture)


@lru_cache(maxsize=16)
def _legal_boards(variant: Variant, position: Position) -> dict[bytes, Move]:
    """Return the board that each legal move leaves."""
    return {cells_after(position.cells, move): move for move in reversed(_legal(variant, position))}


def judge(variant: Variant, position: Position, action: Action, visited: tuple[int, ...] = ()) -> Verdict:
    """Return the verdict on an action of the side to move; `visited` as for `judge_board`."""
    return judge_board(variant, position, board_after(variant, position, action), visited)


def judge_board(variant: Variant, position: Position, cells: bytes, visited: tuple[int, ...] = ()) -> Verdict:
    """Return the verdict on the board that the side to move has left.

    Args:
        variant: the game.
        position: before the action.
        cells: after it; one byte a square, as in `Position.cells`.
        visited: squares where the moved disc is known to have been put down on its way, in order. They tell which of several
            moves was begun; a finished move is the same by whichever way it went.
    """
    if cells == position.cells:
        return Nothing(variant.board)
    move = _legal_boards(variant, position).get(cells)
    if move is not None:
        return Legal(move, variant.board)
    begun = _begun(position, cells, _routes(variant, position))
    if begun:
        begun = [part for part in begun if _leads_over(part.move, visited)] or begun
        least = min(begun, key=lambda part: part.left)
        moves = tuple({part.move.identity: part.move for part in sorted(begun, key=lambda part: part.left)}.values())
        return Unfinished(
            moves, least.discs, least.crown_missing, least.ahead, least.at, variant.board, least.disc_left
        )
    return _illegal(variant, position, cells)


def judge_attempt(variant: Variant, position: Position, squares: tuple[int, ...]) -> Verdict:
    """Return the verdict on a move that was said, not made: from, landing squares, to.

    Nobody says which discs are to be taken off: a move that begins or matches a legal one is taken for it.
    """
    if len(squares) == 1:
        squares = (squares[0], squares[0])
    origin, target = squares[0], squares[-1]
    routes = _routes(variant, position)
    ways = [move for move in routes if (move.origin, move.target) == (origin, target)]
    for move in ways:
        if means(move, squares) if move.path else len(set(squares)) == 1:
            return Legal(move, variant.board)
    for move in routes:
        if move.origin == origin and target in move.path[:-1]:
            jumps = move.path.index(target) + 1
            return Unfinished((move,), move.captures[jumps:], False, move.path[jumps:], target, variant.board)
    if any(move.captures for move in ways):
        return Illegal(Reason.OTHER_WAY, squares, tuple(ways), variant.board)
    return _wrong_move(variant, position, origin, target, frozenset(), said=True)


@dataclass(frozen=True, slots=True)
class _Part:
    """A move half done: what is left of it."""

    move: Move
    discs: tuple[int, ...]
    crown_missing: bool
    ahead: tuple[int, ...]
    at: int
    disc_left: int | None

    @property
    def left(self) -> int:
        """How many single acts are left."""
        return len(self.discs) + self.crown_missing + len(self.ahead)


def _begun(position: Position, cells: bytes, routes: Iterable[Move]) -> list[_Part]:
    """Return the moves of which `cells` is a part: the disc somewhere on its way, some captured discs gone."""
    parts = []
    for move in routes:
        if not move.captures and move.becomes is None and move.piece.kind is not Kind.KING:
            continue  # one act: done or not
        for landed in range(len(move.path), -1, -1):
            part = _part(position.cells, cells, move, landed)
            if part is not None:
                parts.append(part)
                break
    return parts


def _leads_over(move: Move, visited: tuple[int, ...]) -> bool:
    way = iter(move.path)
    return all(square in way for square in visited)


def _part(before: bytes, cells: bytes, move: Move, landed: int) -> _Part | None:
    """Return what is left of a move when `landed` of its landing squares are reached; None if the board says otherwise."""
    at = move.path[landed - 1] if landed else move.origin
    expected = bytearray(before)
    expected[move.origin] = 0
    expected[at] = move.piece
    crown_lost = move.piece.kind is Kind.KING and cells[at] == _uncrowned(move.piece)
    if landed and (crown_lost or (move.becomes is not None and cells[at] == move.becomes)):
        expected[at] = cells[at]
    parted = bool(landed) and crown_lost and at != move.origin and cells[move.origin] == cells[at]
    if parted:
        expected[move.origin] = cells[move.origin]
    discs = []
    for square in move.captures:
        if square == at:
            continue
        if cells[square] == before[square]:
            discs.append(square)
        else:
            expected[square] = 0
    if bytes(expected) != cells:
        return None
    crown_missing = crown_lost or (move.becomes is not None and cells[at] != move.becomes)
    disc_left = move.origin if parted else None
    return _Part(move, tuple(discs), crown_missing, move.path[landed:], at, disc_left)


def _uncrowned(king: Piece) -> Piece:
    return piece_of(king.colour, Kind.MAN) if king.colour is not None else king


def _illegal(variant: Variant, position: Position, cells: bytes) -> Illegal:
    """Return the verdict on a board that no legal move leads to, from what is different."""
    own = tables_of(variant).own[position.side]
    before = position.cells
    changed = [square for square in range(len(cells)) if before[square] != cells[square]]
    left = [square for square in changed if before[square] in own and cells[square] not in own]
    came = [square for square in changed if cells[square] in own and before[square] not in own]
    gone = [square for square in changed if before[square] and before[square] not in own and not cells[square]]
    strange = [square for square in changed if cells[square] and cells[square] not in own]
    if len(left) == len(came) == 1 and not strange and len(changed) == 2 + len(gone):
        return _one_disc_moved(variant, position, cells, left[0], came[0], frozenset(gone))
    if len(strange) == len(gone) == 1 and not left and not came:
        return _verdict(variant, position, Reason.NOT_YOUR_DISC, (gone[0], strange[0]))
    if not came and not strange and len(changed) == len(left) + len(gone):
        opening = variant.opening is not None and any(not move.path for move in _legal(variant, position))
        reason = Reason.REMOVE_OTHER_STONE if opening else Reason.DISC_MISSING
        return _verdict(variant, position, reason, tuple(changed))
    if all(before[square] in own and cells[square] in own for square in changed):
        lost = [square for square in changed if PIECES[before[square]].kind is Kind.KING]
        reason = Reason.CROWN_LOST if lost else Reason.NO_CROWN_DUE
        return _verdict(variant, position, reason, tuple(lost or changed))
    return _verdict(variant, position, Reason.SEVERAL_DISCS, tuple(changed))


def _one_disc_moved(
    variant: Variant, position: Position, cells: bytes, origin: int, target: int, gone: frozenset[int]
) -> Illegal:
    if position.cells[target]:
        return _verdict(variant, position, Reason.OCCUPIED, (origin, target))
    piece = position.at(origin)
    expected = tables_of(variant).crown[piece][target] or piece
    if cells[target] not in (piece, expected) and PIECES[cells[target]].kind is Kind.KING:
        uncrowned = bytearray(cells)
        uncrowned[target] = piece
        meant = _legal_boards(variant, position).get(bytes(uncrowned))
        if meant is not None:
            return Illegal(Reason.NO_CROWN_DUE, (target,), (meant,), variant.board)
    return _wrong_move(variant, position, origin, target, gone)


def _wrong_move(
    variant: Variant, position: Position, origin: int, target: int, gone: frozenset[int], said: bool = False
) -> Illegal:
    """Return why a move of one disc is not legal: a broken duty to capture first, then the geometry."""
    own = tables_of(variant).own[position.side]
    squares = (origin, target, *sorted(gone))
    if not position.cells[origin]:
        return _verdict(variant, position, Reason.NO_DISC, (origin,))
    if position.cells[origin] not in own:
        return _verdict(variant, position, Reason.NOT_YOUR_DISC, squares)
    if position.cells[target] and target != origin:
        return _verdict(variant, position, Reason.OCCUPIED, squares)
    passed_over = _less_preferred(variant, position, origin, target, gone, said)
    if passed_over is not None:
        return passed_over
    for move in _quiet(variant, position) if not gone and _captures(variant, position) else ():
        if (move.origin, move.target) == (origin, target):
            return _duty(variant, position, Reason.MUST_CAPTURE, squares, move)
    return _verdict(variant, position, _geometry(variant, position, origin, target, gone), squares)


def _less_preferred(
    variant: Variant, position: Position, origin: int, target: int, gone: frozenset[int], said: bool
) -> Illegal | None:
    """Return the verdict on a capture that would be complete if another one had no precedence."""
    for move in _captures(variant, position):
        if (move.origin, move.target) != (origin, target) or not (said or gone <= frozenset(move.captures)):
            continue
        best = _legal(variant, position)[0]
        for property_ in variant.preference:
            if capture_rank((property_,), position, move) < capture_rank((property_,), position, best):
                reason = _REASON_OF_PREFERENCE[property_]
                return _duty(variant, position, reason, (origin, target, *move.captures), move)
    return None


def _geometry(variant: Variant, position: Position, origin: int, target: int, gone: frozenset[int]) -> Reason:
    """Return why the way itself is wrong."""
    if gone:
        return Reason.CANNOT_CAPTURE_SO
    board, cells = variant.board, position.cells
    mover = variant.movers[position.at(origin).kind or Kind.MAN]
    if not mover.steps:
        return Reason.CANNOT_MOVE
    rays = [ray for step in _directions(variant) if target in (ray := board.ray(origin, step))]
    if not rays:
        return Reason.NOT_A_LINE
    allowed = tables_of(variant).steps[cells[origin]][origin]
    if not any(ray[0] == rays[0][0] for ray in allowed):
        return Reason.WRONG_DIRECTION
    if any(cells[square] for square in between(board, origin, target)):
        return Reason.IN_THE_WAY
    return Reason.TOO_FAR


def _directions(variant: Variant) -> tuple[Step, ...]:
    """Return the directions in which anything moves without capture in this game."""
    forwards = {step for mover in variant.movers.values() for step in mover.steps}
    return tuple(step for step in ALL_DIRECTIONS if step in forwards or (step[0], -step[1]) in forwards)


def _verdict(variant: Variant, position: Position, reason: Reason, squares: tuple[int, ...]) -> Illegal:
    legal = _legal(variant, position)
    of_this_disc = tuple(move for move in legal if move.origin == squares[0])
    return Illegal(reason, squares, of_this_disc or legal, variant.board)


def _duty(variant: Variant, position: Position, reason: Reason, squares: tuple[int, ...], played: Move) -> Illegal:
    better = _legal(variant, position)
    return Illegal(reason, squares, better, variant.board, played, variant.missed_capture_may_stand)
