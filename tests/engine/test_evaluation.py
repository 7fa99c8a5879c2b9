"""What positions are worth follows from the traits of the game."""

import pytest

from damludo.engine.evaluation import evaluation_of
from damludo.rules.notation import parse_fen
from damludo.rules.position import LETTERS, PIECES, Position
from damludo.rules.variants import VARIANTS, variant


def _worth(key: str, fen: str) -> int:
    return evaluation_of(variant(key))(parse_fen(variant(key), fen))


def _turned(position: Position) -> Position:
    """The board turned by half a turn and the colours swapped: the same position for the other side."""
    swapped = bytes(LETTERS.index(letter) for letter in ".bBwWyx")
    return Position(bytes(swapped[code] for code in reversed(position.cells)), position.side.other)


@pytest.mark.parametrize("key", [key for key in VARIANTS if key != "oneway"])
def test_both_sides_are_judged_alike(key: str) -> None:
    game = variant(key)
    judge = evaluation_of(game)

    assert judge(game.start) == judge(_turned(game.start))


@pytest.mark.parametrize("key", [key for key in VARIANTS if key not in ("anti", "hawaiian")])
def test_a_man_of_the_start_position_is_worth_one_to_two(key: str) -> None:
    """The unit is that of the weights chosen by reason; learnt ones put a game's odds on a man, most in English draughts."""
    game = variant(key)
    judge, mover = evaluation_of(game), game.start.side
    lost = [square for square, code in enumerate(game.start.cells) if code and PIECES[code].colour is mover]
    fewer = [Position(game.start.cells[:square] + bytes(1) + game.start.cells[square + 1 :], mover) for square in lost]
    drops = [judge(game.start) - judge(position) for position in fewer]
    assert min(drops) > 65
    assert 90 < sum(drops) / len(drops) < 220


def test_a_man_more_is_bad_where_the_loser_wins() -> None:
    assert _worth("anti", "W:Wc3,e3:Bd6") < _worth("anti", "W:We3:Bd6")


def test_a_flying_king_is_worth_more_than_a_stepping_one() -> None:
    fen = "W:WKd4:Be7,g7"

    assert _worth("damludo", fen) > 0 > _worth("english", fen)


@pytest.mark.parametrize("key", ["english", "russian", "international", "damludo"])
def test_a_lead_is_worth_less_where_both_sides_have_a_king(key: str) -> None:
    """By more than what the king is worth beyond the man in whose place it stands: without the half it would be two thirds."""
    ahead = {"english": "W:WK18,K15,22,26:B{}12,3", "international": "W:WK28,K23,32,37:B{}6,11"}.get(
        key, "W:WKd4,Ke5,c1,e1:B{}h8,f8"
    )

    assert 0 < _worth(key, ahead.format("K")) < 0.6 * _worth(key, ahead.format(""))


def test_kings_that_move_along_ranks_and_files_do_not_escape() -> None:
    """Turkish draughts: a king more beside kings is worth at least as much as anywhere."""
    alone = _worth("turkish", "W:WKd4,a2,b2:Bh7,g7")
    beside = _worth("turkish", "W:WKd4,Ke4,a2,b2:BKg5,h7,g7")

    assert beside > 0.8 * alone


@pytest.mark.parametrize(
    ("placement", "worth"),
    [
        pytest.param("8/8/8/8/3wb3/8/8/8 w", 0, id="each side has one jump"),
        pytest.param("8/8/8/8/3wb3/8/8/7b w", 0, id="a stone that cannot move is worth nothing"),
        pytest.param("8/8/8/8/wb6/8/8/8 w", 20, id="at the rim only one can jump"),
        pytest.param("8/8/8/8/wb6/8/8/8 b", -20, id="and it is the same seen by Black"),
    ],
)
def test_freedom_is_what_counts_where_nothing_but_captures_moves(placement: str, worth: int) -> None:
    assert _worth("hawaiian", placement) == worth
