"""The referee's law as a whole: everything that was seen of a player's turn, as one ruling.

`conduct.judge` looks at the board that was left; `touching` knows the duties of touched discs; `penalties` what an offence costs.
Here they meet. Whatever is uncertain or unknown is left out of the account: it never leads to a penalty.
"""

from dataclasses import dataclass, field

from damludo.rules.actions import NO_ACTION, Action
from damludo.rules.penalties import Discipline, penalty_of
from damludo.rules.position import Position
from damludo.rules.touching import (
    SURE,
    Duty,
    Free,
    NoneCanMove,
    OpponentChooses,
    Touch,
    duty_of,
    judge_touched,
    must_move,
    sure_touches,
)
from damludo.rules.traits import Variant
from damludo.rules.verdicts import HandStays, Nothing, Offence, OpponentDecides, Ruling


@dataclass(frozen=True, slots=True)
class Turn:
    """What a player did while it was his turn, as far as it is known.

    Attributes:
        action: the disc moved, the discs taken off, the crown put on.
        touches: the discs touched, in order; what was touched before or after the turn is not given here.
        visited: squares where the moved disc was put down on its way, in order; none if that is not known.
        hand_left: the hand is off the board.
    """

    action: Action = NO_ACTION
    touches: tuple[Touch, ...] = ()
    visited: tuple[int, ...] = ()
    hand_left: bool = True


@dataclass(frozen=True, slots=True)
class Terms:
    """What the players have agreed about touching.

    Attributes:
        touch_move: a touched disc must move; None for what the game itself says.
        sure: how certain a touch must be to count, 0 to 1.
        discipline: how repeated offences are punished.
    """

    touch_move: bool | None = None
    sure: float = SURE
    discipline: Discipline = field(default_factory=Discipline)


AS_THE_GAME_SAYS = Terms()


def rule_on(
    variant: Variant,
    position: Position,
    turn: Turn,
    terms: Terms = AS_THE_GAME_SAYS,
    *,
    chosen: int | None = None,
    earlier: int = 0,
) -> Ruling:
    """Return the ruling on a turn of the side to move.

    Args:
        variant: the game.
        position: before the turn.
        turn: what the player did.
        terms: what the players have agreed.
        chosen: the square of the disc that the opponent has chosen among several touched ones; None if he has not been asked.
        earlier: how many offences of this player there were in the game before.
    """
    if not turn.hand_left:
        return HandStays(variant.board)
    duty = _duty(variant, position, turn, terms)
    if isinstance(duty, OpponentChooses):
        if chosen not in duty.squares:
            return OpponentDecides(duty.squares, variant.board)
        duty = must_move(variant, position, chosen)
    verdict = judge_touched(variant, position, turn.action, duty, turn.visited)
    if isinstance(duty, NoneCanMove) and isinstance(verdict, Nothing):
        return Offence(duty.squares, penalty_of(earlier, terms.discipline), variant.board)
    return verdict


def _duty(variant: Variant, position: Position, turn: Turn, terms: Terms) -> Duty:
    binds = variant.touch_move if terms.touch_move is None else terms.touch_move
    return duty_of(variant, position, sure_touches(turn.touches, terms.sure)) if binds else Free()
