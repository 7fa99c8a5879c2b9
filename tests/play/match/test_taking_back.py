"""Taking back as a plan: undoing the carryings of any moves of any game leads to the board as it was."""

import numpy as np
import pytest

from damludo.play.content import SPARE_DISCS, board_content, layout_for
from damludo.play.match.choreography import Choreography, Racks, choreograph, racks_after_human
from damludo.play.match.course import Course
from damludo.play.match.taking_back import choreograph_back
from damludo.robot.places import Place
from damludo.rules.fen import parse_fen
from damludo.rules.game import Game
from damludo.rules.notation import parse_move
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.rules.variants import VARIANTS, variant
from damludo.vision.content import Content

PLIES = 60


def _played(rules: Variant, seed: int) -> tuple[Game, list[Racks]]:
    """Return a random game, and what lay in the racks before each of its moves and after the last."""
    random = np.random.default_rng(seed)
    game, racks, layout = Game.new(rules), [Racks(SPARE_DISCS, SPARE_DISCS)], layout_for(rules)
    while len(game.moves) < PLIES and game.result() is None:
        moves = game.legal_moves()
        move = moves[int(random.integers(len(moves)))]
        after = game.make(move)
        if len(game.moves) % 2:
            plan = choreograph(layout, rules.board.playable, game.position, after.position, move, racks[-1])
            racks.append(plan.racks)
        else:
            racks.append(racks_after_human(game.position, move, racks[-1]))
        game = after
    return game, racks


def _carried_out(plan: Choreography) -> dict[int, Content]:
    """Carry a plan out disc by disc, as a table would, and look at each step whether it can be done."""
    discs = {square: (content.discs, content.is_white) for square, content in plan.before.items()}
    for carrying in plan.carryings:
        if carrying.source is not None:
            lying, white = discs[carrying.source]
            assert (lying, white) == (carrying.transfer.source_discs, carrying.white)
            discs[carrying.source] = (lying - 1, white)
        if carrying.target is not None:
            lying, white = discs[carrying.target]
            assert lying == carrying.transfer.target_discs
            assert lying == 0 or white is carrying.white, "a disc would be put on the other side's"
            discs[carrying.target] = (lying + 1, carrying.white)
    men = {True: (Content.EMPTY, Content.WHITE_MAN, Content.WHITE_KING)}
    men[False] = (Content.EMPTY, Content.BLACK_MAN, Content.BLACK_KING)
    return {square: men[white][lying] for square, (lying, white) in discs.items()}


@pytest.mark.parametrize("key", VARIANTS)
def test_every_move_of_a_random_game_can_be_taken_back(key: str) -> None:
    rules = variant(key)
    game, racks = _played(rules, seed=3)
    layout = layout_for(rules)
    while game.moves:
        earlier = game.undo()
        plan = choreograph_back(layout, game, earlier, racks[len(game.moves)])
        assert plan.left_for_human == ()
        assert _carried_out(plan) == board_content(rules.board.playable, earlier.position)
        assert plan.racks == racks[len(earlier.moves)]
        game = earlier


@pytest.mark.parametrize("key", ["damludo", "thai", "turkish", "hawaiian", "canadian"])
def test_many_moves_are_taken_back_in_one_plan(key: str) -> None:
    rules = variant(key)
    game, racks = _played(rules, seed=4)
    begin = Game.new(rules)
    plan = choreograph_back(layout_for(rules), game, begin, racks[-1])
    assert _carried_out(plan) == board_content(rules.board.playable, rules.start)
    assert plan.racks == racks[0]


def test_a_capture_with_a_crowning_is_undone_in_reverse_order() -> None:
    rules = variant("damludo")
    before = Game.new(rules, parse_fen(rules, "W:Wd4,a1:Be5,e7,h2"))
    game = before.make(parse_move(rules, before.position, "d4xf6xd8"))
    plan = choreograph_back(layout_for(rules), game, before, Racks(3, 6))
    steps = [(_name(c.transfer.source), _name(c.transfer.target)) for c in plan.carryings]
    assert steps == [("d8", "white 4"), ("d8", "d4"), ("black 6", "e7"), ("black 5", "e5")]
    assert plan.racks == Racks(4, 4)


def test_an_empty_rack_leaves_the_disc_to_the_person() -> None:
    rules = variant("damludo")
    before = Game.new(rules, parse_fen(rules, "W:Wc3:Bd4,h8"))
    game = before.make(parse_move(rules, before.position, "c3xe5"))
    plan = choreograph_back(layout_for(rules), game, before, Racks(0, 0))
    assert plan.left_for_human == ("The rack is empty: put a black disc back on d4.",)
    assert plan.final[27] is Content.BLACK_MAN


def test_the_last_move_of_a_side_is_found_behind_the_others() -> None:
    rules = variant("damludo")
    game = Game.new(rules)
    assert Course(game).before_last_move_of(Colour.WHITE) is None
    for text in ("c3-d4", "d6-c5"):
        game = game.make(parse_move(rules, game.position, text))
    white, black = Course(game).before_last_move_of(Colour.WHITE), Course(game).before_last_move_of(Colour.BLACK)
    assert white is not None
    assert black is not None
    assert (white.plies, black.plies) == (0, 1)


def _name(place: Place) -> str:
    return place.name
