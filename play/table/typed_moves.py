"""Typed moves on the simulated table: the simulated hand carries them out, legal or not; the eyes must see what happened."""

from collections.abc import Callable, Mapping

import numpy as np

from damludo.play.content import board_content
from damludo.play.match.events import EventKind, JsonValue, MatchEvent
from damludo.play.table.simulated import SimulatedTable
from damludo.rules.errors import BadMove, IllegalMove, RulesError
from damludo.rules.game import Game
from damludo.rules.moves import Move, play
from damludo.rules.notation import parse_move, parse_squares
from damludo.rules.position import Colour
from damludo.simulation.gestures import gestures_to, straightening
from damludo.simulation.hand import Pace, SimulatedHand, Withdraw
from damludo.vision.content import LETTER_OF_CONTENT, Content

_CONTENT_OF_LETTER = {letter: content for content, letter in LETTER_OF_CONTENT.items()}


class TypedMoves:
    """Called with a typed move; returns a sentence if nothing can be done. `hear` listens to the match.

    A move that is not legal is carried out too (one disc from square to square): the referee has to see and refuse it. The hand
    then puts the board back.

    Attributes:
        hand: carries them out.
        led_elsewhere: asked before the hand helps; True while a person leads it in another way, and puts the board right himself.
    """

    def __init__(self, simulated: SimulatedTable) -> None:
        colour = simulated.human_colour
        self._simulated, self._colour = simulated, colour
        side = 1.0 if colour is Colour.BLACK else -1.0
        self.hand = SimulatedHand(simulated.table, side, Pace(), np.random.default_rng((simulated.optics.seed, 2)))
        self.led_elsewhere: Callable[[], bool] = lambda: False
        self._game: Callable[[], Game] = lambda: Game.new(simulated.variant)
        self._my_turn = False
        simulated.world.add(self.hand)

    def follow(self, game: Callable[[], Game]) -> None:
        """Be told where the game can be asked for."""
        self._game = game

    def hear(self, event: MatchEvent) -> None:
        """Put the board right when the match says what is wrong with it."""
        match event.kind:
            case EventKind.TURN:
                self._my_turn = event.data["side"] == self._colour.word
            case EventKind.ILLEGAL | EventKind.UNFINISHED | EventKind.ASK if self.led_elsewhere():
                self._my_turn = self._game().position.side is self._colour
            case EventKind.BOARD_WRONG if not self.led_elsewhere():
                self._help(event.data)
            case EventKind.ILLEGAL | EventKind.UNFINISHED:
                self._make_board(self._content(self._game()))
                self._my_turn = True
            case EventKind.ASK:
                self._help(event.data)
                self._my_turn = self._game().position.side is self._colour

    def __call__(self, text: str) -> str | None:
        """Let the hand carry out a move."""
        game = self._game()
        if not self._my_turn or self.hand.busy:
            return "Wait: it is not your turn yet."
        try:
            move = parse_move(game.variant, game.position, text)
        except (IllegalMove, BadMove) as error:
            return self._carry_out_anyway(text, game, error)
        self._my_turn = False
        self._make_board(self._content(game.make(move)))
        return None

    def _carry_out_anyway(self, text: str, game: Game, error: RulesError) -> str | None:
        try:
            squares = parse_squares(game.variant, text)
        except RulesError:
            return f"{error}. A move looks like c3-d4; 'moves' lists yours."
        content = self._content(game)
        if len(squares) < 2 or squares[0] not in content:
            return f"There is no disc to move in '{text}'; 'moves' lists your legal moves."
        if squares[0] == squares[-1]:
            # Nobody could see it: the match would wait for a move, and this hand for an answer.
            return f"'{text}' leaves the disc where it is; 'moves' lists your legal moves."
        self._my_turn = False
        moved = Move(squares[0], (squares[-1],), (), game.position.at(squares[0]), None)
        after = play(game.variant, game.position, moved)
        self._make_board(
            {s: c for s, c in board_content(game.variant.board.playable, after).items() if c is not Content.EMPTY}
        )
        return None

    def _help(self, asked: Mapping[str, JsonValue]) -> None:
        """Do what the match asks for: put the named squares right, or the discs on them into the middle."""
        table, board = self._simulated.table, self._simulated.variant.board
        with self._simulated.world.lock:
            if isinstance(wanted := asked.get("wanted"), dict):
                changes = {board.square(name): _CONTENT_OF_LETTER[str(letter)] for name, letter in wanted.items()}
                after = {square: piece for square, piece in {**table.content(), **changes}.items() if piece.discs}
                gestures = gestures_to(table, after, white_first=self._colour is Colour.WHITE)
                self.hand.do([*(gestures or straightening(table, list(changes))), Withdraw()])
            elif isinstance(squares := asked.get("squares"), list):
                self.hand.do([*straightening(table, [board.square(str(name)) for name in squares]), Withdraw()])

    def _make_board(self, wanted: dict[int, Content]) -> None:
        with self._simulated.world.lock:
            gestures = gestures_to(self._simulated.table, wanted, white_first=self._colour is Colour.WHITE)
            self.hand.do([*gestures, Withdraw()])

    def _content(self, game: Game) -> dict[int, Content]:
        content = board_content(game.variant.board.playable, game.position)
        return {square: piece for square, piece in content.items() if piece is not Content.EMPTY}
