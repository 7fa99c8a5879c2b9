"""Greeting, settings, refusal of strangers (rows 1, 2, 28-31, 35, 39 of the table of known controller faults)."""

from typing import Any

import pytest

from damludo.robot.errors import LineSilent, NotHomed, NotOurController, WrongSettings
from damludo.robot.gantry import State
from damludo.robot.machine import MachineSettings


def test_a_board_that_resets_on_opening_is_greeted(scripted: Any) -> None:
    gantry, line = scripted("{GREETING}{SETTINGS}")
    info = gantry.connect()
    assert info.greeting == "Grbl 1.1h ['$' for help]"
    assert info.machine == MachineSettings()
    assert line.sent == ["$$"]
    assert gantry.state is State.NOT_HOMED


def test_a_board_that_does_not_reset_is_knocked_at_after_two_and_a_half_seconds(scripted: Any, clock: Any) -> None:
    gantry, line = scripted(
        """
        ->
        = <Idle|MPos:-5.000,-5.000,-5.000|FS:0,0>
        <- ok
        {SETTINGS}
        """
    )
    assert gantry.connect().greeting == ""
    assert line.sent == ["", "$$"]
    assert gantry.state is State.NOT_HOMED


def test_a_machine_that_moves_when_nobody_knows_why_is_reset(scripted: Any) -> None:
    gantry, line = scripted(
        """
        ->
        = <Run|MPos:-5.000,-5.000,-5.000|FS:600,0>
        <- ok
        ! 0x18
        <- ALARM:3
        <-
        <- Grbl 1.1h ['$' for help]
        = <Alarm|MPos:-5.000,-5.000,-5.000|FS:0,0>
        {SETTINGS}
        """
    )
    gantry.connect()
    assert line.bytes == [0x18]


@pytest.mark.parametrize(
    "banner",
    [
        "Grbl 0.9j ['$' for help]",
        "GrblHAL 1.1f ['$' or '$HELP' for help]",
        "Grbl 3.7 [FluidNC 3.7.10 (wifi) '$' for help]",
        "Grbl 1.1x-home-made",
    ],
)
def test_relatives_are_known_by_their_greeting(scripted: Any, banner: str) -> None:
    gantry, _ = scripted(f".. 0.3\n<- {banner}\n= <Idle|MPos:0.000,0.000,0.000|FS:0,0>\n{{SETTINGS}}")
    assert gantry.connect().greeting == banner


def test_boot_loader_noise_and_a_blank_memory_come_before_the_greeting(scripted: Any) -> None:
    gantry, _ = scripted(
        """
        <- \ufffd\ufffd~x\ufffd
        <- error:7
        <-
        <- Grbl 1.1h ['$' for help]
        <- >:error:7
        <- error:7
        = <Alarm|MPos:0.000,0.000,0.000|FS:0,0>
        {SETTINGS}
        """
    )
    gantry.connect()
    assert gantry.counters.stray_answers == 2


def test_a_controller_without_settings_needs_a_profile(scripted: Any) -> None:
    dialogue = "<- Grbl 3.7 [FluidNC]\n= <Idle|MPos:0.000,0.000,0.000|FS:0,0>\n-> $$\n<- ok"
    with pytest.raises(WrongSettings, match="does not tell its travel"):
        scripted(dialogue)[0].connect()
    gantry, _ = scripted(dialogue, expected=MachineSettings())
    assert gantry.connect().machine == MachineSettings()


def test_settings_of_another_machine_are_refused_before_anything_moves(scripted: Any) -> None:
    gantry, line = scripted("{GREETING}{SETTINGS}", expected=MachineSettings(steps_per_mm=(80.0, 80.0, 800.0)))
    with pytest.raises(WrongSettings, match=r"steps of z is 400 per mm, the profile says 800"):
        gantry.connect()
    assert line.sent == ["$$"]
    assert gantry.state is State.CLOSED


def test_a_printer_on_the_port_is_left_alone(scripted: Any) -> None:
    gantry, line = scripted("<- start\n<- echo:Marlin 2.1.2")
    with pytest.raises(NotOurController, match="another machine"):
        gantry.connect()
    assert line.sent == []


def test_a_wrong_speed_is_recognised_by_its_noise(scripted: Any) -> None:
    gantry, _ = scripted("<- \ufffdx\ufffd\ufffd\n->\n<- \ufffd\ufffd")
    with pytest.raises(NotOurController, match="not 115200 baud"):
        gantry.connect()


def test_a_talking_stranger_is_not_our_controller(scripted: Any) -> None:
    gantry, _ = scripted("->\n<- AT command?")
    with pytest.raises(NotOurController, match="does not speak GRBL"):
        gantry.connect()


def test_a_silent_port_is_given_up_after_four_and_a_half_seconds(scripted: Any, clock: Any) -> None:
    gantry, _ = scripted("->")
    with pytest.raises(LineSilent, match=r"sent nothing for 4\.5 s"):
        gantry.connect()
    assert clock.time_s == pytest.approx(4.5)


def test_warnings_name_settings_that_make_trouble(scripted: Any) -> None:
    gantry, line = scripted("{GREETING}{SETTINGS}")
    line._script = type(line._script)(
        text.replace("$1=255", "$1=25").replace("$22=1", "$22=0") for text in line._script
    )
    warnings = gantry.connect().warnings
    assert ["settings 22=1" in warnings[0], "settings 1=255" in warnings[1]] == [True, True]


def test_nothing_moves_before_homing(scripted: Any, planner: Any, machine: Any) -> None:
    gantry, line = scripted("{GREETING}{SETTINGS}")
    gantry.connect()
    with pytest.raises(NotHomed, match="home it"):
        gantry.run(planner.park(machine.home))
    with pytest.raises(NotHomed):
        _ = gantry.position
    assert line.sent == ["$$"]
