"""Scripted people by name: what `--human` means."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from damludo.play.console import CommandError, ExitCode
from damludo.simulation.hand import Pace
from damludo.simulation.human import Habits


@dataclass(frozen=True, slots=True)
class HumanSpec:
    """A scripted person: `level` None chooses at random among the legal moves."""

    level: int | None = 2
    pace: Pace = field(default_factory=Pace)
    habits: Habits = field(default_factory=Habits)


MANNERS: Mapping[str, str] = {
    "engine:LEVEL": "chooses moves like the engine of that level (1 to 10)",
    "random": "chooses moves at random",
    "clumsy": "puts discs off centre",
    "careless": "now and then moves illegally, leaves a captured disc, forgets a crown",
    "slow": "moves and thinks slowly",
    "fast": "moves fast",
}


def parse_human(text: str) -> HumanSpec:
    """Return the person that a text like "engine:3+clumsy+slow" describes.

    Raises:
        CommandError: an unknown manner; the known ones are listed.
    """
    spec = HumanSpec()
    for word in text.split("+"):
        spec = _with(spec, word.strip(), text)
    return spec


def _with(spec: HumanSpec, word: str, text: str) -> HumanSpec:
    name, colon, number = word.partition(":")
    if name == "engine" and colon and number.isascii() and number.isdigit() and 1 <= int(number) <= 10:
        return replace(spec, level=int(number))
    match word:
        case "random":
            return replace(spec, level=None)
        case "clumsy":
            return replace(spec, pace=replace(spec.pace, spread_mm=4.0))
        case "careless":
            return replace(spec, habits=replace(spec.habits, violation_rate=0.25))
        case "slow":
            slow = replace(spec.pace, speed_mm_s=180.0, pause_s=0.5)
            return replace(spec, pace=slow, habits=replace(spec.habits, think_s=1.5))
        case "fast":
            return replace(spec, pace=replace(spec.pace, speed_mm_s=900.0, pause_s=0.05))
    known = ", ".join(MANNERS)
    raise CommandError(
        f"--human {text}: '{word}' is unknown; use one of {known}, or several joined by '+'", ExitCode.USAGE
    )
