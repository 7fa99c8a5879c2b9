"""GRBL 1.1 and those who speak like it (grblHAL, FluidNC). Source of the numbers: the public GRBL 1.1 documentation."""

import re

from damludo.robot.dialect import AlarmText, Dialect

_HOME = "home the machine again with 'damludo gantry home'"

GRBL = Dialect(
    name="GRBL",
    # Loose on purpose: relatives and own builds change the version text, and the answers tell more than the name.
    greeting=re.compile(r"^Grbl(HAL)?\s+v?\d", re.IGNORECASE),
    foreign=re.compile(r"^(start$|echo:\s*Marlin|Marlin\b|Smoothie|TinyG|Klipper|\{\"r\")", re.IGNORECASE),
    modes="G21 G90 G94",
    barrier="G4 P0",
    home="$H",
    unlock="$X",
    settings="$$",
    magnet_on="M3 S1000",
    magnet_off="M5",
    status_byte=0x3F,
    hold_byte=0x21,
    resume_byte=0x7E,
    reset_byte=0x18,
    line_limit=79,  # its buffer of 80 holds the end of the text, too
    errors={
        1: "a word of the line has no letter",
        2: "a number of the line cannot be read",
        3: "the $ command is unknown",
        4: "a number is negative",
        5: "homing is switched off in its settings ($22=0)",
        6: "the step pulse is too short",
        7: "its memory was blank or damaged, factory settings were taken",
        8: "it is busy moving",
        9: "it is locked until it is homed",
        10: "soft limits need homing ($22=1)",
        11: "the line is too long",
        12: "the speed is more steps than it can make",
        13: "the safety door is open",
        14: "the start-up line is too long",
        15: "the jog leaves the travel",
        16: "the jog command is wrong",
        17: "laser mode needs a PWM output",
        20: "it does not know this G-code",
        21: "two words of the line contradict each other",
        22: "the feed rate is missing",
        23: "the G-code needs a whole number",
        24: "two words of the line both want the axes",
        25: "a word is repeated in the line",
        26: "the command needs an axis",
        27: "the line number is out of range",
        28: "a value is missing",
        29: "the work coordinate system is not supported",
        30: "G53 goes with G0 and G1 only",
        31: "an axis word is not used by the command",
        32: "the arc has no axis of its plane",
        33: "the target of the motion is not valid",
        34: "the radius of the arc is not valid",
        35: "the arc has no offset of its plane",
        36: "the line holds words that nobody uses",
        37: "the tool length offset is not for this axis",
        38: "the tool number is too large",
    },
    alarms={
        1: AlarmText(
            f"an end switch was hit, or a switch wire caught noise (magnet?): take the carriage off the switch and {_HOME}",
            needs_reset=True,
        ),
        2: AlarmText(f"a move would have left the machine's travel; it was stopped before: {_HOME}", needs_reset=True),
        3: AlarmText(f"the controller was reset while moving, so the position is lost: {_HOME}"),
        4: AlarmText(f"the probe was not in the state expected: {_HOME}"),
        5: AlarmText(f"the probe touched nothing: {_HOME}"),
        6: AlarmText(f"homing was broken off by a reset: {_HOME}"),
        7: AlarmText(f"homing was broken off by the safety door: close it and {_HOME}"),
        8: AlarmText(
            "homing failed: an end switch did not open again when the carriage moved off it; look for a switch that sticks "
            "or enlarge the pull-off ($27)"
        ),
        9: AlarmText(
            "homing failed: an end switch was not found; look for a loose switch wire, a blocked axis, or a travel ($130-$132) "
            "that is set too short"
        ),
        10: AlarmText(f"homing failed: the second switch of a double axis was not found: {_HOME}"),
    },
)
