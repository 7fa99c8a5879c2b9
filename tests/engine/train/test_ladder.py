"""The ladder is found from games: strengths that are known come back, and levels lie evenly on them."""

import math
from itertools import pairwise
from pathlib import Path

import pytest

from damludo.engine.levels import Level, level_of_nodes
from damludo.engine.train.ladder import (
    CHANCE,
    GRID,
    PAIRS,
    Bout,
    Curve,
    expected_share,
    fit_curve,
    keep_bout,
    ladder_on,
    pairs,
    play_missing,
    read_bouts,
)
from damludo.rules.variants import variant

GAMES = 10_000


def _known(nodes: int) -> float:
    """Strengths of a made-up game, in log odds: ever less is gained by looking ten times as far."""
    if nodes == CHANCE:
        return -0.3
    x = math.log10(nodes)
    return 2.5 * x - 0.2 * x**2


def _bouts() -> list[Bout]:
    found = []
    for upper, lower in pairs(GRID[-1]):
        wins = round(GAMES / (1 + math.exp(_known(lower) - _known(upper))))
        found.append(Bout("english", upper, lower, wins, 0, GAMES - wins))
    return found


def test_settings_are_linked_down_to_chance() -> None:
    """Without a gap, or the strengths on its two sides would not be on one scale."""
    linked = {CHANCE}
    for _ in PAIRS:
        linked |= {setting for pair in PAIRS if linked & set(pair) for setting in pair}

    assert linked == {setting for pair in PAIRS for setting in pair}
    assert pairs(10) == [(3, CHANCE), (10, CHANCE), (10, 3)]
    assert {GRID[0], GRID[-1]} <= linked


def test_known_strengths_come_back() -> None:
    curve = fit_curve(_bouts())

    for nodes in (10, 55, 700, 9_000, 250_000, 1_000_000):
        expected = 1 / (1 + math.exp(_known(10) - _known(nodes)))
        assert curve.share(nodes, 10) == pytest.approx(expected, abs=0.01)
    assert curve.share(20, CHANCE) == pytest.approx(1 / (1 + math.exp(_known(CHANCE) - _known(20))), abs=0.01)


def test_a_draw_counts_as_half_a_win() -> None:
    halves = [Bout(each.game, each.upper, each.lower, each.wins - 100, 200, each.losses - 100) for each in _bouts()]

    assert fit_curve(halves).at == pytest.approx(fit_curve(_bouts()).at)


@pytest.mark.parametrize(("steepness", "first_share", "form"), [(1.0, 0.97, 3.0), (2.2, 0.98, 4.0)])
def test_levels_lie_at_equal_distances(steepness: float, first_share: float, form: float) -> None:
    """Where the steps would be too wide, level 1 is stronger and the form varies more."""
    known = fit_curve(_bouts())
    curve = Curve(tuple(steepness * strength for strength in known.at), steepness * known.chance)

    ladder = ladder_on(curve, 1_000_000)

    levels = [Level(CHANCE), *ladder]
    first, *shares = (expected_share(curve, above, below) for below, above in pairwise(levels))
    assert first == pytest.approx(first_share, abs=0.01)
    assert max(shares) - min(shares) < 0.04
    assert max(shares) < 0.8
    assert (len(ladder), ladder[-1].nodes, ladder[-1].noise_men) == (10, 1_000_000, 0.0)
    assert ladder[4] == level_of_nodes(ladder[4].nodes, form)
    assert [level.form for level in ladder] == [form] * 9 + [1.0]


def test_a_setting_is_told_with_two_digits() -> None:
    assert all(level.nodes == float(f"{level.nodes:.2g}") for level in ladder_on(fit_curve(_bouts()), 1_000_000))


def test_forms_make_a_share_less_certain() -> None:
    """Nine forms, on a curve that is straight."""
    curve = Curve(tuple(float(place) for place in range(len(GRID))), -4.0)
    steps = [step / 4 * math.log(3) / math.log(10 / 3) for step in range(-4, 5)]

    alone = expected_share(curve, Level(1_000), Level(CHANCE))
    varied = expected_share(curve, level_of_nodes(300, form=3.0), Level(CHANCE))

    assert alone == pytest.approx(1 / (1 + math.exp(-9)))
    assert varied == pytest.approx(sum(1 / (1 + math.exp(-8 - step)) for step in steps) / 9, abs=0.0005)


def test_a_side_that_won_all_keeps_its_strength_finite() -> None:
    curve = fit_curve([Bout("english", upper, lower, 40, 0, 0) for upper, lower in pairs(GRID[-1])])

    assert 0.9 < curve.share(30, 10) < 1


def test_kept_bouts_are_not_played_again(tmp_path: Path) -> None:
    path = tmp_path / "bouts"
    game, told = variant("english"), list[Bout]()
    wanted = [(12, CHANCE), (20, 12)]

    assert read_bouts(path) == []
    keep_bout(path, Bout("english", 12, CHANCE, 3, 0, 0))
    keep_bout(path, Bout("russian", 20, 12, 3, 0, 0))
    found = play_missing(game, wanted, read_bouts(path), 2, 1, told.append, compiled=False)

    (played,) = told
    assert (played.game, played.upper, played.lower, played.score.games) == ("english", 20, 12, 2)
    assert found == [Bout("english", 12, CHANCE, 3, 0, 0), played]
