"""The referee's answers. They are values: an illegal move of a player is expected, not an error."""

from dataclasses import dataclass, field
from enum import Enum

from damludo.rules.geometry import Board
from damludo.rules.moves import Move
from damludo.rules.penalties import Penalty


class Reason(Enum):
    """Why an action is not a legal move; the value is the article in a sentence."""

    MUST_CAPTURE = "Capturing is compulsory."
    CAPTURE_TOO_SMALL = "Of several captures one that takes the most pieces must be made."
    KING_MUST_CAPTURE = "If a king can make the capture, a king must."
    MORE_KINGS = "Of captures of equal number one that takes the most kings must be made."
    KING_EARLIER = "Of otherwise equal captures the one that meets a king earliest must be made."
    MORE_VALUE = "Of several captures one of the greatest value must be made; a king is worth hardly less than two men."
    NOT_YOUR_DISC = "Only the own discs are moved."
    NO_DISC = "There is no disc on this square."
    OCCUPIED = "A move ends on an empty square."
    WRONG_DIRECTION = "This piece does not move in this direction."
    TOO_FAR = "This piece does not move so far."
    IN_THE_WAY = "A piece stands in the way."
    NOT_A_LINE = "Pieces move along the lines of the board."
    CANNOT_MOVE = "This piece cannot make such a move."
    CANNOT_CAPTURE_SO = "These discs cannot be captured by this move."
    OTHER_WAY = "A capture goes from landing square to landing square, as the jumps allow."
    DISC_MISSING = "Discs leave the board only when they are captured."
    NO_CROWN_DUE = "A man is crowned only when its move ends on a crowning square, or as the game says."
    CROWN_LOST = "A king keeps its second disc."
    REMOVE_OTHER_STONE = "The game begins with the removal of certain stones."
    TOUCHED_OTHER = "An own disc that was touched must be moved."
    SEVERAL_DISCS = "A move moves one disc."

    @property
    def code(self) -> str:
        """The stable name, "must_capture"."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Nothing:
    """The board is as it was."""

    board: Board = field(repr=False, compare=False)

    @property
    def reason_code(self) -> str:
        """The stable name, "nothing"."""
        return "nothing"

    @property
    def article(self) -> str:
        """The rule in a sentence."""
        return "A disc that stands where it stood has not moved."


@dataclass(frozen=True, slots=True)
class Legal:
    """A legal move, complete."""

    move: Move
    board: Board = field(repr=False, compare=False)

    @property
    def reason_code(self) -> str:
        """The stable name, "legal"."""
        return "legal"

    @property
    def article(self) -> str:
        """The rule in a sentence."""
        if self.move.captures and self.move.path:
            return Reason.MUST_CAPTURE.value
        return "Where nothing can be captured, every move of the piece's own kind is free."


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A legal move that was begun. What is left to do is said for `moves[0]`.

    Attributes:
        moves: legal moves that this can become; the one with the least left to do first.
        discs_to_remove: captured discs that still stand.
        crown_missing: the second disc is not on the new king yet.
        continue_to: landing squares still ahead.
        at: where the moving disc is.
        disc_left: where one of the king's two discs still lies, if only the other one was moved.
    """

    moves: tuple[Move, ...]
    discs_to_remove: tuple[int, ...]
    crown_missing: bool
    continue_to: tuple[int, ...]
    at: int
    board: Board = field(repr=False, compare=False)
    disc_left: int | None = None

    @property
    def to_clear(self) -> tuple[int, ...]:
        """Squares from which a disc has to go yet: the captured ones, and the one that a king left behind."""
        return self.discs_to_remove if self.disc_left is None else (*self.discs_to_remove, self.disc_left)

    @property
    def reason_code(self) -> str:
        """The stable name, "unfinished"."""
        return "unfinished"

    @property
    def article(self) -> str:
        """The rule in a sentence."""
        return "A move that was begun must be finished: all jumps made, captured discs taken off, the crown put on."


@dataclass(frozen=True, slots=True)
class Illegal:
    """Not a legal move, nor the beginning of one.

    Attributes:
        reason: why.
        squares: squares the reason is about; for a moved disc from and to, then the discs taken.
        better: legal moves to point at, the most instructive first.
        played: the move as made, if only the duty to capture (or which capture) stands against it.
        may_stand: this game lets the opponent accept `played`.
    """

    reason: Reason
    squares: tuple[int, ...]
    better: tuple[Move, ...]
    board: Board = field(repr=False, compare=False)
    played: Move | None = None
    may_stand: bool = False

    @property
    def reason_code(self) -> str:
        """The stable name of the reason, "must_capture"."""
        return self.reason.code

    @property
    def article(self) -> str:
        """The rule in a sentence."""
        return self.reason.value


Verdict = Nothing | Legal | Unfinished | Illegal
"""What a board says that a player has left."""


@dataclass(frozen=True, slots=True)
class HandStays:
    """The hand is still over the board: nothing is judged before it has left."""

    board: Board = field(repr=False, compare=False)

    @property
    def reason_code(self) -> str:
        """The stable name, "hand_stays"."""
        return "hand_stays"

    @property
    def article(self) -> str:
        """The rule in a sentence."""
        return "A move is made when the hand has let go of the disc and has left the board."


@dataclass(frozen=True, slots=True)
class OpponentDecides:
    """Several own discs that can move were touched: the opponent says which one must.

    Attributes:
        squares: where these discs stand.
    """

    squares: tuple[int, ...]
    board: Board = field(repr=False, compare=False)

    @property
    def reason_code(self) -> str:
        """The stable name, "opponent_decides"."""
        return "opponent_decides"

    @property
    def article(self) -> str:
        """The rule in a sentence."""
        return "Of several own discs that were touched the opponent chooses which one must move."


@dataclass(frozen=True, slots=True)
class Offence:
    """Only own discs were touched that cannot move.

    Attributes:
        squares: where they stand.
        penalty: what it costs; nothing the first time.
    """

    squares: tuple[int, ...]
    penalty: Penalty
    board: Board = field(repr=False, compare=False)

    @property
    def reason_code(self) -> str:
        """The stable name, "touched_in_vain"."""
        return "touched_in_vain"

    @property
    def article(self) -> str:
        """The rule in a sentence."""
        return "Touching own discs of which none can move has no consequence; its repetition can be punished."


Ruling = Verdict | HandStays | OpponentDecides | Offence
"""What a whole turn says: the board that was left, the discs that were touched, the hand."""
