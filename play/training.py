"""`damludo-train`: learns the weights of the evaluation from the engine's own games, and measures the levels.

Heavy imports (numpy, the engine) happen when a command runs, so that every help page answers at once.
"""

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from damludo.play.arguments import count, seconds, seed
from damludo.play.console import ExitCode, exit_code_of, fail, note, print_json

if TYPE_CHECKING:
    from damludo.engine.contest import Score
    from damludo.engine.port import Limits
    from damludo.engine.train.card import Trial
    from damludo.engine.train.fit import Fit
    from damludo.engine.train.ladder import Bout
    from damludo.engine.train.self_play import Item
    from damludo.engine.train.trial import Rung, Weights
    from damludo.rules.traits import Variant

PROG = "damludo-train"


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog=PROG, description="Learn the weights of the engine's evaluation from its own games.", allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_learn(commands.add_parser("learn", help="self-play, fit, match; started again it goes on where it was"))
    _add_levels(
        commands.add_parser("levels", help="play each level against the one below, or find the levels of a game")
    )
    return parser


def _add_learn(learn: argparse.ArgumentParser) -> None:
    _common(learn, games=3_000, help_="games of self-play of each generation")
    learn.add_argument(
        "--generations",
        metavar="N",
        type=count,
        default=2,
        help="each plays with the weights of the ones before (default: 2)",
    )
    learn.add_argument("--nodes", metavar="N", type=count, default=400, help="positions for each move (default: 400)")
    learn.add_argument("--steps", metavar="N", type=count, default=80, help="steps of the fit (default: 80)")
    learn.add_argument("--jobs", metavar="N", type=count, default=1, help="processes for self-play (default: 1)")
    learn.add_argument(
        "--folder", metavar="DIR", type=Path, default=Path("training"), help="for games and weights (default: training)"
    )
    learn.add_argument(
        "--match-games", metavar="N", type=count, default=100, help="games of each of the two matches (default: 100)"
    )
    learn.add_argument(
        "--match-nodes", metavar="N", type=count, default=1_000, help="positions for each move in one (default: 1000)"
    )
    learn.add_argument(
        "--match-seconds",
        metavar="S",
        type=seconds,
        default=0.02,
        help="time for each move in the other (default: 0.02)",
    )
    learn.add_argument(
        "--ship", metavar="DIR", type=Path, help="put the weights and their card there, if they gained in both matches"
    )
    learn.set_defaults(run=_learn)


def _add_levels(levels: argparse.ArgumentParser) -> None:
    _common(levels, games=20, help_="games of each pair")
    levels.add_argument(
        "--least-nodes", metavar="N", type=count, default=1, help="leave out levels below it (default: 1)"
    )
    levels.add_argument(
        "--most-nodes", metavar="N", type=count, default=2_000, help="leave out levels beyond it (default: 2000)"
    )
    levels.add_argument(
        "--fit",
        action="store_true",
        help="let settings from few positions to --most-nodes play each other, and print ten levels at equal distances",
    )
    levels.add_argument(
        "--top",
        metavar="N",
        type=count,
        default=1_000_000,
        help="with --fit: positions for each move of level 10 (default: 1000000)",
    )
    levels.add_argument(
        "--kept", metavar="FILE", type=Path, help="keep all results there; --fit uses those it has and plays the rest"
    )
    levels.add_argument("--json", action="store_true", help="print one JSON document")
    levels.set_defaults(run=_levels)


def _common(parser: argparse.ArgumentParser, games: int, help_: str) -> None:
    parser.add_argument("--game", metavar="KEY", required=True, help="the game; 'damludo games' lists them")
    parser.add_argument("--games", metavar="N", type=count, default=games, help=f"{help_} (default: {games})")
    parser.add_argument("--seed", metavar="X", type=seed, default=1, help="of all chance (default: 1)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = build_parser().parse_args(words)
    except SystemExit as exit_:  # argparse has printed why
        return int(exit_.code or 0)
    arguments.words = words
    try:
        return int(arguments.run(arguments))
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception as error:
        code = exit_code_of(error)
        if code is ExitCode.INTERNAL:
            raise
        fail(str(error))
        return code


def _learn(arguments: argparse.Namespace) -> int:
    import datetime

    from damludo.engine.train.card import card, ship
    from damludo.engine.train.self_play import Item
    from damludo.engine.train.trial import GAIN
    from damludo.rules.variants import variant

    game = variant(arguments.game)
    item = Item(game.key, arguments.seed, arguments.games, arguments.nodes)
    fitted = _fit(arguments, item)
    trials = [_trial(arguments, fitted.weights, what, limits) for what, limits in _matches(arguments)]
    command = f"{PROG} {shlex.join(arguments.words)}"
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    text = card(item, arguments.generations, date, fitted, trials, command)
    ship(game.key, fitted.weights, text, arguments.folder)
    print(text)
    gained = all(trial.score.share >= GAIN for trial in trials)
    if arguments.ship and gained:
        note(f"{ship(game.key, fitted.weights, text, arguments.ship)} written")
    elif arguments.ship:
        note(f"not shipped: {GAIN:.0%} of the points are asked for in each match")
    return ExitCode.FINE


def _fit(arguments: argparse.Namespace, item: "Item") -> "Fit":
    from damludo.engine.train.generations import Work, learn
    from damludo.engine.train.sampling import GAMES_OF_AN_ITEM

    def played(done: int, of: int) -> None:
        if done % (10 * GAMES_OF_AN_ITEM) == 0 or done == of:
            note(f"self-play: {done} of {of} games")

    def fitted(step: int, loss: float) -> None:
        if step % 25 == 0:
            note(f"fit: step {step} of {arguments.steps}, loss {loss:.4f}")

    work = Work(item, arguments.generations, arguments.folder / "games", arguments.jobs, arguments.steps)
    return learn(work, played, fitted)


def _matches(arguments: argparse.Namespace) -> "tuple[tuple[str, Limits], ...]":
    from damludo.engine.port import Limits

    return (
        (f"{arguments.match_nodes} positions a move", Limits(nodes=arguments.match_nodes)),
        (f"{arguments.match_seconds:g} s of processor time a move", Limits(seconds=arguments.match_seconds)),
    )


def _trial(arguments: argparse.Namespace, weights: "Weights", what: str, limits: "Limits") -> "Trial":
    """Play a match, or read how it ended: its file's name tells the weights."""
    import hashlib

    from damludo.engine.contest import Score
    from damludo.engine.train.card import Trial
    from damludo.engine.train.trial import match
    from damludo.engine.weights import reasoned_weights
    from damludo.rules.variants import variant

    game, games = variant(arguments.game), arguments.match_games
    told = f"{what} {games} {arguments.seed}"
    digest = hashlib.sha256(told.encode() + weights.tobytes()).hexdigest()[:12]
    path = arguments.folder / "matches" / f"{game.key}-{digest}.json"
    if path.exists():
        return Trial(what, Score(*json.loads(path.read_text("utf-8"))))

    def each_game(score: "Score") -> None:
        if score.games % 10 == 0:
            note(f"match, {what}: {score.games} of {games} games, {score.share:.1%} of the points")

    score = match(game, (weights, reasoned_weights(game)), limits, games, arguments.seed, each_game)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([score.wins, score.draws, score.losses]), "utf-8")
    return Trial(what, score)


def _levels(arguments: argparse.Namespace) -> int:
    from damludo.rules.variants import variant

    game = variant(arguments.game)
    return _fit_levels(arguments, game) if arguments.fit else _measure_levels(arguments, game)


def _measure_levels(arguments: argparse.Namespace, game: "Variant") -> int:
    from damludo.engine.train.trial import levels_between, rungs

    def told(rung: "Rung") -> None:
        bout = rung.bout(game)
        _keep(arguments, bout)
        note(
            f"level {rung.level} against {f'level {rung.level - 1}' if rung.level > 1 else 'chance'}: {_counted(bout)}"
        )

    levels = levels_between(game, arguments.least_nodes, arguments.most_nodes)
    found = rungs(game, levels, arguments.games, arguments.seed, told)
    if arguments.json:
        print_json([_as_json(rung) for rung in found])
    else:
        print("\n".join(f"{rung.level:2d}  {rung.score.share:6.1%}" for rung in found))
    return ExitCode.FINE


def _fit_levels(arguments: argparse.Namespace, game: "Variant") -> int:
    from damludo.engine.levels import Level
    from damludo.engine.train.ladder import (
        CHANCE,
        expected_share,
        fit_curve,
        ladder_on,
        pairs,
        play_missing,
        read_bouts,
    )

    def told(bout: "Bout") -> None:
        _keep(arguments, bout)
        note(f"{bout.upper} positions against {bout.lower or 'chance'}: {_counted(bout)}")

    known = read_bouts(arguments.kept) if arguments.kept else []
    wanted = pairs(arguments.most_nodes)
    curve = fit_curve(play_missing(game, wanted, known, arguments.games, arguments.seed, told))
    levels = [Level(CHANCE), *ladder_on(curve, arguments.top)]
    rows: list[dict[str, Any]] = [
        {"level": number, "nodes": level.nodes, "form": level.form, "expected_share": round(share, 4)}
        for number, level in enumerate(levels[1:], start=1)
        for share in [expected_share(curve, level, levels[number - 1])]
    ]
    if arguments.json:
        print_json(rows)
    else:
        print("\n".join("{level:2d}  {nodes:9d}  form {form:g}  {expected_share:6.1%}".format(**row) for row in rows))
    return ExitCode.FINE


def _keep(arguments: argparse.Namespace, bout: "Bout") -> None:
    from damludo.engine.train.ladder import keep_bout

    if arguments.kept:
        keep_bout(arguments.kept, bout)


def _counted(bout: "Bout") -> str:
    return f"{bout.wins} won, {bout.draws} drawn, {bout.losses} lost, {bout.score.share:.1%}"


def _as_json(rung: "Rung") -> dict[str, object]:
    score = rung.score
    return {
        "level": rung.level,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "share": round(score.share, 4),
    }


if __name__ == "__main__":
    sys.exit(main())
