"""What a game is made of. A variant is data: one file in `variants/` names what differs from the defaults here.

Directions are seen by the mover: N is forward. What a game needs and no other has becomes a named trait with a default, handled
once in `moves.py`; nothing outside `variants/` asks which game it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from damludo.rules.geometry import DIAGONALS, FORWARD_DIAGONALS, Board, Step
from damludo.rules.position import Colour, Kind, Position, read_placement


class InCapture(Enum):
    """What crowning does to a capture that could go on."""

    STOP = "crowned, and the move ends"
    PASS = "goes on as a man, crowned only if the move ends on a crowning square"
    GO_ON = "crowned at once and goes on as a king"


class Removal(Enum):
    """When captured pieces leave the board."""

    AT_END = "after the whole move; until then they stand in the way and cannot be jumped twice"
    AT_ONCE = "each as soon as it is jumped; lines open up"


class Turning(Enum):
    """How the direction may change between two jumps of one move."""

    FREE = "any direction"
    NO_REVERSAL = "any but straight back"
    STRAIGHT = "the same direction only"


class Preference(Enum):
    """A property of captures; only those that are greatest in it are legal."""

    MOST_PIECES = "takes the most pieces"
    BY_KING = "is made by a king"
    MOST_KINGS = "takes the most kings"
    KING_EARLIEST = "meets a king earliest"
    MOST_VALUE = "takes the greatest value, a king counting for hardly less than two men"


@dataclass(frozen=True, slots=True)
class Jump:
    """How a piece jumps along some directions.

    Attributes:
        directions: the steps of the lines, seen by the mover.
        from_afar: over the first piece met at any distance; otherwise over the neighbour only.
        lands_far: on any empty square behind up to the next piece; otherwise directly behind only.
        victims: kinds that may be taken.
    """

    directions: tuple[Step, ...]
    from_afar: bool = False
    lands_far: bool = False
    victims: frozenset[Kind] = frozenset(Kind)


@dataclass(frozen=True, slots=True)
class Mover:
    """How one kind of piece moves.

    Attributes:
        steps: directions of moves without capture.
        jumps: captures.
        later_jumps: captures after the first of a move, where they differ.
        far_steps: slides any distance over empty squares; otherwise one step.
        linear: may also leap an unbroken line of own men, to the empty square at its front end.
        steps_from_last_row: False if a piece on the farthest row can only capture.
    """

    steps: tuple[Step, ...]
    jumps: tuple[Jump, ...]
    later_jumps: tuple[Jump, ...] | None = None
    far_steps: bool = False
    linear: bool = False
    steps_from_last_row: bool = True


def man(
    steps: tuple[Step, ...] = FORWARD_DIAGONALS,
    captures: tuple[Step, ...] = FORWARD_DIAGONALS,
    victims: frozenset[Kind] = frozenset(Kind),
) -> Mover:
    """Return a man: one step, short jumps."""
    return Mover(steps, (Jump(captures, victims=victims),))


def short_king(directions: tuple[Step, ...] = DIAGONALS) -> Mover:
    """Return a king of range one."""
    return Mover(directions, (Jump(directions),))


def flying_king(steps: tuple[Step, ...] = DIAGONALS, captures: tuple[Step, ...] = DIAGONALS) -> Mover:
    """Return a king that moves and captures over any distance."""
    return Mover(steps, (Jump(captures, from_afar=True, lands_far=True),), far_steps=True)


@dataclass(frozen=True, slots=True)
class Promotion:
    """What a kind of piece turns into, and where.

    Attributes:
        becomes: the new kind.
        in_capture: what happens when the square is reached in the middle of a capture.
        squares: crowning squares of White and of Black.
    """

    becomes: Kind
    in_capture: InCapture
    squares: tuple[frozenset[int], frozenset[int]]


def crowning_on_last_rows(board: Board, in_capture: InCapture) -> Mapping[Kind, Promotion]:
    """Return the usual promotion: a man becomes a king on the row farthest from its home."""
    last, first = (board.rows - 1) * board.columns, board.columns
    top = frozenset(square for square in board.playable if square >= last)
    bottom = frozenset(square for square in board.playable if square < first)
    return {Kind.MAN: Promotion(Kind.KING, in_capture, (top, bottom))}


@dataclass(frozen=True, slots=True)
class Opening:
    """A full board: each side first takes one of its own pieces off.

    Attributes:
        first: squares of which the first player empties one; the second player empties an orthogonal neighbour of it.
    """

    first: tuple[int, ...]


class Event(Enum):
    """What restarts the counting of a draw rule."""

    CAPTURE = "capture"
    MAN_MOVE = "man move"
    CROWNING = "crowning"


@dataclass(frozen=True, slots=True)
class Force:
    """Bounds (both inclusive) for what one side has.

    Attributes:
        pieces: fewest and most pieces.
        kings: fewest and most kings among them.
        within: squares all its pieces must stand on; None for anywhere.
    """

    pieces: tuple[int, int] = (0, 999)
    kings: tuple[int, int] = (0, 999)
    within: frozenset[int] | None = None


LONE_KING = Force(pieces=(1, 1), kings=(1, 1))


@dataclass(frozen=True, slots=True)
class Material:
    """A balance of forces, whichever colour has which.

    Attributes:
        strong: the one side; in rules that count only its moves, the one that should win.
        weak: the other side.
        total: fewest and most pieces on the board.
    """

    strong: Force
    weak: Force
    total: tuple[int, int] = (0, 999)


@dataclass(frozen=True, slots=True)
class Repetition:
    """The same position with the same side to move for the `times`-th time is a draw."""

    times: int
    claimed: bool
    article: str


@dataclass(frozen=True, slots=True)
class MoveLimit:
    """A draw when a number of moves brought nothing.

    Attributes:
        moves: how many moves of each side.
        resets: what counts as something.
        claimed: a player must ask for it; otherwise the game simply ends.
        article: the rule in a sentence.
        material: counts only while this balance stands; None for always.
        strong_only: count the strong side's moves alone.
        name: short name of the rule.
    """

    moves: int
    resets: frozenset[Event]
    claimed: bool
    article: str
    material: Material | None = None
    strong_only: bool = False
    name: str = "no progress"


@dataclass(frozen=True, slots=True)
class BareDraw:
    """A draw at once when this balance stands and the side to move can capture nothing."""

    material: Material
    article: str


DrawRule = Repetition | MoveLimit | BareDraw


def repetition(times: int = 3, *, claimed: bool = False) -> Repetition:
    """Return the rule of repeated positions."""
    ordinal = {3: "third", 4: "fourth"}[times]
    ending = "a draw if the player to move claims it" if claimed else "a draw"
    return Repetition(
        times, claimed, f"The same position for the {ordinal} time, with the same player to move, is {ending}."
    )


def no_progress(moves: int, *, claimed: bool = False) -> MoveLimit:
    """Return the rule of moves that neither capture nor move a man."""
    ending = "a draw if the player to move claims it" if claimed else "a draw"
    article = f"{moves} moves by each side without a capture or a man's move are {ending}."
    return MoveLimit(moves, frozenset({Event.CAPTURE, Event.MAN_MOVE}), claimed, article)


# Compared by identity: each game is one object, so that tables derived from it can be kept in a cache at no cost.
@dataclass(frozen=True, eq=False, repr=False)
class Variant:
    """A game of draughts.

    Attributes:
        key: its name on the command line.
        names: its name in languages "en", "eo", "sl".
        board: squares, names, numbers.
        start: the first position.
        movers: how each kind of piece moves; a kind that is missing does not exist in the game.
        source: where the rules come from.
        rules: the rules in sentences, for people.
        promotions: what turns into what, where.
        forward: rank step that is forward for White and for Black.
        removal: when captured pieces leave.
        turning: change of direction between jumps.
        may_stop: a capture may stop after any jump.
        preference: which captures are legal when there are several; first property first.
        opening: removals from the full board, if the game has them.
        king_run: most moves without capture in a row with one king of a side that has men too; None for no limit. It depends on
            the game so far: `Game` knows it, a verdict on a position does not.
        stuck_player_wins: the side without a legal move wins (otherwise it loses).
        draws: the draw rules.
        touch_move: the game's own rules bind a touched piece.
        missed_capture_may_stand: the opponent may let a missed or too small capture stand.
        pdn_game_type: value of the PDN tag GameType; None if the game has no number.
        capture_sign: sign between the squares of a capture in the game's own notation.
    """

    key: str
    names: Mapping[str, str]
    board: Board
    start: Position
    movers: Mapping[Kind, Mover]
    source: str
    rules: tuple[str, ...]
    promotions: Mapping[Kind, Promotion] = field(default_factory=dict)
    forward: tuple[int, int] = (1, -1)
    removal: Removal = Removal.AT_END
    turning: Turning = Turning.FREE
    may_stop: bool = False
    preference: tuple[Preference, ...] = ()
    opening: Opening | None = None
    king_run: int | None = None
    stuck_player_wins: bool = False
    draws: tuple[DrawRule, ...] = ()
    touch_move: bool = False
    missed_capture_may_stand: bool = False
    pdn_game_type: str | None = None
    capture_sign: str = "x"

    def __repr__(self) -> str:
        return f"<Variant {self.key}>"


def start(board: Board, placement: str, first: Colour) -> Position:
    """Return the start position of a placement."""
    return Position(read_placement(board.columns, board.rows, placement), first)
