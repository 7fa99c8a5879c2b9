"""Moves as text, and (from `fen.py`) positions as text. Hostile text ends in `BadMove`, in linear time."""

from collections.abc import Iterable

from damludo.rules.errors import BadMove, IllegalMove, NoSuchSquare
from damludo.rules.fen import format_fen, format_placement, parse_fen, read_square
from damludo.rules.moves import Move, all_routes, every_capture, legal_moves, quiet_moves
from damludo.rules.position import Position
from damludo.rules.traits import Variant

__all__ = [
    "format_fen",
    "format_placement",
    "matching_moves",
    "means",
    "move_json",
    "move_notation",
    "move_text",
    "parse_fen",
    "parse_move",
    "parse_squares",
    "parse_standing_move",
]

MAX_MOVE = 200
"""Longest text of a move that is read, in characters; a capture of 30 pieces on the largest board takes 124."""

_SEPARATORS = "-x:*×"
_REMOVE = "remove:"


def move_text(variant: Variant, move: Move) -> str:
    """Return the move by names with every landing square: "c3xe5xg7", "c3-d4"; "remove:d5" for a stone taken off."""
    name = variant.board.name
    if not move.path:
        return _REMOVE + name(move.origin)
    return ("x" if move.captures else "-").join(name(square) for square in (move.origin, *move.path))


def move_notation(variant: Variant, position: Position, move: Move) -> str:
    """Return the move as the game writes it, as short as is unambiguous: "22x15", "c3:g7"."""
    name = variant.board.own_name
    if not move.path:
        return _REMOVE + name(move.origin)
    rivals = [
        other
        for other in legal_moves(variant, position)
        if (other.origin, other.target) == (move.origin, move.target) and other.identity != move.identity
    ]
    squares = (move.origin, *move.path) if rivals else (move.origin, move.target)
    return (variant.capture_sign if move.captures else "-").join(name(square) for square in squares)


def move_json(variant: Variant, position: Position, move: Move) -> dict[str, object]:
    """Return the move in the form of the command line's JSON."""
    name = variant.board.name
    return {
        "text": move_text(variant, move),
        "notation": move_notation(variant, position, move),
        "from": name(move.origin),
        "to": name(move.target),
        "path": [name(square) for square in move.path],
        "captures": [name(square) for square in move.captures],
        "piece": move.piece.kind.value if move.piece.kind else None,
        "becomes": move.becomes.kind.value if move.becomes is not None and move.becomes.kind else None,
    }


def parse_move(variant: Variant, position: Position, text: str) -> Move:
    """Return the legal move that a text means.

    Read are "c3-d4", "c3d4", "22-17", "22x15", "c3xe5xg7", any part of the way that leaves one move ("c3xg7", "g7"). The sign
    between the squares does not matter.

    Raises:
        BadMove: the text cannot be read, or means several moves.
        IllegalMove: it can be read but no legal move is like it.
    """
    return _only(variant, text, matching_moves(variant, text, all_routes(variant, position)))


def parse_standing_move(variant: Variant, position: Position, text: str) -> Move:
    """Return the move that a text means among those that only the duty to capture, or which capture to make, stands against.

    Raises:
        BadMove: the text cannot be read, or means several moves.
        IllegalMove: no piece moves like that.
    """
    legal = {move.identity for move in legal_moves(variant, position)}
    movable = (*quiet_moves(variant, position), *every_capture(variant, position))
    moves = [move for move in movable if move.identity not in legal]
    return _only(variant, text, matching_moves(variant, text, moves))


def matching_moves(variant: Variant, text: str, moves: Iterable[Move]) -> tuple[Move, ...]:
    """Return those of `moves` that a text can mean, one for each identity; a move written in full excludes the others.

    Raises:
        BadMove: the text cannot be read.
    """
    squares = parse_squares(variant, text)
    found = [move for move in moves if means(move, squares)]
    exact = [move for move in found if (move.origin, *move.path) == squares]
    unique: dict[object, Move] = {}
    for move in exact or found:
        unique.setdefault(move.identity, move)
    return tuple(unique.values())


def _only(variant: Variant, text: str, moves: tuple[Move, ...]) -> Move:
    if not moves:
        raise IllegalMove(f"{text.strip()} is not a legal move here; see 'damludo explain' for the reason")
    if len(moves) > 1:
        ways = ", ".join(move_text(variant, move) for move in moves)
        raise BadMove(f"{text.strip()} can mean {ways[:300]}; write all landing squares")
    return moves[0]


def parse_squares(variant: Variant, text: str) -> tuple[int, ...]:
    """Return the squares that a move's text names, in order.

    Raises:
        BadMove: the text is too long, or something in it is not a square.
    """
    if len(text) > MAX_MOVE:
        raise BadMove(f"the move has {len(text)} characters, at most {MAX_MOVE} are read")
    bare = text.strip().lower().removeprefix(_REMOVE)
    if not bare:
        raise BadMove("the move is empty; write it like c3-d4 or 22-17")
    try:
        return tuple(read_square(variant, token) for token in _tokens(bare))
    except NoSuchSquare as error:
        raise BadMove(f"the move {text.strip()[:40]!r} cannot be read: {error}") from error


def _tokens(text: str) -> list[str]:
    """Cut at separators, and before each letter ("c3d4")."""
    tokens = [""]
    for letter in text:
        if letter in _SEPARATORS:
            tokens.append("")
        elif letter.isalpha() and tokens[-1]:
            tokens.append(letter)
        else:
            tokens[-1] += letter
    # A sign in front ("xd5") is allowed, one behind or two together are not.
    return tokens[1:] if len(tokens) > 1 and not tokens[0] else tokens


def means(route: Move, squares: tuple[int, ...]) -> bool:
    """Return whether squares that were named can mean a route: its end alone, or both ends and any part of the way between."""
    if len(squares) == 1:
        return route.target == squares[0]
    if route.origin != squares[0] or route.target != squares[-1]:
        return False
    if len(squares) == 2:
        return True
    way = iter(route.path[:-1])
    return all(square in way for square in squares[1:-1])  # a part of the way, in order
