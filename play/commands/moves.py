"""`damludo moves`: the legal moves of a position."""

import argparse

from damludo.play.arguments import add_position_arguments, game_of
from damludo.play.console import ExitCode, print_json
from damludo.play.drawing import board_lines
from damludo.rules.game import Game
from damludo.rules.notation import format_fen, move_json, move_notation, move_text

HELP = "list the legal moves of a position"
EXAMPLES = (
    "damludo moves --game damludo",
    'damludo moves --game english --fen "W:W22,K5:B18,9" --json',
    'damludo moves --game turkish --fen "8/8/3b4/8/3W4/8/8/8 w"',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_position_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Print the moves."""
    game = game_of(arguments)
    if arguments.json:
        print_json(_as_json(game))
    else:
        print("\n".join(_page(game)))
    return ExitCode.FINE


def _as_json(game: Game) -> dict[str, object]:
    result = game.result()
    return {
        "game": game.variant.key,
        "fen": format_fen(game.variant, game.position),
        "side": game.position.side.word,
        "moves": [move_json(game.variant, game.position, move) for move in game.legal_moves()],
        "result": result.text if result else None,
        "reason": result.reason if result else None,
    }


def _page(game: Game) -> list[str]:
    chosen, position = game.variant, game.position
    moves = game.legal_moves()
    pairs = [(move_notation(chosen, position, move), move_text(chosen, move)) for move in moves]
    result = game.result()
    end = [f"{result.text}: {result.reason}"] if result else []
    count = f"{len(moves)} legal move{'' if len(moves) == 1 else 's'}"
    return [
        *board_lines(chosen, position),
        "",
        f"{chosen.names['en']}, {position.side.word} to move, {count}.",
        *end,
        *(f"  {short}" if short == text else f"  {short:<12} {text}" for short, text in pairs),
    ]
