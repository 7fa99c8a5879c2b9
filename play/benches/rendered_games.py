"""Games played by scripted hands before the simulated camera and watched as `damludo watch` does: how far eyes can be trusted.

Frame by frame and without a gantry: both players are hands. Every ply is one trial with a known truth.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from damludo.calibration.board import set_up
from damludo.play.content import CONTENT_OF_CELL, SPARE_DISCS, board_content, grid_of_board, layout_for
from damludo.play.game_watch import GameJudge
from damludo.play.watching import BoardEvents, WatchEvent
from damludo.robot.places import Rack
from damludo.rules.actions import board_after, possible_actions
from damludo.rules.conduct import judge_board
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.position import Colour
from damludo.rules.traits import Variant
from damludo.rules.verdicts import Illegal
from damludo.simulation.camera import SimulatedCamera
from damludo.simulation.clock import LockstepClock, World
from damludo.simulation.disturbance import disturbance
from damludo.simulation.furnish import furnished_table
from damludo.simulation.gestures import gestures_to
from damludo.simulation.hand import Gesture, Pace, Point, Push, Put, SimulatedHand, Take, Wait, Withdraw
from damludo.simulation.optics import Optics
from damludo.simulation.table import DiscColour
from damludo.vision.content import BoardSizes, Content
from damludo.vision.frame import Frame
from damludo.vision.squares import SquareReader
from damludo.vision.view import BoardView
from damludo.vision.watcher import BoardWatcher

FRAME_RATE_HZ = 10.0
SETTLE_S = 1.0
"""Time that is watched after the hand has gone."""
LIGHTS = ("light_change", "lamp_switched", "sunset", "pumping", "head_shadow", "glare")
HANDS = ("sleeve", "slow_hand", "resting_hand", "adjustment", "finger", "hovering")
DISTURBANCES = (*LIGHTS, *HANDS, "bump")
"""What a disturbed ply may meet."""
SETUP_FRAMES = 4
REST_S = 0.6
"""So long a finger rests on a disc, or hovers over it."""


@dataclass(frozen=True, slots=True)
class Timing:
    """CPU seconds of one watched frame: `quiet` when nothing happened in it, `judged` when the board was read."""

    seconds: float
    quiet: bool
    judged: bool


@dataclass(eq=False)
class RenderedGame:
    """A table, its two players and the watch over it.

    Attributes:
        game: as it is really played.
        events: what the watch told since `forget`.
        timings: of every frame.
    """

    variant: Variant
    seed: int
    size: tuple[int, int] = (640, 480)
    events: list[WatchEvent] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Set the table and let the watch find the board.

        Raises:
            BoardNotFound: it did not.
        """
        self.random = np.random.default_rng([self.seed, 0x3A3E])
        self.game = Game.new(self.variant)
        self.layout = layout_for(self.variant)
        content = self.content()
        self.table = furnished_table(self.layout, content, SPARE_DISCS, self.random)
        self.table.carriage.present = False
        self.world = World()
        self.clock = LockstepClock(self.world)
        side = DiscColour.WHITE if self.random.random() < 0.5 else DiscColour.BLACK
        optics = Optics.seeded(self.seed, side, *self.size)
        self.camera = SimulatedCamera(self.table, self.clock, optics, self.world)
        self.pace = Pace(float(self.random.uniform(500, 900)), float(self.random.uniform(0.05, 0.12)))
        self._hands = {colour: self._seat(colour) for colour in Colour}
        self.found_again_s = 0.0
        self._lost = False
        self.watch = self._begin_watch(content)
        self.live(1.2)

    def content(self, game: Game | None = None) -> dict[int, Content]:
        """Return what stands on the playable squares."""
        return board_content(self.variant.board.playable, (game or self.game).position)

    @property
    def judge(self) -> GameJudge:
        """The judge of the watch."""
        return self._judge

    @property
    def watcher(self) -> BoardWatcher:
        """The eyes."""
        return self.watch.watcher

    def _seat(self, colour: Colour) -> SimulatedHand:
        hand = SimulatedHand(self.table, -1.0 if colour is Colour.WHITE else 1.0, self.pace, self.random)
        self.world.add(hand)
        return hand

    def _begin_watch(self, content: Mapping[int, Content]) -> BoardEvents:
        layout = self.layout
        sizes = BoardSizes(layout.square_mm, layout.disc_diameter_mm, layout.disc_height_mm)
        frames = [self.camera.read() for _ in range(SETUP_FRAMES)]
        view, look, _ = set_up(frames, grid_of_board(self.variant.board), content, sizes)

        def reader_at(view: BoardView) -> SquareReader:
            return SquareReader(view, look)

        self._judge = GameJudge(self.game)
        return BoardEvents(BoardWatcher(view, reader_at(view), reader_at), self._judge)

    def jump_to(self, game: Game) -> None:
        """Go on from another position of the same game, as if it had been played before the camera."""
        self.game = game
        have = sum(content.discs for content in board_content(self.variant.board.playable, self.variant.start).values())
        on_board = dict.fromkeys((True, False), 0)
        for what in self.content().values():
            on_board[what.is_white] += what.discs
        fresh = furnished_table(self.layout, self.content(), 0, self.random, self.pace.spread_mm)
        for rack, colour in ((Rack.WHITE, DiscColour.WHITE), (Rack.BLACK, DiscColour.BLACK)):
            spare = have // 2 + SPARE_DISCS - on_board[colour is DiscColour.WHITE]
            for number in range(1, max(0, spare) + 1):
                slot = self.layout.rack_slot(rack, number)
                fresh.add_disc(colour, slot.x_mm, slot.y_mm)
        self.table.discs[:] = fresh.discs
        self.table.version += 1
        self.resume()

    def resume(self) -> None:
        """Let the watch know how the game really stands."""
        self._judge.game = self.game
        self.watcher.believe(self.content())
        self.watcher.restart()
        self.live(1.2)
        self.forget()

    def forget(self) -> None:
        """Drop the events told so far."""
        self.events.clear()

    def hand(self) -> SimulatedHand:
        """Return the hand of the side to move, with its arm on that side."""
        hand = self._hands[self.game.position.side]
        side = -1.0 if self.game.position.side is Colour.WHITE else 1.0
        edge = -110.0 if side < 0 else self.layout.height_mm + 110.0
        self.table.hand.elbow_y_mm = edge + 330.0 * side
        return hand

    def act(self, gestures: Sequence[Gesture], settle_s: float = SETTLE_S) -> float:
        """Let the side to move do something, and watch until it is over and a little longer; return when its hand was gone."""
        self.hand().do([*gestures, Withdraw()])
        while any(hand.busy for hand in self._hands.values()):
            self.frame()
        gone_s = self.clock.now_s()
        self.live(settle_s)
        return gone_s

    def live(self, seconds: float) -> None:
        """Watch for some time."""
        end_s = self.clock.now_s() + seconds
        while self.clock.now_s() < end_s:
            self.frame()

    def frame(self) -> Frame:
        """Take and watch one frame."""
        frame = self.camera.read()
        self.clock.sleep(1.0 / FRAME_RATE_HZ)
        begin = time.process_time()
        told = list(self.watch.update(frame))
        seconds = time.process_time() - begin
        scene = self.watch.scene
        lost = scene is not None and scene.camera_moved
        if self._lost and not lost:
            self.found_again_s = frame.time_s
        self._lost = lost
        self.timings.append(Timing(seconds, bool(scene and scene.quiet and not told), bool(told)))
        self.events += told
        return frame

    def gestures(self, wanted: Mapping[int, Content]) -> list[Gesture]:
        """Return what the side to move does to make the board look like this."""
        there = {square: what for square, what in wanted.items() if what is not Content.EMPTY}
        return gestures_to(self.table, there, white_first=self.game.position.side is Colour.WHITE)

    def random_move(self) -> Move:
        """Choose one of the legal moves."""
        moves = self.game.legal_moves()
        return moves[int(self.random.integers(len(moves)))]

    def at(self, square: int) -> tuple[float, float]:
        """Return where the uppermost disc on a square lies, or the square's middle."""
        place = self.layout.square(square)
        disc = self.table.upper_disc_near(place.x_mm, place.y_mm, 0.45 * self.layout.square_mm)
        return (place.x_mm, place.y_mm) if disc is None else (disc.x_mm, disc.y_mm)


@dataclass(frozen=True, slots=True)
class Ply:
    """One legal ply and what was made of it.

    Attributes:
        kind: "clean" or the disturbance that it met.
        outcome: "right", "wrong" (another move was accepted), "accused" (a breach was told), "asked" or "unread".
        touches: squares told to be touched that were not, with the confidence.
        true_touches: confidences of those told that were.
        contacts: of the contacts told, confidence and whether a finger was there.
        bound: a touch would have been held against the player.
        confidence: of the move that was told.
        wait_s: from the hand's leaving to the told move; infinite if none was.
        recovery_s: from a bump of the camera to its being found again; 0 without one.
        events: all that was told.
    """

    kind: str
    outcome: str
    touches: tuple[tuple[str, float], ...]
    true_touches: tuple[float, ...]
    contacts: tuple[tuple[float, bool], ...]
    bound: bool
    confidence: float
    wait_s: float
    recovery_s: float
    events: tuple[WatchEvent, ...] = ()


def play_ply(table: RenderedGame, kind: str = "clean") -> Ply:
    """Let the side to move make a random legal move, disturbed or not, and say what the watch made of it."""
    move = table.random_move()
    after = table.game.make(move)
    table.forget()
    touched: set[str] = set()
    gestures = table.gestures(table.content(after))
    if kind in HANDS:
        gestures = _with_hand(table, kind, move, gestures, touched)
    elif kind != "clean":
        start_s = table.clock.now_s() + float(table.random.uniform(0.0, 1.5))
        seed = int(table.random.integers(1 << 30))
        table.camera.disturbances = [disturbance(kind, seed, start_s, table.camera.optics)]
    gone_s = table.act(gestures, SETTLE_S + (2.0 if kind in ("bump", "head_shadow", "glare") else 0.0))
    if kind == "slow_hand":
        table.hand().pace = table.pace
    ply = _judged(table, kind, move, touched, gone_s)
    table.game = after
    if ply.outcome != "right":
        table.resume()
    return ply


def _with_hand(table: RenderedGame, kind: str, move: Move, gestures: list[Gesture], touched: set[str]) -> list[Gesture]:
    """Return the gestures with what a hand may do besides."""
    name, rest = table.variant.board.name, list[Gesture]()
    width, height = table.layout.width_mm, table.layout.height_mm
    if kind == "slow_hand":
        table.hand().pace = replace(table.pace, speed_mm_s=130.0, pause_s=0.5)
        return gestures
    if kind == "resting_hand":
        near = -55.0 if table.game.position.side is Colour.WHITE else height + 55.0
        rest += [Point(float(table.random.uniform(0.2, 0.8)) * width, near), Wait(3.0)]
        return [*rest, *gestures] if table.random.random() < 0.5 else [*gestures, *rest]
    idle = [s for s, what in table.content().items() if what.discs and s != move.origin and s not in move.captures]
    own = [s for s in idle if table.content()[s].is_white is (table.game.position.side is Colour.WHITE)]
    if not own:
        return gestures
    square = own[int(table.random.integers(len(own)))]
    touched.add(name(square))
    x, y = table.at(square)
    if kind == "hovering":
        touched.clear()
        return [Point(x, y), Wait(REST_S), *gestures]
    if kind == "finger":
        return [Push(x, y, 0.0, 0.0), Wait(REST_S), *gestures]
    if kind == "adjustment":
        table.judge.announced = True
        middle = table.layout.square(square)
        return [Take(x, y), Put(middle.x_mm, middle.y_mm), *gestures]
    angle, way = table.random.uniform(-math.pi, math.pi), table.random.uniform(0.5, 3.0)
    return [Push(x, y, float(way * math.cos(angle)), float(way * math.sin(angle))), *gestures]


ACCUSING = ("illegal", "missed_capture", "incomplete")


def _judged(table: RenderedGame, kind: str, move: Move, touched: set[str], gone_s: float) -> Ply:
    told = [event for event in table.events if event.event == "move"]
    wanted = table.game.make(move).position
    right = [event for event in told if table.judge.game.position == wanted]
    if told and not right:
        outcome = "wrong"
    elif any(event.event in ACCUSING for event in table.events):
        outcome = "accused"
    elif right:
        outcome = "right"
    else:
        outcome = "asked" if any(event.event == "unsure" for event in table.events) else "unread"
    claims = [event for event in table.events if event.event in ("touched", "put_back")]
    pairs = [(square, event.confidence) for event in claims for square in _squares(event)]
    return Ply(
        kind,
        outcome,
        tuple(pair for pair in pairs if pair[0] not in touched),
        tuple(sure for square, sure in pairs if square in touched),
        tuple(
            (event.confidence, square in touched)
            for event in table.events
            if event.event == "contact"
            for square in _squares(event)
        ),
        any(event.more["binds"] for event in claims),
        right[0].confidence if right else 0.0,
        right[0].time_s - gone_s if right else math.inf,
        _recovery_s(table),
        tuple(table.events),
    )


def _recovery_s(table: RenderedGame) -> float:
    bumps = [one.start_s for one in table.camera.disturbances if one.bumped is not None]
    if not bumps or not any(event.event == "camera_moved" for event in table.events):
        return 0.0
    return table.found_again_s - bumps[-1]


def _squares(event: WatchEvent) -> list[str]:
    squares = event.more.get("squares", [])
    assert isinstance(squares, list)
    return [str(square) for square in squares]


@dataclass(frozen=True, slots=True)
class Breach:
    """One breach of the rules and what was told of it.

    Attributes:
        kind: one of `BREACHES`.
        named: by its right name.
        told: the names of all events that judged the board.
        confidence: of the event that named it.
    """

    kind: str
    named: bool
    told: tuple[str, ...]
    confidence: float


BREACHES = ("illegal", "missed_capture", "captured_left", "uncrowned")
GAMES_SEARCHED, PLIES_SEARCHED = 20, 80
"""So many games of chance are searched for a position that allows a breach, each so far."""


def play_breach(table: RenderedGame, kind: str) -> Breach | None:
    """Let the side to move breach a rule, then put it right; None if the position allows no such breach."""
    ways = breaches(table.game, kind)
    if not ways:
        return None
    move, board = ways[int(table.random.integers(len(ways)))]
    table.forget()
    table.act(table.gestures(board))
    judging = [event for event in table.events if event.event in (*ACCUSING, "move", "unsure")]
    expected = {"illegal": "illegal", "missed_capture": "missed_capture"}.get(kind, "incomplete")
    named = [event for event in judging if event.event == expected]
    right = bool(named) and all(event.event == expected for event in judging)
    breach = Breach(kind, right, tuple(e.event for e in judging), named[0].confidence if named else 0.0)
    after = table.game.make(move)
    table.act(table.gestures(table.content(after)))
    table.game = after
    if table.judge.game.position != after.position:
        table.resume()
    return breach


def game_for_breach(variant: Variant, kind: str, random: np.random.Generator) -> Game | None:
    """Return a game played by chance up to a position that allows a breach of a kind; None if none was met."""
    for _ in range(GAMES_SEARCHED):
        games: list[Game] = [Game.new(variant)]
        while len(games) < PLIES_SEARCHED and games[-1].result() is None and (moves := games[-1].legal_moves()):
            games.append(games[-1].make(moves[int(random.integers(len(moves)))]))
        for number in map(int, random.permutation(len(games))):
            if games[number].result() is None and breaches(games[number], kind):
                return games[number]
    return None


def breaches(game: Game, kind: str) -> list[tuple[Move, Mapping[int, Content]]]:
    """Return the breaches of a kind that a position allows: the move that puts it right, and the board that is left before."""
    squares = game.variant.board.playable
    before = board_content(squares, game.position)
    if kind in ("captured_left", "uncrowned"):
        return [(move, board) for move in game.legal_moves() for board in _half_done(game, kind, move, before)]
    moves = game.legal_moves()
    if kind == "missed_capture" and not any(move.captures for move in moves):
        return []
    return [(moves[number % len(moves)], board) for number, board in enumerate(_against_the_law(game, kind, before))]


def _half_done(game: Game, kind: str, move: Move, before: Mapping[int, Content]) -> Iterator[Mapping[int, Content]]:
    """Boards on which a move lacks one captured disc's removal, or the crown."""
    after = board_content(game.variant.board.playable, game.make(move).position)
    if kind == "uncrowned":
        if move.path and after[move.target].discs == 2 and before[move.origin].discs == 1:
            yield after | {move.target: before[move.origin]}
        return
    for left in move.captures:
        if left not in (move.origin, *move.path[-1:]):
            yield after | {left: before[left]}


def _against_the_law(game: Game, kind: str, before: Mapping[int, Content]) -> Iterator[Mapping[int, Content]]:
    """Boards on which one disc went where it may not, as the law judges them."""
    for action in possible_actions(game.variant, game.position):
        if action.origin is None or action.removed or action.crowned:
            continue
        cells = board_after(game.variant, game.position, action)
        verdict = judge_board(game.variant, game.position, cells)
        if isinstance(verdict, Illegal) and (verdict.played is not None) == (kind == "missed_capture"):
            yield {square: CONTENT_OF_CELL[cells[square]] for square in before}


@dataclass(frozen=True, slots=True)
class Touched:
    """One disc that was shifted, and what was told of it.

    Attributes:
        shift_squares: how far.
        confidence: of the event that told of it; 0 if none did.
        false: other squares that were told to be touched, with their confidence.
    """

    shift_squares: float
    confidence: float
    false: tuple[tuple[str, float], ...]


def play_touch(table: RenderedGame, shift_squares: float) -> Touched | None:
    """Push a disc, or lift it and put it back that far off; nothing else happens. None if no man stands on the board."""
    men = [square for square, what in table.content().items() if what.discs == 1]
    if not men:
        return None
    square = men[int(table.random.integers(len(men)))]
    x, y = table.at(square)
    angle, way = table.random.uniform(-math.pi, math.pi), shift_squares * table.layout.square_mm
    dx, dy = way * math.cos(angle), way * math.sin(angle)
    middle = table.layout.square(square)
    if math.dist((x + dx, y + dy), (middle.x_mm, middle.y_mm)) > math.dist((x, y), (middle.x_mm, middle.y_mm)):
        dx, dy = -dx, -dy  # toward the middle, or discs would wander off their squares
    push = table.random.random() < 0.5
    away: list[Gesture] = [Take(x, y), Put(x + dx, y + dy, exact=True)]
    gestures: list[Gesture] = [Push(x, y, dx, dy)] if push else away
    table.forget()
    table.act(gestures, settle_s=1.4)
    name = table.variant.board.name(square)
    told = [
        (told_of, event.confidence)
        for event in table.events
        if event.event in ("touched", "put_back")
        for told_of in _squares(event)
    ]
    mine = [confidence for told_of, confidence in told if told_of == name]
    accused = any(event.event in (*ACCUSING, "move") for event in table.events)
    if accused or not mine:
        # What was overlooked now would be told with the next ply, and there it would look false.
        table.resume()
    return Touched(shift_squares, max(mine, default=0.0), tuple(pair for pair in told if pair[0] != name))
