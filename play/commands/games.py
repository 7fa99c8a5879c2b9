"""`damludo games`: the games, or one of them with its board and its rules."""

import argparse

from damludo.play.console import ExitCode, print_json
from damludo.play.drawing import board_lines
from damludo.rules.messages import LANGUAGES, translated
from damludo.rules.position import Kind
from damludo.rules.traits import Preference, Variant
from damludo.rules.variants import VARIANTS, variant

HELP = "list the games, or show the board and the rules of one"
EXAMPLES = ("damludo games", "damludo games italian --language sl", "damludo games --json")

_LEGEND = "    w b men, W B kings, x y parachutists, . empty"

_WHICH_CAPTURE = {
    Preference.MOST_PIECES: "most pieces",
    Preference.BY_KING: "a king's",
    Preference.MOST_KINGS: "most kings",
    Preference.KING_EARLIEST: "king first",
    Preference.MOST_VALUE: "most value",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("key", metavar="KEY", nargs="?", help="a game; without it, all are listed")
    parser.add_argument(
        "--language", choices=LANGUAGES, default="en", help="of the rules on the page of one game (default: en)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for."""
    if arguments.key is not None:
        game = variant(arguments.key)
        if arguments.json:
            print_json(_as_json(game))
        else:
            print("\n".join(_page(game, arguments.language)))
    elif arguments.json:
        print_json([_as_json(game) for game in VARIANTS.values()])
    else:
        print("\n".join(_table()))
    return ExitCode.FINE


def _as_json(game: Variant) -> dict[str, object]:
    return {
        "key": game.key,
        "name": game.names["en"],
        "names": dict(game.names),
        "columns": game.board.columns,
        "rows": game.board.rows,
        "squares": len(game.board.playable),
        "pieces_per_side": _pieces_per_side(game),
        "first": game.start.side.word,
        "pdn_game_type": game.pdn_game_type,
        "source": game.source,
        "rules": [*game.rules, *(draw.article for draw in game.draws)],
    }


def _pieces_per_side(game: Variant) -> int:
    # Both sides begin with equally many pieces in every game of draughts.
    return sum(1 for code in game.start.cells if code) // 2


def _table() -> list[str]:
    heads = ("KEY", "NAME", "BOARD", "SQUARES", "PIECES", "FIRST", "KING", "MUST TAKE")
    rows = [heads, *(_row(game) for game in VARIANTS.values())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [*lines, "", "Board and rules of one game: damludo games KEY"]


def _row(game: Variant) -> tuple[str, ...]:
    which = ", then ".join(_WHICH_CAPTURE[preference] for preference in game.preference)
    return (
        game.key,
        game.names["en"],
        f"{game.board.columns}x{game.board.rows}",
        str(len(game.board.playable)),
        str(_pieces_per_side(game)),
        game.start.side.word,
        _king_words(game),
        which or "any",
    )


def _king_words(game: Variant) -> str:
    king = game.movers.get(Kind.KING)
    if king is None:
        return "none"
    return "flies" if king.far_steps else "steps"


def _page(game: Variant, language: str) -> list[str]:
    names = ", ".join(dict.fromkeys(game.names.values()))
    pieces = f"{_pieces_per_side(game)} pieces a side"
    squares = f"{game.board.columns}x{game.board.rows} board with {len(game.board.playable)} squares in use"
    return [
        f"{names} ({game.key})",
        "",
        *board_lines(game, game.start),
        _LEGEND,
        "",
        f"{squares}, {pieces}, {game.start.side.word} moves first.",
        "",
        *(f"- {translated(rule, language)}" for rule in (*game.rules, *(draw.article for draw in game.draws))),
        "",
        f"Source: {game.source}",
    ]
