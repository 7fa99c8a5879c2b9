"""Stored games: what a journal says of a match, by the rules; enough to show it, to write it as PDN and to go on with it.

One reduction of the journal's events, as the page has one: a record read from a
prefix of the file is the match as it was then.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from damludo.play.console import CommandError, ExitCode
from damludo.play.match.choreography import Racks
from damludo.play.match.course import Course
from damludo.play.match.events import EventKind, JsonValue, MatchEvent
from damludo.play.match.setting_up import CutOff
from damludo.play.match.timekeeping import OFF, Times
from damludo.play.match.touching import Agreement
from damludo.play.records.journal import is_being_written, read_journal
from damludo.rules.ending import Result
from damludo.rules.errors import RulesError
from damludo.rules.fen import format_fen, parse_fen
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.notation import move_json, move_text
from damludo.rules.position import Colour
from damludo.rules.variants import variant

SUFFIX = ".jsonl"
TIME_FORM = "%Y%m%dT%H%M%S"
"""How the names of journals begin, in UTC."""
LAST = "last"


class BadJournal(CommandError):
    """A journal says what cannot be."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} is no journal of a game that can be read: {reason}", ExitCode.BAD_INPUT)


@dataclass(frozen=True, slots=True)
class Record:
    """One stored game.

    Attributes:
        path: of its journal.
        course: its moves, and the positions that a person set between them; what was taken back is not among them.
        machine, level: who played against whom, the level at the end.
        clock: as in the settings; "off" also after the players put it away.
        touch: what a touched disc meant, as in the settings.
        simulated: how the simulated table was made ("seed", "controller"); None at a real table.
        racks: discs believed to lie in the racks.
        cut_off: how it stood in the end.
        agreed: about touched discs, in the turn in which it ended.
        result: None if it was not finished.
        left: a person ended it before it was finished.
        rulings: why moves were not taken, by the ply that was due, counted from 1.
        events: all of them.
    """

    path: Path
    course: Course
    machine: Colour
    level: int
    clock: str = OFF
    touch: str = "ask"
    simulated: Mapping[str, Any] | None = None
    racks: Racks = field(default_factory=lambda: Racks(0, 0))
    cut_off: CutOff = field(default_factory=CutOff)
    agreed: Agreement = field(default_factory=Agreement)
    result: Result | None = None
    left: bool = False
    rulings: Mapping[int, str] = field(default_factory=dict)
    events: tuple[MatchEvent, ...] = ()

    @property
    def name(self) -> str:
        """What it is called: the journal's name without its ending."""
        return self.path.name.removesuffix(SUFFIX)

    @property
    def game(self) -> Game:
        """Its moves; after a person has set a position, from there."""
        return self.course.game

    @property
    def plies(self) -> int:
        """The number of all its moves."""
        return self.course.plies

    @property
    def begun(self) -> datetime | None:
        """When it began; None if the journal's name does not say."""
        try:
            return datetime.strptime(self.name.partition("-")[0], TIME_FORM).replace(tzinfo=UTC)
        except ValueError:
            return None

    @property
    def when(self) -> str:
        """When it began, in the time of this place, for people; the day too if that is not today."""
        if self.begun is None:
            return self.name
        here = self.begun.astimezone()
        return f"{here:%H:%M}" if here.date() == datetime.now().astimezone().date() else f"{here:%Y-%m-%d %H:%M}"

    @property
    def camera_path(self) -> Path:
        """Where is kept how the camera saw its board."""
        return camera_path(self.path)

    @property
    def state(self) -> str:
        """How it stands: "finished", "being played", "left" or "cut off"."""
        if self.result is not None:
            return "finished"
        if is_being_written(self.path):
            return "being played"
        return "left" if self.left else "cut off"


def camera_path(journal: Path) -> Path:
    """Return where is kept how the camera saw the board of a game, so that it can go on with a few discs too."""
    return journal.parent.parent / "cameras" / f"{journal.name.removesuffix(SUFFIX)}.json"


def read_record(path: Path) -> Record:
    """Read a journal.

    Raises:
        BadJournal: it cannot be read, holds no game, or moves that are not legal.
    """
    try:
        content = read_journal(path)
    except OSError as error:
        raise BadJournal(path, error.strerror or type(error).__name__) from error
    record: Record | None = None
    for number, entry in enumerate(content.entries, 1):
        try:
            event = _event(entry)
            record = _begun(path, event) if record is None else _after(record, event)
        except (RulesError, KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
            raise BadJournal(path, f"line {number} does not fit to what stands before it ({error})") from error
    if record is None:
        raise BadJournal(path, "no line of it can be read" if content.cut_bytes else "it is empty")
    return replace(record, cut_off=replace(record.cut_off, cut_bytes=content.cut_bytes))


def records_in(folder: Path) -> tuple[list[Record], list[BadJournal]]:
    """Return the games of a folder, the oldest first, and what is wrong with journals that cannot be read."""
    records, problems = [], []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            records.append(read_record(path))
        except BadJournal as error:
            problems.append(error)
    return records, problems


def find_record(folder: Path, name: str) -> Record:
    """Return the record that a person names: "last", a name or its beginning if that is enough, or the path of a journal.

    Raises:
        CommandError: there is none, or more than one.
    """
    names = sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}"))
    if not names and not Path(name).is_file():
        raise CommandError(f"there are no stored games in {folder}; play one with 'damludo play'", ExitCode.BAD_INPUT)
    if name == LAST and names:
        return read_record(folder / f"{names[-1]}{SUFFIX}")
    alike = [name] if name in names else [other for other in names if other.startswith(name)]
    if len(alike) == 1:
        return read_record(folder / f"{alike[0]}{SUFFIX}")
    if not alike and name != LAST and Path(name).is_file():
        return read_record(Path(name))
    wrong = (
        f"{len(alike)} stored games begin with '{name}'"
        if alike
        else f"there is no stored game '{name[:60]}' in {folder}"
    )
    raise CommandError(f"{wrong}; 'damludo records list' names all of them", ExitCode.BAD_INPUT)


def cut_off_record(folder: Path, *, simulated: bool | None = None) -> Record | None:
    """Return the newest game with a move, if it was cut off or left before its end; None if it was not.

    Args:
        simulated: at which kind of table; None for both.
    """
    for path in sorted(folder.glob(f"*{SUFFIX}"), reverse=True):
        try:
            record = read_record(path)
        except BadJournal:
            continue
        if record.plies and simulated in (None, record.simulated is not None):
            return record if record.state in ("cut off", "left") else None
    return None


# --- the reduction ------------------------------------------------------------------------------------------------------------


def _event(entry: Mapping[str, JsonValue]) -> MatchEvent:
    data: Any = entry["data"]
    return MatchEvent(EventKind(str(entry["event"])), float(str(entry["t"])), str(entry["text"]), dict(data))


def _begun(path: Path, event: MatchEvent) -> Record:
    data: Any = event.data
    if event.kind is not EventKind.STARTED:
        raise ValueError(f"a journal begins with '{EventKind.STARTED}', not with '{event.kind}'")
    game = variant(str(data["game"]))
    simulated = data.get("simulated")
    return Record(
        path,
        Course(Game.new(game, parse_fen(game, str(data["fen"])))),
        _colour(data["machine"]),
        int(data["level"]),
        str(data.get("clock", OFF)),
        str(data.get("touch", "ask")),
        None if simulated is None else dict(simulated),
        _racks(data),
        events=(event,),
    )


def _after(record: Record, event: MatchEvent) -> Record:
    step = _STEPS.get(event.kind)
    changed = record if step is None else step(record, event)
    return replace(changed, events=(*record.events, event))


def _resumed(record: Record, event: MatchEvent) -> Record:
    return replace(record, left=False)


def _turn(record: Record, event: MatchEvent) -> Record:
    return replace(record, agreed=Agreement(), cut_off=_going_on(record, event))


def _going_on(record: Record, event: MatchEvent) -> CutOff:
    """Return that nothing is under way."""
    return replace(record.cut_off, promised=None, back_to=None, left_s=_times(event))


def _thinking(record: Record, event: MatchEvent) -> Record:
    text = str(event.data["move"])
    promised = next(move for move in record.game.legal_moves() if move_text(record.game.variant, move) == text)
    return replace(record, cut_off=replace(record.cut_off, promised=promised))


def _moved(record: Record, event: MatchEvent) -> Record:
    course, clocks = record.course.make(_move(record.game, event)), record.cut_off.clocks
    times = _times(event)
    if times is not None:
        clocks = (*clocks, times)
    return _with_course(record, course, event, clocks)


def _taking_back(record: Record, event: MatchEvent) -> Record:
    return replace(record, cut_off=replace(record.cut_off, back_to=int(str(event.data["ply"]))))


def _taken_back(record: Record, event: MatchEvent) -> Record:
    plies = int(str(event.data["ply"]))
    return _with_course(record, record.course.back_to(plies), event, record.cut_off.clocks[:plies])


def _position_set(record: Record, event: MatchEvent) -> Record:
    course = record.course.set_to(parse_fen(record.game.variant, str(event.data["fen"])))
    # What was ruled on this ply rests on a position that never was.
    kept = {ply: text for ply, text in record.rulings.items() if ply <= record.plies}
    return _with_course(replace(record, rulings=kept, agreed=Agreement()), course, event, record.cut_off.clocks)


def _with_course(record: Record, course: Course, event: MatchEvent, clocks: tuple[Times, ...]) -> Record:
    fen, game = str(event.data["fen"]), course.game
    if parse_fen(game.variant, fen) != game.position:
        raise ValueError(f"the position should be {format_fen(game.variant, game.position)}")
    cut_off = replace(_going_on(record, event), clocks=clocks)
    kept = {ply: text for ply, text in record.rulings.items() if ply <= course.plies + 1}
    return replace(record, course=course, racks=_racks(event.data), cut_off=cut_off, rulings=kept)


def _ruled(record: Record, event: MatchEvent) -> Record:
    ply = record.plies + 1
    return replace(record, rulings={**record.rulings, ply: event.text})


def _answered(record: Record, event: MatchEvent) -> Record:
    bound = event.data["bound"]
    square = None if bound is None else record.game.variant.board.square(str(bound))
    return replace(record, agreed=Agreement(square, bool(event.data["pardoned"])))


def _level(record: Record, event: MatchEvent) -> Record:
    return replace(record, level=int(str(event.data["level"])))


def _noted(record: Record, event: MatchEvent) -> Record:
    if "clocks" not in event.data:
        return record
    return replace(record, clock=OFF, cut_off=replace(record.cut_off, clocks=(), left_s=None))


def _stopped(record: Record, event: MatchEvent) -> Record:
    return replace(record, left=record.left or event.data.get("why") == "ended")


def _ended(record: Record, event: MatchEvent) -> Record:
    winner = event.data["winner"]
    return replace(record, result=Result(None if winner is None else _colour(winner), str(event.data["reason"])))


_STEPS: Mapping[EventKind, Callable[[Record, MatchEvent], Record]] = {
    EventKind.RESUMED: _resumed,
    EventKind.TURN: _turn,
    EventKind.THINKING: _thinking,
    EventKind.MOVE: _moved,
    EventKind.TAKING_BACK: _taking_back,
    EventKind.TAKEN_BACK: _taken_back,
    EventKind.POSITION_SET: _position_set,
    EventKind.ILLEGAL: _ruled,
    EventKind.ANSWERED: _answered,
    EventKind.LEVEL: _level,
    EventKind.NOTE: _noted,
    EventKind.STOPPED: _stopped,
    EventKind.RESULT: _ended,
}


def _move(game: Game, event: MatchEvent) -> Move:
    """Return the legal move that stands in an event."""
    wanted: Any = event.data["move"]
    same = ("from", "to", "captures", "becomes")
    for move in game.legal_moves():
        told: Any = move_json(game.variant, game.position, move)
        if all(sorted(told[name] or "") == sorted(wanted[name] or "") for name in same):
            return move
    raise ValueError(f"{wanted['text']} is not legal there")


def _colour(word: object) -> Colour:
    return next(colour for colour in Colour if colour.word == word)


def _racks(data: Mapping[str, Any]) -> Racks:
    return Racks(int(data["racks"]["white"]), int(data["racks"]["black"]))


def _times(event: MatchEvent) -> Times | None:
    clocks: Any = event.data.get("clocks")
    return None if clocks is None else (float(clocks["white_s"]), float(clocks["black_s"]))


def moves_json(game: Game) -> Sequence[Mapping[str, object]]:
    """Return the moves of a game in the form of the command line."""
    return [move_json(game.variant, position, move) for position, move in zip(game.positions, game.moves, strict=False)]
