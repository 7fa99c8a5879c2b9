"""A whole turn gets one ruling: the board, the touched discs and the hand together."""

import random

import pytest

from damludo.rules.actions import NO_ACTION, Action, action_of, board_after, possible_actions
from damludo.rules.conduct import judge
from damludo.rules.explanation import explain
from damludo.rules.messages import LANGUAGES
from damludo.rules.moves import legal_moves, play
from damludo.rules.notation import parse_fen
from damludo.rules.penalties import Discipline, Penalty
from damludo.rules.position import Position
from damludo.rules.referee import Terms, Turn, rule_on
from damludo.rules.touching import Touch
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant
from damludo.rules.verdicts import HandStays, Illegal, Legal, Nothing, Offence, OpponentDecides, Ruling, Unfinished

DAMLUDO = variant("damludo")
TWO_MEN = parse_fen(DAMLUDO, "8/8/8/8/8/2w1w3/8/8 w")
ONE_CAN = parse_fen(DAMLUDO, "8/8/8/8/3b4/2w3w1/8/8 w")
"""c3 must capture, so g3 has no legal move."""

C3, E3, G3, B4, F4 = (DAMLUDO.board.square(name) for name in ("c3", "e3", "g3", "b4", "f4"))
FROM_C3, FROM_E3 = Action(C3, B4), Action(E3, F4)


@pytest.mark.parametrize(
    ("turn", "kind"),
    [
        pytest.param(Turn(), Nothing, id="nothing happened"),
        pytest.param(Turn(FROM_C3), Legal, id="no touch was seen"),
        pytest.param(Turn(FROM_C3, (Touch(C3),)), Legal, id="the touched disc moved"),
        pytest.param(Turn(FROM_E3, (Touch(C3),)), Illegal, id="another one moved"),
        pytest.param(Turn(FROM_E3, (Touch(C3), Touch(E3))), OpponentDecides, id="both were touched"),
        pytest.param(Turn(NO_ACTION, (Touch(C3), Touch(E3))), OpponentDecides, id="both were touched, none moved"),
        pytest.param(Turn(FROM_E3, (Touch(C3, 0.9), Touch(E3))), Legal, id="the other touch is not certain"),
        pytest.param(Turn(FROM_E3, (Touch(C3, announced=True), Touch(E3))), Legal, id="the other one was adjusted"),
        pytest.param(Turn(FROM_E3, (Touch(C3),), hand_left=False), HandStays, id="the hand is still there"),
    ],
)
def test_a_turn_gets_one_ruling(turn: Turn, kind: type[Ruling]) -> None:
    assert type(rule_on(DAMLUDO, TWO_MEN, turn)) is kind


def test_the_opponents_choice_binds() -> None:
    turn = Turn(FROM_E3, (Touch(C3), Touch(E3)))
    assert type(rule_on(DAMLUDO, TWO_MEN, turn, chosen=E3)) is Legal
    assert type(rule_on(DAMLUDO, TWO_MEN, turn, chosen=C3)) is Illegal
    assert type(rule_on(DAMLUDO, TWO_MEN, turn, chosen=G3)) is OpponentDecides


def test_touching_in_vain_costs_nothing_first_then_as_agreed() -> None:
    in_vain = Turn(touches=(Touch(G3),))
    rulings = [rule_on(DAMLUDO, ONE_CAN, in_vain, earlier=earlier) for earlier in range(3)]
    assert [isinstance(ruling, Offence) and ruling.penalty for ruling in rulings] == [
        Penalty.NONE,
        Penalty.WARNING,
        Penalty.TIME,
    ]
    strict = Terms(discipline=Discipline(free=0, warnings=0, then=Penalty.GAME))
    ruling = rule_on(DAMLUDO, ONE_CAN, in_vain, strict)
    assert isinstance(ruling, Offence)
    assert ruling.penalty is Penalty.GAME


def test_a_legal_move_after_touching_in_vain_is_legal() -> None:
    d4, e5 = DAMLUDO.board.square("d4"), DAMLUDO.board.square("e5")
    turn = Turn(Action(C3, e5, frozenset({d4})), (Touch(G3), Touch(C3)))
    assert type(rule_on(DAMLUDO, ONE_CAN, turn, earlier=9)) is Legal


def test_touches_bind_only_where_the_game_or_the_players_say_so() -> None:
    english = variant("english")
    turn = Turn(FROM_E3, (Touch(C3),))
    assert type(rule_on(english, TWO_MEN, turn)) is Legal
    assert type(rule_on(english, TWO_MEN, turn, Terms(touch_move=True))) is Illegal
    assert type(rule_on(DAMLUDO, TWO_MEN, turn, Terms(touch_move=False))) is Legal


def test_the_squares_visited_tell_which_of_two_captures_was_begun() -> None:
    """From d2 to d6 over the left or over the right; the men still stand, so the board alone leaves both open."""
    english = variant("english")
    position = parse_fen(english, "W:Wd2:Bc3,c5,e3,e5")
    square = english.board.square
    action = Action(square("d2"), square("d6"))
    for way, victims in (("b4", ["c3", "c5"]), ("f4", ["e3", "e5"])):
        ruling = rule_on(english, position, Turn(action, visited=(square(way),)))
        assert isinstance(ruling, Unfinished)
        assert sorted(map(english.board.name, ruling.discs_to_remove)) == victims
        assert len(ruling.moves) == 1
    unknown = rule_on(english, position, Turn(action))
    assert isinstance(unknown, Unfinished)
    assert len(unknown.moves) == 2


@pytest.mark.parametrize(
    ("ruling", "language", "sentence"),
    [
        (HandStays(DAMLUDO.board), "en", "take your hand off the board: then the move counts"),
        (
            OpponentDecides((C3, E3), DAMLUDO.board),
            "eo",
            "vi tuŝis c3 kaj e3: via kontraŭulo elektas, kiu el ili devas moviĝi",
        ),
        (
            Offence((G3,), Penalty.NONE, DAMLUDO.board),
            "en",
            "you touched g3, and no legal move begins there. This time it has no consequence.",
        ),
        (
            Offence((G3,), Penalty.GAME, DAMLUDO.board),
            "sl",
            "dotaknili ste se figure na g3, od koder ni dovoljene poteze. To stane partijo.",
        ),
    ],
)
def test_a_ruling_is_said_in_each_language(ruling: Ruling, language: str, sentence: str) -> None:
    assert explain(ruling, language) == sentence


def _turns(game: Variant, position: Position, chance: random.Random) -> list[Turn]:
    """What a hand can do here, with touches of random discs at random confidence; the disc that moved is always touched."""
    occupied = [square for square in game.board.playable if position.cells[square]]
    actions = possible_actions(game, position)
    moves = [action_of(move) for move in legal_moves(game, position)]
    turns = []
    for action in [*moves, *chance.sample(actions, min(len(actions), 80))]:
        others = chance.sample(occupied, min(len(occupied), chance.choice([0, 0, 1, 2])))
        squares = [*others, *([] if action.origin is None else [action.origin])]
        touches = tuple(Touch(square, chance.choice([0.5, 0.96, 1.0]), chance.random() < 0.1) for square in squares)
        turns.append(Turn(action, touches, hand_left=chance.random() > 0.05))
    return turns


def _class_by_the_book(game: Variant, position: Position, turn: Turn, touch_move: bool) -> str:
    """The one class of a turn, from the articles alone."""
    if not turn.hand_left:
        return "HandStays"
    counted = {touch.square for touch in turn.touches if touch.confidence >= 0.95 and not touch.announced}
    own = {square for square in counted if position.at(square).colour is position.side and touch_move}
    can = own & {move.origin for move in legal_moves(game, position)}
    if len(can) > 1:
        return "OpponentDecides"
    verdict = judge(game, position, turn.action)
    if own and not can and verdict == Nothing(game.board):
        return "Offence"
    if can and isinstance(verdict, Legal | Unfinished):
        moves = (verdict.move,) if isinstance(verdict, Legal) else verdict.moves
        return type(verdict).__name__ if can & {move.origin for move in moves} else "Illegal"
    return type(verdict).__name__


@pytest.mark.parametrize("key", VARIANTS)
@pytest.mark.parametrize("touch_move", [False, True], ids=["free", "touch-move"])
def test_every_turn_falls_into_the_one_class_that_the_articles_give(key: str, touch_move: bool) -> None:
    game, chance = variant(key), random.Random(f"{key} {touch_move}")
    position, seen = game.start, set()
    for _ in range(3):
        moves = legal_moves(game, position)
        boards = {play(game, position, move).cells for move in moves}
        for turn in _turns(game, position, chance):
            ruling = rule_on(game, position, turn, Terms(touch_move=touch_move))
            assert type(ruling).__name__ == _class_by_the_book(game, position, turn, touch_move), (position, turn)
            assert not isinstance(ruling, Legal) or board_after(game, position, turn.action) in boards
            assert ruling.article
            assert explain(ruling, chance.choice(LANGUAGES))
            seen.add(type(ruling).__name__)
        position = play(game, position, chance.choice(moves))
    assert {"Legal", "Illegal"} <= seen


def rulings_against_legal_moves(key: str, games: int, plies: int = 60) -> list[Ruling]:
    """What is ruled on legal moves of random games but "legal", by strict players of whom one has offended often before."""
    game, chance, rulings = variant(key), random.Random(f"{key} {games}"), []
    strict = Terms(touch_move=True, discipline=Discipline(free=0, warnings=0, then=Penalty.GAME))
    for _ in range(games):
        position = game.start
        for _ in range(plies):
            moves = legal_moves(game, position)
            if not moves:
                break
            move = chance.choice(moves)
            turn = Turn(action_of(move), (Touch(move.origin),), visited=move.path)
            ruling = rule_on(game, position, turn, strict, earlier=9)
            if ruling != Legal(move, game.board):
                rulings.append(ruling)
            position = play(game, position, move)
    return rulings


@pytest.mark.parametrize("key", VARIANTS)
def test_a_legal_move_is_never_ruled_against(key: str) -> None:
    assert rulings_against_legal_moves(key, 2) == []


@pytest.mark.slow
@pytest.mark.parametrize("key", VARIANTS)
def test_a_legal_move_is_never_ruled_against_in_a_thousand_games(key: str) -> None:
    assert rulings_against_legal_moves(key, 1_000) == []
