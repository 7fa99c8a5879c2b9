"""Carrying out the machine's move: carry, look, carry again what did not arrive, ask for what is still not right."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from damludo.play.content import board_content
from damludo.play.match.choreography import Choreography
from damludo.play.match.events import EventKind, JsonValue
from damludo.play.match.lookout import Lookout
from damludo.play.match.ports import Arm
from damludo.play.match.referee import READ_AGAIN, agrees, settle, wrong_squares
from damludo.robot.errors import Stopped
from damludo.robot.places import Transfer
from damludo.rules.game import Game
from damludo.rules.moves import play
from damludo.vision.content import Content
from damludo.vision.recognise import rank

CARRY_TRIES = 2
"""How often the robot tries to carry a disc that the camera did not see arrive."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One thing that the board may show after the robot's part: an `Outcome`.

    Attributes:
        missing: carryings that did not happen.
        finished: the human has done what was left for him.
        answered: the human has replied already.
    """

    content: Mapping[int, Content]
    log_prior: float
    missing: frozenset[int] = frozenset()
    finished: bool = False
    answered: bool = False


class Carrier:
    """Brings the machine's moves onto the board.

    Attributes:
        stopped: STOP was pressed and nobody has said "go" yet.
        busy: discs are being carried or looked for; False while a person was asked to finish what the machine could not.
    """

    def __init__(self, arm: Arm, lookout: Lookout) -> None:
        self._arm, self._lookout = arm, lookout
        self._in_mid_carry = False
        self.stopped = self.busy = False

    def note_stop(self) -> None:
        """Tell that STOP was pressed, unless that was told already."""
        if not self.stopped:
            self.stopped = True
            self._tell_stopped()

    def go(self) -> None:
        """Obey a "go"."""
        if not self._in_mid_carry:
            # STOP was pressed while nothing moved: it is lifted before the next carrying meets it.
            with contextlib.suppress(Stopped):
                self._arm.go_on()
        if self.stopped:
            self._lookout.tell(EventKind.GOING_ON, "I go on.")
        self.stopped = False

    def carry_out(self, plan: Choreography, text: str, promised: Game) -> bool:
        """Return when the board shows the move; True if the human has answered it already.

        Args:
            plan: the transfers.
            text: the move, for people.
            promised: the game after the move.
        """
        self.busy = True
        try:
            seen = self._carry_and_look(plan, text, promised)
        finally:
            self.busy = False
        if isinstance(seen, bool):
            return seen
        self._let_human_finish(plan, seen)
        return False

    def _carry_and_look(self, plan: Choreography, text: str, promised: Game) -> bool | Mapping[int, Content]:
        """Return whether the human has answered already, or the best guess of a board that is not right."""
        transfers = plan.transfers
        stands: Mapping[int, Content] = plan.content_without()
        for _ in range(CARRY_TRIES):
            self._carry(transfers, text)
            seen = self._what_stands(plan, promised)
            if seen is None:
                break
            stands = seen.content
            if not seen.missing:
                if plan.left_for_human and not seen.finished:
                    break
                self._lookout.believe(seen.content)
                self._lookout.tell(EventKind.VERIFIED, f"The board shows {text}.", move=text)
                return seen.answered
            if any(plan.carryings[number].transfer.target_discs for number in seen.missing):
                break  # a disc put on top of another one in doubt could be pressed on a third: a person looks first
            transfers = plan.again(seen.missing)
            missing = sorted(seen.missing)
            self._lookout.tell(EventKind.MISMATCH, "A disc did not arrive; I try once more.", missing=missing)
        return stands

    def _carry(self, transfers: Sequence[Transfer], text: str) -> None:
        steps: list[JsonValue] = [f"{t.source.name} -> {t.target.name}" for t in transfers]
        intent = f"I carry out {text}: keep your hands off the board."
        self._lookout.tell(EventKind.INTENT, intent, move=text, transfers=steps)
        try:
            self._arm.carry(transfers)
        except Stopped:
            self._stand_still()
        self._lookout.tell(EventKind.CARRIED, f"Carried {len(steps)} discs.", transfers=steps)

    def _stand_still(self) -> None:
        """After STOP nothing moves until a person says so."""
        self._in_mid_carry = True
        try:
            while True:
                self.note_stop()
                while self.stopped:
                    self._lookout.look()
                self._lookout.progress()
                with contextlib.suppress(Stopped):
                    self._arm.go_on()
                    return
        finally:
            self._in_mid_carry = False

    def _tell_stopped(self) -> None:
        text = "STOP: everything stands still. Say 'go' when it may go on."
        self._lookout.tell(EventKind.STOPPED, text, why="stop")

    def _what_stands(self, plan: Choreography, promised: Game) -> Guess | None:
        """Return what the board looks like after carrying; None when that is not clear.

        A fast human may have answered already: that is seen as the machine's move with a legal reply on top of it.
        """
        guesses = [Guess(plan.content_without(), 0.0)]
        guesses += [Guess(plan.content_without(missing), -3.0, missing) for missing in plan.possible_failures()]
        if plan.left_for_human:
            guesses.append(Guess(plan.final, -3.0, finished=True))
        else:
            variant, position = promised.variant, promised.position
            guesses += [
                Guess(board_content(variant.board.playable, play(variant, position, reply)), -4.0, answered=True)
                for reply in promised.legal_moves()
            ]
        for _ in range(1 + READ_AGAIN):
            self._lookout.wait_for_quiet()
            settled = settle(rank(self._lookout.read(), guesses))
            if settled.sure:
                return settled.outcome
            self._lookout.look_for(0.5)
        return None

    def let_human_do(self, plan: Choreography) -> None:
        """Ask a person to do the whole of a plan; return when the board shows it."""
        self._let_human_finish(plan, self._lookout.read().most_likely())

    def _let_human_finish(self, plan: Choreography, stands: Mapping[int, Content]) -> None:
        """Ask until the board is as it must be; `stands` is the best guess of what the robot left."""
        lookout = self._lookout
        while True:
            lookout.progress()
            seen = wrong_squares(lookout.read(), plan.final)
            undone = (square for square in plan.final if stands[square] is not plan.final[square])
            wrong = sorted({*seen, *undone})
            if plan.left_for_human:
                text = " ".join(plan.left_for_human)
            elif wrong:
                text = "Please help: " + lookout.duties(wrong, plan.final)
            else:
                wrong = [carrying.target for carrying in plan.carryings if carrying.target is not None]
                text = "I cannot see clearly what I did: please straighten the discs I moved."
            lookout.ask_to_put_right(text, wrong, plan.final)
            lookout.wait_for_hand()
            lookout.wait_for_quiet()
            if agrees(lookout.read(), plan.final):
                lookout.believe(plan.final)
                lookout.tell(EventKind.VERIFIED, "Thank you: the board is right.")
                return
