"""Taking moves back: the machine's hands undo what was done, the last move first."""

from damludo.play.content import CONTENT_OF_PIECE, board_content
from damludo.play.match.choreography import RACK_OF, Carrying, Choreography, Racks
from damludo.robot.places import TableLayout, Transfer
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.position import Colour, Position


def choreograph_back(layout: TableLayout, game: Game, earlier: Game, racks: Racks) -> Choreography:
    """Plan the transfers that turn the board of a game into that of an earlier moment of it.

    Each move is undone in the reverse of its order: the crown comes off, the piece goes back to where it came from (its square is
    empty, and what it captured is not there yet), then the captured discs come from the rack.

    Args:
        game, earlier: the same game, now and before some of its moves.
        racks: what is believed to lie in the racks now.
    """
    builder = _Unbuilder(layout, racks)
    for ply in range(len(game.moves) - 1, len(earlier.moves) - 1, -1):
        builder.undo(game.positions[ply], game.positions[ply + 1], game.moves[ply])
    playable = game.variant.board.playable
    return Choreography(
        tuple(builder.carryings),
        board_content(playable, game.position),
        board_content(playable, earlier.position),
        builder.racks,
        tuple(builder.left_for_human),
    )


def by_hand(game: Game, earlier: Game, racks: Racks) -> Choreography:
    """Return the plan in which a person turns the board of a game into another one.

    Args:
        racks: what lies in the racks afterwards.
    """
    playable = game.variant.board.playable
    now, final = (board_content(playable, each.position) for each in (game, earlier))
    return Choreography((), now, final, racks, ())


class _Unbuilder:
    def __init__(self, layout: TableLayout, racks: Racks) -> None:
        self._layout, self.racks = layout, racks
        self.carryings: list[Carrying] = []
        self.left_for_human: list[str] = []

    def undo(self, before: Position, after: Position, move: Move) -> None:
        mover = before.at(move.origin).colour
        assert mover is not None
        discs = CONTENT_OF_PIECE[before.at(move.origin)].discs
        if move.path:
            crowns = CONTENT_OF_PIECE[after.at(move.target)].discs - discs
            for lying in range(crowns):
                self._to_rack(move.target, mover, discs + crowns - lying)
            if move.origin != move.target:
                self._back(move, mover, discs)
        for square in reversed(move.captures):
            piece = before.at(square)
            colour = piece.colour
            assert colour is not None
            for lying in range(CONTENT_OF_PIECE[piece].discs):
                self._from_rack(square, colour, lying)

    def _back(self, move: Move, colour: Colour, discs: int) -> None:
        source, target = self._layout.square(move.target), self._layout.square(move.origin)
        for lying in range(discs):
            transfer = Transfer(source, target, discs - lying, lying)
            self.carryings.append(Carrying(transfer, move.target, move.origin, colour is Colour.WHITE))

    def _to_rack(self, square: int, colour: Colour, discs: int) -> None:
        place, number = self._layout.square(square), self.racks.count(colour) + 1
        if number > self._layout.slots:
            self.left_for_human.append(f"The rack is full: take the crown off {place.name}.")
            return
        self.racks = self.racks.changed(colour, 1)
        slot = self._layout.rack_slot(RACK_OF[colour], number)
        self.carryings.append(Carrying(Transfer(place, slot, discs, 0), square, None, colour is Colour.WHITE))

    def _from_rack(self, square: int, colour: Colour, lying: int) -> None:
        place, number = self._layout.square(square), self.racks.count(colour)
        if number == 0:
            self.left_for_human.append(f"The rack is empty: put a {colour.word} disc back on {place.name}.")
            return
        self.racks = self.racks.changed(colour, -1)
        slot = self._layout.rack_slot(RACK_OF[colour], number)
        self.carryings.append(Carrying(Transfer(slot, place, 1, lying), None, square, colour is Colour.WHITE))
