"""The levels are a ladder."""

from itertools import pairwise

import pytest

from damludo.engine.errors import NoSuchLevel
from damludo.engine.levels import LEVELS, player_of_level


def test_each_level_sees_more_and_errs_less_than_the_one_below() -> None:
    for below, above in pairwise(LEVELS):
        assert above.nodes > below.nodes
        assert above.noise_men < below.noise_men or above.noise_men == 0


@pytest.mark.parametrize("level", [0, 11, -1])
def test_a_level_outside_the_ladder_is_refused(level: int) -> None:
    with pytest.raises(NoSuchLevel, match="choose one from 1"):
        player_of_level(level)
