"""How long a move may take: a margin that learns, and patience that depends on the score."""

import pytest

from damludo.engine.budget import Clock, Margin, Patience, most_seconds_for, seconds_for


def test_a_late_answer_makes_the_next_search_end_that_much_sooner() -> None:
    margin = Margin()
    assert margin.within(0.1) == pytest.approx(0.098)

    margin.learn(spent_s=0.113, allowed_s=0.1)

    assert margin.within(0.1) == pytest.approx(0.085)


def test_the_margin_fades_where_answers_come_in_time() -> None:
    margin = Margin()
    margin.learn(spent_s=0.12, allowed_s=0.1)
    first = margin.within(0.1)

    for _ in range(50):
        margin.learn(spent_s=0.09, allowed_s=0.1)

    assert first == pytest.approx(0.078)
    assert margin.within(0.1) == pytest.approx(0.098)


def test_half_of_the_time_is_searched_however_late_an_answer_was() -> None:
    margin = Margin()
    margin.learn(spent_s=30.0, allowed_s=0.1)

    assert margin.within(0.1) == 0.05


@pytest.mark.parametrize(
    ("scores", "spent_s", "ends"),
    [
        pytest.param((10, 10), 0.5, False, id="little of the time is gone"),
        pytest.param((10, 10), 0.6, True, id="another depth would not be finished"),
        pytest.param((10, -10), 0.6, False, id="the score has fallen"),
        pytest.param((10, -10), 1.0, True, id="but not without end"),
    ],
)
def test_a_search_goes_on_longer_where_the_score_has_fallen(
    scores: tuple[int, int], spent_s: float, ends: bool
) -> None:
    patience = Patience(1.0)
    patience.ends(0.1, scores[0])

    assert patience.ends(spent_s, scores[1]) is ends


def test_all_of_a_move_time_is_used() -> None:
    assert Patience(None).ends(1e9, 0) is False


@pytest.mark.parametrize("clock", [Clock(60.0), Clock(60.0, 1.0), Clock(0.1, 10.0), Clock(10.0, moves=1), Clock(0.2)])
def test_a_difficult_move_never_takes_what_is_not_there(clock: Clock) -> None:
    assert seconds_for(clock) <= most_seconds_for(clock) <= max(clock.time_s, 0.005)


def test_the_last_move_of_a_period_leaves_a_part_of_its_time() -> None:
    assert most_seconds_for(Clock(1.0, moves=1)) == pytest.approx(0.8 - 0.03)
    assert most_seconds_for(Clock(60.0, moves=1)) == pytest.approx(59.5 - 0.03)
