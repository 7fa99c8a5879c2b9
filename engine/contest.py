"""Games between two players, counted: who is stronger, and how sure that is.

Games come in pairs that begin with the same random plies; the players change sides within a pair. With limits of nodes or depth
the same seed gives the same games on every machine.
"""

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from damludo.engine.errors import BadMatch, ForeignFailed, ForeignIllegal, ForeignSilent
from damludo.engine.port import Player
from damludo.rules.errors import IllegalMove
from damludo.rules.game import Game
from damludo.rules.position import Colour
from damludo.rules.traits import Variant

MOST_PLIES = 1_000
"""A game that is not over by then is a draw; the draw rules end all but made-up ones before."""
GRACE_S = 1.0
"""Beyond its time for a move before that counts as lost on time: what a busy machine takes from everybody."""
SURE = 1.96
"""Standard deviations on both sides that hold 95 % of a normal distribution."""
OPENING_TRIES = 200


@dataclass(slots=True)
class Score:
    """The count of a match, seen by the first player.

    Attributes:
        wins, draws, losses: games.
        illegal: games that ended with an illegal answer, of either player.
        time_losses: games that a player lost on time or by not answering at all.
        failures: games lost because a player's program ended.
        sentences: what went wrong, in words.
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    illegal: int = 0
    time_losses: int = 0
    failures: int = 0
    sentences: list[str] = field(default_factory=list)

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """Points of the first player, a draw counting half, divided by the games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def elo(self) -> float | None:
        """By how much the first player is stronger; None where it won or lost every game."""
        return elo_of(self.share)

    @property
    def elo_95(self) -> tuple[float | None, float | None]:
        """Between which bounds that lies with 95 %; None where there is no bound.

        Wilson's interval for the share, which takes a draw for half a win and half a loss: a little too wide, never too narrow.
        """
        low, high = wilson(self.share, self.games)
        return elo_of(low), elo_of(high)


def elo_of(share: float) -> float | None:
    """Return the difference in strength at which a share of the points is expected; None for nothing and for everything."""
    return 400 * math.log10(share / (1 - share)) if 1e-9 < share < 1 - 1e-9 else None


def wilson(share: float, games: int) -> tuple[float, float]:
    """Return the bounds of a share with 95 %.

    Source: E. B. Wilson, Journal of the American Statistical Association 22 (1927), 209.
    """
    if not games:
        return 0.0, 1.0
    z2 = SURE**2 / games
    middle = share + z2 / 2
    half = SURE * math.sqrt(share * (1 - share) / games + z2 / (4 * games))
    return max((middle - half) / (1 + z2), 0.0), min((middle + half) / (1 + z2), 1.0)


@dataclass(frozen=True, slots=True)
class Contest:
    """What is played.

    Attributes:
        variant: the game.
        players: the first and the second one.
        games: how many; the last pair may lack one.
        seed: of the openings.
        opening_plies: random plies at the beginning of each game.
        seconds: each player's time for a move; None where time does not count. Of a player whose entry is False the time is not
            looked at.
        timed: whether each player plays by the time.
    """

    variant: Variant
    players: tuple[Player, Player]
    games: int
    seed: int = 0
    opening_plies: int = 4
    seconds: float | None = None
    timed: tuple[bool, bool] = (True, True)


def contest(what: Contest, each_game: Callable[[Score], None], now_s: Callable[[], float] = time.monotonic) -> Score:
    """Play the games; `each_game` is told the count after each of them.

    Raises:
        BadMatch: no game is left after the opening plies.
    """
    score = Score()
    for number in range(what.games):
        start = opening(what.variant, what.opening_plies, f"{what.seed} {number // 2}")
        first = Colour.WHITE if number % 2 == 0 else Colour.BLACK
        winner = _play(what, start, first, score, now_s)
        score.wins += winner == first
        score.losses += winner == first.other
        score.draws += winner is None
        each_game(score)
    return score


def opening(variant: Variant, plies: int, seed: str) -> Game:
    """Return a game after some random plies that goes on.

    Raises:
        BadMatch: there is hardly one.
    """
    chance = random.Random(f"opening {variant.key} {seed}")
    for _ in range(OPENING_TRIES):
        game = Game.new(variant)
        for _ in range(plies):
            moves = game.legal_moves()
            if not moves or game.result() is not None:
                break
            game = game.make(chance.choice(moves))
        if len(game.moves) == plies and game.result() is None:
            return game
    raise BadMatch(f"{plies} random plies leave no game of {variant.key} to play; give fewer with --opening-plies")


def _play(what: Contest, game: Game, first: Colour, score: Score, now_s: Callable[[], float]) -> Colour | None:
    """Play one game to its end; return who won."""
    for _ in range(MOST_PLIES):
        result = game.result()
        if result is not None:
            return result.winner
        side = game.position.side
        if game.draw_claims():
            return None  # programs do not haggle: a draw that may be claimed is claimed
        who = 0 if side is first else 1
        start_s = now_s()
        try:
            game = game.make(what.players[who].choose(game).move)
        except (ForeignFailed, IllegalMove) as error:
            _count_fault(score, who, error)
            return side.other
        spent_s = now_s() - start_s
        if what.seconds is not None and what.timed[who] and spent_s > what.seconds + GRACE_S:
            score.time_losses += 1
            score.sentences.append(f"{_name(who)} took {spent_s:.2f} s for a move, allowed are {what.seconds:g} s")
            return side.other
    return None


def _count_fault(score: Score, who: int, error: Exception) -> None:
    score.illegal += isinstance(error, ForeignIllegal | IllegalMove)
    score.time_losses += isinstance(error, ForeignSilent)
    score.failures += not isinstance(error, ForeignIllegal | ForeignSilent | IllegalMove)
    score.sentences.append(f"{_name(who)}: {error}")


def _name(who: int) -> str:
    return ("The first player", "The second player")[who]


def faults(score: Score) -> Iterator[str]:
    """Yield what went wrong in a match, the same sentence once with its number."""
    for sentence in dict.fromkeys(score.sentences):
        times = score.sentences.count(sentence)
        yield sentence if times == 1 else f"{sentence} ({times} times)"
