"""Scripted people by name (what `--human` means), seated at a table, hearing what the machine says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from damludo.engine.levels import player_of_level
from damludo.engine.port import Player
from damludo.engine.random_player import RandomPlayer
from damludo.play.console import CommandError, ExitCode
from damludo.play.match.events import EventKind, Listener, MatchEvent
from damludo.play.match.ports import Answer, Order
from damludo.play.match.touching import STRAIGHTENED
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.simulation.hand import Pace, SimulatedHand
from damludo.simulation.human import Habits, ScriptedHuman
from damludo.simulation.table import Table
from damludo.vision.content import LETTER_OF_CONTENT


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
    "toucher": "now and then lifts another disc and puts it back before a move; asked about it, says it was put straight",
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
        case "toucher":
            return replace(spec, habits=replace(spec.habits, touch_rate=0.25))
        case "slow":
            slow = replace(spec.pace, speed_mm_s=180.0, pause_s=0.5)
            return replace(spec, pace=slow, habits=replace(spec.habits, think_s=1.5))
        case "fast":
            return replace(spec, pace=replace(spec.pace, speed_mm_s=900.0, pause_s=0.05))
    known = ", ".join(MANNERS)
    raise CommandError(
        f"--human {text}: '{word}' is unknown; use one of {known}, or several joined by '+'", ExitCode.USAGE
    )


def seated_human(table: Table, game: Game, colour: Colour, spec: HumanSpec, seed: int) -> ScriptedHuman:
    """Return a scripted person at a table: a `Part` of its world. White sits at rank 1, Black at the last rank."""
    side = 1.0 if colour is Colour.BLACK else -1.0
    hand = SimulatedHand(table, side, spec.pace, np.random.default_rng((seed, 2)))
    player: Player = RandomPlayer(seed) if spec.level is None else player_of_level(spec.level, seed + 1)

    def choose(game: Game) -> Move:
        return player.choose(game).move

    return ScriptedHuman(table, hand, game, colour, choose, spec.habits, np.random.default_rng((seed, 3)))


def hearing(
    human: ScriptedHuman, variant: Variant, colour: Colour, answer: Callable[[Order], None] = lambda _: None
) -> Listener:
    """Return a listener that lets a scripted person hear what the machine says; `answer` takes what he says himself."""
    contents = {letter: content for content, letter in LETTER_OF_CONTENT.items()}

    def hear(event: MatchEvent) -> None:
        match event.kind, event.data.get("question"):
            case EventKind.TURN, _ if event.data["side"] == colour.word:
                human.told_to_move()
            case EventKind.WAITING_FOR_HAND, _:
                human.told_of_hand(seen=not event.data["clear"])
            case EventKind.TAKEN_BACK, _:
                human.told_taken_back(int(str(event.data["ply"])))
            case ((EventKind.ILLEGAL | EventKind.UNFINISHED), _):
                human.told_to_correct()
            case EventKind.ASK, "touch":
                answer(Answer(STRAIGHTENED))
            case EventKind.ASK, "unsure":
                human.asked_to_straighten(_squares(variant, event.data["squares"]))
            case (EventKind.BOARD_WRONG, _) | (EventKind.ASK, "finish"):
                wanted = event.data["wanted"]
                assert isinstance(wanted, dict)
                human.asked_for({variant.board.square(name): contents[str(letter)] for name, letter in wanted.items()})

    return hear


def _squares(variant: Variant, names: object) -> list[int]:
    assert isinstance(names, list)
    return [variant.board.square(str(name)) for name in names]
