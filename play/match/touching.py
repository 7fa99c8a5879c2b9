"""The touch rule at the table: a touched disc must be moved, as far as the game and the players want it.

Only a disc that was surely lifted counts, and even then, unless the players chose to be strict, the person is asked: whoever
puts a disc straight breaks no rule.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from damludo.play.match.lookout import Lookout
from damludo.rules.actions import action_of
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.referee import Terms, Turn, rule_on
from damludo.rules.touching import Touch
from damludo.rules.verdicts import Illegal, OpponentDecides, Ruling
from damludo.vision.content import Content
from damludo.vision.touch import TouchEvidence, TouchKind

SURE_TOUCH = 0.995
"""A touch that is less sure binds nobody and is not asked about; where a game is only watched, it is told and nothing follows."""
STRAIGHTENED, TOUCHED = "straightened", "touched"
"""The answers to the question."""


class TouchMode(StrEnum):
    """What a touched disc means.

    `ASK` holds for the games that have the rule, `STRICT` for every game.
    """

    STRICT = "strict"
    ASK = "ask"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a person and the match agreed on about touched discs in one turn.

    Attributes:
        bound: the square of the disc that the person owned up to have touched.
        pardoned: discs were only put straight.
    """

    bound: int | None = None
    pardoned: bool = False


Touches = Callable[[Mapping[int, Content]], tuple[TouchEvidence, ...]]
"""Tells which discs were touched and stand where they stood; asked between a reading and the belief in it."""


def no_touches(_: Mapping[int, Content]) -> tuple[TouchEvidence, ...]:
    """Return none: eyes that see no touches."""
    return ()


class TouchRule:
    """Follows one person's turns.

    Args:
        mode: what a touched disc means.
        touches: tells of touched discs.
        agreed: what was agreed in the turn in which a game was cut off; it holds for the first turn.

    Attributes:
        mode: what a touched disc means.
        agreement: of this turn.
    """

    def __init__(
        self, mode: TouchMode = TouchMode.OFF, touches: Touches = no_touches, agreed: Agreement | None = None
    ) -> None:
        self.mode, self._touches = mode, touches
        self._first = agreed or Agreement()
        self.agreement = Agreement()
        self._touched: dict[int, None] = {}
        self._asked: Illegal | None = None

    def new_turn(self) -> None:
        """Forget what was touched."""
        self._touched.clear()
        self.agreement, self._first, self._asked = self._first, Agreement(), None

    def look(self, content: Mapping[int, Content]) -> None:
        """Take in what was touched, before the eyes believe that this content stands on the board."""
        self._asked = None
        if self.mode is not TouchMode.OFF:
            for touch in self._touches(content):
                # A disc that was only shifted may have met a sleeve.
                if touch.kind is TouchKind.LIFTED and touch.confidence >= SURE_TOUCH:
                    self._touched[touch.place] = None

    def breach(self, game: Game, move: Move) -> Illegal | None:
        """Return what stands against a legal move of another disc; None if nothing does.

        Of several touched discs any may move: where the law lets the opponent choose, the machine leaves that to the person.
        """
        if self.mode is TouchMode.OFF or self.agreement.pardoned:
            return None
        ruling = self._ruling(game, move, chosen=move.origin)
        if isinstance(ruling, OpponentDecides):
            ruling = self._ruling(game, move, chosen=ruling.squares[0])
        return ruling if isinstance(ruling, Illegal) else None

    def _ruling(self, game: Game, move: Move, chosen: int) -> Ruling:
        bound = self.agreement.bound
        squares = self._touched if bound is None else (bound,)
        turn = Turn(action_of(move), tuple(Touch(square) for square in squares), move.path)
        terms = Terms(touch_move=True if self.mode is TouchMode.STRICT else None)
        return rule_on(game.variant, game.position, turn, terms, chosen=chosen)

    def asks_about(self, breach: Illegal, lookout: Lookout) -> bool:
        """Ask whether the disc was only put straight; False where the rule is strict or the touch was owned up to."""
        if self.mode is TouchMode.STRICT or self.agreement.bound is not None:
            return False
        self._asked = breach
        first, second = (breach.board.name(square) for square in breach.squares)
        choices = {STRAIGHTENED: f"I only put {first} straight", TOUCHED: f"I take it back and move {first}"}
        lookout.ask("touch", f"You touched {first} and moved {second}. Did you only put {first} straight?", choices)
        return True

    def answer(self, choice: str) -> Illegal | None:
        """Take in an answer; return what stands against the move that lies on the board."""
        asked, self._asked = self._asked, None
        if asked is None:
            return None
        if choice == STRAIGHTENED:
            self.agreement = Agreement(pardoned=True)
            return None
        self.agreement = Agreement(bound=asked.squares[0])
        return asked
