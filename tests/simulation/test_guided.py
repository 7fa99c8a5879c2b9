"""A hand led from a screen: what it does to the discs, and when it leaves."""

import itertools

import numpy as np
import pytest

from damludo.robot.places import Rack, TableLayout
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.guided import ABANDONED_S, LINGER_S, GuidedHand
from damludo.simulation.hand import Pace, SimulatedHand
from damludo.simulation.table import DiscColour, Table
from damludo.vision.content import Content

LAYOUT = TableLayout()
C3, D4, E5 = 18, 27, 36
WHITE, BLACK = DiscColour.WHITE, DiscColour.BLACK


class Scene:
    """A table with some discs and a hand that is led."""

    def __init__(self, *discs: tuple[DiscColour, int], spare: int = 0) -> None:
        self.table, self.world = Table(LAYOUT), World()
        for colour, square in discs:
            place = LAYOUT.square(square)
            self.table.add_disc(colour, place.x_mm, place.y_mm)
        for number in range(1, spare + 1):
            slot = LAYOUT.rack_slot(Rack.WHITE, number)
            self.table.add_disc(WHITE, slot.x_mm, slot.y_mm)
        hand = SimulatedHand(self.table, -1.0, Pace(), np.random.default_rng(1))
        self.hand, self.clock = GuidedHand(hand, self.table), LockstepClock(self.world)
        self.world.add(hand)
        self.world.add(self.hand)

    def press(self, square: int, whole: bool = False) -> bool:
        place = LAYOUT.square(square)
        return self.hand.press(place.x_mm, place.y_mm, whole=whole)

    def release(self, square: int) -> None:
        place = LAYOUT.square(square)
        self.hand.release(place.x_mm, place.y_mm)

    def drag(self, source: int, target: int, whole: bool = False) -> None:
        self.press(source, whole)
        self.release(target)


def test_a_drag_moves_a_disc_exactly_and_the_hand_leaves_a_second_later() -> None:
    scene = Scene((WHITE, C3))
    scene.drag(C3, D4)
    while scene.table.content() != {D4: Content.WHITE_MAN}:
        scene.clock.sleep(0.02)
    put_s = scene.clock.now_s()
    assert (scene.table.discs[0].x_mm, scene.table.discs[0].y_mm) == (175.0, 175.0)
    while scene.table.hand.present:
        scene.clock.sleep(0.02)
    assert LINGER_S < scene.clock.now_s() - put_s < LINGER_S + 1.5
    assert not scene.hand.led


def test_the_disc_goes_along_with_the_newest_point() -> None:
    scene = Scene((WHITE, C3))
    scene.press(C3)
    scene.clock.sleep(3.0)
    for x in range(10):
        scene.hand.move(130.0 + x * 20.0, 300.0)
    scene.clock.sleep(3.0)
    disc = scene.table.discs[0]
    assert disc.held_by == "hand"
    assert (disc.x_mm, disc.y_mm) == pytest.approx((310.0, 300.0), abs=6.0)
    assert scene.table.content() == {}


def test_a_hand_that_waits_is_never_quite_still() -> None:
    scene = Scene((WHITE, C3))
    scene.press(C3)
    scene.clock.sleep(3.0)
    places = []
    for _ in range(30):
        scene.clock.sleep(0.1)
        places.append((scene.table.hand.x_mm, scene.table.hand.y_mm))
    still = sum(here == there for here, there in itertools.pairwise(places))
    assert still < 20, "it rests for less than half of the time, and never for long"


def test_beside_the_board_the_hand_leaves_at_once() -> None:
    scene = Scene((BLACK, D4))
    scene.press(D4)
    scene.hand.release(500.0, 100.0)
    while scene.table.discs[0].held_by is None or scene.table.hand.present is False:
        scene.clock.sleep(0.02)
    while scene.table.discs[0].held_by is not None:
        scene.clock.sleep(0.02)
    put_s = scene.clock.now_s()
    while scene.table.hand.present:
        scene.clock.sleep(0.02)
    assert scene.clock.now_s() - put_s < LINGER_S


def test_two_drags_follow_each_other_without_the_hand_leaving() -> None:
    scene = Scene((WHITE, C3), (BLACK, D4))
    scene.drag(C3, E5)
    scene.press(D4)
    scene.hand.release(600.0, 50.0)
    gone = 0
    while scene.hand.led:
        scene.clock.sleep(0.02)
        gone += scene.table.content() == {E5: Content.WHITE_MAN} and not scene.table.hand.present
    assert scene.table.content() == {E5: Content.WHITE_MAN}
    assert gone <= 1, "it leaves only after the last drag"


def test_a_captured_disc_dropped_anywhere_beside_the_board_lies_in_its_own_rack() -> None:
    scene = Scene((BLACK, D4))
    scene.press(D4)
    scene.hand.release(-80.0, 333.0)
    scene.clock.sleep(5.0)
    slot = LAYOUT.rack_slot(Rack.BLACK, 1)
    assert (scene.table.discs[0].x_mm, scene.table.discs[0].y_mm) == (slot.x_mm, slot.y_mm)


def test_a_king_is_carried_whole_and_its_two_discs_lie_in_two_slots() -> None:
    scene = Scene((BLACK, D4), (BLACK, D4))
    scene.press(D4, whole=True)
    scene.release(E5)
    scene.clock.sleep(5.0)
    assert scene.table.content() == {E5: Content.BLACK_KING}
    scene.press(E5, whole=True)
    scene.hand.release(520.0, 100.0)
    scene.clock.sleep(5.0)
    assert scene.table.content() == {}
    assert scene.table.rack_count(Rack.BLACK) == 2


def test_only_the_upper_disc_is_lifted_unless_the_whole_is_wanted() -> None:
    scene = Scene((BLACK, D4), (BLACK, D4))
    scene.drag(D4, E5)
    scene.clock.sleep(5.0)
    assert scene.table.content() == {D4: Content.BLACK_MAN, E5: Content.BLACK_MAN}


def test_a_disc_from_the_rack_dropped_near_a_man_crowns_it() -> None:
    scene = Scene((WHITE, D4), spare=3)
    scene.hand.press(-70.0, 200.0)
    scene.hand.release(LAYOUT.square(D4).x_mm + 12.0, LAYOUT.square(D4).y_mm - 9.0)
    scene.clock.sleep(5.0)
    assert scene.table.content() == {D4: Content.WHITE_KING}
    last = LAYOUT.rack_slot(Rack.WHITE, 3)
    assert scene.table.upper_disc_near(last.x_mm, last.y_mm, 15.0) is None, "the last disc of the rack is taken"


def test_where_no_disc_is_nothing_is_done_and_that_is_said() -> None:
    scene = Scene((WHITE, C3))
    assert scene.press(C3)
    assert not Scene((WHITE, C3)).press(D4)
    empty = Scene()
    assert not empty.hand.press(-70.0, 200.0)
    assert not empty.hand.led


def test_a_hand_whose_leader_is_gone_puts_the_disc_back() -> None:
    scene = Scene((WHITE, C3))
    scene.press(C3)
    scene.hand.move(300.0, 300.0)
    scene.clock.sleep(ABANDONED_S + 6.0)
    assert scene.table.content() == {C3: Content.WHITE_MAN}
    assert not scene.table.hand.present


def test_a_press_after_a_lost_release_leads_the_hand_on() -> None:
    scene = Scene((WHITE, C3), (BLACK, D4))
    scene.press(C3)
    scene.clock.sleep(2.0)
    scene.press(D4)
    scene.release(E5)
    scene.clock.sleep(5.0)
    assert scene.table.content() == {D4: Content.BLACK_MAN, E5: Content.WHITE_MAN}


@pytest.mark.parametrize("square", [0, 7, 56, 63])
def test_every_corner_of_the_board_is_reached(square: int) -> None:
    scene = Scene((WHITE, square))
    scene.drag(square, D4)
    scene.clock.sleep(6.0)
    assert scene.table.content() == {D4: Content.WHITE_MAN}
