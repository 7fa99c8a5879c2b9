"""What differs between controllers' firmwares, as data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AlarmText:
    """One alarm: what happened and what to do, for the person at the board.

    Attributes:
        text: one or two sentences.
        needs_reset: the controller takes nothing but a soft reset.
    """

    text: str
    needs_reset: bool = False


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of one firmware. Real-time bytes act at once and get no answer.

    Attributes:
        name: for messages.
        greeting: matches the banner that a starting controller sends.
        foreign: matches greetings of firmwares that are not of this kind.
        modes: puts the parser in mm, absolute coordinates, mm/min; sent before every plan.
        barrier: answered when all motion is done.
        home, unlock, settings: the commands.
        magnet_on, magnet_off: both wait for the motion before them.
        status_byte, hold_byte, resume_byte, reset_byte: real-time.
        line_limit: longest line, characters without line end.
        errors, alarms: the tables; a number that is missing there is named by its number.
    """

    name: str
    greeting: re.Pattern[str]
    foreign: re.Pattern[str]
    modes: str
    barrier: str
    home: str
    unlock: str
    settings: str
    magnet_on: str
    magnet_off: str
    status_byte: int
    hold_byte: int
    resume_byte: int
    reset_byte: int
    line_limit: int
    errors: Mapping[int, str]
    alarms: Mapping[int, AlarmText]

    def error_text(self, number: int) -> str:
        """Return what an error number means."""
        return self.errors.get(number, "of a kind this program does not know")

    def alarm(self, number: int) -> AlarmText:
        """Return what an alarm number means."""
        return self.alarms.get(
            number, AlarmText(f"alarm {number}, which this program does not know; switch the machine off and on")
        )
