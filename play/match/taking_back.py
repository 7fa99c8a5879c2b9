"""Taking moves back: the machine's hands undo what was done, the last move first."""

from damludo.play.content import CONTENT_OF_PIECE, board_content
from damludo.play.match.choreography import Builder, Choreography, Racks
from damludo.robot.places import TableLayout
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.position import Position


def choreograph_back(layout: TableLayout, game: Game, earlier: Game, racks: Racks) -> Choreography:
    """Plan the transfers that turn the board of a game into that of an earlier moment of it.

    Each move is undone in the reverse of its order: the crown comes off, the piece goes back to where it came from (its square is
    empty, and what it captured is not there yet), then the captured discs come from the rack.

    Args:
        game, earlier: the same game, now and before some of its moves.
        racks: what is believed to lie in the racks now.
    """
    playable = game.variant.board.playable
    builder = Builder(layout, board_content(playable, game.position), racks)
    for ply in range(len(game.moves) - 1, len(earlier.moves) - 1, -1):
        _undo(builder, game.positions[ply], game.moves[ply])
    return builder.plan(board_content(playable, earlier.position))


def by_hand(game: Game, earlier: Game, racks: Racks) -> Choreography:
    """Return the plan in which a person turns the board of a game into another one.

    Args:
        racks: what lies in the racks afterwards.
    """
    playable = game.variant.board.playable
    now, final = (board_content(playable, each.position) for each in (game, earlier))
    return Choreography((), now, final, racks, ())


def _undo(builder: Builder, before: Position, move: Move) -> None:
    piece = before.at(move.origin)
    assert piece.colour is not None
    if move.path:
        full = "The rack is full: take the crown off {place}."
        builder.to_rack(move.target, piece.colour, CONTENT_OF_PIECE[piece].discs, full)
        if move.origin != move.target:
            builder.carry(move.target, move.origin)
    for square in reversed(move.captures):
        captured = before.at(square)
        assert captured.colour is not None
        for _ in range(CONTENT_OF_PIECE[captured].discs):
            builder.from_rack(square, captured.colour, "The rack is empty: put a {colour} disc back on {place}.")
