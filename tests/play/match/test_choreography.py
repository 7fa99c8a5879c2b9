"""A move becomes transfers of single discs; the board after each of them is known."""

import random

import pytest

from damludo.play.content import board_content
from damludo.play.match.choreography import Racks, choreograph, racks_after_human
from damludo.robot.places import TableLayout
from damludo.rules.fen import parse_fen
from damludo.rules.game import Game
from damludo.rules.moves import Move, legal_moves, play
from damludo.rules.notation import parse_move
from damludo.rules.position import Position
from damludo.rules.variants import VARIANTS, variant
from damludo.vision.content import Content

LAYOUT = TableLayout()


def _plan(key: str, fen: str, text: str, racks: Racks = Racks(4, 4)) -> list[str]:  # noqa: B008
    game = variant(key)
    before = parse_fen(game, fen)
    move = parse_move(game, before, text)
    plan = choreograph(LAYOUT, game.board.playable, before, play(game, before, move), move, racks)
    return [f"{t.source.name}({t.source_discs}) -> {t.target.name}({t.target_discs})" for t in plan.transfers]


@pytest.mark.parametrize(
    ("fen", "text", "transfers"),
    [
        pytest.param("W:Wc3:Bh8", "c3-d4", ["c3(1) -> d4(0)"], id="a man is one disc"),
        pytest.param(
            "W:WKc3:Bh2", "c3-g7", ["c3(2) -> g7(0)", "c3(1) -> g7(1)"], id="a king is two discs, one at a time"
        ),
        pytest.param(
            "W:Wc3:Bd4,f6",
            "c3xe5xg7",
            ["c3(1) -> g7(0)", "d4(1) -> black 5(0)", "f6(1) -> black 6(0)"],
            id="captured men go to the next free slots",
        ),
        pytest.param(
            "W:Wc3:BKd4,h2",
            "c3xe5",
            ["c3(1) -> e5(0)", "d4(2) -> black 5(0)", "d4(1) -> black 6(0)"],
            id="a captured king is two discs",
        ),
        pytest.param(
            "W:We7:Bh2", "e7-d8", ["e7(1) -> d8(0)", "white 4(1) -> d8(1)"], id="the crown comes from the rack"
        ),
        pytest.param(
            "W:WKd2:Bc3,c5,e5,e3,a7",
            "d2xb4xd6xf4xd2",
            [f"{name}(1) -> black {n}(0)" for n, name in ((5, "c3"), (6, "c5"), (7, "e5"), (8, "e3"))],
            id="who ends where he began is not carried",
        ),
    ],
)
def test_moves_become_transfers(fen: str, text: str, transfers: list[str]) -> None:
    assert _plan("damludo", fen, text) == transfers


def test_without_a_spare_disc_the_human_is_asked_to_crown() -> None:
    game = variant("damludo")
    before = parse_fen(game, "W:We7:Bh2")
    move = parse_move(game, before, "e7-d8")
    plan = choreograph(LAYOUT, game.board.playable, before, play(game, before, move), move, Racks(0, 4))
    assert plan.left_for_human == ("No spare white disc in the rack: put one on d8 as its crown.",)
    d8 = game.board.square("d8")
    assert (plan.content_without()[d8], plan.final[d8]) == (Content.WHITE_MAN, Content.WHITE_KING)


def test_a_full_rack_is_left_to_the_human() -> None:
    game = variant("damludo")
    before = parse_fen(game, "W:Wc3:Bd4,h8")
    move = parse_move(game, before, "c3xe5")
    plan = choreograph(LAYOUT, game.board.playable, before, play(game, before, move), move, Racks(4, LAYOUT.slots))
    assert plan.left_for_human == ("The rack is full: take the disc off d4 and clear some slots.",)


def _carried_out(before: Position, move: Move, key: str) -> None:
    game = variant(key)
    after = play(game, before, move)
    plan = choreograph(LAYOUT, game.board.playable, before, after, move, Racks(9, 9))
    assert plan.before == board_content(game.board.playable, before)
    assert plan.content_without() == plan.final == board_content(game.board.playable, after)
    assert plan.racks == racks_after_human(before, move, Racks(9, 9))
    stacks = {LAYOUT.square(square).name: content.discs for square, content in plan.before.items()}
    for transfer in plan.transfers:
        assert stacks.get(transfer.source.name, 1) == transfer.source_discs
        assert stacks.get(transfer.target.name, 0) == transfer.target_discs
        stacks[transfer.source.name] = transfer.source_discs - 1
        stacks[transfer.target.name] = transfer.target_discs + 1


@pytest.mark.parametrize("key", [key for key, game in VARIANTS.items() if game.board.columns == 8])
def test_the_plan_of_every_move_of_random_games_gives_the_next_position(key: str) -> None:
    chance = random.Random(f"{key} choreography")
    for _ in range(4):
        game = Game.new(variant(key))
        while game.result() is None and len(game.moves) < 120:
            for move in legal_moves(game.variant, game.position):
                _carried_out(game.position, move, key)
            game = game.make(chance.choice(game.legal_moves()))


def test_what_did_not_arrive_is_known_and_carried_again() -> None:
    game = variant("damludo")
    before = parse_fen(game, "W:Wc3:BKd4,f6")
    move = parse_move(game, before, "c3xe5xg7")
    plan = choreograph(LAYOUT, game.board.playable, before, play(game, before, move), move, Racks(4, 4))
    squares = {name: game.board.square(name) for name in ("c3", "d4", "f6", "g7")}
    without_crown = plan.content_without(frozenset({2}))  # the lower disc of the captured king stayed
    assert [without_crown[squares[name]] for name in squares] == [
        Content.EMPTY,
        Content.BLACK_MAN,
        Content.EMPTY,
        Content.WHITE_MAN,
    ]
    (transfer,) = plan.again(frozenset({2}))
    assert (transfer.source.name, transfer.source_discs, transfer.target.name) == ("d4", 1, "black 6")
    assert set(plan.possible_failures()) == {
        *(frozenset({n}) for n in range(4)),
        *(frozenset(range(n, 4)) for n in range(4)),
    }
