"""What `moves.py` looks up instead of computing: the lines of each piece on each square, derived once from a variant's traits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from damludo.rules.geometry import ORTHOGONALS, Board, Step
from damludo.rules.position import PIECES, Colour, Kind, Piece, piece_of
from damludo.rules.traits import InCapture, Jump, Mover, Removal, Turning, Variant

TAKEN = 7
"""Marks a captured piece that still stands in the way: neither empty nor anybody's victim."""

Hop = tuple[int, tuple[int, ...]]
"""A square that may hold a victim, and the landing squares behind it, nearest first; never none."""

Line = tuple[int, frozenset[int], tuple[Hop, ...]]
"""A line to capture along: direction number, pieces it takes, hops from near to far (one for a short jump)."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Lookup tables; the outer index is the number of a piece, the inner one a square.

    Attributes:
        own: for each colour the numbers of its pieces.
        first: lines of the first jump of a move.
        later: lines of the following jumps.
        steps: lines of moves without capture (length 1 for a short step).
        linear: lines along which own men may be leapt without capture.
        leapt: for each piece which pieces it may leap in a linear move.
        crown: the piece that this one becomes on a square, 0 for none.
        crown_stops: the move ends where this piece is crowned.
        crown_goes_on: a piece crowned in mid-capture goes on as what it has become.
        barred: directions that must not follow a jump, by direction number; index -1 is the start of a move.
        mark: what a captured piece's square holds for the rest of the move.
    """

    own: tuple[frozenset[int], frozenset[int]]
    first: tuple[tuple[tuple[Line, ...], ...], ...]
    later: tuple[tuple[tuple[Line, ...], ...], ...]
    steps: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]
    linear: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]
    leapt: tuple[int, ...]
    crown: tuple[bytes, ...]
    crown_stops: tuple[bool, ...]
    crown_goes_on: tuple[bool, ...]
    barred: tuple[frozenset[int], ...]
    mark: int


@cache
def tables_of(variant: Variant) -> Tables:
    """Return the tables of a game, made at the first call."""
    directions = _directions(variant)
    white, black = (frozenset(int(piece_of(colour, kind)) for kind in variant.movers) for colour in Colour)
    return Tables(
        own=(white, black),
        first=_by_piece(variant, lambda piece, mover, at: _lines(variant, piece, mover.jumps, at, directions)),
        later=_by_piece(
            variant, lambda piece, mover, at: _lines(variant, piece, mover.later_jumps or mover.jumps, at, directions)
        ),
        steps=_by_piece(variant, lambda piece, mover, at: _steps(variant, piece, mover, at)),
        linear=_by_piece(variant, lambda piece, mover, at: _linear(variant, piece, mover, at)),
        leapt=tuple(int(piece_of(piece.colour, Kind.MAN)) if piece.colour is not None else 0 for piece in PIECES),
        crown=tuple(_crown(variant, piece) for piece in PIECES),
        crown_stops=tuple(_in_capture(variant, piece) is InCapture.STOP for piece in PIECES),
        crown_goes_on=tuple(_in_capture(variant, piece) is InCapture.GO_ON for piece in PIECES),
        barred=_barred(variant.turning, directions),
        mark=TAKEN if variant.removal is Removal.AT_END else 0,
    )


def neighbours(board: Board, square: int) -> tuple[int, ...]:
    """Return the orthogonal neighbours of a square."""
    return tuple(ray[0] for step in ORTHOGONALS if (ray := board.ray(square, step)))


_Lines = TypeVar("_Lines")


def _by_piece(
    variant: Variant, lines_at: Callable[[Piece, Mover, int], tuple[_Lines, ...]]
) -> tuple[tuple[tuple[_Lines, ...], ...], ...]:
    playable = frozenset(variant.board.playable)
    cells = range(variant.board.columns * variant.board.rows)
    by_piece = []
    for piece in PIECES:
        mover = variant.movers.get(piece.kind) if piece.kind else None
        by_piece.append(tuple(lines_at(piece, mover, at) if mover and at in playable else () for at in cells))
    return tuple(by_piece)


def _turned(variant: Variant, piece: Piece, step: Step) -> Step:
    """Return a mover's direction as White sees it."""
    assert piece.colour is not None
    return step[0], step[1] * variant.forward[piece.colour]


def _directions(variant: Variant) -> dict[Step, int]:
    jumps = [jump for mover in variant.movers.values() for jump in (*mover.jumps, *(mover.later_jumps or ()))]
    seen = {step for jump in jumps for step in jump.directions}
    both = sorted(seen | {(x, -y) for x, y in seen})
    return {step: number for number, step in enumerate(both)}


def _barred(turning: Turning, directions: dict[Step, int]) -> tuple[frozenset[int], ...]:
    everything = frozenset(directions.values())
    barred = []
    for (x, y), number in directions.items():
        if turning is Turning.STRAIGHT:
            barred.append(everything - {number})
        elif turning is Turning.NO_REVERSAL:
            barred.append(frozenset({directions[-x, -y]} if (-x, -y) in directions else ()))
        else:
            barred.append(frozenset())
    return (*barred, frozenset())


def _lines(
    variant: Variant, piece: Piece, jumps: tuple[Jump, ...], at: int, directions: dict[Step, int]
) -> tuple[Line, ...]:
    assert piece.colour is not None
    lines = []
    for jump in jumps:
        victims = frozenset(int(piece_of(piece.colour.other, kind)) for kind in jump.victims)
        for step in jump.directions:
            turned = _turned(variant, piece, step)
            ray = variant.board.ray(at, turned)
            hops = _hops(ray if jump.from_afar else ray[:2], jump.lands_far)
            if hops:
                lines.append((directions[turned], victims, hops))
    return tuple(lines)


def _hops(ray: tuple[int, ...], lands_far: bool) -> tuple[Hop, ...]:
    return tuple((over, ray[at + 1 :] if lands_far else ray[at + 1 : at + 2]) for at, over in enumerate(ray[:-1]))


def _steps(variant: Variant, piece: Piece, mover: Mover, at: int) -> tuple[tuple[int, ...], ...]:
    if not mover.steps_from_last_row and not variant.board.ray(at, _turned(variant, piece, (0, 1))):
        return ()
    rays = (variant.board.ray(at, _turned(variant, piece, step)) for step in mover.steps)
    return tuple(ray if mover.far_steps else ray[:1] for ray in rays if ray)


def _linear(variant: Variant, piece: Piece, mover: Mover, at: int) -> tuple[tuple[int, ...], ...]:
    if not mover.linear:
        return ()
    rays = (variant.board.ray(at, _turned(variant, piece, step)) for step in mover.steps)
    return tuple(ray for ray in rays if len(ray) >= 2)


def _crown(variant: Variant, piece: Piece) -> bytes:
    cells = bytearray(variant.board.columns * variant.board.rows)
    promotion = variant.promotions.get(piece.kind) if piece.kind else None
    if promotion and piece.colour is not None:
        for square in promotion.squares[piece.colour]:
            cells[square] = piece_of(piece.colour, promotion.becomes)
    return bytes(cells)


def _in_capture(variant: Variant, piece: Piece) -> InCapture | None:
    promotion = variant.promotions.get(piece.kind) if piece.kind else None
    return promotion.in_capture if promotion else None
