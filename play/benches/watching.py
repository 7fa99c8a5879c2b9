"""What `damludo bench vision` measures of watching: rendered games, breaches, touches, disturbances, time."""

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import cv2
import numpy as np

from damludo.play.benches.rendered_games import (
    BREACHES,
    DISTURBANCES,
    Breach,
    Ply,
    RenderedGame,
    Touched,
    breaches,
    game_for_breach,
    play_breach,
    play_ply,
    play_touch,
)
from damludo.play.console import CommandError, ExitCode, note
from damludo.rules.game import Game
from damludo.rules.variants import variant
from damludo.vision.errors import BoardNotFound

FIRST_SEED = 760_000
"""Tables from here on were not looked at during development."""
GAMES = ("damludo", "english", "international", "russian", "damludo", "italian", "brazilian", "turkish")
PLIES_A_GAME = 24
DISTURBED_EVERY, BREACH_EVERY, TOUCH_EVERY = 4, 6, 5
MOST_PLIES_BEFORE = 60
"""A game is joined after up to so many plies, so that kings and thin positions come up, too."""
SHIFTS = (0.03, 0.045, 0.06, 0.1)
COUNTS = 0.95
"""Events at least this sure count."""
WATCHED_S = 6.0
"""So long a board on which nothing happens is watched to take the time of a frame."""
BINS = (0.0, 0.2, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0000001)
"""Edges of the reliability diagram."""

Row = tuple[str, float, str, float | None, bool]
"""Name, value, unit, promise (None without one), and whether the promise is an upper bound."""


@dataclass(eq=False, slots=True)
class Tally:
    """All that was tried.

    Attributes:
        quiet_s: processor time of a frame in which nothing happened, the middle one of each game.
        refused: tables on which the board was not found.
    """

    plies: list[Ply] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    touches: list[Touched] = field(default_factory=list)
    quiet_s: list[float] = field(default_factory=list)
    refused: int = 0

    def add(self, other: "Tally") -> None:
        """Take in another tally."""
        self.plies += other.plies
        self.breaches += other.breaches
        self.touches += other.touches
        self.quiet_s += other.quiet_s
        self.refused += other.refused

    def to_json(self) -> str:
        """Return one line; the events of the plies are left out."""
        plain = asdict(self)
        for ply in plain["plies"]:
            del ply["events"]
        return json.dumps(plain)

    @classmethod
    def from_json(cls, line: str) -> "Tally":
        """Return what `to_json` told.

        Raises:
            CommandError: the line is no tally.
        """
        try:
            plain = json.loads(line)
            for ply in plain["plies"]:
                ply["touches"] = tuple((name, sure) for name, sure in ply["touches"])
                ply["contacts"] = tuple((sure, true) for sure, true in ply["contacts"])
            for touch in plain["touches"]:
                touch["false"] = tuple((name, sure) for name, sure in touch["false"])
            return cls(
                [Ply(**ply) for ply in plain["plies"]],
                [Breach(**breach) for breach in plain["breaches"]],
                [Touched(**touch) for touch in plain["touches"]],
                list(plain["quiet_s"]),
                int(plain["refused"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise CommandError(
                f"a line of the kept games cannot be read ({error}); they were kept by another version, begin a new file",
                ExitCode.BAD_INPUT,
            ) from error


def try_game(number: int, first_seed: int = FIRST_SEED, size: tuple[int, int] = (640, 480)) -> Tally:
    """Watch one game, part of it disturbed, with breaches and touches between its plies."""
    cv2.setNumThreads(1)
    tally = Tally()
    try:
        table = RenderedGame(variant(GAMES[number % len(GAMES)]), first_seed + number, size)
    except BoardNotFound:
        tally.refused = 1
        return tally
    _play_on(table, int(table.random.integers(0, MOST_PLIES_BEFORE)))
    for ply in range(1, PLIES_A_GAME + 1):
        if table.game.result() is not None or not table.game.legal_moves():
            table.jump_to(Game.new(table.variant))
        disturbed = ply % DISTURBED_EVERY == 0
        kind = DISTURBANCES[(number + ply // DISTURBED_EVERY) % len(DISTURBANCES)] if disturbed else "clean"
        tally.plies.append(play_ply(table, kind))
        if table.game.result() is not None or not table.game.legal_moves():
            continue
        if ply % TOUCH_EVERY == 0:
            touched = play_touch(table, SHIFTS[int(table.random.integers(len(SHIFTS)))])
            tally.touches += [] if touched is None else [touched]
        if ply % BREACH_EVERY == 0:
            tally.breaches += _breach(table, BREACHES[(number + ply // BREACH_EVERY) % len(BREACHES)])
    quiet = [timing.seconds for timing in table.timings if timing.quiet]
    tally.quiet_s = [float(np.median(quiet))] if quiet else []
    return tally


def try_breaches(
    number: int, kinds: tuple[str, ...] = BREACHES, times: int = 1, first_seed: int = FIRST_SEED
) -> list[Breach]:
    """Watch nothing but breaches at one table, each so many times and on a position that allows it; none if no board is found."""
    cv2.setNumThreads(1)
    try:
        table = RenderedGame(variant(GAMES[number % len(GAMES)]), first_seed + number)
    except BoardNotFound:
        return []
    return [breach for kind in kinds * times for breach in _breach(table, kind, anywhere=True)]


def _play_on(table: RenderedGame, plies: int) -> None:
    """Let a game be some plies old."""
    game = table.game
    for _ in range(plies):
        moves = game.legal_moves()
        after = game.make(moves[int(table.random.integers(len(moves)))])
        if after.result() is not None or not after.legal_moves():
            break
        game = after
    if game is not table.game:
        table.jump_to(game)


def _breach(table: RenderedGame, kind: str, *, anywhere: bool = False) -> list[Breach]:
    """Try a breach of a kind; where the position allows none, in another of the same game that does, and go on from there.

    With `anywhere` another position is taken in any case.
    """
    if anywhere or not breaches(table.game, kind):
        game = game_for_breach(table.variant, kind, table.random)
        if game is None:
            return []
        table.jump_to(game)
    breach = play_breach(table, kind)
    return [] if breach is None else [breach]


def tried(plies: int, kept: Path | None = None, first_game: int = 0, first_seed: int = FIRST_SEED) -> Tally:
    """Watch games until so many legal plies were played.

    Args:
        plies: at least so many.
        kept: a line for each game watched is written there, and what stands there already is not watched again; the parts of a
            long measurement may be watched one after the other, or side by side from different games on and then joined.
        first_game: number of the first game of the file.
        first_seed: of game 0.
    """
    tally, number = Tally(), first_game
    lines = kept.read_text(encoding="utf-8").splitlines() if kept is not None and kept.exists() else []
    for line in lines:
        tally.add(Tally.from_json(line))
        number += 1
    while len(tally.plies) < plies:
        game = try_game(number, first_seed)
        tally.add(game)
        if kept is not None:
            with kept.open("a", encoding="utf-8") as file:
                print(game.to_json(), file=file)
        number += 1
        note(f"game {number}: {len(tally.plies)} of {plies} plies, {_share(_right(tally.plies)):.2f} % right")
    return tally


def watch_figures(plies: int, kept: Path | None = None, first_game: int = 0) -> list[Row]:
    """Watch rendered games and return the figures; see `tried`."""
    return [*rows(tried(plies, kept, first_game)), *_of_large_pictures()]


def _of_large_pictures() -> Iterator[Row]:
    table = RenderedGame(variant("damludo"), FIRST_SEED, (1280, 720))
    table.timings.clear()
    table.live(WATCHED_S)
    quiet = [timing.seconds for timing in table.timings if timing.quiet]
    yield "frame 1280x720 in which nothing happens", 1000 * float(np.median(quiet)), "ms", 8.0, True


def rows(tally: Tally) -> list[Row]:
    """Return the figures of a tally; what was not tried has none."""
    parts = (_of_plies(tally), _of_breaches(tally), _of_touches(tally), _reliability(tally), _of_time(tally))
    return [row for part in parts for row in part if not math.isnan(row[1])]


def _share(hits: Sequence[bool]) -> float:
    return 100.0 * sum(hits) / len(hits) if hits else math.nan


def _right(plies: Sequence[Ply]) -> list[bool]:
    return [ply.outcome == "right" for ply in plies]


def _of_plies(tally: Tally) -> Iterator[Row]:
    plies = tally.plies
    disturbed = [ply for ply in plies if ply.kind != "clean"]
    outcomes = Counter(ply.outcome for ply in plies)
    yield "tables where the board was not found", tally.refused, "tables", None, True
    yield "legal plies", len(plies), "plies", None, False
    yield "read rightly", _share(_right(plies)), "%", 99.8, False
    yield "wrong and accepted", outcomes["wrong"], "plies", 0.0, True
    yield "asked or not read", _share([ply.outcome in ("asked", "unread") for ply in plies]), "%", 1.0, True
    yield "taken for a breach", outcomes["accused"], "plies", 0.0, True
    yield "disturbed plies", len(disturbed), "plies", None, False
    yield "disturbed, read rightly", _share(_right(disturbed)), "%", None, False
    yield "penalties on legal plies", sum(ply.bound for ply in plies), "plies", 0.0, True
    bumps = [ply.recovery_s for ply in plies if ply.kind == "bump" and ply.recovery_s]
    yield "camera bumped, found again", len(bumps), "times", None, False
    yield "... within at most", max(bumps, default=math.nan), "s", 2.0, True
    waits = sorted(ply.wait_s for ply in plies if ply.outcome == "right")
    yield (
        "hand gone to move told, 99 of 100",
        waits[int(0.99 * (len(waits) - 1))] if waits else math.nan,
        "s",
        0.8,
        True,
    )


def _of_breaches(tally: Tally) -> Iterator[Row]:
    yield "breaches", len(tally.breaches), "breaches", None, False
    yield "named rightly", _share([breach.named for breach in tally.breaches]), "%", 98.0, False
    for kind in BREACHES:
        own = [breach.named for breach in tally.breaches if breach.kind == kind]
        if own:
            yield f"... {kind} ({len(own)})", _share(own), "%", None, False


def _of_touches(tally: Tally) -> Iterator[Row]:
    for least, bar in ((0.03, 90.0), (0.06, 97.0)):
        told = [touch.confidence >= COUNTS for touch in tally.touches if touch.shift_squares >= least - 1e-6]
        yield f"shifts of {least} square and more ({len(told)}) told", _share(told), "%", bar, False
    told = [true for sure, true in _touch_claims(tally) if sure >= COUNTS]
    yield f"of the touches told ({len(told)}), true", _share(told), "%", 99.0, False
    fingers = [bool(ply.contacts) for ply in tally.plies if ply.kind == "finger"]
    yield f"fingers that rested on a disc ({len(fingers)}) logged", _share(fingers), "%", None, False


def _touch_claims(tally: Tally) -> list[tuple[float, bool]]:
    """Return all touches told: confidence, and whether it was so."""
    claims = [(touch.confidence, True) for touch in tally.touches if touch.confidence > 0]
    claims += [(sure, False) for touch in tally.touches for _, sure in touch.false]
    claims += [(sure, True) for ply in tally.plies for sure in ply.true_touches]
    return claims + [(sure, False) for ply in tally.plies for _, sure in ply.touches]


def _reliability(tally: Tally) -> Iterator[Row]:
    """Of the events told with about some confidence, how many were true."""
    claims = _touch_claims(tally)
    claims += [(ply.confidence, True) for ply in tally.plies if ply.outcome == "right"]
    claims += [(breach.confidence, breach.named) for breach in tally.breaches if breach.confidence > 0]
    claims += [contact for ply in tally.plies for contact in ply.contacts]
    for low, high in itertools.pairwise(BINS):
        inside = [true for sure, true in claims if low <= sure < high]
        if inside:
            yield f"told at {low:g} to {min(high, 1.0):g} ({len(inside)}), true", _share(inside), "%", None, False


def _of_time(tally: Tally) -> Iterator[Row]:
    if tally.quiet_s:
        yield "frame 640x480 in which nothing happens", 1000 * float(np.median(tally.quiet_s)), "ms", 4.0, True
