"""The game that the `pos` lines of Hub 2 tell, each of them from its beginning: what two lines have in common is read once."""

from collections.abc import Iterable, Iterator

from damludo.engine.errors import BadHubLine
from damludo.engine.hub_text import Line, find_move, read_position
from damludo.rules.game import Game
from damludo.rules.traits import Variant

MAX_MOVES = 5_000


class GameReader:
    """Reads the `pos` lines of one dialogue.

    A program that tells all moves of a game each time would otherwise wait longer for the understanding of them than for the
    answer where a move is made in a hundredth of a second.

    Args:
        variant: the game.
    """

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._start: str | None = None
        self._told: tuple[str, ...] = ()
        self._game = Game.new(variant)

    def read(self, line: Line) -> Game:
        """Return the game of a line.

        Raises:
            BadHubLine: it tells no position of this game, or a move that is not legal.
        """
        if "pos" not in line.values and "start" not in line.flags:
            raise BadHubLine("pos needs pos=... or start")
        start, moves = line.values.get("pos"), tuple(line.values.get("moves", "").split())
        if len(moves) > MAX_MOVES:
            raise BadHubLine(f"{len(moves)} moves are too many; at most {MAX_MOVES} are read")
        game = self._begun(start, moves)
        for text in moves[len(game.moves) :]:
            move = find_move(self._variant, text, game.legal_moves())
            if move is None:
                number = len(game.moves) + 1
                raise BadHubLine(f"move {number} of the line, {text[:40]!r}, is not legal in {self._variant.key} there")
            game = game.make(move)
        self._start, self._told, self._game = start, moves, game
        return game

    def _begun(self, start: str | None, moves: Iterable[str]) -> Game:
        """Return the game as far as the line before told it too."""
        if start != self._start:
            return Game.new(self._variant, None if start is None else read_position(self._variant, start))
        same = sum(1 for _ in _common(self._told, moves))
        return Game(self._variant, self._game.positions[: same + 1], self._game.moves[:same])


def _common(first: Iterable[str], second: Iterable[str]) -> Iterator[str]:
    """Yield what both begin with."""
    for one, other in zip(first, second, strict=False):
        if one != other:
            return
        yield one
