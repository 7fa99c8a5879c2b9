"""A watched table: what is told of moves, touches, nonsense and a bumped camera. One table, one story after the other."""

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from damludo.play.benches.rendered_games import (
    BREACHES,
    Breach,
    Ply,
    RenderedGame,
    Touched,
    breaches,
    game_for_breach,
    play_breach,
    play_ply,
    play_touch,
)
from damludo.play.benches.watching import Tally, rows, tried
from damludo.play.cli import main
from damludo.play.console import CommandError
from damludo.play.content import board_content
from damludo.rules.game import Game
from damludo.rules.notation import parse_fen
from damludo.rules.variants import variant
from damludo.simulation.disturbance import disturbance
from damludo.simulation.hand import Put, Take, Wait
from damludo.vision.content import Content

pytestmark = [pytest.mark.simulation, pytest.mark.slow]
A3, B4, C3, D4, E5, F4 = 16, 25, 18, 27, 36, 29


@pytest.fixture
def table() -> RenderedGame:
    return RenderedGame(variant("damludo"), 5101)


def names(table: RenderedGame) -> list[str]:
    return [event.event for event in table.events if not event.event.startswith(("hand", "light"))]


def test_a_disc_that_is_set_down_on_the_way_makes_one_move(table: RenderedGame) -> None:
    """c3, a stop of a second on b4, then d4, without the hand leaving: the last square counts."""
    c3, b4, d4 = (table.at(square) for square in (C3, B4, D4))
    table.forget()
    table.act([Take(*c3), Put(*b4), Wait(1.0), Take(*b4), Put(*d4)])
    assert names(table) == ["lifted", "placed", "move"]
    lifted, placed, move = (event for event in table.events if event.event in ("lifted", "placed", "move"))
    assert (lifted.more["squares"], placed.more["squares"]) == (["c3"], ["d4"])
    assert move.more["move"]["text"] == "c3-d4"  # type: ignore[index,call-overload]
    proof = move.more["frames"]
    assert isinstance(proof, list)
    assert 0 <= int(str(proof[0])) < int(str(proof[1])) == move.frame
    assert move.confidence > 0.99


def test_a_board_that_no_move_explains_is_asked_about_and_nobody_is_accused(table: RenderedGame) -> None:
    """Three men put elsewhere at once."""
    board = table.content()
    for origin, target in ((A3, B4), (C3, E5), (20, F4)):
        board |= {origin: Content.EMPTY, target: Content.WHITE_MAN}
    table.forget()
    table.act(table.gestures(board), settle_s=2.0)
    assert names(table) == ["unsure"]


def test_a_king_that_left_its_second_disc_behind_is_told_where_it_lies(table: RenderedGame) -> None:
    """One disc is carried by mistake; when the other one follows, the move counts."""
    start = parse_fen(table.variant, "W:WKc3,a1,g3:Bh8,b8,f8")
    table.jump_to(Game.new(table.variant, start))
    c3, d4 = table.at(C3), table.at(D4)
    table.forget()
    table.act([Take(*c3), Put(*d4)], settle_s=3.0)
    (told,) = (event for event in table.events if not event.event.startswith(("hand", "light")))
    assert (told.event, told.more["squares"]) == ("incomplete", ["c3"])
    second = "put the king's second disc, which is still on c3, onto d4"
    assert told.more["reason"] == f"c3-d4 is not finished: please {second}"
    assert told.confidence > 0.95
    table.forget()
    table.act([Take(*table.at(C3)), Put(*d4)])
    assert names(table)[-1] == "move"


def test_a_pushed_disc_is_told_and_binds_nobody(table: RenderedGame) -> None:
    touched = play_touch(table, 0.06)
    assert touched is not None
    assert touched.confidence >= 0.95
    assert touched.false == ()
    told = [event for event in table.events if event.event in ("touched", "put_back")]
    assert all(not event.more["announced"] for event in told)
    assert [event.event for event in told if event.more["binds"] and event.event == "touched"] == []


def test_a_bumped_camera_is_found_again_and_the_move_after_it_is_read(table: RenderedGame) -> None:
    table.forget()
    bump = disturbance("bump", 3, table.clock.now_s(), table.camera.optics)
    table.camera.disturbances = [bump]
    table.live(2.0)
    assert "camera_moved" in names(table)
    assert set(names(table)) == {"camera_moved"}
    assert 0.0 < table.found_again_s - bump.start_s < 2.0
    ply = play_ply(table)
    assert (ply.outcome, ply.touches, ply.bound) == ("right", (), False)


def test_an_illegal_move_is_named(table: RenderedGame) -> None:
    breach = play_breach(table, "illegal")
    assert breach is not None
    assert (breach.named, breach.told) == (True, ("illegal",))


def test_a_captured_disc_cannot_be_left_where_none_is_captured(table: RenderedGame) -> None:
    assert play_breach(table, "captured_left") is None


@pytest.mark.parametrize("key", ["damludo", "english", "russian", "italian", "turkish"])
@pytest.mark.parametrize("kind", BREACHES)
def test_every_kind_of_breach_is_found_in_games_of_chance(key: str, kind: str) -> None:
    """... and the move that puts it right leads to another board than the breach left."""
    game = game_for_breach(variant(key), kind, np.random.default_rng(5))
    assert game is not None
    squares = game.variant.board.playable
    for move, board in breaches(game, kind):
        after = board_content(squares, game.make(move).position)
        assert board != after
        assert board != board_content(squares, game.position)
        if kind == "uncrowned":
            assert [s for s in squares if board[s] is not after[s]] == [move.target]
            assert (board[move.target].discs, after[move.target].discs) == (1, 2)
        if kind == "captured_left":
            (left,) = (s for s in squares if board[s] is not after[s])
            assert left in move.captures


def test_pictures_of_what_is_seen_are_written(table: RenderedGame, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(8):
        frame = table.frame()
        cv2.imwrite(str(tmp_path / "in" / f"{number}.png"), frame.image)
    shown = tmp_path / "out"
    code = main(
        ["watch", str(tmp_path / "in"), "--game", "damludo", "--frame-rate", "8", "--show", str(shown), "--json"]
    )
    assert code == 0
    picture = cv2.imread(str(sorted(shown.iterdir())[-1]))
    assert picture is not None
    assert picture.shape == (480, 640, 3)


def test_figures_are_counted_from_a_tally() -> None:
    def ply(kind: str, outcome: str, wait_s: float = 0.5) -> Ply:
        return Ply(kind, outcome, (), (), (), False, 0.99, wait_s, 0.3 if kind == "bump" else 0.0)

    tally = Tally(
        plies=[*[ply("clean", "right")] * 6, ply("glare", "asked"), ply("bump", "right")],
        breaches=[Breach("illegal", True, ("illegal",), 0.99), Breach("uncrowned", False, ("move",), 0.0)],
        touches=[Touched(0.06, 0.99, ()), Touched(0.03, 0.6, (("a1", 0.97),))],
    )
    found = {name: value for name, value, *_ in rows(tally)}
    assert found["read rightly"] == pytest.approx(87.5)
    assert found["asked or not read"] == pytest.approx(12.5)
    assert found["disturbed, read rightly"] == pytest.approx(50.0)
    assert found["... within at most"] == pytest.approx(0.3)
    assert found["named rightly"] == pytest.approx(50.0)
    assert found["shifts of 0.03 square and more (2) told"] == pytest.approx(50.0)
    assert found["shifts of 0.06 square and more (1) told"] == pytest.approx(100.0)
    assert found["of the touches told (2), true"] == pytest.approx(50.0)
    assert "frame 640x480 in which nothing happens" not in found


def test_a_kept_game_is_read_as_it_was_watched() -> None:
    ply = Ply("glare", "unread", (("a1", 0.6),), (0.99,), ((0.2, False),), False, 0.0, math.inf, 0.0)
    tally = Tally(
        [ply], [Breach("illegal", True, ("illegal",), 0.99)], [Touched(0.06, 0.99, (("c3", 0.7),))], [0.002], 1
    )
    again = Tally.from_json(json.loads(json.dumps(tally.to_json())))
    assert again.to_json() == tally.to_json()
    assert list(rows(again)) == list(rows(tally))
    with pytest.raises(CommandError, match="another version"):
        Tally.from_json('{"plies": [{}]}')


def test_what_was_kept_is_not_watched_again(tmp_path: Path) -> None:
    kept = tmp_path / "games"
    one = Tally(plies=[Ply("clean", "right", (), (), (), False, 0.99, 0.5, 0.0)] * 3)
    kept.write_text(f"{one.to_json()}\n" * 2, encoding="utf-8")
    assert len(tried(6, kept).plies) == 6
