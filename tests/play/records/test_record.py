"""Stored games: what is read back of a journal is the match as it was, after every line of it."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.match.ports import Command
from damludo.play.match.touching import Agreement
from damludo.play.page.state import state_before_going_on, waiting_state
from damludo.play.records.journal import Journal, is_being_written, reopen_journal
from damludo.play.records.pdn import pdn_of_record
from damludo.play.records.record import BadJournal, Record, cut_off_record, find_record, read_record, records_in
from damludo.rules.fen import format_fen
from damludo.rules.notation import move_text
from damludo.rules.pdn import read_pdn
from damludo.rules.position import Colour

MakeMatch = Callable[..., Any]  # conftest's ModelledMatch
NAME = "20261130T140500-damludo"


def _written(path: Path, events: list[MatchEvent]) -> Path:
    journal = Journal(path)
    for event in events:
        journal(event)
    journal.close()
    return path


@pytest.fixture
def played(make_match: MakeMatch, tmp_path: Path) -> tuple[Any, Path]:
    """A whole game in which moves were taken back, and its journal."""
    table = make_match("damludo", seed=5)
    table.commands.waiting = [(40.0, Command.TAKE_BACK)]
    table.match.run()
    assert EventKind.TAKEN_BACK in table.kinds()
    return table, _written(tmp_path / "journals" / f"{NAME}.jsonl", table.events)


def test_a_finished_game_is_read_back_whole(played: tuple[Any, Path]) -> None:
    table, path = played
    record = read_record(path)
    assert record.game == table.match.game
    assert (record.racks, record.machine, record.state) == (table.match.racks, Colour.BLACK, "finished")
    assert record.result is not None
    assert record.result.reason == table.events[-1].data["reason"]
    assert record.name == NAME


def test_every_beginning_of_a_journal_is_the_match_as_it_was_then(played: tuple[Any, Path], tmp_path: Path) -> None:
    table, path = played
    lines = path.read_bytes().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    plies, position = 0, table.match.game.start
    for number, event in enumerate(table.events, 1):
        if event.kind in (EventKind.MOVE, EventKind.TAKEN_BACK):
            plies, position = event.data["ply"], event.data["fen"]
        if number % 7 and event.kind is not EventKind.TAKEN_BACK:
            continue
        cut.write_bytes(b"".join(lines[:number]) + lines[min(number, len(lines) - 1)][:-20])
        record = read_record(cut)
        game = record.game
        assert len(game.moves) == plies
        assert plies == 0 or format_fen(game.variant, game.position) == position
        shown = state_before_going_on(waiting_state(game.variant, Colour.WHITE, 1, simulation=True), record.events)
        assert (shown.position, len(shown.moves)) == (game.position, plies)


def test_what_the_machine_had_chosen_is_promised_until_it_is_played(played: tuple[Any, Path], tmp_path: Path) -> None:
    table, path = played
    lines = path.read_bytes().splitlines(keepends=True)
    thinking = table.kinds().index(EventKind.THINKING)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(lines[: thinking + 1]))
    record = read_record(cut)
    assert record.cut_off.promised is not None
    assert move_text(record.game.variant, record.cut_off.promised) == table.events[thinking].data["move"]
    moved = table.kinds().index(EventKind.MOVE, thinking)
    cut.write_bytes(b"".join(lines[: moved + 1]))
    assert read_record(cut).cut_off.promised is None


def _event(kind: EventKind, **data: Any) -> MatchEvent:
    return MatchEvent(kind, 1.0, "", data)


def _started(**more: Any) -> MatchEvent:
    racks = {"white": 4, "black": 4}
    told = {"game": "damludo", "machine": "black", "fen": "W:Wc3,g1:Bf6,h8", "level": 3, "racks": racks, **more}
    return _event(EventKind.STARTED, **told)


def _clocks(white_s: float, black_s: float) -> dict[str, Any]:
    return {"white_s": white_s, "black_s": black_s, "running": None}


def _record(tmp_path: Path, *events: MatchEvent) -> Record:
    return read_record(_written(tmp_path / "game.jsonl", list(events)))


def test_clocks_level_and_agreements_are_kept(tmp_path: Path) -> None:
    move = {
        "text": "c3-d4",
        "notation": "c3-d4",
        "from": "c3",
        "to": "d4",
        "path": ["d4"],
        "captures": [],
        "becomes": None,
    }
    made = {"move": move, "ply": 1, "fen": "B:Wg1,d4:Bf6,h8", "racks": {"white": 4, "black": 5}}
    record = _record(
        tmp_path,
        _started(clock="10+5", touch="strict", simulated={"seed": 7, "controller": "python"}),
        _event(EventKind.TURN, side="white", clocks=_clocks(600.0, 600.0)),
        _event(EventKind.MOVE, **made, clocks=_clocks(590.0, 600.0)),
        _event(EventKind.LEVEL, level=8),
        _event(EventKind.TURN, side="black", clocks=_clocks(590.0, 595.5)),
        _event(EventKind.ANSWERED, bound="d4", pardoned=False),
    )
    assert (record.clock, record.touch, record.level) == ("10+5", "strict", 8)
    assert (record.cut_off.clocks, record.cut_off.left_s) == (((590.0, 600.0),), (590.0, 595.5))
    assert record.agreed == Agreement(bound=record.game.variant.board.square("d4"))
    assert (record.racks.white, record.racks.black) == (4, 5)
    assert record.simulated == {"seed": 7, "controller": "python"}


def test_a_clock_that_was_put_away_stays_away(tmp_path: Path) -> None:
    turn = _event(EventKind.TURN, side="white", clocks=_clocks(600.0, 600.0))
    record = _record(tmp_path, _started(clock="10+5"), turn, _event(EventKind.NOTE, clocks=None))
    assert (record.clock, record.cut_off.left_s) == ("off", None)


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([], "it is empty"),
        ([_event(EventKind.TURN, side="white")], "line 1 does not fit"),
        ([_started(game="chess")], "line 1 does not fit"),
        ([_started(), _event(EventKind.THINKING, move="c3xh8")], "line 2 does not fit"),
        (
            [
                _started(),
                _event(
                    EventKind.MOVE, move={"text": "c3-c4", "from": "c3", "to": "c4", "captures": [], "becomes": None}
                ),
            ],
            "c3-c4",
        ),
    ],
    ids=["empty", "no beginning", "no such game", "illegal promise", "illegal move"],
)
def test_a_journal_that_cannot_be_is_refused_with_its_line(
    tmp_path: Path, events: list[MatchEvent], reason: str
) -> None:
    with pytest.raises(BadJournal, match=reason):
        _record(tmp_path, *events)


def test_a_journal_of_a_newer_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "20261130T140500-damludo.jsonl"
    later = {"event": "resigned_by_letter", "n": 2, "t": 2.0, "text": "", "data": {}}
    text = json.dumps(later, separators=(",", ":"))
    _written(path, [_started()])
    with path.open("a") as file:
        file.write(f'{text[:-1]},"crc":"{zlib.crc32(text.encode()):08x}"}}\n')
    before = path.read_bytes()

    with pytest.raises(BadJournal, match=r"line 2 does not fit .*'resigned_by_letter'"):
        read_record(path)
    records, (problem,) = records_in(tmp_path)
    assert (records, str(path) in str(problem)) == ([], True)
    assert cut_off_record(tmp_path) is None
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (before, [path])


def test_what_a_newer_program_says_more_of_an_event_does_no_harm(tmp_path: Path) -> None:
    record = _record(tmp_path, _started(weather="rain"), _event(EventKind.TURN, side="white", mood="good"))
    assert (record.state, record.plies) == ("cut off", 0)


def test_a_journal_of_an_older_program_has_no_clock_and_asks_about_touches(tmp_path: Path) -> None:
    assert {"clock", "touch", "simulated"}.isdisjoint(_started().data)
    record = _record(tmp_path, _started())
    assert (record.clock, record.touch, record.simulated, record.cut_off.left_s) == ("off", "ask", None, None)


def test_a_journal_is_written_by_one_program_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    journal = Journal(path)
    journal(_started())
    assert is_being_written(path)
    assert read_record(path).state == "being played"
    with pytest.raises(Exception, match="is being played by another program"):
        reopen_journal(path)
    journal.close()
    assert read_record(path).state == "cut off"
    reopen_journal(path).close()


def test_a_game_is_found_by_what_begins_its_name(tmp_path: Path) -> None:
    for name in ("20261129T200000-thai", "20261130T140500-damludo", "20261130T150000-damludo"):
        _written(tmp_path / f"{name}.jsonl", [_started()])
    assert find_record(tmp_path, "last").name == "20261130T150000-damludo"
    assert find_record(tmp_path, "20261129").name == "20261129T200000-thai"
    assert find_record(tmp_path, str(tmp_path / "20261129T200000-thai.jsonl")).name == "20261129T200000-thai"
    with pytest.raises(Exception, match="2 stored games begin with '20261130'"):
        find_record(tmp_path, "20261130")
    with pytest.raises(Exception, match="there is no stored game 'nothing'"):
        find_record(tmp_path, "nothing")


def test_the_newest_game_with_a_move_is_offered_if_it_was_cut_off(played: tuple[Any, Path]) -> None:
    _, path = played
    assert cut_off_record(path.parent) is None  # it was finished
    lines = path.read_bytes().splitlines(keepends=True)
    cut = path.with_name("20261130T150000-damludo.jsonl")
    cut.write_bytes(b"".join(lines[:20]))
    path.with_name("20261130T160000-damludo.jsonl").write_bytes(lines[0])  # begun, and left at once
    path.with_name("20261130T170000-damludo.jsonl").write_bytes(b"\n")
    offered = cut_off_record(path.parent, simulated=False)
    assert offered is not None
    assert offered.path == cut
    assert cut_off_record(path.parent, simulated=True) is None
    records, problems = records_in(path.parent)
    assert [record.state for record in records] == ["finished", "cut off", "cut off"]
    assert len(problems) == 1


# --- a position that a person set ---------------------------------------------------------------------------------------------


def _made(text: str, ply: int, fen: str) -> MatchEvent:
    origin, target = text.split("-")
    move = {"text": text, "from": origin, "to": target, "path": [target], "captures": [], "becomes": None}
    racks = {"white": 4, "black": 4}
    return _event(EventKind.MOVE, move=move, ply=ply, fen=fen, racks=racks, clocks=_clocks(600.0 - ply, 600.0))


def _position_set(ply: int, fen: str, **racks: int) -> MatchEvent:
    told = {"white": 4, "black": 4, **racks}
    return _event(EventKind.POSITION_SET, ply=ply, fen=fen, racks=told, clocks=_clocks(590.0, 600.0))


CHAPTERS = (
    _started(clock="10+5"),
    _made("c3-d4", 1, "B:Wg1,d4:Bf6,h8"),
    _event(EventKind.THINKING, move="h8-g7"),
    _made("h8-g7", 2, "W:Wg1,d4:Bf6,g7"),
    MatchEvent(EventKind.ILLEGAL, 1.0, "d4-d5: a man moves diagonally.", {}),
    _position_set(2, "W:Wg1,b4:Bg7", black=5),
    _made("b4-c5", 3, "B:Wg1,c5:Bg7"),
)


def test_a_game_goes_on_from_a_position_that_was_set(tmp_path: Path) -> None:
    record = _record(tmp_path, *CHAPTERS)
    assert (record.plies, [len(chapter.moves) for chapter in record.course.chapters]) == (3, [2, 1])
    assert format_fen(record.game.variant, record.game.start) == "W:Wg1,b4:Bg7"
    assert (record.racks.black, len(record.cut_off.clocks)) == (4, 3)
    assert record.rulings == {}, "a ruling from a wrong reading is withdrawn"
    assert [event.kind for event in record.events] == [event.kind for event in CHAPTERS], "nothing is lost"


def test_taking_back_past_a_position_that_was_set_is_read_back(tmp_path: Path) -> None:
    racks = {"white": 4, "black": 4}
    back = _event(EventKind.TAKEN_BACK, ply=0, fen="W:Wg1,c3:Bf6,h8", racks=racks, clocks=_clocks(600.0, 600.0))
    record = _record(tmp_path, *CHAPTERS, back)
    assert (record.plies, record.course.earlier, record.cut_off.clocks) == (0, (), ())


def test_a_taking_back_that_was_cut_off_is_known(tmp_path: Path) -> None:
    taking_back = _event(EventKind.TAKING_BACK, ply=0)
    turn = _event(EventKind.TURN, side="black", clocks=_clocks(590.0, 600.0))
    assert _record(tmp_path / "cut", *CHAPTERS, taking_back).cut_off.back_to == 0
    assert _record(tmp_path / "gone on", *CHAPTERS, taking_back, turn).cut_off.back_to is None


def test_each_chapter_is_a_game_of_valid_pdn(tmp_path: Path) -> None:
    text = pdn_of_record(_record(tmp_path, *CHAPTERS))
    first, second = read_pdn(text)
    assert (first.problems, second.problems) == ((), ())
    assert [move_text(first.game.variant, move) for move in first.game.moves] == ["c3-d4", "h8-g7"]
    assert [move_text(second.game.variant, move) for move in second.game.moves] == ["b4-c5"]
    assert (first.tags["Round"], second.tags["Round"], second.tags["SetUp"]) == ("1.1", "1.2", "1")
    assert second.tags["FEN"] == "W:Wg1,b4:Bg7"
    assert first.rulings == {2: "a person set the position here: see the next game"}
    assert second.rulings == {0: "a person set this position after 2 plies of the game"}
    assert (first.result, second.result) == ("*", "*")
