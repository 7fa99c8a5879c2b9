"""Before a match begins or goes on: what must stand on the board, and asking for what differs.

A game that was cut off may have been cut off in the middle of anything. What lies on the board decides what was finished: the
person's move counts once the referee is sure of it, the machine's once all of it is there. Everything else a person puts right.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from damludo.engine.port import Choice, Player
from damludo.play.content import SPARE_DISCS, board_content
from damludo.play.match.choreography import Racks
from damludo.play.match.course import Course
from damludo.play.match.events import EventKind, JsonValue
from damludo.play.match.lookout import Lookout
from damludo.play.match.referee import agrees, contradicted_squares, rule, wrong_squares
from damludo.play.match.timekeeping import Times
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.position import Colour, Position
from damludo.rules.verdicts import Legal, Nothing
from damludo.vision.content import LETTER_OF_CONTENT, Content
from damludo.vision.reading import BoardReading

IDLE_CHECK_S = 3.0
"""While no hand is noticed the board is still read this often: a hand may have been too quick to be noticed."""

SPARE_RACKS = Racks(SPARE_DISCS, SPARE_DISCS)
"""What lies in the racks when a game begins."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """How a game stood when it was cut off, beyond its moves.

    Attributes:
        promised: the machine's move that had been chosen and was perhaps being carried out; None if there was none.
        clocks: what both sides had left after each ply, s; empty without a clock.
        left_s: what they had left in the end.
        cut_bytes: how much of the journal's end could not be read.
        back_to: moves were being taken back, to after so many plies; None if none were.
    """

    promised: Move | None = None
    clocks: tuple[Times, ...] = ()
    left_s: Times | None = None
    cut_bytes: int = 0
    back_to: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What was found on a board that is as it should be.

    Attributes:
        content: what stands there.
        carried: all of the promised move is there.
        answered: somebody has done something since, which wants a ruling.
        taken_back: the moves that were being taken back are.
    """

    content: Mapping[int, Content] = field(default_factory=dict)
    carried: bool = False
    answered: bool = False
    taken_back: bool = False


Accept = Callable[[BoardReading], Standing | None]
"""Tells what a reading shows if the match may go on from there; None if something has to be put right first."""


def set_up(lookout: Lookout, course: Course, machine: Colour, cut_off: CutOff | None) -> Standing:
    """Wait until the board shows where a game begins, or goes on.

    Args:
        machine: the side the machine plays.
        cut_off: None for a game that begins.

    Raises:
        Impatient: there was no progress for too long.
    """
    game = course.game
    now = content_of(game, game.position)
    if cut_off is None:
        return wait_for_board(lookout, now, beginning(game), "All discs are where the game begins.")
    right = "The board is as it should be: the game goes on."
    if game.result() is not None:
        return wait_for_board(lookout, now, beginning(game), right)
    if cut_off.back_to is not None:
        earlier = course.back_to(cut_off.back_to).game
        # The person wished it, and some of the discs may have gone back already.
        return wait_for_board(lookout, content_of(game, earlier.position), taking_back(game, earlier), right)
    if game.position.side is not machine:
        return wait_for_board(lookout, now, persons_turn(game), right)
    promised = cut_off.promised
    # A move that was begun is easier to finish by hand than to take back: its captured discs lie in the rack already.
    wanted = now if promised is None else content_of(game, game.make(promised).position)
    return wait_for_board(lookout, wanted, machines_turn(game, promised), right)


def as_awaited(course: Course, cut_off: CutOff | None, content: Mapping[int, Content]) -> Standing | None:
    """Return what stands on a board on which all is done that was begun; None if it is another one, or nothing was begun."""
    game = course.game
    if cut_off is None:
        return None
    if cut_off.promised is not None and content == content_of(game, game.make(cut_off.promised).position):
        return Standing(content, carried=True)
    if cut_off.back_to is not None and content == content_of(game, course.back_to(cut_off.back_to).game.position):
        return Standing(content, taken_back=True)
    return None


def beginning(game: Game) -> Accept:
    """Accept the discs of the game's position."""
    content = content_of(game, game.position)

    def accept(reading: BoardReading) -> Standing | None:
        return Standing(content) if agrees(reading, content) else None

    return accept


def persons_turn(game: Game) -> Accept:
    """Accept everything that the referee is sure of: he rules on it in the turn."""

    def accept(reading: BoardReading) -> Standing | None:
        ruling = rule(game, reading)
        if not ruling.sure or contradicted_squares(reading, ruling.content):
            return None
        return Standing(ruling.content, answered=not isinstance(ruling.verdict, Nothing))

    return accept


def taking_back(game: Game, earlier: Game) -> Accept:
    """Accept the board before moves that were being taken back, or the one on which none of them was."""
    before, now = content_of(game, earlier.position), content_of(game, game.position)

    def accept(reading: BoardReading) -> Standing | None:
        if agrees(reading, before) and not contradicted_squares(reading, before):
            return Standing(before, taken_back=True)
        if agrees(reading, now) and not contradicted_squares(reading, now):
            return Standing(now)
        return None

    return accept


def machines_turn(game: Game, promised: Move | None) -> Accept:
    """Accept the board before the machine's move, or after the whole of the promised one, a quick reply included."""
    before = content_of(game, game.position)

    def accept(reading: BoardReading) -> Standing | None:
        if promised is not None:
            ruling = rule(game.make(promised), reading)
            right = ruling.sure and not contradicted_squares(reading, ruling.content)
            if right and isinstance(ruling.verdict, Nothing | Legal):
                return Standing(ruling.content, carried=True, answered=isinstance(ruling.verdict, Legal))
        # Crowns count here: a power cut between a man's last step and its crown is just what is looked for.
        if agrees(reading, before) and not contradicted_squares(reading, before):
            return Standing(before)
        return None

    return accept


def wait_for_board(lookout: Lookout, wanted: Mapping[int, Content], accept: Accept, right: str) -> Standing:
    """Ask a person for what differs from a wanted board; return what stands there when that is accepted.

    Args:
        right: the sentence that says that all is well.

    Raises:
        Impatient: there was no progress for too long.
    """
    told: tuple[int, ...] | None = None
    while True:
        lookout.wait_for_quiet()
        reading = lookout.read()
        standing = accept(reading)
        if standing is not None:
            lookout.tell(EventKind.BOARD_RIGHT, right)
            lookout.believe(standing.content)
            return standing
        wrong = tuple(sorted({*wrong_squares(reading, wanted), *contradicted_squares(reading, wanted)}))
        if wrong != told:
            told = wrong
            letters: dict[str, JsonValue] = {
                str(name): LETTER_OF_CONTENT[wanted[square]]
                for name, square in zip(lookout.names(wrong), wrong, strict=True)
            }
            duties = lookout.duties(wrong, wanted) or "please put every disc into the middle of its square."
            lookout.tell(
                EventKind.BOARD_WRONG, f"Set up the board: {duties}", squares=lookout.names(wrong), wanted=letters
            )
        if lookout.wait_for_hand(IDLE_CHECK_S):
            told = None  # somebody has done something: if it was not enough, that is said again


def content_of(game: Game, position: Position) -> dict[int, Content]:
    """Return what a camera should see of a position of a game."""
    return board_content(game.variant.board.playable, position)


class AsPromised:
    """A `Player` that makes the move which was chosen before the game was cut off, then plays on like another one."""

    def __init__(self, player: Player, position: Position, promised: Move) -> None:
        self._player, self._position, self._promised = player, position, promised

    def choose(self, game: Game) -> Choice:
        """Return the promised move where it was promised."""
        if game.position == self._position:
            return Choice(self._promised)
        return self._player.choose(game)
