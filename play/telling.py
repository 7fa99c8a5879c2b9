"""What a match tells about rulings, and how a move stands in its events."""

from typing import cast

from damludo.play.events import EventKind, JsonValue
from damludo.play.lookout import Lookout
from damludo.play.referee import Ruling
from damludo.play.touching import Agreement
from damludo.rules.explanation import explain
from damludo.rules.geometry import Board
from damludo.rules.moves import Move
from damludo.rules.notation import move_json, move_text
from damludo.rules.position import Position
from damludo.rules.traits import Variant
from damludo.rules.verdicts import Illegal, Unfinished


def way(board: Board, move: Move) -> list[JsonValue]:
    """Return the names of the squares that a move goes over, in its order."""
    return [board.name(square) for square in (move.origin, *move.path)]


def move_data(variant: Variant, before: Position, move: Move) -> JsonValue:
    """Return a move as it stands in the events."""
    return cast(JsonValue, move_json(variant, before, move))


def tell_illegal(lookout: Lookout, variant: Variant, verdict: Illegal) -> None:
    """Tell why a move was not legal, and which ones are."""
    lookout.tell(
        EventKind.ILLEGAL,
        explain(verdict),
        reason=verdict.reason_code,
        article=verdict.article,
        squares=lookout.names(verdict.squares),
        better=[move_text(variant, move) for move in verdict.better],
        better_squares=[way(variant.board, move) for move in verdict.better],
    )


def tell_unfinished(lookout: Lookout, verdict: Unfinished) -> None:
    """Tell what is left to be done of a move."""
    crown = [verdict.moves[0].target] if verdict.crown_missing else []
    lookout.tell(
        EventKind.UNFINISHED,
        explain(verdict),
        article=verdict.article,
        squares=lookout.names(verdict.discs_to_remove),
        due=lookout.names({*verdict.discs_to_remove, *verdict.continue_to, *crown}),
    )


def tell_agreed(lookout: Lookout, board: Board, agreement: Agreement) -> None:
    """Note an answer about touched discs, for the journal: it binds beyond a power cut."""
    bound = None if agreement.bound is None else board.name(agreement.bound)
    lookout.tell(EventKind.ANSWERED, "", bound=bound, pardoned=agreement.pardoned)


def ask_to_straighten(lookout: Lookout, ruling: Ruling) -> None:
    """Ask for discs that can be seen more clearly."""
    names = ", ".join(str(name) for name in lookout.names(ruling.doubtful)) or "the board"
    lookout.tell(
        EventKind.ASK,
        f"I cannot see clearly what you did: please straighten the discs on {names}.",
        question="unsure",
        squares=lookout.names(ruling.doubtful),
        margin_nats=round(ruling.margin_nats, 1),
        gap_nats=round(ruling.gap_nats, 1),
    )
