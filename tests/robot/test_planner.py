"""Plans: exact programs of whole moves, and what must hold for every plan."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damludo.robot.dialects.grbl import GRBL
from damludo.robot.errors import OutOfReach, RobotError
from damludo.robot.frames import GantryMap, GantryPoint
from damludo.robot.gcode import program
from damludo.robot.machine import MachineSettings
from damludo.robot.motion import Dwell, Lower, Magnet, MotionPlan, Raise, Travel, straight_move, trapezoid_s
from damludo.robot.places import Place, Rack, TableLayout, Transfer
from damludo.robot.planner import Handling, Planner, jog

HOME = GantryPoint(1.0, 1.0, 79.0)
C3, D4, E5, F6 = 18, 27, 36, 45


@pytest.mark.parametrize(
    ("target", "order"),
    [
        pytest.param(GantryPoint(5.0, 1.0, 78.0), [Travel, Lower], id="down after it went sideways"),
        pytest.param(GantryPoint(5.0, 1.0, 79.5), [Raise, Travel], id="up before it goes sideways"),
        pytest.param(GantryPoint(1.0, 1.0, 78.0), [Lower], id="down alone"),
        pytest.param(HOME, [], id="nowhere"),
    ],
)
def test_a_jog_stays_high_as_long_as_it_can(target: GantryPoint, order: list[type], machine: MachineSettings) -> None:
    plan = jog(HOME, target, replace(machine.limits, high_mm=(600.0, 500.0, 80.0)))

    assert [type(step) for step in plan.steps] == order
    assert plan.end == target


def test_a_jog_is_slow_and_stays_within_the_travel(machine: MachineSettings) -> None:
    (step,) = jog(HOME, GantryPoint(101.0, 1.0, 79.0), machine.limits).steps

    assert isinstance(step, Travel)
    assert step.speed_mm_per_s == pytest.approx(60.0)
    with pytest.raises(OutOfReach, match=r"x = -1\.0 mm is outside the travel 1\.0\.\.600\.0 mm"):
        jog(HOME, GantryPoint(-1.0, 1.0, 79.0), machine.limits)


def test_a_mans_move_is_one_lift(planner: Planner, machine: MachineSettings, layout: TableLayout) -> None:
    plan = planner.transfers([Transfer(layout.square(C3), layout.square(D4))], HOME, park=True)
    assert program(plan, GRBL, machine) == (
        "G21 G90 G94",
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 X-375.000 Y-325.000 F15195.0",
        "G53 G1 Z-51.500 F3000.0",
        "M3 S1000",
        "G4 P0.100",
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 X-325.000 Y-275.000 F16970.6",
        "G53 G1 Z-50.500 F3000.0",
        "M5",
        "G4 P0.100",
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 X-599.000 Y-499.000 F15499.7",
        "G4 P0",
    )
    assert plan.end == GantryPoint(1.0, 1.0, 53.0)


def test_a_king_travels_as_two_discs_that_are_stacked_again(
    planner: Planner, machine: MachineSettings, layout: TableLayout
) -> None:
    source, target = layout.square(C3), layout.square(D4)
    plan = planner.transfers([Transfer(source, target, 2, 0), Transfer(source, target, 1, 1)], HOME)
    heights = [line for line in program(plan, GRBL, machine) if "Z" in line or line in ("M3 S1000", "M5")]
    assert heights == [
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 Z-42.500 F3000.0",  # top of two discs, pressed by 0.5 mm
        "M3 S1000",
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 Z-50.500 F3000.0",  # a disc above the board, 0.5 mm of air
        "M5",
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 Z-51.500 F3000.0",
        "M3 S1000",
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 Z-41.500 F3000.0",
        "M5",
        "G53 G1 Z-27.000 F3000.0",
    ]


def test_a_capture_carries_the_man_then_the_victim_to_the_rack(
    planner: Planner, machine: MachineSettings, layout: TableLayout
) -> None:
    slot = layout.rack_slot(Rack.BLACK, 3)
    plan = planner.transfers(
        [Transfer(layout.square(C3), layout.square(E5)), Transfer(layout.square(D4), slot)],
        GantryPoint(225.0, 175.0, 53.0),
    )
    assert program(plan, GRBL, machine) == (
        "G21 G90 G94",
        "G53 G1 Z-51.500 F3000.0",
        "M3 S1000",
        "G4 P0.100",
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 X-275.000 Y-225.000 F16970.6",
        "G53 G1 Z-50.500 F3000.0",
        "M5",
        "G4 P0.100",
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 X-325.000 Y-275.000 F16970.6",
        "G53 G1 Z-51.500 F3000.0",
        "M3 S1000",
        "G4 P0.100",
        "G53 G1 Z-27.000 F3000.0",
        "G53 G1 X-42.000 Y-375.000 F12727.1",
        "G53 G1 Z-50.500 F3000.0",
        "M5",
        "G4 P0.100",
        "G53 G1 Z-27.000 F3000.0",
        "G4 P0",
    )


def test_a_machine_homed_at_the_far_ends_gets_mirrored_coordinates(planner: Planner, layout: TableLayout) -> None:
    far = MachineSettings(homes_low=(False, False, False))
    plan = planner.go_to(layout.square(C3), HOME)
    assert program(plan, GRBL, far)[2] == "G53 G1 X-225.000 Y-175.000 F15195.0"


def test_pick_and_place_by_hand_end_above_the_place(planner: Planner, layout: TableLayout) -> None:
    taken = planner.pick(layout.square(C3), HOME)
    put = planner.place(layout.square(D4), taken.end)
    assert [type(step) for step in taken.steps] == [Lower, Travel, Lower, Magnet, Dwell, Raise]
    assert [type(step) for step in put.steps] == [Travel, Lower, Magnet, Dwell, Raise]
    assert put.end == GantryPoint(275.0, 225.0, 53.0)


def test_the_last_place_out_of_reach_refuses_the_whole_plan(planner: Planner, layout: TableLayout) -> None:
    far = Place("nowhere", 700.0, 0.0)
    with pytest.raises(OutOfReach, match=r"x = 800\.0 mm is outside the travel 1\.0\.\.600\.0 mm") as caught:
        planner.transfers([Transfer(layout.square(C3), layout.square(D4)), Transfer(layout.square(E5), far)], HOME)
    assert (caught.value.axis, caught.value.target_mm) == ("x", 800.0)


def test_a_board_too_high_for_the_travel_is_refused_at_once(machine: MachineSettings) -> None:
    with pytest.raises(OutOfReach, match=r"z = 83\.0 mm is outside the travel 0\.0\.\.79\.0 mm"):
        Planner(GantryMap(surface_z_mm=50.0), machine.limits)


@pytest.mark.parametrize(("source_discs", "target_discs"), [(0, 0), (3, 0), (1, 3), (1, -1)])
def test_stacks_that_cannot_be_are_refused(
    planner: Planner, layout: TableLayout, source_discs: int, target_discs: int
) -> None:
    with pytest.raises(RobotError, match="cannot be handled"):
        planner.transfers([Transfer(layout.square(C3), layout.square(D4), source_discs, target_discs)], HOME)


@pytest.mark.parametrize(
    "bad", [{"pace": 0.0}, {"pace": 1.5}, {"clearance_mm": math.nan}, {"press_mm": 20.0}, {"gap_mm": 9.0}]
)
def test_handling_that_cannot_be_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(RobotError, match="damludo calibrate gantry"):
        Handling(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("distance", "seconds"),
    [(350.0, 350 / 200 + 0.2), (40.0, 0.4), (10.0, 2 * math.sqrt(0.01)), (0.0, 0.0)],
)
def test_trapezoid_and_triangle(distance: float, seconds: float) -> None:
    assert trapezoid_s(distance, 200.0, 1000.0) == pytest.approx(seconds)


def test_a_diagonal_is_as_fast_as_its_slower_axis_allows(machine: MachineSettings) -> None:
    start = GantryPoint(10.0, 10.0, 50.0)
    speed, seconds = straight_move(start, GantryPoint(310.0, 310.0, 50.0), machine.limits)
    assert speed == pytest.approx(200 * math.sqrt(2))
    assert seconds == pytest.approx(300 / 200 + 0.2)


def test_half_the_pace_halves_the_speed_of_every_step(machine: MachineSettings, layout: TableLayout) -> None:
    board = GantryMap(x0_mm=100.0, y0_mm=50.0, surface_z_mm=20.0)
    slow = Planner(board, machine.limits, Handling(pace=0.5)).go_to(layout.square(C3), HOME)
    fast = Planner(board, machine.limits).go_to(layout.square(C3), HOME)
    speeds = [[step.speed_mm_per_s for step in plan.steps if isinstance(step, Travel)] for plan in (slow, fast)]
    assert speeds[0][0] == pytest.approx(speeds[1][0] / 2)


LAYOUT = TableLayout()
PLACES = [LAYOUT.square(i) for i in range(64)] + [LAYOUT.rack_slot(Rack.BLACK, n) for n in (1, 5, 9)]
transfers = st.builds(Transfer, st.sampled_from(PLACES), st.sampled_from(PLACES), st.integers(1, 2), st.integers(0, 1))
starts = st.builds(GantryPoint, st.floats(1, 600), st.floats(1, 500), st.floats(0, 79))


def plan_of(wanted: list[Transfer], start: GantryPoint, turn: float) -> tuple[Planner, MotionPlan]:
    """A plan on a board that lies turned by a small angle."""
    board = GantryMap(math.cos(turn), -math.sin(turn), math.sin(turn), math.cos(turn), 100.0, 45.0, 20.0)
    planner = Planner(board, MachineSettings().limits)
    return planner, planner.transfers(wanted, start, park=True)


@settings(max_examples=150, deadline=None)
@given(st.lists(transfers, max_size=6), starts, st.floats(-0.03, 0.03))
def test_no_plan_travels_low_leaves_the_limits_or_takes_no_time(
    wanted: list[Transfer], start: GantryPoint, turn: float
) -> None:
    planner, plan = plan_of(wanted, start, turn)
    for step, point in plan.walk():
        planner.limits.check(point)
        assert not isinstance(step, Travel) or point.z_mm == planner.travel_z_mm
        assert isinstance(step, Magnet) or step.duration_s > 0
    assert planner.travel_z_mm >= 20 + 3 * 9.0 + 5.0


@settings(max_examples=100, deadline=None)
@given(st.lists(transfers, min_size=1, max_size=6), starts, st.floats(-0.03, 0.03))
def test_the_magnet_switches_only_at_rest_above_the_disc_meant(
    wanted: list[Transfer], start: GantryPoint, turn: float
) -> None:
    planner, plan = plan_of(wanted, start, turn)
    switched = [(step.on, point) for step, point in plan.walk() if isinstance(step, Magnet)]
    meant = []
    for t in wanted:
        meant.append((True, t.source, t.source_discs * 9.0 - 0.5))
        meant.append((False, t.target, (t.target_discs + 1) * 9.0 + 0.5))
    assert len(switched) == len(meant)
    for (on, point), (should, place, height) in zip(switched, meant, strict=True):
        assert on == should
        assert planner.board.to_board(point) == pytest.approx((place.x_mm, place.y_mm, height), abs=1e-6)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_a_place_that_is_no_number_is_out_of_reach(planner: Planner, wrong: float) -> None:
    with pytest.raises(OutOfReach):
        planner.go_to(Place("?", wrong, 0.0), HOME)
