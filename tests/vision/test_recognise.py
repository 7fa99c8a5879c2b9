"""Ranking of outcomes: against a slow twin, and what "sure" means."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from damludo.vision.content import Content, Grid
from damludo.vision.reading import BoardReading
from damludo.vision.recognise import PLACE_LIMIT_NATS, rank

GRID = Grid(8, 8, tuple(place for place in range(64) if (place // 8 + place % 8) % 2 == 0))
E, W, B = Content.EMPTY, Content.WHITE_MAN, Content.BLACK_MAN


@dataclass(frozen=True)
class Told:
    content: Mapping[int, Content]
    log_prior: float = 0.0
    name: str = ""


def reading_of(content: Mapping[int, Content], lead: float = 8.0) -> BoardReading:
    table = np.zeros((64, 5))
    for place in GRID.playable:
        table[place] = -lead
        table[place, content[place]] = 0.0
    return BoardReading(GRID, table, 1.0, 7)


def board(**discs: Content) -> dict[int, Content]:
    """board(c3=W): algebraic names."""
    told = {(int(name[1]) - 1) * 8 + ord(name[0]) - ord("a"): what for name, what in discs.items()}
    return {place: told.get(place, E) for place in GRID.playable}


def random_outcomes(count: int, seed: int) -> list[Told]:
    rng = np.random.default_rng(seed)
    return [
        Told(
            {place: Content(int(c)) for place, c in zip(GRID.playable, rng.integers(0, 5, 32), strict=True)},
            -float(n % 9),
        )
        for n in range(count)
    ]


def test_the_outcome_that_is_seen_comes_first() -> None:
    moved, nothing = Told(board(d4=W)), Told(board(c3=W))
    ranking = rank(reading_of(board(d4=W)), [nothing, moved])
    assert ranking.best is moved
    assert ranking.margin_nats == pytest.approx(16.0)
    assert ranking.free_gap_nats == 0.0
    assert ranking.sure


def test_scores_agree_with_the_slow_twin() -> None:
    rng = np.random.default_rng(3)
    reading = BoardReading(GRID, rng.normal(0, 5, (64, 5)), 0.0, 0)
    outcomes = random_outcomes(200, 4)
    twin = sorted(-(reading.score(o.content) + o.log_prior) for o in outcomes)
    ranking = rank(reading, outcomes)
    assert [-c.score for c in ranking.candidates] == pytest.approx(twin)
    best = ranking.candidates[0]
    assert ranking.free_gap_nats == pytest.approx(reading.free_score() - reading.score(best.outcome.content))


def test_a_prior_decides_between_equal_boards_and_both_are_listed() -> None:
    likely, unlikely = Told(board(d4=W), 0.0, "legal"), Told(board(d4=W), -8.0, "illegal")
    ranking = rank(reading_of(board(d4=W)), [unlikely, likely])
    assert ranking.candidates[0].outcomes == (likely, unlikely)
    assert ranking.margin_nats == math.inf


def test_a_small_lead_is_not_sure() -> None:
    table = reading_of(board(d4=W)).log_likelihood.copy()
    table[18, :] = table[27, :] = 0.0
    ranking = rank(BoardReading(GRID, table, 0.0, 0), [Told(board(d4=W)), Told(board(c3=W))])
    assert ranking.margin_nats == 0.0
    assert not ranking.sure


def test_a_board_that_nobody_thought_of_is_not_sure() -> None:
    """The disc left the board: every outcome offered explains it badly."""
    ranking = rank(reading_of(board(), lead=30.0), [Told(board(d4=W)), Told(board(c3=W, d4=W))])
    assert ranking.margin_nats == pytest.approx(PLACE_LIMIT_NATS)
    assert ranking.free_gap_nats == pytest.approx(30.0)
    assert not ranking.explained
    assert not ranking.sure


E5, F6 = 36, 45


def test_a_neighbour_that_is_misread_does_not_win_the_move_for_another_man() -> None:
    """Black's man left e5 and little shows of it; f6 is in a reflection and looks empty, though its man stands there."""
    table = reading_of(board(d4=B)).log_likelihood.copy()
    table[E5], table[F6] = [0.0, -8.0, -8.0, -8.0, -8.0], [0.0, -14.0, -14.0, -14.0, -14.0]
    true, other = Told(board(d4=B, f6=B)), Told(board(d4=B, e5=B))
    ranking = rank(BoardReading(GRID, table, 0.0, 0), [true, other])
    assert ranking.best is other
    assert ranking.margin_nats == pytest.approx(4.0)
    assert ranking.explained
    assert not ranking.sure


def test_an_unlikely_outcome_that_one_place_shows_has_only_its_prior_against_it() -> None:
    nothing, taken_off = Told(board(d4=B)), Told(board(), log_prior=-8.0)
    ranking = rank(reading_of(board(), lead=18.0), [nothing, taken_off])
    assert ranking.best is taken_off
    assert ranking.margin_nats == pytest.approx(10.0)


def test_the_order_of_a_content_does_not_matter() -> None:
    content = board(d4=W, e5=B)
    turned = dict(reversed(content.items()))
    ranking = rank(reading_of(content), [Told(turned), Told(content)])
    assert len(ranking.candidates) == 1


def test_no_outcome_and_a_missing_place_are_refused() -> None:
    with pytest.raises(ValueError, match="nothing to rank"):
        rank(reading_of(board()), [])
    with pytest.raises(ValueError, match="place 27"):
        rank(reading_of(board()), [Told({place: E for place in GRID.playable if place != 27})])


def test_eight_hundred_outcomes_take_a_few_milliseconds() -> None:
    outcomes, reading = random_outcomes(800, 5), reading_of(board())
    least = math.inf
    for _ in range(5):
        begin = time.process_time()
        rank(reading, outcomes)
        least = min(least, time.process_time() - begin)
    assert least < 0.012
