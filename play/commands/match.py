"""`damludo match`: two programs play games against each other."""

import argparse
from typing import TYPE_CHECKING

from damludo.play.arguments import count, seconds, seed
from damludo.play.console import ExitCode, Progress, note, print_json
from damludo.rules.variants import variant

if TYPE_CHECKING:  # the engine is loaded by `run`, not by a help page
    from damludo.engine.contest import Score
    from damludo.engine.port import Limits

HELP = "let two programs play a match: levels of the engine, chance, foreign engines"
EXAMPLES = (
    "damludo match --game english --white level:3 --black level:2 --games 2 --seed 1",
    "damludo match --game international --white damludo --black 'hub:scan hub' --games 40 --seconds 0.1 --json",
    "damludo match --game russian --white damludo --black random --games 2 --nodes 300 --opening-plies 6",
)
SPEC_HELP = "level:1 to level:10, damludo (full strength), random, hub:COMMAND or hub1:COMMAND (a foreign engine)"
DEFAULT_SECONDS = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--game", metavar="KEY", required=True, help="the game; 'damludo games' lists them")
    parser.add_argument(
        "--white", metavar="SPEC", required=True, help=f"the first player, White in odd games: {SPEC_HELP}"
    )
    parser.add_argument("--black", metavar="SPEC", required=True, help="the second player, in the same words")
    parser.add_argument(
        "--games", metavar="N", type=count, required=True, help="games; colours swap after each one of a pair"
    )
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument(
        "--seconds",
        metavar="S",
        type=seconds,
        help=f"time for each move (default: {DEFAULT_SECONDS}); levels have their own",
    )
    limits.add_argument(
        "--nodes", metavar="N", type=count, help="positions for each move: the same games on every machine"
    )
    limits.add_argument("--depth", metavar="D", type=count, help="plies to look ahead in each move")
    parser.add_argument("--seed", metavar="X", type=seed, default=0, help="of openings and misjudgements (default: 0)")
    parser.add_argument(
        "--opening-plies",
        metavar="P",
        type=_plies,
        default=4,
        help="random plies, the same in both games of a pair (default: 4)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Play and print."""
    from contextlib import ExitStack

    from damludo.engine.contest import Contest, contest, faults
    from damludo.engine.specs import player_of, read_spec

    game, limits = variant(arguments.game), _limits(arguments)
    specs = (read_spec(arguments.white), read_spec(arguments.black))
    with ExitStack() as closing:
        players = []
        for number, spec in enumerate(specs):
            player = player_of(spec, limits, arguments.seed + number, note)
            close = getattr(player, "close", None)
            if close is not None:
                closing.callback(close)
            # A program that cannot be started, or does not know the game, is told before the first move.
            start = getattr(player, "start", None)
            if start is not None:
                start(game)
            players.append(player)
        timed = (specs[0].timed, specs[1].timed)
        what = Contest(
            game,
            (players[0], players[1]),
            arguments.games,
            arguments.seed,
            arguments.opening_plies,
            limits.seconds,
            timed,
        )
        told = _Told(arguments.games)
        score = contest(what, told.tell)
        told.end()
    for sentence in faults(score):
        note(sentence)
    if arguments.json:
        print_json(_as_json(score))
    else:
        print(_as_text(arguments.white, arguments.black, score))
    return ExitCode.FINE


def _limits(arguments: argparse.Namespace) -> "Limits":
    from damludo.engine.port import Limits

    given = arguments.nodes or arguments.depth
    wished: float | None = arguments.seconds or (None if given else DEFAULT_SECONDS)
    return Limits(arguments.nodes or Limits.NO_END, arguments.depth or Limits.DEEPEST, wished)


class _Told:
    """Tells the count after each game: on a terminal in one line, elsewhere after every tenth game."""

    def __init__(self, games: int) -> None:
        self._games, self._progress = games, Progress()

    def tell(self, score: "Score") -> None:
        text = f"{score.games} of {self._games} games: {score.wins} won, {score.draws} drawn, {score.losses} lost"
        self._progress.show(text)
        if not self._progress.shown and score.games % 10 == 0 and score.games < self._games:
            note(text)

    def end(self) -> None:
        self._progress.end()


def _as_json(score: "Score") -> dict[str, object]:
    low, high = score.elo_95
    return {
        "games": score.games,
        "a_wins": score.wins,
        "draws": score.draws,
        "b_wins": score.losses,
        "a_score": round(score.share, 4),
        "elo": _rounded(score.elo),
        "elo_95": [_rounded(low), _rounded(high)],
        "illegal": score.illegal,
        "time_losses": score.time_losses,
        "failures": score.failures,
    }


def _rounded(elo: float | None) -> float | None:
    return None if elo is None else round(elo, 1)


def _as_text(white: str, black: str, score: "Score") -> str:
    lines = (
        f"{white} against {black}: {score.wins} won, {score.draws} drawn, {score.losses} lost ({score.share:.0%})",
        _elo_words(score),
        f"illegal answers {score.illegal}, lost on time {score.time_losses}, programs that ended {score.failures}",
    )
    return "\n".join(lines)


def _elo_words(score: "Score") -> str:
    """Tell the difference of strength; a limit that so few or so clear games do not set is left out."""
    low, high = score.elo_95
    if low is None and high is None:
        bounds = "could be anything"
    elif low is None:
        bounds = f"at most {high:+.0f}"
    elif high is None:
        bounds = f"at least {low:+.0f}"
    else:
        bounds = f"{low:+.0f} to {high:+.0f}"
    measured = "cannot be measured when one side takes every point" if score.elo is None else f"is {score.elo:+.0f}"
    return f"Elo difference {measured}; with 95 % certainty {bounds}"


def _plies(text: str) -> int:
    """Read a number of plies from 0 to 100; an argparse type."""
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and int(text) <= 100):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of plies from 0 to 100")
    return int(text)
