"""Thinking on while the person does, at the strongest level and on a real table."""

from collections.abc import Callable

from damludo.engine.levels import LEVELS, ladder_of
from damludo.engine.memory import PLAIN_NODES
from damludo.engine.pondering import PonderingPlayer, can_ponder
from damludo.engine.port import Limits, Player, Ponderer
from damludo.play.match.events import EventKind, MatchEvent
from damludo.play.table.setup import machine_player
from damludo.rules.game import Game
from damludo.rules.traits import Variant


def pondering_player(variant: Variant, level: int) -> Player:
    """Return the engine at a level of a game, which ponders at the highest one where that takes nothing from the eyes.

    Lower levels would play above their strength, and are done at once anyway; so would a highest one that misjudges, or that
    looks at so little that it runs as plain Python.
    """
    highest = ladder_of(variant)[-1]
    if level == len(LEVELS) and not highest.noise_men and highest.nodes > PLAIN_NODES and can_ponder():
        return PonderingPlayer(Limits(nodes=highest.nodes))
    return machine_player(level, seed=0)


class ThinkingOn:
    """Gives a match its machine's player, and lets that think in the person's turns, if it can.

    Args:
        human: the person's side, in the events' word.
        player_of: gives the player at a level.
    """

    def __init__(self, human: str, player_of: Callable[[int], Player]) -> None:
        self._human, self._player_of = human, player_of
        self._ponderer: Ponderer | None = None
        self._game: Callable[[], Game]

    def follow(self, game: Callable[[], Game]) -> None:
        """Learn how to ask for the game as it stands; before the match's first event."""
        self._game = game

    def player(self, level: int) -> Player:
        """Return the player at a level; the one before rests."""
        self.rest()
        player = self._player_of(level)
        self._ponderer = player if isinstance(player, Ponderer) else None
        return player

    def hear(self, event: MatchEvent) -> None:
        """A `Listener`: in the person's turn there is time to think."""
        if self._ponderer is not None and event.kind is EventKind.TURN and event.data["side"] == self._human:
            self._ponderer.ponder(self._game())

    def rest(self) -> None:
        """End the thinking: the game is over, or was left."""
        if self._ponderer is not None:
            self._ponderer.rest()
