"""`damludo explain`: why a move is legal or not, in the language of the person who asks."""

import argparse

from damludo.play.arguments import add_position_arguments, game_of
from damludo.play.console import ExitCode, print_json
from damludo.rules.conduct import judge_attempt
from damludo.rules.explanation import crowning_article, explain
from damludo.rules.game import Game
from damludo.rules.messages import LANGUAGES, translated
from damludo.rules.moves import Move, all_routes
from damludo.rules.notation import matching_moves, move_json, move_text, parse_move, parse_squares
from damludo.rules.verdicts import Illegal, Legal, Unfinished, Verdict

HELP = "tell why a move is legal or not"
EXAMPLES = (
    'damludo explain --game damludo --fen "8/8/3b4/8/3b1b2/4w3/8/8 w" e3xg5',
    'damludo explain --game italian --fen "W:W22:B18,11" 22-19 --language sl',
    "damludo explain --game hawaiian d4 --language eo --json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_position_arguments(parser)
    parser.add_argument("move", metavar="MOVE", help='the move, like "c3-d4", "22x15" or "c3xe5xg7"')
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="of the sentences (default: en)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Judge the move and print the reasons; the answer is fine whether the move is legal or not."""
    game, language = game_of(arguments), arguments.language
    verdict = _verdict(game, arguments.move)
    reasons = [_reason(game, verdict, language), *_crowning(game, verdict, language)]
    if arguments.json:
        document: dict[str, object] = {"legal": isinstance(verdict, Legal)}
        if isinstance(verdict, Legal):
            document["move"] = move_json(game.variant, game.position, verdict.move)
        print_json({**document, "reasons": reasons})
        return ExitCode.FINE
    print(reasons[0]["text"])
    for article in dict.fromkeys(str(reason["article"]) for reason in reasons):
        print(f"  {article}")
    for move in _better(verdict):
        print(f"  -> {move_text(game.variant, move)}")
    return ExitCode.FINE


def _verdict(game: Game, text: str) -> Verdict:
    """Return the verdict on a move that is written.

    Raises:
        BadMove: it cannot be read, or means several legal moves.
    """
    variant, position = game.variant, game.position
    if matching_moves(variant, text, all_routes(variant, position)):
        return Legal(parse_move(variant, position, text), variant.board)
    return judge_attempt(variant, position, parse_squares(variant, text))


def _reason(game: Game, verdict: Verdict, language: str) -> dict[str, object]:
    name = game.variant.board.name
    return {
        "rule": verdict.reason_code,
        "article": translated(verdict.article, language),
        "text": explain(verdict, language),
        "squares": [name(square) for square in _squares(verdict)],
        "better": [move_json(game.variant, game.position, move) for move in _better(verdict)],
    }


def _crowning(game: Game, verdict: Verdict, language: str) -> list[dict[str, object]]:
    """Return the reason why a man that met a crowning square is, or is not, a king."""
    if not isinstance(verdict, Legal):
        return []
    article = crowning_article(game.variant, game.position, verdict.move)
    if article is None:
        return []
    squares = [game.variant.board.name(square) for square in verdict.move.path]
    sentence = translated(article, language)
    return [{"rule": "crowning", "article": sentence, "text": sentence, "squares": squares, "better": []}]


def _squares(verdict: Verdict) -> tuple[int, ...]:
    match verdict:
        case Legal(move):
            return tuple(dict.fromkeys((move.origin, *move.path)))
        case Unfinished():
            return (*verdict.continue_to, *verdict.to_clear)
        case Illegal():
            return verdict.squares
        case _:
            return ()


def _better(verdict: Verdict) -> tuple[Move, ...]:
    match verdict:
        case Illegal():
            return verdict.better
        case Unfinished():
            return verdict.moves
        case _:
            return ()
