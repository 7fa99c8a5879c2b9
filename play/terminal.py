"""A match in the terminal: events become sentences, typed lines become commands and gestures of the simulated hand."""

import os
import sys
import threading
from collections.abc import Callable
from typing import Any, TextIO

from damludo.play.drawing import board_lines
from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.match.orders import OrderTray
from damludo.play.match.ports import Answer, Command, Resume, SetPosition
from damludo.play.match.setting_right import changed_position, read_position
from damludo.rules.errors import RulesError
from damludo.rules.fen import format_fen, parse_fen
from damludo.rules.game import Game
from damludo.rules.notation import move_text
from damludo.rules.position import Colour

HELP_TEXT = """Type a move and press Enter: c3-d4, c3xe5 or 22-17. Also:
  moves    list your legal moves        board    draw the board again
  draw     claim or offer a draw        resign   give the game up
  back     take your last move back     hint     what you could play
  stop     the gantry stands still      go       it may go on
  set      say what truly stands on the board, if the machine has it wrong
  quit     end the match                help     this page"""

SET_HELP = """Type what differs, like  set e5=b d4=.  (w b men, W B kings, . empty; the side to move: to=w or to=b),
or the whole position, like  set {fen}"""

SILENT = {
    EventKind.PREPARING,
    EventKind.TAKING_BACK,
    EventKind.HAND_IN,
    EventKind.HAND_OUT,
    EventKind.CARRIED,
    EventKind.VERIFIED,
}
"""Kinds of events that a person at the table sees for himself."""

TypedMove = Callable[[str], str | None]
"""Carries out a typed move; returns a sentence if that cannot be done."""


class Terminal(OrderTray):
    """`Listener` and `Commands` of a match at the terminal.

    Attributes:
        type_move: what to do with a typed move; None where discs are moved by a real hand.
        stop: makes the gantry stand still at once, from this or any other thread.
    """

    def __init__(self, output: TextIO = sys.stdout) -> None:
        super().__init__()
        self._game: Callable[[], Game] | None = None
        self._human, self._output = Colour.WHITE, output
        self._choices: dict[str, str] = {}
        self._offered = False
        self.type_move: TypedMove | None = None
        self.stop: Callable[[], None] = lambda: None

    def follow(self, game: Callable[[], Game], human: Colour) -> None:
        """Be told where the game can be asked for, and which side the person plays."""
        self._game, self._human = game, human

    def offer(self, text: str) -> None:
        """Offer to go on with a game that was cut off, in a sentence; "" if there is none."""
        self._offered = bool(text)
        if text:
            self._say(text)

    def leave(self) -> None:
        """Forget the table: nothing can be moved until the next one is followed."""
        self._game, self.type_move, self.stop = None, None, lambda: None

    def __call__(self, event: MatchEvent) -> None:
        """Show one event."""
        if event.kind in (EventKind.BOARD_RIGHT, EventKind.MOVE, EventKind.TAKEN_BACK, EventKind.POSITION_SET):
            self.draw_board()
        if event.text and event.kind not in SILENT:
            self._say(event.text)
        self._offer(event)
        if event.kind is EventKind.TURN and event.data["side"] == self._human.word and self.type_move:
            self._say("Type your move (help for more):")

    def _offer(self, event: MatchEvent) -> None:
        """Show the choices of a question; they hold until the match goes on."""
        if event.kind in (EventKind.ASK, EventKind.TURN, EventKind.MOVE, EventKind.ILLEGAL):
            listed: Any = event.data.get("choices", ())
            self._choices = {str(choice["id"]): str(choice["text"]) for choice in listed}
            for key, text in self._choices.items():
                self._say(f"  {key:<14} {text}")

    def read_lines(self, source: TextIO) -> threading.Thread:
        """Start reading lines in a thread of its own; the end of the input ends the match.

        The null device, which a service has for its input, leaves the table to the page.
        """
        ends_the_match = not _is_null_device(source)

        def read() -> None:
            for line in source:
                self.typed(line.strip())
            if ends_the_match:
                self.put(Command.QUIT)

        thread = threading.Thread(target=read, name="terminal", daemon=True)
        thread.start()
        return thread

    def typed(self, line: str) -> None:
        """Obey one line."""
        word = line.lower()
        if not word:
            return
        if word in self._choices:
            self.put(Answer(word))
        elif word in (command.value for command in Command):
            if word == Command.GO.value:
                self.say_go()
            elif word == Command.STOP.value:
                self.stop()
            self.put(Command(word))
        elif word == "resume":
            self._resume()
        elif word == "help":
            self._say(HELP_TEXT)
        elif self._game is None:
            self._say("The table is not ready yet: please wait.")
        elif word == "board":
            self.draw_board()
        elif word == "set" or word.startswith("set "):
            self._set_position(line[4:].strip())
        elif word == "moves":
            self._list_moves()
        elif self.type_move is None:
            self._say(
                f"'{line}' is not a command; move the disc on the board with your hand (help lists the commands)."
            )
        else:
            problem = self.type_move(line)
            if problem:
                self._say(problem)

    def _resume(self) -> None:
        if not self._offered or (self._game is not None and self._game().moves):
            self._say("There is no game to go on with: one that was cut off is offered until you have made a move.")
            return
        self.put(Resume())

    def _set_position(self, text: str) -> None:
        assert self._game is not None
        game = self._game()
        variant = game.variant
        if not text:
            self._say(SET_HELP.format(fen=format_fen(variant, game.position)))
            return
        try:
            changed = changed_position(variant, game.position, text) if "=" in text else parse_fen(variant, text)
            self.put(SetPosition(read_position(variant, format_fen(variant, changed))))
        except RulesError as error:
            self._say(f"This cannot be: {error}. 'set' alone tells how it is written.")

    def draw_board(self) -> None:
        """Draw the board from the person's side."""
        assert self._game is not None
        game = self._game()
        self._say("\n".join(board_lines(game.variant, game.position, flipped=self._human is Colour.BLACK)))

    def _list_moves(self) -> None:
        assert self._game is not None
        game = self._game()
        if game.position.side is not self._human:
            self._say("It is the machine's turn; your moves are listed in yours.")
            return
        self._say(", ".join(sorted(move_text(game.variant, move) for move in game.legal_moves())))

    def _say(self, text: str) -> None:
        print(text, file=self._output, flush=True)


def _is_null_device(source: TextIO) -> bool:
    try:
        return os.path.samestat(os.fstat(source.fileno()), os.stat(os.devnull))
    except (OSError, ValueError):  # no file, or a closed one
        return False
