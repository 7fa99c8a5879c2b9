"""The page's commands: checked, done at most once, and handed to the match, the gantry or the simulated hand."""

import contextlib
import math
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from damludo.play.console import CommandError
from damludo.play.match.orders import OrderTray
from damludo.play.match.ports import Answer, Command, NewGame, Order, Resume, SetLevel, SetPosition
from damludo.play.match.setting_right import read_position
from damludo.play.match.timekeeping import OFF, parse_time_control
from damludo.play.page.feed import Feed
from damludo.play.page.shown import WHY_NOT, abilities, offered
from damludo.robot.errors import RobotError
from damludo.robot.places import TableLayout
from damludo.rules.errors import BadPosition
from damludo.rules.position import Colour, Kind
from damludo.rules.variants import VARIANTS
from damludo.simulation.guided import GuidedHand

KEPT_ANSWERS = 512
MAX_WAITING = 32
"""Commands that wait for the match; more are refused."""
LONGEST_ID = 64
SPEEDS = (1, 5)
LEVELS = range(1, 11)
FAR_SQUARES = 6.0
"""A hand is led at most this far beside the board."""

Reply = tuple[bool, str]
Point = tuple[float, float]


class Refused(Exception):
    """A command that cannot be done; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Links:
    """What the page's commands reach at the table; everything may be called from the server's thread.

    Attributes:
        stop: makes the gantry stand still at once.
        layout: where the squares are.
        hand: the simulated hand; None at a real table, and at a simulated one that is not ready.
        ground: carries a point of the picture (px) to the board (mm), at the height of a disc's top.
        set_speed: changes the pace of the simulated table.
    """

    stop: Callable[[], None]
    layout: TableLayout
    hand: GuidedHand | None = None
    ground: Callable[[Point], Point] | None = None
    set_speed: Callable[[float], None] | None = None


class Desk(OrderTray):
    """Where commands arrive. `Commands` of a match; `handle` may be called from any thread.

    Attributes:
        epoch: names this start of the server: commands of a page that was loaded before it have no effect.
        links: the table; None while none is ready.
    """

    def __init__(self, feed: Feed, epoch: str) -> None:
        super().__init__(MAX_WAITING)
        self.epoch = epoch
        self.links: Links | None = None
        self._feed = feed
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def forget(self) -> None:
        """Drop what was meant for a match that is over."""
        self.links = None
        self.clear()

    def handle(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Do a command and return the answer; one that was done already only gets its answer again.

        The hand's many moves need no id and get no answer.
        """
        key, epoch = message.get("id"), message.get("epoch")
        if key is None and epoch == self.epoch and message.get("action") == "move":
            with contextlib.suppress(Refused):
                self._do(message)
            return None
        if not isinstance(key, str) or not 0 < len(key) <= LONGEST_ID:
            return {"kind": "answer", "id": None, "ok": False, "text": "A command needs an id, a short text."}
        if epoch != self.epoch:
            return {"kind": "say_again", "epoch": self.epoch, "id": key}
        with self._lock:
            known = self._answers.get(key)
        if known is not None:
            return known
        try:
            ok, text = self._do(message)
        except Refused as refusal:
            ok, text = False, str(refusal)
        answer = {"kind": "answer", "id": key, "ok": ok, "text": text}
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > KEPT_ANSWERS:
                self._answers.popitem(last=False)
        return answer

    def _do(self, message: Mapping[str, Any]) -> Reply:
        name = message.get("command")
        action = _ACTIONS.get(name) if isinstance(name, str) else None
        if action is None:
            raise Refused("There is no such command.")
        return action(self, message)

    # --- the machine ------------------------------------------------------------------------------------------------------------

    def _stop(self, _: Mapping[str, Any]) -> Reply:
        links = self.links
        if links is None:
            raise Refused("The gantry is not ready yet, so it cannot be stopped from here: use its switch.")
        try:
            links.stop()
        except RobotError as error:
            raise Refused(f"STOP did not reach the gantry, use its switch: {error}") from error
        self._order(Command.STOP)
        return True, "STOP: the gantry stands still."

    def _say_go(self, _: Mapping[str, Any]) -> Reply:
        if self._feed.state.stopped or "go" in self._feed.state.say.choices:
            self.say_go()
        self._order(Command.GO)
        return True, "It may go on."

    def _set_speed(self, message: Mapping[str, Any]) -> Reply:
        links, speed = self.links, message.get("speed")
        if links is None or links.set_speed is None:
            raise Refused("Only a simulated table has another speed.")
        if speed not in SPEEDS or isinstance(speed, bool):
            raise Refused("The speed is 1 or 5.")
        links.set_speed(float(speed))
        self._feed.show_table(speed=float(speed))
        return True, f"The simulated table lives {speed} times as fast." if speed > 1 else "Real pace."

    # --- the match --------------------------------------------------------------------------------------------------------------

    def _simple(self, message: Mapping[str, Any]) -> Reply:
        name = str(message["command"])
        if not abilities(self._feed.state)[name]:
            raise Refused(WHY_NOT[name])
        self._order(_SIMPLE[name])
        return True, ""

    def _resume(self, _: Mapping[str, Any]) -> Reply:
        if offered(self._feed.state, self._feed.table) is None:
            raise Refused("There is no game to go on with.")
        self._order(Resume())
        return True, "The table is made ready for that game."

    def _answer(self, message: Mapping[str, Any]) -> Reply:
        choice = message.get("choice")
        if choice == "go":
            return self._say_go(message)
        if not isinstance(choice, str) or choice not in self._feed.state.say.choices:
            raise Refused("That was not asked, or was answered already.")
        self._order(Answer(choice))
        return True, ""

    def _new_game(self, message: Mapping[str, Any]) -> Reply:
        key, side, clock = message.get("game"), message.get("side"), message.get("clock") or OFF
        if not isinstance(key, str) or key not in VARIANTS:
            raise Refused("There is no such game; choose one of the list.")
        if side not in ("white", "black"):
            raise Refused("Your side is white or black.")
        if not isinstance(clock, str):
            raise Refused("The clock is a text like 10+5.")
        try:
            parse_time_control(clock)
        except CommandError as error:
            raise Refused(f"{error}.") from error
        machine = Colour.BLACK if side == "white" else Colour.WHITE
        self._order(NewGame(key, _level(message.get("level")), machine, clock))
        return True, "A new game is set up."

    def _set_position(self, message: Mapping[str, Any]) -> Reply:
        state, fen = self._feed.state, message.get("fen")
        if not abilities(state)["set_position"]:
            raise Refused(WHY_NOT["set_position"])
        if message.get("after") != len(state.moves):
            raise Refused("The game went on meanwhile: please look again.")
        if not isinstance(fen, str):
            raise Refused("The position is a text like W:Wc3,Ke5:Bd8.")
        try:
            position = read_position(state.variant, fen)
        except BadPosition as error:
            raise Refused(f"This cannot be: {error}.") from error
        self._order(SetPosition(position))
        return True, ""

    def _set_level(self, message: Mapping[str, Any]) -> Reply:
        level = _level(message.get("level"))
        self._order(SetLevel(level))
        return True, f"Level {level} from the machine's next move on."

    def _order(self, order: Order) -> None:
        try:
            self.put(order)
        except queue.Full:
            raise Refused("The match is busy with earlier commands; please wait.") from None

    def _ping(self, _: Mapping[str, Any]) -> Reply:
        return True, ""

    # --- the simulated hand -----------------------------------------------------------------------------------------------------

    def _lead_hand(self, message: Mapping[str, Any]) -> Reply:
        links = self.links
        if links is None or links.hand is None:
            raise Refused("Only at the simulated table discs are moved here: at this one move them with your hand.")
        x, y = _point(message.get("at"), links)
        match message.get("action"):
            case "press":
                if not links.hand.press(x, y, whole=self._whole(message.get("with"), x, y, links.layout)):
                    raise Refused("There is no disc.")
            case "move":
                links.hand.move(x, y)
            case "release":
                links.hand.release(x, y)
            case _:
                raise Refused("The hand can press, move and release.")
        return True, ""

    def _whole(self, wish: object, x: float, y: float, layout: TableLayout) -> bool:
        """Say whether the whole stack is lifted: a king's discs go together, one that lies on another by mistake alone."""
        if wish in ("piece", "disc"):
            return wish == "piece"
        state = self._feed.state
        half = 0.5 if layout.lines else 0.0
        file, rank = math.floor(x / layout.square_mm + half), math.floor(y / layout.square_mm + half)
        if not (0 <= file < layout.columns and 0 <= rank < layout.rows):
            return False
        return state.position.at(rank * layout.columns + file).kind is Kind.KING


def _level(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value not in LEVELS:
        raise Refused("The level is a number from 1 to 10.")
    return value


def _point(at: object, links: Links) -> Point:
    """Return a point of the board frame; far points are drawn in.

    Raises:
        Refused: it is no pair of finite numbers.
    """
    if not isinstance(at, Mapping):
        raise Refused("Where? Give a point of the board or of the picture.")
    if "board" in at or links.ground is None:
        x, y = _pair(at.get("board"))
    else:
        x, y = links.ground(_pair(at.get("picture")))
    far, layout = FAR_SQUARES * links.layout.square_mm, links.layout
    return min(max(x, -far), layout.width_mm + far), min(max(y, -far), layout.height_mm + far)


def _pair(value: object) -> Point:
    if isinstance(value, list) and len(value) == 2:
        x, y = value
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
        if numbers and math.isfinite(x) and math.isfinite(y) and abs(x) < 1e6 and abs(y) < 1e6:
            return float(x), float(y)
    raise Refused("A point is two numbers.")


_SIMPLE: Mapping[str, Command] = {
    "resign": Command.RESIGN,
    "draw": Command.DRAW,
    "take_back": Command.TAKE_BACK,
    "hint": Command.HINT,
}

_ACTIONS: Mapping[str, Callable[[Desk, Mapping[str, Any]], Reply]] = {
    "ping": Desk._ping,
    "stop": Desk._stop,
    "go": Desk._say_go,
    "resign": Desk._simple,
    "draw": Desk._simple,
    "take_back": Desk._simple,
    "hint": Desk._simple,
    "answer": Desk._answer,
    "new_game": Desk._new_game,
    "resume": Desk._resume,
    "level": Desk._set_level,
    "set_position": Desk._set_position,
    "speed": Desk._set_speed,
    "hand": Desk._lead_hand,
}
