"""The match: whole games, mistakes of the human, losses of the robot, questions, commands."""

import pytest

from damludo.play.events import EventKind
from damludo.play.match import State
from damludo.rules.position import Colour

E = EventKind


@pytest.mark.parametrize(("game", "seed"), [("damludo", 1), ("english", 2), ("russian", 3), ("turkish", 4)])
def test_a_whole_game_is_played_and_every_ply_is_right(make_match, game: str, seed: int) -> None:  # type: ignore[no-untyped-def]
    table = make_match(game, seed=seed, human_colour=Colour(seed % 2))
    result = table.match.run()
    score = table.keeper.finish()
    assert result is not None
    assert (score.wrong_plies, score.false_penalties) == (0, 0)
    assert score.plies == len(table.match.game.moves)
    assert table.match.state is State.FINISHED
