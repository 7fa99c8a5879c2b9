"""Setting the position: a person says what truly stands on the board, and the game goes on from there.

The eyes may have been wrong, or a sleeve may have swept the discs away. The person's word counts; where the camera sees something
else he is asked once more before the machine goes by it.
"""

from collections.abc import Callable, Mapping, Sequence

from damludo.play.content import CONTENT_OF_PIECE
from damludo.play.match.choreography import Racks
from damludo.play.match.events import JsonValue
from damludo.play.match.lookout import Lookout
from damludo.play.match.referee import agrees, contradicted_squares, wrong_squares
from damludo.play.match.setting_up import IDLE_CHECK_S
from damludo.robot.places import TableLayout
from damludo.rules.errors import BadPosition
from damludo.rules.fen import parse_fen, read_square
from damludo.rules.game import Game
from damludo.rules.position import LETTERS, Colour, Piece, Position, piece_of
from damludo.rules.traits import Variant
from damludo.vision.content import LETTER_OF_CONTENT, Content
from damludo.vision.reading import BoardReading

AS_SET, NOT_SET = "stands", "leave"
"""The answers to the question whether the board truly stands as it was entered."""
CHOICES = {AS_SET: "It stands so: go on from there", NOT_SET: "Leave the game as it was"}


def read_position(variant: Variant, fen: str) -> Position:
    """Return a position that a person says stands on the board.

    Raises:
        BadPosition: it cannot be read, no game leads to it, or the game would be over.
    """
    position = parse_fen(variant, fen)
    for colour in Colour:
        _check_side(variant, position, colour)
    gone = any(_count(variant, position, colour) == 0 for colour in Colour)
    if gone or Game.new(variant, position).result() is not None:
        raise BadPosition(
            "the game would be over in this position; set the one before the last move, then the last move is seen"
        )
    return position


def changed_position(variant: Variant, position: Position, text: str) -> Position:
    """Return a position with the changes of a text like "e5=b d4=. to=w": letters as in a placement, `to` the side to move.

    Raises:
        BadPosition: a change cannot be read.
        NoSuchSquare: a square is none of the board.
    """
    cells, side = bytearray(position.cells), position.side
    for word in text.split():
        name, _, letter = word.partition("=")
        if name.lower() == "to" and letter.lower() in SIDES:
            side = SIDES[letter.lower()]
        elif len(letter) == 1 and letter in LETTERS:
            cells[read_square(variant, name.lower())] = LETTERS.index(letter)
        else:
            raise BadPosition(f"'{word[:20]}' is no change like e5=b; pieces are w b W B x y, '.' is empty")
    return Position(bytes(cells), side)


SIDES = {"w": Colour.WHITE, "b": Colour.BLACK}


def _check_side(variant: Variant, position: Position, colour: Colour) -> None:
    most, count = _count(variant, variant.start, colour), _count(variant, position, colour)
    if count > most:
        raise BadPosition(f"{colour.word} has {count} pieces; in this game a side has at most {most}")
    for square in variant.board.playable:
        piece = position.at(square)
        promotion = None if piece.kind is None else variant.promotions.get(piece.kind)
        if promotion is None or piece.colour is not colour or square not in promotion.squares[colour]:
            continue
        if piece is not variant.start.at(square):
            name = variant.board.own_name(square)
            raise BadPosition(
                f"no {_word(piece)} can stand on {name}: there it becomes a {_word(piece_of(colour, promotion.becomes))}"
            )


def _word(piece: Piece) -> str:
    assert piece.colour is not None
    assert piece.kind is not None
    return f"{piece.colour.word} {piece.kind.value}"


def _count(variant: Variant, position: Position, colour: Colour) -> int:
    return sum(position.at(square).colour is colour for square in variant.board.playable)


def racks_beside(layout: TableLayout, before: Position, after: Position, racks: Racks) -> Racks:
    """Return the racks when one position was made of another by hand: no disc is lost, what left the board lies in them."""
    for colour in Colour:
        left = _discs(before, colour) - _discs(after, colour)
        racks = racks.changed(colour, min(left, layout.slots - racks.count(colour)))
    return racks


def _discs(position: Position, colour: Colour) -> int:
    pieces = (position.at(square) for square in range(len(position.cells)))
    return sum(CONTENT_OF_PIECE[piece].discs for piece in pieces if piece.colour is colour)


def differing(one: Position, other: Position) -> list[int]:
    """Return the squares on which two positions differ."""
    return [square for square, (a, b) in enumerate(zip(one.cells, other.cells, strict=True)) if a != b]


def seen_otherwise(reading: BoardReading, content: Mapping[int, Content]) -> Sequence[int]:
    """Return the squares on which a camera sees something else, crowns included."""
    return sorted({*wrong_squares(reading, content), *contradicted_squares(reading, content)})


def stands_so(lookout: Lookout, content: Mapping[int, Content], answer: Callable[[], str | None]) -> bool:
    """Wait until the board shows what a person entered, or he says that it does; False if he takes it back.

    Args:
        answer: the person's answer to the question; None as long as there is none.

    Raises:
        Impatient: there was no progress for too long.
    """
    told: Sequence[int] | None = None
    while True:
        lookout.wait_for_quiet()
        if (said := answer()) is not None:
            return said == AS_SET
        reading = lookout.read()
        other = seen_otherwise(reading, content)
        if not other and agrees(reading, content):
            return True
        if other != told:
            told = other
            _ask(lookout, other, content)
        lookout.wait_for_hand(IDLE_CHECK_S)


def _ask(lookout: Lookout, other: Sequence[int], content: Mapping[int, Content]) -> None:
    duties = lookout.duties(other, content) or "the board cannot be seen clearly."
    wanted: dict[str, JsonValue] = {
        str(name): LETTER_OF_CONTENT[content[square]] for name, square in zip(lookout.names(other), other, strict=True)
    }
    text = f"I do not see the board as you entered it: {duties} Does it stand so?"
    lookout.ask("position", text, CHOICES, squares=list(wanted), wanted=wanted)
