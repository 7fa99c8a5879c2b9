"""Homing: what counts as success, and what does not (rows 16-19)."""

from typing import Any

import pytest

from damludo.robot.errors import ControllerAlarm, ControllerError, LineSilent, NotHomed, Stopped
from damludo.robot.frames import GantryPoint
from damludo.robot.gantry import State


class Hands:
    """A guard that sees a hand at given looks (counted from 0)."""

    def __init__(self, *looks: int) -> None:
        self.looks = looks
        self.asked = 0

    def clear(self, carriage: Any) -> bool:
        self.asked += 1
        return self.asked - 1 not in self.looks


def test_homing_is_silent_and_ends_at_the_pull_off(homed: Any) -> None:
    gantry, line = homed("")
    assert gantry.state is State.READY
    assert gantry.position == GantryPoint(1.0, 1.0, 79.0)
    assert line.rest == []


@pytest.mark.parametrize(("number", "words"), [(9, "was not found"), (8, "did not open again")])
def test_the_ok_after_a_failed_homing_is_no_success(scripted: Any, number: int, words: str) -> None:
    gantry, line = scripted(
        f"""
        {{GREETING}}{{SETTINGS}}
        -> $H
        .. 20
        <- ALARM:{number}
        <- ok
        <-
        <- Grbl 1.1h ['$' for help]
        <- [MSG:'$H'|'$X' to unlock]
        -> $H
        .. 10
        = <Idle|MPos:-599.000,-499.000,-1.000|FS:0,0>
        <- ok
        """
    )
    gantry.connect()
    with pytest.raises(ControllerAlarm, match=words) as caught:
        gantry.home()
    assert caught.value.number == number
    assert gantry.state.value == "alarm"
    gantry.home()
    assert gantry.state is State.READY
    assert line.rest == []


def test_an_ok_at_the_wrong_place_is_no_success(scripted: Any) -> None:
    gantry, _ = scripted(
        "{GREETING}{SETTINGS}\n-> $H\n.. 1\n= <Idle|MPos:-300.000,-499.000,-1.000|FS:0,0>\n<- ok",
    )
    gantry.connect()
    with pytest.raises(NotHomed, match=r"Idle at \(300\.0, 1\.0, 79\.0\) mm instead of Idle at \(1\.0, 1\.0, 79\.0\)"):
        gantry.home()
    assert gantry.state is State.NOT_HOMED


def test_homing_that_never_answers_ends_after_its_computed_time(scripted: Any, clock: Any, machine: Any) -> None:
    gantry, line = scripted("{GREETING}{SETTINGS}\n-> $H\n! 0x18\n<- ALARM:6\n<- Grbl 1.1h ['$' for help]")
    gantry.connect()
    started_s = clock.time_s
    with pytest.raises(LineSilent, match="homing was not answered within 54 s"):
        gantry.home()
    assert 1.5 * (600 + 500 + 80) / 40 < machine.homing_limit_s < clock.time_s - started_s < 57
    assert line.bytes == [0x18]


def test_a_hand_breaks_homing_off_and_it_begins_anew(scripted: Any) -> None:
    gantry, line = scripted(
        """
        {GREETING}{SETTINGS}
        -> $H
        ! 0x18
        <- ALARM:6
        <- ok
        <-
        <- Grbl 1.1h ['$' for help]
        -> $H
        .. 5
        = <Idle|MPos:-599.000,-499.000,-1.000|FS:0,0>
        <- ok
        """
    )
    gantry.connect()
    gantry.home(Hands(5, 6, 7))
    assert line.sent == ["$$", "$H", "$H"]
    assert gantry.state is State.READY


def test_a_controller_that_reports_work_positions_is_asked_until_it_tells_the_offset(scripted: Any) -> None:
    gantry, line = scripted("{GREETING}{SETTINGS}\n-> $H\n= none\n.. 4\n= <Idle|WPos:0.000,0.000,0.000|FS:0,0>\n<- ok")
    gantry.connect()
    realtime, asked = line.realtime, []

    def tell_at_the_tenth(byte: int) -> None:
        asked.append(byte)
        if line.report.startswith("<Idle|WPos") and len(asked) > 10:
            line.report = "<Idle|WPos:0.000,0.000,0.000|FS:0,0|WCO:-599.000,-499.000,-1.000>"
        realtime(byte)

    line.realtime = tell_at_the_tenth
    gantry.home()
    assert gantry.position == GantryPoint(1.0, 1.0, 79.0)


def test_stop_while_homing_resets_the_controller(scripted: Any) -> None:
    class Stopper:
        asked = 0

        def clear(self, carriage: Any) -> bool:
            self.asked += 1
            if self.asked == 4:
                gantry.stop()
            return True

    gantry, line = scripted(
        "{GREETING}{SETTINGS}\n-> $H\n! 0x18\n<- ALARM:6\n<- Grbl 1.1h\n! 0x18\n<- Grbl 1.1h\n= <Idle|MPos:0.000,0.000,0.000>"
    )
    gantry.connect()
    with pytest.raises(Stopped, match="the position is not known"):
        gantry.home(Stopper())
    assert line.bytes[:2] == [0x21, 0x18]
    assert gantry.state is State.NOT_HOMED


def test_homing_that_is_switched_off_is_named(scripted: Any) -> None:
    gantry, _ = scripted("{GREETING}{SETTINGS}\n-> $H\n<- error:5")
    gantry.connect()
    with pytest.raises(ControllerError, match=r"\$22=0"):
        gantry.home()
    assert gantry.state is State.NOT_HOMED


def test_a_reset_while_homing_is_no_success(scripted: Any) -> None:
    gantry, _ = scripted("{GREETING}{SETTINGS}\n-> $H\n.. 3\n<- Grbl 1.1h ['$' for help]\n<- ok")
    gantry.connect()
    with pytest.raises(NotHomed, match="was reset"):
        gantry.home()


def test_a_limit_alarm_is_left_by_a_reset_before_homing(scripted: Any) -> None:
    """In the alarms 1 and 2 nothing but 0x18 is heard, and queries are answered by a message."""
    gantry, line = scripted(
        """
        {GREETING}{SETTINGS}
        ! 0x18
        <- ok
        <-
        <- Grbl 1.1h ['$' for help]
        = <Alarm|MPos:0.000,0.000,0.000|FS:0,0>
        -> $H
        = <Idle|MPos:-599.000,-499.000,-1.000|FS:0,0>
        <- ok
        """
    )
    gantry.connect()
    line.report = "[MSG:Reset to continue]"
    gantry.home()
    assert line.bytes == [0x18]
    assert gantry.state is State.READY
