"""What a match tells about its course and about rulings, and how a move stands in its events."""

from collections.abc import Sequence
from typing import cast

from damludo.play.console import counted
from damludo.play.match.course import Course
from damludo.play.match.events import EventKind, JsonValue
from damludo.play.match.lookout import Lookout
from damludo.play.match.referee import Ruling
from damludo.play.match.setting_right import differing
from damludo.play.match.touching import Agreement
from damludo.rules.ending import Result
from damludo.rules.explanation import explain
from damludo.rules.fen import format_fen
from damludo.rules.game import Game
from damludo.rules.geometry import Board
from damludo.rules.messages import LANGUAGES
from damludo.rules.moves import Move
from damludo.rules.notation import move_json, move_text
from damludo.rules.position import Colour, Position
from damludo.rules.traits import Variant
from damludo.rules.verdicts import Illegal, Unfinished


def way(board: Board, move: Move) -> list[JsonValue]:
    """Return the names of the squares that a move goes over, in its order."""
    return [board.name(square) for square in (move.origin, *move.path)]


def move_words(variant: Variant, move: Move) -> str:
    """Return a move for a sentence: "c3xe5", or "the removal of d5" for a stone that is taken off."""
    return move_text(variant, move) if move.path else f"the removal of {variant.board.name(move.origin)}"


def move_data(variant: Variant, before: Position, move: Move) -> JsonValue:
    """Return a move as it stands in the events."""
    return cast(JsonValue, move_json(variant, before, move))


def tell_begun(lookout: Lookout, game: Game, machine: Colour, plies: int | None, **data: JsonValue) -> None:
    """Tell that a game begins, or goes on after so many plies."""
    name, goes_on = (
        game.variant.names["en"],
        "" if plies is None else f" goes on after {counted(plies, 'ply', 'plies')}",
    )
    lookout.tell(
        EventKind.STARTED if plies is None else EventKind.RESUMED,
        f"{name}{goes_on}: the machine plays {machine.word}.",
        game=game.variant.key,
        machine=machine.word,
        fen=format_fen(game.variant, game.position),
        ply=plies or 0,
        **data,
    )


def tell_turn(lookout: Lookout, course: Course, *, machine: bool, clocks: JsonValue) -> None:
    """Tell whose turn it is."""
    game = course.game
    side = game.position.side.word
    lookout.tell(
        EventKind.TURN,
        "The machine thinks." if machine else f"Your move, {side}.",
        side=side,
        ply=course.plies + 1,
        must_capture=any(move.captures and move.path for move in game.legal_moves()),
        claims=list(game.draw_claims()),
        clocks=clocks,
    )


def tell_choice(lookout: Lookout, variant: Variant, move: Move, **data: JsonValue) -> None:
    """Tell what the machine is going to play."""
    lookout.tell(
        EventKind.THINKING, f"The machine plays {move_words(variant, move)}.", move=move_text(variant, move), **data
    )


def tell_move(lookout: Lookout, course: Course, before: Position, by: str, **data: JsonValue) -> None:
    """Tell the last move of a course, made from the position `before`."""
    variant, move = course.game.variant, course.game.moves[-1]
    lookout.tell(
        EventKind.MOVE,
        f"{'You' if by == 'human' else 'The machine'} played {move_words(variant, move)}.",
        by=by,
        ply=course.plies,
        move=move_data(variant, before, move),
        fen=format_fen(variant, course.game.position),
        **data,
    )


def tell_taken_back(lookout: Lookout, course: Course, undone: Sequence[Move], **data: JsonValue) -> None:
    """Tell which moves were taken back, and where that leads."""
    variant = course.game.variant
    texts: list[JsonValue] = [move_words(variant, move) for move in undone]
    lookout.tell(
        EventKind.TAKEN_BACK,
        f"Taken back: {', '.join(map(str, texts))}.",
        moves=texts,
        plies=len(undone),
        ply=course.plies,
        fen=format_fen(variant, course.game.position),
        **data,
    )


def tell_position(lookout: Lookout, course: Course, believed: Position, **data: JsonValue) -> None:
    """Tell that a person set the position that a course goes on from, and what the match had believed."""
    variant, position = course.game.variant, course.game.position
    squares = lookout.names(differing(believed, position))
    where = f" on {', '.join(map(str, squares))}" if 0 < len(squares) <= 6 else ""
    lookout.tell(
        EventKind.POSITION_SET,
        f"You set the position{where}: the game goes on from there.",
        fen=format_fen(variant, position),
        believed=format_fen(variant, believed),
        squares=squares,
        ply=course.plies,
        **data,
    )


def tell_illegal(lookout: Lookout, variant: Variant, verdict: Illegal) -> None:
    """Tell why a move was not legal, and which ones are."""
    lookout.tell(
        EventKind.ILLEGAL,
        explain(verdict),
        texts=_in_other_languages(verdict),
        reason=verdict.reason_code,
        article=verdict.article,
        squares=lookout.names(verdict.squares),
        better=[move_text(variant, move) for move in verdict.better],
        better_squares=[way(variant.board, move) for move in verdict.better],
    )


def tell_unfinished(lookout: Lookout, verdict: Unfinished) -> None:
    """Tell what is left to be done of a move."""
    crown = [verdict.moves[0].target] if verdict.crown_missing else []
    lookout.tell(
        EventKind.UNFINISHED,
        explain(verdict),
        texts=_in_other_languages(verdict),
        article=verdict.article,
        squares=lookout.names(verdict.to_clear),
        due=lookout.names({*verdict.to_clear, *verdict.continue_to, *crown}),
    )


def tell_hint(lookout: Lookout, variant: Variant, move: Move) -> None:
    """Tell a person what could be played."""
    words, squares = move_words(variant, move), way(variant.board, move)
    lookout.tell(EventKind.HINT, f"You could play {words}.", move=move_text(variant, move), squares=squares)


def tell_result(lookout: Lookout, result: Result, plies: int) -> None:
    """Tell how a game of so many plies ended."""
    winner = None if result.winner is None else result.winner.word
    text = f"{winner.capitalize()} wins. {result.reason}" if winner else f"Draw. {result.reason}"
    lookout.tell(EventKind.RESULT, text, winner=winner, reason=result.reason, plies=plies)


def _in_other_languages(verdict: Illegal | Unfinished) -> dict[str, JsonValue]:
    return {language: explain(verdict, language) for language in LANGUAGES if language != "en"}


def tell_agreed(lookout: Lookout, board: Board, agreement: Agreement) -> None:
    """Note an answer about touched discs, for the journal: it binds beyond a power cut."""
    bound = None if agreement.bound is None else board.name(agreement.bound)
    lookout.tell(EventKind.ANSWERED, "", bound=bound, pardoned=agreement.pardoned)


def ask_to_straighten(lookout: Lookout, ruling: Ruling) -> None:
    """Ask for discs that can be seen more clearly."""
    names = ", ".join(str(name) for name in lookout.names(ruling.doubtful)) or "the board"
    lookout.tell(
        EventKind.ASK,
        f"I cannot see clearly what you did: please straighten the discs on {names}.",
        question="unsure",
        squares=lookout.names(ruling.doubtful),
        margin_nats=round(ruling.margin_nats, 1),
        gap_nats=round(ruling.gap_nats, 1),
    )


def ask_about_time(lookout: Lookout, *, machine: bool) -> None:
    """Ask what shall be when a clock is at zero."""
    choices = {"play_on": "Play on without a clock", "resign": "Give the game up"}
    whose = "The machine's" if machine else "Your"
    lookout.ask("time", f"{whose} time is over. How shall it go on?", choices)
