"""Properties of the generator, and positions in which other programs went wrong."""

import os
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from damludo.rules.moves import Move, all_routes, legal_moves, play
from damludo.rules.notation import move_text, parse_fen
from damludo.rules.position import PIECES, Colour, Kind, Piece, Position, piece_of
from damludo.rules.traits import Turning, Variant
from damludo.rules.variants import VARIANTS, variant


def moves(key: str, fen: str) -> list[str]:
    game = variant(key)
    return sorted(move_text(game, move) for move in legal_moves(game, parse_fen(game, fen)))


def scattered(game: Variant, chance: random.Random) -> Position:
    """Some men and kings anywhere; parachutists where they start."""
    cells = bytearray(game.start.cells) if Kind.PARACHUTIST in game.movers else bytearray(len(game.start.cells))
    kinds = [kind for kind in (Kind.MAN, Kind.KING) if kind in game.movers]
    for square in game.board.playable:
        if PIECES[cells[square]].kind is not Kind.PARACHUTIST:
            cells[square] = piece_of(chance.choice(list(Colour)), chance.choice(kinds)) if chance.random() < 0.4 else 0
    return Position(bytes(cells), chance.choice(list(Colour)))


def swapped(piece: Piece) -> Piece:
    return piece_of(piece.colour.other, piece.kind) if piece.colour is not None and piece.kind is not None else piece


@pytest.mark.parametrize("key", VARIANTS)
def test_both_colours_have_the_same_rules(key: str) -> None:
    """Turn the board round and swap the colours: the same moves. In One-way draughts both sides sit on one side: swap only."""
    game, chance = variant(key), random.Random(key)
    squares = len(game.start.cells)

    def turn(square: int) -> int:
        return square if key == "oneway" else squares - 1 - square

    for _ in range(40):
        position = scattered(game, chance)
        cells = bytes(swapped(position.at(turn(square))) for square in range(squares))
        expected = {
            (turn(m.origin), turn(m.target), frozenset(map(turn, m.captures)), swapped(m.becomes or Piece.EMPTY))
            for m in legal_moves(game, position)
        }
        other = legal_moves(game, Position(cells, position.side.other))
        assert {(m.origin, m.target, frozenset(m.captures), m.becomes or Piece.EMPTY) for m in other} == expected


@pytest.mark.parametrize("key", VARIANTS)
def test_a_move_takes_off_what_it_captures_and_nothing_else(key: str) -> None:
    game, chance = variant(key), random.Random(key)
    for _ in range(40):
        position = scattered(game, chance)
        for move in legal_moves(game, position):
            after = play(game, position, move)
            changed = {square for square in range(len(after.cells)) if after.cells[square] != position.cells[square]}
            assert changed <= {move.origin, move.target, *move.captures}
            assert all(not after.cells[square] for square in move.captures if square != move.target)
            assert len(set(move.captures)) == len(move.captures)
            assert after.side is position.side.other


@pytest.mark.parametrize("key", VARIANTS)
def test_legal_moves_are_the_identities_of_all_routes(key: str) -> None:
    game, chance = variant(key), random.Random(key)
    for _ in range(40):
        position = scattered(game, chance)
        identities = [move.identity for move in legal_moves(game, position)]
        assert len(set(identities)) == len(identities)
        assert list(dict.fromkeys(route.identity for route in all_routes(game, position))) == identities


@pytest.mark.parametrize("key", VARIANTS)
def test_a_capture_is_compulsory_everywhere(key: str) -> None:
    game, chance = variant(key), random.Random(key)
    for _ in range(40):
        kinds = {bool(move.captures) for move in legal_moves(game, scattered(game, chance))}
        assert len(kinds) <= 1


def test_the_order_of_moves_does_not_depend_on_the_process() -> None:
    code = (
        "from damludo.rules.variants import VARIANTS\nfrom damludo.rules.moves import legal_moves, play\n"
        "for game in VARIANTS.values():\n    position = game.start\n    for ply in range(20):\n"
        "        moves = legal_moves(game, position)\n        print(moves)\n        if not moves: break\n"
        "        position = play(game, position, moves[len(moves) // 2])\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert len(runs[0]) > 10_000


def test_russian_crowned_on_the_way_takes_all_three() -> None:
    """A man that passes f8 goes on as a king: h6-f8-b4 or a3, then d2."""
    game = variant("russian")
    (move,) = legal_moves(game, parse_fen(game, "W:Wh6:Bg7,c5,d2"))
    assert move_text(game, move) == "h6xf8xb4xe1"
    assert move.becomes is Piece.WHITE_KING


def test_russian_captures_of_a_crowded_position() -> None:
    found = moves("russian", "W:We3,g3,h4,a5,b2,h2,a3,Kf8:Bc5,e5,g5,g7,h8")
    assert len(found) == 3
    assert all("x" in text for text in found)


@pytest.mark.parametrize("key", ["brazilian", "damludo", "esperanto", "international"])
def test_a_man_that_only_passes_the_last_row_stays_a_man(key: str) -> None:
    size = variant(key).board.rows
    game = variant(key)
    fen = f"W:Wd{size - 2}:Be{size - 1},g{size - 1}"
    (move,) = legal_moves(game, parse_fen(game, fen))
    assert move_text(game, move) == f"d{size - 2}xf{size}xh{size - 2}"
    assert move.becomes is None


def test_international_backward_capture_of_a_man_is_compulsory() -> None:
    assert moves("international", "W:Wd4,a1:Bc3,j10") == ["d4xb2"]


@pytest.mark.parametrize(
    "key", ["english", "anti", "czech", "thai", "portuguese", "italian", "corner", "oneway", "parachute"]
)
def test_men_of_these_games_never_capture_backward(key: str) -> None:
    game = variant(key)
    light = game.board.square("b1") if key in ("portuguese", "italian") else None
    fen = "W:Wd5:Bc4,e4,h1" if light is not None else "W:Wd4:Bc3,e3,h8"
    assert not any("x" in text for text in moves(key, fen))


def test_english_crowning_ends_the_move() -> None:
    assert moves("english", "8/2b1b3/5w2/8/8/8/8/8 w") == ["f6xd8"]


def test_english_forced_capture_belongs_to_the_whole_side() -> None:
    assert moves("english", "W:W11,30:B7,13") == ["f6xd8"]


def test_english_kings_have_range_one() -> None:
    assert moves("english", "W:WKd4:Ba7,h8") == ["d4-c3", "d4-c5", "d4-e3", "d4-e5"]


@pytest.mark.parametrize("key", ["czech", "corner", "oneway", "parachute"])
def test_a_kings_capture_comes_before_any_of_a_man(key: str) -> None:
    """The man could take b4; only the king's capture of c5 is legal."""
    assert moves(key, "W:Wa3,Kg1:Bb4,c5,d8") == ["g1xa7", "g1xb6"]


def test_italian_king_comes_before_a_man_when_both_take_one() -> None:
    assert moves("italian", "W:Wb3,Kf5:Bc4,g6") == ["f5xh7"]


@pytest.mark.parametrize("jumps", range(1, 10))
def test_chains_of_every_length_are_one_move(jumps: int) -> None:
    """A man of the largest board goes up and down over the men of row 2, then comes back over row 4 and 6."""
    game = variant("canadian")
    victims = ["b2", "d2", "f2", "h2", "j2", "j4", "h6", "f6", "d6"][:jumps]
    (move,) = legal_moves(game, parse_fen(game, f"W:Wa1:B{','.join(victims)}"))
    assert [game.board.name(square) for square in move.captures] == victims


def test_a_switch_bans_turning_back_in_armenian() -> None:
    """The other reading of the rules is one trait away."""
    free = variant("armenian")
    banned = replace(free, turning=Turning.NO_REVERSAL)
    position = parse_fen(free, "8/4b3/8/8/4W3/8/4b3/8 w")
    assert {len(move.captures) for move in legal_moves(free, position)} == {2}
    assert {len(move.captures) for move in legal_moves(banned, position)} == {1}


def test_a_half_done_chain_leaves_no_trace() -> None:
    """The search plays on a copy: generating twice, and for the other side in between, gives the same."""
    game = variant("english")
    position = parse_fen(game, "8/8/5b2/8/1b1b4/w1w5/8/8 w")
    first = legal_moves(game, position)
    legal_moves(game, Position(position.cells, position.side.other))
    assert legal_moves(game, position) == first


def test_a_move_that_takes_off_a_stone_has_its_origin_for_target() -> None:
    move = legal_moves(variant("hawaiian"), variant("hawaiian").start)[0]
    assert move == Move(move.origin, (), (move.origin,), Piece.BLACK_MAN, None)
    assert move.target == move.origin


@pytest.mark.parametrize("key", VARIANTS)
def test_equal_positions_have_equal_hashes_however_they_came_about(key: str) -> None:
    """Two quiet moves of different discs in either order, with the opponent's turns left out, lead to one position."""
    game = variant(key)
    start = game.start
    quiet = [move for move in legal_moves(game, start) if not move.captures]
    pairs = [(a, b) for a in quiet for b in quiet if not {a.origin, a.target} & {b.origin, b.target}]
    for first, second in pairs[:10]:
        one, other = (
            Position(play(game, Position(play(game, start, x).cells, start.side), y).cells, start.side)
            for x, y in ((first, second), (second, first))
        )
        assert one == other
        assert hash(one) == hash(other)
    assert start == Position(bytes(start.cells), start.side)
    assert start != Position(start.cells, start.side.other)
