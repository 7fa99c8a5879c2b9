"""The match: a loop over states, with everything it needs behind ports.

In doubt the match asks; it never makes a move that was not seen clearly, never punishes, and never moves the robot over a hand.
"""

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import cast

from damludo.engine.port import Player
from damludo.play.choreography import Choreography, Racks, choreograph, racks_after_human
from damludo.play.content import board_content
from damludo.play.events import EventKind, JsonValue, Listener, MatchEvent
from damludo.play.ports import Arm, Clock, Command, Commands, Eyes
from damludo.play.referee import Ruling, agrees, contradicted_squares, rule, settle, wrong_squares
from damludo.robot.errors import Stopped
from damludo.robot.places import TableLayout, Transfer
from damludo.rules.ending import Result
from damludo.rules.errors import IllegalMove
from damludo.rules.explanation import explain
from damludo.rules.fen import format_fen
from damludo.rules.game import Game
from damludo.rules.moves import Move, legal_moves, play
from damludo.rules.notation import move_json, move_text
from damludo.rules.position import Colour
from damludo.rules.verdicts import Illegal, Legal, Nothing, Unfinished
from damludo.vision.content import LETTER_OF_CONTENT, Content
from damludo.vision.reading import BoardReading
from damludo.vision.recognise import rank

HAND_FRAME_RATE_HZ = 15.0
"""How often the match looks while it waits for a human."""
READ_AGAIN = 3
"""An unclear reading is repeated this often, on fresh pictures, before a person is asked."""
IDLE_CHECK_S = 3.0
"""While no hand is noticed the board is still read this often: a hand may have been too quick to be noticed."""
STRANGE_LOOKS = 4
"""Squares that do not hold what the match believes are named after so many looks without a hand."""
CARRY_TRIES = 2
"""How often the robot tries to carry a disc that the camera did not see arrive."""


class State(Enum):
    """Where the match is."""

    SETTING_UP = "setting up"
    NEXT_TURN = "next turn"
    HUMAN_TO_MOVE = "human to move"
    MACHINE_TO_MOVE = "machine to move"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """What one match is about.

    Attributes:
        game: the game at its first position (or any other that stands on the board).
        machine: the side the machine plays.
        layout: where squares and racks are.
        racks: discs that lie in the racks at the start.
        patience_s: a match that saw no progress for this long ends unfinished (0: waits for ever).
    """

    game: Game
    machine: Colour
    layout: TableLayout
    racks: Racks
    patience_s: float = 0.0


class Impatient(Exception):
    """Nothing happened for `patience_s`."""


class Quit(Exception):
    """A person ended the match."""


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


class Match:
    """One game over the board. Plain synchronous code: `run` returns when the game is over."""

    def __init__(
        self,
        settings: MatchSettings,
        eyes: Eyes,
        player: Player,
        arm: Arm,
        clock: Clock,
        commands: Commands,
        listener: Listener,
    ) -> None:
        self._settings, self._eyes, self._player, self._arm = settings, eyes, player, arm
        self._clock, self._commands, self._listener = clock, commands, listener
        self._progress_s = clock.now_s()
        self._hand = False
        self._resigned: Colour | None = None
        self._draw_claimed = False
        self.stopped = False
        self._answered = False
        self._strange_looks = 0
        self._ruled: Mapping[int, Content] | None = None
        self._promised = settings.game.position
        self.game = settings.game
        self.racks = settings.racks
        self.state = State.SETTING_UP
        self._steps: Mapping[State, Callable[[], State]] = {
            State.SETTING_UP: self._set_up,
            State.NEXT_TURN: self._next_turn,
            State.HUMAN_TO_MOVE: self._human_turn,
            State.MACHINE_TO_MOVE: self._machine_turn,
        }

    def run(self) -> Result | None:
        """Play until the game is over; None when it was ended before that.

        Raises:
            VisionError, RobotError: a device failed; the journal holds the game up to there.
        """
        try:
            while self.state is not State.FINISHED:
                self.state = self._steps[self.state]()
        except (Impatient, Quit) as reason:
            self._tell(EventKind.STOPPED, str(reason))
            return None
        return self._result()

    # --- setting up -------------------------------------------------------------------------------------------------------------

    def _set_up(self) -> State:
        variant = self.game.variant
        self._tell(
            EventKind.STARTED,
            f"{variant.names['en']}: the machine plays {self._settings.machine.word}.",
            game=variant.key,
            machine=self._settings.machine.word,
            fen=format_fen(variant, self.game.position),
        )
        start = self._content()
        told: tuple[int, ...] | None = None
        while True:
            self._wait_for_quiet()
            reading = self._eyes.read()
            if agrees(reading, start):
                self._tell(EventKind.BOARD_RIGHT, "All discs are where the game begins.")
                self._eyes.believe(start)
                return State.NEXT_TURN
            wrong = wrong_squares(reading, start)
            if wrong != told:
                told = wrong
                text = "Set up the board: " + self._duties(wrong, start)
                self._tell(EventKind.BOARD_WRONG, text, squares=self._names(wrong))
            self._wait_for_hand(IDLE_CHECK_S)

    def _next_turn(self) -> State:
        if self._result() is not None:
            return self._finish()
        side = self.game.position.side
        machine = side is self._settings.machine
        self._progress()
        text = "The machine thinks." if machine else f"Your move, {side.word}."
        self._tell(EventKind.TURN, text, side=side.word, ply=len(self.game.moves) + 1)
        return State.MACHINE_TO_MOVE if machine else State.HUMAN_TO_MOVE

    def _finish(self) -> State:
        result = self._result()
        assert result is not None
        winner = None if result.winner is None else result.winner.word
        text = f"{winner.capitalize()} wins. {result.reason}" if winner else f"Draw. {result.reason}"
        self._tell(EventKind.RESULT, text, winner=winner, reason=result.reason, plies=len(self.game.moves))
        return State.FINISHED

    def _result(self) -> Result | None:
        if self._resigned is not None:
            return Result(self._resigned.other, f"{self._resigned.word.capitalize()} resigned.")
        claims = self.game.draw_claims()
        # The machine claims every draw it may claim, on its own turn; the human claims with a command.
        if claims and (self._draw_claimed or self.game.position.side is self._settings.machine):
            return Result(None, claims[0])
        return self.game.result()

    # --- the human's turn -------------------------------------------------------------------------------------------------------

    def _human_turn(self) -> State:
        hand_came = self._answered or self._wait_for_hand(IDLE_CHECK_S)
        self._answered = False
        self._wait_for_quiet()
        if self._resigned is not None or self._draw_claimed:
            return State.NEXT_TURN if self._result() is not None else State.HUMAN_TO_MOVE
        if hand_came:
            ruling = self._clear_ruling()
        else:
            reading = self._eyes.read()
            ruling = rule(self.game, reading)
            if not ruling.sure or isinstance(ruling.verdict, Nothing) or ruling.content == self._ruled:
                # What was ruled on was said already.
                if not (ruling.sure and isinstance(ruling.verdict, Illegal | Unfinished)):
                    self._notice_strange_board(reading)
                return State.HUMAN_TO_MOVE
        self._strange_looks = 0
        if not ruling.sure:
            self._ask_about(ruling)
            return State.HUMAN_TO_MOVE
        self._ruled = ruling.content
        self._eyes.believe(ruling.content)
        return self._apply(ruling)

    def _notice_strange_board(self, reading: BoardReading) -> None:
        """Say so when nobody moves and some squares, look after look, do not hold what the match believes.

        Without this two people would wait for each other: the match for a move, and the human for a crown or a disc which the
        match believes to be there.
        """
        content = self._content()
        wrong = contradicted_squares(reading, content)
        self._strange_looks = self._strange_looks + 1 if wrong else 0
        if self._strange_looks != STRANGE_LOOKS:
            return
        wanted: dict[str, JsonValue] = {
            self.game.variant.board.name(square): LETTER_OF_CONTENT[content[square]] for square in wrong
        }
        text = "Before you move, please look at the board: " + self._duties(wrong, content)
        self._tell(EventKind.ASK, text, question="finish", squares=list(wanted), wanted=wanted)

    def _clear_ruling(self) -> Ruling:
        ruling = rule(self.game, self._eyes.read())
        for _ in range(READ_AGAIN):
            if ruling.sure:
                break
            self._look_for(0.5)
            self._wait_for_quiet()
            ruling = rule(self.game, self._eyes.read())
        return ruling

    def _apply(self, ruling: Ruling) -> State:
        verdict, variant = ruling.verdict, self.game.variant
        if isinstance(verdict, Legal):
            self.racks = racks_after_human(self.game.position, verdict.move, self.racks)
            self._make(verdict.move, "human", ruling.margin_nats)
            return State.NEXT_TURN
        if isinstance(verdict, Illegal):
            self._progress()
            self._tell(
                EventKind.ILLEGAL,
                explain(verdict),
                reason=verdict.reason_code,
                article=verdict.article,
                squares=self._names(verdict.squares),
                better=[move_text(variant, move) for move in verdict.better],
            )
        elif isinstance(verdict, Unfinished):
            self._progress()
            self._tell(EventKind.UNFINISHED, explain(verdict), squares=self._names(verdict.discs_to_remove))
        return State.HUMAN_TO_MOVE

    def _ask_about(self, ruling: Ruling) -> None:
        self._progress()
        names = ", ".join(str(name) for name in self._names(ruling.doubtful)) or "the board"
        self._tell(
            EventKind.ASK,
            f"I cannot see clearly what you did: please straighten the discs on {names}.",
            question="unsure",
            squares=self._names(ruling.doubtful),
            margin_nats=round(ruling.margin_nats, 1),
            gap_nats=round(ruling.gap_nats, 1),
        )

    # --- the machine's turn -----------------------------------------------------------------------------------------------------

    def _machine_turn(self) -> State:
        before = self.game.position
        choice = self._player.choose(self.game)
        legal = {move.identity: move for move in self.game.legal_moves()}
        move = legal.get(choice.move.identity)
        if move is None:
            raise IllegalMove(f"the engine wants {move_text(self.game.variant, choice.move)}, which is not legal here")
        text = move_text(self.game.variant, move)
        self._tell(
            EventKind.THINKING,
            f"The machine plays {text}.",
            move=text,
            score=round(choice.score, 2),
            nodes=choice.nodes,
        )
        self._promised = self.game.make(move).position
        playable = self.game.variant.board.playable
        plan = choreograph(self._settings.layout, playable, before, self._promised, move, self.racks)
        self._carry_out(plan, text)
        self.racks = plan.racks
        self._make(move, "machine", None)
        return State.NEXT_TURN

    def _carry_out(self, plan: Choreography, text: str) -> None:
        """Carry, look, and carry again what did not arrive; return when the board shows the move."""
        transfers = plan.transfers
        stands: Mapping[int, Content] = plan.content_without()
        for _ in range(CARRY_TRIES):
            self._carry(transfers, text)
            seen = self._what_stands(plan)
            if seen is None:
                break
            stands = seen.content
            if not seen.missing:
                if plan.left_for_human and not seen.finished:
                    break
                self._eyes.believe(seen.content)
                self._answered = seen.answered
                self._tell(EventKind.VERIFIED, f"The board shows {text}.", move=text)
                return
            if any(plan.carryings[number].transfer.target_discs for number in seen.missing):
                break  # a disc put on top of another one in doubt could be pressed on a third: a person looks first
            transfers = plan.again(seen.missing)
            self._tell(EventKind.MISMATCH, "A disc did not arrive; I try once more.", missing=sorted(seen.missing))
        self._let_human_finish(plan, stands)

    def _carry(self, transfers: Sequence[Transfer], text: str) -> None:
        steps: list[JsonValue] = [f"{t.source.name} -> {t.target.name}" for t in transfers]
        self._tell(EventKind.INTENT, f"I carry out {text}: keep your hands off the board.", move=text, transfers=steps)
        try:
            self._arm.carry(transfers)
        except Stopped:
            self._stand_still()
        self._tell(EventKind.CARRIED, f"Carried {len(steps)} discs.", transfers=steps)

    def _stand_still(self) -> None:
        """After STOP nothing moves until a person says so."""
        while True:
            self._tell(EventKind.STOPPED, "STOP: everything stands still. Say 'go' when it may go on.")
            self.stopped = True
            while self.stopped:
                self._look()
            self._progress()
            try:
                self._arm.go_on()
            except Stopped:
                continue
            return

    def _what_stands(self, plan: Choreography) -> Guess | None:
        """Return what the board looks like after carrying; None when that is not clear.

        A fast human may have answered already: that is seen as the machine's move with a legal reply on top of it.
        """
        guesses = [Guess(plan.content_without(), 0.0)]
        guesses += [Guess(plan.content_without(missing), -3.0, missing) for missing in plan.possible_failures()]
        if plan.left_for_human:
            guesses.append(Guess(plan.final, -3.0, finished=True))
        else:
            playable = self.game.variant.board.playable
            guesses += [
                Guess(board_content(playable, play(self.game.variant, self._promised, reply)), -4.0, answered=True)
                for reply in legal_moves(self.game.variant, self._promised)
            ]
        for _ in range(1 + READ_AGAIN):
            self._wait_for_quiet()
            settled = settle(
                rank(self._eyes.read(), guesses),
                lambda guess: not guess.missing,
                benefit_nats=0.0,  # of its own crown the machine has to be convinced like anybody
            )
            if settled.sure:
                return settled.outcome
            self._look_for(0.5)
        return None

    def _let_human_finish(self, plan: Choreography, stands: Mapping[int, Content]) -> None:
        """Ask until the board is as it must be; `stands` is the best guess of what the robot left."""
        while True:
            self._progress()
            seen = wrong_squares(self._eyes.read(), plan.final)
            undone = (square for square in plan.final if stands[square] is not plan.final[square])
            wrong = sorted({*seen, *undone})
            if plan.left_for_human:
                text = " ".join(plan.left_for_human)
            elif wrong:
                text = "Please help: " + self._duties(wrong, plan.final)
            else:
                wrong = [carrying.target for carrying in plan.carryings if carrying.target is not None]
                text = "I cannot see clearly what I did: please straighten the discs I moved."
            wanted: dict[str, JsonValue] = {
                self.game.variant.board.name(square): LETTER_OF_CONTENT[plan.final[square]] for square in wrong
            }
            self._tell(EventKind.ASK, text, question="finish", squares=list(wanted), wanted=wanted)
            self._wait_for_hand()
            self._wait_for_quiet()
            if agrees(self._eyes.read(), plan.final):
                self._eyes.believe(plan.final)
                self._tell(EventKind.VERIFIED, "Thank you: the board is right.")
                return

    # --- looking ----------------------------------------------------------------------------------------------------------------

    def _look(self) -> bool:
        """Take one picture; return True when the scene is quiet."""
        scene = self._eyes.look(HAND_FRAME_RATE_HZ)
        if scene.hand != self._hand:
            self._hand = scene.hand
            self._tell(EventKind.HAND_IN if scene.hand else EventKind.HAND_OUT, "")
        self._obey(self._commands.poll())
        if self._settings.patience_s and self._clock.now_s() - self._progress_s > self._settings.patience_s:
            raise Impatient(f"nothing happened for {self._settings.patience_s:.0f} s")
        return scene.quiet

    def _obey(self, command: Command | None) -> None:
        human = self._settings.machine.other
        if command is Command.QUIT:
            raise Quit("the match was ended at the table")
        if command is Command.GO and not self.stopped:
            # STOP was pressed while nothing moved: it is lifted before the next carrying meets it.
            with contextlib.suppress(Stopped):
                self._arm.go_on()
        if command is Command.GO:
            self.stopped = False
        if command is Command.RESIGN:
            self._resigned = human
        if command is Command.DRAW:
            self._draw_claimed = self.game.position.side is human and bool(self.game.draw_claims())
            if not self._draw_claimed:
                self._tell(EventKind.ASK, "There is no draw to claim now.", question="draw")

    def _wait_for_quiet(self) -> None:
        while not self._look():
            pass

    def _wait_for_hand(self, at_most_s: float = math.inf) -> bool:
        """Wait until a hand came and return True; a command of the human, or the time's end, returns too."""
        end = self._clock.now_s() + at_most_s
        while not self._hand and self._resigned is None and not self._draw_claimed and self._clock.now_s() < end:
            self._look()
        return self._hand

    def _look_for(self, seconds: float) -> None:
        end = self._clock.now_s() + seconds
        while self._clock.now_s() < end:
            self._look()

    # --- telling ----------------------------------------------------------------------------------------------------------------

    def _make(self, move: Move, by: str, margin_nats: float | None) -> None:
        variant, before = self.game.variant, self.game.position
        self.game = self.game.make(move)
        self._progress()
        data: dict[str, JsonValue] = {
            "by": by,
            "ply": len(self.game.moves),
            "move": cast(JsonValue, move_json(variant, before, move)),
            "fen": format_fen(variant, self.game.position),
        }
        if margin_nats is not None:
            data["margin_nats"] = round(margin_nats, 1)
        self._tell(
            EventKind.MOVE, f"{'You' if by == 'human' else 'The machine'} played {move_text(variant, move)}.", **data
        )

    def _tell(self, kind: EventKind, text: str, **data: JsonValue) -> None:
        self._listener(MatchEvent(kind, self._clock.now_s(), text, data))

    def _progress(self) -> None:
        self._progress_s = self._clock.now_s()

    def _content(self) -> dict[int, Content]:
        return board_content(self.game.variant.board.playable, self.game.position)

    def _names(self, squares: Sequence[int] | frozenset[int]) -> list[JsonValue]:
        return [self.game.variant.board.name(square) for square in sorted(squares)]

    def _duties(self, squares: Sequence[int], wanted: Mapping[int, Content]) -> str:
        parts = [f"{self.game.variant.board.name(square)} {_DUTY[wanted[square]]}" for square in squares]
        more = f" and {len(parts) - 6} more squares" if len(parts) > 6 else ""
        return ", ".join(parts[:6]) + more + ("." if parts else "")


_DUTY: Mapping[Content, str] = {
    Content.EMPTY: "must be empty",
    Content.WHITE_MAN: "needs a white man",
    Content.WHITE_KING: "needs a white king",
    Content.BLACK_MAN: "needs a black man",
    Content.BLACK_KING: "needs a black king",
}
