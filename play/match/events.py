"""What a match tells: one kind of value for journal, terminal, page and voice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

JsonValue = None | bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]


class EventKind(StrEnum):
    """The kinds of events, as they stand in the journal."""

    PREPARING = "preparing"
    STARTED = "started"
    RESUMED = "resumed"
    BOARD_WRONG = "board_wrong"
    BOARD_RIGHT = "board_right"
    TURN = "turn"
    HAND_IN = "hand_in"
    HAND_OUT = "hand_out"
    MOVE = "move"
    ILLEGAL = "illegal"
    UNFINISHED = "unfinished"
    PUT_BACK = "put_back"
    ASK = "ask"
    ANSWERED = "answered"
    THINKING = "thinking"
    INTENT = "intent"
    CARRIED = "carried"
    MISMATCH = "mismatch"
    VERIFIED = "verified"
    WAITING_FOR_HAND = "waiting_for_hand"
    STOPPED = "stopped"
    GOING_ON = "going_on"
    TAKING_BACK = "taking_back"
    TAKEN_BACK = "taken_back"
    POSITION_SET = "position_set"
    HINT = "hint"
    LEVEL = "level"
    NOTE = "note"
    FAULT = "fault"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class MatchEvent:
    """One thing that happened.

    Attributes:
        kind: what.
        time_s: when, on the match's clock.
        text: one sentence for the person at the board; for some kinds the next thing to do.
        data: everything a program needs, as JSON.
    """

    kind: EventKind
    time_s: float
    text: str
    data: Mapping[str, JsonValue] = field(default_factory=dict)


Listener = Callable[[MatchEvent], None]
"""Gets every event in order, in the match's thread; must return quickly."""


def fan_out(listeners: Sequence[Listener]) -> Listener:
    """Return one listener that tells all; listeners added to the list later hear too."""

    def tell(event: MatchEvent) -> None:
        for listener in listeners:
            listener(event)

    return tell
