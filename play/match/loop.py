"""The match: a loop over states, with everything it needs behind ports.

In doubt the match asks; it never makes a move that was not seen clearly, never punishes, and never moves the robot over a hand.
"""

from collections.abc import Callable, Mapping
from enum import Enum

from damludo.engine.port import Player
from damludo.play.content import board_content
from damludo.play.match.carrying import Carrier
from damludo.play.match.choreography import Choreography, Racks, choreograph, racks_after_human
from damludo.play.match.course import Course
from damludo.play.match.draws import draw_asked_for
from damludo.play.match.events import EventKind, JsonValue, Listener
from damludo.play.match.lookout import Impatient, Lookout
from damludo.play.match.orders import OtherGame, PositionGiven, Quit
from damludo.play.match.ports import (
    Answer,
    Arm,
    Clock,
    Command,
    Commands,
    Eyes,
    NewGame,
    Order,
    Resume,
    SetLevel,
    SetPosition,
)
from damludo.play.match.referee import READ_AGAIN, Ruling, agrees, contradicted_squares, rule
from damludo.play.match.setting_right import AS_SET, NOT_SET, racks_beside, stands_so
from damludo.play.match.setting_up import IDLE_CHECK_S, AsPromised, CutOff, Standing, as_awaited, set_up
from damludo.play.match.settings import MatchSettings
from damludo.play.match.taking_back import by_hand, choreograph_back
from damludo.play.match.telling import (
    ask_about_time,
    ask_to_straighten,
    move_words,
    tell_agreed,
    tell_begun,
    tell_choice,
    tell_hint,
    tell_illegal,
    tell_move,
    tell_position,
    tell_result,
    tell_taken_back,
    tell_turn,
    tell_unfinished,
)
from damludo.play.match.timekeeping import OFF, GameClock
from damludo.play.match.touching import STRAIGHTENED, TOUCHED
from damludo.rules.ending import Result, resigned
from damludo.rules.errors import IllegalMove
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.notation import move_text
from damludo.rules.position import Position
from damludo.rules.verdicts import Illegal, Legal, Nothing, Unfinished
from damludo.vision.content import Content
from damludo.vision.reading import BoardReading

STRANGE_LOOKS = 4
"""Squares that do not hold what the match believes are named after so many looks without a hand."""


class State(Enum):
    """Where the match is."""

    SETTING_UP = "setting up"
    SETTING_RIGHT = "setting right"
    NEXT_TURN = "next turn"
    HUMAN_TO_MOVE = "human to move"
    MACHINE_TO_MOVE = "machine to move"
    FINISHED = "finished"


class Match:
    """One game over the board. Plain synchronous code: `run` returns when the game is over.

    Attributes:
        wanted: the game that a person wants instead of this one.
        course: what was played.
    """

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
        self._settings, self._player = settings, player
        cut_off = settings.cut_off or CutOff()
        if cut_off.promised is not None:
            self._player = AsPromised(player, settings.game.position, cut_off.promised)
        self._lookout = Lookout(eyes, clock, commands, listener, settings.game.variant.board, settings.patience_s)
        self._lookout.obey, self._lookout.interrupted = self._obey, self._interrupted
        self._lookout.tick, self._lookout.look_anew = self._watch_time, settings.look_anew
        self._carrier = Carrier(arm, self._lookout)
        self._clock = GameClock(settings.time, cut_off.clocks, cut_off.left_s)
        self._over: Result | None = None
        self._take_back_asked = False
        self._outstanding = False
        self._answered = False
        self.wanted: NewGame | Resume | None = None
        self._strange_looks = 0
        self._ruled: Mapping[int, Content] | None = None
        self._given = settings.game.position
        self._given_answer: str | None = None
        self._waited_for = settings.cut_off
        self.course = Course(settings.game, settings.earlier)
        self.racks = settings.racks
        self.state = State.SETTING_UP
        self._steps: Mapping[State, Callable[[], State]] = {
            State.SETTING_UP: self._set_up,
            State.SETTING_RIGHT: self._set_right,
            State.NEXT_TURN: self._next_turn,
            State.HUMAN_TO_MOVE: self._human_turn,
            State.MACHINE_TO_MOVE: self._machine_turn,
        }

    @property
    def game(self) -> Game:
        """The game; after a person has set a position, from there."""
        return self.course.game

    @property
    def stopped(self) -> bool:
        """STOP was pressed and nobody has said "go" yet."""
        return self._carrier.stopped

    def run(self) -> Result | None:
        """Play until the game is over; None when it was ended before that.

        Raises:
            VisionError, RobotError: a device failed; the journal holds the game up to there.
        """
        try:
            while self.state is not State.FINISHED:
                try:
                    self.state = self._steps[self.state]()
                except PositionGiven:
                    self.state = State.SETTING_RIGHT
        except (Impatient, Quit, OtherGame) as reason:
            self._lookout.tell(EventKind.STOPPED, str(reason), why="ended")
            return None
        return self._result()

    # --- setting up -------------------------------------------------------------------------------------------------------------

    def _set_up(self) -> State:
        settings, game = self._settings, self.game
        tell_begun(
            self._lookout,
            game,
            settings.machine,
            None if settings.cut_off is None else self.course.plies,
            level=settings.level,
            racks=self.racks.as_json(),
            clock=OFF if settings.time is None else settings.time.text,
            touch=settings.touch.mode.value,
            clocks=self._clocks_json(),
            **settings.about,
        )
        return self._wait_for_board(settings.cut_off)

    def _wait_for_board(self, cut_off: CutOff | None) -> State:
        """Wait until the game can begin, or go on from where it was cut off or left."""
        return self._go_on(cut_off, set_up(self._lookout, self.course, self._settings.machine, cut_off))

    def _go_on(self, cut_off: CutOff | None, standing: Standing) -> State:
        if cut_off is not None and cut_off.back_to is not None and standing.taken_back:
            earlier = self.course.back_to(cut_off.back_to)
            self._go_back(earlier, self._racks_at(earlier.game.position))
        elif cut_off is not None and cut_off.promised is not None and standing.carried:
            self.racks = self._plan(cut_off.promised).racks
            self._make(cut_off.promised, "machine", None)
        self._answered = standing.answered
        return State.NEXT_TURN

    def _set_right(self) -> State:
        """Go on from the position that a person says stands on the board; from the old one if he thinks better of it."""
        position, self._given_answer = self._given, None
        self._clock.pause(self._lookout.now_s)
        content = board_content(self.game.variant.board.playable, position)
        so = stands_so(self._lookout, content, lambda: NOT_SET if self._over else self._given_answer)
        self._given_answer = None
        if not so:
            return State.NEXT_TURN if self._over else self._wait_for_board(self._waited_for)
        self._lookout.believe(content)
        self._ruled, self._answered, self._take_back_asked = None, False, False
        if (done := as_awaited(self.course, self._waited_for, content)) is not None:
            return self._go_on(self._waited_for, done)
        believed, self.racks = self.game.position, self._racks_at(position)
        self.course = self.course.set_to(position)
        # What went wrong took time that is nobody's.
        self._clock.take_back(0)
        self._lookout.progress()
        tell_position(self._lookout, self.course, believed, racks=self.racks.as_json(), clocks=self._clocks_json())
        return State.NEXT_TURN

    def _racks_at(self, position: Position) -> Racks:
        return racks_beside(self._settings.layout, self.game.position, position, self.racks)

    def _next_turn(self) -> State:
        if self._result() is not None:
            return self._finish()
        side = self.game.position.side
        machine = side is self._settings.machine
        self._lookout.progress()
        self._outstanding = False
        self._settings.touch.new_turn()
        self._clock.start(side, self._lookout.now_s)
        self._waited_for = CutOff()
        tell_turn(self._lookout, self.course, machine=machine, clocks=self._clocks_json())
        return State.MACHINE_TO_MOVE if machine else State.HUMAN_TO_MOVE

    def _finish(self) -> State:
        result = self._result()
        assert result is not None
        self._clock.pause(self._lookout.now_s)
        tell_result(self._lookout, result, self.course.plies)
        return State.FINISHED

    def _result(self) -> Result | None:
        if self._over is not None:
            return self._over
        claims = self.game.draw_claims()
        # The machine claims every draw it may claim, on its own turn; the human claims with a command.
        if claims and self.game.position.side is self._settings.machine:
            return Result(None, claims[0])
        return self.game.result()

    # --- the human's turn -------------------------------------------------------------------------------------------------------

    def _human_turn(self) -> State:
        self._lookout.hand_seen = self._answered
        self._answered = False
        if not self._lookout.hand_seen:
            self._lookout.wait_for_hand(IDLE_CHECK_S)
        self._lookout.wait_for_quiet()
        hand_came = self._lookout.hand_seen
        if self._over is not None:
            return State.NEXT_TURN
        if self._take_back_asked:
            return self._take_back()
        if hand_came and self._clock.running is None:
            self._clock.start(self.game.position.side, self._lookout.now_s)
        if hand_came:
            ruling = self._clear_ruling()
        else:
            reading = self._lookout.read()
            ruling = rule(self.game, reading)
            if not ruling.sure or isinstance(ruling.verdict, Nothing) or ruling.content == self._ruled:
                # What was ruled on was said already.
                if not ruling.sure or isinstance(ruling.verdict, Nothing):
                    self._notice_strange_board(reading)
                return State.HUMAN_TO_MOVE
        self._strange_looks = 0
        if not ruling.sure:
            self._ask_about(ruling)
            return State.HUMAN_TO_MOVE
        self._ruled = ruling.content
        self._settings.touch.look(ruling.content)
        self._lookout.believe(ruling.content)
        if isinstance(ruling.verdict, Nothing):
            thanks = f"Thank you. Your move, {self.game.position.side.word}." if self._outstanding else ""
            self._outstanding = False
            self._lookout.tell(EventKind.PUT_BACK, thanks)
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
        text = "Before you move, please look at the board: " + self._lookout.duties(wrong, content)
        self._outstanding = True
        self._lookout.ask_to_put_right(text, wrong, content)

    def _clear_ruling(self) -> Ruling:
        ruling = rule(self.game, self._lookout.read())
        for _ in range(READ_AGAIN):
            if ruling.sure:
                break
            self._lookout.look_for(0.5)
            self._lookout.wait_for_quiet()
            ruling = rule(self.game, self._lookout.read())
        return ruling

    def _apply(self, ruling: Ruling) -> State:
        verdict, variant = ruling.verdict, self.game.variant
        if isinstance(verdict, Legal):
            breach = self._settings.touch.breach(self.game, verdict.move)
            if breach is not None:
                return self._hold_against(breach)
            self.racks = racks_after_human(self.game.position, verdict.move, self.racks)
            self._make(verdict.move, "human", ruling.margin_nats)
            return State.NEXT_TURN
        if isinstance(verdict, Illegal | Unfinished):
            self._lookout.progress()
            self._outstanding = True
        if isinstance(verdict, Illegal):
            tell_illegal(self._lookout, variant, verdict)
        elif isinstance(verdict, Unfinished):
            tell_unfinished(self._lookout, verdict)
        return State.HUMAN_TO_MOVE

    def _hold_against(self, breach: Illegal) -> State:
        """Another disc was touched than was moved: ask, or refuse the move."""
        self._lookout.progress()
        self._clock.pause(self._lookout.now_s)
        self._outstanding = True
        if not self._settings.touch.asks_about(breach, self._lookout):
            tell_illegal(self._lookout, self.game.variant, breach)
        return State.HUMAN_TO_MOVE

    def _ask_about(self, ruling: Ruling) -> None:
        self._lookout.progress()
        self._outstanding = True
        self._clock.pause(self._lookout.now_s)
        ask_to_straighten(self._lookout, ruling)

    # --- the machine's turn -----------------------------------------------------------------------------------------------------

    def _machine_turn(self) -> State:
        choice = self._player.choose(self.game)
        legal = {move.identity: move for move in self.game.legal_moves()}
        move = legal.get(choice.move.identity)
        if move is None:
            raise IllegalMove(f"the engine wants {move_text(self.game.variant, choice.move)}, which is not legal here")
        text = move_words(self.game.variant, move)
        tell_choice(self._lookout, self.game.variant, move, score=round(choice.score, 2), nodes=choice.nodes)
        self._clock.pause(self._lookout.now_s)
        self._waited_for = CutOff(promised=move)
        plan = self._plan(move)
        self._answered = self._carrier.carry_out(plan, text, self.game.make(move))
        self.racks = plan.racks
        self._make(move, "machine", None)
        return State.NEXT_TURN

    def _plan(self, move: Move) -> Choreography:
        game, layout = self.game, self._settings.layout
        after = game.make(move).position
        return choreograph(layout, game.variant.board.playable, game.position, after, move, self.racks)

    # --- taking back ------------------------------------------------------------------------------------------------------------

    def _take_back(self) -> State:
        """Undo the human's last move and what followed it, on the board first: the game changes when the eyes have seen it."""
        self._take_back_asked = False
        earlier = self.course.before_last_move_of(self._settings.machine.other)
        if earlier is None:
            return State.HUMAN_TO_MOVE
        self._clock.pause(self._lookout.now_s)
        text = ", ".join(move_words(self.game.variant, move) for move in self.course.since(earlier))
        self._waited_for = CutOff(back_to=earlier.plies)
        self._lookout.tell(EventKind.TAKING_BACK, f"I take back {text}.", ply=earlier.plies)
        if earlier.earlier == self.course.earlier:
            plan = choreograph_back(self._settings.layout, self.game, earlier.game, self.racks)
            known = agrees(self._lookout.read(), self._content())
        else:
            # From a position that a person set no moves lead back.
            plan = by_hand(self.game, earlier.game, self._racks_at(earlier.game.position))
            known = False
        if known:
            self._answered = self._carrier.carry_out(plan, f"the taking back of {text}", earlier.game)
        else:
            # The machine lifts discs only where it knows what stands: from a board in disorder the person goes back by hand.
            self._carrier.let_human_do(plan)
        self._go_back(earlier, plan.racks)
        return State.NEXT_TURN

    def _go_back(self, earlier: Course, racks: Racks) -> None:
        undone = self.course.since(earlier)
        self.course, self.racks = earlier, racks
        self._clock.take_back(len(undone))
        self._ruled = None
        self._lookout.progress()
        tell_taken_back(self._lookout, earlier, undone, racks=self.racks.as_json(), clocks=self._clocks_json())

    # --- commands and telling ---------------------------------------------------------------------------------------------------

    def _obey(self, order: Order) -> None:
        human = self._settings.machine.other
        match order:
            case Command.QUIT:
                raise Quit("the match was ended at the table")
            case Command.GO:
                self._lookout.no_hand()
                self._carrier.go()
            case Command.STOP:
                self._clock.pause(self._lookout.now_s)
                self._carrier.note_stop()
            case Command.RESIGN | Answer("resign"):
                self._over = resigned(human)
            case Command.DRAW:
                self._claim_or_offer_draw()
            case Command.TAKE_BACK:
                self._ask_for_take_back()
            case Command.HINT:
                self._give_hint()
            case SetLevel(level):
                self._set_level(level)
            case Answer(choice) if choice in (STRAIGHTENED, TOUCHED):
                breach = self._settings.touch.answer(choice)
                self._ruled = None if breach is None else self._ruled
                tell_agreed(self._lookout, self.game.variant.board, self._settings.touch.agreement)
                if breach is not None:
                    tell_illegal(self._lookout, self.game.variant, breach)
            case SetPosition(position):
                self._take_position(position)
            case Answer(choice) if choice in (AS_SET, NOT_SET) and self.state is State.SETTING_RIGHT:
                self._given_answer = choice
            case Answer("play_on"):
                self._clock.put_away()
                self._lookout.tell(EventKind.NOTE, "The game goes on without a clock.", clocks=None)
            case NewGame() | Resume():
                self.wanted = order
                raise OtherGame("the game was left for another one")

    def _interrupted(self) -> bool:
        return self._over is not None or self._take_back_asked or self._given_answer is not None

    @property
    def _humans_turn(self) -> bool:
        return self.state is State.HUMAN_TO_MOVE and not self._carrier.stopped

    def _take_position(self, position: Position) -> None:
        if self._carrier.stopped or self._carrier.busy:
            self._note("The position can be set when the machine waits for you.")
            return
        self._given = position
        raise PositionGiven

    def _claim_or_offer_draw(self) -> None:
        if not self._humans_turn:
            self._note("A draw can be claimed or offered in your turn.")
            return
        self._over = draw_asked_for(self._player, self.game)
        if self._over is None:
            self._note("The machine declines the draw and plays on.")

    def _ask_for_take_back(self) -> None:
        if not self._humans_turn:
            self._note("A move can be taken back in your turn.")
        elif self.course.before_last_move_of(self._settings.machine.other) is None:
            self._note("You have made no move yet that could be taken back.")
        else:
            self._take_back_asked = True

    def _give_hint(self) -> None:
        if not self._humans_turn:
            self._note("A hint is given in your turn.")
            return
        move = (self._settings.adviser or self._player).choose(self.game).move
        tell_hint(self._lookout, self.game.variant, move)

    def _set_level(self, level: int) -> None:
        if self._settings.player_of is not None:
            self._player = self._settings.player_of(level)
            self._lookout.tell(EventKind.LEVEL, f"The machine plays at level {level} from now on.", level=level)

    def _watch_time(self) -> None:
        side, now_s = self._clock.running, self._lookout.now_s
        if side is None or self._clock.left_s(side, now_s) > 0.0:
            return
        # A game is never lost unasked: the clock stands, and the person says what shall be.
        self._clock.pause(now_s)
        ask_about_time(self._lookout, machine=side is self._settings.machine)

    def _note(self, text: str) -> None:
        self._lookout.tell(EventKind.NOTE, text)

    def _clocks_json(self) -> JsonValue:
        return self._clock.as_json(self._lookout.now_s)

    def _make(self, move: Move, by: str, margin_nats: float | None) -> None:
        before = self.game.position
        self.course = self.course.make(move)
        self._clock.moved(before.side, self._lookout.now_s)
        self._lookout.progress()
        data: dict[str, JsonValue] = {"racks": self.racks.as_json(), "clocks": self._clocks_json()}
        if margin_nats is not None:
            data["margin_nats"] = round(margin_nats, 1)
        tell_move(self._lookout, self.course, before, by, **data)

    def _content(self) -> dict[int, Content]:
        return board_content(self.game.variant.board.playable, self.game.position)
