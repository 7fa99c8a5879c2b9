"""Looking, waiting and telling: what a match does while time passes, shared by its human's and its machine's turns."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from damludo.play.match.events import EventKind, JsonValue, Listener, MatchEvent
from damludo.play.match.ports import Clock, Commands, Eyes, Order
from damludo.rules.geometry import Board
from damludo.vision.content import LETTER_OF_CONTENT, Content
from damludo.vision.reading import BoardReading

HAND_FRAME_RATE_HZ = 15.0
"""How often the match looks while it waits for a human."""

CALM_LOOKS = 3
"""So many quiet pictures in a row are looked at before the board is read: fewer tell nothing of discs that were touched."""
SPEAK_OF_HAND_S = 15.0
"""A scene that was not quiet for so long is spoken of: the eyes may have taken something else for a hand."""


class Impatient(Exception):
    """Nothing happened for `patience_s`."""


class Lookout:
    """Eyes, commands and voice of a match.

    Attributes:
        obey: called with every command, in the match's thread.
        tick: called after every picture.
        hand_seen: a hand was there since this was last set to False.
        look_anew: makes the eyes take what they see next for a scene without a hand.
        interrupted: asked while waiting for a hand; True ends the waiting (a command decided the game).
    """

    def __init__(
        self, eyes: Eyes, clock: Clock, commands: Commands, listener: Listener, board: Board, patience_s: float
    ) -> None:
        self._eyes, self._clock, self._commands, self._listener = eyes, clock, commands, listener
        self._board, self._patience_s = board, patience_s
        self._progress_s = clock.now_s()
        self._hand = self.hand_seen = False
        self.obey: Callable[[Order], None] = lambda order: None
        self.tick: Callable[[], None] = lambda: None
        self.interrupted: Callable[[], bool] = lambda: False
        self.look_anew: Callable[[], None] = lambda: None
        self._spoke_of_hand = False

    # --- looking ----------------------------------------------------------------------------------------------------------------

    def read(self) -> BoardReading:
        """Return the reading of the newest quiet pictures."""
        return self._eyes.read()

    def believe(self, content: Mapping[int, Content]) -> None:
        """Take over what stands on the board."""
        self._eyes.believe(content)

    def look(self) -> bool:
        """Take one picture, obey what was typed; return True when the scene is quiet.

        Raises:
            Impatient: there was no progress for too long.
        """
        scene = self._eyes.look(HAND_FRAME_RATE_HZ)
        if scene.hand != self._hand:
            self._hand = scene.hand
            self.tell(EventKind.HAND_IN if scene.hand else EventKind.HAND_OUT, "")
        self.hand_seen = self.hand_seen or scene.hand
        order = self._commands.poll()
        if order is not None:
            self.obey(order)
        self.tick()
        if self._patience_s and self._clock.now_s() - self._progress_s > self._patience_s:
            raise Impatient(f"nothing happened for {self._patience_s:.0f} s")
        return scene.quiet

    def wait_for_quiet(self) -> None:
        """Wait until nothing moves and no hand is there for some pictures; after a while, say that it is waited for."""
        speak_s = self._clock.now_s() + SPEAK_OF_HAND_S
        quiet = 0
        while quiet < CALM_LOOKS:
            quiet = quiet + 1 if self.look() else 0
            if not quiet and not self._spoke_of_hand and self._clock.now_s() > speak_s:
                self._spoke_of_hand = True
                text = "I wait until your hand has left the board. If none is there, say 'go'."
                self.tell(EventKind.WAITING_FOR_HAND, text, clear=False)
        if self._spoke_of_hand:
            self._spoke_of_hand = False
            self.tell(EventKind.WAITING_FOR_HAND, "Thank you, I go on.", clear=True)

    def no_hand(self) -> None:
        """Be told by a person that no hand is there: if one is waited for, look anew."""
        if self._spoke_of_hand:
            self.look_anew()

    def wait_for_hand(self, at_most_s: float = math.inf) -> bool:
        """Wait until a hand came and return True; an interruption, or the time's end, returns too."""
        end = self._clock.now_s() + at_most_s
        while not self._hand and not self.interrupted() and self._clock.now_s() < end:
            self.look()
        return self._hand

    def look_for(self, seconds: float) -> None:
        """Go on looking for some time."""
        end = self._clock.now_s() + seconds
        while self._clock.now_s() < end:
            self.look()

    @property
    def now_s(self) -> float:
        """The time on the match's clock."""
        return self._clock.now_s()

    # --- telling ----------------------------------------------------------------------------------------------------------------

    def tell(self, kind: EventKind, text: str, **data: JsonValue) -> None:
        """Tell an event to everybody who listens."""
        self._listener(MatchEvent(kind, self._clock.now_s(), text, data))

    def ask(self, question: str, text: str, choices: Mapping[str, str], **data: JsonValue) -> None:
        """Ask for one of some choices; the answer comes as a command."""
        listed: list[JsonValue] = [{"id": key, "text": words} for key, words in choices.items()]
        self.tell(EventKind.ASK, text, question=question, choices=listed, **data)

    def progress(self) -> None:
        """Note that the match went on: patience begins anew."""
        self._progress_s = self._clock.now_s()

    def ask_to_put_right(self, text: str, squares: Sequence[int], wanted: Mapping[int, Content]) -> None:
        """Ask a person to make squares look as they must."""
        letters: dict[str, JsonValue] = {
            self._board.name(square): LETTER_OF_CONTENT[wanted[square]] for square in squares
        }
        self.tell(EventKind.ASK, text, question="finish", squares=list(letters), wanted=letters)

    def names(self, squares: Collection[int]) -> list[JsonValue]:
        """Return the names of squares, in the board's order."""
        return [self._board.name(square) for square in sorted(squares)]

    def duties(self, squares: Sequence[int], wanted: Mapping[int, Content]) -> str:
        """Return what has to be done on squares, in words; "" for none."""
        parts = [f"{self._board.name(square)} {_DUTY[wanted[square]]}" for square in squares]
        more = f" and {len(parts) - 6} more squares" if len(parts) > 6 else ""
        return ", ".join(parts[:6]) + more + ("." if parts else "")


_DUTY: Mapping[Content, str] = {
    Content.EMPTY: "must be empty",
    Content.WHITE_MAN: "needs a white man",
    Content.WHITE_KING: "needs a white king",
    Content.BLACK_MAN: "needs a black man",
    Content.BLACK_KING: "needs a black king",
}
