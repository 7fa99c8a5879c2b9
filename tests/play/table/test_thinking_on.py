"""The machine thinks in the person's turns, of the game as it stands, and rests in its own."""

from collections.abc import Callable
from typing import Any

import pytest

from damludo.engine.levels import LEVELS, Level, LevelPlayer
from damludo.engine.pondering import PonderingPlayer
from damludo.engine.port import Choice
from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.table import thinking_on
from damludo.play.table.thinking_on import ThinkingOn, pondering_player
from damludo.rules.game import Game
from damludo.rules.variants import variant

MakeMatch = Callable[..., Any]  # conftest's ModelledMatch: test files are no package to import it from


class Thinker:
    """A `Ponderer` that writes down what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def choose(self, game: Game) -> Choice:
        return Choice(game.legal_moves()[0])

    def ponder(self, game: Game) -> None:
        self.asked.append(game)

    def rest(self) -> None:
        self.asked.append("rest")


def test_it_thinks_in_every_turn_of_the_person_and_in_no_other(make_match: MakeMatch) -> None:
    table, thinker = make_match("english", seed=2), Thinker()
    thinking = ThinkingOn("white", lambda level: thinker)
    thinking.player(10)
    thinking.follow(lambda: table.match.game)
    told: list[Game] = []

    speaks = table.match._lookout._listener

    def listen(event: MatchEvent) -> None:
        speaks(event)
        if event.kind is EventKind.TURN and event.data["side"] == "white":
            told.append(table.match.game)
        thinking.hear(event)

    table.match._lookout._listener = listen
    assert table.match.run() is not None

    assert len(told) > 10
    assert thinker.asked == told


def test_the_player_of_another_level_is_the_one_that_thinks() -> None:
    players = {9: Thinker(), 10: Thinker()}
    game = Game.new(variant("english"))
    thinking = ThinkingOn("white", players.__getitem__)
    thinking.follow(lambda: game)
    thinking.player(10)
    thinking.player(9)
    thinking.hear(MatchEvent(EventKind.TURN, 0.0, "", {"side": "white"}))
    thinking.hear(MatchEvent(EventKind.TURN, 0.0, "", {"side": "black"}))
    thinking.rest()

    assert players[10].asked == ["rest"]
    assert players[9].asked == [game, "rest"]


@pytest.mark.parametrize(
    ("level", "possible", "highest", "kind"),
    [
        (10, True, Level(200_000), PonderingPlayer),
        pytest.param(10, False, Level(200_000), LevelPlayer, id="no second processor"),
        pytest.param(9, True, Level(200_000), LevelPlayer, id="not the highest level"),
        pytest.param(10, True, Level(200_000, 0.1), LevelPlayer, id="the highest one misjudges"),
        pytest.param(10, True, Level(2_000), LevelPlayer, id="the highest one is plain Python"),
    ],
)
def test_only_the_highest_level_thinks_on(
    level: int, possible: bool, highest: Level, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking_on, "can_ponder", lambda: possible)
    monkeypatch.setattr(thinking_on, "ladder_of", lambda game: (*LEVELS[:-1], highest))

    assert isinstance(pondering_player(variant("english"), level), kind)
