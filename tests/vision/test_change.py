"""The change map: which places changed between two quiet pictures."""

from collections.abc import Callable

import numpy as np
import pytest

from damludo.vision.change import MOST_EVIDENCE, PatchSampler, evidence_of_score
from damludo.vision.content import Content
from damludo.vision.frame import Image
from damludo.vision.view import BoardView

Draw = Callable[..., Image]
Board = dict[int, Content]
C3, D4 = 18, 27


@pytest.fixture
def sampler(view_from_above: BoardView) -> PatchSampler:
    return PatchSampler(view_from_above)


def disturbed(ratio: np.ndarray) -> set[int]:
    return {int(place) for place in np.flatnonzero(ratio > 0)}


@pytest.mark.parametrize("tilt", [0.0, 0.5, -0.4])
def test_exactly_the_changed_places_are_disturbed(sampler: PatchSampler, draw: Draw, start: Board, tilt: float) -> None:
    """Also when a lamp was switched on one side."""
    light = np.tile(np.linspace(1.0 - tilt / 2, 1.0 + tilt / 2, 640), (480, 1))
    after = start | {C3: Content.EMPTY, D4: Content.WHITE_MAN}
    change = sampler.compare(sampler.sample(draw(start)), sampler.sample(draw(after, light=light, seed=1)))
    assert disturbed(change.log_likelihood_ratio) == {C3, D4}
    assert change.log_likelihood_ratio[[C3, D4]].min() > 5.0
    rest = [place for place in start if place not in (C3, D4)]
    assert change.log_likelihood_ratio[rest].max() < -1.0


def test_a_nudge_of_a_tenth_of_a_square_is_seen(sampler: PatchSampler, draw: Draw, start: Board) -> None:
    nudged = draw(start, seed=1, offsets={C3: (4.4, 0.0)})
    change = sampler.compare(sampler.sample(draw(start)), sampler.sample(nudged))
    assert disturbed(change.log_likelihood_ratio) == {C3}


def test_nothing_changed_means_no_place_is_disturbed(sampler: PatchSampler, draw: Draw, start: Board) -> None:
    for seed in range(1, 6):
        change = sampler.compare(sampler.sample(draw(start)), sampler.sample(draw(start, seed=seed, light=1.1)))
        assert disturbed(change.log_likelihood_ratio) == set()


def test_a_picture_without_noise_makes_no_evidence_of_rounding(sampler: PatchSampler, draw: Draw, start: Board) -> None:
    first, second = draw(start, noise=0.0), draw(start, noise=0.0, light=0.97)
    change = sampler.compare(sampler.sample(first), sampler.sample(second))
    assert disturbed(change.log_likelihood_ratio) == set()


def test_places_that_are_not_playable_say_nothing(sampler: PatchSampler, draw: Draw, start: Board) -> None:
    change = sampler.compare(sampler.sample(draw(start)), sampler.sample(draw({}, seed=1)))
    rest = [place for place in range(64) if place not in start]
    assert not change.score[rest].any()
    assert not change.log_likelihood_ratio[rest].any()


def test_evidence_rises_with_the_score_and_is_limited() -> None:
    scores = np.concatenate([np.ones(50), np.linspace(1.0, 200.0, 14)])
    ratio = evidence_of_score(scores)
    assert (np.diff(ratio[50:]) >= 0).all()
    assert np.abs(ratio).max() <= MOST_EVIDENCE
    assert ratio[0] < -3.0
