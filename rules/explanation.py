"""Verdicts as sentences for the person at the board, each tied to squares, in each of the languages."""

from collections.abc import Iterable, Mapping
from functools import reduce

from damludo.rules.geometry import Board
from damludo.rules.messages import Catalogue, catalogue, translated
from damludo.rules.moves import Move
from damludo.rules.position import Position
from damludo.rules.traits import InCapture, Variant
from damludo.rules.verdicts import (
    HandStays,
    Illegal,
    Legal,
    Nothing,
    Offence,
    OpponentDecides,
    Reason,
    Ruling,
    Unfinished,
)

SHOWN = 3
"""How many legal moves a sentence names."""

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

SENTENCES: Mapping[Reason, str] = {
    Reason.MUST_CAPTURE: "you must capture: {better}",
    Reason.KING_MUST_CAPTURE: "a king must capture when one can: {better}",
    Reason.MORE_KINGS: "you must capture the most kings: {better}",
    Reason.KING_EARLIER: "you must make the capture that meets a king earliest: {better}",
    Reason.MORE_VALUE: "you must make the capture of the greatest value: {better}",
    Reason.NOT_YOUR_DISC: "the disc on {first} is not yours; {better}",
    Reason.NO_DISC: "there is no disc on {first}; {better}",
    Reason.OCCUPIED: "{second} is occupied, {first} cannot move there; {better}",
    Reason.WRONG_DIRECTION: "the piece on {first} does not move in the direction of {second}; {better}",
    Reason.TOO_FAR: "{way} is too far for the piece on {first}; {better}",
    Reason.IN_THE_WAY: "{way}: a piece stands in the way; {better}",
    Reason.NOT_A_LINE: "{way}: no line of the board joins these squares; {better}",
    Reason.CANNOT_MOVE: "the piece on {first} cannot make the move {way}; {better}",
    Reason.CANNOT_CAPTURE_SO: "{way} does not capture {taken}; {better}",
    Reason.OTHER_WAY: "{way}: the capture goes another way; {better}",
    Reason.DISC_MISSING: "missing from the board: {squares}; please put back what was there",
    Reason.NO_CROWN_DUE: "no crown is due on {squares}; please take the second disc off",
    Reason.CROWN_LOST: "the king on {squares} has lost its second disc; please put it back",
    Reason.REMOVE_OTHER_STONE: "{squares} cannot be taken off now; {better}",
    Reason.TOUCHED_OTHER: "you touched {first}, so it must move and not {second}; {better}",
    Reason.SEVERAL_DISCS: "several discs have changed: {squares}; please put them back and move one",
}
"""What is said for each reason; CAPTURE_TOO_SMALL alone needs a number and is not here."""

CROWNING: Mapping[InCapture, str] = {
    InCapture.STOP: "A man that is crowned ends its move there.",
    InCapture.PASS: "A man that only passes a crowning square in a capture stays a man.",
    InCapture.GO_ON: "A man that reaches a crowning square in a capture is crowned at once and goes on as a king.",
}
"""The article on a crowning square that a capture meets before its end."""


def explain(verdict: Ruling, language: str = "en") -> str:
    """Return a verdict, or the ruling on a whole turn, as one sentence; a penalty is a second one.

    Raises:
        UnknownLanguage: there is no catalogue for it.
    """
    say = catalogue(language)
    match verdict:
        case Nothing():
            return say.text("nothing has changed: it is still your move")
        case Legal(move, board):
            return say.text("{move} is a legal move", move=text_of(board, move, language))
        case Unfinished():
            return _unfinished(say, verdict)
        case Illegal():
            return _illegal(say, verdict)
        case HandStays():
            return say.text("take your hand off the board: then the move counts")
        case OpponentDecides(squares, board):
            names = _all_of(say, _names(board, squares))
            return say.text("you touched {squares}: your opponent chooses which of them must move", squares=names)
        case Offence(squares, penalty, board):
            names = _all_of(say, _names(board, squares))
            touched = say.text("you touched {squares}, and no legal move begins there", squares=names)
            return f"{touched}. {translated(penalty.value, language)}"


def text_of(board: Board, move: Move, language: str = "en") -> str:
    """Return the move by names with every landing square."""
    if not move.path:
        return catalogue(language).text("taking off the stone on {square}", square=board.name(move.origin))
    return ("x" if move.captures else "-").join(board.name(square) for square in (move.origin, *move.path))


def crowning_article(variant: Variant, position: Position, move: Move) -> str | None:
    """Return the article on the crowning square that a man meets in a move; None if it meets none."""
    kind = position.at(move.origin).kind
    promotion = variant.promotions.get(kind) if kind else None
    if promotion is None or not move.path:
        return None
    squares = promotion.squares[position.side]
    if any(square in squares for square in move.path[:-1]):
        return CROWNING[promotion.in_capture]
    if move.target in squares and move.captures and promotion.in_capture is InCapture.STOP:
        return CROWNING[InCapture.STOP]
    return None


def _unfinished(say: Catalogue, verdict: Unfinished) -> str:
    board = verdict.board
    acts = []
    if verdict.continue_to:
        way = _joined(say, "{first}, then {second}", _names(board, verdict.continue_to))
        acts.append(say.text("go on from {square} to {squares}", square=board.name(verdict.at), squares=way))
    if verdict.discs_to_remove:
        acts.append(
            say.counted(
                "take the captured disc on {squares} off the board",
                "take the captured discs on {squares} off the board",
                len(verdict.discs_to_remove),
                squares=_all_of(say, _names(board, verdict.discs_to_remove)),
            )
        )
    if verdict.crown_missing:
        square = board.name(verdict.moves[0].target)
        if verdict.disc_left is not None:
            left = board.name(verdict.disc_left)
            acts.append(
                say.text(
                    "put the king's second disc, which is still on {left}, onto {square}", left=left, square=square
                )
            )
        elif verdict.moves[0].becomes:
            acts.append(say.text("put a second disc on {square}: the man becomes a king", square=square))
        else:
            acts.append(say.text("put a second disc on {square}: it is a king", square=square))
    return say.text(
        "{move} is not finished: please {acts}",
        move=text_of(board, verdict.moves[0], say.language),
        acts=_joined(say, "{first}, and {second}", acts),
    )


def _illegal(say: Catalogue, verdict: Illegal) -> str:
    board, better = verdict.board, _better(say, verdict)
    if verdict.reason is Reason.CAPTURE_TOO_SMALL:
        count = len(verdict.played.captures) if verdict.played else 0
        return say.counted(
            "you must capture the most: {better}, you took {number}",
            "you must capture the most: {better}, you took {number}",
            count,
            better=better,
            number=_number(say, count),
        )
    names = _names(board, verdict.squares)
    return say.text(
        SENTENCES[verdict.reason],
        first=names[0],
        second=names[1] if len(names) > 1 else "",
        way="-".join(names if verdict.reason is Reason.OTHER_WAY else names[:2]),
        taken=_all_of(say, names[2:]),
        squares=", ".join(names),
        better=better,
    )


def _better(say: Catalogue, verdict: Illegal) -> str:
    if not verdict.better:
        return say.text("there is no legal move")
    shown = [_with_count(say, verdict.board, move) for move in verdict.better[:SHOWN]]
    more = len(verdict.better) - len(shown)
    duty = verdict.played is not None
    moves = _joined(say, "{first} or {second}", shown) if duty else ", ".join(shown)
    if more:
        moves = say.counted("{moves} (and {count} more)", "{moves} (and {count} more)", more, moves=moves)
    return moves if duty else say.text("possible: {moves}", moves=moves)


def _with_count(say: Catalogue, board: Board, move: Move) -> str:
    text, count = text_of(board, move, say.language), len(move.captures)
    if not count or not move.path:
        return text
    return say.counted("{move} takes {number}", "{move} takes {number}", count, move=text, number=_number(say, count))


def _number(say: Catalogue, count: int) -> str:
    return say.text(NUMBERS[count - 1]) if 1 <= count <= len(NUMBERS) else str(count)


def _names(board: Board, squares: Iterable[int]) -> list[str]:
    return [board.name(square) for square in squares]


def _all_of(say: Catalogue, parts: list[str]) -> str:
    return _joined(say, "{first} and {second}", parts)


def _joined(say: Catalogue, pair: str, parts: list[str]) -> str:
    return reduce(lambda first, second: say.text(pair, first=first, second=second), parts) if parts else ""
