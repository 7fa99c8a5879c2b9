"""What the page shows: a pure reduction of the match's events. No server, no clock, no browser is needed to test it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from damludo.play.match.events import EventKind, MatchEvent
from damludo.rules.fen import parse_fen
from damludo.rules.game import Game
from damludo.rules.position import Colour, Position
from damludo.rules.traits import Variant
from damludo.rules.variants import variant

TRUST_THE_EYES_PLIES = 2
"""For so many plies the person at a simulated table is told how to move a disc."""


@dataclass(frozen=True, slots=True)
class Say:
    """The one sentence that tells the person what is to be done next.

    Attributes:
        text: the sentence.
        tone: "do" (it is up to the person), "wait", "ask", "alarm" or "over".
        choices: answers that may be given, id -> words.
    """

    text: str
    tone: str = "wait"
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Better:
    """A move that would have been legal, with the squares it goes over."""

    text: str
    squares: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulingShown:
    """Why the referee did not take a move; `texts` is the same as `text` in other languages."""

    title: str
    text: str
    article: str
    squares: tuple[str, ...]
    better: tuple[Better, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MoveLine:
    """One line of the list of moves."""

    ply: int
    side: str
    text: str
    notation: str
    seconds: float
    squares: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ClocksShown:
    """The players' clocks as they were at `time_s` of the match's clock."""

    white_s: float
    black_s: float
    running: str | None
    time_s: float


@dataclass(frozen=True, slots=True)
class Light:
    """A connection light: "good", "wait", "bad" or "none", and why."""

    state: str
    text: str


LIGHTS_OUT: Mapping[str, Light] = {
    "camera": Light("none", "not opened yet"),
    "gantry": Light("none", "not opened yet"),
    "engine": Light("none", "not asked yet"),
}


@dataclass(frozen=True, slots=True)
class PageState:
    """All that the events of a match leave to be shown.

    Attributes:
        variant, human, level: what is played.
        position: as the machine believes it.
        turn: whose it is; None before and after the game.
        say: what to do next; `resting` is what is said again when a hand has left, `turn_say` when all is as at the turn's begin.
        ruling: of the last board that was not a legal move.
        due, wrong: squares where something is to be done, or is not as it should be.
        claims: the person may claim a draw.
        begun_s: when the turn began.
        sets: after how many moves a person set the position, each time.
    """

    variant: Variant
    human: Colour
    level: int
    position: Position
    simulation: bool = False
    turn: Colour | None = None
    say: Say = Say("The table is made ready.")
    resting: Say = Say("The table is made ready.")
    turn_say: Say = Say("")
    ruling: RulingShown | None = None
    due: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    moves: tuple[MoveLine, ...] = ()
    clocks: ClocksShown | None = None
    lights: Mapping[str, Light] = field(default_factory=lambda: LIGHTS_OUT)
    racks: Mapping[str, int] = field(default_factory=lambda: {"white": 0, "black": 0})
    claims: bool = False
    hint: Better | None = None
    stopped: bool = False
    over: Mapping[str, str] | None = None
    begun_s: float = 0.0
    sets: tuple[int, ...] = ()

    @property
    def last(self) -> tuple[str, ...]:
        """The squares of the last move."""
        return self.moves[-1].squares if self.moves else ()

    @property
    def humans_turn(self) -> bool:
        """The person may move."""
        return self.turn is self.human and self.over is None


def waiting_state(game: Variant, human: Colour, level: int, *, simulation: bool) -> PageState:
    """Return what is shown before the first event of a match."""
    return PageState(game, human, level, Game.new(game).position, simulation)


def state_before_going_on(state: PageState, events: Sequence[MatchEvent]) -> PageState:
    """Return what is shown of a game that was cut off before it goes on: its board and moves; the table is made ready anew."""
    for event in events:
        state = state_after(state, event)
    idle = waiting_state(state.variant, state.human, state.level, simulation=state.simulation)
    clocks = None if state.clocks is None else replace(state.clocks, running=None)
    return replace(idle, position=state.position, moves=state.moves, sets=state.sets, racks=state.racks, clocks=clocks)


def state_after(state: PageState, event: MatchEvent) -> PageState:
    """Return the state after an event; a kind that changes nothing leaves it as it is."""
    step = _STEPS.get(event.kind)
    return state if step is None else step(state, event)


BETWEEN_TURNS: Mapping[str, Any] = {"turn": None, "ruling": None, "hint": None, "due": (), "wrong": ()}
"""What is not shown while it is nobody's turn."""
LOOKING = Say("I look at the board.")

Step = Callable[[PageState, MatchEvent], PageState]


def _saying(state: PageState, say: Say, **changes: Any) -> PageState:
    """Return the state with a sentence that lasts until another event."""
    return replace(state, say=say, resting=say, **changes)


def _names(values: object) -> tuple[str, ...]:
    return tuple(str(value) for value in values) if isinstance(values, Sequence) else ()


def _lit(state: PageState, **lights: Light) -> Mapping[str, Light]:
    return {**state.lights, **lights}


def _clocks(event: MatchEvent) -> ClocksShown | None:
    shown: Any = event.data.get("clocks")
    if not shown:
        return None
    return ClocksShown(float(shown["white_s"]), float(shown["black_s"]), shown["running"], event.time_s)


def _racks(event: MatchEvent) -> Mapping[str, int]:
    racks: Any = event.data["racks"]
    return {side: int(racks[side]) for side in ("white", "black")}


# --- the beginning ------------------------------------------------------------------------------------------------------------


def _preparing(state: PageState, event: MatchEvent) -> PageState:
    device = str(event.data.get("device", ""))
    light = Light(str(event.data.get("light", "wait")), event.text)
    lights = _lit(state, **{device: light}) if device in state.lights else state.lights
    return _saying(state, Say(event.text, str(event.data.get("tone", "wait"))), lights=lights)


def _resumed(state: PageState, event: MatchEvent) -> PageState:
    begun = _started(state, event)
    plies = int(str(event.data["ply"]))
    return replace(begun, moves=state.moves[:plies], sets=_sets_before(state, plies), clocks=_clocks(event))


def _started(state: PageState, event: MatchEvent) -> PageState:
    game = variant(str(event.data["game"]))
    human = Colour.WHITE if event.data["machine"] == "black" else Colour.BLACK
    level: Any = event.data.get("level", state.level)
    fresh = waiting_state(game, human, int(level), simulation=state.simulation)
    return _saying(
        fresh,
        Say("I look at the board."),
        position=parse_fen(game, str(event.data["fen"])),
        racks=_racks(event),
        lights=_lit(
            state,
            camera=Light("good", "sees the board"),
            gantry=Light("good", "ready"),
            engine=Light("good", f"level {level}"),
        ),
    )


def _board_wrong(state: PageState, event: MatchEvent) -> PageState:
    return _saying(state, Say(event.text, "do"), due=_names(event.data["squares"]))


def _board_right(state: PageState, event: MatchEvent) -> PageState:
    return _saying(state, Say(event.text), due=(), wrong=())


# --- turns and moves ----------------------------------------------------------------------------------------------------------


def _turn(state: PageState, event: MatchEvent) -> PageState:
    side = Colour.WHITE if event.data["side"] == "white" else Colour.BLACK
    human = side is state.human
    say = Say(_your_move(state, event) if human else event.text, "do" if human else "wait")
    engine = Light("good", f"level {state.level}") if human else Light("wait", "thinks")
    return _saying(
        state,
        say,
        turn=side,
        turn_say=say,
        due=(),
        wrong=(),
        ruling=None,
        hint=None,
        claims=human and bool(event.data.get("claims")),
        begun_s=event.time_s,
        clocks=_clocks(event),
        lights=_lit(state, engine=engine),
    )


def _your_move(state: PageState, event: MatchEvent) -> str:
    text = event.text
    if event.data.get("must_capture"):
        text = text.rstrip(".") + ": you must capture."
    if state.simulation and len(state.moves) < TRUST_THE_EYES_PLIES:
        text += " Drag one of your discs, here or in the picture."
    return text


def _move(state: PageState, event: MatchEvent) -> PageState:
    move: Any = event.data["move"]
    line = MoveLine(
        ply=int(str(event.data["ply"])),
        side=state.position.side.word,
        text=str(move["text"]),
        notation=str(move["notation"]),
        seconds=round(max(0.0, event.time_s - state.begun_s), 1),
        squares=(str(move["from"]), *_names(move["path"])),
    )
    return _saying(
        state,
        Say(event.text),
        position=parse_fen(state.variant, str(event.data["fen"])),
        moves=(*state.moves, line),
        racks=_racks(event),
        clocks=_clocks(event),
        **BETWEEN_TURNS,
        claims=False,
    )


def _taken_back(state: PageState, event: MatchEvent) -> PageState:
    plies = int(str(event.data["ply"]))
    return _elsewhere(state, event, moves=state.moves[:plies], sets=_sets_before(state, plies))


def _sets_before(state: PageState, plies: int) -> tuple[int, ...]:
    return tuple(ply for ply in state.sets if ply <= plies)


def _position_set(state: PageState, event: MatchEvent) -> PageState:
    return _elsewhere(state, event, sets=(*state.sets, int(str(event.data["ply"]))), claims=False)


def _elsewhere(state: PageState, event: MatchEvent, **changes: Any) -> PageState:
    """Return the state after an event that leads to a position in another way than by a move."""
    return _saying(
        state,
        Say(event.text),
        position=parse_fen(state.variant, str(event.data["fen"])),
        racks=_racks(event),
        clocks=_clocks(event),
        **BETWEEN_TURNS,
        **changes,
    )


def _taking_back(state: PageState, event: MatchEvent) -> PageState:
    return _saying(state, Say(event.text))


# --- the referee --------------------------------------------------------------------------------------------------------------


def _illegal(state: PageState, event: MatchEvent) -> PageState:
    squares = _names(event.data["squares"])
    ways: Any = event.data.get("better_squares", ())
    better = [Better(text, _names(way)) for text, way in zip(_names(event.data["better"]), ways, strict=False)]
    ruling = RulingShown(
        "This move is not legal",
        _sentence(event.text),
        str(event.data["article"]),
        squares,
        tuple(better),
        _texts(event),
    )
    say = Say("This move is not legal: please put the board back as it was, then move again.", "ask")
    return _saying(state, say, ruling=ruling, wrong=squares, due=())


def _unfinished(state: PageState, event: MatchEvent) -> PageState:
    due = _names(event.data.get("due", event.data["squares"]))
    article = str(event.data.get("article", ""))
    ruling = RulingShown("This move is not finished", _sentence(event.text), article, due, texts=_texts(event))
    return _saying(state, Say(_sentence(event.text), "ask"), ruling=ruling, due=due, wrong=())


def _put_back(state: PageState, event: MatchEvent) -> PageState:
    return _saying(state, Say(event.text, "do") if event.text else state.turn_say, due=(), wrong=(), ruling=None)


def _ask(state: PageState, event: MatchEvent) -> PageState:
    listed: Any = event.data.get("choices", ())
    choices = {str(choice["id"]): str(choice["text"]) for choice in listed}
    return _saying(state, Say(event.text, "ask", choices), due=_names(event.data.get("squares", ())), wrong=())


def _texts(event: MatchEvent) -> Mapping[str, str]:
    texts: Any = event.data.get("texts", {})
    return {str(language): _sentence(str(text)) for language, text in texts.items()}


def _sentence(text: str) -> str:
    """Return a text of the rules as a sentence: with a capital (but not of a square's name) and a full stop."""
    begun = text if text[1:2].isdigit() else text[:1].upper() + text[1:]
    return begun if begun.endswith((".", "!", "?")) else begun + "."


# --- hands, the carriage, STOP ------------------------------------------------------------------------------------------------


def _hand_in(state: PageState, _: MatchEvent) -> PageState:
    if state.stopped or not state.humans_turn:
        return state
    return replace(state, say=Say("I wait until your hand has left the board.", "wait", state.resting.choices))


def _hand_out(state: PageState, _: MatchEvent) -> PageState:
    if state.stopped:
        return state
    # In the person's turn a ruling follows, even if it is that nothing has changed.
    return replace(state, say=LOOKING if state.humans_turn else state.resting)


def _thinking(state: PageState, event: MatchEvent) -> PageState:
    return _saying(state, Say(event.text), lights=_lit(state, engine=Light("good", f"level {state.level}")))


def _intent(state: PageState, event: MatchEvent) -> PageState:
    return _saying(state, Say(event.text), lights=_lit(state, gantry=Light("wait", "moves")))


def _carried(state: PageState, _: MatchEvent) -> PageState:
    return _saying(
        state, Say("I look whether all discs have arrived."), lights=_lit(state, gantry=Light("good", "ready"))
    )


def _mismatch(state: PageState, event: MatchEvent) -> PageState:
    return _saying(state, Say(event.text))


def _verified(state: PageState, event: MatchEvent) -> PageState:
    return _saying(state, Say(event.text), due=(), wrong=())


def _waiting_for_hand(state: PageState, event: MatchEvent) -> PageState:
    if event.data["clear"]:
        return replace(state, say=state.resting)
    return replace(state, say=Say(event.text, "ask", {"go": "No hand is there: go on"}))


def _stopped(state: PageState, event: MatchEvent) -> PageState:
    if event.data.get("why") != "stop":
        return _saying(state, Say(_sentence(event.text), "over"), turn=None, over={"text": event.text, "reason": ""})
    say = Say(event.text, "alarm", {"go": "Go on"})
    # What was said before is said again when it goes on.
    return replace(state, say=say, stopped=True, lights=_lit(state, gantry=Light("bad", "stands still: STOP")))


def _going_on(state: PageState, _: MatchEvent) -> PageState:
    return replace(state, say=state.resting, stopped=False, lights=_lit(state, gantry=Light("good", "ready")))


# --- wishes, faults, the end --------------------------------------------------------------------------------------------------


def _hint(state: PageState, event: MatchEvent) -> PageState:
    return replace(state, hint=Better(event.text, _names(event.data["squares"])))


def _level(state: PageState, event: MatchEvent) -> PageState:
    level = int(str(event.data["level"]))
    return replace(state, level=level, lights=_lit(state, engine=Light("good", f"level {level}")))


def _note(state: PageState, event: MatchEvent) -> PageState:
    # A note passes: what is to be done next stands behind it and is said again after the next hand.
    say = Say(f"{event.text} {state.resting.text}" if state.turn is not None else event.text, state.resting.tone)
    clocks = None if "clocks" in event.data else state.clocks
    return replace(state, say=say, clocks=clocks)


def _fault(state: PageState, event: MatchEvent) -> PageState:
    device = str(event.data.get("device", ""))
    lights = _lit(state, **{device: Light("bad", event.text)}) if device in state.lights else state.lights
    return _saying(state, Say(event.text, "alarm"), lights=lights, turn=None)


def _result(state: PageState, event: MatchEvent) -> PageState:
    over = {"text": event.text, "reason": str(event.data["reason"]), "winner": str(event.data["winner"] or "")}
    clocks = None if state.clocks is None else replace(state.clocks, running=None)
    return _saying(state, Say(event.text, "over"), over=over, turn=None, clocks=clocks, ruling=None, due=(), wrong=())


_STEPS: Mapping[EventKind, Step] = {
    EventKind.PREPARING: _preparing,
    EventKind.STARTED: _started,
    EventKind.RESUMED: _resumed,
    EventKind.BOARD_WRONG: _board_wrong,
    EventKind.BOARD_RIGHT: _board_right,
    EventKind.TURN: _turn,
    EventKind.MOVE: _move,
    EventKind.TAKING_BACK: _taking_back,
    EventKind.TAKEN_BACK: _taken_back,
    EventKind.POSITION_SET: _position_set,
    EventKind.ILLEGAL: _illegal,
    EventKind.UNFINISHED: _unfinished,
    EventKind.PUT_BACK: _put_back,
    EventKind.ASK: _ask,
    EventKind.HAND_IN: _hand_in,
    EventKind.HAND_OUT: _hand_out,
    EventKind.THINKING: _thinking,
    EventKind.INTENT: _intent,
    EventKind.CARRIED: _carried,
    EventKind.MISMATCH: _mismatch,
    EventKind.VERIFIED: _verified,
    EventKind.WAITING_FOR_HAND: _waiting_for_hand,
    EventKind.STOPPED: _stopped,
    EventKind.GOING_ON: _going_on,
    EventKind.HINT: _hint,
    EventKind.LEVEL: _level,
    EventKind.NOTE: _note,
    EventKind.FAULT: _fault,
    EventKind.RESULT: _result,
}
