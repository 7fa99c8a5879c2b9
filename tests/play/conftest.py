"""A modelled table: everything of a match but pictures, motors and bytes, so that the match alone is on trial."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import pytest

from damludo.engine.random_player import RandomPlayer
from damludo.play.content import board_content, grid_of_board, layout_for
from damludo.play.match.choreography import Racks
from damludo.play.match.events import EventKind, MatchEvent, fan_out
from damludo.play.match.loop import Match
from damludo.play.match.ports import Command
from damludo.play.match.settings import MatchSettings
from damludo.play.table.humans import hearing
from damludo.play.table.score import Scorekeeper
from damludo.robot.errors import Stopped
from damludo.robot.places import Transfer
from damludo.rules.fen import parse_fen
from damludo.rules.game import Game
from damludo.rules.position import Colour
from damludo.rules.variants import variant
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.furnish import furnished_table
from damludo.simulation.hand import Pace, SimulatedHand
from damludo.simulation.human import Habits, ScriptedHuman
from damludo.simulation.readings import ModelledEyes
from damludo.simulation.table import Table
from damludo.vision.content import BoardSizes, Content
from damludo.vision.reading import BoardReading
from damludo.vision.view import BoardView, grid_of

Inside = Callable[[np.ndarray, tuple[float, float, float]], bool]


@dataclass
class InstantArm:
    """An `Arm` that carries discs by magic; `lose` lets it leave out transfers by their running number."""

    table: Table
    clock: LockstepClock
    lose: set[int] = field(default_factory=set)
    carried: int = 0
    settle_s: float = 0.0

    stop_at: int = 0
    left: Sequence[Transfer] = ()

    def stop(self) -> None:
        self.stop_at = self.carried + 1

    def go_on(self) -> None:
        self.stop_at, left, self.left = 0, self.left, ()
        self.carry(left)

    def carry(self, transfers: Sequence[Transfer]) -> None:
        for number, transfer in enumerate(transfers):
            if self.carried + 1 == self.stop_at:
                self.stop_at, self.left = 0, transfers[number:]
                raise Stopped("STOP was pressed")
            self.carried += 1
            self.clock.sleep(0.5)
            disc = self.table.upper_disc_near(transfer.source.x_mm, transfer.source.y_mm, 15.0)
            if self.carried not in self.lose and disc is not None:
                self.table.lift(disc, "carriage")
                self.table.put_down(disc, transfer.target.x_mm, transfer.target.y_mm)
        self.clock.sleep(self.settle_s)


class MistakenEyes(ModelledEyes):
    """Modelled eyes that take a square for another content than it has, between two times: (from, to, square, content)."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.mistakes: list[tuple[float, float, int, Content]] = []

    def read(self) -> BoardReading:
        reading = super().read()
        for begin_s, end_s, square, content in self.mistakes:
            if begin_s <= reading.time_s < end_s:
                reading.log_likelihood[square] = -14.0
                reading.log_likelihood[square, content] = 0.0
        return reading


@dataclass
class Typed:
    """`Commands` from a list of (time, command)."""

    clock: LockstepClock
    waiting: list[tuple[float, Command]] = field(default_factory=list)

    def poll(self) -> Command | None:
        if self.waiting and self.clock.now_s() >= self.waiting[0][0]:
            return self.waiting.pop(0)[1]
        return None


@dataclass
class ModelledMatch:
    """A match on a modelled table, and all it said."""

    match: Match
    table: Table
    human: ScriptedHuman
    keeper: Scorekeeper
    arm: InstantArm
    commands: Typed
    events: list[MatchEvent]
    eyes: MistakenEyes

    def kinds(self) -> list[EventKind]:
        return [event.kind for event in self.events]

    def texts(self, kind: EventKind) -> list[str]:
        return [event.text for event in self.events if event.kind is kind]


MakeMatch = Callable[..., ModelledMatch]


@pytest.fixture
def make_match() -> MakeMatch:
    """Return a function that seats a random human and a random machine at a modelled table."""

    def make(
        game: str = "damludo",
        fen: str | None = None,
        seed: int = 1,
        human_colour: Colour = Colour.WHITE,
        habits: Habits | None = None,
        spare: int = 4,
        patience_s: float = 60.0,
    ) -> ModelledMatch:
        rules = variant(game)
        layout = layout_for(rules)
        start = Game.new(rules, parse_fen(rules, fen) if fen else None)
        world = World()
        clock = LockstepClock(world)
        chance = np.random.default_rng(seed)
        table = furnished_table(layout, board_content(rules.board.playable, start.position), spare, chance)
        hand = SimulatedHand(table, -1.0, Pace(), chance)
        chooser = RandomPlayer(seed)
        human = ScriptedHuman(
            table, hand, start, human_colour, lambda g: chooser.choose(g).move, habits or Habits(), chance
        )
        world.add(human)
        events: list[MatchEvent] = []
        listeners = [events.append, hearing(human, rules, human_colour)]
        eyes = MistakenEyes(table, clock, grid_of_board(rules.board), chance)
        arm, commands = InstantArm(table, clock), Typed(clock)
        settings = MatchSettings(start, human_colour.other, layout, Racks(spare, spare), patience_s)
        match = Match(settings, eyes, RandomPlayer(seed + 1), arm, clock, commands, fan_out(listeners))
        keeper = Scorekeeper(table, human, lambda: match.game)
        listeners.insert(0, keeper)
        return ModelledMatch(match, table, human, keeper, arm, commands, events, eyes)

    return make


@pytest.fixture(scope="session")
def slanted_view() -> BoardView:
    """How a camera sees the board from above White's side."""
    rotation, translation = np.array([np.pi - 0.3, 0.0, 0.0]), np.array([-200.0, 200.0, 900.0])
    return BoardView(grid_of(8, 8), BoardSizes(), (640, 480), 800.0, 0.0, rotation, translation)


@pytest.fixture
def inside(slanted_view: BoardView) -> Inside:
    """Whether a place (mm on the board and above it) is seen within an outline of the picture."""

    def is_inside(outline: np.ndarray, place_mm: tuple[float, float, float]) -> bool:
        x, y = slanted_view.project(np.array([place_mm]))[0]
        return cv2.pointPolygonTest(outline.astype(np.float32), (float(x), float(y)), False) >= 0

    return is_inside
