"""How a game ends: no legal move, and the draw rules that each game names in its data."""

from collections.abc import Sequence
from dataclasses import dataclass

from damludo.rules.history import legal_in_game
from damludo.rules.moves import Move
from damludo.rules.position import Colour, Kind, Position, piece_of
from damludo.rules.tables import tables_of
from damludo.rules.traits import BareDraw, DrawRule, Event, Force, Material, MoveLimit, Repetition, Variant


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended.

    Attributes:
        winner: None for a draw.
        reason: the rule, in a sentence.
    """

    winner: Colour | None
    reason: str

    @property
    def text(self) -> str:
        """ "white wins", "black wins" or "draw"."""
        return "draw" if self.winner is None else f"{self.winner.word} wins"


def result_of(variant: Variant, positions: Sequence[Position], moves: Sequence[Move]) -> Result | None:
    """Return the result that stands without anybody asking for it; None while the game goes on.

    Args:
        variant: the game.
        positions: all positions, the start first; one more than moves.
        moves: all moves.
    """
    position = positions[-1]
    legal = legal_in_game(variant, positions, moves)
    if not legal:
        return _stuck(variant, position)
    for rule in variant.draws:
        if not _is_claimed(rule) and _stands(rule, variant, positions, moves, bool(legal[0].captures)):
            return Result(None, rule.article)
    return None


def draw_claims(variant: Variant, positions: Sequence[Position], moves: Sequence[Move]) -> tuple[str, ...]:
    """Return the articles of the draws that the side to move may claim."""
    return tuple(
        rule.article for rule in variant.draws if _is_claimed(rule) and _stands(rule, variant, positions, moves, False)
    )


def resigned(side: Colour) -> Result:
    """Return the result of a game that `side` has given up."""
    return Result(side.other, f"{side.word.capitalize()} resigned.")


def out_of_time(side: Colour) -> Result:
    """Return the result of a game in which the time of `side` is over."""
    return Result(side.other, f"{side.word.capitalize()} has no time left.")


def agreed_draw() -> Result:
    """Return the result of a game that both sides call a draw."""
    return Result(None, "The players agreed on a draw.")


def _stuck(variant: Variant, position: Position) -> Result:
    side = position.side
    own = tables_of(variant).own[side]
    has_pieces = any(code in own for code in position.cells)
    what = "no legal move" if has_pieces else "no piece left"
    if variant.stuck_player_wins:
        return Result(side, f"{side.word.capitalize()} has {what}, which wins in this game.")
    return Result(side.other, f"{side.word.capitalize()} has {what}.")


def _is_claimed(rule: DrawRule) -> bool:
    return not isinstance(rule, BareDraw) and rule.claimed


def _stands(
    rule: DrawRule, variant: Variant, positions: Sequence[Position], moves: Sequence[Move], can_capture: bool
) -> bool:
    match rule:
        case Repetition():
            return repetitions(positions) >= rule.times
        case MoveLimit():
            return moves_counted(rule, positions, moves) >= rule.moves * (1 if rule.strong_only else 2)
        case BareDraw():
            return not can_capture and strong_side(rule.material, positions[-1]) is not None


def repetitions(positions: Sequence[Position]) -> int:
    """Return how often the last position has stood, with the same side to move, this time included."""
    return sum(position == positions[-1] for position in positions)


def moves_counted(rule: MoveLimit, positions: Sequence[Position], moves: Sequence[Move]) -> int:
    """Return how many plies at the end count for a rule: those after the last event that restarts it.

    With `strong_only` the plies of the stronger side alone are counted.
    """
    strong = strong_side(rule.material, positions[-1]) if rule.material else None
    if rule.material and strong is None:
        return 0
    counted = 0
    for before, move in zip(reversed(positions[:-1]), reversed(moves), strict=True):
        if events_of(move) & rule.resets or (rule.material and strong_side(rule.material, before) != strong):
            break
        counted += not rule.strong_only or before.side == strong
    return counted


def events_of(move: Move) -> frozenset[Event]:
    """Return what a move is to the draw rules."""
    events = set()
    if move.captures:
        events.add(Event.CAPTURE)
    if move.piece.kind is not Kind.KING:
        events.add(Event.MAN_MOVE)
    if move.becomes is not None:
        events.add(Event.CROWNING)
    return frozenset(events)


def strong_side(material: Material, position: Position) -> Colour | None:
    """Return the colour that is the strong side of a balance, White if both could be; None if the balance does not stand."""
    pieces = len(position.cells) - position.cells.count(0)
    if not material.total[0] <= pieces <= material.total[1]:
        return None
    for colour in Colour:
        if _has(material.strong, position.cells, colour) and _has(material.weak, position.cells, colour.other):
            return colour
    return None


def _has(force: Force, cells: bytes, colour: Colour) -> bool:
    codes = [piece_of(colour, kind) for kind in Kind]
    pieces = sum(cells.count(code) for code in codes)
    kings = cells.count(piece_of(colour, Kind.KING))
    if not (force.pieces[0] <= pieces <= force.pieces[1] and force.kings[0] <= kings <= force.kings[1]):
        return False
    within = force.within
    return within is None or all(square in within for square, code in enumerate(cells) if code in codes)
