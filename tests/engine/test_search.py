"""The search finds shots, wins and escapes, and is the same every time."""

import random
from itertools import count

import pytest

from damludo.engine.errors import GameOver
from damludo.engine.evaluation import evaluation_of
from damludo.engine.levels import player_of_level
from damludo.engine.memory import MATE
from damludo.engine.port import Choice, Limits, Player
from damludo.engine.random_player import RandomPlayer
from damludo.engine.search import AlphaBeta
from damludo.rules.game import Game
from damludo.rules.moves import legal_moves, play
from damludo.rules.notation import move_text, parse_fen, parse_move
from damludo.rules.position import Colour, Position
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant


def _game(key: str, fen: str) -> Game:
    return Game.new(variant(key), parse_fen(variant(key), fen))


def _choose(key: str, fen: str, nodes: int = 5_000) -> Choice:
    return AlphaBeta(Limits(nodes=nodes), compiled=False).choose(_game(key, fen))


def _move(key: str, fen: str, nodes: int = 2_000) -> str:
    return move_text(variant(key), _choose(key, fen, nodes).move)


@pytest.mark.parametrize(
    ("fen", "shot"),
    [
        pytest.param("W:W17,23,24,25,27,29,32:B3,4,5,10,12,15,16", "e3-f4", id="one man for two"),
        pytest.param("B:W13,15,21,23,25,29:B1,6,8,12,14,24", "c7-b6", id="one man for three"),
        pytest.param("B:W18,20,25,26,28,31,32:B1,4,8,10,11,12", "f6-g5", id="one man for two and a crown"),
    ],
)
def test_the_lowest_node_limit_sees_a_shot(fen: str, shot: str) -> None:
    assert _move("english", fen, nodes=150) == shot


def test_of_two_captures_the_one_that_is_not_taken_back_is_chosen() -> None:
    """c3xe5 would be answered by f6xd4; c3xa5 is safe."""
    assert _move("english", "W:Wc3:Bb4,d4,f6,h8", nodes=150) == "c3xa5"


@pytest.mark.parametrize(
    ("key", "fen", "plies"),
    [
        pytest.param("english", "W:Wc3:Bd4", 1, id="the last man is taken"),
        pytest.param("english", "W:WKc3,Kg7:BKa1", 3, id="the last king leaves its corner"),
        pytest.param("russian", "W:Wc3,e3:Bd4,f6,h8", 5, id="two are taken, one is lost, the last is taken"),
        pytest.param("anti", "W:Wc3:Bb8", -5, id="who is left with all the others has lost"),
        pytest.param("damludo", "W:WKe3,c1:Bb4,d6", 7, id="a king and a man against two men"),
    ],
)
def test_a_forced_end_is_proved(key: str, fen: str, plies: int) -> None:
    """The numbers are those of a plain solver that tries everything."""
    assert _choose(key, fen, nodes=10_000).mate == plies


@pytest.mark.parametrize(
    ("fen", "plies"),
    [
        ("W:WK17,K23:BK30", 3),
        ("W:WK11,K19:BK21", 7),
        ("W:WK10,K11:BK17", 9),
        ("B:WK12,K15:BK3", -4),
        ("B:WK18,K27:BK12", -6),
        ("B:WK24,K31:BK16", -8),
    ],
)
def test_the_length_of_a_win_is_that_of_the_tables(fen: str, plies: int) -> None:
    """The numbers are those of the tables of three pieces, which the plain kernels do not look into."""
    assert _choose("english", fen, nodes=20_000).mate == plies


def test_two_players_do_not_share_what_they_remember() -> None:
    """The second one visits as many positions as the first, though it is asked after it."""
    game = Game.new(variant("english"))
    players = (AlphaBeta(Limits(depth=5, seconds=1e6), compiled=False) for _ in range(2))

    first, second = (player.choose(game).nodes for player in players)

    assert first == second


def test_a_player_remembers_from_move_to_move() -> None:
    player = AlphaBeta(Limits(depth=5, seconds=1e6), compiled=False)
    game = Game.new(variant("english"))

    assert player.choose(game).nodes > 2 * player.choose(game).nodes


@pytest.mark.parametrize("nodes", [50, 400, 20_000])
def test_with_a_limit_of_nodes_nothing_is_remembered(nodes: int) -> None:
    """Plain and compiled: after other games a player answers as a new one does."""
    used, game = AlphaBeta(Limits(nodes=nodes)), Game.new(variant("english"))
    for seed in range(3):
        used.choose(_after_random_moves("english", 11, seed))

    assert used.choose(game) == AlphaBeta(Limits(nodes=nodes)).choose(game)


def test_a_won_game_is_not_repeated() -> None:
    """The move that would lead back to a position of the game is not chosen a second time."""
    fresh = _game("english", "W:WKb2,Kf2,Kg3:BKh8")
    player = AlphaBeta(Limits(nodes=100_000, depth=3), compiled=False)
    favourite = player.choose(fresh).move
    there, back = (
        move_text(fresh.variant, favourite),
        f"{_name(fresh, favourite.target)}-{_name(fresh, favourite.origin)}",
    )
    game = fresh
    for text in (there, "h8-g7", back, "g7-h8"):
        game = game.make(parse_move(game.variant, game.position, text))

    assert player.choose(game).move != favourite


def _name(game: Game, square: int) -> str:
    return game.variant.board.name(square)


def test_a_position_without_moves_is_refused() -> None:
    with pytest.raises(GameOver):
        _choose("english", "W:W:Bb8")


def test_a_single_legal_move_is_made_at_once() -> None:
    assert _choose("english", "W:Wc3,h2:Bd4,h8,f8,b8").depth == 1


@pytest.mark.parametrize("key", VARIANTS)
def test_every_game_is_played_within_its_nodes(key: str) -> None:
    game = Game.new(variant(key))
    choice = AlphaBeta(Limits(nodes=400)).choose(game)

    assert choice.move in game.legal_moves()
    assert choice.pv[0] == choice.move
    assert choice.nodes <= 400


def test_the_expected_line_is_legal() -> None:
    game = Game.new(variant("damludo"))
    line = AlphaBeta(Limits(nodes=3_000)).choose(game).pv
    assert len(line) >= 3

    for move in line:
        game = game.make(move)


def test_time_ends_a_search() -> None:
    ticks = count()
    player = AlphaBeta(Limits(seconds=5.0), now_s=lambda: float(next(ticks)), compiled=False)

    assert player.choose(Game.new(variant("english"))).depth < Limits.DEEPEST


@pytest.mark.parametrize("key", ["damludo", "anti", "hawaiian", "turkish"])
def test_the_same_seed_gives_the_same_choice(key: str) -> None:
    game = Game.new(variant(key))

    assert player_of_level(2, seed=5).choose(game) == player_of_level(2, seed=5).choose(game)


def test_another_seed_gives_other_play_at_a_low_level() -> None:
    game = Game.new(variant("damludo"))

    assert len({player_of_level(1, seed).choose(game).move for seed in range(12)}) > 2


# --- against a slow twin: the same definition without bounds, table and order ---------------------------------------------------


def _plain(game: Variant, position: Position, depth: int, ply: int) -> int:
    moves = legal_moves(game, position)
    if not moves:
        return (MATE - ply) if game.stuck_player_wins else (ply - MATE)
    if not moves[0].captures and (depth < 0 or (depth == 0 and not _threatened(game, position))):
        return evaluation_of(game)(position)
    rest = depth if len(moves) == 1 and depth > 0 and moves[0].captures else depth - 1
    return max(-_plain(game, play(game, position, move), rest, ply + 1) for move in moves)


def _threatened(game: Variant, position: Position) -> bool:
    """Whether the other side could capture if it were to move."""
    moves = legal_moves(game, Position(position.cells, position.side.other))
    return bool(moves) and bool(moves[0].captures)


def _after_random_moves(key: str, plies: int, seed: int) -> Game:
    chance = RandomPlayer(seed)
    game = Game.new(variant(key))
    while len(game.moves) < plies and len(game.legal_moves()) > 0:
        game = game.make(chance.choose(game).move)
    return game


@pytest.mark.parametrize("key", ["english", "damludo", "anti", "italian", "armenian"])
def test_pruning_changes_no_score(key: str) -> None:
    for seed in range(6):
        game = _after_random_moves(key, 5 + 2 * seed, seed)
        if len(game.legal_moves()) < 2:
            continue
        expected = _plain(game.variant, game.position, 2, 0)

        assert round(AlphaBeta(Limits(depth=2)).choose(game).score * 100) == expected


# --- whole games ----------------------------------------------------------------------------------------------------------------


def _winner(key: str, players: dict[Colour, Player]) -> Colour | None:
    """Play a game; `Game.make` refuses every illegal move."""
    game = Game.new(variant(key))
    while (result := game.result()) is None and not game.draw_claims():
        game = game.make(players[game.position.side].choose(game).move)
    return result.winner if result else None


@pytest.mark.slow
@pytest.mark.parametrize("key", ["english", "damludo"])
def test_the_lowest_level_beats_chance_mostly_and_a_child_beats_it_too(key: str) -> None:
    winners = []
    for seed in range(40):
        side = Colour(seed % 2)
        players: dict[Colour, Player] = {side: player_of_level(1, seed), side.other: RandomPlayer(seed)}
        winners.append({side: "level", side.other: "chance", None: "nobody"}[_winner(key, players)])

    assert 28 <= winners.count("level") < 40
    assert winners.count("chance") >= 1


@pytest.mark.slow
@pytest.mark.parametrize("key", ["english", "damludo"])
def test_the_third_level_beats_chance_ten_times_of_ten(key: str) -> None:
    for seed in range(10):
        side = Colour(seed % 2)
        players: dict[Colour, Player] = {side: player_of_level(3, seed), side.other: RandomPlayer(seed)}

        assert _winner(key, players) is side, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("key", ["anti", "hawaiian", "alquerque", "parachute"])
def test_odd_games_are_won_against_chance_too(key: str) -> None:
    for seed in range(4):
        side = Colour(seed % 2)
        players: dict[Colour, Player] = {side: AlphaBeta(Limits(nodes=150)), side.other: RandomPlayer(seed)}

        assert _winner(key, players) is side, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("key", ["english", "damludo"])
def test_no_illegal_move_in_many_games_from_random_openings(key: str) -> None:
    rng = random.Random(7)
    for seed in range(25):
        game = _after_random_moves(key, 6, seed)
        player = AlphaBeta(Limits(nodes=rng.choice((2, 20, 60))))
        while game.result() is None and not game.draw_claims() and len(game.moves) < 150:
            game = game.make(player.choose(game).move)
