"""Verdicts as sentences for the person at the board, each tied to squares."""

from damludo.rules.geometry import Board
from damludo.rules.moves import Move
from damludo.rules.verdicts import Illegal, Legal, Nothing, Reason, Unfinished, Verdict

SHOWN = 3
"""How many legal moves a sentence names."""

_COUNT = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def explain(verdict: Verdict) -> str:
    """Return a verdict as one English sentence."""
    match verdict:
        case Nothing():
            return "nothing has changed: it is still your move"
        case Legal(move, board):
            return f"{text_of(board, move)} is a legal move"
        case Unfinished():
            return _unfinished(verdict)
        case Illegal():
            return _illegal(verdict)


def text_of(board: Board, move: Move) -> str:
    """Return the move by names with every landing square."""
    if not move.path:
        return f"taking off the stone on {board.name(move.origin)}"
    return ("x" if move.captures else "-").join(board.name(square) for square in (move.origin, *move.path))


def _unfinished(verdict: Unfinished) -> str:
    board = verdict.board
    wanted = []
    if verdict.continue_to:
        wanted.append(f"go on from {board.name(verdict.at)} to {_then(board, verdict.continue_to)}")
    if verdict.discs_to_remove:
        noun = "disc" if len(verdict.discs_to_remove) == 1 else "discs"
        wanted.append(f"take the captured {noun} on {_and(board, verdict.discs_to_remove)} off the board")
    if verdict.crown_missing:
        end = verdict.moves[0].target
        why = "the man becomes a king" if verdict.moves[0].becomes else "it is a king"
        wanted.append(f"put a second disc on {board.name(end)}: {why}")
    return f"{text_of(board, verdict.moves[0])} is not finished: please {', and '.join(wanted)}"


def _illegal(verdict: Illegal) -> str:
    board = verdict.board
    names = [board.name(square) for square in verdict.squares]
    better = _better(verdict)
    way = "-".join(names[:2])
    match verdict.reason:
        case Reason.MUST_CAPTURE:
            return f"you must capture: {better}"
        case Reason.CAPTURE_TOO_SMALL:
            return f"you must capture the most: {better}, you took {_taken(verdict)}"
        case Reason.KING_MUST_CAPTURE:
            return f"a king must capture when one can: {better}"
        case Reason.MORE_KINGS:
            return f"you must capture the most kings: {better}"
        case Reason.KING_EARLIER:
            return f"you must make the capture that meets a king earliest: {better}"
        case Reason.MORE_VALUE:
            return f"you must make the capture of the greatest value: {better}"
        case Reason.NOT_YOUR_DISC:
            return f"the disc on {names[0]} is not yours; {better}"
        case Reason.NO_DISC:
            return f"there is no disc on {names[0]}; {better}"
        case Reason.OCCUPIED:
            return f"{names[1]} is occupied, {names[0]} cannot move there; {better}"
        case Reason.WRONG_DIRECTION:
            return f"the piece on {names[0]} does not move in the direction of {names[1]}; {better}"
        case Reason.TOO_FAR:
            return f"{way} is too far for the piece on {names[0]}; {better}"
        case Reason.IN_THE_WAY:
            return f"{way}: a piece stands in the way; {better}"
        case Reason.NOT_A_LINE:
            return f"{way}: no line of the board joins these squares; {better}"
        case Reason.CANNOT_MOVE:
            return f"the piece on {names[0]} cannot make the move {way}; {better}"
        case Reason.CANNOT_CAPTURE_SO:
            return f"{way} does not capture {_and(board, verdict.squares[2:])}; {better}"
        case Reason.DISC_MISSING:
            return f"missing from the board: {', '.join(names)}; please put back what was there"
        case Reason.NO_CROWN_DUE:
            return f"no crown is due on {', '.join(names)}; please take the second disc off"
        case Reason.CROWN_LOST:
            return f"the king on {', '.join(names)} has lost its second disc; please put it back"
        case Reason.REMOVE_OTHER_STONE:
            return f"{', '.join(names)} cannot be taken off now; {better}"
        case Reason.TOUCHED_OTHER:
            return f"you touched {names[0]}, so it must move and not {names[1]}; {better}"
        case Reason.SEVERAL_DISCS:
            return f"several discs have changed: {', '.join(names)}; please put them back and move one"


def _better(verdict: Illegal) -> str:
    if not verdict.better:
        return "there is no legal move"
    shown = [_with_count(verdict.board, move) for move in verdict.better[:SHOWN]]
    more = len(verdict.better) - len(shown)
    tail = f" (and {more} more)" if more else ""
    duty = verdict.played is not None
    return (" or ".join(shown) if duty else f"possible: {', '.join(shown)}") + tail


def _with_count(board: Board, move: Move) -> str:
    if not move.captures or not move.path:
        return text_of(board, move)
    return f"{text_of(board, move)} takes {_number(len(move.captures))}"


def _taken(verdict: Illegal) -> str:
    return _number(len(verdict.played.captures)) if verdict.played else "fewer"


def _number(count: int) -> str:
    return _COUNT[count] if count < len(_COUNT) else str(count)


def _and(board: Board, squares: tuple[int, ...]) -> str:
    return " and ".join(board.name(square) for square in squares)


def _then(board: Board, squares: tuple[int, ...]) -> str:
    return ", then ".join(board.name(square) for square in squares)
