"""Our engine behind the Hub 2 protocol: lines in, lines out, a thread that searches while the other reads.

Every game can be played: the parameter `variant` names it ("normal", the word of other engines, is International draughts). A
line that cannot be understood is answered with `error message=...` and changes nothing.
"""

import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version

from damludo.engine.budget import Clock, Margin, most_seconds_for, seconds_for
from damludo.engine.errors import BadHubLine, EngineError
from damludo.engine.hub_game import GameReader
from damludo.engine.hub_text import Line, read_line, write_line, write_move
from damludo.engine.levels import LEVELS, ladder_of
from damludo.engine.memory import Searchers
from damludo.engine.port import Choice, Limits
from damludo.engine.search import AlphaBeta
from damludo.rules.errors import RulesError
from damludo.rules.game import Game
from damludo.rules.variants import VARIANTS, variant

NORMAL = "normal"
"""Other engines' word for International draughts."""
STOP_AGAIN_S = 0.002
STOP_TURNS = 2
"""A search that has not ended after so many of these turns gets no processor to end on; its last depth is the answer then."""
MODES = ("think", "ponder", "analyze")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the `level` lines ask for; None is no limit."""

    depth: int | None = None
    nodes: int | None = None
    move_s: float | None = None
    clock: Clock | None = None

    @property
    def seconds(self) -> float | None:
        """Time for one move, at most."""
        if self.clock is None:
            return self.move_s
        most_s = most_seconds_for(self.clock)
        return most_s if self.move_s is None else min(most_s, self.move_s)

    @property
    def enough_s(self) -> float | None:
        """Time for one move where nothing is doubtful; None for all that there is."""
        return None if self.clock is None else seconds_for(self.clock)


class HubServer:
    """One dialogue.

    Args:
        write: gets each answer, without line end; called from two threads, never at the same time.
        now_s: the clock for search times.
        compiled: as in `AlphaBeta`.
        loaded: called when `init` has made everything ready, before it is said.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        now_s: Callable[[], float] = time.monotonic,
        compiled: bool | None = None,
        loaded: Callable[[], None] = lambda: None,
    ) -> None:
        self._write, self._now_s, self._compiled, self._loaded = write, now_s, compiled, loaded
        self._writing = threading.Lock()
        self._variant = VARIANTS["international"]
        self._level, self._seed = len(LEVELS), 0
        self._game: Game | None = Game.new(self._variant)
        self._reader = GameReader(self._variant)
        self._wishes, self._wishes_spent = Wishes(), False
        self._ready = False
        self._search: _Search | None = None
        self._searchers, self._margin = Searchers(), Margin()
        self._words: Mapping[str, Callable[[Line], None]] = {
            "hub": self._hub,
            "set-param": self._set_param,
            "init": self._init,
            "new-game": self._new_game,
            "pos": self._pos,
            "level": self._set_level,
            "go": self._go,
            "stop": self._stop,
            "ponder-hit": self._ponder_hit,
            "ping": lambda line: self._say("pong"),
        }

    def serve(self, lines: Iterable[str]) -> None:
        """Answer line after line, up to `quit` or the end of the input; then no search runs any more."""
        try:
            for text in lines:
                if text.strip() == "quit":
                    return
                self.hear(text)
        finally:
            self._stop(Line("stop"))
            if self._search is not None:
                self._search.leave()

    def hear(self, text: str) -> None:
        """Answer one line."""
        try:
            line = read_line(text)
            if not line.word:
                return
            if line.word not in self._words:
                raise BadHubLine(f"{line.word[:40]!r} is not a command; known are {', '.join(self._words)}, quit")
            self._words[line.word](line)
        except (EngineError, RulesError) as error:
            self._complain(str(error))

    def _say(self, word: str, values: Mapping[str, object] | None = None) -> None:
        with self._writing:
            self._write(write_line(word, values))

    def _complain(self, message: str) -> None:
        self._say("error", {"message": message})

    def _hub(self, line: Line) -> None:
        self._say("id", {"name": "Damludo", "version": _version(), "author": "The Damludo developers", "country": "-"})
        games = " ".join((NORMAL, *VARIANTS))
        self._say("param", {"name": "variant", "value": self._variant.key, "type": "enum", "values": games})
        whole = {"type": "int", "min": 1, "max": len(LEVELS)}
        self._say("param", {"name": "level", "value": self._level} | whole)
        self._say("param", {"name": "seed", "value": self._seed, "type": "int", "min": 0, "max": 999_999_999})
        self._say("wait")

    def _set_param(self, line: Line) -> None:
        self._refuse_while_searching()
        name, value = line.values.get("name", ""), line.values.get("value", "")
        if name == "variant":
            self._variant = variant("international" if value == NORMAL else value)
            self._game, self._ready = Game.new(self._variant), False
            self._reader = GameReader(self._variant)
        elif name == "level":
            self._level, self._ready = _whole(name, value, 1, len(LEVELS)), False
        elif name == "seed":
            self._seed = _whole(name, value, 0, 999_999_999)
        else:
            raise BadHubLine(f"there is no parameter {name[:40]!r}; there are variant, level and seed")

    def _init(self, line: Line) -> None:
        self._refuse_while_searching()
        if not self._ready:
            # One short search has the kernels compiled and loaded, so that the first answer of the game is on time. Its
            # nodes are the level's: they decide whether it runs compiled.
            limits = Limits(nodes=ladder_of(self._variant)[self._level - 1].nodes, depth=4)
            player = AlphaBeta(limits, compiled=self._compiled, report=self._report, searchers=self._searchers)
            player.choose(Game.new(self._variant))
            self._loaded()
        self._ready = True
        self._say("ready")

    def _report(self, sentence: str) -> None:
        self._say("info", {"string": sentence})

    def _new_game(self, line: Line) -> None:
        self._refuse_while_searching()
        self._game = Game.new(self._variant)
        self._wishes = Wishes()

    def _pos(self, line: Line) -> None:
        self._refuse_while_searching()
        # Until the line is understood there is no position: a search from an older one would be a wrong answer.
        self._game = None
        self._game = self._reader.read(line)

    def _set_level(self, line: Line) -> None:
        self._refuse_while_searching()
        if self._wishes_spent:
            self._wishes, self._wishes_spent = Wishes(), False
        values = line.values
        wishes = Wishes() if "infinite" in line.flags else self._wishes
        if "depth" in values:
            wishes = replace(wishes, depth=_whole("depth", values["depth"], 1, 1_000))
        if "nodes" in values:
            wishes = replace(wishes, nodes=_whole("nodes", values["nodes"], 1, Limits.NO_END))
        if "move-time" in values:
            wishes = replace(wishes, move_s=_seconds("move-time", values["move-time"]))
        if "time" in values:
            moves = _whole("moves", values["moves"], 0, 10_000) if "moves" in values else 0
            increment_s = _seconds("inc", values.get("inc", "0"))
            wishes = replace(wishes, clock=Clock(_seconds("time", values["time"]), increment_s, moves or None))
        self._wishes = wishes

    def _go(self, line: Line) -> None:
        self._refuse_while_searching()
        mode = line.flags[0] if line.flags else MODES[0]
        if mode not in MODES:
            raise BadHubLine(f"go {mode[:20]!r} is unknown; it is one of {', '.join(MODES)}")
        if self._game is None:
            raise BadHubLine("there is no position to search: the last pos line was not understood")
        if not self._game.legal_moves():
            raise BadHubLine("the game is over: the side to move has no legal move")
        self._wishes_spent = True
        telling = _Telling(self._say, self._game)
        self._search = _Search(self._player(mode, telling), self._game, telling, waits=mode == "ponder")
        self._search.start()

    def _player(self, mode: str, telling: "_Telling") -> AlphaBeta:
        wishes, level = self._wishes, ladder_of(self._variant)[self._level - 1]
        strongest = self._level == len(LEVELS)
        most = Limits.NO_END if strongest else level.nodes
        if mode == "think" and strongest and wishes == Wishes():
            most = level.nodes  # nobody said how long: the answer must come all the same
        limits = Limits(
            nodes=min(wishes.nodes or Limits.NO_END, most),
            depth=min(wishes.depth or Limits.DEEPEST, Limits.DEEPEST),
            seconds=wishes.seconds if mode == "think" else None,
            enough_s=wishes.enough_s,
        )
        return AlphaBeta(
            limits, level.noise_men, self._seed, self._now_s, self._report, self._compiled,
            searchers=self._searchers, each_depth=telling.depth, margin=self._margin, keeps=mode == "ponder",
        )  # fmt: skip

    def _stop(self, line: Line) -> None:
        if self._search is not None:
            self._search.stop()

    def _ponder_hit(self, line: Line) -> None:
        if self._search is not None:
            seconds = self._wishes.enough_s or self._wishes.seconds
            self._search.hit(None if seconds is None else self._margin.within(seconds))

    def _refuse_while_searching(self) -> None:
        if self._search is None:
            return
        if self._search.runs:
            raise BadHubLine("a search is running; send stop and wait for its done first")
        self._search.leave()
        self._search = None


class _Telling:
    """What is told of one search: its depths as they are done, and its answer, once. Two threads may call."""

    def __init__(self, say: Callable[[str, Mapping[str, object]], None], game: Game) -> None:
        self._say, self._game = say, game
        self._start_s = time.perf_counter()
        self._told: Choice | None = None
        self._answered = False
        self._turn = threading.Lock()

    def depth(self, choice: Choice) -> None:
        """Tell what was found so far."""
        with self._turn:
            self._tell(choice)

    def _tell(self, choice: Choice) -> None:
        if self._answered or choice == self._told:
            return
        self._told = choice
        seconds = time.perf_counter() - self._start_s
        speed = choice.nodes / seconds / 1e6 if seconds > 0 else 0.0
        info = {"depth": choice.depth, "score": f"{choice.score:.2f}", "nodes": choice.nodes}
        pv = " ".join(write_move(self._game.variant, move) for move in choice.pv or (choice.move,))
        self._say("info", info | {"time": f"{seconds:.2f}", "nps": f"{speed:.2f}", "pv": pv})

    def done(self, choice: Choice, before: Callable[[], None]) -> None:
        """Tell the answer, and what was found since the last depth; `before` is called before that, if it is told at all."""
        with self._turn:
            self._tell(choice)
            self._end(choice, before)

    def done_as_told(self, before: Callable[[], None]) -> bool:
        """Answer with the last depth that was told; False if there is none yet, or its thread is telling right now."""
        if not self._turn.acquire(blocking=False):
            return False
        try:
            if self._told is not None:
                self._end(self._told, before)
            return self._told is not None
        finally:
            self._turn.release()

    def _end(self, choice: Choice, before: Callable[[], None]) -> None:
        if self._answered:
            return
        self._answered = True
        before()
        moves = [write_move(self._game.variant, move) for move in choice.pv[:2] or (choice.move,)]
        self._say("done", dict(zip(("move", "ponder"), moves, strict=False)))


class _Search:
    """One search in a thread of its own.

    Args:
        player: who searches.
        game: where.
        telling: told the answer.
        waits: the answer is held back until `hit` or `stop`, as the other side has not moved yet.
    """

    def __init__(self, player: AlphaBeta, game: Game, telling: _Telling, waits: bool) -> None:
        self._player, self._game, self._telling = player, game, telling
        self._over, self._wanted = threading.Event(), threading.Event()
        if not waits:
            self._wanted.set()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._timer: threading.Timer | None = None

    @property
    def runs(self) -> bool:
        """It has not answered yet."""
        return not self._over.is_set()

    def start(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        try:
            choice = self._player.choose(self._game)
            self._wanted.wait()
        except BaseException:
            self._end()
            raise
        # Over before it is told: the next command may follow at once.
        self._telling.done(choice, self._end)

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._over.set()

    def stop(self) -> None:
        """End the search and have it answered before this returns.

        Its own thread answers, as a rule at once. On a busy computer it may wait long for a processor on which to find out that
        it is to end; then the depth that was done last is answered from here, and that thread ends unheard.
        """
        self._wanted.set()
        turns = 0
        # A stop that comes before the search has begun would be forgotten by it, so it is repeated.
        while self._thread.is_alive():
            self._player.stop()
            self._thread.join(STOP_AGAIN_S)
            turns += 1
            if turns >= STOP_TURNS and self._telling.done_as_told(self._end):
                return

    def leave(self) -> None:
        """Wait until a search that was stopped has left its memory to the next one."""
        self._thread.join()

    def hit(self, seconds: float | None) -> None:
        """The awaited move was made: let it search for so long from now on; None leaves the end to the search."""
        self._wanted.set()
        if seconds is not None and self._timer is None:
            self._timer = threading.Timer(seconds, self.stop)
            self._timer.daemon = True
            self._timer.start()


def _whole(name: str, text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 19 and low <= int(text) <= high):
        raise BadHubLine(f"{name}={text[:30]!r} is not a whole number from {low} to {high}")
    return int(text)


def _seconds(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1e7:
        raise BadHubLine(f"{name}={text[:30]!r} is not a number of seconds from 0 to 10000000")
    return value


def _version() -> str:
    try:
        return version("damludo")
    except PackageNotFoundError:
        return "checkout"
