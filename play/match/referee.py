"""Joins what the pictures say with what the law says: a reading and a game -> a ruling.

Everything a human may have done (all legal moves, each of them unfinished, illegal moves, nothing) becomes an outcome with the
board it would leave; the eyes rank the outcomes. The referee never rules on less than a clear lead: then it asks.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic

from damludo.play.content import CONTENT_OF_CELL
from damludo.rules.actions import board_after, possible_actions
from damludo.rules.conduct import judge_board
from damludo.rules.game import Game
from damludo.rules.position import Position
from damludo.rules.traits import Variant
from damludo.rules.verdicts import Illegal, Legal, Nothing, Reason, Unfinished, Verdict
from damludo.vision.content import Content
from damludo.vision.reading import BoardReading
from damludo.vision.recognise import AnyOutcome, Ranking, rank

READ_AGAIN = 3
"""An unclear reading is repeated this often, on fresh pictures, before a person is asked."""

LOG_PRIOR: Mapping[type, float] = {Legal: 0.0, Nothing: 0.0, Unfinished: -4.0, Illegal: -8.0}
"""Priors of what a human did, in nats (from the event model: illegal acts are rare, so they need better evidence)."""

FORGOTTEN_CROWN_LOG_PRIOR = -3.0
"""The same for a move that lacks nothing but its crown: that is forgotten more easily than half of a move is left. A man has to
lead a king by so much, and then is one with 95 %. Of 960 crowns that lay, 124 of them beside a reflection or in a head's shadow,
none looked so much like a man; of 836 men in even light 0.7 % led by less."""

UNDUE_CROWN_LOG_PRIOR = -17.0
"""The same for a second disc that was laid on a man without need: nobody fetches one for nothing. It is told where both looks
at his height see nothing but a king (they say 20 at most)."""

PARTED_KING_LOG_PRIOR = -12.0
"""The same for a king of which only one disc was carried: who lifts a disc sees that another one lies below it. The square that a
black king left looks like a black man's in bad light: that he stands there must be seen clearly."""


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """One thing that a human may have done, as the eyes are asked about it."""

    verdict: Verdict
    content: Mapping[int, Content]
    log_prior: float


@dataclass(frozen=True, slots=True)
class Ruling:
    """The referee's answer.

    Attributes:
        verdict: of the most likely action.
        content: the board which that action leaves.
        sure: False means: ask, do not rule.
        margin_nats: lead over the best action that leaves another board.
        gap_nats: by how much the best free reading explains the picture better; large = something nobody thought of.
        doubtful: the squares on which the reading and `content` differ, or that are hard to see; worst first.
    """

    verdict: Verdict
    content: Mapping[int, Content]
    sure: bool
    margin_nats: float
    gap_nats: float
    doubtful: tuple[int, ...]


def rule(game: Game, reading: BoardReading) -> Ruling:
    """Say what the human most likely did since the game's position, and whether that is sure."""
    ranking = rank(reading, _outcomes(game.variant, game.position))
    settled = settle(ranking)
    best = settled.outcome
    return Ruling(
        best.verdict,
        best.content,
        settled.sure,
        settled.margin_nats,
        ranking.free_gap_nats,
        doubtful_squares(reading, best.content),
    )


@dataclass(frozen=True, slots=True)
class Settled(Generic[AnyOutcome]):
    """A ranking with doubtful crowns settled.

    Attributes:
        outcome: the best one.
        margin_nats: its lead over the best outcome that differs by more than crowns.
        sure: by both limits of the ranking.
    """

    outcome: AnyOutcome
    margin_nats: float
    sure: bool


def settle(ranking: Ranking[AnyOutcome]) -> Settled[AnyOutcome]:
    """Choose the best outcome; one that differs from it by a crown alone is no rival: that height was weighed, with its prior.

    A second disc is the hardest thing to see from above: who waited for a clear lead would ask about every crown.
    """
    first = ranking.candidates[0]
    rivals = (c for c in ranking.candidates[1:] if not _differ_by_crown(first.outcome.content, c.outcome.content))
    margin = min((first.lead_over(rival) for rival in rivals), default=math.inf)
    return Settled(first.outcome, margin, margin >= ranking.margin_limit_nats and ranking.explained)


def _differ_by_crown(one: Mapping[int, Content], other: Mapping[int, Content]) -> bool:
    """Return True for two boards with discs of the same colours on the same squares."""
    return all(_same_discs(a, b) for a, b in zip(one.values(), other.values(), strict=True))


def _same_discs(one: Content, other: Content) -> bool:
    return one is other or (one.discs > 0 and other.discs > 0 and one.is_white is other.is_white)


AGREEMENT_NATS = 6.0
"""A board that explains the picture worse than the best one by less than this may well be what stands there."""


def agrees(reading: BoardReading, content: Mapping[int, Content]) -> bool:
    """Return True if a reading shows these discs, whatever it thinks of their crowns."""
    gap = 0.0
    for square, piece in content.items():
        row = reading.log_likelihood[square]
        gap += float(row.max()) - max(float(row[other]) for other in Content if _same_discs(piece, other))
    return gap < AGREEMENT_NATS


def wrong_squares(reading: BoardReading, content: Mapping[int, Content]) -> tuple[int, ...]:
    """Return the squares that seem to hold other discs than these; a doubtful crown is not counted."""
    seen = reading.most_likely()
    return tuple(square for square, piece in content.items() if not _same_discs(seen[square], piece))


def contradicted_squares(reading: BoardReading, content: Mapping[int, Content]) -> tuple[int, ...]:
    """Return the squares that clearly hold something else than this, crowns included."""
    rows = reading.log_likelihood
    return tuple(
        square for square, piece in content.items() if float(rows[square].max() - rows[square][piece]) >= AGREEMENT_NATS
    )


def doubtful_squares(reading: BoardReading, content: Mapping[int, Content], most: int = 4) -> tuple[int, ...]:
    """Return the squares where another content explains the picture nearly as well or better; worst first."""

    def lead(square: int) -> float:
        row = reading.log_likelihood[square]
        return float(row[content[square]] - max(row[c] for c in Content if c is not content[square]))

    doubts = sorted((lead(square), square) for square in content)
    return tuple(square for value, square in doubts if value < 3.0)[:most]


def _log_prior(verdict: Verdict) -> float:
    if isinstance(verdict, Unfinished):
        if verdict.disc_left is not None:
            return PARTED_KING_LOG_PRIOR
        if verdict.crown_missing and not (verdict.discs_to_remove or verdict.continue_to):
            return FORGOTTEN_CROWN_LOG_PRIOR
    if isinstance(verdict, Illegal) and verdict.reason is Reason.NO_CROWN_DUE:
        return UNDUE_CROWN_LOG_PRIOR
    return LOG_PRIOR[type(verdict)]


@lru_cache(maxsize=4)
def _outcomes(variant: Variant, position: Position) -> tuple[ActionOutcome, ...]:
    outcomes = []
    # Actions that leave the same board cannot be told apart: each board is judged once.
    boards = dict.fromkeys(board_after(variant, position, action) for action in possible_actions(variant, position))
    for cells in boards:
        verdict = judge_board(variant, position, cells)
        content = {square: CONTENT_OF_CELL[cells[square]] for square in variant.board.playable}
        outcomes.append(ActionOutcome(verdict, content, _log_prior(verdict)))
    return tuple(outcomes)
