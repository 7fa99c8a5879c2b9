"""A player that knows endgame tables: it wins what is won, in the fewest plies, and never gives away what is drawn."""

from damludo.engine.analysis import best_among
from damludo.engine.errors import GameOver, NoTable
from damludo.engine.judgement import MAN
from damludo.engine.memory import MATE
from damludo.engine.port import Choice, Limits, Player
from damludo.engine.table_store import Entry, Tables
from damludo.rules.game import Game
from damludo.rules.moves import Move, play

AMONG_EQUALS = Limits(nodes=2_000)
"""For choosing among moves that the tables call equal."""


class TablePlayer:
    """A `Player` that asks the tables first.

    Args:
        player: chooses where the tables know nothing, and among drawing moves.
        tables: of the game; with another game they are not asked.
    """

    def __init__(self, player: Player, tables: Tables) -> None:
        self._player, self._tables = player, tables

    def choose(self, game: Game) -> Choice:
        """Return a move.

        Raises:
            GameOver: there is no legal move.
        """
        moves = game.legal_moves()
        if not moves:
            raise GameOver
        entry = self._tables.probe(game.position) if game.variant is self._tables.variant else None
        if entry is None:
            return self._player.choose(game)
        after = [(move, self._after(game, move)) for move in moves]
        kept = [move for move, found in after if found is not None and _follows(entry, found)]
        if not kept:
            return self._player.choose(game)
        if entry.plies is not None:
            won = entry.value == "win"
            score = (MATE - entry.plies if won else entry.plies - MATE) / MAN
            return Choice(kept[0], score, entry.plies, len(moves), (kept[0],), entry.plies if won else -entry.plies)
        choice = self._player.choose(game)
        if any(choice.move.identity == move.identity for move in kept):
            return choice
        return best_among(game, kept, AMONG_EQUALS)

    def _after(self, game: Game, move: Move) -> Entry | None:
        position = play(game.variant, game.position, move)
        try:
            return self._tables.look_up(position)
        except NoTable:
            return None


def _follows(entry: Entry, after: Entry) -> bool:
    """Whether a move that leads to `after` keeps what `entry` promises."""
    if entry.plies is None:
        return after.value == "draw"
    opposite = {"win": "loss", "loss": "win"}[entry.value]
    return after.value == opposite and after.plies == entry.plies - 1
