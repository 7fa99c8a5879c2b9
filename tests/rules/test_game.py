"""Games: making and undoing moves, results, and the draw rules of each game."""

import random
from collections.abc import Sequence

import pytest

from damludo.rules.ending import moves_counted, repetitions
from damludo.rules.errors import IllegalMove, UnknownGame
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.notation import parse_fen, parse_move
from damludo.rules.position import Colour, Kind, Piece
from damludo.rules.traits import MoveLimit
from damludo.rules.variants import VARIANTS, variant


def game_of(key: str, fen: str, moves: Sequence[str] = ()) -> Game:
    game = Game.new(variant(key), parse_fen(variant(key), fen))
    for text in moves:
        game = game.make(parse_move(game.variant, game.position, text))
    return game


TWO_KINGS = "8/8/8/8/8/8/1W5B/8 w"
ROUND = ("b2-a1", "h2-g1", "a1-b2", "g1-h2")


def test_damludo_third_repetition_is_claimed_before_it_changes() -> None:
    """Vikipedio, draws (c)."""
    game = game_of("damludo", TWO_KINGS, ROUND * 2)
    assert game.result() is None
    assert ["third time" in claim for claim in game.draw_claims()] == [True]
    later = game.make(parse_move(game.variant, game.position, "b2-c3"))
    assert later.draw_claims() == ()


def test_esperanto_third_repetition_ends_the_game_at_once() -> None:
    game = game_of("esperanto", TWO_KINGS, ROUND * 2)
    result = game.result()
    assert result is not None
    assert (result.winner, result.text) == (None, "draw")
    assert game.undo().result() is None


def test_italian_needs_the_fourth_repetition() -> None:
    ways = ("b1-a2", "g2-h1", "a2-b1", "h1-g2")
    start = "8/8/8/8/8/8/6B1/1W6 w"
    assert game_of("italian", start, ways * 2).result() is None
    assert game_of("italian", start, ways * 3).result() is not None


def wander(game: Game, plies: int) -> Game:
    """Move kings about without making or offering a capture, to the position seen least often and freest for the other side."""
    while len(game.moves) < plies:
        quiet = [game.make(move) for move in game.legal_moves() if not move.captures and move.piece.kind is Kind.KING]
        safe = [after for after in quiet if not any(reply.captures for reply in after.legal_moves())]
        game = min(safe, key=lambda after: (after.positions.count(after.position), -len(after.legal_moves())))
    return game


def _limit(key: str, name: str = "no progress") -> MoveLimit:
    return next(rule for rule in variant(key).draws if isinstance(rule, MoveLimit) and rule.name == name)


def test_damludo_thirty_moves_each_without_capture_or_crowning_are_a_draw() -> None:
    """Vikipedio, draws (b)."""
    game = game_of("damludo", "W:WKc1,Ke1:BKb8,Kd8")
    at_59 = wander(game, 59)
    at_60 = wander(game, 60)
    assert at_59.result() is None
    result = at_60.result()
    assert result is not None
    assert result.reason.startswith("30 consecutive moves")


def test_a_mans_move_does_not_restart_damludos_count_but_brazils() -> None:
    fen, moves = "W:WKa1,g1:BKb8", ("a1-b2", "b8-a7", "g1-h2", "a7-b8", "b2-c1", "b8-a7")
    damludo, brazilian = game_of("damludo", fen, moves), game_of("brazilian", fen, moves)
    assert moves_counted(_limit("damludo"), damludo.positions, damludo.moves) == 6
    assert moves_counted(_limit("brazilian"), brazilian.positions, brazilian.moves) == 3


def test_a_crowning_restarts_damludos_count() -> None:
    game = game_of("damludo", "W:WKa1,h6:BKb6,a7", ("a1-b2", "b6-a5", "h6-g7", "a5-b6", "g7-h8", "b6-a5"))
    assert moves_counted(_limit("damludo"), game.positions, game.moves) == 1


def test_damludo_three_kings_have_thirteen_moves_against_one() -> None:
    """Vikipedio, draws (d): the moves of the three count."""
    game = game_of("damludo", "7B/8/8/8/8/8/8/2W1W1W1 w")
    game = wander(game, 25)
    rule = _limit("damludo", "three kings")
    assert moves_counted(rule, game.positions, game.moves) == 13
    assert game.result() is not None
    assert game.undo().result() is None


def test_english_draws_are_claims() -> None:
    game = game_of("english", "W:WK32,K31:BK1,K2")
    game = wander(game, 80)
    assert game.result() is None
    assert [claim[:8] for claim in game.draw_claims()] == ["40 moves"]
    assert game.undo().draw_claims() == ()


def test_international_five_moves_of_a_king_against_a_king() -> None:
    game = wander(game_of("international", "W:WKe1:BKd10"), 10)
    assert game.result() is not None
    assert game.undo().result() is None


def test_turkish_one_piece_each_is_a_draw_unless_it_can_be_taken() -> None:
    drawn = game_of("turkish", "W:Wa3:Bh6").result()
    assert drawn is not None
    assert drawn.winner is None
    assert game_of("turkish", "W:Wa3:Ba4").result() is None


def test_two_kings_against_one_are_no_draw_in_esperanto() -> None:
    assert game_of("esperanto", "W:WKc1,Ke1:BKh8").result() is None


@pytest.mark.parametrize(
    ("key", "fen", "winner", "reason"),
    [
        ("english", "W:W:B26", Colour.BLACK, "White has no piece left."),
        ("anti", "8/8/8/8/8/8/5b2/8 w", Colour.WHITE, "White has no piece left, which wins in this game."),
        ("english", "8/2b5/1b6/w7/8/8/8/8 w", Colour.BLACK, "White has no legal move."),
        ("hawaiian", "8/8/8/8/8/8/8/w6b b", Colour.WHITE, "Black has no legal move."),
        ("parachute", "7x/8/8/8/8/8/8/b7 w", Colour.BLACK, "White has no legal move."),
    ],
)
def test_who_cannot_move_loses_or_wins_in_anti(key: str, fen: str, winner: Colour, reason: str) -> None:
    result = game_of(key, fen).result()
    assert result is not None
    assert (result.winner, result.reason) == (winner, reason)


@pytest.mark.parametrize("key", VARIANTS)
def test_undo_leads_back_through_all_positions(key: str) -> None:
    game, chance = Game.new(variant(key)), random.Random(key)
    before = [game]
    for _ in range(20):
        if game.result() is not None:
            break
        game = game.make(chance.choice(game.legal_moves()))
        before.append(game)
    while game.moves:
        assert game == before.pop()
        game = game.undo()
    assert game.undo() == game == before[0]


def test_a_game_refuses_an_illegal_move() -> None:
    game = Game.new(variant("english"))
    with pytest.raises(IllegalMove, match="a3-b4 is not legal"):
        game.make(Move(16, (25,), (), Piece.WHITE_MAN, None))


def test_a_game_takes_any_route_of_a_legal_capture() -> None:
    """d2 round four men: both ways round are one move."""
    game = game_of("english", "8/8/8/2b1b3/8/2b1b3/3W4/8 w")
    move = game.legal_moves()[0]
    other = Move(move.origin, tuple(reversed(move.path[:-1])) + move.path[-1:], move.captures[::-1], move.piece, None)
    assert other.path != move.path
    assert game.make(other).position == game.make(move).position


def test_an_unknown_game_names_the_nearest() -> None:
    with pytest.raises(UnknownGame, match="did you mean 'brazilian'"):
        variant("brasilian")


def test_repetition_counts_the_side_to_move_too() -> None:
    game = game_of("damludo", TWO_KINGS, (*ROUND, "b2-a1"))
    assert repetitions(game.positions) == 2
    assert repetitions(game_of("damludo", TWO_KINGS, ROUND[:3]).positions) == 1


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in VARIANTS if key not in ("alquerque", "hawaiian")])
def test_random_play_always_comes_to_an_end_or_a_claim(key: str) -> None:
    """Two kings each wander about: the game's own rules stop them."""
    game_variant = variant(key)
    names = [game_variant.board.name(square) for square in game_variant.board.playable]
    game = Game.new(game_variant, parse_fen(game_variant, f"W:WK{names[0]},K{names[1]}:BK{names[-1]},K{names[-2]}"))
    chance = random.Random(key)
    while game.result() is None and not game.draw_claims():
        game = game.make(chance.choice(game.legal_moves()))
        assert len(game.moves) < 1_000
