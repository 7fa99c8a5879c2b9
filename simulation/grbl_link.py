"""Numbered lines with a check sum, as the gantry's own firmware understands them; see docs/protocol.md.

Asleep until the first such line comes. From then on every line needs number and sum; a number that was obeyed is not obeyed
again, and a host that falls silent is taken for dead.
"""

import re
from dataclasses import dataclass

from damludo.simulation.grbl_motion import INFINITY
from damludo.simulation.grbl_parser import clean

HOLD_AFTER_S = 2.5
OFF_AFTER_S = 4.5
WINDOW = 1000
"""Numbers so far back count as done, others as damaged."""
IDS = 1 << 16

_NUMBERED = re.compile(r"N([0-9]{1,5})(.*)\*([0-9A-F]{4})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Admitted:
    """What is to be done with a line: obey `text`, or say `reply` instead."""

    text: str
    numbered: bool = False
    reply: str | None = None


def check_sum(data: bytes) -> int:
    """Return CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF.

    Source: catalogue of parametrised CRC algorithms; the sum of "123456789" is 0x29B1.
    """
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


class HostLink:
    """What the controller remembers of a host that numbers its lines."""

    def __init__(self) -> None:
        self.active = False
        self._expected = 0
        self._last_answer = "ok"
        self._life_s = 0.0
        self._warned = False

    @property
    def due_s(self) -> float:
        """When the silence of the host means something next."""
        if not self.active:
            return INFINITY
        return self._life_s + (OFF_AFTER_S if self._warned else HOLD_AFTER_S)

    def warn(self) -> bool:
        """Note that the host was silent; True the first time, when it may still come back."""
        first, self._warned = not self._warned, True
        return first

    def note_life(self, time_s: float) -> None:
        """The host gave a sign of life."""
        self._life_s, self._warned = time_s, False

    def admit(self, raw: str, time_s: float) -> Admitted:
        """Judge a line; of a good one number and sum are taken off."""
        found = _NUMBERED.fullmatch(clean(raw))
        good = (
            found is not None
            and int(found[1]) < IDS
            and int(found[3], 16) == check_sum(raw.partition("*")[0].encode("latin-1"))
        )
        if not good or found is None:
            if not self.active or not clean(raw):
                return Admitted(raw)
            return Admitted("", reply=f"resend N{self._expected}")
        number = int(found[1])
        if not self.active:
            self.active, self._expected = True, number
        self.note_life(time_s)
        behind = (self._expected - number) % IDS
        if behind > WINDOW:
            return Admitted("", reply=f"resend N{self._expected}")
        if behind:
            return Admitted("", reply=f"done {f'{self._last_answer} ' if behind == 1 else ''}N{number}")
        self._expected = (self._expected + 1) % IDS
        return Admitted(found[2], numbered=True)

    def sign(self, text: str) -> str:
        """Return the answer with the number of its line, and remember it for a repetition."""
        self._last_answer = text
        return f"{text} N{(self._expected - 1) % IDS}"
