"""A move of the rules -> transfers of single discs, and what the board looks like if one of them fails."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from damludo.play.content import CONTENT_OF_PIECE, board_content
from damludo.play.match.events import JsonValue
from damludo.robot.places import Rack, TableLayout, Transfer
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

    def as_json(self) -> dict[str, JsonValue]:
        """Return what stands in the events."""
        return {"white": self.white, "black": self.black}

    def changed(self, colour: Colour, by: int) -> "Racks":
        """Return the racks with some discs more (or fewer); a rack is never thought to hold less than nothing."""
        count = max(0, self.count(colour) + by)
        return replace(self, white=count) if colour is Colour.WHITE else replace(self, black=count)


@dataclass(frozen=True, slots=True)
class Carrying:
    """One transfer and what it changes on the board.

    Attributes:
        transfer: for the robot.
        source, target: squares; None for a rack slot.
        white: colour of the disc.
    """

    transfer: Transfer
    source: int | None
    target: int | None
    white: bool


@dataclass(frozen=True, slots=True)
class Choreography:
    """How the robot carries out one move.

    Attributes:
        carryings: one disc each, in order.
        before: what stands on the playable squares at first.
        final: what must stand there when the robot and, if need be, the human have done their parts.
        racks: the racks afterwards.
        left_for_human: sentences of what the robot cannot do itself (a crown without a spare disc, a full rack).
    """

    carryings: tuple[Carrying, ...]
    before: Mapping[int, Content]
    final: Mapping[int, Content]
    racks: Racks
    left_for_human: tuple[str, ...]

    @property
    def transfers(self) -> tuple[Transfer, ...]:
        """All transfers, in order."""
        return tuple(carrying.transfer for carrying in self.carryings)

    def content_without(self, missing: frozenset[int] = frozenset()) -> dict[int, Content]:
        """Return what stands on the board after all carryings but some (numbers from 0), whose discs stayed where they were."""
        content = dict(self.before)
        for number, carrying in enumerate(self.carryings):
            if number not in missing:
                _change(content, carrying.source, carrying.white, -1)
                _change(content, carrying.target, carrying.white, 1)
        return content

    def again(self, missing: frozenset[int]) -> tuple[Transfer, ...]:
        """Return the transfers that carry what is missing, from the board as it is without them."""
        content = self.content_without(missing)
        transfers = []
        for number in sorted(missing):
            carrying = self.carryings[number]
            transfers.append(
                replace(
                    carrying.transfer,
                    source_discs=1 if carrying.source is None else content[carrying.source].discs,
                    target_discs=0 if carrying.target is None else content[carrying.target].discs,
                )
            )
            _change(content, carrying.source, carrying.white, -1)
            _change(content, carrying.target, carrying.white, 1)
        return tuple(transfers)

    def possible_failures(self) -> tuple[frozenset[int], ...]:
        """Return the sets of carryings that may be missing: one disc was not taken along, or everything ended early."""
        count = len(self.carryings)
        ends = [frozenset(range(first, count)) for first in range(count)]
        singles = [frozenset({number}) for number in range(count)]
        return tuple(dict.fromkeys((*singles, *ends)))


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
    builder = Builder(layout, board_content(playable, before), racks)
    if move.origin != move.target:
        builder.carry(move.origin, move.target)
    for square in move.captures:
        builder.to_rack(square, _colour(before.at(square)))
    if move.becomes in KINGS:
        none_left = "No spare {colour} disc in the rack: put one on {place} as its crown."
        builder.from_rack(move.target, _colour(move.becomes), none_left)
    return builder.plan(board_content(playable, after))


def racks_after_human(before: Position, move: Move, racks: Racks) -> Racks:
    """Return the racks after a human's move: what he took lies in its rack, his crown came from his own."""
    for square in move.captures:
        piece = before.at(square)
        racks = racks.changed(_colour(piece), CONTENT_OF_PIECE[piece].discs)
    if move.becomes in KINGS:
        racks = racks.changed(_colour(move.becomes), -1)
    return racks


class Builder:
    """A choreography that grows: knows what stands where after each carrying.

    Args:
        content: what stands on the playable squares at first.
        racks: what is believed to lie in the racks at first.
    """

    def __init__(self, layout: TableLayout, content: Mapping[int, Content], racks: Racks) -> None:
        self._layout, self._racks = layout, racks
        self._before, self._content = content, dict(content)
        self._carryings: list[Carrying] = []
        self._left_for_human: list[str] = []

    def carry(self, origin: int, target: int) -> None:
        """One transfer for each disc; a king's two discs have one colour, so the upper one may become the lower."""
        piece = self._content[origin]
        for lying in range(piece.discs):
            transfer = Transfer(self._layout.square(origin), self._layout.square(target), piece.discs - lying, lying)
            self._add(Carrying(transfer, origin, target, piece.is_white))

    def to_rack(
        self,
        square: int,
        colour: Colour,
        leaving: int = 0,
        none_free: str = "The rack is full: take the disc off {place} and clear some slots.",
    ) -> None:
        """Carry the discs of a square to their rack, all but `leaving`; `none_free` asks a person where the rack is full."""
        place = self._layout.square(square)
        for discs in range(self._content[square].discs, leaving, -1):
            number = self._racks.count(colour) + 1
            if number > self._layout.slots:
                self._left_for_human.append(none_free.format(place=place.name))
                return
            self._racks = self._racks.changed(colour, 1)
            slot = self._layout.rack_slot(RACK_OF[colour], number)
            self._add(Carrying(Transfer(place, slot, discs, 0), square, None, colour is Colour.WHITE))

    def from_rack(self, square: int, colour: Colour, none_left: str) -> None:
        """Carry a disc from its rack onto a square; `none_left` asks a person where the rack is empty."""
        place, number = self._layout.square(square), self._racks.count(colour)
        if number == 0:
            self._left_for_human.append(none_left.format(colour=colour.word, place=place.name))
            return
        self._racks = self._racks.changed(colour, -1)
        slot = self._layout.rack_slot(RACK_OF[colour], number)
        lying = self._content[square].discs
        self._add(Carrying(Transfer(slot, place, 1, lying), None, square, colour is Colour.WHITE))

    def plan(self, final: Mapping[int, Content]) -> Choreography:
        """Return what has grown; `final` is what must stand on the board when it is done."""
        return Choreography(tuple(self._carryings), self._before, final, self._racks, tuple(self._left_for_human))

    def _add(self, carrying: Carrying) -> None:
        self._carryings.append(carrying)
        _change(self._content, carrying.source, carrying.white, -1)
        _change(self._content, carrying.target, carrying.white, 1)


def _change(content: dict[int, Content], square: int | None, white: bool, by: int) -> None:
    if square is not None:
        content[square] = _with_discs(white, content[square].discs + by)


def _with_discs(white: bool, discs: int) -> Content:
    if discs <= 0:
        return Content.EMPTY
    if white:
        return Content.WHITE_KING if discs > 1 else Content.WHITE_MAN
    return Content.BLACK_KING if discs > 1 else Content.BLACK_MAN


def _colour(piece: Piece) -> Colour:
    colour = piece.colour
    if colour is None:
        raise ValueError("a move cannot take or crown what is not there")
    return colour
