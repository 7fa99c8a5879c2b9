"""The simulated hand: carries discs, needs time for it, and is not exact."""

import numpy as np
import pytest

from damludo.robot.places import TableLayout
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.gestures import gestures_to
from damludo.simulation.hand import Pace, Put, SimulatedHand, Take, Wait, Withdraw
from damludo.simulation.table import DiscColour, Table
from damludo.vision.content import Content

LAYOUT = TableLayout()
C3, D4 = 18, 27


def _scene(pace: Pace = Pace(spread_mm=0.0)) -> tuple[Table, SimulatedHand, LockstepClock]:  # noqa: B008
    table = Table(LAYOUT)
    place = LAYOUT.square(C3)
    table.add_disc(DiscColour.WHITE, place.x_mm, place.y_mm)
    world = World()
    hand = SimulatedHand(table, -1.0, pace, np.random.default_rng(1))
    world.add(hand)
    return table, hand, LockstepClock(world)


def _move(source: int, target: int) -> list[Take | Put | Withdraw | Wait]:
    a, b = LAYOUT.square(source), LAYOUT.square(target)
    return [Take(a.x_mm, a.y_mm), Put(b.x_mm, b.y_mm), Withdraw()]


def test_a_hand_carries_a_disc_and_leaves() -> None:
    table, hand, clock = _scene()
    hand.do(_move(C3, D4))
    clock.sleep(10.0)
    assert table.content() == {D4: Content.WHITE_MAN}
    assert (table.discs[0].x_mm, table.discs[0].y_mm) == (175.0, 175.0)
    assert not table.hand.present
    assert not hand.busy


def test_the_disc_is_in_the_hand_on_the_way() -> None:
    table, hand, clock = _scene()
    hand.do(_move(C3, D4))
    held = 0
    while hand.busy:
        clock.sleep(0.02)
        if table.held_disc("hand") is not None:
            held += 1
            assert table.content() == {}
            assert table.hand.present
    assert held > 10


def test_a_slow_hand_takes_longer() -> None:
    times = []
    for speed in (900.0, 300.0):
        _, hand, clock = _scene(Pace(speed_mm_s=speed, spread_mm=0.0))
        hand.do(_move(C3, D4))
        while hand.busy:
            clock.sleep(0.02)
        times.append(clock.now_s())
    assert 1.0 < times[0] < times[1] < 6.0


def test_placed_discs_spread_as_the_pace_says() -> None:
    table, hand, clock = _scene(Pace(spread_mm=3.0))
    offsets = []
    for _ in range(150):
        for source, target in ((C3, D4), (D4, C3)):
            hand.do(_move(source, target))
            while hand.busy:
                clock.sleep(0.02)
            goal = LAYOUT.square(target)
            offsets += [table.discs[0].x_mm - goal.x_mm, table.discs[0].y_mm - goal.y_mm]
    assert np.std(offsets) == pytest.approx(3.0, rel=0.12)


def test_a_second_disc_of_the_same_colour_crowns() -> None:
    table, hand, clock = _scene(Pace(spread_mm=2.0))
    table.add_disc(DiscColour.WHITE, 175.0, 175.0)
    hand.do(_move(C3, D4))
    clock.sleep(10.0)
    assert table.content() == {D4: Content.WHITE_KING}


def test_reaching_for_nothing_takes_nothing() -> None:
    table, hand, clock = _scene()
    hand.do([Take(325.0, 325.0), Put(25.0, 25.0), Withdraw()])
    clock.sleep(10.0)
    assert table.content() == {C3: Content.WHITE_MAN}


def test_what_stands_in_the_way_goes_first() -> None:
    """White's man stands where Black's shall stand: were Black's put on top of it, the hand would take that one up again."""
    e5, f6 = 36, 45
    table, hand, clock = _scene()
    for square, colour in ((e5, DiscColour.BLACK), (D4, DiscColour.WHITE)):
        place = LAYOUT.square(square)
        table.add_disc(colour, place.x_mm, place.y_mm)
    wanted = {C3: Content.WHITE_MAN, D4: Content.BLACK_MAN, f6: Content.WHITE_MAN}
    hand.do([*gestures_to(table, wanted, white_first=False), Withdraw()])
    clock.sleep(20.0)
    assert table.content() == wanted
