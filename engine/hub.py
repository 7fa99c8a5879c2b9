"""Foreign engines as players, through Hub 2 and Hub 1, each in its own process.

    ForeignEngine   a `Player` that asks the program and checks what it answers; raises `ForeignFailed`
    Guarded         a `Player` that never fails: a foreign engine is started again, in the end our own takes over

Source of the protocols: the text protocol.txt of Scan 3.1 for Hub 2; sessions with Scan 2.0 for Hub 1.
"""

import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import ClassVar, Protocol

from damludo.engine.errors import BadHubLine, ForeignFailed, ForeignGone, ForeignIllegal, ForeignSilent, GameOver
from damludo.engine.hub_text import find_move, read_line, write_line, write_move, write_position
from damludo.engine.port import Choice, Limits, Player
from damludo.engine.process import LineProcess
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.notation import format_fen
from damludo.rules.position import Kind
from damludo.rules.traits import Variant

LISTENED_TO = 1_000
"""So many of the last lines of a program are remembered while it is awaited."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a foreign engine may take.

    Attributes:
        start_s: to tell who it is.
        ready_s: to load its tables.
        answer_s: for an answer without a limit of time.
        grace_s: beyond its time for an answer.
        check_s: to tell that it is still there.
    """

    start_s: float = 10.0
    ready_s: float = 300.0
    answer_s: float = 600.0
    grace_s: float = 2.0
    check_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program answered: the move as it wrote it, and what it said about it last."""

    move: str
    info: Mapping[str, str] = field(default_factory=dict)


class Dialogue(Protocol):
    """A protocol."""

    def greet(self, process: LineProcess, variant: Variant, patience: Patience) -> str:
        """Make the program ready for a game; return its name.

        Raises:
            ForeignFailed: it does not become ready.
        """

    def ask(self, process: LineProcess, game: Game, limits: Limits, patience: Patience) -> Answer:
        """Return its answer in a position.

        Raises:
            ForeignFailed: there is none.
        """


def _await(process: LineProcess, word: str, limit_s: float, heard: Callable[[str], None] | None = None) -> str:
    """Return the first line that begins with a word; `heard` gets those before it."""
    end_s = time.monotonic() + limit_s
    while True:
        text = process.receive(end_s, repr(word), limit_s)
        if text.split(maxsplit=1)[:1] == [word]:
            return text
        if heard is not None:
            heard(text)


def _answer_time(limits: Limits, patience: Patience) -> float:
    return patience.answer_s if limits.seconds is None else limits.seconds + patience.grace_s


def lasting(game: Game) -> tuple[Game, tuple[Move, ...]]:
    """Return the game up to its last move that cannot be taken back, and the moves since then: what repetitions need."""
    moves: list[Move] = []
    for move in reversed(game.moves):
        if move.captures or move.piece.kind is not Kind.KING:
            break
        moves.insert(0, move)
    earlier = len(game.moves) - len(moves)
    return Game(game.variant, game.positions[: earlier + 1], game.moves[:earlier]), tuple(moves)


class _Hub(ABC):
    """The course of a dialogue, which is the same in both protocols; a protocol says what its lines look like."""

    new_game: ClassVar[str]
    """The line that begins a game."""
    answers: ClassVar[str]
    """The word that an answer begins with."""

    def greet(self, process: LineProcess, variant: Variant, patience: Patience) -> str:
        """See `Dialogue`."""
        told = deque[str](maxlen=LISTENED_TO)
        process.send("hub")
        _await(process, "wait", patience.start_s, told.append)
        name, lines = self._introduced(told, process.name, variant)
        for line in lines:
            process.send(line)
        process.send("init")
        _await(process, "ready", patience.ready_s)
        process.send(self.new_game)
        return name

    def ask(self, process: LineProcess, game: Game, limits: Limits, patience: Patience) -> Answer:
        """See `Dialogue`."""
        # Whatever it still had to say about earlier positions comes before the answer to this.
        process.send("ping")
        _await(process, "pong", patience.check_s)
        for line in self._question(*lasting(game), limits):
            process.send(line)
        told = deque[str](maxlen=LISTENED_TO)
        answer = _await(process, self.answers, _answer_time(limits, patience), told.append)
        return self._understood(answer, told)

    @abstractmethod
    def _introduced(self, told: Iterable[str], name: str, variant: Variant) -> tuple[str, tuple[str, ...]]:
        """Return the program's name from what it told before `wait` (or the given one), and the lines that set the game.

        Raises:
            ForeignGone: it does not play that game.
        """

    @abstractmethod
    def _question(self, start: Game, moves: Sequence[Move], limits: Limits) -> Iterator[str]:
        """Yield the lines that ask for a move after some moves."""

    @abstractmethod
    def _understood(self, answer: str, told: Iterable[str]) -> Answer:
        """Return what an answer means, with what was told before it."""


def _lines(told: Iterable[str], word: str) -> Iterator[Mapping[str, str]]:
    """Yield the values of the lines of Hub 2 that begin with a word; what cannot be read is no such line."""
    for text in told:
        with suppress(BadHubLine):
            line = read_line(text)
            if line.word == word:
                yield line.values


class Hub2(_Hub):
    """The dialogue of Hub 2; the parameter `variant` is set where the program has one."""

    new_game, answers = "new-game", "done"

    def _introduced(self, told: Iterable[str], name: str, variant: Variant) -> tuple[str, tuple[str, ...]]:
        for values in _lines(told, "id"):
            name = values.get("name", name)[:60]
        params = {values.get("name", ""): values.get("values", "") for values in _lines(told, "param")}
        known = params.get("variant", "").split()
        word = "normal" if variant.key == "international" and variant.key not in known else variant.key
        if word in known:
            return name, (write_line("set-param", {"name": "variant", "value": word}),)
        if variant.key != "international":
            raise ForeignGone(name, f"does not play {variant.key}")
        return name, ()

    def _question(self, start: Game, moves: Sequence[Move], limits: Limits) -> Iterator[str]:
        said = {"pos": write_position(start.variant, start.position)}
        if moves:
            said["moves"] = " ".join(write_move(start.variant, move) for move in moves)
        yield write_line("pos", said)
        yield write_line("level", flags=("infinite",))
        for name, value, default in (
            ("depth", limits.depth, Limits.DEEPEST),
            ("nodes", limits.nodes, Limits.NO_END),
            ("move-time", limits.seconds, None),
        ):
            if value != default:
                yield write_line("level", {name: value})
        yield write_line("go", flags=("think",))

    def _understood(self, answer: str, told: Iterable[str]) -> Answer:
        info: dict[str, str] = {}
        for values in _lines(told, "info"):
            info.update(values)
        return Answer(next(_lines((answer,), self.answers), {}).get("move", answer), info)


class Hub1(_Hub):
    """The dialogue of Hub 1, as Scan 2.0 speaks it: 50 fields only, and no limit of nodes."""

    new_game, answers = "new", "move"

    def _introduced(self, told: Iterable[str], name: str, variant: Variant) -> tuple[str, tuple[str, ...]]:
        if variant.key != "international":
            raise ForeignGone(name, f"does not play {variant.key}: Hub 1 knows International draughts alone")
        named = [text[5:65].strip() for text in told if text.startswith("name ")]
        return (named[-1] if named else name), ()

    def _question(self, start: Game, moves: Sequence[Move], limits: Limits) -> Iterator[str]:
        yield f"pos {write_position(start.variant, start.position, lower_side=True)}"
        for move in moves:
            yield f"move {write_move(start.variant, move)}"
        if limits.depth < Limits.DEEPEST:
            yield f"depth {limits.depth}"
        if limits.seconds is not None:
            yield f"time {max(round(1000 * limits.seconds), 1)}"
        yield "go"

    def _understood(self, answer: str, told: Iterable[str]) -> Answer:
        info: dict[str, str] = {}
        for words in map(str.split, told):
            if words[:1] == ["info"] and len(words) >= 5:
                info = {"depth": words[1], "score": str(_number(words[3]) / 100), "nodes": words[4]}
        return Answer("".join(answer.split()[1:2]), info)


PROTOCOLS: Mapping[str, Callable[[], Dialogue]] = {"hub": Hub2, "hub1": Hub1}
"""The protocols by the word of the command line."""


class ForeignEngine:
    """A `Player` behind a protocol. It is started by the first question, and again by the first one after a failure.

    Args:
        command: as one would type it.
        dialogue: the protocol.
        limits: of each choice.
        patience: how long it may take.
    """

    def __init__(self, command: str, dialogue: Dialogue, limits: Limits, patience: Patience | None = None) -> None:
        self._command, self._dialogue, self._limits = command, dialogue, limits
        self._patience = patience or Patience()
        self._process: LineProcess | None = None
        self._variant: Variant | None = None
        self.name = command
        """What it calls itself."""

    def __enter__(self) -> "ForeignEngine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self, variant: Variant) -> None:
        """Start it for a game, if it does not run for that game already.

        Raises:
            ForeignFailed: it does not become ready.
        """
        if self._process is not None and self._variant is variant:
            return
        self.close()
        self._process, self._variant = LineProcess(self._command), variant
        try:
            self.name = self._dialogue.greet(self._process, variant, self._patience)
        except ForeignFailed:
            self.close()
            raise

    def choose(self, game: Game) -> Choice:
        """Return its move.

        Raises:
            GameOver: there is no legal move.
            ForeignFailed: it did not answer, or not with a legal move; it is closed then.
        """
        legal = game.legal_moves()
        if not legal:
            raise GameOver
        self.start(game.variant)
        assert self._process is not None
        try:
            answer = self._dialogue.ask(self._process, game, self._limits, self._patience)
            move = find_move(game.variant, answer.move, legal)
            if move is None:
                raise ForeignIllegal(self.name, answer.move, format_fen(game.variant, game.position))
        except ForeignFailed:
            self.close()
            raise
        return _choice(game, move, answer.info)

    def stop(self) -> None:
        """Have it answer at once; may be called from any thread."""
        process = self._process
        if process is not None:
            with suppress(ForeignFailed):  # whoever waits for the answer learns it
                process.send("stop")

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.close()


def _choice(game: Game, move: Move, info: Mapping[str, str]) -> Choice:
    """Return a choice with what the program said, as far as it can be believed."""
    line, after = [move], game.make(move)
    for text in info.get("pv", "").split()[1:25]:
        following = find_move(game.variant, text, after.legal_moves())
        if following is None:
            break
        line.append(following)
        after = after.make(following)
    score, depth, nodes = (_number(info.get(name, "0")) for name in ("score", "depth", "nodes"))
    return Choice(move, score, int(depth), int(nodes), tuple(line))


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if abs(value) < 1e18 else 0.0  # also false for what is no number


FAULTS: Mapping[type[ForeignFailed], str] = {
    ForeignIllegal: "illegal",
    ForeignSilent: "silent",
    ForeignGone: "gone",
}


class Guarded:
    """A `Player` that always answers: a foreign engine that fails is started again, and in the end replaced.

    Args:
        engine: the foreign engine.
        substitute: who plays where it fails.
        say: told in a sentence what happened.
        tries: failures after which the substitute plays for good.
    """

    def __init__(self, engine: ForeignEngine, substitute: Player, say: Callable[[str], None], tries: int = 3) -> None:
        self._engine, self._substitute, self._say, self._tries = engine, substitute, say, tries
        self.faults: Counter[str] = Counter()
        """What went wrong so far: "illegal", "silent", "gone"."""

    def choose(self, game: Game) -> Choice:
        """Return its move, or the substitute's.

        Raises:
            GameOver: there is no legal move.
        """
        # One more try in the same position; a program that fails there twice will fail a third time.
        for again in (True, False):
            if self.replaced:
                break
            try:
                return self._engine.choose(game)
            except ForeignFailed as error:
                self.faults[FAULTS[type(error)]] += 1
                self._say(_sentence(str(error), self.replaced, again))
        return self._substitute.choose(game)

    @property
    def replaced(self) -> bool:
        """It has failed so often that the substitute plays for good."""
        return self.faults.total() >= self._tries

    def stop(self) -> None:
        """Have it answer at once; may be called from any thread."""
        self._engine.stop()
        stop = getattr(self._substitute, "stop", None)
        if stop is not None:
            stop()

    def close(self) -> None:
        """End the foreign engine's process."""
        self._engine.close()


def _sentence(what: str, replaced: bool, again: bool) -> str:
    what = what[:1].upper() + what[1:]
    if replaced:
        return f"{what}. Damludo's own engine plays on in its place."
    return f"{what}. It is started again." if again else f"{what}. Damludo's own engine makes this move."
