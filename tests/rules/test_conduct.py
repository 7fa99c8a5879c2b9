"""The referee: what a player did to the board, and the sentence about it."""

import random

import pytest

from damludo.rules.actions import NO_ACTION, Action, action_of, board_after, possible_actions
from damludo.rules.conduct import judge, judge_attempt, judge_board
from damludo.rules.explanation import explain
from damludo.rules.moves import all_routes, legal_moves, play
from damludo.rules.notation import move_text, parse_fen, parse_squares
from damludo.rules.position import Piece, Position
from damludo.rules.touching import duty_of, judge_touched
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant
from damludo.rules.verdicts import Illegal, Legal, Nothing, Unfinished, Verdict


def at(key: str, text: str) -> tuple[Variant, Position]:
    return variant(key), parse_fen(variant(key), text)


def did(key: str, text: str, origin: str, target: str, removed: str = "", crowned: bool = False) -> Verdict:
    """Judge one action, squares by name."""
    game, position = at(key, text)
    squares = {game.board.name(square): square for square in range(len(position.cells))}
    taken = frozenset(squares[name] for name in removed.split())
    return judge(game, position, Action(squares[origin], squares[target], taken, crowned))


CHAIN = "8/8/5b2/8/1b1b4/w1w5/8/8 w"
"""English: c3 takes d4 and f6; single captures of b4 are legal too."""


def test_a_finished_capture_is_legal() -> None:
    verdict = did("english", CHAIN, "c3", "g7", "d4 f6")
    assert isinstance(verdict, Legal)
    assert explain(verdict) == "c3xe5xg7 is a legal move"


def test_captured_discs_left_on_the_board_are_asked_for() -> None:
    verdict = did("english", CHAIN, "c3", "g7", "d4")
    assert isinstance(verdict, Unfinished)
    assert [verdict.board.name(square) for square in verdict.discs_to_remove] == ["f6"]
    assert explain(verdict) == "c3xe5xg7 is not finished: please take the captured disc on f6 off the board"


def test_a_chain_that_stops_is_to_be_continued() -> None:
    verdict = did("english", CHAIN, "c3", "e5", "d4")
    assert explain(verdict) == (
        "c3xe5xg7 is not finished: please go on from e5 to g7, and take the captured disc on f6 off the board"
    )


def test_a_missing_crown_is_asked_for() -> None:
    verdict = did("english", "W:Wc7:Bg1", "c7", "d8")
    assert isinstance(verdict, Unfinished)
    assert verdict.crown_missing
    assert explain(verdict) == "c7-d8 is not finished: please put a second disc on d8: the man becomes a king"


def test_a_missed_capture_names_what_it_takes() -> None:
    verdict = did("damludo", "8/8/3b4/8/3b4/4w1w1/8/8 w", "g3", "h4")
    assert isinstance(verdict, Illegal)
    assert verdict.reason_code == "must_capture"
    assert explain(verdict) == "you must capture: e3xc5xe7 takes two"


def test_a_capture_that_is_too_small_says_how_many() -> None:
    verdict = did("damludo", "8/8/3b4/8/3b1b2/4w3/8/8 w", "e3", "g5", "f4")
    assert isinstance(verdict, Illegal)
    assert verdict.reason_code == "capture_too_small"
    assert explain(verdict) == "you must capture the most: e3xc5xe7 takes two, you took one"


def test_only_esperanto_lets_a_missed_capture_stand() -> None:
    """The opponent may have it taken back, or let it stand."""
    fen = "8/8/3b4/8/3b1b2/4w3/8/8 w"
    esperanto, damludo = (did(key, fen, "e3", "g5", "f4") for key in ("esperanto", "damludo"))
    assert isinstance(esperanto, Illegal)
    assert isinstance(damludo, Illegal)
    assert (esperanto.may_stand, damludo.may_stand) == (True, False)
    assert esperanto.played is not None
    assert move_text(variant("esperanto"), esperanto.played) == "e3xg5"


@pytest.mark.parametrize(
    ("key", "fen", "origin", "target", "removed", "code"),
    [
        ("czech", "5W2/8/5b2/8/1b1b4/2w5/8/8 w", "c3", "g7", "d4 f6", "king_must_capture"),
        ("portuguese", "8/8/4b3/8/8/1W6/2B5/8 w", "b3", "f7", "e6", "more_kings"),
        ("italian", "8/5b2/4W3/8/8/3b4/2w5/8 w", "c2", "e4", "d3", "king_must_capture"),
        ("italian", "8/8/8/8/2W5/3B1b2/6W1/8 w", "g2", "c2", "f3 d3", "king_earlier"),
        ("english", "W:Wc3:Bb8", "c3", "b2", "", "wrong_direction"),
        ("english", "W:Wc3:Bb8", "c3", "e5", "", "too_far"),
        ("english", "W:Wc3:Bb8", "c3", "c4", "", "not_a_line"),
        ("english", "W:Wc3,d4:Bb8", "c3", "e5", "", "in_the_way"),
        ("english", "W:Wc3,d4:Bb8", "c3", "d4", "", "disc_missing"),
        ("english", "W:Wc3:Bb8", "c3", "a5", "b8", "cannot_capture_so"),
        ("english", "W:Wc3:Bb8", "b8", "a7", "", "not_your_disc"),
        ("english", "W:Wc3:Bb8", "c3", "d4", "b8", "cannot_capture_so"),
        ("english", "W:Wc3:Bb8", "c3", "b8", "", "occupied"),
        ("parachute", "7x/8/8/8/8/w7/7b/8 w", "h8", "g7", "", "cannot_move"),
    ],
)
def test_an_illegal_action_has_its_reason(
    key: str, fen: str, origin: str, target: str, removed: str, code: str
) -> None:
    verdict = did(key, fen, origin, target, removed)
    assert isinstance(verdict, Illegal)
    assert verdict.reason_code == code


def test_a_crown_that_is_not_due_is_to_be_taken_off() -> None:
    """A man that only passes the last row stays a man."""
    verdict = did("brazilian", "8/4b1b1/3w4/8/8/8/8/8 w", "d6", "h6", "e7 g7", crowned=True)
    assert explain(verdict) == "no crown is due on h6; please take the second disc off"


def test_a_man_crowned_on_the_way_is_crowned_at_the_end() -> None:
    """Russian: crowned on f8, and a king on a3."""
    verdict = did("russian", "8/6b1/7w/2b5/8/8/8/8 w", "h6", "a3", "g7 c5")
    assert isinstance(verdict, Unfinished)
    assert verdict.crown_missing
    assert [verdict.board.name(move.target) for move in verdict.moves] == ["a3"]


@pytest.mark.parametrize(
    ("fen", "target", "removed", "left", "acts"),
    [
        pytest.param(
            "W:WKc3:Bh8,b8", "d4", "", "c3", "put the king's second disc, which is still on c3, onto d4", id="step"
        ),
        pytest.param(
            "W:WKc3:Bd4,b8",
            "e5",
            "d4",
            "c3",
            "put the king's second disc, which is still on c3, onto e5",
            id="capture",
        ),
        pytest.param(
            "W:WKc3:Bd4,b8",
            "e5",
            "",
            "d4 c3",
            "take the captured disc on d4 off the board, and put the king's second disc, which is still on c3, onto e5",
            id="capture with the captured disc left",
        ),
    ],
)
def test_the_second_disc_of_a_king_that_was_left_behind_is_named(
    fen: str, target: str, removed: str, left: str, acts: str
) -> None:
    game, position = at("damludo", fen)
    square = game.board.square
    cells = bytearray(position.cells)
    cells[square("c3")] = cells[square(target)] = Piece.WHITE_MAN
    for name in removed.split():
        cells[square(name)] = Piece.EMPTY
    verdict = judge_board(game, position, bytes(cells))
    assert isinstance(verdict, Unfinished)
    assert [game.board.name(place) for place in verdict.to_clear] == left.split()
    assert explain(verdict).endswith(f" is not finished: please {acts}")
    assert bytes(cells) in {board_after(game, position, action) for action in possible_actions(game, position)}


def test_a_king_that_lost_its_second_disc_gets_it_back() -> None:
    game, position = at("damludo", "W:WKc3:Bh8,b8")
    moved, stayed = bytearray(position.cells), bytearray(position.cells)
    square = game.board.square
    moved[square("c3")], moved[square("d4")] = Piece.EMPTY, Piece.WHITE_MAN
    stayed[square("c3")] = Piece.WHITE_MAN
    assert explain(judge_board(game, position, bytes(moved))) == (
        "c3-d4 is not finished: please put a second disc on d4: it is a king"
    )
    assert explain(judge_board(game, position, bytes(stayed))) == (
        "the king on c3 has lost its second disc; please put it back"
    )


def test_discs_taken_off_before_the_move_are_no_offence() -> None:
    game, position = at("english", CHAIN)
    verdict = judge(game, position, Action(removed=frozenset({game.board.square("d4"), game.board.square("f6")})))
    assert isinstance(verdict, Unfinished)


def test_the_other_way_round_is_the_same_move() -> None:
    game, position = at("english", "8/8/8/2b1b3/8/2b1b3/3W4/8 w")
    for route in all_routes(game, position):
        assert judge(game, position, action_of(route)) == Legal(legal_moves(game, position)[0], game.board)


def test_a_disc_put_back_is_nothing() -> None:
    game = variant("damludo")
    assert judge(game, game.start, NO_ACTION) == Nothing(game.board)
    assert judge(game, game.start, Action(16, 16)) == Nothing(game.board)


@pytest.mark.parametrize(
    ("key", "fen", "move", "sentence"),
    [
        ("english", "W:Wc3:Bb8", "d4-e5", "there is no disc on d4; possible: c3-b4, c3-d4"),
        ("english", "W:Wc3:Bb8", "b8-a7", "the disc on b8 is not yours; possible: c3-b4, c3-d4"),
        ("english", "W:Wc3,d4:Bb8", "c3-d4", "d4 is occupied, c3 cannot move there; possible: c3-b4"),
        (
            "damludo",
            "8/8/3b4/8/3b1b2/4w3/8/8 w",
            "e3xg5",
            "you must capture the most: e3xc5xe7 takes two, you took one",
        ),
        (
            "damludo",
            "8/8/3b4/8/3b1b2/4w3/8/8 w",
            "e3-d2",
            "the piece on e3 does not move in the direction of d2; possible: e3xc5xe7 takes two",
        ),
        (
            "english",
            CHAIN,
            "c3-e5",
            "c3xe5xg7 is not finished: please go on from e5 to g7, and take the captured disc on f6 off the board",
        ),
        ("english", CHAIN, "c3xg7", "c3xe5xg7 is a legal move"),
        ("english", CHAIN, "c3xa5xg7", "c3-a5-g7: the capture goes another way; possible: c3xe5xg7 takes two"),
        (
            "hawaiian",
            "",
            "d4",
            "the disc on d4 is not yours; possible: taking off the stone on h1, "
            "taking off the stone on e4, taking off the stone on d5 (and 1 more)",
        ),
    ],
)
def test_a_move_that_is_said_is_explained(key: str, fen: str, move: str, sentence: str) -> None:
    game = variant(key)
    position = parse_fen(game, fen) if fen else game.start
    assert explain(judge_attempt(game, position, parse_squares(game, move))) == sentence


def _positions(key: str, count: int) -> list[Position]:
    """Positions of a random game, every third ply."""
    game, chance, positions = variant(key), random.Random(key), []
    position = game.start
    for ply in range(3 * count):
        moves = legal_moves(game, position)
        if not moves:
            break
        if ply % 3 == 2:
            positions.append(position)
        position = play(game, position, chance.choice(moves))
    return positions


@pytest.mark.parametrize("key", VARIANTS)
def test_an_action_is_legal_exactly_when_its_board_is_that_of_a_legal_move(key: str) -> None:
    game = variant(key)
    for position in _positions(key, 3):
        boards = {play(game, position, move).cells for move in legal_moves(game, position)}
        actions = possible_actions(game, position)
        for action in actions:
            verdict = judge(game, position, action)
            assert isinstance(verdict, Legal) == (board_after(game, position, action) in boards)
            assert explain(verdict)
        assert boards <= {board_after(game, position, action) for action in actions}


@pytest.mark.parametrize("key", VARIANTS)
def test_possible_actions_leave_different_boards(key: str) -> None:
    game = variant(key)
    for position in _positions(key, 2):
        boards = [board_after(game, position, action) for action in possible_actions(game, position)]
        assert len(set(boards)) == len(boards)
        assert boards[0] == position.cells


@pytest.mark.parametrize("key", VARIANTS)
def test_every_beginning_of_a_legal_move_is_unfinished_or_legal(key: str) -> None:
    """No penalty for a move that is still being made."""
    game = variant(key)
    for position in _positions(key, 8):
        for route in all_routes(game, position):
            for jumps, square in enumerate(route.path, 1):
                for removed in ((), route.captures[:jumps]):
                    verdict = judge(game, position, Action(route.origin, square, frozenset(removed)))
                    assert isinstance(verdict, Legal | Unfinished | Nothing), (position, route, verdict)


def test_any_board_at_all_gets_a_verdict() -> None:
    chance = random.Random(7)
    for key, game in VARIANTS.items():
        codes = sorted({piece for square in game.board.playable if (piece := game.start.at(square))} | {Piece.EMPTY})
        for _ in range(60):
            cells = bytearray(game.start.cells)
            for square in chance.sample(game.board.playable, chance.randint(1, 5)):
                cells[square] = chance.choice(codes)
            assert explain(judge_board(game, game.start, bytes(cells))), key


@pytest.mark.parametrize("key", VARIANTS)
def test_a_move_that_touches_only_its_own_disc_is_legal_in_a_random_game(key: str) -> None:
    assert offences_of_random_games(key, 1) == []


def offences_of_random_games(key: str, count: int) -> list[Verdict]:
    """The verdicts other than legal on legal moves, each made by a player who touched the disc that moved and nothing else."""
    game, chance, offences = variant(key), random.Random(f"{key} {count}"), []
    for _ in range(count):
        position = game.start
        for _ in range(60):
            moves = legal_moves(game, position)
            if not moves:
                break
            move = chance.choice(moves)
            duty = duty_of(game, position, [move.origin])
            verdict = judge_touched(game, position, action_of(move), duty)
            if verdict != Legal(move, game.board):
                offences.append(verdict)
            position = play(game, position, move)
    return offences
