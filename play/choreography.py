"""A move of the rules -> transfers of single discs, and what the board looks like after each of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from damludo.play.content import CONTENT_OF_PIECE, board_content
from damludo.robot.places import Place, Rack, TableLayout, Transfer
from damludo.rules.moves import Move
from damludo.rules.position import Colour, Piece, Position
from damludo.vision.content import Content

RACK_OF = {Colour.WHITE: Rack.WHITE, Colour.BLACK: Rack.BLACK}
KINGS = (Piece.WHITE_KING, Piece.BLACK_KING)


@dataclass(frozen=True, slots=True)
class Racks:
    """How many discs are believed to lie in each rack, always in slots 1, 2, 3 ... without gaps."""

    white: int
    black: int

    def count(self, colour: Colour) -> int:
        """Return the number of discs in a side's rack."""
        return self.white if colour is Colour.WHITE else self.black

    def changed(self, colour: Colour, by: int) -> "Racks":
        """Return the racks with some discs more (or fewer); a rack is never thought to hold less than nothing."""
        count = max(0, self.count(colour) + by)
        return replace(self, white=count) if colour is Colour.WHITE else replace(self, black=count)


@dataclass(frozen=True, slots=True)
class Choreography:
    """How the robot carries out one move.

    Attributes:
        transfers: one disc each, in order.
        contents: what stands on the playable squares before the first and after each transfer; one longer than `transfers`.
        racks: the racks afterwards.
        left_for_human: sentences of what the robot cannot do itself (a crown without a spare disc, a full rack).
        final: what must stand on the board when the human has done his part too.
    """

    transfers: tuple[Transfer, ...]
    contents: tuple[Mapping[int, Content], ...]
    racks: Racks
    left_for_human: tuple[str, ...]
    final: Mapping[int, Content]


def choreograph(
    layout: TableLayout, playable: tuple[int, ...], before: Position, after: Position, move: Move, racks: Racks
) -> Choreography:
    """Plan the transfers of a move.

    The moving piece goes first and straight to its last square (nothing has to be jumped in the air, and its target is
    empty in every game), then the captured pieces are lifted off in the order they were taken, then the crown is put on.

    Args:
        before, after: positions before and after the move.
        racks: what is believed to lie in the racks now.
    """
    builder = _Builder(layout, board_content(playable, before), racks)
    if move.origin != move.target:
        builder.carry(move.origin, move.target)
    for square in move.captures:
        builder.remove(square, _colour(before.at(square)))
    if move.becomes in KINGS:
        builder.crown(move.target, _colour(move.becomes))
    return Choreography(
        tuple(builder.transfers),
        tuple(builder.contents),
        builder.racks,
        tuple(builder.left_for_human),
        board_content(playable, after),
    )


def racks_after_human(before: Position, move: Move, racks: Racks) -> Racks:
    """Return the racks after a human's move: what he took lies in its rack, his crown came from his own."""
    for square in move.captures:
        piece = before.at(square)
        racks = racks.changed(_colour(piece), CONTENT_OF_PIECE[piece].discs)
    if move.becomes in KINGS:
        racks = racks.changed(_colour(move.becomes), -1)
    return racks


class _Builder:
    def __init__(self, layout: TableLayout, content: dict[int, Content], racks: Racks) -> None:
        self.layout, self.racks = layout, racks
        self.transfers: list[Transfer] = []
        self.contents: list[Mapping[int, Content]] = [dict(content)]
        self.left_for_human: list[str] = []

    def carry(self, origin: int, target: int) -> None:
        """One transfer for each disc; a king's two discs have one colour, so the upper one may become the lower."""
        piece = self._content(origin)
        for lying in range(piece.discs):
            self._transfer(
                Transfer(self.layout.square(origin), self.layout.square(target), piece.discs - lying, lying),
                {origin: _with_discs(piece, piece.discs - lying - 1), target: _with_discs(piece, lying + 1)},
            )

    def remove(self, square: int, colour: Colour) -> None:
        piece = self._content(square)
        for left in range(piece.discs - 1, -1, -1):
            number = self.racks.count(colour) + 1
            place = self.layout.square(square)
            if number > self.layout.slots:
                self.left_for_human.append(f"The rack is full: take the disc off {place.name} and clear some slots.")
                return
            self.racks = self.racks.changed(colour, 1)
            self._transfer(Transfer(place, self._slot(colour, number), left + 1, 0), {square: _with_discs(piece, left)})

    def crown(self, square: int, colour: Colour) -> None:
        number = self.racks.count(colour)
        if number == 0:
            name = self.layout.square(square).name
            self.left_for_human.append(
                f"No spare {colour.name.lower()} disc in the rack: put one on {name} as its crown."
            )
            return
        self.racks = self.racks.changed(colour, -1)
        king = Content.WHITE_KING if colour is Colour.WHITE else Content.BLACK_KING
        self._transfer(Transfer(self._slot(colour, number), self.layout.square(square), 1, 1), {square: king})

    def _slot(self, colour: Colour, number: int) -> Place:
        return self.layout.rack_slot(RACK_OF[colour], number)

    def _content(self, square: int) -> Content:
        return self.contents[-1][square]

    def _transfer(self, transfer: Transfer, changes: Mapping[int, Content]) -> None:
        self.transfers.append(transfer)
        self.contents.append({**self.contents[-1], **changes})


def _with_discs(piece: Content, discs: int) -> Content:
    if discs == 0:
        return Content.EMPTY
    if piece.is_white:
        return Content.WHITE_KING if discs == 2 else Content.WHITE_MAN
    return Content.BLACK_KING if discs == 2 else Content.BLACK_MAN


def _colour(piece: Piece) -> Colour:
    colour = piece.colour
    if colour is None:
        raise ValueError("a move cannot take or crown what is not there")
    return colour
