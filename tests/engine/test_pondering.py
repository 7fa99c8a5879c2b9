"""Thinking while the other side does: it helps the next answer, and ends when it is told to."""

import threading
import time

import pytest

from damludo.engine import pondering
from damludo.engine.pondering import PonderingPlayer, can_ponder
from damludo.engine.port import Limits, Ponderer
from damludo.rules.game import Game
from damludo.rules.notation import parse_fen
from damludo.rules.variants import variant

CHOICE = Limits(nodes=500)


def _pondering_threads() -> int:
    return sum(thread.name == "ponder" for thread in threading.enumerate())


def test_what_was_pondered_makes_the_next_answer_cheaper() -> None:
    """For the same depth: what the replies lead to is in the memory already."""
    rules = variant("english")
    game = Game.new(rules, parse_fen(rules, "W:W25,K28,30:B5,7,K12"))
    nodes = []
    for ponders in (False, True):
        player = PonderingPlayer(Limits(depth=5), compiled=False, ponder_limits=Limits(depth=6))
        after = game.make(player.choose(game).move)
        if ponders:
            player.ponder(after)
            while _pondering_threads():
                time.sleep(0.01)
        nodes.append(player.choose(after.make(after.legal_moves()[0])).nodes)

    cold, warm = nodes
    assert warm < cold / 2


def test_an_endless_thought_ends_when_an_answer_is_wanted() -> None:
    game = Game.new(variant("english"))
    player = PonderingPlayer(CHOICE, compiled=False, ponder_limits=Limits())
    after = game.make(player.choose(game).move)
    player.ponder(after)
    assert _pondering_threads() == 1

    answer = player.choose(after.make(after.legal_moves()[2]))

    assert _pondering_threads() == 0
    assert answer.move in after.make(after.legal_moves()[2]).legal_moves()


def test_another_thought_ends_the_one_before() -> None:
    game = Game.new(variant("english"))
    player = PonderingPlayer(CHOICE, compiled=False, ponder_limits=Limits())
    player.choose(game)
    for _ in range(3):
        player.ponder(game)
        assert _pondering_threads() == 1

    player.rest()
    assert _pondering_threads() == 0


def test_before_the_first_answer_nothing_is_thought() -> None:
    """The engine may have to be compiled first, which would keep Python from the eyes."""
    player = PonderingPlayer(CHOICE, compiled=False)

    player.ponder(Game.new(variant("english")))

    assert _pondering_threads() == 0


def test_a_game_that_is_over_is_not_thought_about() -> None:
    rules = variant("english")
    player = PonderingPlayer(CHOICE, compiled=False)
    player.choose(Game.new(rules))

    player.ponder(Game.new(rules, parse_fen(rules, "W:WKa1:B")))

    assert _pondering_threads() == 0


def test_a_forced_reply_is_thought_beyond() -> None:
    rules = variant("english")
    game = Game.new(rules, parse_fen(rules, "W:Wc3,a1:Bd4,h8"))
    assert len(game.legal_moves()) == 1

    assert len(pondering._after_forced(game).moves) >= 1


@pytest.mark.parametrize(("processors", "compiles", "can"), [(2, True, True), (1, True, False), (4, False, False)])
def test_it_needs_a_second_processor_and_a_compiler(
    processors: int, compiles: bool, can: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pondering, "processors", lambda: processors)
    monkeypatch.setattr(pondering, "can_compile", lambda: compiles)

    assert can_ponder() is can


def test_it_is_a_ponderer() -> None:
    assert isinstance(PonderingPlayer(CHOICE), Ponderer)
