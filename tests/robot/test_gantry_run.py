"""Plans through the line: order, lost answers, alarms, resets, holds, STOP (rows 5, 6, 13-15, 32, 33, 35)."""

import threading
from typing import Any

import pytest

from damludo.robot.errors import ControllerAlarm, ControllerError, LineClosed, LineSilent, NotHomed, Stopped
from damludo.robot.frames import GantryPoint
from damludo.robot.gantry import State
from damludo.robot.motion import Dwell, Magnet, MotionPlan, Travel

HOME = GantryPoint(1.0, 1.0, 79.0)
AT_HOME = "<Idle|MPos:-599.000,-499.000,-1.000|FS:0,0>"
THERE = "<Idle|MPos:-398.000,-499.000,-1.000|FS:0,0>"
ON_THE_WAY = "<Run|MPos:-500.000,-499.000,-1.000|FS:12000,0>"
GO = MotionPlan(HOME, (Travel(202.0, 1.0, 200.0, 1.2),))
GO_LINE = "G53 G1 X-398.000 Y-499.000 F12000.0"


class Watch:
    """A guard that sees a hand from one look to another (counted from 0) and remembers what it was told."""

    def __init__(self, first: int = 10**9, last: int = -1) -> None:
        self.first, self.last = first, last
        self.sights: list[Any] = []

    def clear(self, carriage: Any) -> bool:
        self.sights.append(carriage)
        return not self.first <= len(self.sights) - 1 <= self.last


def test_a_plan_is_streamed_line_by_line_and_checked_at_its_end(homed: Any) -> None:
    gantry, line = homed(
        f"""
        -> G21 G90 G94
        <- ok
        -> {GO_LINE}
        <- ok
        = {ON_THE_WAY}
        -> G4 P0
        .. 1.2
        = {THERE}
        <- ok
        """
    )
    watch = Watch()
    gantry.run(GO, watch)
    assert line.rest == []
    assert (gantry.state, gantry.position) == (State.READY, GantryPoint(202.0, 1.0, 79.0))
    assert 12 <= len(watch.sights) <= 15
    assert watch.sights[5].position == GantryPoint(100.0, 1.0, 79.0)


def test_a_move_of_forty_seconds_is_no_fault(homed: Any) -> None:
    gantry, _ = homed(
        f"-> G21 G90 G94\n<- ok\n-> {GO_LINE.replace('12000', '300')}\n<- ok\n= {ON_THE_WAY}\n-> G4 P0\n.. 40\n= {THERE}\n<- ok"
    )
    gantry.run(MotionPlan(HOME, (Travel(202.0, 1.0, 5.0, 40.2),)))
    assert gantry.state is State.READY


@pytest.mark.parametrize("rubbish", ["", "<- o", "<- \ufffdk"])
def test_a_lost_or_garbled_ok_is_replaced_by_the_report(homed: Any, rubbish: str) -> None:
    gantry, line = homed(
        f"""
        -> G21 G90 G94
        <- ok
        -> {GO_LINE}
        {rubbish}
        = {ON_THE_WAY}
        .. 1.2
        = {THERE}
        -> G4 P0
        <- ok
        """
    )
    gantry.run(GO)
    assert line.rest == []
    assert gantry.counters.lost_answers == 1


def test_a_lost_ok_of_the_barrier_is_replaced_by_the_report(homed: Any) -> None:
    gantry, _ = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n-> G4 P0\n= {ON_THE_WAY}\n.. 1.2\n= {THERE}")
    gantry.run(GO)
    assert gantry.state is State.READY


def test_a_line_that_got_lost_is_never_sent_again(homed: Any) -> None:
    gantry, line = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}")
    with pytest.raises(LineSilent, match="got lost"):
        gantry.run(GO)
    assert line.sent.count(GO_LINE) == 1
    assert line.bytes == [0x21]
    assert gantry.state is State.NOT_HOMED


def test_a_lost_ok_of_the_magnet_counts_only_if_the_report_shows_the_magnet(homed: Any) -> None:
    plan = MotionPlan(HOME, (Magnet(True),))
    on = AT_HOME.replace("FS:0,0", "FS:0,1000")
    gantry, _ = homed(f"-> G21 G90 G94\n<- ok\n-> M3 S1000\n= {on}\n-> G4 P0\n<- ok")
    gantry.run(plan)
    assert gantry.magnet_on
    gantry, _ = homed("-> G21 G90 G94\n<- ok\n-> M3 S1000")
    with pytest.raises(LineSilent, match="'M3 S1000' got lost"):
        gantry.run(plan)


def test_a_controller_that_says_nothing_any_more_is_given_up_in_about_two_seconds(homed: Any, clock: Any) -> None:
    gantry, line = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n= none\n<- ok\n-> G4 P0")
    started_s = clock.time_s
    with pytest.raises(LineSilent, match="not answered 20 queries"):
        gantry.run(GO)
    assert 2.0 <= clock.time_s - started_s < 2.5
    assert line.bytes == [0x21]


def test_lines_that_vanished_unnoticed_show_in_the_place_at_the_end(homed: Any) -> None:
    gantry, _ = homed(
        f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n-> G4 P0\n<- ok\n= {ON_THE_WAY.replace('Run', 'Idle')}"
    )
    with pytest.raises(NotHomed, match="so lines got lost"):
        gantry.run(GO)


@pytest.mark.parametrize(
    "report",
    [
        pytest.param("<Idle|MPos:-39<Run|MPos:-500.000,-499.000,-1.000|FS:0,0>", id="torn"),
        pytest.param("<Run|MPos:-500.000,-499.000,-1.000|Bf:15,128|New:1,2|F:12000>", id="unknown fields"),
    ],
)
def test_odd_reports_are_read_by_what_they_hold(homed: Any, report: str) -> None:
    gantry, _ = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n= {report}\n-> G4 P0\n.. 0.5\n= {THERE}\n<- ok")
    watch = Watch()
    gantry.run(GO, watch)
    assert GantryPoint(100.0, 1.0, 79.0) in [sight.position for sight in watch.sights]


def test_a_report_of_before_the_barrier_does_not_pass_for_the_end(homed: Any) -> None:
    gantry, _ = homed(
        f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- {AT_HOME}\n<- ok\n-> G4 P0\n<- {AT_HOME}\n<- ok\n= {THERE}"
    )
    gantry.run(GO)
    assert gantry.position == GantryPoint(202.0, 1.0, 79.0)


def test_work_positions_are_turned_into_machine_positions(homed: Any) -> None:
    gantry, _ = homed(
        f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n-> G4 P0\n<- <Run|WPos:0.000,0.000,0.000|WCO:-500.000,-499.000,-1.000>"
        f"\n= <Idle|WPos:102.000,0.000,0.000|FS:0,0>\n<- ok"
    )
    gantry.run(GO)
    assert gantry.position == GantryPoint(202.0, 1.0, 79.0)


def test_a_reset_in_the_middle_of_a_plan_voids_the_position(homed: Any) -> None:
    gantry, line = homed(
        f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n= {ON_THE_WAY}\n-> G4 P0\n.. 0.4\n<-\n<- Grbl 1.1h ['$' for help]\n<- ok"
    )
    with pytest.raises(NotHomed, match="was reset"):
        gantry.run(GO)
    assert gantry.state is State.NOT_HOMED
    with pytest.raises(NotHomed):
        gantry.run(GO)
    assert line.sent[-1] == "G4 P0"


def test_a_reset_between_two_plans_is_noticed_before_the_second(homed: Any) -> None:
    gantry, line = homed("<- Grbl 1.1h ['$' for help]\n<- [MSG:'$H'|'$X' to unlock]")
    with pytest.raises(NotHomed, match="was reset"):
        gantry.run(GO)
    assert line.sent[-1] == "$H"


def test_an_alarm_when_the_magnet_switches_names_the_wiring(homed: Any) -> None:
    gantry, _ = homed("-> G21 G90 G94\n<- ok\n-> M3 S1000\n<- ALARM:1")
    with pytest.raises(ControllerAlarm, match="a switch wire caught noise") as caught:
        gantry.run(MotionPlan(HOME, (Magnet(True),)))
    assert caught.value.number == 1
    assert gantry.state is State.ALARM


def test_an_alarm_that_shows_in_the_report_only_is_an_alarm(homed: Any) -> None:
    gantry, _ = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n-> G4 P0\n= {THERE.replace('Idle', 'Alarm')}")
    with pytest.raises(ControllerAlarm, match="in alarm"):
        gantry.run(GO)


def test_a_refused_line_ends_the_plan_where_the_carriage_stands(homed: Any) -> None:
    gantry, line = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- error:2")
    with pytest.raises(ControllerError, match=r"error 2: a number of the line cannot be read") as caught:
        gantry.run(GO)
    assert caught.value.number == 2
    assert (gantry.state, gantry.position) == (State.READY, HOME)
    assert line.sent[-1] == GO_LINE


def test_a_locked_controller_must_be_homed(homed: Any) -> None:
    gantry, _ = homed("-> G21 G90 G94\n<- error:9")
    with pytest.raises(ControllerError, match="locked until it is homed"):
        gantry.run(GO)
    assert gantry.state is State.NOT_HOMED


def test_a_plan_from_another_place_is_refused(homed: Any) -> None:
    gantry, line = homed("")
    with pytest.raises(ControllerError, match=r"starts at \(50\.0, 1\.0, 79\.0\) mm"):
        gantry.run(MotionPlan(GantryPoint(50.0, 1.0, 79.0), GO.steps))
    assert line.sent[-1] == "$H"


def test_a_hand_before_the_start_delays_it(homed: Any, clock: Any) -> None:
    gantry, line = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n-> G4 P0\n= {THERE}\n<- ok")
    started_s = clock.time_s
    gantry.run(GO, Watch(0, 49))
    assert clock.time_s - started_s >= 4.9
    assert line.bytes == []


HELD_RUN = f"""
    -> G21 G90 G94
    <- ok
    -> {GO_LINE}
    <- ok
    = {ON_THE_WAY}
    -> G4 P0
    ! 0x21
    = <Hold:1|MPos:-480.000,-499.000,-1.000|FS:6000,0>
    .. 0.2
    = <Hold:0|MPos:-470.000,-499.000,-1.000|FS:0,0>
    ! 0x7e
    = {ON_THE_WAY}
    .. 0.9
    = {THERE}
    <- ok
"""


def test_a_hand_holds_the_motion_and_it_goes_on_when_the_table_is_clear(homed: Any, clock: Any) -> None:
    gantry, line = homed(HELD_RUN)
    started_s = clock.time_s
    watch = Watch(4, 8)
    gantry.run(GO, watch)
    assert line.bytes == [0x21, 0x7E]
    assert clock.time_s - started_s == pytest.approx(0.3 + 0.5 + 0.8 + 0.9, abs=0.4)
    assert watch.sights[8].position == GantryPoint(130.0, 1.0, 79.0)


def test_a_hold_of_a_minute_uses_up_no_time_limit(homed: Any, clock: Any) -> None:
    gantry, line = homed(HELD_RUN)
    gantry.run(GO, Watch(4, 600))
    assert clock.time_s > 60
    assert line.bytes == [0x21, 0x7E]


def test_a_hand_that_comes_back_starts_the_wait_anew(homed: Any, clock: Any) -> None:
    class Twice:
        asked = 0

        def clear(self, carriage: Any) -> bool:
            self.asked += 1
            return self.asked not in (4, 9)

    gantry, _ = homed(HELD_RUN)
    started_s = clock.time_s
    gantry.run(GO, Twice())
    assert clock.time_s - started_s >= 0.2 + 0.5 + 0.8 + 0.9


def test_a_lost_hold_byte_is_sent_again(homed: Any) -> None:
    gantry, line = homed(HELD_RUN.replace("! 0x21", "! 0x21\n.. 0.35\n! 0x21", 1))
    gantry.run(GO, Watch(4, 12))
    assert line.bytes.count(0x21) >= 2
    assert line.bytes[-1] == 0x7E


def test_a_resume_that_was_ignored_is_sent_again(homed: Any) -> None:
    gantry, line = homed(HELD_RUN.replace("! 0x7e", "! 0x7e\n! 0x7e", 1))
    gantry.run(GO, Watch(4, 8))
    assert line.bytes == [0x21, 0x7E, 0x7E]


def test_a_hold_button_of_the_machine_suspends_the_limits_too(homed: Any) -> None:
    hold = "<Hold:0|MPos:-470.000,-499.000,-1.000|FS:0,0>"
    gantry, line = homed(
        f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n-> G4 P0\n= {hold}\n.. 30\n= {ON_THE_WAY}\n.. 1\n= {THERE}\n<- ok"
    )
    gantry.run(GO)
    assert line.bytes == []


class Presser:
    """Presses STOP, from another thread, at one look."""

    def __init__(self, gantry: Any, look: int) -> None:
        self.gantry, self.look, self.asked = gantry, look, 0

    def clear(self, carriage: Any) -> bool:
        self.asked += 1
        if self.asked == self.look:
            thread = threading.Thread(target=self.gantry.stop)
            thread.start()
            thread.join()
        return True


def test_stop_holds_at_once_and_the_plan_can_go_on(homed: Any) -> None:
    gantry, line = homed(HELD_RUN)
    with pytest.raises(Stopped, match=r"stands at \(130\.0, 1\.0, 79\.0\) mm and keeps what it holds"):
        gantry.run(GO, Presser(gantry, 4))
    assert gantry.state.value == "stopped"
    assert gantry.position == GantryPoint(130.0, 1.0, 79.0)
    with pytest.raises(Stopped):
        gantry.run(GO)
    gantry.go_on()
    assert line.bytes == [0x21, 0x7E]
    assert line.sent.count(GO_LINE) == 1
    assert gantry.state is State.READY


def test_a_reset_after_stop_keeps_the_position_and_gives_the_plan_up(homed: Any) -> None:
    held, _ = HELD_RUN.split("! 0x7e")
    gantry, line = homed(
        held + "! 0x18\n<-\n<- Grbl 1.1h ['$' for help]\n= <Idle|MPos:-470.000,-499.000,-1.000|FS:0,0>"
    )
    with pytest.raises(Stopped):
        gantry.run(GO, Presser(gantry, 4))
    gantry.reset()
    assert (gantry.state, gantry.position) == (State.READY, GantryPoint(130.0, 1.0, 79.0))
    with pytest.raises(ControllerError, match="nothing to go on with"):
        gantry.go_on()
    assert line.bytes == [0x21, 0x18]


def test_stop_in_a_hold_of_the_guard_stays_stopped(homed: Any) -> None:
    class HandThenStop(Presser):
        def clear(self, carriage: Any) -> bool:
            super().clear(carriage)
            return self.asked < 4

    held, _ = HELD_RUN.split("! 0x7e")
    gantry, line = homed(held)
    with pytest.raises(Stopped):
        gantry.run(GO, HandThenStop(gantry, 8))
    assert gantry.state is State.STOPPED
    assert 0x7E not in line.bytes


def test_stop_ends_within_ten_seconds_even_if_the_controller_has_gone_mute(homed: Any, clock: Any) -> None:
    gantry, line = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n= none\n<- ok\n-> G4 P0")
    started_s = clock.time_s
    with pytest.raises(Stopped, match="an unknown place"):
        gantry.run(GO, Presser(gantry, 4))
    assert clock.time_s - started_s < 10
    assert line.bytes[0] == 0x21


def test_stop_before_a_plan_keeps_it_from_starting_until_it_is_lifted(homed: Any) -> None:
    gantry, line = homed(f"! 0x21\n! 0x7e\n-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n-> G4 P0\n= {THERE}\n<- ok")
    gantry.stop()
    with pytest.raises(Stopped):
        gantry.run(GO)
    assert (line.sent[-1], gantry.state.value) == ("$H", "stopped")
    gantry.go_on()
    gantry.run(GO)
    assert (line.rest, gantry.state.value) == ([], "ready")


def test_stop_while_a_plan_waits_for_a_hand_keeps_the_plan(homed: Any) -> None:
    class Waiting(Presser):
        def clear(self, carriage: Any) -> bool:
            super().clear(carriage)
            return self.asked > 3

    gantry, line = homed(f"! 0x21\n! 0x7e\n-> G21 G90 G94\n<- ok\n-> {GO_LINE}\n<- ok\n-> G4 P0\n= {THERE}\n<- ok")
    with pytest.raises(Stopped):
        gantry.run(GO, Waiting(gantry, 2))
    assert gantry.state.value == "stopped"
    gantry.go_on()
    assert (line.rest, gantry.position) == ([], GantryPoint(202.0, 1.0, 79.0))


def test_a_guard_that_fails_holds_the_motion(homed: Any) -> None:
    class Blind:
        asked = 0

        def clear(self, carriage: Any) -> bool:
            self.asked += 1
            if self.asked == 4:
                raise OSError("camera gone")
            return True

    gantry, line = homed(HELD_RUN)
    with pytest.raises(OSError, match="camera gone"):
        gantry.run(GO, Blind())
    assert line.bytes == [0x21]
    assert gantry.state is State.STOPPED


def test_a_flood_of_one_character_is_given_up_and_the_guard_still_asked(homed: Any) -> None:
    gantry, line = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}")
    watch = Watch()

    class Flooding(Watch):
        def clear(self, carriage: Any) -> bool:
            if line.sent[-1] == GO_LINE:
                line.clock.sleep(0.1)
                line.receive = lambda timeout_s: "4" * 256
            return watch.clear(carriage)

    with pytest.raises(LineSilent, match="floods the line"):
        gantry.run(GO, Flooding())
    assert len(watch.sights) > 15
    assert line.bytes == [0x21]


def test_a_cable_that_is_pulled_loses_the_position(homed: Any) -> None:
    gantry, line = homed(f"-> G21 G90 G94\n<- ok\n-> {GO_LINE}")

    def gone(timeout_s: float) -> str:
        raise LineClosed("gone")

    class Puller:
        def clear(self, carriage: Any) -> bool:
            if line.sent[-1] == "G21 G90 G94":
                line.receive = gone
            return True

    with pytest.raises(LineClosed):
        gantry.run(GO, Puller())
    assert gantry.state is State.NOT_HOMED


def test_the_magnet_is_off_after_a_with_block(homed: Any) -> None:
    gantry, line = homed("-> M5\n<- ok")
    with gantry:
        pass
    assert (line.rest, line.closed, gantry.state) == ([], True, State.CLOSED)


def test_the_magnet_is_off_after_an_exception_in_mid_move(homed: Any) -> None:
    held, _ = HELD_RUN.split("! 0x7e")
    gantry, line = homed(held + "! 0x18")
    with pytest.raises(Stopped), gantry:
        gantry.run(GO, Presser(gantry, 4))
    assert line.bytes == [0x21, 0x18]
    assert line.closed


def test_two_threads_never_mix_their_exchanges(homed: Any) -> None:
    wait = MotionPlan(HOME, (Dwell(0.1),))
    gantry, line = homed("-> G21 G90 G94\n<- ok\n-> G4 P0.100\n.. 0.1\n<- ok\n-> G4 P0\n<- ok\n" * 40)

    def run_twenty() -> None:
        for _ in range(20):
            gantry.run(wait)

    threads = [threading.Thread(target=run_twenty) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert line.rest == []
