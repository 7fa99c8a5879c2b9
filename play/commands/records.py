"""`damludo records`: the games that were played at the table."""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from damludo.play.arguments import number_in
from damludo.play.commands.play import add_table_arguments

if TYPE_CHECKING:  # help pages answer at once
    from damludo.play.records.record import Record
    from damludo.rules.game import Game

HELP = "list the games that were played, show one, write it as PDN, replay it, go on with one that was cut off"
EXAMPLES = (
    "damludo records list",
    "damludo records show last --json",
    "damludo records export 20261130 --to pdn --output evening.pdn",
    "damludo records replay last --delay 1",
    "damludo records resume",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listed = actions.add_parser("list", help="list the stored games, the oldest first")
    listed.add_argument("--unfinished", action="store_true", help="only those that can be gone on with")
    shown = actions.add_parser("show", help="show one game: its moves, rulings and last position")
    export = actions.add_parser("export", help="write games as PDN or JSON")
    export.add_argument(
        "records",
        metavar="RECORD",
        nargs="*",
        help="names or their beginnings, each for all that begin so (default: all)",
    )
    export.add_argument("--to", choices=("pdn", "json"), default="pdn", help="the form to write (default: pdn)")
    export.add_argument("--output", metavar="FILE", type=Path, help="write it to a file (default: standard output)")
    replay = actions.add_parser("replay", help="show one game move by move, checked by the rules")
    replay.add_argument("--delay", type=_delay, default=0.0, metavar="S", help="wait so long after each move, s")
    resume = actions.add_parser("resume", help="go on with a game that was cut off")
    for one in (shown, replay, resume):
        one.add_argument(
            "record",
            metavar="RECORD",
            nargs="?",
            default="last",
            help="its name, the beginning of it, the path of a journal, or 'last' (default)",
        )
    for one in (listed, shown, replay):
        one.add_argument("--json", action="store_true", help="print one JSON document")
    add_table_arguments(resume)


def run(arguments: argparse.Namespace) -> int:
    """Do one of the actions."""
    return _ACTIONS[arguments.action](arguments)


def _list(arguments: argparse.Namespace) -> int:
    from damludo.play.console import ExitCode, counted, note, print_json
    from damludo.play.folders import folders
    from damludo.play.records.record import records_in

    records, problems = records_in(folders(arguments.home).journals)
    if arguments.unfinished:
        records = [record for record in records if record.state in ("cut off", "left")]
    if arguments.json:
        print_json({"records": [_summary(record) for record in records], "problems": [str(each) for each in problems]})
        return ExitCode.FINE
    for record in records:
        plies = counted(record.plies, "ply", "plies")
        result = record.result.text if record.result else record.state
        print(f"{record.name:<32} {record.game.variant.names['en']}, {plies}: {result}")
    for problem in problems:
        note(str(problem))
    if not records:
        print("There are no stored games yet." if not arguments.unfinished else "There is no game to go on with.")
    return ExitCode.FINE


def _show(arguments: argparse.Namespace) -> int:
    from damludo.play.console import ExitCode, print_json
    from damludo.play.drawing import board_lines

    record = _record(arguments)
    if arguments.json:
        print_json(_whole(record))
        return ExitCode.FINE
    game = record.game
    print(f"{game.variant.names['en']}, {record.when}: {record.result.text if record.result else record.state}")
    print(f"The machine played {record.machine.word} at level {record.level}; clock: {record.clock}.")
    for before, chapter in record.course.numbered():
        if before:
            print(f"      {_position_line(chapter)}")
        for ply, line in enumerate(_move_lines(chapter, before), before + 1):
            print(line)
            if ply in record.rulings:
                print(f"      {record.rulings[ply]}")
    print("\n".join(board_lines(game.variant, game.position)))
    if record.cut_off.cut_bytes:
        print(f"The last {record.cut_off.cut_bytes} bytes of the journal cannot be read.")
    return ExitCode.FINE


def _export(arguments: argparse.Namespace) -> int:
    import json

    from damludo.play.console import CommandError, ExitCode, cannot_write, counted, note
    from damludo.play.folders import folders
    from damludo.play.records.pdn import pdn_of_record
    from damludo.play.records.record import find_record, records_in

    folder = folders(arguments.home).journals
    records, problems = records_in(folder)
    if arguments.records:
        wanted = [[each for each in records if each.name.startswith(name)] for name in arguments.records]
        found = [alike or [find_record(folder, name)] for alike, name in zip(wanted, arguments.records, strict=True)]
        records = list({record.path: record for alike in found for record in alike}.values())
    elif not records:
        raise CommandError(f"there are no stored games in {folder}; play one with 'damludo play'", ExitCode.BAD_INPUT)
    if arguments.to == "json":
        text = json.dumps([_whole(record) for record in records], ensure_ascii=False) + "\n"
    else:
        text = "\n".join(pdn_of_record(record) for record in records)
    for problem in problems:
        note(str(problem))
    if arguments.output is None:
        sys.stdout.write(text)
        return ExitCode.FINE
    try:
        arguments.output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(arguments.output, error) from error
    note(f"{counted(len(records), 'game', 'games')} written to {arguments.output}")
    return ExitCode.FINE


def _replay(arguments: argparse.Namespace) -> int:
    from damludo.play.console import ExitCode, print_json
    from damludo.play.drawing import board_lines

    record = _record(arguments)
    if arguments.json:
        earlier = [_chapter_json(chapter) for chapter in record.course.earlier]
        print_json(
            {"name": record.name, "game": record.game.variant.key, **_chapter_json(record.game), "earlier": earlier}
        )
        return ExitCode.FINE
    for before, chapter in record.course.numbered():
        if before:
            time.sleep(arguments.delay)
            print(f"      {_position_line(chapter)}")
        print("\n".join(board_lines(chapter.variant, chapter.start)), flush=True)
        for line, position in zip(_move_lines(chapter, before), chapter.positions[1:], strict=True):
            time.sleep(arguments.delay)
            print("\n".join([line, *board_lines(chapter.variant, position)]), flush=True)
    print(record.result.text if record.result else f"The game was {record.state}.")
    return ExitCode.FINE


def _resume(arguments: argparse.Namespace) -> int:
    from dataclasses import replace

    from damludo.play.commands.play import play_at_table
    from damludo.play.console import CommandError, ExitCode
    from damludo.play.folders import folders
    from damludo.play.records.record import LAST, cut_off_record
    from damludo.play.settings import load_settings

    unfinished = cut_off_record(folders(arguments.home).journals) if arguments.record == LAST else None
    record = unfinished or _record(arguments)
    if record.result is not None:
        raise CommandError(
            f"the game {record.name} is over: {record.result.text}; 'damludo records list --unfinished' names those that are not",
            ExitCode.BAD_INPUT,
        )
    settings = load_settings(folders(arguments.home).config / "settings.toml")
    simulated = record.simulated
    if simulated is not None and not (arguments.camera or arguments.serial):
        # It goes on where it was: at the simulated table, in the same light.
        arguments.sim = True
        arguments.seed = int(simulated["seed"]) if arguments.seed is None else arguments.seed
        arguments.controller = arguments.controller or str(simulated["controller"])
    played = replace(settings.play, touch=record.touch)
    return play_at_table(arguments, replace(settings, play=played), record)


def _record(arguments: argparse.Namespace) -> "Record":
    from damludo.play.folders import folders
    from damludo.play.records.record import find_record

    return find_record(folders(arguments.home).journals, arguments.record)


def _summary(record: "Record") -> dict[str, Any]:
    return {
        "name": record.name,
        "game": record.game.variant.key,
        "begun": None if record.begun is None else record.begun.isoformat(),
        "machine": record.machine.word,
        "level": record.level,
        "clock": record.clock,
        "simulated": record.simulated is not None,
        "plies": record.plies,
        "state": record.state,
        "result": None if record.result is None else record.result.text,
        "file": str(record.path),
    }


def _whole(record: "Record") -> dict[str, Any]:
    from damludo.play.records.record import moves_json
    from damludo.rules.fen import format_fen

    game, left_s = record.game, record.cut_off.left_s
    return {
        **_summary(record),
        "start": format_fen(game.variant, game.start),
        "fen": format_fen(game.variant, game.position),
        "moves": moves_json(game),
        "earlier": [_chapter_json(chapter) for chapter in record.course.earlier],
        "rulings": {str(ply): text for ply, text in record.rulings.items()},
        "racks": {"white": record.racks.white, "black": record.racks.black},
        "clocks": None if left_s is None else {"white_s": left_s[0], "black_s": left_s[1]},
        "touch": record.touch,
        "cut_bytes": record.cut_off.cut_bytes,
    }


def _chapter_json(chapter: "Game") -> dict[str, Any]:
    """Return the moves between two positions that a person set, and the positions they lead to."""
    from damludo.play.records.record import moves_json
    from damludo.rules.fen import format_fen

    fens = [format_fen(chapter.variant, position) for position in chapter.positions]
    return {"fens": fens, "moves": moves_json(chapter)}


def _position_line(chapter: "Game") -> str:
    from damludo.rules.fen import format_fen

    return f"The position was set to {format_fen(chapter.variant, chapter.start)}"


def _move_lines(game: "Game", before: int) -> list[str]:
    """Return the moves of a chapter; `before` plies were played before it."""
    from damludo.rules.notation import move_text

    return [
        f"{ply:>4}. {position.side.word:<5} {move_text(game.variant, move)}"
        for ply, (position, move) in enumerate(zip(game.positions, game.moves, strict=False), before + 1)
    ]


def _delay(text: str) -> float:
    value = number_in(text)
    if not 0.0 <= value <= 60.0:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of seconds from 0 to 60")
    return value


_ACTIONS = {"list": _list, "show": _show, "export": _export, "replay": _replay, "resume": _resume}
